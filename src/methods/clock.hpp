// Time and output grid without accumulated rounding.
#pragma once

#include <cmath>
#include <cstdint>

namespace lacon::inline methods {

/// Time as an unevaluated sum of two doubles: after 1e9 steps of 1e-3 it is still right to the last
/// digit.
struct Clock {
    double hi = 0.0, lo = 0.0;

    double now() const { return hi; }
    /// This time plus h.
    Clock after(double h) const {
        const double sum = hi + h;
        const double carried = sum - hi;
        const double rest = (hi - (sum - carried)) + (h - carried) + lo;
        const double total = sum + rest;
        return {total, rest - (total - sum)};
    }
    /// From `earlier` to this time.
    double since(const Clock& earlier) const { return (hi - earlier.hi) + (lo - earlier.lo); }
};

/// The times of rows: begin + i·every, the last one at the end.
struct Grid {
    double begin = 0.0, end = 0.0, every = 0.0;
};
inline Clock grid_time(const Grid& grid, std::uint64_t i) {
    const double number = static_cast<double>(i), product = number * grid.every;
    const Clock time = Clock{grid.begin, std::fma(number, grid.every, -product)}.after(product);
    // The last row of the grid may fall beside the end by rounding; 1e-9 of the spacing is far more
    // than that, and no row by itself.
    return time.now() > grid.end - 1e-9 * grid.every ? Clock{grid.end, 0.0} : time;
}

}  // namespace lacon::methods
