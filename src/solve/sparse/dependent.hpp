// Dependent rows of sparse systems: sets, conflicts (theory 3.7), least multipliers (P2 35).
#pragma once

#include <span>
#include <vector>

#include "solve/sparse/system.hpp"

namespace lacon::solving::inline sparse {

/// What the dependencies are asked of: the factored system and the rows as given.
struct DependenceQuestion {
    const SparseSystem& system;
    const SparsePattern& rows;
    std::span<const double> A;  // of its entries
    std::span<const double> d;  // scales of the coordinates (n): 1/√M_jj
    double exact;               // a dependency that leaves no more than this of its terms is exact
};

/// Fundamental circuits: each dropped row with the kept rows it follows from. Coefficients are for
/// the rows as given.
struct SparseCircuit {
    std::vector<Place> rows;           // increasing
    std::vector<double> coefficients;  // the largest, for rows of unit length, is 1
    double residual = 0.0;             // |Σ c_k × row| / Σ |c_k|, rows of unit length
};
std::vector<SparseCircuit> find_circuits(const DependenceQuestion& question,
                                         std::span<const Place> dropped);

/// b (m), size (m): what each b_i balances; tol: of consistency.
struct SparseBalance {
    std::span<const double> b, size;
    double tol;
};
DependentSet set_of(const SparseCircuit& circuit, const SparseBalance& balance, double exact);

/// λ − N (Nᵀ W N)⁻¹ Nᵀ W λ, N the coefficients of the sets.
void share_multipliers(std::span<const DependentSet> sets, std::span<const double> weight,
                       std::span<double> lambda);

}  // namespace lacon::solving::sparse
