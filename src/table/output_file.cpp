#include "table/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lacon {

namespace {

/// `size` bytes of the file at `at`; fewer where it ends.
std::string bytes(int descriptor, std::size_t size, std::uint64_t at) {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
        const ssize_t n = ::pread(descriptor, text.data() + got, size - got, static_cast<off_t>(at + got));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += static_cast<std::size_t>(n);
    }
    text.resize(got);
    return text;
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const std::string& head, std::string_view tail, std::optional<Resume> resume)
    : path_(path), tail_(tail) {
    descriptor_ = ::open(path.c_str(), resume ? O_RDWR | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        if (resume) throw cannot_resume(path, std::strerror(errno));
        throw cannot_write(path, std::strerror(errno));
    }
    try {
        if (resume) {
            check_resume(head, *resume);
            body_ = resume->position;
            put(tail_, body_);
            if (::ftruncate(descriptor_, static_cast<off_t>(body_ + tail_.size())) != 0)
                throw cannot_write(path_, std::strerror(errno));
        } else {
            pending = head;
            write();
        }
    } catch (...) {
        ::close(descriptor_);
        throw;
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
    if (bytes(descriptor_, head.size(), 0) != head)
        throw cannot_resume(path_, "it was begun with another model, other options or other columns");
    const auto size = ::lseek(descriptor_, 0, SEEK_END);
    if (size < 0 || static_cast<std::uint64_t>(size) < resume.position || resume.position < head.size())
        throw cannot_resume(path_, "it is shorter than it was at the checkpoint");
    // A row ends where the head or a closing sign of a row does: `\n` in CSV, `]` in JSON, both told by the byte before.
    const std::string last = bytes(descriptor_, 1, resume.position - 1);
    const bool at_end_of_row =
        resume.position == head.size() ? resume.rows == 0 : resume.rows > 0 && (last == "\n" || last == "]");
    if (!at_end_of_row) throw cannot_resume(path_, "no row ends where the checkpoint says");
}

void OutputFile::put(std::string_view text, std::uint64_t at) {
    while (!text.empty()) {
        const ssize_t n = ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw cannot_write(path_, std::strerror(errno));
        text.remove_prefix(static_cast<std::size_t>(n));
        at += static_cast<std::uint64_t>(n);
    }
}

void OutputFile::write() {
    if (pending.empty()) return;
    const std::size_t size = pending.size();
    pending += tail_;
    try {
        put(pending, body_);
    } catch (const TableError&) {
        // The disk is full, say: what was whole before stays whole. That there is room for the tail is all but sure.
        pending.clear();
        const bool cut = ::ftruncate(descriptor_, static_cast<off_t>(body_)) == 0;
        if (cut && !tail_.empty() && ::pwrite(descriptor_, tail_.data(), tail_.size(), static_cast<off_t>(body_)) < 0) throw;
        throw;
    }
    body_ += size;
    pending.clear();
}

void OutputFile::close() {
    if (descriptor_ < 0) return;
    write();
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) throw cannot_write(path_, std::strerror(errno));
}

}  // namespace lacon
