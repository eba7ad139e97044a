// An interval is given up at the first number that is off, so the search costs little where rows
// have to stay.
#include "page/thin_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::inline page {

namespace {

/// What the numbers and rates at both ends of an interval are multiplied by: Hermite's cubic at
/// the part s of a step of length h, or a straight line.
struct Weights {
    double from, to, from_rate, to_rate;
};

Weights weights_at(double s, double h, bool curved) {
    if (!curved) return {1.0 - s, s, 0.0, 0.0};
    const double r = 1.0 - s;
    return {r * r * (1.0 + 2.0 * s), s * s * (3.0 - 2.0 * s), h * s * r * r, -h * s * s * r};
}

/// The largest relative error of the curve between two rows over those between them; infinite where
/// it is above `tolerance`. A number that is not finite is never left out.
double curve_error(const RowsToThin& rows, std::size_t begin, std::size_t end, double tolerance) {
    constexpr double off = std::numeric_limits<double>::infinity();
    const double h = rows.t[end] - rows.t[begin];
    double worst = 0.0;
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        if (!(rows.sizes[c] > 0.0)) continue;
        const std::vector<float>& column = rows.columns[c];
        const bool curved = rows.rates[c] >= 0;
        const std::vector<float>& rate =
            rows.columns[curved ? static_cast<std::size_t>(rows.rates[c]) : c];
        for (std::size_t i = begin + 1; i < end; ++i) {
            const Weights w = weights_at((rows.t[i] - rows.t[begin]) / h, h, curved);
            const double value = w.from * column[begin] + w.to * column[end] +
                                 w.from_rate * rate[begin] + w.to_rate * rate[end];
            const double error = std::abs(value - column[i]) / rows.sizes[c];
            if (!(error <= tolerance)) return off;
            worst = std::max(worst, error);
        }
    }
    return worst;
}

}  // namespace

ThinRows thin_rows(const RowsToThin& rows, double tolerance) {
    ThinRows result;
    if (rows.t.empty()) return result;
    result.kept.push_back(0);
    // Long intervals would make plots and trails coarse to the eye, and take long to look at.
    const std::size_t longest = std::clamp<std::size_t>(rows.t.size() / 250, 1, 64);
    for (std::size_t at = 0; at + 1 < rows.t.size();) {
        std::size_t length = std::min(longest, rows.t.size() - 1 - at);
        double error = 0.0;
        for (; length > 1; length = (length + 1) / 2) {
            error = curve_error(rows, at, at + length, tolerance);
            if (error <= tolerance) break;
        }
        if (length > 1) result.error = std::max(result.error, error);
        at += length;
        result.kept.push_back(at);
    }
    return result;
}

}  // namespace lacon::page
