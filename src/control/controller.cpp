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
        apply(record->at(state.t));
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
    problem.nearest = std::find(may_miss_.begin(), may_miss_.end(), true) != may_miss_.end();
    if (deciding == Deciding::as_in_force && plant_.control_set) problem.set = &*plant_.control_set;
    solution_ = lacon::solve(problem, options_);
    if (solution_.outcome != Outcome::ok || !problem.nearest) return solution_.outcome;
    // What one control may miss, another must not: unless limits are in the way.
    const auto& limits = solution_.set.limits;
    const bool limited = std::any_of(limits.begin(), limits.end(), [](signed char l) { return l != 0; });
    for (std::size_t row = 0; row < may_miss_.size() && !limited; ++row)
        if (solution_.set.rows[row] == ControlSet::Row::missed && !may_miss_[row]) solution_.outcome = Outcome::unreachable;
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
