// Finds a point near a wanted one that meets given equations; the start search uses it.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "mechanics/system/derived_model.hpp"

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

/// First-order bounds on the rounding errors of the residuals of all rows: every input known to
/// half a unit in its last place, every operation rounded once. Decisions go by values.
void residual_rounding(const DerivedModel& details, const State& state, Residuals& out);

/// How large a residual r is beside its own equation. With ρ, the bound on its rounding error, and
/// u, half a unit in the last place of 1, ρ/u is the size of the terms it is computed from. What
/// the values may move it by is Σ_j |A_ij| max(|x_j|, extent of x): at a place where the values are
/// huge, or a derivative is, that says nothing about the equation, so that both have to be small.
struct ResidualSize {
    double by_values = 0.0;  // |r| / Σ_j |A_ij| max(|x_j|, extent)
    double by_terms = 0.0;   // |r| u / ρ
    double size = 0.0;       // the larger; at most `met_tol` where r is no more than rounding

    // Residuals are a sum of products, right to 1e-16 times their number: 1e-11 leaves room for
    // 1e5.
    static constexpr double met_tol = 1e-11;
    bool is_met() const { return size <= met_tol; }
    /// `values`: Σ_j |A_ij| max(|x_j|, extent), 0 where nothing moves r; `zeros`: of it, what comes
    /// of values that are zero beside the extent.
    static ResidualSize of(double r, double rounding, double values, double zeros);
    static bool is_zero(double x, double extent) { return std::abs(x) <= 1e-12 * extent; }
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
