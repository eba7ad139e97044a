// The equation of motion for a definite M, in the metric of the mass (theory 2.7: any square root
// of M will do, here M = L Lᵀ, B = A L⁻ᵀ):
//     a = M⁻¹ Q,  e = b − A a,  y = B⁺ e                 P1 5c in scaled form, P3 5
//     z = (I − B⁺B) L⁻¹ c                                P5 33, second term
//     q'' = a + L⁻ᵀ (y + z)                              P1 5a, P5 44
//     Qc = L y,  Qni = L z                               P1 5b, P5 43
//     Aᵀ λ = Qc, λ of least (weighted) norm              P2 35
//     G = (q'' − a)ᵀ M (q'' − a) = |y|² + |z|²           P1 6
#include <limits>

#include "solve/dense/constrained/grading.hpp"
#include "solve/dense/constrained/parts.hpp"
#include "solve/dense/rank/dropped_rows.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

namespace {

struct Motion {
    VectorX a, e;
    VectorX y, z;  // scaled: due to the constraints, due to c
    VectorX acceleration;
    VectorX size;  // of the rows (m)
};

/// `tol`: of consistency.
template <class Rows>
Motion least_constraint(const Given& given, const MassMetric& mass, const Rows& rows, double tol) {
    Motion motion;
    motion.a = mass.acceleration(mass.scaled_force(given.Q));
    motion.e = given.b - given.A * motion.a;
    motion.y = rows.least_norm(motion.e);
    motion.z = rows.off_rows(mass.scaled_force(given.c));
    motion.acceleration = motion.a + mass.acceleration(motion.y + motion.z);
    // One refinement: the rows of B carry rounding errors of the condition of L, the rows of A
    // none. It is added to q'' itself, where a large free acceleration has cancelled already.
    const VectorX correction = rows.least_norm(given.b - given.A * motion.acceleration);
    motion.y += correction;
    motion.acceleration += mass.acceleration(correction);
    // The free motion's terms are part of what a row balances: e is only as good as their rounding.
    motion.size = balanced_size(given.A, given.b, motion.acceleration) +
                  given.A.cwiseAbs() * motion.a.cwiseAbs();
    // The rounding of y is that of its whole length, also along a row whose own share of it
    // vanishes.
    const VectorX length = mass.rows(given.A).colwise().norm().transpose();
    motion.size += length * motion.y.norm();
    // And a row cannot be met better than the whole acceleration rounds along it.
    constexpr double rounding = 100.0 * std::numeric_limits<double>::epsilon();
    const VectorX whole = mass.scaled_force(given.Q) + motion.y + motion.z;
    motion.size = motion.size.cwiseMax(length * (whole.norm() * rounding / tol));
    return motion;
}

template <class Rows>
ConstrainedSolution report(const Given& given, const MassMetric& mass, const Rows& rows,
                           const SolveOptions& options) {
    const Motion motion = least_constraint(given, mass, rows, options.consistency_tol);
    ConstrainedSolution solution;
    report_rank(solution, rows, mass.rank_tol(options.rank_tol), options.sure_gap);
    solution.a = to_std(motion.a);
    solution.e = to_std(motion.e);
    const Dependencies dependencies = judge_consistency(
        solution, {given, motion.acceleration, motion.size, mass.d, rows.unneeded}, options);
    if (solution.outcome != Outcome::ok) {
        solution.gaussian = std::numeric_limits<double>::quiet_NaN();
        return solution;
    }
    solution.acceleration = to_std(motion.acceleration);
    solution.constraint_force = to_std(mass.force(motion.y));
    solution.nonideal_force = to_std(mass.force(motion.z));
    const VectorX lambda =
        least_multipliers(rows.multipliers(motion.y), dependencies, given.weight);
    const VectorX missing =
        motion.y -
        mass.scaled_force(given.A.transpose() * lambda);  // rows of very different length round it
    solution.multipliers =
        to_std(lambda + least_multipliers(rows.multipliers(missing), dependencies, given.weight));
    solution.gaussian = motion.y.squaredNorm() + motion.z.squaredNorm();
    return solution;
}

// What a residual of the squared form may be at most, to be taken for rounding.
constexpr double ldlt_residual = 1e-11;

}  // namespace

namespace {

ConstrainedSolution solve_level(const Given& given, const MassMetric& mass, const Grading& grading,
                                const SolveOptions& options) {
    const SolveOptions::Path path =
        options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    const MatrixX Bt = mass.rows(given.A);
    const double tol = mass.rank_tol(options.rank_tol);
    if (!grading.is_level()) {
        const RowSpace rows = decide_rank(Bt, path, tol);
        const VectorX y = mass.scaled_force(given.Q), e = given.b - given.A * mass.acceleration(y);
        if (grading.drowns(y, y + rows.least_norm(e))) {
            ConstrainedSolution solution = solve_graded({given, mass, rows, mass.d, tol}, options);
            if (is_finite(solution)) return solution;
        }
    }
    if (options.path == SolveOptions::Path::ldlt) {
        const DroppedRows rows = drop_rows(Bt, tol);
        if (rows.sure(tol)) {
            ConstrainedSolution solution = report(given, mass, rows, options);
            if (solution.outcome == Outcome::ok && solution.residual <= ldlt_residual)
                return solution;
        }
    }
    return report(given, mass, decide_rank(Bt, path, tol), options);
}

}  // namespace

ConstrainedSolution solve_definite(const Given& given, const MassMetric& mass,
                                   const SolveOptions& options) {
    const Grading grading = grade(mass, given.A);
    if (grading.scale) {
        ConstrainedSolution solution = solve_graded(given, mass, grading, options);
        if (is_finite(solution)) return solution;
    }
    return solve_level(given, mass, grading, options);
}

}  // namespace lacon::solving::dense
