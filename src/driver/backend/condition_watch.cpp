// The reciprocal condition of the constraints along a motion. B = A L⁻ᵀ (M = L Lᵀ) with rows of
// unit length has singular values σ₁ ≥ … ≥ σ_r that count and others that do not (theory 2.7, 3.7);
// the reciprocal condition is σ_r/σ₁. Where a singular position is passed at t₁ it vanishes like |t
// − t₁|, at a distance it is smooth. So within a step of a method, on whose scale the motion is
// smooth, a few places show it, but for the positions passed, which the driver has located.
#include "driver/backend/condition_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "driver/backend/condition_text.hpp"
#include "locate/bisection.hpp"
#include "locate/golden.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

namespace {

constexpr std::size_t exact_limit =
    200;  // rows or coordinates, whichever are fewer: above it singular values take too long
constexpr int places_of_step = 16;
// Parts of the usual reciprocal condition at which an approach begins, and ends: apart, so that a
// value that hovers around one of them is one approach. Not critical: they choose when to warn.
constexpr double weak = 0.1, recovered = 0.2;
// Of the largest part of a direction: below it a row is hardly involved. Not critical: it chooses
// which names a warning has.
constexpr double involved_part = 0.1;

/// What is done in its lifetime counts as time of the diagnosis and as no work of the motion.
class Aside {
public:
    Aside(DenseField& field, double& seconds)
        : field_(field), seconds_(seconds), counters_(field.counters) {}
    ~Aside() {
        field_.counters = counters_;
        seconds_ +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

private:
    DenseField& field_;
    double& seconds_;
    DenseField::Counters counters_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

std::optional<ConditionWatch::Sight> ConditionWatch::look(const State& state) {
    if (!field_.equations(state, equations_)) return std::nullopt;
    SolveOptions options = field_.options.solve;
    const bool exact = std::min(field_.n(), field_.m()) <= exact_limit;
    options.path = exact ? SolveOptions::Path::svd : SolveOptions::Path::automatic;
    account.found.estimated = !exact;
    const Outcome outcome = field_.factor(factor_, equations_.M, equations_.A, options);
    if (outcome != Outcome::ok && outcome != Outcome::undetermined) return std::nullopt;
    Sight sight{factor_.rank(), 1.0, 1.0 / factor_.weakest(), factor_.gap()};
    const std::size_t counted = account.rank > 0 ? account.rank : sight.rank;
    if (counted > 0 && sight.rank > 0)
        sight.reciprocal_condition =
            factor_.singular()[counted - 1];  // rows that vanish are watched by length
    return sight;
}

std::optional<ConditionWatch::Sight> ConditionWatch::look(const Step& step, double tau) {
    step.at(tau, state_);
    state_.t = step.begin.after(tau).now();
    return look(state_);
}

double ConditionWatch::reciprocal_condition_at(const Step& step, double tau) {
    const auto sight = look(step, tau);
    return sight ? sight->reciprocal_condition : 1.0;
}

/// The rows with a part in the weakest direction of the state looked at last.
std::vector<std::string> ConditionWatch::involved() const {
    const std::vector<double>& parts = factor_.weakest_direction().parts;
    std::vector<std::size_t> rows;
    double most = 0.0;
    for (const double part : parts) most = std::max(most, std::abs(part));
    for (std::size_t r = 0; r < parts.size(); ++r)
        if (std::abs(parts[r]) >= involved_part * most) rows.push_back(r);
    // Parts that are equal but for rounding keep the order of the file.
    const auto larger = [&](std::size_t a, std::size_t b) {
        return std::abs(parts[a]) > std::abs(parts[b]) + 1e-6 * most;
    };
    std::stable_sort(rows.begin(), rows.end(), larger);
    return names_of(field_.details, rows);
}

void ConditionWatch::note(const State& state, const Sight& sight) {
    MotionDiagnosis& found = account.found;
    ++found.places;
    if (sight.rank == 0) return;
    const bool first = found.constrained++ == 0;
    const bool fallen =
        sight.rank < account.rank;  // at a singular position: other directions, not to be compared
    if (!fallen && (first || sight.condition < found.condition_least.value))
        found.condition_least = {state.t, sight.condition};
    if (!fallen && (first || sight.condition > found.condition_most.value)) {
        found.condition_most = {state.t, sight.condition};
        found.weakest = involved();
    }
    if (first || sight.gap < found.gap_least.value) found.gap_least = {state.t, sight.gap};
    if (sight.gap >= field_.options.solve.sure_gap) return;
    found.undecided_first =
        found.undecided++ == 0 ? state.t : std::min(found.undecided_first, state.t);
}

void ConditionWatch::begin(const State& state) {
    const Aside aside(field_, account.found.seconds);
    end_approach("changed");
    account.rank = 0;
    const auto sight = look(state);
    if (!sight) return;
    begin_anew(*sight);
    note(state, *sight);
}

/// The reciprocal condition of other rows, or of another number of directions, is not to be
/// compared with that of those before.
void ConditionWatch::begin_anew(const Sight& sight) {
    end_approach("changed");
    account.rank = sight.rank;
    account.usual = sight.rank > 0 ? factor_.weakest() : 1.0;
}

void ConditionWatch::row(const State& state, std::span<double> out) {
    const Aside aside(field_, account.found.seconds);
    std::fill(out.begin(), out.end(), nan);
    const auto sight = look(state);
    if (!sight) return;
    note(state, *sight);
    out[0] = static_cast<double>(sight->rank);
    out[1] = sight->condition;
    out[2] = sight->gap;
}

void ConditionWatch::follow(const Step& step) {
    const Aside aside(field_, account.found.seconds);
    const auto first = look(step, 0.0);
    if (!first) return;
    if (first->rank != account.rank) begin_anew(*first);
    std::vector<Mark> marks{
        {0.0, first->rank == account.rank ? first->reciprocal_condition : account.usual}};
    const int places = account.found.estimated ? 1 : places_of_step;
    for (int i = 1; i <= places; ++i) {
        const double tau = step.length * i / places;
        const auto sight = look(step, tau);
        if (!sight) continue;
        note(state_, *sight);
        marks.push_back({tau, sight->reciprocal_condition});
    }
    for (const SingularCrossing& crossing :
         step.passed)  // where the constraints are that weak all along, nothing is passed
        if (!crossing.is_row() && account.usual > SingularSearch::singular_tol)
            marks.push_back({crossing.tau, 0.0});
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return a.tau < b.tau; });
    for (std::size_t i = 0; i < marks.size(); ++i) take_place(step, marks, i);
    for (const SingularCrossing& crossing : step.passed)
        if (crossing.is_row()) take_vanishing_row(step, crossing);
}

void ConditionWatch::take_place(const Step& step, std::span<const Mark> marks, std::size_t i) {
    const Mark now = marks[i];
    if (!account.approaching) {
        account.usual = std::max(account.usual, now.reciprocal_condition);
        if (now.reciprocal_condition >= weak * account.usual) return;
        warn(step, marks[i > 0 ? i - 1 : 0].tau, now.tau);
    }
    const Mark lowest = lowest_near(step, marks, i);
    MotionDiagnosis::Warning& warning = account.found.warnings.back();
    if (lowest.reciprocal_condition < warning.least.value)
        warning.least = {step.begin.after(lowest.tau).now(), lowest.reciprocal_condition};
    if (warning.least.value <= SingularSearch::singular_tol) warning.outcome = "reached";
    if (now.reciprocal_condition > recovered * account.usual) end_approach("missed");
}

/// The place itself, or the minimum between its neighbours where it is the lowest of them and none
/// of them a singular position.
ConditionWatch::Mark ConditionWatch::lowest_near(const Step& step, std::span<const Mark> marks,
                                                 std::size_t i) {
    const Mark& now = marks[i];
    const Mark &before = marks[i > 0 ? i - 1 : 0],
               &behind = marks[std::min(i + 1, marks.size() - 1)];
    const double beside = std::min(before.reciprocal_condition, behind.reciprocal_condition);
    if (now.reciprocal_condition == 0.0 || beside == 0.0 || now.reciprocal_condition > beside)
        return now;
    const auto reciprocal_condition = [&](double tau) {
        return reciprocal_condition_at(step, tau);
    };
    // To 1e-10 of the step: near its minimum the value is then known to rounding (1e-20 of it).
    const double tau =
        lowest_place(reciprocal_condition, before.tau, behind.tau, 1e-10 * step.length);
    const auto sight = look(step, tau);
    if (!sight) return now;
    note(state_, *sight);
    return sight->reciprocal_condition < now.reciprocal_condition
               ? Mark{tau, sight->reciprocal_condition}
               : now;
}

/// Where a value falls below the border between two times, and how fast.
ConditionWatch::Fall ConditionWatch::first_below(const Measure& value, double border, double before,
                                                 double behind) {
    constexpr int rounds = 40;
    if (value(before) < border) behind = before;  // it jumped: another branch of a decision
    // Near enough for a slope, and far above what rounding changes. Not critical.
    const double beside = 1e-3 * (behind - before);
    int round = 0;
    behind = bisect(
                 {before, behind}, [&](double tau) { return value(tau) < border; },
                 [&](const Bracket& b) { return b.before < b.behind && round++ < rounds; })
                 .behind;
    if (!(beside > 0.0)) return {behind, 0.0};
    return {behind, (value(behind + beside) - value(behind)) / beside};
}

/// The constraints of the warning are still to be named.
MotionDiagnosis::Warning ConditionWatch::warning_of(const Step& step, const Fall& fall,
                                                    double value, double usual) {
    MotionDiagnosis::Warning warning;
    warning.t = step.begin.after(fall.tau).now();
    warning.reciprocal_condition = value;
    warning.usual = usual;
    warning.estimated_t = fall.rate < 0.0 ? warning.t - value / fall.rate : INFINITY;
    warning.least = {warning.t, value};
    return warning;
}

/// The reciprocal condition falls below the border between two times.
void ConditionWatch::warn(const Step& step, double before, double behind) {
    const Measure reciprocal_condition = [&](double tau) {
        return reciprocal_condition_at(step, tau);
    };
    const Fall fall = first_below(reciprocal_condition, weak * account.usual, before, behind);
    MotionDiagnosis::Warning warning =
        warning_of(step, fall, reciprocal_condition(fall.tau), account.usual);
    warning.constraints = involved();
    warning.text = describe(warning);
    account.found.warnings.push_back(std::move(warning));
    account.approaching = true;
}

/// A single row that vanishes and comes back turned round: rows of unit length do not show it, its
/// own length does. What is usual is its length at the begin of the step.
void ConditionWatch::take_vanishing_row(const Step& step, const SingularCrossing& crossing) {
    const std::size_t row = crossing.rows[0];
    const Measure length = [&](double tau) {
        step.at(tau, state_);
        state_.t = step.begin.after(tau).now();
        field_.assembler.rows(state_, equations_.A);
        double square = 0.0;
        for (const double a : equations_.A.row(row)) square += a * a;
        return std::sqrt(square);
    };
    const double usual = length(0.0);
    const Fall fall = first_below(length, weak * usual, 0.0, crossing.tau);
    MotionDiagnosis::Warning warning = warning_of(step, fall, length(fall.tau), usual);
    warning.constraints = names_of(field_.details, std::vector<std::size_t>{row});
    warning.least = {step.begin.after(crossing.tau).now(), 0.0};
    warning.outcome = "reached";
    warning.text = describe(warning);
    auto& warnings = account.found.warnings;
    warnings.insert(account.approaching ? warnings.end() - 1 : warnings.end(), std::move(warning));
}

void ConditionWatch::end_approach(const char* otherwise) {
    if (!account.approaching) return;
    auto& outcome = account.found.warnings.back().outcome;
    if (outcome == ApproachEnd::open) outcome = otherwise;
    account.approaching = false;
}

}  // namespace lacon::driver
