// The text of a source file, and how a byte offset becomes a line and a column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lacon::inline base {

/// A part of a source text, in bytes: [begin, end).
struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

/// A place as a person counts it: both from 1, columns in characters (not bytes).
struct Place {
    std::size_t line = 1;
    std::size_t column = 1;
};

/// A text with the name it is reported under. Built once; finds places in time logarithmic in the
/// number of lines.
class SourceText {
public:
    SourceText() = default;
    SourceText(std::string name, std::string text);

    const std::string& name() const { return name_; }
    std::string_view text() const { return text_; }
    std::string_view text(Span span) const;

    Place place(std::size_t offset) const;
    /// Line `number` (from 1) without its line end.
    std::string_view line(std::size_t number) const;
    std::size_t line_begin(std::size_t number) const { return line_begins_[number - 1]; }
    std::size_t line_count() const { return line_begins_.size(); }

private:
    std::string name_;
    std::string text_;
    std::vector<std::size_t> line_begins_{0};
};

}  // namespace lacon::base
