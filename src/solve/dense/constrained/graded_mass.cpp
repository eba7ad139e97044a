// The equation of motion where masses are so unequal that M⁻¹ Q must not be formed on the way to it
// (grading.hpp). M + AᵀWA has the same constrained motion for every W; here the limit of large W is
// taken, which is the saddle point itself:
//     M q'' = Q + c + Qc + (Qni − c),  A q'' = b           P1 5a, P5 44, by Gauss (P1 6, P5 34)
//     Qc = Aᵀ λ,  Qni = M x for M x = c + Aᵀ μ, A x = 0    P1 5b, P5 43
//     G = |L⁻¹ (Qc + Qni)|²                                P1 6
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/dense/constrained/grading.hpp"
#include "solve/dense/constrained/parts.hpp"
#include "solve/dense/constrained/saddle.hpp"

namespace lacon::solving::inline dense {

ConstrainedSolution solve_graded(const GradedProblem& problem, const SolveOptions& options) {
    const Given& given = problem.given;
    const MassMetric& mass = problem.mass;
    const VectorX& d = problem.scale;
    const bool definite = mass.kind == MassMetric::Kind::definite;
    ConstrainedSolution solution;
    report_rank(solution, problem.rows, problem.rank_tol, options.sure_gap);
    solution.gaussian = std::numeric_limits<double>::quiet_NaN();
    if (definite) {
        const VectorX a = mass.acceleration(mass.scaled_force(given.Q));
        solution.a = to_std(a);
        solution.e = to_std(given.b - given.A * a);
    } else {
        solution.undetermined = undetermined(mass, given.A, options.rank_tol);
    }
    const Saddle saddle(mass.given, given.A, kept_rows(given.A.rows(), problem.rows.unneeded));
    const Saddle::Answer ideal = saddle.solve(given.Q, consistent_part(problem.rows, given.b));
    const Saddle::Answer nonideal = saddle.solve(given.c, VectorX::Zero(given.b.size()));
    const VectorX acceleration = ideal.x + nonideal.x;
    const VectorX size =
        balanced_size(given.A, given.b, acceleration) +
        (given.A * d.asDiagonal()).rowwise().norm() * acceleration.cwiseQuotient(d).norm();
    const Dependencies dependencies =
        judge_consistency(solution, {given, acceleration, size, d, problem.rows.unneeded}, options);
    if (solution.outcome != Outcome::ok) return solution;
    if (!solution.undetermined.empty()) {
        solution.outcome = Outcome::undetermined;
        return solution;
    }
    const VectorX Qc = saddle.force(ideal, given.Q), Qni = mass.given * nonideal.x;
    solution.acceleration = to_std(acceleration);
    solution.constraint_force = to_std(Qc);
    solution.nonideal_force = to_std(Qni);
    solution.multipliers = to_std(least_multipliers(ideal.lambda, dependencies, given.weight));
    if (definite)
        solution.gaussian =
            mass.scaled_force(Qc).squaredNorm() + mass.scaled_force(Qni).squaredNorm();
    return solution;
}

ConstrainedSolution solve_graded(const Given& given, const MassMetric& mass, const Grading& grading,
                                 const SolveOptions& options) {
    const SolveOptions::Path path =
        options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    const RowSpace rows =
        decide_rank(grading.scale->asDiagonal() * given.A.transpose(), path, options.rank_tol);
    return solve_graded({given, mass, rows, *grading.scale, options.rank_tol}, options);
}

bool is_finite(const ConstrainedSolution& solution) {
    const auto all = [](const std::vector<double>& x) {
        return std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); });
    };
    return all(solution.acceleration) && all(solution.constraint_force) &&
           all(solution.multipliers);
}

}  // namespace lacon::solving::dense
