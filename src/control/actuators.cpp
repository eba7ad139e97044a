// Keeps all expressions of all actuators in one list and puts each value in its place. An actuator
// that no weight mentions is left to Gauss's measure.
#include "control/actuators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::inline control {

Actuators::Actuators(const DerivedModel& details)
    : F(details.model.coordinates.size(), details.model.actuators.size()),
      N(details.model.actuators.size(), details.model.actuators.size()),
      count_(details.model.actuators.size()),
      gauss_(std::make_unique<bool[]>(count_)) {
    const Model& model = details.model;
    std::vector<Expr> expressions;
    const auto add = [&](Place place, Expr value) {
        places_.push_back(place);
        expressions.push_back(value);
    };
    bool limited = false;
    for (std::size_t i = 0; i < count_; ++i) {
        const Actuator& actuator = model.actuators[i];
        for (const Actuator::Part& part : actuator.direction)
            add({Place::Of::direction, part.coordinate, i}, part.value);
        if (actuator.low) add({Place::Of::low, i}, *actuator.low);
        if (actuator.high) add({Place::Of::high, i}, *actuator.high);
        limited = limited || actuator.low || actuator.high;
    }
    std::fill_n(gauss_.get(), count_, true);
    for (const EffortWeight& weight : model.effort_weights)
        for (std::size_t i = 0; i < weight.actuators.size(); ++i) {
            gauss_[weight.actuators[i]] = false;
            has_weights_ = true;
            for (std::size_t j = 0; j < weight.actuators.size(); ++j)
                add({Place::Of::cost, weight.actuators[i], weight.actuators[j]}, weight.N[i][j]);
        }
    if (limited) {
        low.assign(count_, -std::numeric_limits<double>::infinity());
        high.assign(count_, std::numeric_limits<double>::infinity());
    }
    values_.emplace(details, expressions);
}

bool Actuators::at(const State& state) {
    const std::vector<double> values = values_->at(state);
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
        return false;
    std::fill_n(F.data(), F.rows() * F.cols(), 0.0);
    for (std::size_t k = 0; k < values.size(); ++k) {
        const auto [of, i, j] = places_[k];
        switch (of) {
            case Place::Of::direction: F(i, j) += values[k]; break;
            case Place::Of::cost: N(i, j) = values[k]; break;
            case Place::Of::low: low[i] = values[k]; break;
            case Place::Of::high: high[i] = values[k]; break;
        }
    }
    return true;
}

}  // namespace lacon::control
