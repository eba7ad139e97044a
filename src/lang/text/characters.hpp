// Which characters the language accepts, and advice on those it does not.
#pragma once

#include <string>

#include "base/text.hpp"

namespace lacon::lang {

bool is_digit(char32_t code);
/// Letters that may begin a name: Latin, Greek, Cyrillic and `_`.
bool is_name_start(char32_t code);
bool is_name_part(char32_t code);
/// What an editor would not show: control characters other than tab and line feed.
bool is_control(char32_t code);

/// At most about 60 bytes of a word, for a message; cut between characters.
std::string shortened(std::string_view word);

/// Why a character cannot stand in a model, and what to write instead.
struct Advice {
    std::string message, hint;
};
Advice advice_on(Character character, std::string_view text);

}  // namespace lacon::lang
