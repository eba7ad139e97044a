// Finds line and column of a byte offset by binary search in a list of line starts.
#include "base/source.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace lacon::inline base {

SourceText::SourceText(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n') line_begins_.push_back(i + 1);
}

std::string_view SourceText::text(Span span) const {
    const std::size_t begin = std::min<std::size_t>(span.begin, text_.size());
    const std::size_t end = std::clamp<std::size_t>(span.end, begin, text_.size());
    return std::string_view(text_).substr(begin, end - begin);
}

Place SourceText::place(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
    const std::size_t line = static_cast<std::size_t>(next - line_begins_.begin());
    const std::size_t begin = line_begins_[line - 1];
    return {line, 1 + count_characters(std::string_view(text_).substr(begin, offset - begin))};
}

std::string_view SourceText::line(std::size_t number) const {
    const std::size_t begin = line_begins_[number - 1];
    std::size_t end = number < line_begins_.size() ? line_begins_[number] - 1 : text_.size();
    if (end > begin && text_[end - 1] == '\r') --end;
    return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace lacon::base
