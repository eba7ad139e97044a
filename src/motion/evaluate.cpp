#include "motion/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "mechanics/assemble.hpp"
#include "motion/verdict.hpp"

namespace lacon {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<ConstraintReport> constraint_reports(const SystemDetails& details, const Evaluation& at, const Residuals& residuals) {
    const std::size_t m = at.A.rows(), n = at.A.cols();
    const bool solved = at.solution.outcome == Outcome::ok;
    std::vector<ConstraintReport> reports(m);
    for (std::size_t r = 0; r < m; ++r) {
        ConstraintReport& report = reports[r];
        report.name = details.constraint_names[r];
        report.level = details.system.levels[r];
        report.residual = residuals.value[r];
        report.velocity_residual = residuals.velocity[r];
        report.multiplier = solved ? at.solution.multipliers[r] : nan;
        if (solved)
            for (std::size_t j = 0; j < n; ++j) report.force.push_back(at.A(r, j) * report.multiplier);
        if (report.level != Level::acceleration) continue;
        report.velocity_residual = nan;
        report.residual = solved ? -at.b[r] : nan;
        for (std::size_t j = 0; solved && j < n; ++j) report.residual += at.A(r, j) * at.solution.acceleration[j];
    }
    for (const DependentSet& set : at.solution.dependent)
        for (const std::size_t r : set.rows) reports[r].redundant = true;
    return reports;
}

double observed_value(const Observed& what, const Evaluation& at) {
    switch (what.kind) {
        case Observed::Kind::energy: return at.kinetic + at.potential;
        case Observed::Kind::kinetic: return at.kinetic;
        case Observed::Kind::potential: return at.potential;
        case Observed::Kind::multiplier: return at.constraints[what.rows[0]].multiplier;
        case Observed::Kind::residual: return at.constraints[what.rows[0]].residual;
        case Observed::Kind::force: break;
    }
    // The norm of the force over all rows of the constraint together.
    std::vector<double> total(at.A.cols(), 0.0);
    for (const std::size_t r : what.rows) {
        if (at.constraints[r].force.empty()) return nan;
        for (std::size_t j = 0; j < total.size(); ++j) total[j] += at.constraints[r].force[j];
    }
    double square = 0.0;
    for (const double f : total) square += f * f;
    return std::sqrt(square);
}

std::vector<std::pair<std::string, double>> output_values(const SystemDetails& details, const Evaluation& at) {
    const Model& model = details.model;
    std::vector<Expr> roots;
    for (const Output& output : model.outputs) roots.push_back(output.value);
    if (roots.empty()) return {};
    ExprMap<double> value_of;
    value_of.insert(model.time, at.state.t);
    for (std::size_t i = 0; i < model.parameters.size(); ++i) value_of.insert(model.parameters[i].symbol, details.parameters[i]);
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        value_of.insert(model.coordinates[i].q, at.state.q[i]);
        value_of.insert(model.coordinates[i].v, at.state.v[i]);
        value_of.insert(model.coordinates[i].a, at.solution.acceleration.empty() ? nan : at.solution.acceleration[i]);
    }
    for (const Observed& what : model.observed) value_of.insert(what.symbol, observed_value(what, at));

    const std::vector<Expr> symbols = symbols_in(model.graph, roots);
    const Program program(model.graph, symbols, roots);
    std::vector<double> inputs, slots(program.slot_count()), results(roots.size());
    for (const Expr s : symbols) inputs.push_back(value_of.at(s));
    program.run<double>(inputs, slots, results);
    std::vector<std::pair<std::string, double>> columns;
    for (std::size_t i = 0; i < roots.size(); ++i) columns.emplace_back(model.outputs[i].name, results[i]);
    return columns;
}

}  // namespace

Evaluation evaluate(const SystemDetails& details, const State& state, const SolveOptions& options) {
    Evaluation at;
    at.state = state;
    at.status = size_status(details);
    if (!at.status) {
        at.solution.outcome = at.status.outcome;
        return at;
    }
    Assembler assembler(details.system, details.parameters);
    const auto undefined = [&] { return undefined_status(details, *assembler.not_finite(), state); };

    const Energies energies = assembler.energies(state);
    at.kinetic = energies.kinetic;
    at.potential = energies.potential;
    if (assembler.not_finite()) at.status = undefined();
    Residuals residuals;
    assembler.residuals(state, residuals);
    if (assembler.not_finite()) at.status = undefined();
    Equations equations;
    assembler.equations(state, equations);
    if (assembler.not_finite()) at.status = undefined();
    at.M = std::move(equations.M);
    at.Q = std::move(equations.Q);
    at.A = std::move(equations.A);
    at.b = std::move(equations.b);

    at.solution = solve({at.M, at.Q, at.A, at.b}, options);
    if (at.status) at.status = status_of(details, at.solution);
    at.constraints = constraint_reports(details, at, residuals);
    at.outputs = output_values(details, at);
    return at;
}

}  // namespace lacon
