// Finds a point near a wanted one that meets given equations; the start search uses it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"
#include "state/residual_size.hpp"

namespace lacon::inline state {

/// r(x) = 0 to be met near a point, in the metric M.
struct NearestProblem {
    /// What is asked for at a point.
    struct Values {
        std::vector<double> r;         // residuals (m)
        std::vector<double> rounding;  // bounds on their rounding errors (m)
        Matrix A;                      // ∂r/∂x (m × n)
        Matrix M;                      // metric (n × n)
    };
    /// False where a value is not finite; those of `rounding` need not be.
    std::function<bool(std::span<const double> x, Values& out)> at;
    std::vector<double> wanted;  // the point to stay near (n)
    std::vector<bool> fixed;     // what must not move (n)
    /// Asked once, before many more searches are begun: whether it is known that r(x) = 0 has no
    /// solution. May be empty.
    std::function<bool()> is_hopeless;
};

struct NearestPoint {
    bool met = false;       // every row, by is_met of ResidualSize
    bool defined = false;   // whether the residuals could be evaluated anywhere
    std::vector<double> x;  // the point, or the best one found
    std::vector<double> r;  // residuals there
    Matrix A;               // and their derivatives
    int searches = 1;       // how many were begun: from the wanted point, and from others beside it
    double reach = 0.0;     // how far from it the farthest of those were
};

/// A point that meets r(x) = 0, near the wanted one: Gauss–Newton steps of least change, damped
/// steps (Levenberg and Marquardt) where those fail, then a walk along the solutions that shortens
/// the distance. Where the wanted point leads nowhere, the search begins again from points beside
/// it, near ones first, chosen by the seed; of the points that are found the nearest is taken.
NearestPoint nearest_point(const NearestProblem& problem, const SolveOptions& options);

}  // namespace lacon::state
