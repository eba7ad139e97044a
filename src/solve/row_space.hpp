#pragma once

#include <vector>

#include "lacon/solve.hpp"
#include "solve/eigen_forms.hpp"

namespace lacon::solving {

/// A change and the multipliers behind it: Bᵀ λ = x.
struct Reaction {
    VectorX x;       // (n)
    VectorX lambda;  // (m)
};

/// The rows of B (m × n), scaled to unit length, and the one decision of their rank. For the scaled rows S B, S = diag(s):
///     (S B)ᵀ = U T Vᵀ + what the rank decision drops,
/// U (n × r) and V (m × r) with orthonormal columns, T (r × r) lower triangular (diagonal by singular values).
struct RowSpace {
    VectorX s;  // (m); 1 for zero rows, which stay zero
    MatrixX U;
    MatrixX T;
    MatrixX V;
    std::vector<Index> unneeded;  // m − rank rows, increasing: the others span the row space
    Index rank = 0;
    std::vector<double> singular;  // min(m, n), decreasing, relative to the largest: singular values or their estimates
    double gap = 0.0;              // see ConstrainedSolution
    SolveOptions::Path path = SolveOptions::Path::cod;

    VectorX least_norm(const VectorX& r) const;  ///< (S B)⁺ S r (n): the shortest x with B x = r, least squares over scaled rows
    VectorX off_rows(const VectorX& x) const;    ///< (I − B⁺B) x
    VectorX multipliers(const VectorX& x) const;  ///< some λ (m) with Bᵀ λ = x, for x in the row space; B is unscaled
    Reaction reaction(const VectorX& r) const;    ///< least_norm(r) with its multipliers
};

/// Bt is Bᵀ (n × m), not yet scaled; tol as SolveOptions::rank_tol; path is cod, svd, or automatic.
RowSpace decide_rank(MatrixX Bt, SolveOptions::Path path, double tol);

/// 1 over the length of each column of Bt, 1 for zero columns; the columns are scaled in place.
VectorX scale_rows(MatrixX& Bt);

/// smallest kept / largest dropped of `singular` (never taken below the rounding unit), or / tol where none was dropped.
double gap_of(const std::vector<double>& singular, Index rank, double tol);

}  // namespace lacon::solving
