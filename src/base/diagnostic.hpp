// Errors and warnings about the user's text, each with its place and a hint, and how they are
// printed with the source line and a caret.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.hpp"

namespace lacon::inline base {

/// What is wrong (or odd) in a text, and where. The message is a whole sentence without a final
/// stop; the hint may be empty.
struct Diagnostic {
    enum class Severity { error, warning };
    Severity severity = Severity::error;
    Span span;
    std::string message;
    std::string hint;
    /// The text that `span` is a place in, where it is not the one that is read: an imported file.
    std::shared_ptr<const SourceText> file;
};

/// A stretch of a text that was made from a place in a file.
struct MadeFrom {
    Span made;
    std::shared_ptr<const SourceText> file;
    Span place;
};

/// Collects diagnostics about one text, with very long names in them cut. Only the first at a place
/// is kept: later ones are mostly its echo.
class Diagnostics {
public:
    void error(Span span, std::string_view message, std::string_view hint = {});
    void warning(Span span, std::string_view message, std::string_view hint = {});
    /// About another file than the text itself.
    void add(Diagnostic diagnostic) { keep(std::move(diagnostic)); }
    /// From now on what is wrong with such a stretch is reported at the place it was made from. The
    /// stretches follow each other, also from call to call.
    void add_origins(const std::vector<MadeFrom>& origins);
    /// "line 3" of the text, or "line 3 of 'file'" where it was made from that.
    std::string line_text(std::uint32_t place, const SourceText& source) const;

    bool has_errors() const { return errors_ > 0; }
    std::size_t error_count() const { return errors_; }
    const std::vector<Diagnostic>& all() const { return all_; }
    /// In the order of their places.
    std::vector<Diagnostic> sorted() const;

private:
    void keep(Diagnostic diagnostic);
    const MadeFrom* origin_of(std::uint32_t place) const;

    std::vector<Diagnostic> all_;
    std::vector<MadeFrom> origins_;
    std::size_t errors_ = 0;
};

/// `file:line:column: error: message`, the source line (a window of it where it is long), a caret
/// below the place, the hint. `source` is the text that was read.
std::string render(const Diagnostic& diagnostic, const SourceText& source);

/// All of them in the order of their places, at most `limit`, then a count of the rest.
std::string render(const Diagnostics& diagnostics, const SourceText& source,
                   std::size_t limit = 20);

}  // namespace lacon::base
