// The fast way to B⁺, by B Bᵀ, with a check whether its rank can be trusted.
#pragma once

#include <vector>

#include "solve/dense/matrix/dropped_ldlt.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

/// The same offer as RowSpace, from L D Lᵀ of S B Bᵀ S: faster, but the condition is squared.
struct DroppedRows {
    VectorX s;   // (m) row scale
    MatrixX Bt;  // scaled Bᵀ (n × m)
    DroppedLdlt factor;
    std::vector<Index> unneeded;
    Index rank = 0;
    /// Estimates: square roots of the pivots, decreasing, relative to the largest.
    std::vector<double> singular;
    double gap = 0.0;
    SolveOptions::Path path = SolveOptions::Path::ldlt;

    /// Whether RowSpace would decide the same rank at tol: pivots are squares and cannot tell 1e-8
    /// from zero, so every dropped row is compared with the kept ones itself.
    bool sure(double tol) const;

    bool weakest_exceeds(double limit) const;

    VectorX least_norm(const VectorX& r) const;
    VectorX off_rows(const VectorX& x) const;
    VectorX multipliers(const VectorX& x) const;
    Reaction reaction(const VectorX& r) const;

private:
    VectorX g_inverse(const VectorX& r) const;  // (S B Bᵀ S)⁻ r
};

DroppedRows drop_rows(MatrixX Bt, double tol);

}  // namespace lacon::solving::dense
