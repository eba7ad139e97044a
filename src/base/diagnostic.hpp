// Errors and warnings about the user's text, each with its place and a hint, and how they are
// printed with the source line and a caret.
#pragma once

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
};

/// Collects diagnostics about one text, with very long names in them cut. Only the first at a place
/// is kept: later ones are mostly its echo.
class Diagnostics {
public:
    void error(Span span, std::string_view message, std::string_view hint = {});
    void warning(Span span, std::string_view message, std::string_view hint = {});

    bool has_errors() const { return errors_ > 0; }
    std::size_t error_count() const { return errors_; }
    const std::vector<Diagnostic>& all() const { return all_; }
    /// In the order of their places.
    std::vector<Diagnostic> sorted() const;

private:
    void keep(Diagnostic diagnostic);

    std::vector<Diagnostic> all_;
    std::size_t errors_ = 0;
};

/// `file:line:column: error: message`, the source line (a window of it where it is long), a caret
/// below the place, the hint.
std::string render(const Diagnostic& diagnostic, const SourceText& source);

/// All of them in the order of their places, at most `limit`, then a count of the rest.
std::string render(const Diagnostics& diagnostics, const SourceText& source,
                   std::size_t limit = 20);

}  // namespace lacon::base
