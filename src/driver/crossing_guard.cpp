// See crossing_guard.hpp. What is noted when a step has landed is in crossing_notes.cpp.
#include "driver/crossing_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "driver/steppers.hpp"
#include "solve/dense/dependence.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

CrossingGuard::CrossingGuard(RunContext& run, DenseField& field, Steppers& steppers)
    : run_(run), field_(field), steppers_(steppers), search_(field_) {}

void CrossingGuard::keep(Snapshot& snapshot) const {
    snapshot.usual_strength = usual_;
    snapshot.far = far_;
}

void CrossingGuard::recall(const Snapshot& snapshot) {
    usual_ = snapshot.usual_strength;
    far_ = snapshot.far;
}

// ---- before the step

void CrossingGuard::note_strength() {
    note_strength(here().factor(), run_.step.base->state);
}

void CrossingGuard::note_strength(const ConstrainedFactor& factor, const State& state) {
    const double strength = factor.weakest();
    usual_ = std::max(0.999 * usual_, strength);
    if (strength > 0.5 * usual_) far_ = {strength, asked_along_weakest(field_, factor, state)};
}

void CrossingGuard::look_back(const State& at) {
    State state = at;
    DenseProjector& beside = static_cast<DenseProjector&>(*run_.step.beside);
    beside.added_mass.clear();
    beside.weak = 0.0;
    if (beside.project(state) == Outcome::ok && beside.rank() > 0)
        note_strength(beside.factor(), state);
}

bool CrossingGuard::is_near() const {
    return run_.plan.projects() && here().rank() >= 2 && here().weakest() < 0.25 * usual_;
}

bool CrossingGuard::is_weak() const {
    return here().rank() > 0 && here().weakest() < 0.6 * usual_;
}

bool CrossingGuard::is_strong() const {
    constexpr double strong = 0.7;  // of the usual strength: steps need not be led any more
    return here().rank() == 0 || here().weakest() >= strong * usual_;
}

bool CrossingGuard::is_resolving() const {
    return steppers_.is_resolving();
}

double CrossingGuard::weak_direction() const {
    return field_.m() < 2 || !run_.plan.projects() ? 0.0 : 1e-3 * usual_;
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
    // How far behind it is enough, and aimed at: in distances before it. Where rounding limits the
    // step already, nearer is worse.
    const double clear = method.length() < 0.9 * reach ? 1.05 : 1.3;
    constexpr double best = 1.7;
    if (reach >= std::min(limit, clear * *singular)) {
        if (search_.is_end_of_reach(method, base, *singular)) return true;
        method.set_length(std::max(method.length(), std::min(reach, best * *singular)));
    } else {
        method.set_length(
            std::min(method.length(), std::max(0.05 * method.length(), *singular - 0.5 * reach)));
    }
    return true;
}

/// Towards a near miss at `tau` steps are Taylor steps at the smallest tolerance. Their series end
/// where the miss is passed, so they shrink as they come near, and follow the turn of the motion
/// from one course to the other.
bool CrossingGuard::resolve_miss(double limit, double tau) {
    constexpr double part = 0.4;
    if (!steppers_.take_resolver(limit)) return true;
    Method& method = steppers_.now();
    method.set_length(std::min(method.length(), part * tau));
    return true;
}

// ---- where the step lands

/// Around a near miss the weak directions are left alone: their residuals are rounding, and what
/// takes rounding back along them moves the state by more than the branches are apart.
void CrossingGuard::soften(State& landed) {
    run_.step.there->slack = 0.0;
    if (!is_resolving()) return;
    constexpr double weak = 0.1;
    Projector& beside = *run_.step.beside;
    beside.added_mass = steppers_.now().added_mass();
    beside.weak = weak * usual_;
    State gentle = landed;
    if (beside.project(gentle) == Outcome::ok) landed = gentle;
    run_.step.there->slack = 2e-15;
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
/// direction was of its usual strength that has fallen, and what is asked along it has not.
Status CrossingGuard::end_of_reach(const DenseProjector& at, const State& state) {
    constexpr double near = 0.01;
    const double fallen = far_.strength > 0.0 ? at.weakest() / far_.strength : 1.0;
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
         fmt::format("constraints {} miss a singular position at t = {} so "
                     "narrowly that rounding hides the branch: their smallest singular value is "
                     "{} of the largest there; the gap in their residuals is {}, with rounding "
                     "errors of {}, and at least {} is needed; to go straight on, use "
                     "--on-singular continue",
                     quoted_list(names), rounded(critical.t, 12), rounded(critical.strength, 3),
                     rounded(critical.gap, 3), rounded(critical.rounding, 3),
                     rounded(Critical::clear * critical.rounding, 3)),
         names});
}

}  // namespace lacon::driver
