// Tables of letters that names may contain, and of characters that come from pasted text, with what
// to write instead.
#include "lang/text/characters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lacon::lang {

namespace {

struct Lookalike {
    char32_t code;
    std::string_view hint;
};

/// Characters that come with a paste from a book or a page, and what they stand for.
constexpr std::array lookalikes = {
    Lookalike{U'−', "write the minus sign as '-'"},
    Lookalike{U'–', "write the minus sign as '-'"},
    Lookalike{U'—', "write the minus sign as '-'"},
    Lookalike{U'·', "write a product with '*'"},
    Lookalike{U'⋅', "write a product with '*'"},
    Lookalike{U'×', "write a product with '*'"},
    Lookalike{U'÷', "write a quotient with '/'"},
    Lookalike{U'“', "write texts in straight quotes: \"...\""},
    Lookalike{U'”', "write texts in straight quotes: \"...\""},
    Lookalike{U'„', "write texts in straight quotes: \"...\""},
    Lookalike{U'«', "write texts in straight quotes: \"...\""},
    Lookalike{U'»', "write texts in straight quotes: \"...\""},
    Lookalike{U'’', "write the prime of a derivative as '"},
    Lookalike{U'‘', "write the prime of a derivative as '"},
    Lookalike{U'′', "write the prime of a derivative as '"},
    Lookalike{U'″', "write the primes of a derivative as ''"},
    Lookalike{U'´', "write the prime of a derivative as '"},
    Lookalike{U'`', "write the prime of a derivative as '"},
    Lookalike{U'²', "write powers with '^': x^2"},
    Lookalike{U'³', "write powers with '^': x^3"},
    Lookalike{U'√', "write a square root as sqrt(...)"},
    Lookalike{U'≤', "write '<='"},
    Lookalike{U'≥', "write '>='"},
    Lookalike{U'≠', "write '!='"},
    Lookalike{U'≈', "write a guess with '~'"},
    Lookalike{U'…', "write a range as 1..3"},
    Lookalike{U';', "end a statement with the line, not with a sign"},
    Lookalike{U'\u037E', "this is a Greek question mark; end a statement with the line"},
    Lookalike{U'{', "group with round brackets: ( )"},
    Lookalike{U'}', "group with round brackets: ( )"},
    Lookalike{U'$', "write names and formulas as they are, without LaTeX"},
    Lookalike{U'\\', "write names and formulas as they are, without LaTeX"},
    Lookalike{U'%', "a comment starts with '#'"},
    Lookalike{U'&', "write 'and'"},
    Lookalike{U'|', "write 'or', or abs(x) for an absolute value"},
    Lookalike{U'!', "write 'not', or '!=' for unequal"},
    Lookalike{U'\u0307', "write a time derivative with a prime: x'"},
    Lookalike{U'\u0308', "write the second time derivative with two primes: x''"},
    Lookalike{U'\u00A0', "this is a non-breaking space; replace it by an ordinary one"},
    Lookalike{U'\u200B', "this is an invisible space; delete it"},
    Lookalike{U'\uFEFF', "this is an invisible byte-order mark; delete it"},
};

struct Letters {
    char32_t first, last;
};

constexpr std::array letters = {
    Letters{U'A', U'Z'},     Letters{U'a', U'z'},
    Letters{U'_', U'_'},     Letters{0xAA, 0xAA},
    Letters{0xB5, 0xB5},     Letters{0xBA, 0xBA},
    Letters{0xC0, 0xD6},     Letters{0xD8, 0xF6},
    Letters{0xF8, 0x2AF},  // Latin
    Letters{0x370, 0x373},   Letters{0x376, 0x377},
    Letters{0x37B, 0x37D},   Letters{0x37F, 0x37F},
    Letters{0x386, 0x386},   Letters{0x388, 0x3F5},
    Letters{0x3F7, 0x3FF},                           // Greek
    Letters{0x400, 0x481},   Letters{0x48A, 0x52F},  // Cyrillic
    Letters{0x1E00, 0x1EFF}, Letters{0x1F00, 0x1FBC},
    Letters{0x2113, 0x2113},  // more Latin and Greek, ℓ
};

bool is_subscript(char32_t code) {
    return code >= 0x2080 && code <= 0x2089;
}

}  // namespace

bool is_digit(char32_t code) {
    return code >= U'0' && code <= U'9';
}

bool is_name_start(char32_t code) {
    return std::any_of(letters.begin(), letters.end(),
                       [&](Letters set) { return set.first <= code && code <= set.last; });
}

bool is_name_part(char32_t code) {
    return is_digit(code) || is_name_start(code);
}

bool is_control(char32_t code) {
    return (code < 0x20 && code != U'\t' && code != U'\n') || (code >= 0x7F && code < 0xA0);
}

std::string shortened(std::string_view word) {
    constexpr std::size_t limit = 60;
    if (word.size() <= limit) return std::string(word);
    std::size_t end = 0;
    while (end < limit) end += read_character(word, end).length;
    return fmt::format("{}...", word.substr(0, end));
}

Advice advice_on(Character character, std::string_view text) {
    if (!character.valid) return {"the text is not valid UTF-8 here", "save the file as UTF-8"};
    if (is_control(character.code))
        return {fmt::format("a control character (code {}) is not allowed in a model",
                            static_cast<unsigned>(character.code)),
                "delete it; is this a text file?"};
    std::string hint;
    for (const Lookalike& known : lookalikes)
        if (known.code == character.code) hint = known.hint;
    if (is_subscript(character.code))
        hint = "write a subscript as part of the name (x_1, x1) or as an index (x[1])";
    const bool invisible =
        character.code == 0xA0 || character.code == 0x200B || character.code == 0xFEFF;
    const bool combining = character.code >= 0x300 && character.code < 0x370;
    if (invisible || combining)
        return {fmt::format("the character U+{:04X} is not allowed in a model",
                            static_cast<unsigned>(character.code)),
                hint};
    return {fmt::format("the character '{}' is not allowed in a model", text), hint};
}

}  // namespace lacon::lang
