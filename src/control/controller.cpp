// Builds the control problem, passes it to solve/control and turns failures into messages. Forces
// that depend on loads are linearized about the loads, by Newton's method (theory 4.5).
// Requirements that must be met take precedence over those that may be missed.
#include "control/controller.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "mechanics/derive/mode_model.hpp"
#include "mechanics/numbers/load_rows.hpp"

namespace lacon::inline control {

namespace {

/// The rows of the servo behind the mechanism's own, and nothing else: no masses, no forces.
std::shared_ptr<const System> requirements_of(const DerivedModel& whole) {
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
bool strict_are_in_reach(const ControlProblem& whole, const ControlSurroundings& surroundings,
                         const std::vector<bool>& may_miss, const SolveOptions& options) {
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
    return lacon::solve(strict, surroundings, options).outcome == Outcome::ok;
}

/// Whether a row of a mode holds only until something asks for more: a one-sided constraint, or
/// slip.
bool contact_holds(const DerivedModel& mode_model) {
    const auto& constraints = mode_model.model.constraints;
    return std::any_of(mode_model.rows.begin(), mode_model.rows.end(), [&](std::size_t row) {
        return row >= constraints.size() || constraints[row].sense != ConstraintRow::Sense::equal;
    });
}

/// The believed mechanism in the mode of the plant: the same rows hold, the same frictions slide,
/// the same way.
std::unique_ptr<DerivedModel> believed_mode(const DerivedModel& believed,
                                            const DerivedModel& plant) {
    ModeRows rows{plant.rows, {}};
    for (const NonidealElement& part : plant.system.nonideal)
        if (part.friction >= 0) rows.slides.push_back(static_cast<std::size_t>(part.friction));
    std::sort(rows.slides.begin(), rows.slides.end());
    rows.slides.erase(std::unique(rows.slides.begin(), rows.slides.end()), rows.slides.end());
    auto mode_model = make_mode_model(believed, rows);
    const auto first = static_cast<std::ptrdiff_t>(plant.model.parameters.size());
    std::copy_n(plant.parameters.begin() + first, plant.model.directions.size(),
                mode_model->parameters.begin() + first);
    return mode_model;
}

}  // namespace

Controller::Controller(const DerivedModel& plant, const SolveOptions& options)
    : plant_(plant),
      whole_(plant.whole ? *plant.whole : plant),
      options_(options),
      rows_(requirements_of(whole_)) {
    const Model& model = plant.model;
    const DerivedModel* believed =
        plant.effort_source ? plant.effort_source->believed.get() : nullptr;
    const DerivedModel& beliefs = believed ? *believed : whole_;
    row_parameters_ = beliefs.servo->parameters;
    row_assembler_ = std::make_unique<Assembler>(*rows_, row_parameters_);
    actuators_ = std::make_unique<Actuators>(plant);
    if (believed) {
        believed_actuators_ = std::make_unique<Actuators>(beliefs);
        if (plant.whole) believed_mode_ = believed_mode(*believed, plant);
        believed_ = plant.whole ? believed_mode_.get() : believed;
        believed_assembler_ = std::make_unique<Assembler>(believed_->system, believed_->parameters);
    }
    has_sets_ = !actuators_->low.empty();
    for (const ConstraintRow& row : model.requirements) {
        sense_.push_back(row.sense == ConstraintRow::Sense::equal      ? 0
                         : row.sense == ConstraintRow::Sense::at_least ? 1
                                                                       : -1);
        has_sets_ = has_sets_ || sense_.back() != 0;
    }
    may_miss_.assign(model.requirements.size(), false);
    for (const Control& control : model.controls)
        for (const std::size_t row : control.rows) may_miss_[row] = control.nearest;
    if (recorded()) has_sets_ = false;
    contacts_give_ = plant.whole && contact_holds(plant);
    surroundings_.contacts_hold = contacts_give_;
    load_rows_ = load_rows(plant.system);
    if (!load_rows_.empty())
        load_assembler_ = std::make_unique<Assembler>(plant.system, plant.parameters);
}

std::shared_ptr<const SmoothSystem> Controller::smooth_requirements() const {
    return whole_.memo.get<SmoothSystem>(
        "smooth requirements", [this] { return std::make_shared<SmoothSystem>(smooth(*rows_)); });
}

const RecordedEfforts* Controller::recorded() const {
    return plant_.effort_source && plant_.effort_source->recorded ? &*plant_.effort_source->recorded
                                                                  : nullptr;
}

Residuals Controller::residuals(const State& state) {
    Residuals residuals;
    row_assembler_->residuals(state, residuals);
    return residuals;
}

Outcome Controller::run(const State& state, const Equations& plant, Deciding deciding,
                        Assembler* loads) {
    row_assembler_->equations(state, required_);
    if (row_assembler_->not_finite() || !actuators_->at(state)) return Outcome::undefined;
    if (const RecordedEfforts* record = recorded()) {
        apply(record->at(state.t));
        cut_at_limits();  // between its times a spline may swing beyond
        return Outcome::ok;
    }
    const Outcome outcome = solve(state, plant, deciding, loads);
    if (outcome == Outcome::ok) apply(solution_.effort);
    return outcome;
}

ControlProblem Controller::problem_for(const Equations& system) const {
    const Actuators& actuators = believed_ ? *believed_actuators_ : *actuators_;
    ControlProblem problem{system.M,    system.Q,    system.A,   system.b,
                           required_.A, required_.b, actuators.F};
    problem.sense = sense_;
    if (actuators.has_weights()) {
        problem.N = &actuators.N;
        problem.gauss = actuators.gauss();
    }
    // A limit belongs to the actuator that is there, whatever is believed of the rest.
    problem.low = actuators_->low;
    problem.high = actuators_->high;
    return problem;
}

Outcome Controller::solve(const State& state, const Equations& plant, Deciding deciding,
                          Assembler* loads) {
    if (believed_assembler_) {
        believed_assembler_->equations(state, believed_equations_);
        if (believed_assembler_->not_finite() || !believed_actuators_->at(state))
            return Outcome::undefined;
    }
    ControlProblem problem = problem_for(believed_ ? believed_equations_ : plant);
    const bool some = std::find(may_miss_.begin(), may_miss_.end(), true) != may_miss_.end();
    const bool all = std::find(may_miss_.begin(), may_miss_.end(), false) == may_miss_.end();
    const bool lenient = deciding == Deciding::as_in_force && contacts_give_;
    problem.nearest = some || lenient;
    if (deciding == Deciding::as_in_force && plant_.control_set) problem.set = &*plant_.control_set;
    // What one control may miss, another must not. Without limits and one-sided rows the order is
    // known: the strict ones first.
    ControlSet strict_first;
    if (some && !all && !has_sets_) {
        for (const bool may_miss : may_miss_)
            strict_first.rows.push_back(may_miss ? ControlSet::Row::missed
                                                 : ControlSet::Row::bound);
        strict_first.limits.assign(problem.F.cols(), 0);
        problem.set = &strict_first;
        problem.nearest = lenient;
    }
    Assembler* assembler = believed_ ? believed_assembler_.get()
                           : loads   ? loads
                                     : load_assembler_.get();
    if (load_rows_.empty()) solution_ = lacon::solve(problem, surroundings_, options_);
    else solve_with_loads(state, problem, *assembler);
    if (solution_.outcome != Outcome::ok || !some || all || !has_sets_ || lenient)
        return solution_.outcome;
    for (std::size_t row = 0; row < may_miss_.size(); ++row)
        if (solution_.set.rows[row] == ControlSet::Row::missed && !may_miss_[row] &&
            !strict_are_in_reach(problem, surroundings_, may_miss_, options_))
            return solution_.outcome = Outcome::unreachable;
    return solution_.outcome;
}

/// Efforts change loads, and forces that depend on loads change what efforts have to do
/// (theory 4.5): Newton's method in the loads, which begins where these forces are left out. Where
/// the law is linear in the loads, as friction with one normal is, its first step is exact.
void Controller::solve_with_loads(const State& state, const ControlProblem& problem,
                                  Assembler& assembler) {
    constexpr int most_rounds = 40;
    constexpr double rounding = 1e-14;  // of the largest multiplier
    ControlProblem trial = problem;
    trial.nearest = true;  // until the loads are known nothing is out of reach
    surroundings_.load_rows = {};
    solution_ = lacon::solve(trial, surroundings_, options_);
    double before = INFINITY;
    for (int round = 0; round < most_rounds && solution_.outcome == Outcome::ok; ++round) {
        loads_ = solution_.multipliers;
        linearize_loads(state, problem.Q, assembler);
        trial.Q = load_force_;
        solution_ = lacon::solve(trial, surroundings_, options_);
        if (solution_.outcome != Outcome::ok) return;
        double error = 0.0, scale = 0.0;
        for (const std::size_t row : load_rows_)
            error = std::max(error, std::abs(solution_.multipliers[row] - loads_[row]));
        for (const double multiplier : solution_.multipliers)
            scale = std::max(scale, std::abs(multiplier));
        // 1e-11: with loads that nearly cancel, rounding ends the iteration there.
        const bool met =
            error <= rounding * scale || (error <= 1e-11 * scale && error >= 0.5 * before);
        before = error;
        if (!met) continue;
        trial.nearest = problem.nearest;
        solution_ = lacon::solve(trial, surroundings_, options_);
        return;
    }
    if (solution_.outcome == Outcome::ok) solution_.outcome = Outcome::no_force;
}

void Controller::linearize_loads(const State& state, std::span<const double> Q,
                                 Assembler& assembler) {
    const std::size_t n = Q.size();
    assembler.nonideal(state, loads_, load_force_, Assembler::Part::beside_force);
    load_rates_ = Matrix(n, load_rows_.size());
    std::vector<double> rate;
    for (std::size_t j = 0; j < load_rows_.size(); ++j) {
        assembler.nonideal_rate(state, loads_, load_rows_[j], rate);
        for (std::size_t i = 0; i < n; ++i) {
            load_rates_(i, j) = rate[i];
            load_force_[i] -= rate[i] * loads_[load_rows_[j]];
        }
    }
    for (std::size_t i = 0; i < n; ++i) load_force_[i] += Q[i];
    surroundings_.load_rows = load_rows_;
    surroundings_.load_rates = &load_rates_;
}

Matrix Controller::responses(const State& state, const Equations& plant) {
    ControlProblem problem{plant.M,     plant.Q,     plant.A,      plant.b,
                           required_.A, required_.b, actuators_->F};
    if (!load_rows_.empty())
        linearize_loads(state, plant.Q, *load_assembler_);  // about the loads of the last run
    return control_responses(problem, surroundings_, options_);
}

void Controller::cut_at_limits() {
    std::vector<double> efforts = efforts_;
    for (std::size_t i = 0; i < actuators_->low.size(); ++i)
        efforts[i] = std::max(actuators_->low[i], std::min(actuators_->high[i], efforts[i]));
    if (efforts != efforts_) apply(efforts);
}

void Controller::apply(const std::vector<double>& efforts) {
    const Matrix& F = actuators_->F;
    efforts_ = efforts;
    force_.assign(F.rows(), 0.0);
    for (std::size_t j = 0; j < F.rows(); ++j)
        for (std::size_t i = 0; i < F.cols(); ++i) force_[j] += F(j, i) * efforts[i];
}

namespace {

/// Frictions that stick in a mode: what they hold no effort moves before they slip.
std::vector<std::string> sticking(const DerivedModel& mode_model) {
    std::vector<std::string> names;
    if (!mode_model.whole) return names;
    const std::size_t first = mode_model.whole->system.row_count();
    for (const FrictionPart& part : mode_model.whole->system.frictions) {
        const auto holds = [&](std::size_t row) {
            return row >= first + part.slip && row < first + part.slip + part.slip_count;
        };
        if (std::any_of(mode_model.rows.begin(), mode_model.rows.end(), holds))
            names.push_back(part.name);
    }
    return names;
}

}  // namespace

/// "'f' sticks, and within the limits of 'x' (-5 .. 5) ": what else stands in the way.
std::string Controller::why_not_moved() const {
    const std::vector<std::string> stuck = sticking(plant_);
    if (stuck.empty()) return {};
    std::vector<std::string> limits;
    for (std::size_t i = 0; i < actuators_->low.size(); ++i)
        if (std::isfinite(actuators_->low[i]) || std::isfinite(actuators_->high[i]))
            limits.push_back(fmt::format("'{}' ({} .. {})", plant_.actuator_names[i],
                                         rounded(actuators_->low[i], 6),
                                         rounded(actuators_->high[i], 6)));
    return fmt::format("{} {}, and {}", quoted_list(stuck), stuck.size() == 1 ? "sticks" : "stick",
                       limits.empty()
                           ? std::string()
                           : fmt::format("within the limits of {} ", fmt::join(limits, ", ")));
}

Status Controller::status(Outcome outcome, const State& state) const {
    const auto& required = plant_.model.requirements;
    const std::string at = fmt::format("at t = {}", rounded(state.t, 10));
    for (std::size_t i = 0; outcome == Outcome::undefined && i < actuators_->low.size(); ++i)
        if (actuators_->low[i] > actuators_->high[i])
            return {outcome,
                    fmt::format("the limits of the actuator '{}' cross {}: {} is above {}",
                                plant_.actuator_names[i], at, rounded(actuators_->low[i], 6),
                                rounded(actuators_->high[i], 6)),
                    {plant_.actuator_names[i]}};
    if (outcome == Outcome::undetermined)
        return {outcome,
                fmt::format(
                    "the efforts of the controls are not determined {}: the mass matrix is "
                    "singular there, and Gauss's measure is undefined; give the actuators a weight",
                    at),
                plant_.control_names};
    if (outcome == Outcome::undefined)
        return {outcome,
                fmt::format("a requirement of the controls is not a finite number {}", at),
                {}};
    if (outcome == Outcome::no_force)
        return {outcome,
                fmt::format("no efforts of the controls are consistent with the load-dependent "
                            "forces {} (Painlevé)",
                            at),
                plant_.control_names};
    if (outcome == Outcome::indefinite && actuators_->has_weights())
        return {outcome, fmt::format("the effort cost is not positive definite {}", at),
                plant_.control_names};
    if (outcome != Outcome::unreachable)
        return {outcome, fmt::format("the efforts of the controls cannot be computed {}", at), {}};
    std::vector<std::string> names, parts;
    for (std::size_t row = 0; row < required.size(); ++row) {
        if (solution_.missed[row] == 0.0) continue;
        names.push_back(required[row].name);
        parts.push_back(fmt::format("'{}' by {}", required[row].name,
                                    rounded(std::abs(solution_.missed[row]), 4)));
    }
    std::string message = fmt::format(
        "the actuators cannot meet the requirements {}: the best effort leaves acceleration "
        "errors: {}",
        at, fmt::format("{}", fmt::join(parts, ", ")));
    for (const DependentSet& set : solution_.dependent) {
        if (!set.conflict) continue;
        std::vector<std::string> together;
        for (const std::size_t row : set.rows) together.push_back(required[row].name);
        message += together.size() == 1
                       ? fmt::format("; {}they cannot move '{}'", why_not_moved(), together[0])
                       : fmt::format("; they cannot move {} independently", quoted_list(together));
    }
    return {outcome, message, names};
}

}  // namespace lacon::control
