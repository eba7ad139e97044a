// Where friction begins to slide: the directions along and across the sliding of all frictions that
// do, as velocities of the coordinates.
#pragma once

#include <span>
#include <vector>

#include "lacon/matrix.hpp"

namespace lacon::inline hybrid {

class SlipAxes {
public:
    /// A friction that slides along `d`; its rows of slip begin at `row` of W. W a' = rates.
    void add(std::span<const double> d, const Matrix& W, std::size_t row,
             std::span<const double> rates);
    /// One for each direction across, as MethodOptions::still.
    std::vector<std::vector<double>> slopes() const;

private:
    struct Axis {
        std::vector<double> row;  // of the slip along the axis
        double rate = 0.0;
        bool is_along = false;
    };
    std::vector<double> velocities(std::span<const double> slips) const;

    std::vector<Axis> axes_;
};

}  // namespace lacon::hybrid
