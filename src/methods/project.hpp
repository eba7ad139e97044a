// The iteration of a projection, shared by dense and sparse systems.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/numbers.hpp"
#include "lacon/mechanism.hpp"

/// The rounds of a projection, whatever matrices it has: Projector's are dense, SparseProjector's
/// are sparse.
namespace lacon::inline methods::projecting {

/// What residuals r (m) of a level are scaled by: the extent of the state times Σ_j |A_ij|,
/// `length(row)`.
inline double extent_of(const State& state, bool velocity_level) {
    return std::max(1e-6, largest(velocity_level ? state.v : state.q));
}

/// Notes the largest residual of some rows in `out`, scaled and as it is; one that is not finite
/// stays so.
template <class Rows, class Length, class Left>
void note_largest(const Rows& rows, std::span<const double> r, Length length, bool velocity_level,
                  Left& out) {
    double worst = 0.0, absolute = 0.0;
    for (const auto row : rows) {
        const double size = length(row);
        absolute = std::max(absolute, std::abs(r[row]));
        const double scaled = std::abs(r[row]) / (size > 0.0 ? size : 1.0);
        worst = std::isfinite(scaled) ? std::max(worst, scaled) : scaled;
        if (!std::isfinite(scaled)) break;
    }
    (velocity_level ? out.velocity : out.position) = worst;
    (velocity_level ? out.velocity_absolute : out.position_absolute) = absolute;
}

/// Corrects x with one factorization until its residual is `rounding`, or halves no more:
/// `residual()` measures it, `solve()` gives the next change.
template <class Residual, class Solve>
void correct(std::vector<double>& x, double rounding, Residual residual, Solve solve) {
    constexpr int most_rounds = 12;
    double before = residual();
    std::vector<double> best = x;
    for (int round = 0; round < most_rounds && before > rounding; ++round) {
        const std::vector<double>& change = solve();
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += change[i];
        const double now = residual();
        if (!(now <
              0.5 * before)) {  // rounding has been reached, or the factorization is too far away
            if (!(now < before)) {
                x = best;
                residual();
            }
            break;
        }
        before = now;
        best = x;
    }
}

/// Corrects positions and velocities, `correct(velocity_level)`, and factors again, `factor()`,
/// until the state has not moved away from where it was factored. no_convergence: the residuals
/// have to be looked at.
template <class Correct, class Factor>
Outcome project(const State& state, Correct correct, Factor factor) {
    constexpr int most_factorizations = 6;
    for (int round = 0; round < most_factorizations; ++round) {
        const std::vector<double> q = state.q;
        const bool positions = correct(false);
        const bool velocities = positions && correct(true);
        double moved = 0.0;
        for (std::size_t i = 0; i < q.size(); ++i)
            moved = std::max(moved, std::abs(state.q[i] - q[i]));
        const bool near =
            moved <=
            1e-7 * std::max(1.0, largest(q));  // then the factorization serves the step too
        if (positions && velocities && near) return Outcome::ok;
        if (const Outcome outcome = factor(); outcome != Outcome::ok) return outcome;
    }
    return Outcome::no_convergence;
}

}  // namespace lacon::methods::projecting
