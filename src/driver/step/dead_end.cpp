// Why a run cannot go on where no step is short enough: the reason, as a status.
#include "driver/step/dead_end.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "state/evaluate.hpp"

namespace lacon::inline driver {

namespace {

/// The first of these verdicts that states a little further along the motion are told.
Status told_ahead(const DerivedModel& details, const State& here, const RunPlan& plan,
                  std::initializer_list<Outcome> verdicts) {
    const double span = plan.end - plan.begin;
    // From the shortest step that a method takes to a hundredth of the run, doubling: some 33
    // states.
    for (double tau = 1e-12 * span; tau <= 1e-2 * span; tau *= 2.0) {
        State state = here;
        state.t += tau;
        for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += tau * state.v[i];
        Status status = evaluate_without_outputs(details, state, plan.options.solve).status;
        if (std::find(verdicts.begin(), verdicts.end(), status.outcome) != verdicts.end())
            return status;
    }
    return {};
}

}  // namespace

bool DeadEnd::fail() {
    if (run_.is_over || guard_.hand_over()) return false;
    const Base& base = *run_.step.base;
    if (run_.field.stopped) return run_.fail(base.state, {});
    if (Status end = guard_.end_of_reach(); !end) return run_.fail(base.state, std::move(end));
    if (Status conflict = conflict_ahead(); !conflict)
        return run_.fail(base.state, std::move(conflict));
    if (Status paradox = paradox_ahead(); !paradox)
        return run_.fail(base.state, std::move(paradox));
    if (Status reach = reach_ahead(); !reach) return run_.fail(base.state, std::move(reach));
    return run_.fail_with_reason(base.state, {Outcome::no_convergence, no_step_text(), {}});
}

std::string DeadEnd::no_step_text() const {
    const double t = run_.step.base->time.now();
    if (steppers_.is_usual() && steppers_.method().adaptive_order() == 0)
        return fmt::format(
            "the method '{}' cannot take its fixed step of {} from t = {}; try a "
            "shorter one (--step)",
            run_.account.summary.method, rounded(run_.plan.step, 6), rounded(t, 12));
    std::string why = fmt::format(
        "step size underflow at t = {} (tolerance {}): the accelerations grow without bound there, "
        "or are not smooth",
        rounded(t, 12), rounded(run_.plan.tolerance, 3));
    if (run_.field.m() > 1)
        why += fmt::format("; the reciprocal condition of the constraints is down to {}",
                           rounded(run_.step.here->weakest(), 3));
    return why;
}

/// Where no step can be taken because a friction comes to press its own contact without bound
/// (Painlevé).
Status DeadEnd::paradox_ahead() {
    if (!run_.field.has_loads()) return {};
    const DerivedModel& whole = run_.details.whole ? *run_.details.whole : run_.details;
    return told_ahead(whole, run_.step.base->state, run_.plan,
                      {Outcome::no_force, Outcome::several});
}

/// Where no step can be taken because actuators lose their hold of what is required, or their
/// limits cross, or because measured data ends that is taken at what moves.
Status DeadEnd::reach_ahead() {
    const State& here = run_.step.base->state;
    if (run_.field.has_efforts())
        return told_ahead(run_.details, here, run_.plan,
                          {Outcome::unreachable, Outcome::undefined});
    if (!limits_.has_knots()) return {};
    Status status = told_ahead(run_.details, here, run_.plan, {Outcome::undefined});
    if (!status)
        status.message = fmt::format("from t = {} on {}", rounded(here.t, 10), status.message);
    return status;
}

Status DeadEnd::conflict_ahead() {
    const State& tried = run_.step.raw_end_state;
    if (tried.q.size() != run_.field.n() || !run_.plan.projects()) return {};
    return run_.backend.conflict_near(tried, run_.step.base->time.now());
}

}  // namespace lacon::driver
