// Assembles, solves and splits the forces by constraint. Non-ideal forces c follow P5 33 and P5 31.
// If they depend on loads (theory 4.5), no answer or several become a status; none is picked.
// Efforts count as forces in the solve and are then reported apart.
#include "state/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "contact/contacts.hpp"
#include "contact/load_count.hpp"
#include "control/controller.hpp"
#include "lacon/reference.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "state/observables.hpp"
#include "state/verdict.hpp"

namespace lacon::inline state {

std::vector<ConstraintReport> residual_reports(const DerivedModel& details,
                                               const Residuals& residuals) {
    std::vector<ConstraintReport> reports(details.system.row_count());
    for (std::size_t r = 0; r < reports.size(); ++r) {
        ConstraintReport& report = reports[r];
        report.name = details.constraint_names[r];
        report.level = details.system.levels[r];
        report.residual = residuals.value[r];
        report.velocity_residual = residuals.velocity[r];
        report.multiplier = nan;
        if (report.level == Level::acceleration) report.residual = report.velocity_residual = nan;
        if (details.model.constraints[r].weight) report.weight = details.weights[r];
    }
    return reports;
}

namespace {

/// What the solution says of the rows in force; rows that are not have no force.
void add_forces(const DerivedModel& details, Evaluation& at) {
    if (at.solution.outcome != Outcome::ok) return;
    const std::size_t n = at.A.cols();
    const std::size_t m = at.constraints.size();
    for (ConstraintReport& report : at.constraints) {
        report.multiplier = 0.0;
        report.force.assign(n, 0.0);
    }
    for (std::size_t r = 0; r < at.A.rows(); ++r) {
        const std::size_t row = details.whole ? details.rows[r] : r;
        if (row >= m) continue;  // of slip
        ConstraintReport& report = at.constraints[row];
        report.multiplier = at.solution.multipliers[r];
        for (std::size_t j = 0; j < n; ++j) report.force[j] = at.A(r, j) * report.multiplier;
        if (report.level != Level::acceleration) continue;
        report.residual = -at.b[r];
        for (std::size_t j = 0; j < n; ++j)
            report.residual += at.A(r, j) * at.solution.acceleration[j];
    }
}

std::vector<std::pair<std::string, double>> output_values(const DerivedModel& details,
                                                          const Evaluation& at) {
    std::vector<Output> outputs = details.model.state_outputs;
    outputs.insert(outputs.end(), details.model.outputs.begin(), details.model.outputs.end());
    if (outputs.empty()) return {};
    std::vector<double> results(outputs.size());
    DenseObservables(details, values_of(outputs)).values(at, results);
    std::vector<std::pair<std::string, double>> columns;
    for (std::size_t i = 0; i < results.size(); ++i)
        columns.emplace_back(outputs[i].name, results[i]);
    return columns;
}

/// P5: c at the multipliers of the state, and what it does. Without loads it is known beforehand,
/// and in Q.
class NonidealSolution {
public:
    NonidealSolution(const InForce& in_force, const SolveOptions& options)
        : details_(in_force.details),
          assembler_(in_force.assembler),
          options_(options),
          loads_(in_force.details.system),
          decided_(in_force.acceleration) {}

    void run(const Equations& equations, Evaluation& at, bool split) {
        const std::vector<double> nothing(equations.A.rows(), 0.0);
        assembler_.nonideal(at.state, nothing, at.c, Assembler::Part::all);
        std::vector<double> multipliers;
        if (!loads_.is_empty()) {
            const auto answer = loaded(equations, at);
            if (!answer) return;
            multipliers = answer->multipliers;
            assembler_.nonideal(at.state, multipliers, at.c, Assembler::Part::all);
        }
        std::vector<double> beside;
        assembler_.nonideal(at.state, multipliers.empty() ? nothing : multipliers, beside,
                            Assembler::Part::beside_force);
        for (std::size_t i = 0; i < at.c.size(); ++i)
            at.Q[i] = equations.Q[i] - (at.c[i] - beside[i]);
        at.solution = solve({at.M, at.Q, at.A, at.b, at.c, details_.weights}, options_);
        if (at.solution.outcome != Outcome::ok) return;
        at.nonideal_power = 0.0;
        for (std::size_t i = 0; i < at.c.size(); ++i) at.nonideal_power += at.c[i] * at.state.v[i];
        if (multipliers.empty() || !at.solution.dependent.empty()) {  // as they are with c
            std::vector<double> all(at.Q.size());
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = at.Q[i] + at.c[i];
            multipliers =
                solve({at.M, all, at.A, at.b, {}, details_.weights}, options_).multipliers;
        }
        at.solution.multipliers = multipliers;
        if (!split || at.solution.a.empty()) return;
        const reference::ScaledParts parts =
            reference::scaled_parts_p5({at.M, at.Q, at.A, at.b, options_.rank_tol}, at.c);
        at.required = parts.required;
        at.free = parts.free;
    }

private:
    std::optional<Loads::Answer> loaded(const Equations& equations, Evaluation& at) {
        const ConstrainedSolution ideal =
            solve({equations.M, equations.Q, equations.A, equations.b}, options_);
        at.solution = ideal;
        if (ideal.outcome != Outcome::ok) return std::nullopt;
        const auto names = [&] {
            std::vector<std::string> all;
            for (const std::size_t row : loads_.rows())
                all.push_back(details_.constraint_names[row]);
            return all;
        };
        const auto refuse = [&](Outcome outcome, const std::string& why) {
            ConstrainedSolution none;  // of what was found, the rank stays
            none.outcome = outcome;
            none.rank = ideal.rank;
            none.singular = ideal.singular;
            none.gap = ideal.gap;
            none.rank_tol = ideal.rank_tol;
            none.rank_decided = ideal.rank_decided;
            none.dependent = ideal.dependent;
            at.solution = std::move(none);
            at.status = {outcome, why, names()};
            return std::nullopt;
        };
        for (const DependentSet& set : ideal.dependent)
            for (const std::size_t row : set.rows)
                if (std::find(loads_.rows().begin(), loads_.rows().end(), row) !=
                    loads_.rows().end())
                    return refuse(
                        Outcome::undetermined,
                        fmt::format("the load of '{}' is not unique, because constraints depend on "
                                    "each other: {}",
                                    details_.constraint_names[row], describe(details_, set)));
        ConstrainedFactor factor;
        factor.factor(equations.M, equations.A, options_);
        std::vector<Loads::Answer> answers =
            loads_.all(assembler_, at.state, equations, factor, fixed_signs(details_));
        if (answers.empty())
            return refuse(
                Outcome::no_force,
                fmt::format("no constraint force satisfies the friction law at {} (Painlevé)",
                            quoted_list(names())));
        if (answers.size() > 1 && !decided_.empty()) return decided(std::move(answers));
        if (answers.size() > 1)
            return refuse(Outcome::several,
                          fmt::format("{} motions satisfy the friction law at {}: the law does not "
                                      "decide which one happens (Painlevé)",
                                      answers.size(), quoted_list(names())));
        return std::move(answers[0]);
    }

    Loads::Answer decided(std::vector<Loads::Answer> answers) const {
        const auto off = [&](const Loads::Answer& answer) {
            double square = 0.0;
            for (std::size_t i = 0; i < decided_.size(); ++i)
                square += (answer.x[i] - decided_[i]) * (answer.x[i] - decided_[i]);
            return square;
        };
        return *std::min_element(answers.begin(), answers.end(),
                                 [&](const auto& a, const auto& b) { return off(a) < off(b); });
    }

    const DerivedModel& details_;
    Assembler& assembler_;
    const SolveOptions& options_;
    Loads loads_;
    std::span<const double> decided_;
};

/// Efforts of controls are forces while the acceleration is solved for; then the parts are told
/// apart again.
class ControlledEvaluation {
public:
    /// Adds the efforts to the forces of `equations` and `at`. Where there are none, the system is
    /// solved as if it had no controls: what is wrong with itself comes first.
    ControlledEvaluation(const DerivedModel& details, const SolveOptions& options,
                         Equations& equations, Evaluation& at)
        : controller_(details, options), outcome_(controller_.run(at.state, equations)) {
        if (outcome_ != Outcome::ok) return;
        controller_.cut_at_limits();
        for (std::size_t i = 0; i < equations.Q.size(); ++i)
            equations.Q[i] += controller_.force()[i];
        at.Q = equations.Q;
    }

    void finish(Evaluation& at) {
        if (at.status && outcome_ != Outcome::ok) {
            at.status = controller_.status(outcome_, at.state);
            ConstrainedSolution& s = at.solution;
            s.outcome = outcome_;
            for (auto* answer :
                 {&s.acceleration, &s.constraint_force, &s.nonideal_force, &s.multipliers})
                answer->clear();
            s.gaussian = nan;
        }
        report_controls(controller_, at.state, at.solution.acceleration, at);
        if (outcome_ != Outcome::ok) return;
        for (std::size_t i = 0; i < at.Q.size(); ++i) at.Q[i] -= controller_.force()[i];
        set_free_motion(at);
    }

private:
    /// a and e are those without efforts, and Gauss's measure counts from there.
    void set_free_motion(Evaluation& at) const {
        ConstrainedSolution& s = at.solution;
        if (s.a.empty()) return;
        const std::size_t n = at.Q.size();
        s.a = solve({at.M, at.Q, Matrix(0, n), {}}, {}).acceleration;
        for (std::size_t r = 0; r < s.e.size(); ++r) {
            s.e[r] = at.b[r];
            for (std::size_t j = 0; j < n; ++j) s.e[r] -= at.A(r, j) * s.a[j];
        }
        if (s.acceleration.empty()) return;
        s.gaussian = 0.0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                s.gaussian +=
                    (s.acceleration[i] - s.a[i]) * at.M(i, j) * (s.acceleration[j] - s.a[j]);
    }

    Controller controller_;
    Outcome outcome_;
};

/// Of a friction with a fixed bound. These come last among all.
DryFrictionReport& dry_report(const DerivedModel& details, std::ptrdiff_t friction,
                              Evaluation& at) {
    const std::size_t others = details.system.frictions.size() - details.model.dry_frictions.size();
    return at.frictions[static_cast<std::size_t>(friction) - others];
}

/// Of each friction with a fixed bound what holds of it at rest, and no force yet.
void report_dry_frictions(const DerivedModel& whole, const State& state, Evaluation& at) {
    for (std::size_t f = 0; f < whole.system.frictions.size(); ++f) {
        const FrictionPart& part = whole.system.frictions[f];
        if (!part.fixed) continue;
        const std::vector<double> bounds =
            ExpressionValues(whole, std::vector<Expr>{part.kinetic, part.at_rest}).at(state);
        DryFrictionReport report{part.name, part.coordinate};
        report.bound = std::max({0.0, bounds[0], bounds[1]});
        report.friction_state = whole.is_idle(f) ? "none" : "sticks";
        at.frictions.push_back(std::move(report));
    }
}

/// The force of each friction in force, on the first row of its constraint.
void add_frictions(const DerivedModel& details, Assembler& assembler,
                   const std::vector<double>& multipliers, Evaluation& at) {
    const auto& frictions = details.system.frictions;
    const std::size_t n = at.M.rows(), m = details.whole->system.row_count();
    assembler.each_nonideal(
        at.state, multipliers,
        [&](const NonidealElement& part, const std::uint32_t* leaf, auto values) {
            if (part.friction < 0) return;
            if (frictions[static_cast<std::size_t>(part.friction)].fixed) {
                DryFrictionReport& report = dry_report(details, part.friction, at);
                report.friction_state = "slips";
                report.force = values[0];
                report.bound = std::abs(values[0]);
                return;
            }
            ConstraintReport& report =
                at.constraints[frictions[static_cast<std::size_t>(part.friction)].rows[0]];
            report.friction_state = "slips";
            report.friction_force.assign(n, 0.0);
            for (std::size_t i = 0; i < values.size(); ++i)
                report.friction_force[leaf[i]] += values[i];
        });
    for (std::size_t i = 0; i < details.rows.size(); ++i) {
        if (details.rows[i] < m) continue;
        for (const FrictionPart& part : frictions) {
            if (details.rows[i] - m < part.slip ||
                details.rows[i] - m >= part.slip + part.slip_count)
                continue;
            if (part.fixed) {
                dry_report(details, &part - frictions.data(), at).force = multipliers[i];
                continue;
            }
            ConstraintReport& report = at.constraints[part.rows[0]];
            report.friction_state = "sticks";
            report.friction_force.resize(n, 0.0);
            for (std::size_t j = 0; j < n; ++j)
                report.friction_force[j] += at.A(i, j) * multipliers[i];
        }
    }
    for (const FrictionPart& part : frictions)
        if (!part.fixed && at.constraints[part.rows[0]].friction_state.empty())
            at.constraints[part.rows[0]].friction_state = "none";
}

/// From the rows of a mode to those of the whole.
void expand(const DerivedModel& mode_model, Evaluation& at) {
    const std::size_t m = mode_model.whole->system.row_count();
    std::vector<DependentSet> dependent;
    for (DependentSet& set : at.solution.dependent) {
        for (std::size_t& row : set.rows) row = mode_model.rows[row];
        if (std::all_of(set.rows.begin(), set.rows.end(), [&](std::size_t row) { return row < m; }))
            dependent.push_back(set);
    }
    at.solution.dependent = std::move(dependent);
    std::vector<std::size_t> unneeded;
    for (const std::size_t row : at.solution.unneeded)
        if (mode_model.rows[row] < m) unneeded.push_back(mode_model.rows[row]);
    std::vector<bool> unique(m, true);  // also what is not in force: its multiplier is 0
    for (std::size_t row = 0; row < at.solution.unique.size(); ++row)
        if (mode_model.rows[row] < m) unique[mode_model.rows[row]] = at.solution.unique[row];
    at.solution.unneeded = std::move(unneeded);
    at.solution.unique = std::move(unique);
    if (at.solution.outcome != Outcome::ok) return;
    at.solution.multipliers.assign(m, 0.0);
    for (std::size_t r = 0; r < m; ++r) at.solution.multipliers[r] = at.constraints[r].multiplier;
}

}  // namespace

Evaluation evaluate_in_mode(const InForce& in_force, const State& state,
                            const SolveOptions& options, bool split) {
    Evaluation at;
    at.state = state;
    const DerivedModel& details = in_force.details;
    const DerivedModel& whole = details.whole ? *details.whole : details;
    Assembler& assembler = in_force.assembler;
    Assembler& all_rows = in_force.all_rows;
    const auto undefined = [&](const Assembler& from, const DerivedModel& of) {
        return undefined_status(of, *from.not_finite(), state);
    };

    const Energies energies = assembler.energies(state);
    at.kinetic = energies.kinetic;
    at.potential = energies.potential;
    if (assembler.not_finite()) at.status = undefined(assembler, details);
    Residuals residuals;
    all_rows.residuals(state, residuals);
    if (all_rows.not_finite()) at.status = undefined(all_rows, whole);
    Equations equations;
    assembler.equations(state, equations);
    if (assembler.not_finite()) at.status = undefined(assembler, details);
    at.M = equations.M;
    at.Q = equations.Q;
    at.A = equations.A;
    at.b = equations.b;
    at.constraints = residual_reports(whole, residuals);
    report_dry_frictions(whole, state, at);
    at.rows_in_force = details.system.row_count();

    std::optional<ControlledEvaluation> controls;
    if (details.has_controls()) controls.emplace(details, options, equations, at);
    if (details.system.nonideal.empty())
        at.solution = solve({at.M, at.Q, at.A, at.b, {}, details.weights}, options);
    else NonidealSolution(in_force, options).run(equations, at, split);
    if (at.status) at.status = status_of(details, at.solution);
    if (controls) controls->finish(at);
    add_forces(details, at);
    for (const DependentSet& set : at.solution.dependent)
        for (const std::size_t r : set.rows)
            if (!details.whole || details.rows[r] < at.constraints.size())
                at.constraints[details.whole ? details.rows[r] : r].redundant = true;
    if (!details.whole) return at;
    if (at.solution.outcome == Outcome::ok)
        add_frictions(details, assembler, at.solution.multipliers, at);
    expand(details, at);
    return at;
}

namespace {

/// `split`: with the two terms of P5 31, which cost more than all else.
Evaluation evaluate_numbers(const DerivedModel& details, const State& state,
                            const SolveOptions& options, bool split) {
    Evaluation at;
    at.state = state;
    at.status = size_status(details);
    if (!at.status) {
        at.solution.outcome = at.status.outcome;
        return at;
    }
    // Single forces are a convention then: those of least (weighted) norm, as everywhere; at a
    // moment at which the laws find other contacts closed than the mode has, those of its own
    // rows, which move it as well.
    if (details.whole && !details.forces_unique) {
        const Evaluation whole = evaluate_contacts(*details.whole, state, options, split);
        if (whole.status) return whole;
    }
    if (!details.whole && details.has_contacts())
        return evaluate_contacts(details, state, options, split);
    Assembler assembler(details.system, details.parameters);
    if (!details.whole)
        return evaluate_in_mode({details, assembler, assembler}, state, options, split);
    Assembler all_rows(details.whole->system, details.whole->parameters);
    return evaluate_in_mode({details, assembler, all_rows}, state, options, split);
}

}  // namespace

Evaluation evaluate(const DerivedModel& details, const State& state, const SolveOptions& options) {
    Evaluation at = evaluate_numbers(details, state, options, true);
    if (at.status.outcome != Outcome::too_large) at.outputs = output_values(details, at);
    return at;
}

Evaluation evaluate_without_outputs(const DerivedModel& details, const State& state,
                                    const SolveOptions& options) {
    return evaluate_numbers(details, state, options, false);
}

}  // namespace lacon::state
