// The base class of both HDF5 writers: the open file, its header, and the write that publishes
// rows.
#pragma once

#include <fcntl.h>

#include "table/h5_begin.hpp"
#include "table/h5_header.hpp"

namespace lacon::inline table {

/// A writer of a file that HDF5 has begun: it has it open for plain writes, with the header of
/// `rows` as it stands on disk, a Header of h5_header.hpp, and makes rows known by writing that
/// anew.
template <class Header>
class H5OpenWriter : public TableWriter {
public:
    std::uint64_t position() const override { return rows(); }

protected:
    H5OpenWriter(const std::string& path, const TableInfo& info, std::optional<Resume> resume)
        : TableWriter(info.names.size(), resume ? resume->rows : 0),
          path_(path),
          columns_(info.names.size()) {}

    void create(const TableInfo& info, const H5Grid* grid) {
        open({begin_h5(path_, info, grid), 0, false}, cannot_write);
    }
    void reopen(const TableInfo& info, Resume resume) {
        open(begun_h5(path_, info, resume), cannot_resume);
    }

    /// The one write that makes `rows` known, after what the header says has been changed.
    void publish_header(std::uint64_t rows) {
        file_.write(header_->bytes(), header_->at());
        written_ = rows;
    }
    /// The last thing that is written: rows that are added later take its place.
    void write_events() {
        if (events_.empty() || !header_->has_events()) return;
        file_.write(events_, header_->end_of_file());
        header_->add_events(events_.size());
        publish_header(written_);
    }
    void close_in_destructor() {
        try {
            close();
        } catch (const TableError&) {
            return;  // who wants to know calls close()
        }
    }

    std::string path_;
    std::size_t columns_;
    PlainFile file_;
    std::optional<Header> header_;
    std::uint64_t written_ = 0;  // rows on disk, and known there

private:
    /// What the header says must be what HDF5 said.
    void open(const H5Begun& begun, TableError (*refuse)(const std::string&, std::string_view)) {
        file_ = PlainFile(path_, O_RDWR, refuse);
        try {
            header_.emplace(file_.read(H5Header::page_size, 0), begun.headers.rows,
                            begun.headers.events);
            if (header_->rows() != begun.rows || header_->columns() != columns_)
                throw H5Unexpected{"its header and HDF5 disagree"};
        } catch (const H5Unexpected& unexpected) {
            throw refuse(path_, unexpected.what);
        }
    }
};

}  // namespace lacon::table
