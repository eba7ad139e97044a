// Rank decision and Moore–Penrose inverse of B = A L⁻ᵀ (theory 2.1, 2.7).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lacon/solve.hpp"
#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

/// A change and the multipliers behind it: Bᵀ λ = x.
struct Reaction {
    VectorX x;       // (n)
    VectorX lambda;  // (m)
};

/// The rows of B (m × n), scaled to unit length, and the one decision of their rank. For the scaled
/// rows S B, S = diag(s):
///     (S B)ᵀ = U T Vᵀ + what the rank decision drops,
/// U (n × r) and V (m × r) with orthonormal columns, T (r × r) lower triangular (diagonal by
/// singular values).
struct RowSpace {
    VectorX s;  // (m); 1 for zero rows, which stay zero
    MatrixX U;
    MatrixX T;
    MatrixX V;
    std::vector<Index> unneeded;  // m − rank rows, increasing: the others span the row space
    Index rank = 0;
    Index uncut_rank = 0;  // by the tolerance alone, where `rank` is the most that was allowed
    /// min(m, n) singular values or their estimates, decreasing, relative to the largest.
    std::vector<double> singular;
    double gap = 0.0;  // see ConstrainedSolution
    SolveOptions::Path path = SolveOptions::Path::cod;

    /// Whether the smallest kept singular value is surely at least `limit` times the largest: by a
    /// bound, else by computing them.
    bool weakest_exceeds(double limit) const;

    VectorX least_norm(const VectorX& r)
        const;  ///< (S B)⁺ S r (n): the shortest x with B x = r, least squares over scaled rows
    VectorX off_rows(const VectorX& x) const;  ///< (I − B⁺B) x
    VectorX multipliers(const VectorX& x)
        const;  ///< some λ (m) with Bᵀ λ = x, for x in the row space; B is unscaled
    Reaction reaction(const VectorX& r) const;  ///< least_norm(r) with its multipliers
    MatrixX null_space() const;  ///< orthonormal basis of {x: B x = 0} (n × (n − rank))
};

/// Bt is Bᵀ (n × m), not yet scaled; tol as SolveOptions::rank_tol; path is cod, svd, or automatic.
/// Where the tolerance leaves more than `most` directions, the strongest ones are kept, by singular
/// values: a smooth function of B as long as those kept and cut are apart.
RowSpace decide_rank(MatrixX Bt, SolveOptions::Path path, double tol, std::size_t most = SIZE_MAX);

/// The same where the columns of Bt are scaled by s (m) already, which need not make them of unit
/// length: a row that is short beside the others is then one of little weight.
RowSpace decide_rank_of_scaled(const MatrixX& Bt, VectorX s, SolveOptions::Path path, double tol,
                               std::size_t most = SIZE_MAX);

/// 1 over the length of each column of Bt, 1 for zero columns; the columns are scaled in place.
VectorX scale_rows(MatrixX& Bt);

/// The singular values of Bt with its columns scaled, relative to the largest, decreasing. Without
/// vectors; for those that have many.
std::vector<double> singular_values_of(MatrixX Bt);
inline bool has_many_singular_values(const Matrix& A) {
    constexpr std::size_t jacobi_limit = 100;  // above it divide and conquer is faster
    return std::min(A.rows(), A.cols()) > jacobi_limit;
}

/// Whether the smallest singular value of a matrix of full column rank is at least `limit` times
/// the largest. `inverse_norm` is an upper bound of the norm of its inverse; only where it leaves
/// the answer open are singular values computed.
bool smallest_exceeds(const MatrixX& kept, double inverse_norm, double limit);

/// smallest kept / largest dropped of `singular` (never taken below the rounding unit), or / tol
/// where none was dropped.
double gap_of(const std::vector<double>& singular, Index rank, double tol);

}  // namespace lacon::solving::dense
