// What a run notes at each step: changes of rank, singular positions passed, jumps, energy,
// residuals.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "driver/condition_text.hpp"
#include "driver/integrate.hpp"
#include "solve/dense/dependence.hpp"
#include "state/evaluate.hpp"
#include "state/verdict.hpp"

namespace lacon {

/// Where a turned decision leaves positions that no motion reaches: fails with the constraints that
/// jump.
bool Integration::jumps_too_far(const State& before, const std::string& decision) {
    constexpr double jump_tol = 1e-7;  // of what a coordinate of 1 would do
    Residuals residuals;
    field_.assembler.residuals(before, residuals);
    std::vector<std::size_t> rows;
    double most = 0.0;
    for (std::size_t r = 0; r < field_.m(); ++r) {
        if (details_.system.levels[r] != Level::position ||
            std::abs(residuals.value[r]) <= jump_tol)
            continue;
        rows.push_back(r);
        most = std::max(most, std::abs(residuals.value[r]));
    }
    if (rows.empty()) return false;
    const std::vector<std::string> names = names_of(details_, rows);
    fail(before,
         {Outcome::conflict,
          fmt::format("at the switch '{}' at t = {} constraint {} jumps by {}, and no position "
                      "nearby meets it",
                      decision, rounded(before.t, 12), quoted_list(names), rounded(most, 3)),
          names});
    return true;
}

/// A decision in a constraint may ask for more than it should. A position that has to jump is no
/// motion; a velocity that has to jump is an impact, with the least change in the metric of M.
bool Integration::note_jump(const State& before, const std::string& decision) {
    if (plan_.options.stabilize != Stabilize::project) return true;
    constexpr double jump_tol = 1e-7;  // of the largest coordinate or velocity
    const auto largest = [](const std::vector<double>& a, const std::vector<double>& b) {
        double jump = 0.0, size = 1e-6;
        for (std::size_t i = 0; i < a.size(); ++i) {
            jump = std::max(jump, std::abs(a[i] - b[i]));
            size = std::max(size, std::abs(b[i]));
        }
        return std::pair(jump, jump > jump_tol * size);
    };
    const auto [position, leaps] = largest(before.q, landed_.q);
    const auto [velocity, kicks] = largest(before.v, landed_.v);
    if (!leaps && !kicks) return true;
    Residuals residuals;
    field_.assembler.residuals(before, residuals);
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < field_.m(); ++r) {
        const double off = leaps && details_.system.levels[r] == Level::position
                               ? residuals.value[r]
                               : residuals.velocity[r];
        if (std::abs(off) > jump_tol * (leaps ? position : velocity)) rows.push_back(r);
    }
    const std::vector<std::string> names = names_of(details_, rows);
    if (leaps)
        return fail(before, {Outcome::conflict,
                             fmt::format("at the switch '{}' at t = {} constraint {} requires the "
                                         "position to jump by {}: no motion can",
                                         decision, rounded(before.t, 12), quoted_list(names),
                                         rounded(position, 3)),
                             names});
    MotionEvent event{before.t, "impact", fmt::format("{}", fmt::join(names, ", "))};
    event.constraints = names;
    summary_.events.push_back(std::move(event));
    return true;
}

/// Where rows depend on each other, whether A q'' = b can still be met.
bool Integration::is_consistent(const State& state) {
    const Projector& at = *there_;
    if (at.factor().rank() == field_.m()) return true;
    std::vector<double> x(field_.n()), lambda(field_.m());
    const Equations& eq = at.equations();
    const double residual = at.factor().solve({eq.M, eq.A, 1}, eq.Q, eq.b, x, lambda);
    if (residual <= 1e-10) return true;
    return evaluate(details_, state, plan_.options.solve).status.outcome != Outcome::conflict;
}

/// A rank that is not what it was: within a step this is a position the step could not keep away
/// from.
bool Integration::note_rank(double tau) {
    const std::size_t before = here_->factor().rank(), behind = there_->factor().rank();
    summary_.rank_min = std::min(summary_.rank_min, behind);
    summary_.rank_max = std::max(summary_.rank_max, behind);
    if (before == behind) return true;
    if (behind < before)
        if (Status end = end_of_reach(*here_, base_->state); !end)
            return fail(base_->state, std::move(end));
    // Located by halving: the rank is the one decision of the factorization.
    double a = 0.0, b = tau;
    Projector probe(field_, false);
    State state;
    while (b - a > 1e-10 * std::max(1.0, std::abs(base_->time.now()))) {
        const double middle = 0.5 * (a + b);
        stepper_->at(middle, state);
        state.t = base_->time.after(middle).now();
        const bool same = probe.project(state) == Outcome::ok && probe.factor().rank() == before;
        (same ? a : b) = middle;
    }
    MotionEvent event{base_->time.after(b).now(), "rank", "", before, behind, false, {}};
    const auto sets_of = [&](const Equations& eq) {
        return dependent_sets({eq.A, eq.b, &eq.M}, plan_.options.solve);
    };
    const bool falls = behind < before;
    const auto weaker = sets_of((falls ? there_ : here_)->equations()),
               stronger = sets_of((falls ? here_ : there_)->equations());
    event.constraints = names_of(details_, rows_of(weaker));
    event.sets = named_sets_added(details_, weaker, stronger);
    event.name = fmt::format("{}", fmt::join(event.constraints, ", "));
    summary_.events.push_back(event);
    const std::string change =
        fmt::format("the rank of the constraints changes from {} to {} at t = {} ({})", before,
                    behind, rounded(event.t, 12), quoted_list(event.constraints));
    if (plan_.options.strict) return fail(landed_, {Outcome::lost_rank, change, event.constraints});
    if (behind > before && !plan_.options.through_singular)
        return fail(base_->state,
                    {Outcome::lost_rank,
                     change + ": the motion started at a singular position, and the equations do "
                              "not determine the branch on which it leaves; start beside that "
                              "position, or use --on-singular continue",
                     event.constraints});
    return true;
}

/// What the constraints took back where the step ended, as a kinetic energy: that of the change of
/// the velocities, and of the change of place within `behind`, the time since a singular position.
/// Another branch of the constraints has other velocities; on the same one a step leaves little
/// beside the rounding that is amplified across the constraints, and of that the square counts. The
/// energy itself would not do: constraints that depend on time do work on what they take back.
double Integration::energy_of_correction(double behind) const {
    const Matrix& M = there_->equations().M;
    double twice = 0.0;
    for (std::size_t i = 0; i < field_.n(); ++i)
        for (std::size_t j = 0; j < field_.n(); ++j) {
            const auto change = [](const std::vector<double>& to, const std::vector<double>& from,
                                   std::size_t k) { return to[k] - from[k]; };
            twice += M(i, j) *
                     (change(landed_.v, landed_raw_.v, i) * change(landed_.v, landed_raw_.v, j) +
                      change(landed_.q, landed_raw_.q, i) * change(landed_.q, landed_raw_.q, j) /
                          (behind * behind));
        }
    return 0.5 * std::abs(twice);
}

bool Integration::note_passages(double tau) {
    const double before = summary_.energy_last;
    for (const SingularCrossing& passage : passed_) {
        const std::vector<std::string> names = names_of(details_, passage.rows);
        const double t = base_->time.after(passage.tau).now();
        const std::size_t rank = here_->factor().rank();
        summary_.rank_min = std::min(summary_.rank_min, passage.rank);
        const Equations& eq = here_->equations();
        const auto usual = dependent_sets({eq.A, eq.b, &eq.M}, plan_.options.solve);
        summary_.events.push_back({t, "rank", fmt::format("{}", fmt::join(names, ", ")), rank,
                                   passage.rank, true, names,
                                   named_sets_added(details_, passage.sets, usual)});
        bool& passed = summary_.events.back().passed;
        if (passage.critical.kind == Critical::Kind::undecided && !plan_.options.through_singular) {
            summary_.events.pop_back();
            return fail_undecided(passage.critical);
        }
        if (plan_.options.strict) {
            State there;
            stepper_->at(passage.tau, there);
            there.t = t;
            return fail(
                there,
                {Outcome::lost_rank,
                 fmt::format("the rank of the constraints falls from {} to {} at t = {} ({})", rank,
                             passage.rank, rounded(t, 12), quoted_list(names)),
                 names});
        }
        passed = plan_.options.stabilize != Stabilize::project;
        if (passed) continue;
        const Energies now = field_.assembler.energies(landed_);
        const double scale =
            std::max(kinetic_high_, now.kinetic) + potential_high_ - potential_low_;
        const double rounding = 1e-14 * (now.kinetic + std::abs(now.potential));
        const double allowed = std::max(1e-9, 1e3 * plan_.tolerance) * scale + rounding;
        const double jump = conservative_ ? std::abs(now.kinetic + now.potential - before) : 0.0;
        const double moved = energy_of_correction(tau - passage.tau);
        passed = jump <= allowed && moved <= allowed;
        const std::string place =
            fmt::format("the singular position at t = {} ({})", rounded(t, 12), quoted_list(names));
        if (jump > allowed)
            return fail(
                landed_,
                {Outcome::lost_rank,
                 fmt::format(
                     "the energy jumps by {} across {}: the motion beyond it would be wrong",
                     rounded(jump, 3), place),
                 names});
        if (!passed)
            return fail(
                landed_,
                {Outcome::lost_rank,
                 fmt::format(
                     "the step over {} ends off the constraints, and the projection changes its "
                     "velocities by a fraction {}: the motion beyond it would be wrong",
                     place, rounded(std::sqrt(moved / scale), 3)),
                 names});
    }
    return true;
}

/// What keeps the motion from the singular position is too small to be followed, and too large to
/// be rounding.
bool Integration::fail_undecided(const Critical& critical) {
    const std::vector<std::string> names = names_of(details_, critical.rows);
    return fail(
        base_->state,
        {Outcome::lost_rank,
         fmt::format("constraints {} miss a singular position at t = {} so narrowly that rounding "
                     "hides the branch: their smallest singular value is {} of the largest there; "
                     "the gap in their residuals is {}, with rounding errors of {}, and at least "
                     "{} is needed; to go straight on, use --on-singular continue",
                     quoted_list(names), rounded(critical.t, 12), rounded(critical.strength, 3),
                     rounded(critical.gap, 3), rounded(critical.rounding, 3),
                     rounded(Critical::clear * critical.rounding, 3)),
         names});
}

/// No step begins so near a singular position that rounding decides on the branch by which it is
/// left.
bool Integration::leaves_singular() {
    const double before = here_->factor().weakest(), behind = there_->factor().weakest();
    const bool moves = plan_.options.stabilize == Stabilize::project;
    if (!moves || plan_.options.through_singular || is_resolving() || field_.m() < 2 ||
        before <= behind)
        return true;
    if (here_->factor().rank() < 2 ||
        behind > std::min(SingularSearch::singular_tol, 0.01 * usual_strength_))
        return true;
    SolveOptions coarse;
    coarse.rank_tol = 10.0 * SingularSearch::singular_tol;
    if (Status end = end_of_reach(*there_, landed_); !end) return fail(landed_, std::move(end));
    const Equations& eq = there_->equations();
    const std::vector<std::string> names =
        names_of(details_, rows_of(dependent_sets({eq.A, eq.b, &eq.M}, coarse)));
    return fail(landed_,
                {Outcome::lost_rank,
                 fmt::format("the motion comes so slowly or so near to a singular position at t = "
                             "{} ({}) that rounding would choose the branch on which it leaves; to "
                             "continue, use --on-singular continue",
                             rounded(landed_.t, 12), quoted_list(names)),
                 names});
}

/// Of the step to `tau`, whichever way it was taken. A compiled step that does not tell its states
/// is gone over again, as for rows; where that fails its two ends are what is known.
void Integration::follow_strength(double tau) {
    const Field::Counters counters = field_.counters;
    const bool by_method = !stretches_ || (!fast_->tells_states() && method_->retrace(*base_, tau));
    field_.counters = counters;
    const auto at = [&](double within, State& out) {
        if (within == tau) out = landed_;
        else if (stretches_ && fast_->tells_states()) fast_->at(within, out);
        else if (!by_method) out = base_->state;
        else if (stretches_) method_->at(within, out);
        else stepper_->at(within, out);
    };
    strength_->follow({at, base_->time, tau,
                       stretches_ ? std::span<const SingularCrossing>()
                                  : std::span<const SingularCrossing>(passed_)});
}

std::span<const MotionDiagnosis::Warning> Integration::warnings() const {
    return strength_ ? std::span<const MotionDiagnosis::Warning>(strength_->account.found.warnings)
                     : std::span<const MotionDiagnosis::Warning>();
}

void Integration::note_energy(const Energies& energies, const State& state) {
    for (const double q : state.q) summary_.largest = std::max(summary_.largest, std::abs(q));
    kinetic_high_ = std::max(kinetic_high_, energies.kinetic);
    potential_low_ = std::min(potential_low_, energies.potential);
    potential_high_ = std::max(potential_high_, energies.potential);
    summary_.energy_last = energies.kinetic + energies.potential;
    summary_.worst.energy =
        std::max(summary_.worst.energy, std::abs(summary_.energy_last - summary_.energy_first));
}

void Integration::note_residuals(const Projector& projector) {
    note_left(projector.left);
    note_left(projector.stabilized);
}

void Integration::note_left(const Projector::Left& left) {
    auto& worst = summary_.worst;
    worst.position = std::max(worst.position, left.position);
    worst.velocity = std::max(worst.velocity, left.velocity);
    worst.position_absolute = std::max(worst.position_absolute, left.position_absolute);
    worst.velocity_absolute = std::max(worst.velocity_absolute, left.velocity_absolute);
}

/// A zero at the very end has no other side to be found by.
void Integration::note_events_at_end() {
    for (const std::size_t number : watch_.zero_events(base_->state)) {
        const Event& of = details_.model.events[number];
        const std::string& name = of.name;
        if (!of.counts(-watch_.sides_[field_.smooth.branch_count + number], false)) continue;
        const bool known =
            std::any_of(summary_.events.begin(), summary_.events.end(), [&](const MotionEvent& e) {
                return e.kind == "event" && e.name == name &&
                       std::abs(e.t - base_->state.t) <= 1e-9 * last_length_;
            });
        if (!known) summary_.events.push_back({base_->state.t, "event", name});
    }
}

/// Not ok where the constraints cannot be followed beyond a state near it: since their weakest
/// direction was of its usual strength that has fallen, and what is asked along it has not.
Status Integration::end_of_reach(const Projector& at, const State& state) {
    constexpr double near = 0.01;
    const double fallen = far_.strength > 0.0 ? at.factor().weakest() / far_.strength : 1.0;
    if (plan_.options.stabilize != Stabilize::project || fallen > near || far_.asked == 0.0)
        return {};
    if (asked_along_weakest(field_, at.factor(), state) < std::sqrt(fallen) * far_.asked) return {};
    const Equations& eq = at.equations();
    SolveOptions coarse;
    coarse.rank_tol = 2.0 * at.factor().weakest();
    const std::vector<std::string> names =
        names_of(details_, rows_of(dependent_sets({eq.A, eq.b, &eq.M}, coarse)));
    return {
        Outcome::conflict,
        fmt::format(
            "no velocity meets {} {} from t = {} on: the motion has reached the end of its range",
            names.size() == 1 ? "constraint" : "constraints", quoted_list(names),
            rounded(state.t, 10)),
        names};
}

namespace {

/// The first of these verdicts that states a little further along the motion are told.
Status told_ahead(const DerivedModel& details, const State& here, const RunPlan& plan,
                  std::initializer_list<Outcome> verdicts) {
    const double span = plan.end - plan.begin;
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

/// Where no step can be taken because a friction comes to press its own contact without bound
/// (Painlevé).
Status Integration::paradox_ahead() {
    if (field_.loads.is_empty()) return {};
    const DerivedModel& whole = details_.whole ? *details_.whole : details_;
    return told_ahead(whole, base_->state, plan_, {Outcome::no_force, Outcome::several});
}

/// Where no step can be taken because actuators lose their hold of what is required, or their
/// limits cross, or because measured data ends that is taken at what moves.
Status Integration::reach_ahead() {
    if (field_.controller)
        return told_ahead(details_, base_->state, plan_,
                          {Outcome::unreachable, Outcome::undefined});
    if (knots_.is_empty()) return {};
    Status status = told_ahead(details_, base_->state, plan_, {Outcome::undefined});
    if (!status)
        status.message =
            fmt::format("from t = {} on {}", rounded(base_->time.now(), 10), status.message);
    return status;
}

/// Where the last try to land failed because no state near it meets the constraints: those that
/// contradict each other there.
Status Integration::conflict_ahead() {
    if (landed_raw_.q.size() != field_.n() || plan_.options.stabilize != Stabilize::project)
        return {};
    State state = landed_raw_;
    Projector probe(field_, true);
    const Outcome outcome = probe.project(state);
    if (outcome == Outcome::ok) {  // at the accelerations, then
        Status status = evaluate(details_, state, plan_.options.solve).status;
        if (status.outcome != Outcome::conflict) return {};
        status.message = fmt::format("from t = {} on {}", rounded(state.t, 10), status.message);
        return status;
    }
    if (outcome != Outcome::no_convergence) return {};
    Residuals residuals;
    field_.assembler.residuals(state, residuals);
    const bool positions = probe.left.position > Projector::met_tol;
    std::vector<double> right;
    for (std::size_t r = 0; r < field_.m(); ++r) {
        const bool position_row = details_.system.levels[r] == Level::position;
        right.push_back(positions ? (position_row ? -residuals.value[r] : 0.0)
                                  : -residuals.velocity[r]);
    }
    const Equations& eq = probe.equations();
    const auto sets = dependent_sets({eq.A, right, &eq.M}, plan_.options.solve);
    Status status{Outcome::conflict, {}, names_of(details_, rows_of(sets, Concerned::conflicting))};
    if (status.names.empty()) return {};
    status.message = fmt::format("constraints {} conflict from t = {} on: no {} meets them all",
                                 quoted_list(status.names), rounded(state.t, 10),
                                 positions ? "position" : "velocity");
    return status;
}

}  // namespace lacon
