// Where modes change: how often at one time, and how far behind a kink the laws are asked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "lacon/mechanism.hpp"

namespace lacon::inline hybrid {

/// The state as it will be a short time later, by its velocity.
State moved_on(const State& state, double time);

/// The state a time later under these accelerations: a step of the classical Runge–Kutta method.
using AccelerationAt = std::function<const std::vector<double>&(const State&)>;
State followed(const State& from, double time, const AccelerationAt& acceleration);

/// The time at which the last mode ended, and what has happened there since.
///
/// At one time a mode may end again and again: contacts that act on each other change one by one.
/// That is counted, and a run that does nothing else is stopped. Where a decision of the equations
/// has just turned, the laws of contact are asked for what holds behind it: at the state moved on
/// by `nudge`.
class ChangePlace {
public:
    /// A mode has ended, with a step of this length.
    void arrive(double t, double step);
    /// The run begins on a kink.
    void begin_in_kink(double t);
    /// A decision of the equations has turned where the mode ended.
    void turn(double t);

    /// Changes at this time before the one under way.
    std::size_t changes() const { return changes_; }
    bool is_stuck() const;
    /// A decision in a row of a contact has turned. True where they only turn to and fro, as each
    /// face of a kink pushes to the other one: more often than all of them could, each there and
    /// back.
    bool turns_to_and_fro(std::size_t decisions) { return ++turns_ > 2 * decisions; }

    double nudge() const { return nudge_; }
    State behind(const State& state) const { return moved_on(state, nudge_); }
    /// Of the step that has led here.
    double step() const { return step_; }
    /// A time behind it: short beside what the motion does, long beside rounding.
    double moment() const { return std::max(1e-3 * step_, 1e-6 * std::max(1.0, std::abs(t_))); }
    /// The most that the next step may be, of a run of this length; mostly infinite.
    double longest_step(double span) const;

private:
    double t_ = -INFINITY;
    double step_ = 0.0;
    double nudge_ = 0.0;  // how far behind it decisions of the equations are taken
    std::size_t changes_ = 0;
    std::size_t turns_ = 0;  // of decisions in rows of contacts
};

}  // namespace lacon::hybrid
