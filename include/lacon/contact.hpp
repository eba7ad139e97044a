// Solve for accelerations or impacts with one-sided constraints and Coulomb friction, from matrices
// (theory 3.8, 4.5): M x = Q + Aᵀ λ + Nᵀ f + Σ Wᵀ τ, A x = b, N x ≥ d.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"

namespace lacon {

/// Friction of Coulomb where rows press: the force Wᵀ τ with |τ| ≤ at_rest · load while nothing
/// slips, and τ = −kinetic · load · direction where it does. At rest, sticking is tried first.
struct ContactFriction {
    /// Dry friction with a bound of its own: load = 1, whatever presses. The rows below are none.
    bool fixed = false;
    /// The row of N that presses, load = scale · its force; or the two-sided rows below do.
    std::optional<std::size_t> one_sided;
    std::vector<std::size_t> two_sided;  // the rows of A that press: load = |Gᵀ λ| over these rows
    double scale = 1.0;
    Matrix G;  // (two_sided.size() × d)
    /// (k × n), k 1 … 3: the slip rate is W x − w. Rows may depend on each other and on those of A
    /// and N.
    Matrix W;
    std::vector<double> w;  // (k)
    double kinetic = 0.0;   // coefficient while it slips; of a fixed bound, the bound
    double at_rest = 0.0;   // coefficient while it sticks, ≥ kinetic
    /// (k) The unit vector of the sliding velocity. Empty: at rest so far, so that it sticks or
    /// begins to slip against its own slip rate W x − w.
    std::vector<double> direction;
    double weight = 1.0;  // of τ that sticks, where forces are not unique
};

/// The problem of Gauss with rows that only push (theory 3.8) and with friction (theory 4.5). For
/// accelerations Q is the force and d, w come from the velocities; for impulses x is the velocity
/// after, Q the momentum before. Views; nothing is copied.
struct ContactProblem {
    MatrixView M;               // mass matrix (n × n), symmetric, positive (semi)definite
    std::span<const double> Q;  // (n): M x = Q + Aᵀ λ + Nᵀ f + Σ Wᵀ τ
    MatrixView A;               // two-sided rows (m × n): A x = b; they may depend on each other
    std::span<const double> b;  // (m)
    MatrixView N;  // one-sided rows (p × n): N x ≥ d, f ≥ 0, and f = 0 where N x > d
    std::span<const double> d;  // (p)
    std::span<const ContactFriction> friction{};
    /// Of the rows of A (m) and N (p), positive; empty: all 1. Forces that are not unique are those
    /// of least Σ weight_i f_i².
    std::span<const double> weight_A{}, weight_N{};
};

struct ContactSolution {
    /// ok; conflict: no x meets all rows; no_force, several: friction that drives its own load;
    /// undetermined: [M; A] lacks column rank, or x depends on loads that are not unique;
    /// undefined, indefinite: as for `solve`; no_convergence: not found, and too many cases to try
    /// them all.
    Outcome outcome = Outcome::ok;
    std::vector<double> x;            // (n); empty unless ok, like all forces
    std::vector<double> multipliers;  // λ (m) of A, of least (weighted) norm for the other forces
    /// f (p), with the τ that stick of least (weighted) norm where they are not unique.
    std::vector<double> forces;
    std::vector<std::vector<double>> friction;  // τ of each (k)

    enum class ContactState {
        open,     ///< N x > d
        working,  ///< N x = d, pressed, and in the independent working set
        idle,  ///< N x = d without being needed: its row depends on the working ones, or its force
               ///< is zero
    };
    std::vector<ContactState> contact_states;  // (p)
    enum class FrictionState {
        none,  ///< its contact is open
        sticks,
        slips,
    };
    std::vector<FrictionState> friction_states;  // of each friction
    /// Of slipping ones: unit (k), as given or that of its slip rate.
    std::vector<std::vector<double>> direction;
    /// Of sticking contacts: the rows of W in the working set, independent of A, of the working
    /// rows of N and of earlier friction rows.
    std::vector<std::vector<std::size_t>> friction_rows;
    bool forces_unique = true;
    /// Found, where they were looked for: 0 for no_force, at least 2 for several.
    std::size_t solutions = 1;
    /// The one-sided rows of a conflict (none where A x = b alone has no solution), or the
    /// frictions of no_force, several and undetermined.
    std::vector<std::size_t> concerned;
    /// Largest violations; rows by the size of the terms they balance (see
    /// SolveOptions::consistency_tol), forces by the largest.
    struct Certificate {
        double primal = 0.0;  // of N x ≥ d and A x = b
        double dual = 0.0;    // of f ≥ 0, |τ| ≤ at_rest · load, and M x = Q + forces
        /// Of f (N x − d) = 0, of W x = w where it sticks, and of friction opposing slip.
        double complementarity = 0.0;
    };
    Certificate certificate;
};

struct ContactOptions {
    SolveOptions solve;
    /// Contact states, friction states and directions to begin with, of a problem of the same
    /// shape.
    const ContactSolution* warm = nullptr;
};

/// Never throws for numbers; a non-finite input gives Outcome::undefined.
/// Rows are judged by the size of what they balance, |d_i| + Σ_j |N_ij| (|x_j| + |a_j|) + what the
/// forces move, a the free motion: one that is violated by more than 1e-12 of it enters the working
/// set, one beyond its bound by at most 1e-10 touches, and one that depends on the working rows
/// contradicts them from SolveOptions::consistency_tol on. Forces are judged by the largest: pull
/// and excess over a cone count from 1e-10 of it on, and what is below 1e-12 of it is set to zero.
///
/// Contacts that act on each other and can all stay closed and stick do so. Else all motions that
/// satisfy the law are looked for, with up to five contacts at rest in the plane; with more, those
/// that differ by up to 6 contacts that slide already.
LACON_EXPORT ContactSolution solve(const ContactProblem& problem,
                                   const ContactOptions& options = {});

}  // namespace lacon
