// Small things about numbers that every room needs.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace lacon::inline base {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest |x_i|; 0 of none.
inline double largest(std::span<const double> x) {
    double size = 0.0;
    for (const double xi : x) size = std::max(size, std::abs(xi));
    return size;
}

}  // namespace lacon::base
