// Which rows a page needs.
#pragma once

#include <span>
#include <vector>

namespace lacon::inline page {

/// Rows with what they hold, a column each; `sizes`: by which the columns' errors are measured.
struct RowsToThin {
    std::span<const double> t;
    std::span<const std::vector<float>> columns;
    std::span<const double> sizes;
};

struct ThinRows {
    std::vector<std::size_t> kept;  // increasing, the first and the last row among them
    /// The largest error of a straight line between kept rows, relative to the column's size.
    double error = 0.0;
};

/// Rows between which straight lines miss no row by more than `tolerance`. Halves intervals until
/// that is so; so rows stay dense where the motion bends.
ThinRows thin_rows(const RowsToThin& rows, double tolerance);

}  // namespace lacon::page
