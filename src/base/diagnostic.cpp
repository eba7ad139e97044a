// Collects diagnostics and renders them for a terminal. Later diagnostics at the same place are
// dropped, at most 1000 are kept, and control characters of the source line are shown as '?'.
#include "base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace lacon::inline base {

namespace {

// Bytes of a long source line that are shown around the caret.
constexpr std::size_t line_window = 160;

/// Start of a character at or after `offset`.
std::size_t character_boundary(std::string_view text, std::size_t offset) {
    while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80)
        ++offset;
    return std::min(offset, text.size());
}

/// The text with what a terminal would act on replaced, one character for one.
std::string printable(std::string_view text) {
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
        const Character c = read_character(text, i);
        const bool control = c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0);
        if (c.valid && c.code == '\t') shown += ' ';
        else if (!c.valid || control) shown += '?';
        else shown += text.substr(i, c.length);
        i += c.length;
    }
    return shown;
}

}  // namespace

void Diagnostics::error(Span span, std::string_view message, std::string_view hint) {
    keep({Diagnostic::Severity::error, span, std::string(message), std::string(hint), {}});
}

void Diagnostics::warning(Span span, std::string_view message, std::string_view hint) {
    keep({Diagnostic::Severity::warning, span, std::string(message), std::string(hint), {}});
}

void Diagnostics::add_origins(const std::vector<MadeFrom>& origins) {
    origins_.insert(origins_.end(), origins.begin(), origins.end());
}

const MadeFrom* Diagnostics::origin_of(std::uint32_t place) const {
    const auto after = std::upper_bound(
        origins_.begin(), origins_.end(), place,
        [](std::uint32_t at, const MadeFrom& origin) { return at < origin.made.begin; });
    const bool within = after != origins_.begin() && place <= (after - 1)->made.end;
    return within ? &*(after - 1) : nullptr;
}

std::string Diagnostics::line_text(std::uint32_t place, const SourceText& source) const {
    if (const MadeFrom* origin = origin_of(place))
        return fmt::format("line {} of '{}'", origin->file->place(origin->place.begin).line,
                           origin->file->name());
    return fmt::format("line {}", source.place(place).line);
}

void Diagnostics::keep(Diagnostic diagnostic) {
    diagnostic.message = with_short_names(diagnostic.message);
    diagnostic.hint = with_short_names(diagnostic.hint);
    if (const MadeFrom* origin = origin_of(diagnostic.span.begin); origin && !diagnostic.file) {
        diagnostic.file = origin->file;
        diagnostic.span = origin->place;
    }
    const auto same_place = [&](const Diagnostic& other) {
        return other.span.begin == diagnostic.span.begin && other.severity == diagnostic.severity &&
               other.file == diagnostic.file;
    };
    if (std::any_of(all_.begin(), all_.end(), same_place)) return;
    if (diagnostic.severity == Diagnostic::Severity::error) ++errors_;
    if (all_.size() < 1000) all_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
    std::vector<Diagnostic> list = all_;
    std::stable_sort(list.begin(), list.end(), [](const Diagnostic& a, const Diagnostic& b) {
        const auto name = [](const Diagnostic& d) { return d.file ? d.file->name() : ""; };
        if (a.file != b.file) return name(a) < name(b);
        return a.span.begin < b.span.begin;
    });
    return list;
}

std::string render(const Diagnostic& diagnostic, const SourceText& read) {
    const SourceText& source = diagnostic.file ? *diagnostic.file : read;
    const Place place = source.place(diagnostic.span.begin);
    const bool error = diagnostic.severity == Diagnostic::Severity::error;
    std::string text = fmt::format("{}:{}:{}: {}: {}\n", source.name(), place.line, place.column,
                                   error ? "error" : "warning", diagnostic.message);

    const std::string_view line = source.line(place.line);
    const std::size_t at =
        std::min<std::size_t>(diagnostic.span.begin - source.line_begin(place.line), line.size());
    std::size_t first = 0, last = line.size();
    if (line.size() > line_window) {
        first = character_boundary(line, at > line_window / 2 ? at - line_window / 2 : 0);
        last = character_boundary(line, first + line_window);
    }
    const std::string_view before = first > 0 ? "..." : "";
    const std::string_view after = last < line.size() ? "..." : "";
    const std::size_t indent = before.size() + count_characters(line.substr(first, at - first));
    const std::size_t stop =
        std::min<std::size_t>(at + (diagnostic.span.end - diagnostic.span.begin), last);
    const std::size_t width = stop > at ? count_characters(line.substr(at, stop - at)) : 1;
    text += fmt::format("  {}{}{}\n", before, printable(line.substr(first, last - first)), after);
    text += fmt::format("  {}^{}\n", std::string(indent, ' '),
                        std::string(width > 1 ? width - 1 : 0, '~'));
    if (!diagnostic.hint.empty()) text += fmt::format("  hint: {}\n", diagnostic.hint);
    return text;
}

std::string render(const Diagnostics& diagnostics, const SourceText& source, std::size_t limit) {
    std::vector<Diagnostic> sorted = diagnostics.sorted();
    std::string text;
    if (sorted.size() > limit)  // warnings must not hide why a text is refused
        std::stable_partition(sorted.begin(), sorted.end(), [](const Diagnostic& d) {
            return d.severity == Diagnostic::Severity::error;
        });
    for (std::size_t i = 0; i < std::min(limit, sorted.size()); ++i)
        text += render(sorted[i], source);
    if (sorted.size() > limit)
        text += fmt::format("{}: {} more not shown\n", source.name(), sorted.size() - limit);
    return text;
}

}  // namespace lacon::base
