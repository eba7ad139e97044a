// One sparse factorization gives q'', λ, the rank and the dependent sets (theory 2.1, 2.2). A
// second one, of M alone, gives the free acceleration a = M⁻¹ Q and Gauss's measure (P1 6).
#include "large/evaluate/evaluate.hpp"

#include <cmath>
#include <numeric>

#include "large/evaluate/outputs.hpp"
#include "state/evaluate.hpp"
#include "state/observables.hpp"

namespace lacon::inline large {

namespace {

SparseMatrix matrix_of(const SparsePattern& pattern, std::span<const double> values) {
    return {
        pattern.rows, pattern.cols, pattern.begin, pattern.column, {values.begin(), values.end()}};
}

std::vector<std::pair<std::string, double>> output_values(SparseField& field, const Evaluation& at,
                                                          const Residuals& residuals) {
    const Model& model = field.system.details.model;
    std::vector<Output> outputs = model.state_outputs;
    outputs.insert(outputs.end(), model.outputs.begin(), model.outputs.end());
    if (outputs.empty()) return {};
    SparseObservables values(field, values_of(outputs));
    SparseSolution solution{at.solution.acceleration, at.solution.multipliers};
    if (solution.acceleration.empty()) {
        solution.acceleration.assign(field.system.n, NAN);
        solution.multipliers.assign(field.system.m, NAN);
    }
    std::vector<double> results(outputs.size());
    values.values({at.state, &solution, &residuals, {at.kinetic, at.potential}}, results);
    std::vector<std::pair<std::string, double>> columns;
    for (std::size_t i = 0; i < results.size(); ++i)
        columns.emplace_back(outputs[i].name, results[i]);
    return columns;
}

/// The motion without constraints, where M is definite: by a factorization of M alone.
void add_free_motion(const SparseSystem& system, const SolveOptions& options, Evaluation& at) {
    auto no_rows = std::make_shared<SparsePattern>();
    no_rows->cols = system.n;
    SparseFactor mass(system.mass, no_rows);
    if (mass.factor(at.sparse_M.value, {}, options) != Outcome::ok) return;
    ConstrainedSolution& s = at.solution;
    s.a.resize(system.n);
    mass.solve({at.sparse_M.value, {}, 1}, at.Q, {}, s.a, {});
    s.e = at.b;
    add_product(*system.rows, at.sparse_A.value, -1.0, s.a, s.e);
}

double gaussian_of(const SparseSystem& system, const Evaluation& at) {
    const ConstrainedSolution& s = at.solution;
    if (s.a.empty() || s.acceleration.empty()) return NAN;
    std::vector<double> difference(system.n), force(system.n, 0.0);
    for (std::size_t j = 0; j < system.n; ++j) difference[j] = s.acceleration[j] - s.a[j];
    add_symmetric(*system.mass, at.sparse_M.value, 1.0, difference, force);
    return std::inner_product(force.begin(), force.end(), difference.begin(), 0.0);
}

/// The rank and the sets, as the factorization has them.
void add_rank(const SparseField& field, const SolveOptions& options, Evaluation& at) {
    const SparseFactor& factor = field.factor;
    at.pivots = {factor.smallest_kept(), factor.largest_dropped(), factor.weakest()};
    ConstrainedSolution& s = at.solution;
    s.rank = factor.rank();
    s.rank_decided = factor.is_decided();
    // The root, as pivots are squared lengths.
    constexpr double rounding = 2e-16;  // as ConstrainedSolution::gap
    if (s.rank > 0)
        s.gap =
            std::sqrt(at.pivots->smallest_kept / std::max(at.pivots->largest_dropped, rounding));
    s.dependent = factor.dependent(at.b, options.consistency_tol);
    s.unique.assign(field.system.m, true);
    for (const DependentSet& set : s.dependent)
        for (const std::size_t row : set.rows) s.unique[row] = false;
}

/// Of rows at acceleration level, what the acceleration leaves of A q'' = b.
void add_acceleration_residuals(const System& system, const Evaluation& at, Residuals& residuals) {
    const std::vector<double>& acceleration = at.solution.acceleration;
    for (std::size_t r = 0; r < system.row_count(); ++r) {
        if (system.levels[r] != Level::acceleration) continue;
        residuals.velocity[r] = NAN;
        double left = -at.b[r];
        for (std::size_t e = at.sparse_A.begin[r]; e < at.sparse_A.begin[r + 1]; ++e)
            left += at.sparse_A.value[e] *
                    (acceleration.empty() ? NAN : acceleration[at.sparse_A.column[e]]);
        residuals.value[r] = left;
    }
}

/// What the solution says of each row.
void add_solution(const Residuals& residuals, Evaluation& at) {
    const ConstrainedSolution& s = at.solution;
    for (std::size_t r = 0; r < at.constraints.size(); ++r) {
        ConstraintReport& report = at.constraints[r];
        report.redundant = !s.unique.empty() && !s.unique[r];
        if (s.acceleration.empty()) continue;
        report.multiplier = s.multipliers[r];
        if (report.level == Level::acceleration) report.residual = residuals.value[r];
    }
}

}  // namespace

Evaluation evaluate_sparse(const DerivedModel& details, const State& state,
                           const SolveOptions& options) {
    const auto system = large_system(details);
    SparseField field(*system, options);
    SparseDecisions(field.assembler).settle(state);
    Evaluation at;
    at.state = state;
    at.is_sparse = true;
    at.rows_in_force = system->m;
    ConstrainedSolution& solution = at.solution;
    solution.rank_tol = options.rank_tol;
    solution.gaussian = NAN;
    const auto refuse = [&](Outcome outcome) {
        if (at.status) at.status = field.trouble(outcome, state);
    };
    const Energies energies = field.assembler.energies(state);
    at.kinetic = energies.kinetic;
    at.potential = energies.potential;
    if (field.assembler.not_finite()) refuse(Outcome::undefined);
    Residuals residuals;
    field.assembler.residuals(state, residuals);
    if (field.assembler.not_finite()) refuse(Outcome::undefined);

    const Outcome outcome = field.factor_at(state);
    // Only now: of a singular mass another road is taken.
    at.solve = text_of(field.factor.plan());
    at.sparse_M = matrix_of(*system->mass, field.equations.M());
    at.sparse_A = matrix_of(*system->rows, field.equations.A());
    at.Q.assign(field.equations.Q().begin(), field.equations.Q().end());
    at.b.assign(field.equations.b().begin(), field.equations.b().end());
    refuse(outcome);
    if (at.status.outcome != Outcome::undefined) add_free_motion(*system, options, at);
    if (at.status) {
        add_rank(field, options, at);
        SparseSolution found;
        const Outcome solved = field.solve(found);
        solution.residual = field.residual;
        refuse(solved);
        if (at.status) {
            solution.acceleration = std::move(found.acceleration);
            solution.multipliers = std::move(found.multipliers);
            solution.constraint_force.assign(system->n, 0.0);
            add_transposed(*system->rows, field.equations.A(), 1.0, solution.multipliers,
                           solution.constraint_force);
            solution.nonideal_force.assign(system->n, 0.0);  // there is none yet
            solution.gaussian = gaussian_of(*system, at);
        }
        add_acceleration_residuals(details.system, at, residuals);
        at.outputs = output_values(field, at, residuals);
    }
    solution.outcome = at.status.outcome;
    at.constraints = residual_reports(details, residuals);
    add_solution(residuals, at);
    return at;
}

}  // namespace lacon::large
