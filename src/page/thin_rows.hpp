// Which rows a page needs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lacon::inline page {

/// Rows with what they hold, a column each.
struct RowsToThin {
    std::span<const double> t;
    std::span<const std::vector<float>> columns;
    /// Of each column that of its rate, or −1: between rows it is a straight line, else the cubic
    /// curve with these values and rates.
    std::span<const std::ptrdiff_t> rates;
    std::span<const double> sizes;  // by which the columns' errors are measured; 0: not at all
};

struct ThinRows {
    std::vector<std::size_t> kept;  // increasing, the first and the last row among them
    /// The largest error of the curves between kept rows, relative to the column's size.
    double error = 0.0;
};

/// Rows between which curves miss no row by more than `tolerance`. Halves intervals until that is
/// so; so rows stay dense where the motion bends.
ThinRows thin_rows(const RowsToThin& rows, double tolerance);

}  // namespace lacon::page
