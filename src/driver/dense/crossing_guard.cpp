// How steps are planned near singular positions: ending well before or well behind them, and in
// short Taylor steps past near misses. What is noted after a step is in crossing_notes.cpp.
#include "driver/dense/crossing_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "driver/step/steppers.hpp"
#include "solve/dense/constrained/dependence.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

CrossingGuard::CrossingGuard(RunContext& run, DenseField& field, Steppers& steppers)
    : run_(run), field_(field), steppers_(steppers), search_(field_) {}

void CrossingGuard::keep(Snapshot& snapshot) const {
    snapshot.usual_reciprocal_condition = usual_;
    snapshot.far = far_;
}

void CrossingGuard::recall(const Snapshot& snapshot) {
    usual_ = snapshot.usual_reciprocal_condition;
    far_ = snapshot.far;
}

// ---- before the step

void CrossingGuard::note_reciprocal_condition() {
    note_reciprocal_condition(here().factor(), run_.step.base->state);
}

void CrossingGuard::note_reciprocal_condition(const ConstrainedFactor& factor, const State& state) {
    const double reciprocal_condition = factor.weakest();
    // The usual value fades by a thousandth a step, so that a motion that comes to stay where the
    // constraints are weaker is judged by that place after some thousand steps. Not critical.
    constexpr double fading = 0.999;
    // Half of the usual: what is asked along the weakest direction is then still regular.
    constexpr double regular = 0.5;
    usual_ = std::max(fading * usual_, reciprocal_condition);
    if (reciprocal_condition > regular * usual_)
        far_ = {reciprocal_condition, asked_along_weakest(field_, factor, state)};
}

void CrossingGuard::look_back(const State& at) {
    State state = at;
    DenseProjector& beside = static_cast<DenseProjector&>(*run_.step.beside);
    beside.added_mass.clear();
    beside.weak = 0.0;
    if (beside.project(state) == Outcome::ok && beside.rank() > 0)
        note_reciprocal_condition(beside.factor(), state);
}

bool CrossingGuard::is_near() const {
    // It trades: with less, a position is looked for later, from nearer; with more, more steps are
    // looked ahead of, which takes time.
    constexpr double near = 0.25;
    // A run that begins beside a singular position knows no other value: below a quarter of this it
    // is near all the same. Rows that are so nearly parallel all the time are rare.
    constexpr double least_usual = 4e-5;
    return run_.plan.projects() && here().rank() >= 2 &&
           here().weakest() < near * std::max(usual_, least_usual);
}

bool CrossingGuard::is_weak() const {
    // Below `strong` of is_strong, so that the two do not alternate from step to step.
    constexpr double weak = 0.6;
    return here().rank() > 0 && here().weakest() < weak * usual_;
}

bool CrossingGuard::is_strong() const {
    constexpr double strong =
        0.7;  // of the usual reciprocal condition: steps need not be led any more
    return here().rank() == 0 || here().weakest() >= strong * usual_;
}

bool CrossingGuard::is_resolving() const {
    return steppers_.is_resolving();
}

double CrossingGuard::weak_direction() const {
    // Rounding of 1e-16 is multiplied by 1/weak at most: 1e-13 in the rows, as little as their
    // interpolation errs by.
    constexpr double weak = 1e-3;
    return field_.m() < 2 || !run_.plan.projects() ? 0.0 : weak * usual_;
}

// ---- the plan of the step

bool CrossingGuard::plan(double limit) {
    const bool by_series = steppers_.traits().by_series;
    const bool moves = run_.plan.projects() && field_.is_plain() && !is_resolving();
    if (!moves || (steppers_.is_usual() && !by_series && is_strong())) return true;
    const Base& base = *run_.step.base;
    std::optional<double> singular = search_.ahead(steppers_.now(), base.time, here(), usual_);
    if (singular && steppers_.is_usual() && !by_series) {
        if (!steppers_.take_passer() || !steppers_.now().advance(limit)) return false;
        singular = search_.ahead(steppers_.now(), base.time, here(), usual_);
    }
    if (!singular) return true;
    Method& method = steppers_.now();
    const double reach = method.reach();
    const Critical critical = search_.critical(method, base, *singular);
    if (critical.kind == Critical::Kind::missed) return resolve_miss(limit, *singular);
    if (critical.kind == Critical::Kind::undecided && !run_.plan.options.through_singular &&
        reach >= std::min(limit, *singular))
        return fail_undecided(critical);
    // How far behind it is enough, and aimed at, in distances of the base from it. Rounding across
    // the constraints grows like (step/distance)^order: as far behind as before it (1) the two ends
    // err alike. Where rounding limits the step already, nearer is worse. They trade: less leaves
    // more rounding behind the position, more asks for longer steps, which reach it from fewer
    // places.
    const double clear = method.length() < 0.9 * reach ? 1.05 : 1.3;
    constexpr double best = 1.7;
    if (reach >= std::min(limit, clear * *singular)) {
        if (search_.is_end_of_reach(method, base, *singular)) return true;
        method.set_length(std::max(method.length(), std::min(reach, best * *singular)));
    } else {
        // So that the next step, about as long, has the position in its middle; but not so little
        // that many steps are spent here.
        constexpr double middle = 0.5, least = 0.05;
        method.set_length(std::min(method.length(),
                                   std::max(least * method.length(), *singular - middle * reach)));
    }
    return true;
}

/// Towards a near miss at `tau` steps are Taylor steps at the smallest tolerance. Their series end
/// where the miss is passed, so they shrink as they come near, and follow the turn of the motion
/// from one course to the other.
bool CrossingGuard::resolve_miss(double limit, double tau) {
    // Below 1/2, so that the step ends well before the miss, where the series still converges. Not
    // critical: less takes more steps.
    constexpr double part = 0.4;
    if (!steppers_.take_resolver(limit)) return true;
    Method& method = steppers_.now();
    method.set_length(std::min(method.length(), part * tau));
    return true;
}

// ---- where the step lands

/// Around a near miss the weak directions are left alone: their residuals are rounding, and what
/// takes rounding back along them moves the state by more than the branches are apart.
void CrossingGuard::soften(State& end_state) {
    run_.step.there->slack = 0.0;
    if (!is_resolving()) return;
    // Of the usual: the other directions are known well, and are corrected as ever.
    constexpr double weak = 0.1;
    // Residuals of rows of length 1 to 3 have a rounding of 1e-15 to 2e-15 (Critical).
    constexpr double rounding = 2e-15;
    Projector& beside = *run_.step.beside;
    beside.added_mass = steppers_.now().added_mass();
    beside.weak = weak * usual_;
    State gentle = end_state;
    if (beside.project(gentle) == Outcome::ok) end_state = gentle;
    run_.step.there->slack = rounding;
}

/// Looks for the singular positions within the step. Where a drive's reach ends, the polynomial of
/// a step may swing over to another branch of the constraints, to states that meet them and do not
/// continue the motion: such a step is too long. So is one over a near miss.
bool CrossingGuard::jumps_branch(double tau) {
    const Method& method = steppers_.now();
    const Base& base = *run_.step.base;
    SingularSearch::Found found = search_.search(method, base, tau, there());
    passed_ = std::move(found.passed);
    if (!run_.plan.projects()) return false;
    return found.leaps ||
           std::any_of(passed_.begin(), passed_.end(), [&](const SingularCrossing& crossing) {
               return search_.is_end_of_reach(method, base, crossing.tau, crossing.row());
           });
}

// ---- where the run ends

Status CrossingGuard::end_of_reach() {
    return end_of_reach(here(), run_.step.base->state);
}

/// Not ok where the constraints cannot be followed beyond a state near it: since their weakest
/// direction was of its usual reciprocal condition that has fallen, and what is asked along it has
/// not.
Status CrossingGuard::end_of_reach(const DenseProjector& at, const State& state) {
    constexpr double near = 0.01;
    const double fallen =
        far_.reciprocal_condition > 0.0 ? at.weakest() / far_.reciprocal_condition : 1.0;
    if (!run_.plan.projects() || fallen > near || far_.asked == 0.0) return {};
    if (asked_along_weakest(field_, at.factor(), state) < std::sqrt(fallen) * far_.asked) return {};
    const Equations& eq = at.equations();
    SolveOptions coarse;
    coarse.rank_tol = 2.0 * at.weakest();
    const std::vector<std::string> names =
        names_of(run_.details, rows_of(dependent_sets({eq.A, eq.b, &eq.M}, coarse)));
    return {
        Outcome::conflict,
        fmt::format(
            "no velocity meets {} {} from t = {} on: the motion has reached the end of its range",
            names.size() == 1 ? "constraint" : "constraints", quoted_list(names),
            rounded(state.t, 10)),
        names};
}

/// What keeps the motion from the singular position is too small to be followed, and too large to
/// be rounding.
bool CrossingGuard::fail_undecided(const Critical& critical) {
    const std::vector<std::string> names = names_of(run_.details, critical.rows);
    return run_.fail(
        run_.step.base->state,
        {Outcome::lost_rank,
         fmt::format("constraints {} miss a singular position at t = {} so narrowly that rounding "
                     "hides the branch. Their smallest singular value there is {} of the largest. "
                     "The gap in their residuals is {}, with a rounding error of {}; at least {} "
                     "is needed. To go straight on, use --on-singular continue",
                     quoted_list(names), rounded(critical.t, 12),
                     rounded(critical.reciprocal_condition, 3), rounded(critical.gap, 3),
                     rounded(critical.rounding, 3),
                     rounded(Critical::clear * critical.rounding, 3)),
         names});
}

}  // namespace lacon::driver
