// One sparse factorization gives q'', λ, the rank and the dependent sets (theory 2.1, 2.2). A
// second one, of M alone, gives the free acceleration a = M⁻¹ Q and Gauss's measure (P1 6).
#include "large/evaluate.hpp"

#include <cmath>
#include <numeric>

#include "large/outputs.hpp"
#include "state/observables.hpp"

namespace lacon::inline large {

namespace {

SparseMatrix matrix_of(const SparsePattern& pattern, std::span<const double> values) {
    return {
        pattern.rows, pattern.cols, pattern.begin, pattern.column, {values.begin(), values.end()}};
}

std::vector<std::pair<std::string, double>> output_values(SparseField& field,
                                                          const LargeEvaluation& at) {
    const Model& model = field.system.details.model;
    std::vector<Output> outputs = model.state_outputs;
    outputs.insert(outputs.end(), model.outputs.begin(), model.outputs.end());
    if (outputs.empty()) return {};
    SparseObservables values(field, values_of(outputs));
    SparseSolution solution{at.acceleration, at.multipliers};
    if (at.acceleration.empty()) {
        solution.acceleration.assign(field.system.n, NAN);
        solution.multipliers.assign(field.system.m, NAN);
    }
    const Residuals residuals{at.residuals, at.velocity_residuals};
    std::vector<double> results(outputs.size());
    values.values({at.state, &solution, &residuals, {at.kinetic, at.potential}}, results);
    std::vector<std::pair<std::string, double>> columns;
    for (std::size_t i = 0; i < results.size(); ++i)
        columns.emplace_back(outputs[i].name, results[i]);
    return columns;
}

/// The motion without constraints, where M is definite: by a factorization of M alone.
void add_free_motion(const SparseSystem& system, const SolveOptions& options, LargeEvaluation& at) {
    auto no_rows = std::make_shared<SparsePattern>();
    no_rows->cols = system.n;
    SparseFactor mass(system.mass, no_rows);
    if (mass.factor(at.M.value, {}, options) != Outcome::ok) return;
    at.a.resize(system.n);
    mass.solve({at.M.value, {}, 1}, at.Q, {}, at.a, {});
    at.e = at.b;
    add_product(*system.rows, at.A.value, -1.0, at.a, at.e);
}

double gaussian_of(const SparseSystem& system, const LargeEvaluation& at) {
    if (at.a.empty() || at.acceleration.empty()) return NAN;
    std::vector<double> difference(system.n), force(system.n, 0.0);
    for (std::size_t j = 0; j < system.n; ++j) difference[j] = at.acceleration[j] - at.a[j];
    add_symmetric(*system.mass, at.M.value, 1.0, difference, force);
    return std::inner_product(force.begin(), force.end(), difference.begin(), 0.0);
}

}  // namespace

LargeEvaluation evaluate_large(const DerivedModel& details, const State& state,
                               const SolveOptions& options) {
    const auto system = large_system(details);
    SparseField field(*system, options);
    SparseDecisions(field.assembler).settle(state);
    LargeEvaluation at;
    at.state = state;
    const Energies energies = field.assembler.energies(state);
    at.kinetic = energies.kinetic;
    at.potential = energies.potential;
    if (field.assembler.not_finite()) at.status = field.trouble(Outcome::undefined, state);
    Residuals residuals;
    field.assembler.residuals(state, residuals);
    if (field.assembler.not_finite() && at.status)
        at.status = field.trouble(Outcome::undefined, state);
    at.residuals = std::move(residuals.value);
    at.velocity_residuals = std::move(residuals.velocity);

    const Outcome outcome = field.factor_at(state);
    at.solve = text_of(field.factor.plan());  // only now: of a singular mass another road is taken
    at.M = matrix_of(*system->mass, field.equations.M());
    at.A = matrix_of(*system->rows, field.equations.A());
    at.Q.assign(field.equations.Q().begin(), field.equations.Q().end());
    at.b.assign(field.equations.b().begin(), field.equations.b().end());
    if (at.status) at.status = field.trouble(outcome, state);
    if (at.status.outcome != Outcome::undefined) add_free_motion(*system, options, at);
    if (!at.status) return at;

    at.has_rank = true;
    at.rank = field.factor.rank();
    at.rank_decided = field.factor.is_decided();
    at.smallest_kept = field.factor.smallest_kept();
    at.largest_dropped = field.factor.largest_dropped();
    at.weakest = field.factor.weakest();
    at.dependent = field.factor.dependent(field.equations.b(), options.consistency_tol);
    at.groups = group_sets(details, at.dependent);
    SparseSolution solution;
    const Outcome solved = field.solve(solution);
    at.residual = field.residual;
    if (solved != Outcome::ok) {
        at.status = field.trouble(solved, state);
    } else {
        at.acceleration = std::move(solution.acceleration);
        at.multipliers = std::move(solution.multipliers);
        at.constraint_force.assign(system->n, 0.0);
        add_transposed(*system->rows, field.equations.A(), 1.0, at.multipliers,
                       at.constraint_force);
        at.gaussian = gaussian_of(*system, at);
    }
    for (std::size_t r = 0; r < system->m; ++r) {
        if (details.system.levels[r] != Level::acceleration) continue;
        at.velocity_residuals[r] = NAN;
        double left = -at.b[r];
        for (std::size_t e = at.A.begin[r]; e < at.A.begin[r + 1]; ++e)
            left +=
                at.A.value[e] * (at.acceleration.empty() ? NAN : at.acceleration[at.A.column[e]]);
        at.residuals[r] = left;
    }
    at.outputs = output_values(field, at);
    return at;
}

}  // namespace lacon::large
