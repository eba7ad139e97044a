#include <fcntl.h>

#include "table/h5_begin.hpp"
#include "table/h5_header.hpp"

/// HDF5: `rows`, a dataset of doubles (row × column), and the info as datasets of strings beside it (attributes could not hold
/// the text of a long model).
///
/// HDF5 makes the file, with no rows in it, and is done with it: all its ways to let a dataset grow change several places of the
/// file, and a kill between two of them spoils it. From there on rows are appended behind all that HDF5 wrote, where nothing
/// refers to them yet, and are then made known by one write within the file's first page (h5_header.hpp). So a kill at any moment
/// leaves the file as it was before a flush or as it is after it; bytes behind the end it states are looked at by nobody.
///
/// Here the rows are in one piece; h5_chunk_writer.cpp has those of wide tables.
namespace lacon {

namespace {

constexpr std::size_t block_size = 512 * 1024;  // doubles in memory at most, about
constexpr std::size_t most_in_one_piece = 200;  // columns

class H5Writer final : public TableWriter {
public:
    H5Writer(const std::string& path, const TableInfo& info, std::optional<Resume> resume)
        : TableWriter(info.names.size(), resume ? resume->rows : 0), path_(path), columns_(info.names.size()) {
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
    void publish(std::uint64_t rows) {
        header_->set_rows(rows);
        file_.write(header_->bytes(), header_->at());
        written_ = rows;
    }

    void create(const TableInfo& info) {
        const haddr_t header = begin_h5(path_, info, nullptr);
        file_ = PlainFile(path_, O_RDWR, cannot_write);
        find_header(header, 0, cannot_write);
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

    void reopen(const TableInfo& info, Resume resume) {
        const H5Begun begun = begun_h5(path_, info, resume);
        file_ = PlainFile(path_, O_RDWR, cannot_resume);
        find_header(begun.header, begun.rows, cannot_resume);
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

std::unique_ptr<TableWriter> write_h5_piece(const std::string& path, const TableInfo& info, std::optional<Resume> resume) {
    return std::make_unique<H5Writer>(path, info, resume);
}

std::unique_ptr<TableWriter> write_h5(const std::string& path, const TableInfo& info, std::optional<Resume> resume) {
    const bool in_chunks = resume ? begun_h5(path, info, *resume).in_chunks : info.names.size() > most_in_one_piece;
    return in_chunks ? write_h5_chunks(path, info, resume) : write_h5_piece(path, info, resume);
}

}  // namespace lacon
