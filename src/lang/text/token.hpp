// Tokens of the language, and the lexer's interface.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/source.hpp"

namespace lacon::lang {

enum class TokenKind : std::uint8_t {
    number,
    name,
    text,
    plus,
    minus,
    times,
    divide,
    power,
    prime,
    open,
    close,
    open_index,
    close_index,
    comma,
    colon,
    assign,
    guess,
    dot,
    range,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    bad,      // already reported: whoever meets it fails without a word
    newline,  // the end of a statement
    end,
};

/// What the parser found a token to be, where its kind does not tell: the formatter spaces by it.
enum class Role : std::uint8_t {
    plain,
    word,    // a keyword or modifier: a space on both sides
    prefix,  // a sign before an operand: no space after it
    /// No space on either side it touches: the bracket of a call or an index, signs within an index
    /// or a range.
    tight,
};

struct Token {
    Span span;
    TokenKind kind = TokenKind::end;
    Role role = Role::plain;
};

/// A text in tokens; `tokens` ends in a newline and an end. Comments (from `#` to the last visible
/// character) stand apart.
struct Tokens {
    std::vector<Token> tokens;
    std::vector<Span> comments;
};

bool is_comparison(TokenKind kind);

/// Never fails: what is no token is reported and leaves a `bad` one.
Tokens lex(const SourceText& source, Diagnostics& diagnostics);

}  // namespace lacon::lang
