// The layout of texts for people that several commands share.
#pragma once

#include <fmt/format.h>

#include <string>

namespace lacon::app {

/// A line of a summary: what it is about, and the rest.
inline std::string line(const std::string& label, const std::string& text) {
    return fmt::format("  {:<12}{}\n", label, text);
}

/// Of a table: the most rows that are shown, as --json has all of them.
inline constexpr std::size_t most_lines = 60;

inline std::string rest_of(std::size_t count, std::size_t shown = most_lines) {
    return count > shown ? fmt::format("... and {} more (--json lists all)\n", count - shown) : "";
}

}  // namespace lacon::app
