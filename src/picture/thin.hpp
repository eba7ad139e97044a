// Reduces the points of a curve without changing how it looks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "picture/panels.hpp"

/// Fewer points for the same picture.
namespace lacon::inline picture {

constexpr std::size_t points_per_curve = 4000;  // over an x that never falls
constexpr std::size_t points_per_path = 20000;  // else

/// A curve as pieces without gaps; a gap is an x or y that cannot be drawn.
struct Point {
    double x = 0.0, y = 0.0;

    bool operator==(const Point&) const = default;
};
using Piece = std::vector<Point>;

/// The curve with at most some `points_per_curve` points. Where x never falls, each of 1,000
/// columns of the picture keeps its first, lowest, highest and last point of each piece, which
/// draws the same pixels: no spike is lost. Else (phase portraits, paths) points are left out that
/// lie nearer than half a pixel to the last one kept, or twice that, and so on, until
/// `points_per_path` are enough.
std::vector<Piece> thinned(std::span<const double> x, std::span<const double> y);

}  // namespace lacon::picture
