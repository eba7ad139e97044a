#include <algorithm>

#include "table/formats.hpp"
#include "table/h5_file.hpp"

/// HDF5: `rows`, a chunked and growing dataset of doubles (row × column), and the info as datasets of strings beside it
/// (attributes could not hold the text of a long model). HDF5 is called only to write a block and flush it at once, so that
/// between two blocks the file on disk is always one that opens: a kill then costs no more than the rows still in memory.
/// The old superblock, HDF5's default, is kept: the newer one marks a file that was not closed as unreadable.
namespace lacon {

namespace {

constexpr std::size_t chunk_size = 8192;        // doubles, about; small, as each file takes at least one
constexpr std::size_t block_size = 512 * 1024;  // doubles in memory at most, about

class H5Writer final : public TableWriter {
public:
    H5Writer(const std::string& path, const TableInfo& info, std::optional<Resume> resume)
        : TableWriter(info.names.size(), resume ? resume->rows : 0), path_(path), columns_(info.names.size()) {
        const H5Quiet quiet;
        if (resume) reopen(info, *resume);
        else create(info);
    }
    ~H5Writer() override {
        try {
            close();
        } catch (const TableError&) {
            return;  // who wants to know calls close()
        }
    }

    void flush() override {
        if (block_.empty()) return;
        const H5Quiet quiet;
        const hsize_t begin[2] = {written_, 0}, count[2] = {block_.size() / columns_, columns_};
        const hsize_t extent[2] = {begin[0] + count[0], columns_};
        must(H5Dset_extent(rows_, extent));
        const H5Id in_file(must(H5Dget_space(rows_)), H5Sclose), in_memory(must(H5Screate_simple(2, count, nullptr)), H5Sclose);
        must(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, begin, nullptr, count, nullptr));
        must(H5Dwrite(rows_, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, block_.data()));
        must(H5Fflush(file_, H5F_SCOPE_GLOBAL));
        written_ = extent[0];
        block_.clear();
    }
    void close() override {
        if (file_ < 0) return;
        if (!broken_) flush();
        const bool rows_closed = rows_.close(), file_closed = file_.close();
        if (!(rows_closed && file_closed) && !broken_) throw cannot_write(path_, "HDF5 failed to close it");
    }
    std::uint64_t position() const override { return rows(); }

protected:
    void append(std::span<const double> values) override {
        block_.insert(block_.end(), values.begin(), values.end());
        if (block_.size() >= block_size) flush();
    }

private:
    /// The result of a call of HDF5, or a TableError.
    template <class Result>
    Result must(Result result) {
        if (result >= 0) return result;
        broken_ = true;
        throw cannot_write(path_, h5_reason());
    }

    void create(const TableInfo& info) {
        file_ = H5Id(must(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, h5_access())), H5Fclose);
        write_strings("model", {info.model}, {});
        write_strings("source", {info.source}, {});
        std::vector<std::string> options;
        for (const auto& [name, value] : info.options) options.insert(options.end(), {name, value});
        write_strings("options", options, {info.options.size(), 2});
        write_strings("names", info.names, {columns_});
        write_strings("texts", info.texts, {columns_});

        const hsize_t none[2] = {0, columns_}, most[2] = {H5S_UNLIMITED, columns_};
        const hsize_t chunk[2] = {std::max<hsize_t>(1, chunk_size / columns_), columns_};
        const H5Id space(must(H5Screate_simple(2, none, most)), H5Sclose), layout(must(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
        must(H5Pset_chunk(layout, 2, chunk));
        rows_ = H5Id(must(H5Dcreate2(file_, "rows", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT)), H5Dclose);
        must(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    }

    /// A dataset of strings; without dimensions a single one.
    void write_strings(const char* name, const std::vector<std::string>& texts, const std::vector<hsize_t>& dimensions) {
        std::vector<const char*> pointers;
        for (const std::string& text : texts) pointers.push_back(text.c_str());
        const H5Id type = h5_string_type();
        const H5Id space(
            must(dimensions.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr)),
            H5Sclose);
        const H5Id set(must(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), H5Dclose);
        if (!texts.empty()) must(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()));
    }

    void reopen(const TableInfo& info, Resume resume) {
        if (read_h5_info(path_) != info)
            throw cannot_resume(path_, "it was begun with another model, other options or other columns");
        file_ = H5Id(must(H5Fopen(path_.c_str(), H5F_ACC_RDWR, h5_access())), H5Fclose);
        rows_ = H5Id(must(H5Dopen2(file_, "rows", H5P_DEFAULT)), H5Dclose);
        const H5Id space(must(H5Dget_space(rows_)), H5Sclose);
        hsize_t extent[2] = {0, 0};
        if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, extent, nullptr);
        if (extent[0] < resume.rows || extent[1] != columns_ || resume.position != resume.rows)
            throw cannot_resume(path_, "it is shorter than it was at the checkpoint");
        extent[0] = written_ = resume.rows;
        must(H5Dset_extent(rows_, extent));
        must(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    }

    std::string path_;
    std::size_t columns_;
    H5Id file_, rows_;
    std::uint64_t written_ = 0;  // rows on disk
    std::vector<double> block_;  // rows to write
    bool broken_ = false;        // a call failed: nothing more is written
};

}  // namespace

std::unique_ptr<TableWriter> write_h5(const std::string& path, const TableInfo& info, std::optional<Resume> resume) {
    return std::make_unique<H5Writer>(path, info, resume);
}

}  // namespace lacon
