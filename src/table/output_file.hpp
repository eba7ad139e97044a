// The growing text file behind the CSV and JSON writers.
#pragma once

#include <optional>

#include "table/plain_file.hpp"

namespace lacon::inline table {

/// A text file that grows by rows and always ends in a `tail`. Text is gathered in
/// `pending`; `write` hands it over in one call, tail included, so that the file on disk is whole
/// between any two of them. Throws TableError.
class OutputFile {
public:
    /// Makes the file anew with `head` and `tail`; or, with `resume`, cuts it back there after
    /// seeing that it begins with `head`.
    OutputFile(const std::string& path, const std::string& head, std::string_view tail,
               std::optional<Resume> resume);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    std::string pending;  // rows to write

    void write();
    void write_if_large() {
        if (pending.size() >= large) write();
    }
    /// Another tail from now on.
    void end_with(std::string tail);
    void close();
    /// Where the text ends, tail not counted: bytes.
    std::uint64_t position() const { return body_ + pending.size(); }

private:
    static constexpr std::size_t large = std::size_t{1} << 20;

    void cut_back();
    void check_resume(const std::string& head, Resume resume) const;

    std::string path_;
    std::string tail_;
    std::uint64_t body_ = 0;  // bytes on disk, tail not counted
    PlainFile file_;
};

}  // namespace lacon::table
