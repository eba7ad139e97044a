// LDLᵀ that drops vanishing pivots: a g-inverse at the cost of a Cholesky factorization.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lacon::solving::inline dense {

/// L D Lᵀ of a positive semidefinite S (m × m) with unit diagonal, without pivoting; a pivot at or
/// below drop_tol is dropped with its row and column. What is left solves with a g-inverse of S: S
/// S⁻ r = r for every r in the range of S. Plain loops over contiguous rows, no branch on values
/// but the drop itself.
struct DroppedLdlt {
    /// S holds squares of lengths: 1e-9 means a row that keeps 3e-5 of its length off the span of
    /// the rows before it. Elimination in doubles leaves about 1e-15 of a dependent row; see
    /// `clear` for the room between.
    static constexpr double drop_tol = 1e-9;
    /// No kept pivot below drop_tol * clearance and no dropped one above drop_tol / clearance: the
    /// squared form has decided safely.
    static constexpr double clearance = 1e3;

    std::size_t m = 0;
    std::vector<double> L;  // unit lower triangular (m × m), row-major; the diagonal is not stored
    std::vector<double> pivots;   // (m), before dropping
    std::vector<double> inverse;  // (m): 1 / pivot, 0 where dropped

    std::size_t rank() const;
    bool clear() const;
    void solve(std::span<double> r) const;  ///< r ← S⁻ r, in place (m)
};

/// S (m × m), row-major, only its lower triangle is read.
DroppedLdlt factor_dropping(std::span<const double> S, std::size_t m);
/// The same in the storage of `result`.
void factor_dropping(std::span<const double> S, std::size_t m, DroppedLdlt& result);

}  // namespace lacon::solving::dense
