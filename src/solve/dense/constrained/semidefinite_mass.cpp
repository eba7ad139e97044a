// A mass matrix with directions of no mass (theory 7, Udwadia & Phohomsiri 2006; theory 4 for c):
// the forces follow from M q'' = Q + Qc + Qni, with Qni = M Z (Zᵀ M Z)⁻¹ Zᵀ c, which is P5 43 where
// M is definite.
#include <limits>

#include "solve/dense/constrained/grading.hpp"
#include "solve/dense/constrained/massless.hpp"
#include "solve/dense/constrained/parts.hpp"

namespace lacon::solving::inline dense {

ConstrainedSolution solve_semidefinite(const Given& given, const MassMetric& mass,
                                       const SolveOptions& options) {
    const SolveOptions::Path path =
        options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    if (const Grading grading = grade(mass, given.A); grading.scale) {
        ConstrainedSolution solution = solve_graded(given, mass, grading, options);
        if (is_finite(solution)) return solution;
    }
    const Massless massless(mass, given.A, path, options.rank_tol);
    const VectorX& d = massless.d;
    const RowSpace& rows = massless.rows;
    ConstrainedSolution solution;
    report_rank(solution, rows, options.rank_tol, options.sure_gap);
    solution.gaussian = std::numeric_limits<double>::quiet_NaN();

    const bool unique = massless.is_determined();
    const VectorX ideal =
        unique ? massless.scaled_motion(given.Q, given.b) : massless.scaled_particular(given.b);
    const VectorX nonideal =
        unique ? massless.along_null_space(d.cwiseProduct(given.c)) : VectorX::Zero(ideal.size());
    const VectorX acceleration = d.cwiseProduct(ideal + nonideal);

    // As for a definite mass, the rounding of the motion is that of its whole length.
    const VectorX size = balanced_size(given.A, given.b, acceleration) +
                         (given.A * d.asDiagonal()).rowwise().norm() * (ideal + nonideal).norm();
    const Dependencies dependencies =
        judge_consistency(solution, {given, acceleration, size, d, rows.unneeded}, options);
    if (solution.outcome != Outcome::ok) return solution;
    if (!unique) {
        solution.outcome = Outcome::undetermined;
        solution.undetermined = massless.undetermined();
        return solution;
    }
    const VectorX Qc = mass.M * ideal - d.cwiseProduct(given.Q);
    solution.acceleration = to_std(acceleration);
    solution.constraint_force = to_std(Qc.cwiseQuotient(d));
    solution.nonideal_force = to_std((mass.M * nonideal).cwiseQuotient(d));
    const VectorX lambda = least_multipliers(rows.multipliers(Qc), dependencies, given.weight);
    const VectorX missing = Qc - d.cwiseProduct(given.A.transpose() * lambda);
    solution.multipliers =
        to_std(lambda + least_multipliers(rows.multipliers(missing), dependencies, given.weight));
    return solution;
}

}  // namespace lacon::solving::dense
