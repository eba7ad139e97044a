// Between two modes of a run with controls: which efforts are at their limits, which one-sided
// requirements bind.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "hybrid/hybrid_run.hpp"

namespace lacon::inline hybrid {

namespace {

State a_moment_later(const State& state, std::span<const double> acceleration, double moment) {
    State later = state;
    later.t += moment;
    for (std::size_t i = 0; i < state.q.size(); ++i) {
        later.q[i] += moment * (state.v[i] + 0.5 * moment * acceleration[i]);
        later.v[i] += moment * acceleration[i];
    }
    return later;
}

}  // namespace

/// Decides what is in force from here on. Where a mode has ended, an effort has just come to its
/// limit or is about to leave it, and rounding would decide: so it is looked at where the motion
/// will be a moment later.
bool HybridRun::decide_controls(const State& state, const Clock& time) {
    DerivedModel& details = mode_details();
    details.control_set.reset();
    missed_later_.clear();
    Controller controller(details, plan_.options.solve);
    Assembler assembler(details.system, details.parameters);
    Equations equations;
    const auto decide = [&](const State& at) {
        assembler.equations(at, equations);
        return assembler.not_finite() ? Outcome::undefined
                                      : controller.run(at, equations, Controller::Deciding::anew);
    };
    if (const Outcome outcome = decide(state); outcome != Outcome::ok)
        return fail(controller.status(outcome, state));
    if (!controller.has_sets()) return true;
    ControlSet now = controller.solution()->set;
    const double last = integration_ ? integration_->last_length() : 0.0;
    usual_step_ = std::max(last, 0.5 * usual_step_);  // a step that was cut short says little
    // Longer where a change has just been made in this place, and did not last.
    const double again =
        std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(changes_in_place_, 10)));
    const double moment = again * (usual_step_ > 0.0 ? 1e-3 * usual_step_ : 1e-6 * plan_.every);
    // By the plant's own acceleration, which need not be what the controller believes.
    for (std::size_t i = 0; i < equations.Q.size(); ++i) equations.Q[i] += controller.force()[i];
    ConstrainedFactor factor;
    Loads::Answer moves;
    moves.outcome = factor.factor(equations.M, equations.A, plan_.options.solve);
    if (moves.outcome == Outcome::ok)
        moves = Loads(details.system).solve(assembler, state, equations, factor);
    const State later =
        moves.outcome == Outcome::ok ? a_moment_later(state, moves.x, moment) : state;
    if (decide(later) == Outcome::ok) {
        now = controller.solution()->set;
        if (std::any_of(now.limits.begin(), now.limits.end(), [](int limit) { return limit != 0; }))
            missed_later_ = controller.solution()->missed;
    }
    const ControlSet none{{}, std::vector<signed char>(now.limits.size(), 0)};
    note_saturation(control_set_ ? *control_set_ : none, now, time);
    control_set_ = std::move(now);
    return true;
}

Status HybridRun::hold_lost(const State& state) const {
    return {Outcome::unreachable,
            fmt::format("the actuators lose control of {} at t = {}: this is a singular position, "
                        "and efforts grow without bound before it",
                        quoted_list(details_.control_names), rounded(state.t, 10)),
            details_.control_names};
}

void HybridRun::note_saturation(const ControlSet& before, const ControlSet& now,
                                const Clock& time) {
    const Model& model = details_.model;
    for (std::size_t i = 0; i < now.limits.size(); ++i) {
        if (before.limits[i] == now.limits[i]) continue;
        const auto serves = [&](const Control& control) {
            return std::find(control.actuators.begin(), control.actuators.end(), i) !=
                   control.actuators.end();
        };
        const auto control = std::find_if(model.controls.begin(), model.controls.end(), serves);
        MotionEvent event{time.now(), "saturation", control->name};
        event.actuator = model.actuators[i].name;
        event.limit = now.limits[i] < 0 ? "low" : now.limits[i] > 0 ? "high" : "free";
        events_.push_back(std::move(event));
    }
}

/// What is in force as numbers: how many rows, rows, how many limits, limits, the usual step, and
/// the spare of the monitors.
std::vector<double> HybridRun::control_numbers() const {
    std::vector<double> numbers;
    if (!control_set_) return numbers;
    numbers.push_back(static_cast<double>(control_set_->rows.size()));
    for (const auto row : control_set_->rows) numbers.push_back(static_cast<double>(row));
    numbers.push_back(static_cast<double>(control_set_->limits.size()));
    for (const auto limit : control_set_->limits) numbers.push_back(limit);
    numbers.push_back(usual_step_);
    numbers.insert(numbers.end(), control_monitor_->spare().begin(),
                   control_monitor_->spare().end());
    return numbers;
}

/// The other way round; gives the spare.
std::vector<double> HybridRun::recall_control(const std::vector<double>& numbers) {
    control_set_.reset();
    if (numbers.empty()) return {};
    ControlSet set;
    std::size_t i = 1;
    while (set.rows.size() < static_cast<std::size_t>(numbers[0]))
        set.rows.push_back(static_cast<ControlSet::Row>(numbers[i++]));
    const auto limits = static_cast<std::size_t>(numbers[i++]);
    while (set.limits.size() < limits) set.limits.push_back(static_cast<signed char>(numbers[i++]));
    control_set_ = std::move(set);
    usual_step_ = numbers[i++];
    return {numbers.begin() + static_cast<std::ptrdiff_t>(i), numbers.end()};
}

}  // namespace lacon::hybrid
