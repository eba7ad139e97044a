// Which curves share a panel, and the ranges of the axes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// How curves are spread over panels. One rule: a curve joins the first panel that has room (6
/// curves) and whose curves are all within a factor of 30 of its own size, the largest |y|; else it
/// opens a new panel. So 3 coordinates of one size share a panel, and an energy of 1000 or a
/// residual of 1e-14 gets its own. Curves on a logarithmic axis share panels with their like only,
/// whatever their size; and curves of different kinds (coordinates, efforts) never share one.
namespace lacon::inline picture {

constexpr std::size_t curves_per_panel = 6;
constexpr std::size_t most_curves = 48;
constexpr double panel_factor = 30.0;

struct Range {
    double low = 0.0, high = 0.0;

    double width() const { return high - low; }
    /// The largest |value|.
    double size() const { return high > -low ? high : -low; }
};

/// Whether a value can be drawn: finite, and not so large that ranges overflow.
bool drawable(double value);

/// Least and largest of the drawable values; `empty` if there are none.
struct Extent : Range {
    bool empty = true;
    bool logarithmic = false;  // of the positive values, for a logarithmic axis
    int kind = 0;

    void add(double value);
    void add(const Extent& other);
};
Extent extent_of(std::span<const double> values, bool logarithmic = false);

/// The panels, each a list of curves by their number; the curves keep their order.
std::vector<std::vector<std::size_t>> panels_of(std::span<const Extent> curves);

/// An axis for these values with 4 % to spare. What is constant, or so up to rounding, is drawn as
/// a line in the middle; on a logarithmic axis, what spans less than a decade.
struct Axis : Range {
    int digits = 6;  // significant ones that tell its ticks apart
    bool logarithmic = false;
};
Axis axis_of(const Extent& extent);

}  // namespace lacon::picture
