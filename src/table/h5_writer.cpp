// Writes rows to an HDF5 file: in one piece or in chunks, by the number of columns.
#include "table/h5_open.hpp"

/// HDF5: `rows`, a dataset of doubles (row × column), and the info as datasets of strings beside it
/// (attributes could not hold the text of a long model).
///
/// HDF5 makes the file, with no rows in it, and is done with it: all its ways to let a dataset grow
/// change several places of the file, and a kill between two of them spoils it. From there on rows
/// are appended behind all that HDF5 wrote, where nothing refers to them yet, and are then made
/// known by one write within the file's first page (h5_header.hpp). So a kill at any moment leaves
/// the file as it was before a flush or as it is after it; bytes behind the end it states are
/// looked at by nobody.
///
/// Here the rows are in one piece; h5_chunk_writer.cpp has those of wide tables.
namespace lacon::inline table {

namespace {

constexpr std::size_t write_block = 512 * 1024;  // doubles in memory at most, about
constexpr std::size_t most_in_one_piece = 200;   // columns

class H5Writer final : public H5OpenWriter<H5Header> {
public:
    H5Writer(const std::string& path, const TableInfo& info, std::optional<Resume> resume)
        : H5OpenWriter(path, info, resume) {
        if (!resume) {
            create(info, nullptr);
            return;
        }
        reopen(info, *resume);
        publish(resume->rows);
        file_.resize(header_->place_of(
            resume->rows));  // only now: no kill may leave a file shorter than it says
    }
    ~H5Writer() override { close_in_destructor(); }

    void flush() override {
        if (block_.empty()) return;
        const std::string_view bytes(reinterpret_cast<const char*>(block_.data()),
                                     block_.size() * sizeof(double));
        file_.write(bytes, header_->place_of(written_));
        publish(written_ + block_.size() / columns_);
        block_.clear();
    }
    void close() override {
        if (!file_.is_open()) return;
        flush();
        write_events();
        file_.close();
    }

protected:
    void append(std::span<const double> values) override {
        if (block_.size() >= write_block) flush();
        block_.insert(block_.end(), values.begin(), values.end());
    }

private:
    void publish(std::uint64_t rows) {
        header_->set_rows(rows);
        publish_header(rows);
    }

    std::vector<double> block_;  // rows to write
};

}  // namespace

std::unique_ptr<TableWriter> write_h5_piece(const std::string& path, const TableInfo& info,
                                            std::optional<Resume> resume) {
    return std::make_unique<H5Writer>(path, info, resume);
}

std::unique_ptr<TableWriter> write_h5(const std::string& path, const TableInfo& info,
                                      std::optional<Resume> resume) {
    const bool in_chunks =
        resume ? begun_h5(path, info, *resume).in_chunks : info.names.size() > most_in_one_piece;
    return in_chunks ? write_h5_chunks(path, info, resume) : write_h5_piece(path, info, resume);
}

}  // namespace lacon::table
