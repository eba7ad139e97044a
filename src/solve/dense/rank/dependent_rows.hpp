// Unneeded rows of A and the sets through which they follow from the others (theory 3.7).
#pragma once

#include <vector>

#include "lacon/solve.hpp"
#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

/// N (m × k) spans the left null space of a matrix of m rows. Returns k rows, increasing, that the
/// others can express, as late in the order as stability allows.
std::vector<Index> unneeded_rows(MatrixX N);

/// How the unneeded rows of A depend on the others.
struct Dependencies {
    /// (m × k) For rows as given: column u holds −1 at the row unneeded[u] and its coefficients at
    /// needed rows; Aᵀ C = 0.
    MatrixX C;
    VectorX length;  // of the rows (m) in scaled coordinates, 1 for zero rows
    /// The rows, scaled and of unit length or zero, as columns (n × m); empty where k is 0.
    MatrixX unit;
    /// A coefficient for rows of unit length at or below this times the largest of its set is
    /// rounding.
    double zero = 0.0;
    /// A dependency that leaves no more than this of its terms is exact: SolveOptions::sure_gap
    /// roundings.
    double exact = 0.0;
};

/// d (n) scales the coordinates.
Dependencies find_dependencies(const MatrixX& A, const VectorX& d,
                               const std::vector<Index>& unneeded,
                               const SolveOptions& options = {});

/// What each b_i balances, size (m), and the consistency tolerance.
struct Balance {
    const VectorX& b;
    const VectorX& size;
    double tol;
};

/// The dependent sets, as small as can be had.
struct Sets {
    std::vector<DependentSet> sets;
    bool exact = true;  // every one holds up to Dependencies::exact
};
Sets sets_of(const Dependencies& dependencies, const Balance& balance);

}  // namespace lacon::solving::dense
