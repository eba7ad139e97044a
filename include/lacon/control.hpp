// Control by constraints, from matrices (theory 3.5, 7): find the cheapest efforts u for which
// C q'' = d, where M q'' = Q + Aᵀ λ + F u and A q'' = b. Efforts may have limits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"

namespace lacon {

/// Which limits are reached and which one-sided rows bind: while that stays so, efforts change
/// smoothly.
struct ControlSet {
    enum class Row : signed char {
        idle,    ///< one-sided, and met without effort for it
        bound,   ///< met exactly: an equation, or a one-sided row at its border
        missed,  ///< out of reach within the limits, or without them (ControlProblem::nearest): as
                 ///< near as can be
    };
    std::vector<Row> rows;            // (k)
    std::vector<signed char> limits;  // (p) −1: at its lower limit, 1: at its upper one, 0: free
    bool operator==(const ControlSet&) const = default;
};

/// Control by constraints (theory 3.5 and 7): M q'' = Q + Aᵀ λ + F u, A q'' = b holds whatever u
/// is, and u is the effort of least cost for which C q'' = d. Views; nothing is copied.
struct ControlProblem {
    MatrixView M;               // mass matrix (n × n), symmetric, positive definite
    std::span<const double> Q;  // impressed force (n)
    /// Constraints of the system (m × n), rows may depend on each other; m may be 0.
    MatrixView A;
    std::span<const double> b;  // (m)
    MatrixView C;               // what is required (k × n): C q'' = d
    std::span<const double> d;  // (k)
    MatrixView F;               // actuators (n × p): the force of effort 1 of each, as columns
    std::span<const int> sense{};  // of the rows of C (k): 0 for =, 1 for ≥, −1 for ≤; empty: all =
    /// The cost uᵀ N u (p × p): symmetric, positive definite on the actuators that have weights.
    const Matrix* N = nullptr;
    /// (p) The actuators without weights, which together cost Gauss's measure (F u)ᵀ M⁻¹ (F u);
    /// their rows and columns of N are not read. Empty: all without N, none with it.
    std::span<const bool> gauss{};
    std::span<const double> low{},
        high{};  // limits of the efforts (p), infinite for none; empty: none
    /// Out of reach: least |C q'' − d|, and among those efforts the least cost.
    bool nearest = false;
    /// Given: this set is in force, and what it asks for is not questioned.
    const ControlSet* set = nullptr;
};

struct ControlSolution {
    /// ok; unreachable: no effort meets C q'' = d, and neither limits nor `nearest` allow to miss
    /// it; conflict, undetermined, indefinite, undefined: of the system as for `solve`; indefinite
    /// too where N is not positive definite; no_convergence.
    Outcome outcome = Outcome::ok;
    /// u (p); empty unless ok, like all below but `missed`, `dependent` and the rank.
    std::vector<double> effort;
    std::vector<double> acceleration;  // q'' (n)
    std::vector<double> multipliers;   // λ (m) of A, of least norm
    /// (k × p) The part of u that each row calls for. u is their sum where no limit is reached.
    Matrix shares;
    /// C q'' − d (k), zero where met. Where the outcome is unreachable: what the best effort
    /// leaves.
    std::vector<double> missed;
    ControlSet set;
    double cost = 0.0;  // of u
    /// Of the requirements as the actuators see them: of C R, R the accelerations of efforts 1.
    std::size_t rank = 0;
    /// Singular values of C R, decreasing, relative to the largest. Rows are scaled by their weight
    /// in Gauss's metric, efforts by their cost.
    std::vector<double> singular;
    /// Of the rows of C R: what the actuators cannot move independently; `conflict` where d
    /// requires it.
    std::vector<DependentSet> dependent;
};

/// Never throws for numbers; a non-finite input gives Outcome::undefined.
/// With a set given, a bound row that is not met is unreachable (unless `nearest`), and `dependent`
/// is left empty. A row of C counts as met when its residual is below SolveOptions::consistency_tol
/// times the size of what it balances. `least |C q'' − d|` is of the rows as they are: who wants
/// one more than another multiplies it.
LACON_EXPORT ControlSolution solve(const ControlProblem& problem, const SolveOptions& options = {});

}  // namespace lacon
