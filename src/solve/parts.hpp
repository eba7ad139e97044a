#pragma once

#include "lacon/solve.hpp"
#include "solve/dependent_rows.hpp"
#include "solve/mass_metric.hpp"

/// The steps of `solve`, in the order it takes them.
namespace lacon::solving {

struct Given {
    VectorX Q;  // (n)
    MatrixX A;  // (m × n)
    VectorX b;  // (m)
    VectorX c;  // (n), zero for ideal constraints
};

/// Definite M: theory 2 and 4 in the coordinates of MassMetric.
ConstrainedSolution solve_definite(const Given& given, const MassMetric& mass, const SolveOptions& options);

/// Semidefinite M: theory 7, by the null space of A.
ConstrainedSolution solve_semidefinite(const Given& given, const MassMetric& mass, const SolveOptions& options);

/// What b_i − (A x)_i is measured by: |b_i| + Σ_j |A_ij x_j|, the terms that cancel in it.
VectorX balanced_size(const MatrixX& A, const VectorX& b, const VectorX& x);

/// Takes the residual of A q'' = b, each row by its size, judges the consistency, and fills `residual`, `dependent` and
/// `outcome`. Returns the dependencies (m × k) for `least_multipliers`.
struct Candidate {
    const Given& given;
    const VectorX& acceleration;         // least-squares solution of A q'' = b (n)
    const VectorX& size;                 // (m)
    const VectorX& d;                    // coordinate scale (n)
    const std::vector<Index>& unneeded;  // rows
};
Dependencies judge_consistency(ConstrainedSolution& solution, const Candidate& candidate, double tol);

/// The largest row residual of A q'' = b by size.
double scaled_residual(const Given& given, const VectorX& acceleration, const VectorX& size);

/// λ (m) less its part in the left null space of A: of all λ with the same Aᵀ λ the shortest (P2 35).
VectorX least_multipliers(const VectorX& lambda, const Dependencies& dependencies);

/// Copies what the rank decision says; Rows is RowSpace or DroppedRows.
template <class Rows>
void report_rank(ConstrainedSolution& solution, const Rows& rows) {
    solution.rank = static_cast<std::size_t>(rows.rank);
    solution.singular = rows.singular;
    solution.gap = rows.gap;
    solution.path = rows.path;
}

}  // namespace lacon::solving
