#include <fcntl.h>

#include "table/formats.hpp"
#include "table/h5_file.hpp"
#include "table/h5_header.hpp"
#include "table/plain_file.hpp"

/// HDF5: `rows`, a dataset of doubles (row × column), and the info as datasets of strings beside it (attributes could not hold
/// the text of a long model).
///
/// HDF5 makes the file, with no rows in it, and is done with it: all its ways to let a dataset grow change several places of the
/// file, and a kill between two of them spoils it. From there on rows are appended behind all that HDF5 wrote, where nothing
/// refers to them yet, and are then made known by one write within the file's first page (h5_header.hpp). So a kill at any moment
/// leaves the file as it was before a flush or as it is after it; bytes behind the end it states are looked at by nobody.
namespace lacon {

namespace {

constexpr std::size_t block_size = 512 * 1024;  // doubles in memory at most, about

#if H5_VERSION_GE(1, 12, 0)
using H5ObjectInfo = H5O_info1_t;
#else
using H5ObjectInfo = H5O_info_t;
#endif

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
        const std::string_view bytes(reinterpret_cast<const char*>(block_.data()), block_.size() * sizeof(double));
        file_.write(bytes, header_->place_of(written_));
        publish(written_ + block_.size() / columns_);
        block_.clear();
    }
    void close() override {
        if (!file_.is_open()) return;
        flush();
        file_.close();
    }
    std::uint64_t position() const override { return rows(); }

protected:
    void append(std::span<const double> values) override {
        if (block_.size() >= block_size) flush();
        block_.insert(block_.end(), values.begin(), values.end());
    }

private:
    /// The result of a call of HDF5, or a TableError.
    template <class Result>
    Result must(Result result) {
        if (result >= 0) return result;
        throw cannot_write(path_, h5_reason());
    }

    void publish(std::uint64_t rows) {
        header_->set_rows(rows);
        file_.write(header_->bytes(), header_->at());
        written_ = rows;
    }

    void create(const TableInfo& info) {
        const H5Id access = h5_access();
        must(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));  // the forms h5_header.hpp knows
        H5Id file(must(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)), H5Fclose);
        const haddr_t header = create_rows(file);  // first, so that its header is in the first page
        write_strings(file, "model", {info.model}, {});
        write_strings(file, "source", {info.source}, {});
        std::vector<std::string> options;
        for (const auto& [name, value] : info.options) options.insert(options.end(), {name, value});
        write_strings(file, "options", options, {info.options.size(), 2});
        write_strings(file, "names", info.names, {columns_});
        write_strings(file, "texts", info.texts, {columns_});
        must(H5Fflush(file, H5F_SCOPE_GLOBAL));
        if (!file.close()) throw cannot_write(path_, "HDF5 failed to close it");

        file_ = PlainFile(path_, O_RDWR, cannot_write);
        find_header(header, 0, cannot_write);
    }

    /// The dataset without rows; where its header is.
    haddr_t create_rows(hid_t file) {
        const hsize_t none[2] = {0, columns_};
        const H5Id space(must(H5Screate_simple(2, none, nullptr)), H5Sclose), layout = contiguous();
        const H5Id set(must(H5Dcreate2(file, "rows", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT)), H5Dclose);
        return header_address(set);
    }

    /// In one piece, and without the time at which it was made: equal runs give equal files.
    H5Id contiguous() {
        H5Id layout(must(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
        must(H5Pset_layout(layout, H5D_CONTIGUOUS));
        must(H5Pset_obj_track_times(layout, false));
        return layout;
    }

    haddr_t header_address(hid_t set) {
        H5ObjectInfo info;
        must(H5Oget_info2(set, &info, H5O_INFO_BASIC));
        return info.addr;
    }

    /// Takes the header as it is on disk; what it says must be what HDF5 said.
    void find_header(haddr_t address, hsize_t rows, TableError (*refuse)(const std::string&, std::string_view)) {
        try {
            header_.emplace(file_.read(H5Header::page_size, 0), address);
            if (header_->rows() != rows || header_->columns() != columns_) throw H5Unexpected{"its header and HDF5 disagree"};
        } catch (const H5Unexpected& unexpected) {
            throw refuse(path_, unexpected.what);
        }
    }

    /// A dataset of strings; without dimensions a single one.
    void write_strings(hid_t file, const char* name, const std::vector<std::string>& texts,
                       const std::vector<hsize_t>& dimensions) {
        std::vector<const char*> pointers;
        for (const std::string& text : texts) pointers.push_back(text.c_str());
        const H5Id type = h5_string_type();
        const H5Id space(
            must(dimensions.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr)),
            H5Sclose);
        const H5Id layout = contiguous();
        const H5Id set(must(H5Dcreate2(file, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT)), H5Dclose);
        if (!texts.empty()) must(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()));
    }

    void reopen(const TableInfo& info, Resume resume) {
        if (read_h5_info(path_) != info)
            throw cannot_resume(path_, "it was begun with another model, other options or other columns");
        haddr_t header = 0;
        hsize_t extent[2] = {0, 0};
        {
            const H5Id file(must(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, h5_access())), H5Fclose);
            const H5Id set(must(H5Dopen2(file, "rows", H5P_DEFAULT)), H5Dclose), space(must(H5Dget_space(set)), H5Sclose);
            const H5Id layout(must(H5Dget_create_plist(set)), H5Pclose), type(must(H5Dget_type(set)), H5Tclose);
            if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, extent, nullptr);
            if (H5Pget_layout(layout) != H5D_CONTIGUOUS)
                throw cannot_resume(path_, "its rows are in chunks, not in one piece, as files of earlier versions had them");
            if (H5Tequal(type, H5T_IEEE_F64LE) <= 0) throw cannot_resume(path_, "its rows are not 64-bit numbers");
            header = header_address(set);
        }
        if (extent[0] < resume.rows || extent[1] != columns_ || resume.position != resume.rows)
            throw cannot_resume(path_, "it is shorter than it was at the checkpoint");
        file_ = PlainFile(path_, O_RDWR, cannot_resume);
        find_header(header, extent[0], cannot_resume);
        publish(resume.rows);
        file_.resize(header_->place_of(resume.rows));  // only now: no kill may leave a file shorter than it says
    }

    std::string path_;
    std::size_t columns_;
    PlainFile file_;
    std::optional<H5Header> header_;
    std::uint64_t written_ = 0;  // rows on disk, and known there
    std::vector<double> block_;  // rows to write
};

}  // namespace

std::unique_ptr<TableWriter> write_h5(const std::string& path, const TableInfo& info, std::optional<Resume> resume) {
    return std::make_unique<H5Writer>(path, info, resume);
}

}  // namespace lacon
