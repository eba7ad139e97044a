// HDF5 files in chunks: every size of block and cut.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <bit>

#include "table/folder.hpp"
#include "table/h5_tree.hpp"
#include "table/samples.hpp"

/// HDF5 files whose rows are in compressed chunks. What they hold is read by HDF5.
namespace lacon {
namespace {

using namespace testing;

TableInfo wide_info(std::size_t columns) {
    TableInfo info = sample_info();
    info.names = {"t"};
    for (std::size_t j = 1; j < columns; ++j) info.names.push_back("x[" + std::to_string(j) + "]");
    info.texts.assign(columns, "");
    return info;
}

/// Numbers whose every bit counts, the same whenever they are asked for.
double wild(std::uint64_t row, std::size_t column) {
    const std::uint64_t bits = (row * 0x9E3779B97F4A7C15ULL + column + 1) * 0xD1B54A32D192ED03ULL;
    return std::bit_cast<double>((bits ^ (bits >> 29)) & ~(std::uint64_t{1} << 62));  // finite
}
double smooth(std::uint64_t row, std::size_t column) {
    return column % 4 == 3
               ? 1.5
               : std::sin(0.001 * static_cast<double>(row) + static_cast<double>(column));
}

using Numbers = double (*)(std::uint64_t, std::size_t);

void write(TableWriter& writer, std::size_t columns, std::uint64_t from, std::uint64_t to,
           Numbers numbers = wild) {
    std::vector<double> row(columns);
    for (std::uint64_t i = from; i < to; ++i) {
        for (std::size_t j = 0; j < columns; ++j) row[j] = numbers(i, j);
        writer.row(row);
    }
}

void expect_rows(const std::string& path, std::size_t columns, std::uint64_t rows,
                 Numbers numbers = wild) {
    const Table table = read_table(path);
    ASSERT_EQ(table.columns.size(), columns);
    ASSERT_EQ(table.rows(), rows);
    for (std::size_t j = 0; j < columns; ++j)
        for (std::uint64_t i = 0; i < rows; ++i)
            ASSERT_EQ(std::bit_cast<std::uint64_t>(table.columns[j][i]),
                      std::bit_cast<std::uint64_t>(numbers(i, j)))
                << "row " << i << ", column " << j;
}

std::string whole(const Folder& folder, std::size_t columns, std::uint64_t rows) {
    const std::string path = folder / "whole.h5";
    const auto writer = open_table(path, wide_info(columns), Storage::chunks);
    write(*writer, columns, 0, rows);
    writer->close();
    return text_of(path);
}

TEST(H5Grid, ChunksAreHalfAMegabyteOfAllRowsBelowAndColumnsBeside) {
    const auto grid = [](std::uint64_t columns) {
        const H5Grid g = H5Grid::for_columns(columns);
        EXPECT_GE(g.across * g.chunk_columns, columns);
        EXPECT_LT((g.across - 1) * g.chunk_columns, columns);
        EXPECT_LE(g.chunk_size(), 64U * 1024);
        return std::array{g.chunk_rows, g.chunk_columns, g.across};
    };
    EXPECT_EQ(grid(300), (std::array<std::uint64_t, 3>{218, 300, 1}));
    EXPECT_EQ(grid(1024), (std::array<std::uint64_t, 3>{64, 1024, 1}));
    EXPECT_EQ(grid(1025), (std::array<std::uint64_t, 3>{64, 513, 2}));
    EXPECT_EQ(grid(40'000), (std::array<std::uint64_t, 3>{64, 1000, 40}));
    EXPECT_EQ(grid(2'000'000), (std::array<std::uint64_t, 3>{8, 8164, 245}));
    for (std::uint64_t columns = 1; columns < 3'000'000; columns += 1 + columns / 3) grid(columns);
}

TEST(H5Tree, ATreeOfSeveralLevelsIsReadBackAndEveryChangeIsSeen) {
    const Folder folder;
    const H5Grid grid{7, 10, 3, 3};
    std::vector<H5Chunk> chunks;
    for (std::uint32_t i = 0; i < 9000; ++i) chunks.push_back({1000 + 7ULL * i, 7 + i, i % 4});
    std::string bytes = std::string(5000, '-') + tree_bytes(grid, chunks, 5000);
    ASSERT_EQ(bytes.size(), 5000 + tree_size(chunks.size()));
    EXPECT_EQ(tree_size(9000), (141 + 3 + 1) * h5_tree_node);
    EXPECT_EQ(tree_size(64), h5_tree_node);
    EXPECT_EQ(tree_size(65), 3 * h5_tree_node);
    EXPECT_EQ(tree_size(0), 0U);
    const std::uint64_t root = bytes.size() - h5_tree_node;
    const auto read = [&](std::uint64_t count) {
        return read_tree(PlainFile(folder.write("tree", bytes), O_RDONLY, cannot_read), grid, root,
                         count);
    };
    EXPECT_EQ(read(9000), chunks);
    EXPECT_THROW(read(8999), H5Unexpected);
    EXPECT_THROW(read(9001), H5Unexpected);
    for (const std::size_t at :
         {std::size_t{5000}, std::size_t{5005}, std::size_t{5032}, root + 6, root + 24 + 32}) {
        ++bytes[at];
        EXPECT_THROW(read(9000), H5Unexpected) << at;
        --bytes[at];
    }
}

TEST(H5Chunks, WideTablesHaveThemAndNarrowOnesDoNot) {
    const Folder folder;
    const auto layout = [&](std::size_t columns, Storage storage) {
        const std::string path = folder / "a.h5";
        open_table(path, wide_info(columns), storage)->close();
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                    set = H5Dopen2(file, "rows", H5P_DEFAULT);
        const hid_t made = H5Dget_create_plist(set);
        const H5D_layout_t result = H5Pget_layout(made);
        H5Pclose(made);
        H5Dclose(set);
        H5Fclose(file);
        return result;
    };
    EXPECT_EQ(layout(200, Storage::by_width), H5D_CONTIGUOUS);
    EXPECT_EQ(layout(201, Storage::by_width), H5D_CHUNKED);
    EXPECT_EQ(layout(201, Storage::one_piece), H5D_CONTIGUOUS);
    EXPECT_EQ(layout(6, Storage::chunks), H5D_CHUNKED);
}

TEST(H5Chunks, NumbersComeBackBitForBitWhereverTheRowsEnd) {
    const Folder folder;
    const std::string path = folder / "a.h5";
    for (const std::size_t columns : {std::size_t{3}, std::size_t{700}, std::size_t{2500}}) {
        const std::uint64_t band = H5Grid::for_columns(columns).chunk_rows;
        for (const std::uint64_t rows :
             {std::uint64_t{0}, std::uint64_t{1}, band - 1, band, band + 1, 3 * band + band / 2}) {
            if (columns * rows > 1'000'000) continue;
            const auto writer = open_table(path, wide_info(columns), Storage::chunks);
            write(*writer, columns, 0, rows);
            writer->close();
            expect_rows(path, columns, rows);
            EXPECT_EQ(read_table(path).info, wide_info(columns));
        }
    }
}

TEST(H5Chunks, FlushesAtAnyRowShowAllRowsAndLeaveNoTraceInTheEnd) {
    const Folder folder;
    constexpr std::size_t columns = 1500;
    constexpr std::uint64_t rows = 300;
    const std::string expected = whole(folder, columns, rows);
    for (const std::uint64_t every : {1, 5, 64, 77}) {
        const std::string path = folder / "a.h5";
        const auto writer = open_table(path, wide_info(columns));
        for (std::uint64_t row = 0; row < rows; row += every) {
            write(*writer, columns, row, std::min(row + every, rows));
            writer->flush();
            if (row % 7 == 0) expect_rows(path, columns, std::min(row + every, rows));
            ASSERT_EQ(writer->position(), writer->rows());
        }
        // Beside the bands: a gap of two, and a tail that has one; sometimes behind another one.
        // Mostly a hole.
        const std::uint64_t band = H5Grid::for_columns(columns).band_bytes();
        EXPECT_LT(std::filesystem::file_size(path), expected.size() + 6 * band);
        writer->close();
        EXPECT_TRUE(text_of(path) == expected) << every;
    }
}

TEST(H5Chunks, AFileGoneOnWithFromAnyRowIsTheOneNeverInterrupted) {
    const Folder folder;
    constexpr std::size_t columns = 1100;
    constexpr std::uint64_t rows = 210;
    const std::string expected = whole(folder, columns, rows), path = folder / "a.h5";
    for (const bool closed : {false, true})
        for (const std::uint64_t cut : {0, 1, 63, 64, 65, 127, 128, 150, 192, 209, 210}) {
            std::string killed;  // as a kill would leave it: the writer's own end comes too late
            {
                const auto first = open_table(path, wide_info(columns));
                write(*first, columns, 0, cut);
                first->flush();
                write(*first, columns, cut, rows, smooth);  // after the checkpoint: to be cut off
                if (cut % 2 == 0) first->flush();
                if (closed) first->close();
                killed = text_of(path);
            }
            folder.write("a.h5", killed);
            const auto second = reopen_table(path, wide_info(columns), cut, cut);
            EXPECT_EQ(second->rows(), cut);
            expect_rows(path, columns, cut);
            write(*second, columns, cut, rows);
            second->close();
            EXPECT_TRUE(text_of(path) == expected) << cut << (closed ? " closed" : " killed");
        }
}

TEST(H5Chunks, SmoothNumbersTakeLessAndWildOnesNoMoreThanPlainOnes) {
    const Folder folder;
    constexpr std::size_t columns = 1024;
    constexpr std::uint64_t rows = 1024;
    const auto size = [&](Numbers numbers) {
        const std::string path = folder / "a.h5";
        const auto writer = open_table(path, wide_info(columns));
        const auto empty = static_cast<double>(std::filesystem::file_size(path));
        write(*writer, columns, 0, rows, numbers);
        writer->close();
        expect_rows(path, columns, rows, numbers);
        return (static_cast<double>(std::filesystem::file_size(path)) - empty) /
               (8.0 * columns * rows);
    };
    EXPECT_LT(size(wild), 1.001);
    EXPECT_LT(
        size(smooth),
        0.7);  // a quarter of them is constant, and of the others six bytes of eight are noise
    EXPECT_LT(
        size([](std::uint64_t, std::size_t column) { return 0.1 * static_cast<double>(column); }),
        0.05);
}

/// In seconds: a quadratic way would take hours, and the test would be ended.
TEST(H5Chunks, AHundredThousandColumnsAreWrittenAndRead) {
    const Folder folder;
    constexpr std::size_t columns = 100'000;
    const std::string path = folder / "a.h5";
    const auto writer = open_table(path, wide_info(columns));
    for (std::uint64_t row = 0; row < 70; ++row) {
        write(*writer, columns, row, row + 1);
        if (row % 10 == 0) writer->flush();
    }
    writer->close();
    expect_rows(path, columns, 70);
}

TEST(H5Chunks, AMillionNamesAreWrittenAndRead) {
    const Folder folder;
    const TableInfo info = wide_info(1'000'000);
    open_table(folder / "a.h5", info)->close();
    EXPECT_EQ(read_table(folder / "a.h5").info, info);
}

/// What HDF5 itself does with such a file, which it takes for one of its own.
TEST(H5Chunks, Hdf5GoesOnWithAFileAndLaconThenRefuses) {
    const Folder folder;
    constexpr std::size_t columns = 300;
    const std::string path = folder / "a.h5";
    const auto writer = open_table(path, wide_info(columns));
    write(*writer, columns, 0, 500);
    writer->close();
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                set = H5Dopen2(file, "rows", H5P_DEFAULT);
    const hsize_t larger[2] = {600, columns}, begin[2] = {500, 0}, count[2] = {100, columns};
    ASSERT_GE(H5Dset_extent(set, larger), 0);
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, count, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr);
    std::vector<double> numbers(100 * columns);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = wild(500 + i / columns, i % columns);
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers.data()), 0);
    H5Sclose(space);
    H5Sclose(memory);
    H5Dclose(set);
    ASSERT_GE(H5Fclose(file), 0);
    expect_rows(path, columns, 600);
    const std::string before = text_of(path);
    EXPECT_THROW(reopen_table(path, wide_info(columns), 600, 600), TableError);
    EXPECT_TRUE(text_of(path) == before);
}

TEST(H5Chunks, AHeaderThatIsNotAsExpectedIsRefused) {
    const Folder folder;
    constexpr std::size_t columns = 300;
    const std::string path = folder / "a.h5";
    const auto writer = open_table(path, wide_info(columns));
    write(*writer, columns, 0, 5);
    writer->close();
    const std::string bytes = text_of(path).substr(0, H5Page::page_size);
    const std::string extents({5, 0, 0, 0, 0, 0, 0, 0, 44, 1, 0, 0, 0, 0, 0, 0});  // 5 and 300
    const std::string chunk({static_cast<char>(218), 0, 0, 0, 44, 1, 0, 0, 8, 0, 0, 0});
    const std::size_t dataspace = bytes.find(extents) - 8, header = dataspace - 8 - 16,
                      layout = bytes.find(chunk) - 11;
    ASSERT_LT(layout, bytes.size());
    const H5ChunkHeader as_is(bytes, header);
    EXPECT_EQ(as_is.rows(), 5U);
    EXPECT_EQ(as_is.columns(), columns);
    EXPECT_EQ(as_is.chunk_rows(), 218U);
    EXPECT_EQ(as_is.end_of_file(), std::filesystem::file_size(path));
    EXPECT_LE(as_is.at() + as_is.bytes().size(), H5Page::page_size);
    const auto refused = [&](std::size_t at, char value) {
        std::string other = bytes;
        other[at] = value;
        EXPECT_THROW(H5ChunkHeader(other, header), H5Unexpected) << at;
    };
    refused(8, 1);               // the superblock's version
    refused(dataspace + 8, 0);   // no rows, but chunks
    refused(dataspace + 24, 5);  // the largest extents: rows that may not grow
    refused(dataspace + 32, 0);  // and other columns
    refused(layout, 4);          // the layout's version
    refused(layout + 1, 1);      // its class
    refused(layout + 2, 2);      // its dimensions
    refused(layout + 11, 0);     // the chunk's rows
    refused(layout + 19, 4);     // bytes of an element
    EXPECT_THROW(H5Header(bytes, header), H5Unexpected);
    EXPECT_THROW(H5ChunkHeader(bytes.substr(0, layout + 15), header), H5Unexpected);
}

TEST(H5Chunks, AFileThatIsNotAsLaconLeftItIsNotGoneOnWith) {
    const Folder folder;
    constexpr std::size_t columns = 300;
    const std::string path = folder / "a.h5";
    const auto writer = open_table(path, wide_info(columns));
    write(*writer, columns, 0, 500);
    writer->close();
    const std::string bytes = text_of(path);
    const auto refused = [&](std::uint64_t back, char more, std::uint64_t rows) {
        std::string other = bytes;
        other[other.size() - back] = static_cast<char>(other[other.size() - back] + more);
        folder.write("a.h5", other);
        EXPECT_THROW(reopen_table(path, wide_info(columns), rows, rows), TableError) << back;
        EXPECT_TRUE(text_of(path) == other);
    };
    refused(8, 1, 500);                      // where the bands begin
    refused(7, -1, 10);                      // also where none is kept
    refused(8 + h5_tree_node - 5, 1, 500);   // the tree: its level
    refused(8 + h5_tree_node - 56, 1, 500);  // the place of a chunk
}

}  // namespace
}  // namespace lacon
