// Replaces a file by writing a temporary file beside it and renaming that over the old one. Special
// files (devices, pipes) are written in place.
#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace lacon::inline base {

namespace {

namespace fs = std::filesystem;

FileError cannot_write(const std::string& path, int reason) {
    return FileError(fmt::format("cannot write '{}': {}", path, std::strerror(reason)));
}

/// All of the text; 0, or the system's reason.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

int write_and_close(int descriptor, std::string_view text) {
    const int problem = write_all(descriptor, text);
    const int closing = ::close(descriptor) == 0 ? 0 : errno;
    return problem != 0 ? problem : closing;
}

/// Where links lead, also to what is not there yet.
std::string target_of(const std::string& path) {
    fs::path target = path;
    std::error_code problem;
    constexpr int most_links = 40;  // as the system
    for (int i = 0; i < most_links && fs::is_symlink(target, problem); ++i) {
        const fs::path next = fs::read_symlink(target, problem);
        if (problem) break;
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    return target.string();
}

/// The rights of the file that is replaced; those of any new file where none is.
mode_t rights_for(const std::string& target) {
    struct stat old {};
    if (::stat(target.c_str(), &old) == 0) return old.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

bool is_special(const std::string& target) {
    struct stat there {};
    return ::stat(target.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
    struct stat one {
    }, two{};
    const bool is_one = ::stat(a.c_str(), &one) == 0, is_two = ::stat(b.c_str(), &two) == 0;
    if (is_one != is_two) return false;
    if (is_one) return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
    std::error_code problem;
    const auto place = [&](const std::string& path) {
        return fs::weakly_canonical(fs::absolute(target_of(path)), problem);
    };
    return place(a) == place(b) && !problem;
}

void replace_file(const std::string& path, std::string_view text) {
    const std::string target = target_of(path);
    if (is_special(target)) {
        const int descriptor = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) throw cannot_write(path, errno);
        if (const int problem = write_and_close(descriptor, text))
            throw cannot_write(path, problem);
        return;
    }
    std::string beside = target + ".XXXXXX";
    const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
    if (descriptor < 0) throw cannot_write(path, errno);
    ::fchmod(descriptor, rights_for(target));
    int problem = write_and_close(descriptor, text);
    if (problem == 0 && std::rename(beside.c_str(), target.c_str()) != 0) problem = errno;
    if (problem == 0) return;
    std::remove(beside.c_str());
    throw cannot_write(path, problem);
}

void check_replaceable(const std::string& path) {
    const std::string target = target_of(path);
    const fs::path parent = fs::path(target).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    struct stat there {};
    if (::stat(target.c_str(), &there) == 0 && S_ISDIR(there.st_mode))
        throw cannot_write(path, EISDIR);
    if (is_special(target) ? ::access(target.c_str(), W_OK) != 0
                           : ::access(folder.c_str(), W_OK | X_OK) != 0)
        throw cannot_write(path, errno);
    if (!fs::is_directory(folder)) throw cannot_write(path, ENOTDIR);
}

}  // namespace lacon::base
