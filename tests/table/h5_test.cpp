// HDF5 files: their layout, and what HDF5 itself reads of them.
#include <gtest/gtest.h>
#include <hdf5.h>

#include "table/folder.hpp"
#include "table/h5_header.hpp"
#include "table/samples.hpp"

namespace lacon {
namespace {

using namespace testing;

/// A finished file of so many rows.
std::string written(const Folder& folder, std::uint64_t rows) {
    const std::string path = folder / "a.h5";
    const auto writer = open_table(path, sample_info());
    write_rows(*writer, 0, rows);
    writer->close();
    return path;
}

/// What HDF5 itself does to a file.
template <class Change>
void change(const std::string& path, Change action) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    action(file);
    ASSERT_GE(H5Fclose(file), 0);
}

/// A dataset of doubles, row × column, which counts from 0; with `chunk` in chunks of so many rows.
void add_numbers(hid_t file, const char* name, hsize_t rows, hsize_t columns, hsize_t chunk) {
    const hsize_t extent[2] = {rows, columns}, chunks[2] = {chunk, columns};
    const hid_t space = H5Screate_simple(2, extent, nullptr),
                layout = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) H5Pset_chunk(layout, 2, chunks);
    const hid_t set =
        H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    std::vector<double> numbers(rows * columns);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
}

std::string going_on(const std::string& path, std::uint64_t rows) {
    try {
        reopen_table(path, sample_info(), rows, rows);
    } catch (const TableError& error) {
        return error.what();
    }
    return "went on";
}

TEST(H5, AFileWithoutRowsIsOneToHdf5) {
    const Folder folder;
    const std::string path = written(folder, 0);
    EXPECT_EQ(read_table(path).rows(), 0U);
    // Also where there were rows, all of which were cut off.
    written(folder, 10);
    reopen_table(path, sample_info(), 0, 0)->close();
    EXPECT_EQ(read_table(path).rows(), 0U);
    EXPECT_EQ(read_table(path).info, sample_info());
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                set = H5Dopen2(file, "rows", H5P_DEFAULT);
    EXPECT_EQ(H5Dget_storage_size(set), 0U);
    H5Dclose(set);
    H5Fclose(file);
}

TEST(H5, TheRowsAreInOnePieceAtTheEndOfTheFile) {
    const Folder folder;
    const std::string path = written(folder, 1000);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                set = H5Dopen2(file, "rows", H5P_DEFAULT);
    EXPECT_EQ(H5Dget_storage_size(set), 1000U * 6 * 8);
    EXPECT_EQ(H5Dget_offset(set) % 8, 0U);
    EXPECT_EQ(H5Dget_offset(set) + H5Dget_storage_size(set), std::filesystem::file_size(path));
    H5Dclose(set);
    H5Fclose(file);
}

TEST(H5, BytesBehindTheEndAreLookedAtByNobody) {
    const Folder folder;
    const std::string path = written(folder, 100);
    // As of a flush that was cut short.
    std::ofstream(path, std::ios::binary | std::ios::app) << std::string(12'345, 'x');
    EXPECT_EQ(read_table(path).rows(), 100U);
    const auto writer = reopen_table(path, sample_info(), 100, 100);
    write_rows(*writer, 100, 110);
    writer->close();
    const Table table = read_table(path);
    ASSERT_EQ(table.rows(), 110U);
    for (std::uint64_t i = 0; i < 110; ++i) EXPECT_EQ(table.columns[1][i], sample_row(i)[1]);
}

TEST(H5, ChunkedRowsAreReadButNotGoneOnWith) {
    const Folder folder;
    const std::string path = written(folder, 0);
    change(path, [](hid_t file) {
        H5Ldelete(file, "rows", H5P_DEFAULT);
        add_numbers(file, "rows", 100, 6, 7);
    });
    const Table table = read_table(path);
    EXPECT_EQ(table.info, sample_info());
    ASSERT_EQ(table.rows(), 100U);
    EXPECT_EQ(table.columns[2][50], 302.0);
    const std::string before = text_of(path);
    EXPECT_EQ(going_on(path, 50),
              "cannot continue '" + path +
                  "': its rows are chunked, not contiguous as in files of earlier versions");
    EXPECT_TRUE(text_of(path) == before);
}

TEST(H5, AFileThatHdf5ChangedSinceIsReadButNotOverwritten) {
    const Folder folder;
    const std::string path = written(folder, 100);
    change(path, [](hid_t file) { add_numbers(file, "more", 3, 3, 0); });
    EXPECT_EQ(read_table(path).rows(), 100U);
    const std::string before = text_of(path);
    EXPECT_EQ(going_on(path, 100),
              "cannot continue '" + path +
                  "': unsupported HDF5 layout: the dataset is not at the end of the file");
    EXPECT_TRUE(text_of(path) == before);
}

TEST(H5, AHeaderThatIsNotAsExpectedIsRefused) {
    const Folder folder;
    const std::string bytes = text_of(written(folder, 3)).substr(0, H5Header::page_size);
    // The header of the rows: in version 1, with one message of the dataspace, two extents of which
    // are 3 and 6.
    const std::string extents({3, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0});
    const std::size_t dataspace = bytes.find(extents) - 8, header = dataspace - 8 - 16;
    ASSERT_LT(header, bytes.size());
    EXPECT_EQ(H5Header(bytes, header).rows(), 3U);
    EXPECT_EQ(H5Header(bytes, header).columns(), 6U);
    const auto refused = [&](std::size_t at, char value) {
        std::string other = bytes;
        other[at] = value;
        EXPECT_THROW(H5Header(other, header), H5Unexpected) << at;
    };
    refused(0, 'H');             // the signature
    refused(8, 2);               // the superblock's version
    refused(13, 4);              // bytes of an address
    refused(41, 1);              // the end of the file
    refused(header, 2);          // the header's version
    refused(header + 16, 0x10);  // a continuation
    refused(dataspace, 2);       // the dataspace's version
    refused(dataspace + 1, 1);   // its dimensions
    refused(dataspace + 8, 4);   // its extent, which no longer suits the size
    EXPECT_THROW(H5Header(bytes, 5000), H5Unexpected);
    EXPECT_THROW(H5Header(bytes.substr(0, header + 100), header), H5Unexpected);
    EXPECT_THROW(H5Header("", 0), H5Unexpected);
}

TEST(H5, WhatChangesWithTheRowsIsWithinOnePage) {
    const Folder folder;
    TableInfo info = sample_info();
    info.source.assign(100'000, 'x');
    for (int i = 0; i < 1000; ++i)
        info.names.push_back("a name of some length " + std::to_string(i));
    info.texts.assign(info.names.size(), "and its meaning");
    const std::string path = folder / "a.h5";
    const auto writer = open_table(path, info);  // fails where it is not
    writer->row(std::vector<double>(info.names.size(), 1.0));
    writer->close();
    EXPECT_EQ(read_table(path).rows(), 1U);
    EXPECT_EQ(read_table(path).info, info);
}

}  // namespace
}  // namespace lacon
