// Uses pread and pwrite, and goes on after signals and short writes.
#include "table/plain_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lacon::inline table {

PlainFile::PlainFile(const std::string& path, int flags,
                     TableError (*refuse)(const std::string&, std::string_view))
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw refuse(path, std::strerror(errno));
}

PlainFile PlainFile::standard_output() {
    PlainFile file;
    file.path_ = "-";
    file.is_stream_ = true;
    file.descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (file.descriptor_ < 0) throw cannot_write(file.path_, std::strerror(errno));
    return file;
}

PlainFile::~PlainFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::string PlainFile::read(std::size_t size, std::uint64_t at) const {
    std::string bytes(size, '\0');
    std::size_t got = 0;
    while (got < size) {
        const ssize_t n =
            ::pread(descriptor_, bytes.data() + got, size - got, static_cast<off_t>(at + got));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += static_cast<std::size_t>(n);
    }
    bytes.resize(got);
    return bytes;
}

void PlainFile::write(std::string_view bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t n =
            is_stream_ ? ::write(descriptor_, bytes.data(), bytes.size())
                       : ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw cannot_write(path_, std::strerror(errno));
        bytes.remove_prefix(static_cast<std::size_t>(n));
        at += static_cast<std::uint64_t>(n);
    }
}

void PlainFile::resize(std::uint64_t size) {
    if (!is_stream_ && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
        throw cannot_write(path_, std::strerror(errno));
}

std::uint64_t PlainFile::size() const {
    const auto size = ::lseek(descriptor_, 0, SEEK_END);
    return size < 0 ? 0 : static_cast<std::uint64_t>(size);
}

void PlainFile::close() {
    if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0)
        throw cannot_write(path_, std::strerror(errno));
}

}  // namespace lacon::table
