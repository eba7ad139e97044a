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
    MatrixView A;  // constraints of the system (m × n), rows may depend on each other; m may be 0
    std::span<const double> b;  // (m)
    MatrixView C;               // what is required (k × n): C q'' = d
    std::span<const double> d;  // (k)
    MatrixView F;               // actuators (n × p): the force of effort 1 of each, as columns
    std::span<const int> sense{};  // of the rows of C (k): 0 for =, 1 for ≥, −1 for ≤; empty: all =
    const Matrix* N = nullptr;      // cost uᵀ N u (p × p), symmetric, positive definite on the
                                    // actuators that have weights
    std::span<const bool> gauss{};  // (p) actuators without weights, which cost (F u)ᵀ M⁻¹ (F u),
                                    // Gauss's measure, together
                                    //   (their rows and columns of N are not read); empty: all
                                    //   without N, none with it
    std::span<const double> low{},
        high{};  // limits of the efforts (p), infinite for none; empty: none
    bool nearest =
        false;  // out of reach: least |C q'' − d|, and among those efforts the least cost
    const ControlSet* set =
        nullptr;  // given: this set is in force, and what it asks for is not questioned
};

struct ControlSolution {
    /// ok; unreachable: no effort meets C q'' = d, and neither limits nor `nearest` allow to miss
    /// it; conflict, undetermined, indefinite, undefined: of the system as for `solve`; indefinite
    /// too where N is not positive definite; no_convergence.
    Outcome outcome = Outcome::ok;
    std::vector<double>
        effort;  // u (p); empty unless ok, like all below but `missed`, `dependent` and the rank
    std::vector<double> acceleration;  // q'' (n)
    std::vector<double> multipliers;   // λ (m) of A, of least norm
    Matrix shares;  // (k × p): the part of u that each row calls for; u is their sum where no limit
                    // is reached
    std::vector<double> missed;  // C q'' − d (k), zero where met; also where unreachable: what the
                                 // best effort leaves
    ControlSet set;
    double cost = 0.0;             // of u
    std::size_t rank = 0;          // of what is required, as the actuators see it: of C R, R the
                                   // accelerations of efforts 1
    std::vector<double> singular;  // of C R scaled (rows by what they weigh in Gauss's metric,
                                   // efforts by their cost),
                                   //   decreasing, relative to the largest
    std::vector<DependentSet> dependent;  // of the rows of C R: what the actuators cannot tell
                                          // apart; `conflict` where d does
};

/// Never throws for numbers; a non-finite input gives Outcome::undefined.
/// With a set given, a bound row that is not met is unreachable (unless `nearest`), and `dependent`
/// is left empty. A row of C counts as met when its residual is below SolveOptions::consistency_tol
/// times the size of what it balances. `least |C q'' − d|` is of the rows as they are: who wants
/// one more than another multiplies it.
LACON_EXPORT ControlSolution solve(const ControlProblem& problem, const SolveOptions& options = {});

}  // namespace lacon
