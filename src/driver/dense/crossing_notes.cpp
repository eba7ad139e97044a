// What the guard of dense runs notes at the end of a step: changes of rank, positions passed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "driver/backend/condition_text.hpp"
#include "driver/dense/crossing_guard.hpp"
#include "driver/step/steppers.hpp"
#include "locate/bisection.hpp"
#include "solve/dense/constrained/dependence.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

bool CrossingGuard::note(double tau, const std::vector<Crossing>&, const GiveRows&) {
    return note_rank(tau) && note_passed(tau) && (tau == run_.step.left() || leaves_singular());
}

/// When the rank is no longer what it was at the base; by halving, as the rank is the one decision
/// of the factorization.
double CrossingGuard::locate_change(double tau, std::size_t rank) {
    const Clock& begin = run_.step.base->time;
    DenseProjector probe(field_, false);
    State state;
    // To 1e-10: the rank changes where a singular value passes the rank tolerance, itself 1e-10.
    const double enough = 1e-10 * std::max(1.0, std::abs(begin.now()));
    const auto has_changed = [&](double middle) {
        steppers_.now().at(middle, state);
        state.t = begin.after(middle).now();
        return probe.project(state) != Outcome::ok || probe.rank() != rank;
    };
    const Bracket change = bisect({0.0, tau}, has_changed,
                                  [&](const Bracket& b) { return b.behind - b.before > enough; });
    return begin.after(change.behind).now();
}

/// A rank that is not what it was: within a step this is a position the step could not keep away
/// from.
bool CrossingGuard::note_rank(double tau) {
    const std::size_t before = here().rank(), behind = there().rank();
    const State& base = run_.step.base->state;
    run_.account.note_rank(behind);
    if (before == behind) return true;
    const bool falls = behind < before;
    if (falls)
        if (Status end = end_of_reach(); !end) return run_.fail(base, std::move(end));
    MotionEvent event{locate_change(tau, before), "rank", "", before, behind, false, {}};
    const auto sets_of = [&](const Equations& eq) {
        return dependent_sets({eq.A, eq.b, &eq.M}, run_.plan.options.solve);
    };
    const auto weaker = sets_of((falls ? there() : here()).equations()),
               stronger = sets_of((falls ? here() : there()).equations());
    event.constraints = names_of(run_.details, rows_of(weaker));
    event.sets = named_sets_added(run_.details, weaker, stronger);
    event.name = fmt::format("{}", fmt::join(event.constraints, ", "));
    run_.add_event(event);
    const std::string change =
        fmt::format("the rank of the constraints changes from {} to {} at t = {} ({})", before,
                    behind, rounded(event.t, 12), quoted_list(event.constraints));
    if (run_.plan.options.strict)
        return run_.fail(run_.step.end_state, {Outcome::lost_rank, change, event.constraints});
    if (behind > before && !run_.plan.options.through_singular)
        return run_.fail(
            base,
            {Outcome::lost_rank,
             change +
                 ": the motion started at a singular position, and the equations do not determine "
                 "the branch on which it leaves; start away from it, or use --on-singular continue",
             event.constraints});
    return true;
}

/// What the constraints took back where the step ended, as a kinetic energy: that of the change of
/// the velocities, and of the change of place within `behind`, the time since a singular position.
/// Another branch of the constraints has other velocities; on the same one a step leaves little
/// beside the rounding that is amplified across the constraints, and of that the square counts. The
/// energy itself would not do: constraints that depend on time do work on what they take back.
double CrossingGuard::energy_of_correction(double behind) const {
    const Matrix& M = there().equations().M;
    const State &to = run_.step.end_state, &from = run_.step.raw_end_state;
    double twice = 0.0;
    for (std::size_t i = 0; i < field_.n(); ++i)
        for (std::size_t j = 0; j < field_.n(); ++j)
            twice += M(i, j) * ((to.v[i] - from.v[i]) * (to.v[j] - from.v[j]) +
                                (to.q[i] - from.q[i]) * (to.q[j] - from.q[j]) / (behind * behind));
    return 0.5 * std::abs(twice);
}

bool CrossingGuard::note_passed(double tau) {
    const double before = run_.account.summary.energy_last;
    for (const SingularCrossing& crossing : passed_) {
        const std::vector<std::string> names = names_of(run_.details, crossing.rows);
        const double t = run_.step.base->time.after(crossing.tau).now();
        run_.account.summary.rank_min = std::min(run_.account.summary.rank_min, crossing.rank);
        if (crossing.critical.kind == Critical::Kind::undecided &&
            !run_.plan.options.through_singular)
            return fail_undecided(crossing.critical);
        const Equations& eq = here().equations();
        const auto usual = dependent_sets({eq.A, eq.b, &eq.M}, run_.plan.options.solve);
        run_.add_event({t, "rank", fmt::format("{}", fmt::join(names, ", ")), here().rank(),
                        crossing.rank, true, names,
                        named_sets_added(run_.details, crossing.sets, usual)});
        if (!takes_crossing(crossing, run_.account.summary.events.back(), tau, before))
            return false;
    }
    return true;
}

/// Whether the motion behind a position that was passed is the one before it.
bool CrossingGuard::takes_crossing(const SingularCrossing& crossing, MotionEvent& event, double tau,
                                   double energy_before) {
    const std::vector<std::string>& names = event.constraints;
    const std::string when = rounded(event.t, 12), which = quoted_list(names);
    if (run_.plan.options.strict) {
        State there;
        steppers_.now().at(crossing.tau, there);
        there.t = event.t;
        return run_.fail(
            there, {Outcome::lost_rank,
                    fmt::format("the rank of the constraints falls from {} to {} at t = {} ({})",
                                event.rank_before, event.rank_after, when, which),
                    names});
    }
    event.passed = !run_.plan.projects();
    if (event.passed) return true;
    const State& end_state = run_.step.end_state;
    const Energies now = field_.energies(end_state);
    const double scale = run_.account.energy_scale(now);
    // As CompiledSegments::keeps_energy, but the sums are of the interpreter: one rounding a term.
    const double rounding = 1e-14 * (now.kinetic + std::abs(now.potential));
    const double allowed = std::max(1e-9, 1e3 * run_.plan.tolerance) * scale + rounding;
    const double jump =
        run_.account.is_conservative ? std::abs(now.kinetic + now.potential - energy_before) : 0.0;
    const double moved = energy_of_correction(tau - crossing.tau);
    event.passed = jump <= allowed && moved <= allowed;
    const std::string place = fmt::format("the singular position at t = {} ({})", when, which);
    if (jump > allowed)
        return run_.fail(
            end_state,
            {Outcome::lost_rank,
             fmt::format("crossing {} changed the energy by {}; the motion after it would be wrong",
                         place, rounded(jump, 3)),
             names});
    if (!event.passed)
        return run_.fail(
            end_state,
            {Outcome::lost_rank,
             fmt::format("the step across {} ends off the constraints: the projection would change "
                         "its velocities by a fraction {}. The motion after it would be wrong",
                         place, rounded(std::sqrt(moved / scale), 3)),
             names});
    return true;
}

/// No step begins so near a singular position that rounding decides on the branch by which it is
/// left.
bool CrossingGuard::leaves_singular() {
    const double before = here().weakest(), behind = there().weakest();
    if (!run_.plan.projects() || run_.plan.options.through_singular || is_resolving() ||
        field_.m() < 2 || before <= behind)
        return true;
    // A hundredth of the usual: where the usual itself is small, only a real approach counts.
    if (here().rank() < 2 || behind > std::min(SingularSearch::singular_tol, 0.01 * usual_))
        return true;
    const State& end_state = run_.step.end_state;
    if (Status end = end_of_reach(there(), end_state); !end)
        return run_.fail(end_state, std::move(end));
    SolveOptions coarse;
    // Above the direction that is nearly dependent, so that its constraints are named.
    coarse.rank_tol = 10.0 * SingularSearch::singular_tol;
    const Equations& eq = there().equations();
    const std::vector<std::string> names =
        names_of(run_.details, rows_of(dependent_sets({eq.A, eq.b, &eq.M}, coarse)));
    return run_.fail(
        end_state,
        {Outcome::lost_rank,
         fmt::format(
             "the motion comes too slowly or too close to a singular position at t = {} ({}): "
             "rounding would choose the branch. To continue, use --on-singular continue",
             rounded(end_state.t, 12), quoted_list(names)),
         names});
}

}  // namespace lacon::driver
