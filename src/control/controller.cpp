#include "control/controller.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "mechanics/phase.hpp"

namespace lacon {

namespace {

/// The rows of the servo behind the mechanism's own, and nothing else: no masses, no forces.
std::shared_ptr<const System> requirements_of(const SystemDetails& whole) {
    return whole.memo.get<System>("requirements", [&] {
        const System& servo = whole.servo->system;
        const auto first = static_cast<std::int32_t>(whole.system.row_count());
        auto rows = std::make_shared<System>(servo);
        rows->levels.assign(servo.levels.begin() + first, servo.levels.end());
        rows->stabilized.assign(servo.stabilized.begin() + first, servo.stabilized.end());
        rows->elements.clear();
        rows->frictions.clear();
        rows->slip_elements.clear();
        rows->nonideal.clear();
        for (Element element : servo.elements) {
            if (element.row < first) continue;
            element.row -= first;
            rows->elements.push_back(element);
        }
        return rows;
    });
}

/// Whether the rows that must not be missed could be met if there were no limits.
bool strict_are_in_reach(const ControlProblem& whole, const std::vector<bool>& may_miss, const SolveOptions& options) {
    const std::size_t n = whole.C.cols();
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < may_miss.size(); ++row)
        if (!may_miss[row]) rows.push_back(row);
    Matrix C(rows.size(), n);
    std::vector<double> d;
    std::vector<int> sense;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < n; ++j) C(i, j) = whole.C(rows[i], j);
        d.push_back(whole.d[rows[i]]);
        sense.push_back(whole.sense[rows[i]]);
    }
    ControlProblem strict{whole.M, whole.Q, whole.A, whole.b, C, d, whole.F};
    strict.sense = sense;
    strict.N = whole.N;
    strict.gauss = whole.gauss;
    return lacon::solve(strict, options).outcome == Outcome::ok;
}

}  // namespace

Controller::Controller(const SystemDetails& plant, const SolveOptions& options)
    : plant_(plant), whole_(plant.whole ? *plant.whole : plant), options_(options), rows_(requirements_of(whole_)) {
    const Model& model = plant.model;
    const SystemDetails* believed = plant.steering ? plant.steering->believed.get() : nullptr;
    const SystemDetails& beliefs = believed ? *believed : whole_;
    row_assembler_ = std::make_unique<Assembler>(*rows_, beliefs.parameters);
    actuators_ = std::make_unique<Actuators>(plant);
    if (believed) {
        believed_actuators_ = std::make_unique<Actuators>(beliefs);
        if (plant.whole) believed_phase_ = make_phase(*believed, {plant.rows, {}});
        believed_ = plant.whole ? believed_phase_.get() : believed;
        believed_assembler_ = std::make_unique<Assembler>(believed_->system, believed_->parameters);
    }
    has_sets_ = !actuators_->low.empty();
    for (const ConstraintRow& row : model.requirements) {
        sense_.push_back(row.sense == ConstraintRow::Sense::equal ? 0 : row.sense == ConstraintRow::Sense::at_least ? 1 : -1);
        has_sets_ = has_sets_ || sense_.back() != 0;
    }
    may_miss_.assign(model.requirements.size(), false);
    for (const Control& control : model.controls)
        for (const std::size_t row : control.rows) may_miss_[row] = control.nearest;
    if (recorded()) has_sets_ = false;
}

const RecordedEfforts* Controller::recorded() const {
    return plant_.steering && plant_.steering->recorded ? &*plant_.steering->recorded : nullptr;
}

Residuals Controller::residuals(const State& state) {
    Residuals residuals;
    row_assembler_->residuals(state, residuals);
    return residuals;
}

Outcome Controller::run(const State& state, const Equations& plant, Deciding deciding) {
    row_assembler_->equations(state, required_);
    if (row_assembler_->not_finite() || !actuators_->at(state)) return Outcome::undefined;
    if (const RecordedEfforts* record = recorded()) {
        std::vector<double> efforts = record->at(state.t);
        for (std::size_t i = 0; i < actuators_->low.size(); ++i)  // between its times a spline may swing beyond
            efforts[i] = std::max(actuators_->low[i], std::min(actuators_->high[i], efforts[i]));
        apply(efforts);
        return Outcome::ok;
    }
    const Outcome outcome = solve(state, plant, deciding);
    if (outcome == Outcome::ok) apply(solution_.effort);
    return outcome;
}

Outcome Controller::solve(const State& state, const Equations& plant, Deciding deciding) {
    if (believed_assembler_) {
        believed_assembler_->equations(state, believed_equations_);
        if (believed_assembler_->not_finite() || !believed_actuators_->at(state)) return Outcome::undefined;
    }
    const Equations& system = believed_ ? believed_equations_ : plant;
    const Actuators& actuators = believed_ ? *believed_actuators_ : *actuators_;
    ControlProblem problem{system.M, system.Q, system.A, system.b, required_.A, required_.b, actuators.F};
    problem.sense = sense_;
    if (actuators.has_weights()) {
        problem.N = &actuators.N;
        problem.gauss = actuators.gauss();
    }
    problem.low = actuators.low;
    problem.high = actuators.high;
    const bool some = std::find(may_miss_.begin(), may_miss_.end(), true) != may_miss_.end();
    const bool all = std::find(may_miss_.begin(), may_miss_.end(), false) == may_miss_.end();
    problem.nearest = some;
    if (deciding == Deciding::as_in_force && plant_.control_set) problem.set = &*plant_.control_set;
    // What one control may miss, another must not. Without limits and one-sided rows the order is known: the strict ones first.
    ControlSet strict_first;
    if (some && !all && !has_sets_) {
        for (const bool may_miss : may_miss_)
            strict_first.rows.push_back(may_miss ? ControlSet::Row::missed : ControlSet::Row::bound);
        strict_first.limits.assign(actuators.F.cols(), 0);
        problem.set = &strict_first;
        problem.nearest = false;
    }
    solution_ = lacon::solve(problem, options_);
    if (solution_.outcome != Outcome::ok || !some || all || !has_sets_) return solution_.outcome;
    for (std::size_t row = 0; row < may_miss_.size(); ++row)
        if (solution_.set.rows[row] == ControlSet::Row::missed && !may_miss_[row] &&
            !strict_are_in_reach(problem, may_miss_, options_))
            return solution_.outcome = Outcome::unreachable;
    return solution_.outcome;
}

void Controller::apply(const std::vector<double>& efforts) {
    const Matrix& F = actuators_->F;
    efforts_ = efforts;
    force_.assign(F.rows(), 0.0);
    for (std::size_t j = 0; j < F.rows(); ++j)
        for (std::size_t i = 0; i < F.cols(); ++i) force_[j] += F(j, i) * efforts[i];
}

Status Controller::status(Outcome outcome, const State& state) const {
    const auto& required = plant_.model.requirements;
    const std::string at = fmt::format("at t = {}", rounded(state.t, 10));
    for (std::size_t i = 0; outcome == Outcome::undefined && i < actuators_->low.size(); ++i)
        if (actuators_->low[i] > actuators_->high[i])
            return {outcome,
                    fmt::format("the limits of the actuator '{}' cross {}: {} is above {}", plant_.actuator_names[i], at,
                                rounded(actuators_->low[i], 6), rounded(actuators_->high[i], 6)),
                    {plant_.actuator_names[i]}};
    if (outcome == Outcome::undetermined)
        return {outcome,
                fmt::format(
                    "the efforts of the controls are not determined {}: the mass matrix is singular there, and Gauss's measure "
                    "cannot compare efforts; give the actuators a weight",
                    at),
                plant_.control_names};
    if (outcome == Outcome::undefined)
        return {outcome, fmt::format("a value of what is required of the controls is not a finite number {}", at), {}};
    if (outcome == Outcome::indefinite && actuators_->has_weights())
        return {outcome, fmt::format("the cost of efforts is not positive definite {}", at), plant_.control_names};
    if (outcome != Outcome::unreachable)
        return {outcome, fmt::format("the efforts of the controls cannot be computed {}", at), {}};
    std::vector<std::string> names, parts;
    for (std::size_t row = 0; row < required.size(); ++row) {
        if (solution_.missed[row] == 0.0) continue;
        names.push_back(required[row].name);
        parts.push_back(fmt::format("'{}' by {}", required[row].name, rounded(solution_.missed[row], 4)));
    }
    std::string message =
        fmt::format("the actuators cannot do what is required {}: the best effort misses the acceleration of {}", at,
                    fmt::format("{}", fmt::join(parts, ", ")));
    for (const DependentSet& set : solution_.dependent) {
        if (!set.conflict) continue;
        std::vector<std::string> together;
        for (const std::size_t row : set.rows) together.push_back(required[row].name);
        message += together.size() == 1 ? fmt::format("; nothing they do moves '{}'", together[0])
                                        : fmt::format("; they cannot move {} apart from each other", quoted_list(together));
    }
    return {outcome, message, names};
}

}  // namespace lacon
