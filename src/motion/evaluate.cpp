#include "motion/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "mechanics/assemble.hpp"
#include "motion/observables.hpp"
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

std::vector<std::pair<std::string, double>> output_values(const SystemDetails& details, const Evaluation& at) {
    std::vector<Output> outputs = details.model.state_outputs;
    outputs.insert(outputs.end(), details.model.outputs.begin(), details.model.outputs.end());
    if (outputs.empty()) return {};
    std::vector<double> results(outputs.size());
    Observables(details, values_of(outputs)).values(at, results);
    std::vector<std::pair<std::string, double>> columns;
    for (std::size_t i = 0; i < results.size(); ++i) columns.emplace_back(outputs[i].name, results[i]);
    return columns;
}

}  // namespace

Evaluation evaluate(const SystemDetails& details, const State& state, const SolveOptions& options) {
    Evaluation at = evaluate_without_outputs(details, state, options);
    if (at.status.outcome != Outcome::too_large) at.outputs = output_values(details, at);
    return at;
}

Evaluation evaluate_without_outputs(const SystemDetails& details, const State& state, const SolveOptions& options) {
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
    return at;
}

}  // namespace lacon
