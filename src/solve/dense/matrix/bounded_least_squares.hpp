// Least squares under linear bounds, as efforts with limits need it.
#pragma once

#include <vector>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

/// Least |E x − f| over x = start + N t (any t) with G x ≥ g. E and G N may lack rank.
struct BoundedLeastSquares {
    const MatrixX& E;         // (e × n)
    const VectorX& f;         // (e)
    const MatrixX& G;         // (h × n), rows of unit length
    const VectorX& g;         // (h)
    const VectorX& start;     // (n), G start ≥ g up to rounding
    const MatrixX& N;         // (n × l), orthonormal columns
    double rank_tol = 1e-10;  // of E along what the bounds leave free, relative to E
};

struct BoundedSolution {
    bool converged = false;
    VectorX x;  // (n)
    /// (h): the bounds whose forces are not rounding; the others could be left out.
    std::vector<bool> push;
};

/// A primal active-set method: every pass either goes to the least point that the working bounds
/// allow or, on the way there, takes on the bound that stops it; at the least point the bound that
/// pulls most is left. Where it does not get on it takes the first in order instead (Bland), so
/// that it cannot cycle. Not converged after 50 (n + h) + 100 passes.
BoundedSolution least_squares_within(const BoundedLeastSquares& problem);

}  // namespace lacon::solving::dense
