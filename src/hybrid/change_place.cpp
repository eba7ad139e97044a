// The counts and lengths of a place of change.
#include "hybrid/change_place.hpp"

#include <algorithm>

namespace lacon::inline hybrid {

State moved_on(const State& state, double time) {
    State later = state;
    later.t += time;
    for (std::size_t i = 0; i < later.q.size(); ++i) later.q[i] += time * later.v[i];
    return later;
}

State followed(const State& from, double time, const AccelerationAt& acceleration_at) {
    const std::size_t n = from.v.size();
    const auto moved = [&](const State& slope_at, const std::vector<double>& slope, double by) {
        State state = from;
        state.t += by;
        for (std::size_t j = 0; j < n; ++j) {
            state.q[j] += by * slope_at.v[j];
            state.v[j] += by * slope[j];
        }
        return state;
    };
    State stage = from, sum = from;
    sum.q.assign(n, 0.0);
    sum.v.assign(n, 0.0);
    constexpr double weights[] = {1.0, 2.0, 2.0, 1.0}, times[] = {0.5, 0.5, 1.0};
    for (std::size_t s = 0; s < 4; ++s) {
        const std::vector<double>& acceleration = acceleration_at(stage);
        for (std::size_t j = 0; j < n; ++j) {
            sum.q[j] += weights[s] / 6.0 * stage.v[j];
            sum.v[j] += weights[s] / 6.0 * acceleration[j];
        }
        if (s < 3) stage = moved(stage, acceleration, times[s] * time);
    }
    State mean = from;
    mean.v = sum.q;
    return moved(mean, sum.v, time);
}

namespace {

/// Some thousand last places of a time: the least by which the laws are asked behind it.
double least_nudge(double t) {
    return 1e-13 * std::max(1.0, std::abs(t));
}

}  // namespace

void ChangePlace::arrive(double t, double step) {
    step_ = step;
    changes_ = t == t_ ? changes_ + 1 : 0;
    if (changes_ == 0) turns_ = 0;
    if (t > t_ + nudge_) nudge_ = 0.0;  // what was turned there is past
    t_ = t;
}

void ChangePlace::begin_in_kink(double t) {
    nudge_ = least_nudge(t);
    t_ = t;
}

/// 1e-10 of the step: beyond the rounding with which the turn was located in it.
void ChangePlace::turn(double t) {
    nudge_ = std::max(1e-10 * step_, least_nudge(t));
}

bool ChangePlace::is_stuck() const {
    constexpr std::size_t most_changes = 100;  // more than contacts in one place take one by one
    return changes_ > most_changes;
}

/// A gap that falls from zero with the third power of time, as the force on it grows from zero, is
/// zero for a long step from its very begin on. A shorter step tells where it falls below rounding.
double ChangePlace::longest_step(double span) const {
    constexpr double shorter = 0.1, shortest = 1e-9;  // of the run
    if (changes_ < 2) return INFINITY;
    const double part = std::pow(shorter, static_cast<double>(changes_ - 1));
    return std::max(part, shortest) * span;
}

}  // namespace lacon::hybrid
