// Evaluates what a model says of its actuators: F, N and the limits of a ControlProblem.
#pragma once

#include <memory>
#include <optional>

#include "lacon/control.hpp"
#include "mechanics/numbers/values.hpp"

namespace lacon::inline control {

/// The actuators of a model as numbers at a state: where they push, what their efforts cost, how
/// far they go. Holds workspace.
class Actuators {
public:
    explicit Actuators(const DerivedModel& details);

    /// False where a value is not finite.
    bool at(const State& state);

    Matrix F;                       // directions (n × p), as columns
    Matrix N;                       // cost (p × p) of those with weights
    std::vector<double> low, high;  // limits (p); empty where there are none
    std::span<const bool> gauss() const {
        return {gauss_.get(), count_};
    }  // those without weights (p)
    bool has_weights() const { return has_weights_; }

private:
    struct Place {
        enum class Of { direction, cost, low, high } of;
        std::size_t i = 0, j = 0;
    };
    const std::size_t count_;
    std::unique_ptr<bool[]> gauss_;
    bool has_weights_ = false;
    std::vector<Place> places_;  // of the values
    std::optional<ExpressionValues> values_;
};

}  // namespace lacon::control
