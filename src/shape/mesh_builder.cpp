// Merges equal points by a hash of their coordinates.
#include "shape/mesh_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace lacon::shape {

std::size_t MeshBuilder::Hash::operator()(const Point& p) const {
    std::uint64_t hash = 0;
    for (const double x : p)
        hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u + (hash >> 29);
    return hash ^ (hash >> 32);
}

std::uint32_t MeshBuilder::point(Point p, std::string_view place) {
    for (double& x : p) {
        if (!std::isfinite(x))
            throw MeshError(
                fmt::format("'{}' {}: a coordinate is not a finite number", result_.file, place));
        x += 0.0;  // −0 becomes 0
    }
    const auto [found, is_new] =
        known_.try_emplace(p, static_cast<std::uint32_t>(result_.points.size()));
    if (is_new) result_.points.push_back(p);
    return found->second;
}

void MeshBuilder::triangle(const Triangle& t) {
    if (result_.triangles.size() == most_triangles)
        throw MeshError(fmt::format("'{}' has too many triangles: at most {} are read",
                                    result_.file, most_triangles));
    result_.triangles.push_back(t);
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::string_view take_word(std::string_view& line) {
    constexpr std::string_view blank = " \t\r\v\f";
    line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
    const std::size_t end = std::min(line.find_first_of(blank), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

std::optional<double> number_of(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0.0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ptr != word.data() + word.size() || word.empty()) return std::nullopt;
    if (read.ec == std::errc::result_out_of_range) {
        const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
        return tiny ? 0.0 : INFINITY;
    }
    return value;
}

}  // namespace lacon::shape
