// An active-set method decides at the change, and again a moment ahead of it.
#include "hybrid/control_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/loads.hpp"
#include "control/controller.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"

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

/// By the plant's own acceleration, which need not be what the controller believes.
Loads::Answer acceleration_of(const DerivedModel& mode, Assembler& assembler, const State& state,
                              const Equations& equations, const SolveOptions& options) {
    ConstrainedFactor factor;
    Loads::Answer moves;
    moves.outcome = factor.factor(equations.M, equations.A, options);
    if (moves.outcome == Outcome::ok)
        moves = Loads(mode.system).solve(assembler, state, equations, factor);
    return moves;
}

}  // namespace

/// How far ahead is looked. Longer where a change has just been made in this place, and did not
/// last.
double ControlChange::moment() const {
    const double again =
        std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(place_.changes(), 10)));
    return again * (usual_step_ > 0.0 ? 1e-3 * usual_step_ : 1e-6 * plan_.every);
}

/// Where a mode has ended, an effort has just come to its limit or is about to leave it, and
/// rounding would decide: so it is looked at where the motion will be a moment later.
Status ControlChange::decide(DerivedModel& mode, const State& state, const Clock& time) {
    mode.control_set.reset();
    missed_later_.clear();
    Controller controller(mode, plan_.options.solve);
    Assembler assembler(mode.system, mode.parameters);
    Equations equations;
    const auto decide = [&](const State& at) {
        assembler.equations(at, equations);
        return assembler.not_finite() ? Outcome::undefined
                                      : controller.run(at, equations, Controller::Deciding::anew);
    };
    if (const Outcome outcome = decide(state); outcome != Outcome::ok)
        return controller.status(outcome, state);
    if (!controller.has_sets()) return {};
    ControlSet now = controller.solution()->set;
    // A step that was cut short says little.
    usual_step_ = std::max(place_.step(), 0.5 * usual_step_);
    for (std::size_t i = 0; i < equations.Q.size(); ++i) equations.Q[i] += controller.force()[i];
    const Loads::Answer moves =
        acceleration_of(mode, assembler, state, equations, plan_.options.solve);
    const State later =
        moves.outcome == Outcome::ok ? a_moment_later(state, moves.x, moment()) : state;
    const Outcome outcome = decide(later);
    // Met here by rounding: the mode would end where it begins, again and again. 3: not critical, a
    // contact that opens may still help at first.
    if (outcome == Outcome::unreachable && place_.changes() >= 3)
        return controller.status(outcome, later);
    if (outcome == Outcome::ok) {
        now = controller.solution()->set;
        if (std::any_of(now.limits.begin(), now.limits.end(), [](int limit) { return limit != 0; }))
            missed_later_ = controller.solution()->missed;
    }
    const ControlSet none{{}, std::vector<signed char>(now.limits.size(), 0)};
    account_.note_saturation(in_force_ ? *in_force_ : none, now, time);
    in_force_ = std::move(now);
    return {};
}

Status ControlChange::hold_lost(const State& state) const {
    return {Outcome::unreachable,
            fmt::format("the actuators lose control of {} at t = {}: this is a singular position, "
                        "and efforts grow without bound before it",
                        quoted_list(details_.control_names), rounded(state.t, 10)),
            details_.control_names};
}

void ControlChange::recall(const Snapshot::Controls& kept) {
    in_force_ = kept.in_force;
    usual_step_ = kept.usual_step;
}

}  // namespace lacon::hybrid
