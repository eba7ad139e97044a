// What a run with controls notes of them: integrals of cost and power, largest forces and errors.
#pragma once

#include "hybrid/controlled_plant.hpp"
#include "locate/watch.hpp"

namespace lacon::inline hybrid {

/// The account of the controls over the steps of a mode. `plant` and `account` must outlive it.
class ControlBooks {
public:
    using Path = Monitors::Path;
    using Account = std::vector<MotionSummary::Control>;  // one for each control
    ControlBooks(ControlledPlant& plant, Account& account);

    /// A step has been taken: adds its integrals.
    void note_step(const Path& path, const Clock& begin);
    /// Forces and errors at a state, where they are the largest so far.
    void note_extremes(const State& state);
    /// The integrals of cost up to a state within the last step.
    void row(const State& state, std::span<double> out);

private:
    /// Cost and power of each control, one behind the other.
    using Rates = std::vector<double>;
    Rates rates(const State& state);
    Rates integral(const Path& path, const Clock& begin, double length);

    ControlledPlant& plant_;
    Account& account_;
    Path path_;  // of the last step, for the rows within it
    Clock step_begin_;
    Rates at_step_begin_;  // the integrals there
};

}  // namespace lacon::hybrid
