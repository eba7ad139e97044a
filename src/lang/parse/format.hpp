// Canonical spacing of model text: of a whole file, or of one expression.
#pragma once

#include <string>

#include "lang/parse/syntax.hpp"

namespace lacon::lang {

/// Tokens that are to be shown as another text.
struct Replacement {
    TokenRange tokens;
    std::string text;
};

/// A part of a text in canonical spacing, on one line. Replacements stand in the order of their
/// places.
std::string canonical_text(const Syntax& syntax, TokenRange range,
                           std::span<const Replacement> replacements = {});

/// The whole text in canonical form. It must have no errors of syntax.
std::string formatted(const Syntax& syntax);

}  // namespace lacon::lang
