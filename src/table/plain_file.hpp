// A file on disk, read and written at byte positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "table/formats.hpp"

namespace lacon::inline table {

/// A file by its descriptor: bytes at places. What fails throws TableError with the reason of the
/// system.
class PlainFile {
public:
    PlainFile() = default;
    /// `flags` as of open(2); `refuse` makes the error where it cannot be opened.
    PlainFile(const std::string& path, int flags,
              TableError (*refuse)(const std::string&, std::string_view));
    PlainFile(PlainFile&& other) noexcept
        : path_(std::move(other.path_)),
          descriptor_(std::exchange(other.descriptor_, -1)),
          is_stream_(other.is_stream_) {}
    PlainFile& operator=(PlainFile&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(descriptor_, other.descriptor_);
        std::swap(is_stream_, other.is_stream_);
        return *this;
    }
    ~PlainFile();
    /// Standard output: bytes go one after the other, wherever they are meant to be, and nothing
    /// can be cut off.
    static PlainFile standard_output();

    bool is_open() const { return descriptor_ >= 0; }
    /// `size` bytes at `at`; fewer where the file ends or cannot be read.
    std::string read(std::size_t size, std::uint64_t at) const;
    void write(std::string_view bytes, std::uint64_t at);
    /// Cuts the file to this size, or lengthens it by zeros.
    void resize(std::uint64_t size);
    std::uint64_t size() const;
    void close();

private:
    std::string path_;
    int descriptor_ = -1;
    bool is_stream_ = false;
};

}  // namespace lacon::table
