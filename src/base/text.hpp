// UTF-8 characters, numbers and lists of names as text, and the "did you mean" search.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacon::inline base {

/// One character read from UTF-8: its code point and length in bytes. A byte that starts no valid
/// character gives length 1 and `valid = false`.
struct Character {
    char32_t code = 0;
    std::size_t length = 1;
    bool valid = true;
};
Character read_character(std::string_view text, std::size_t offset);

/// Characters of a UTF-8 text (invalid bytes count one each).
std::size_t count_characters(std::string_view text);

/// The shortest decimal text that reads back as the same double ("0.1", "1e-09", "3").
std::string shortest(double value);

/// A number for people: at most `digits` significant digits.
std::string rounded(double value, int digits = 6);

/// "a", "a and b", "a, b and c"; each quoted as 'a'. Beyond `limit` names the rest is counted.
std::string quoted_list(std::span<const std::string> names, std::size_t limit = 8);

/// A text with the names of more than 80 characters in it cut to 60 and "...": for messages, which
/// no one would read otherwise.
std::string with_short_names(std::string_view text);

/// "1 constraint", "2 constraints".
std::string counted(std::size_t count, std::string_view noun);

/// The candidate nearest to `name` by edits (insert, delete, replace, swap), where near enough to
/// be a likely slip.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);

}  // namespace lacon::base
