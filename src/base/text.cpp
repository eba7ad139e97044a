// UTF-8 is decoded by hand and strictly: overlong forms and surrogates are invalid. nearest_name
// uses the optimal string alignment distance, with a limit that depends on the length of the name.
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace lacon::inline base {

Character read_character(std::string_view text, std::size_t offset) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(offset);
    if (lead < 0x80) return {lead, 1, true};
    const std::size_t length = lead >= 0xF0 && lead < 0xF5 ? 4
                               : lead >= 0xE0              ? 3
                               : lead >= 0xC2              ? 2
                                                           : 0;
    if (length == 0 || lead >= 0xF5 || offset + length > text.size()) return {0, 1, false};
    char32_t code = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(offset + i) & 0xC0) != 0x80) return {0, 1, false};
        code = (code << 6) | (byte(offset + i) & 0x3Fu);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (overlong || surrogate || code > 0x10FFFF) return {0, 1, false};
    return {code, length, true};
}

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++count) i += read_character(text, i).length;
    return count;
}

std::string shortest(double value) {
    if (value != value) return "nan";
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end.ptr};
}

std::string rounded(double value, int digits) {
    if (value != value) return "nan";  // its sign tells nothing
    return fmt::format("{:.{}g}", value == 0 ? 0.0 : value, digits);
}

std::string quoted_list(std::span<const std::string> names, std::size_t limit) {
    std::string list;
    const std::size_t shown = names.size() > limit ? limit : names.size();
    for (std::size_t i = 0; i < shown; ++i) {
        const bool last = i + 1 == names.size();
        list += fmt::format("{}'{}'", i == 0 ? "" : last ? " and " : ", ", names[i]);
    }
    if (shown < names.size()) list += fmt::format(" and {} more", names.size() - shown);
    return list;
}

std::string with_short_names(std::string_view text) {
    constexpr std::size_t longest = 80, kept = 60;
    const auto is_name_byte = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
    };
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin;
        while (end < text.size() && is_name_byte(text[end])) ++end;
        const std::string_view name = text.substr(begin, end - begin);
        if (name.size() <= longest || count_characters(name) <= longest) {
            result += name;
        } else {
            std::size_t cut = 0;
            for (std::size_t i = 0; i < kept; ++i) cut += read_character(name, cut).length;
            result += name.substr(0, cut);
            result += "...";
        }
        if (end < text.size()) result += text[end];
        begin = end + 1;
    }
    return result;
}

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

namespace {

/// Optimal string alignment distance, given up (as `limit + 1`) beyond `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t longer = std::max(a.size(), b.size());
    if (longer - std::min(a.size(), b.size()) > limit) return limit + 1;
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min(
                {last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(now);
    }
    return last[b.size()];
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
    if (name.size() > 100) return std::nullopt;
    const std::size_t limit = name.size() <= 3 ? 1 : name.size() <= 5 ? 2 : 3;
    std::optional<std::string> best;
    std::size_t best_distance = limit + 1;
    for (const std::string& candidate : candidates) {
        if (equal_but_for_case(name, candidate)) return candidate;
        const std::size_t distance = edit_distance(name, candidate, limit);
        if (distance >= best_distance ||
            distance >= std::max<std::size_t>(name.size(), candidate.size()))
            continue;
        best_distance = distance;
        best = candidate;
    }
    return best;
}

}  // namespace lacon::base
