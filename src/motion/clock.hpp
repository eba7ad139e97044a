#pragma once

namespace lacon {

/// Time as an unevaluated sum of two doubles: after 1e9 steps of 1e-3 it is still right to the last digit.
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

}  // namespace lacon
