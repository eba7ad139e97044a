// Each write hands over rows and tail in one call. If it fails, the file is cut back to the last
// whole state.
#include "table/output_file.hpp"

#include <fcntl.h>

namespace lacon::inline table {

OutputFile::OutputFile(const std::string& path, const std::string& head, std::string_view tail,
                       std::optional<Resume> resume)
    : path_(path), tail_(tail) {
    if (resume) {
        file_ = PlainFile(path, O_RDWR, cannot_resume);
        check_resume(head, *resume);
        body_ = resume->position;
        file_.write(tail_, body_);
        file_.resize(body_ + tail_.size());
    } else {
        file_ = path == "-" ? PlainFile::standard_output()
                            : PlainFile(path, O_WRONLY | O_CREAT | O_TRUNC, cannot_write);
        pending = head;
        write();
    }
}

OutputFile::~OutputFile() {
    try {
        close();
    } catch (const TableError&) {
        return;  // who wants to know calls close()
    }
}

void OutputFile::check_resume(const std::string& head, Resume resume) const {
    if (file_.read(head.size(), 0) != head)
        throw cannot_resume(
            path_, "it belongs to a run with another model, other options or other columns");
    if (file_.size() < resume.position || resume.position < head.size())
        throw cannot_resume(path_, "it is shorter than it was at the checkpoint");
    // A row ends where the head or a closing sign of a row does: `\n` in CSV, `]` in JSON, both
    // told by the byte before.
    const std::string last = file_.read(1, resume.position - 1);
    const bool at_end_of_row = resume.position == head.size()
                                   ? resume.rows == 0
                                   : resume.rows > 0 && (last == "\n" || last == "]");
    if (!at_end_of_row) throw cannot_resume(path_, "no row ends where the checkpoint says");
}

void OutputFile::write() {
    if (pending.empty()) return;
    const std::size_t size = pending.size();
    pending += tail_;
    try {
        file_.write(pending, body_);
    } catch (const TableError&) {
        pending.clear();
        cut_back();
        throw;
    }
    body_ += size;
    pending.clear();
}

/// The disk is full, say: what was whole before stays whole. That there is room for the tail is all
/// but sure.
void OutputFile::cut_back() {
    try {
        file_.resize(body_);
        file_.write(tail_, body_);
    } catch (const TableError&) {
        return;  // the failure before this one is the one to tell
    }
}

void OutputFile::end_with(std::string tail) {
    if (!file_.is_open() || tail == tail_) return;
    write();
    try {
        file_.write(tail, body_);
    } catch (const TableError&) {
        cut_back();
        throw;
    }
    tail_ = std::move(tail);
    file_.resize(body_ + tail_.size());
}

void OutputFile::close() {
    if (!file_.is_open()) return;
    write();
    file_.close();
}

}  // namespace lacon::table
