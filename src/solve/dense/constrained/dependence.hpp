// Which constraint rows depend on each other, and which forces are still unique (theory 3.7).
#pragma once

#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"

namespace lacon::solving::inline dense {

/// Rows A x = b of any level (position, velocity, acceleration) whose dependence is asked.
struct DependenceProblem {
    const Matrix& A;            // (m × n)
    std::span<const double> b;  // (m)
    /// The metric of the rank decision (n × n), as in `solve`. None: every coordinate counts as 1.
    const Matrix* M = nullptr;
    /// (m), or empty: what else each b_i balances (the size of the terms it was computed from). A
    /// mismatch that is rounding beside them is no conflict.
    std::span<const double> size = {};
};

/// The rows that are not needed, each with the rows it follows from: the same rank decision and the
/// same sets as `solve` gives for a definite M (one that is not is made so as in `least_change`). A
/// mismatch is relative to |b_i| + Σ_j |A_ij x_j| + size_i, x the shortest least-squares solution.
/// Empty where a value is not finite.
std::vector<DependentSet> dependent_sets(const DependenceProblem& problem,
                                         const SolveOptions& options = {});
std::vector<DependentSet> dependent_sets(const Matrix& A, std::span<const double> b,
                                         const SolveOptions& options = {});

/// The rows of all the sets, or of those in conflict, each once and in order.
enum class Concerned { all, conflicting };
std::vector<std::size_t> rows_of(std::span<const DependentSet> sets,
                                 Concerned concerned = Concerned::all);

/// Whether the force Σ A_iᵀ λ_i of a group of rows is the same for every λ with the same Aᵀ λ. Such
/// λ differ by left null vectors of A, which the sets span: so it is unique iff Σ coefficients[k]
/// A_k over the rows of a set that are in the group vanishes for every set, here up to 1e-9 of the
/// lengths of its terms. (A group may be unique though its multipliers are not: two rows of one
/// constraint that say the same thing.) `sets` are all of A.
bool force_is_unique(std::span<const DependentSet> sets, const Matrix& A,
                     std::span<const std::size_t> rows);

}  // namespace lacon::solving::dense

namespace lacon {
using solving::Concerned;
using solving::DependenceProblem;
using solving::dependent_sets;
using solving::force_is_unique;
using solving::rows_of;
}  // namespace lacon
