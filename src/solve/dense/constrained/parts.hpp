// Internal interface of the dense solve: its three cases for M, and what they share.
#pragma once

#include "lacon/solve.hpp"
#include "solve/dense/constrained/grading.hpp"
#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/dependent_rows.hpp"
#include "solve/dense/rank/row_space.hpp"

/// The steps of `solve`, in the order it takes them.
namespace lacon::solving::inline dense {

struct Given {
    VectorX Q;       // (n)
    MatrixX A;       // (m × n)
    VectorX b;       // (m)
    VectorX c;       // (n), zero for ideal constraints
    VectorX weight;  // of the multipliers (m), or empty where all are equal
};

/// Definite M: theory 2 and 4 in the coordinates of MassMetric.
ConstrainedSolution solve_definite(const Given& given, const MassMetric& mass,
                                   const SolveOptions& options);

/// Semidefinite M: theory 7, by the null space of A.
ConstrainedSolution solve_semidefinite(const Given& given, const MassMetric& mass,
                                       const SolveOptions& options);

/// Masses that are very unequal under constraints (grading.hpp), with the rank decided.
struct GradedProblem {
    const Given& given;
    const MassMetric& mass;
    const RowSpace& rows;
    const VectorX& scale;  // of the coordinates (n)
    double rank_tol = 0.0;
};
ConstrainedSolution solve_graded(const GradedProblem& problem, const SolveOptions& options);
/// The same for `grading.scale`, by which the rank is decided.
ConstrainedSolution solve_graded(const Given& given, const MassMetric& mass, const Grading& grading,
                                 const SolveOptions& options);
/// Whether its numbers are finite: double-double overflows long before doubles do, and another way
/// may still have an answer.
bool is_finite(const ConstrainedSolution& solution);

/// What b_i − (A x)_i is measured by: |b_i| + Σ_j |A_ij x_j|, the terms that cancel in it.
VectorX balanced_size(const MatrixX& A, const VectorX& b, const VectorX& x);

/// Takes the residual of A q'' = b, each row by its size, judges the consistency, and fills
/// `residual`, `dependent`, `unique` and `outcome`; a dependency that is not exact leaves the rank
/// in doubt. Returns the dependencies (m × k) for `least_multipliers`.
struct Candidate {
    const Given& given;
    const VectorX& acceleration;         // least-squares solution of A q'' = b (n)
    const VectorX& size;                 // (m)
    const VectorX& d;                    // coordinate scale (n)
    const std::vector<Index>& unneeded;  // rows
};
Dependencies judge_consistency(ConstrainedSolution& solution, const Candidate& candidate,
                               const SolveOptions& options);

/// The largest row residual of A q'' = b by size.
double scaled_residual(const Given& given, const VectorX& acceleration, const VectorX& size);

/// λ (m) less its part in the left null space N of A: of all λ with the same Aᵀ λ the shortest (P2
/// 35), or with weights, W their diagonal, λ − N (Nᵀ W N)⁻¹ Nᵀ W λ, the one that makes Σ weight_i
/// λ_i² least. `weight` is empty for equal ones.
VectorX least_multipliers(const VectorX& lambda, const Dependencies& dependencies,
                          const VectorX& weight = {});

/// Copies what the rank decision at rank_tol says; Rows is RowSpace or DroppedRows.
template <class Rows>
void report_rank(ConstrainedSolution& solution, const Rows& rows, double rank_tol,
                 double sure_gap) {
    solution.rank = static_cast<std::size_t>(rows.rank);
    solution.singular = rows.singular;
    solution.gap = rows.gap;
    solution.path = rows.path;
    solution.rank_tol = rank_tol;
    solution.rank_decided = rows.weakest_exceeds(sure_gap * rank_tol);
    for (const Index row : rows.unneeded)
        solution.unneeded.push_back(static_cast<std::size_t>(row));
}

}  // namespace lacon::solving::dense
