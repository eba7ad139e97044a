// Recorded efforts, to be replayed instead of computed.
#pragma once

#include <string>
#include <vector>

#include "expr/curve.hpp"

namespace lacon::inline control {

/// Efforts over time, by a natural cubic spline through what was recorded.
class RecordedEfforts {
public:
    /// `t` increasing, at least two; `efforts` one list for each actuator, in the order of the
    /// mechanism's. Throws std::invalid_argument for what is not so, or not finite.
    RecordedEfforts(std::vector<double> t, const std::vector<std::vector<double>>& efforts);

    double begin() const { return t_.front(); }
    double end() const { return t_.back(); }
    /// Within begin and end; what rounding puts outside is taken there.
    std::vector<double> at(double t) const;

private:
    std::vector<double> t_;
    std::vector<Curve> curves_;  // one for each actuator
};

}  // namespace lacon::control
