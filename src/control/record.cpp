// Checks the samples and makes one spline for each actuator. Outside their times the end values
// hold.
#include "control/record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/text.hpp"

namespace lacon::inline control {

RecordedEfforts::RecordedEfforts(std::vector<double> t,
                                 const std::vector<std::vector<double>>& efforts)
    : t_(std::move(t)) {
    if (t_.size() < 2) throw std::invalid_argument("recorded efforts need at least two times");
    for (std::size_t i = 0; i < t_.size(); ++i)
        if (!std::isfinite(t_[i]) || (i > 0 && !(t_[i] > t_[i - 1])))
            throw std::invalid_argument(
                fmt::format("the times of recorded efforts must increase; number {} is {}", i + 1,
                            shortest(t_[i])));
    for (const auto& values : efforts) {
        if (values.size() != t_.size())
            throw std::invalid_argument("recorded efforts must have one value for each time");
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values[i]))
                throw std::invalid_argument(fmt::format(
                    "a recorded effort at t = {} is not a finite number", shortest(t_[i])));
        curves_.emplace_back("effort", t_, values, Curve::Form::natural, Curve::Beyond::hold);
    }
}

std::vector<double> RecordedEfforts::at(double t) const {
    std::vector<double> result;
    for (const Curve& curve : curves_) result.push_back(curve.at(0, t));
    return result;
}

}  // namespace lacon::control
