// Assigns curves to panels in order, each to the first that fits. Axes get 4 % of room, and enough
// digits to tell their ticks apart.
#include "picture/panels.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline picture {

namespace {

constexpr double largest = 1e300, smallest = 1e-300;
constexpr double spare = 0.04;
// Width relative to size below which an axis could not label its ticks.
constexpr double constant = 1e-9;

bool fit(const Extent& a, const Extent& b) {
    if (a.kind != b.kind) return false;
    if (a.logarithmic || b.logarithmic) return a.logarithmic == b.logarithmic;
    const double least = std::min(a.size(), b.size()), most = std::max(a.size(), b.size());
    return least <= smallest ||
           most <= panel_factor * least;  // what is zero throughout fits everywhere
}

}  // namespace

bool drawable(double value) {
    return std::abs(value) <= largest;
}

void Extent::add(double value) {
    if (!drawable(value) || (logarithmic && !(value > 0.0))) return;
    low = empty ? value : std::min(low, value);
    high = empty ? value : std::max(high, value);
    empty = false;
}

void Extent::add(const Extent& other) {
    if (other.empty) return;
    add(other.low);
    add(other.high);
}

Extent extent_of(std::span<const double> values, bool logarithmic) {
    Extent extent;
    extent.logarithmic = logarithmic;
    for (const double value : values) extent.add(value);
    return extent;
}

std::vector<std::vector<std::size_t>> panels_of(std::span<const Extent> curves) {
    std::vector<std::vector<std::size_t>> panels;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const auto has_room = [&](const std::vector<std::size_t>& panel) {
            return panel.size() < curves_per_panel &&
                   std::all_of(panel.begin(), panel.end(),
                               [&](std::size_t k) { return fit(curves[i], curves[k]); });
        };
        const auto panel = std::find_if(panels.begin(), panels.end(), has_room);
        if (panel == panels.end()) panels.push_back({i});
        else panel->push_back(i);
    }
    return panels;
}

namespace {

Axis logarithmic_axis(const Extent& extent) {
    Axis axis;
    axis.logarithmic = true;
    const double decades = std::log10(extent.high / extent.low);
    const double beyond = std::pow(10.0, decades < 1.0 ? 0.5 * (1.0 - decades) : spare * decades);
    axis.low = extent.low / beyond;
    axis.high = extent.high * beyond;
    return axis;
}

}  // namespace

Axis axis_of(const Extent& extent) {
    if (extent.logarithmic) return logarithmic_axis(extent);
    const double size = extent.size(), width = extent.width();
    Axis axis;
    if (width <= constant * size || width <= smallest) {
        const double middle = extent.low + width / 2, half = size <= smallest ? 1.0 : 0.1 * size;
        axis.low = middle - half;
        axis.high = middle + half;
        return axis;
    }
    axis.low = extent.low - spare * width;
    axis.high = extent.high + spare * width;
    axis.digits = std::max(axis.digits, 3 + static_cast<int>(std::ceil(std::log10(size / width))));
    return axis;
}

}  // namespace lacon::picture
