// Solve one constrained problem from matrices (theory 1, 2, 4): M q'' = Q + Qc, A q'' = b, with
// rows that may depend on each other. Gives q'', forces, multipliers, the rank and the dependent
// sets.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lacon/export.hpp"
#include "lacon/matrix.hpp"

namespace lacon {

/// How a computation ended. Only `ok` comes with an answer.
enum class Outcome {
    ok,
    conflict,      ///< A q'' = b has no solution: the constraints ask for different things
    unreachable,   ///< the actuators cannot meet what a control requires
    undetermined,  ///< [M; A] lacks column rank: nothing determines the accelerations of some
                   ///< coordinates
    indefinite,    ///< M has a negative direction: no mass matrix
    undefined,     ///< a value is not a finite number
    no_start,      ///< no state near the guesses meets the constraints
    too_large,     ///< too large for the dense solver
    lost_rank,     ///< the rank of the constraints changed, and the run had to stop there, or could
                   ///< not tell how the motion continues
    no_convergence,  ///< no step is small enough: the motion ends here, or the method does not
                     ///< suit it
    no_force,        ///< no force satisfies the law of friction
    several,         ///< more than one motion satisfies the law of friction
    unproven,        ///< the statement could not be proven: the message has the reason
    interrupted,     ///< stopped from outside; the results until then are valid
};
LACON_EXPORT std::string_view name_of(Outcome outcome);  ///< "ok", "conflict", …: as in JSON

/// One constrained problem of Gauss (theory 1): M q'' = Q + constraint force, A q'' = b. Views;
/// nothing is copied.
struct ConstrainedProblem {
    MatrixView M;               // mass matrix (n × n), symmetric, positive (semi)definite
    std::span<const double> Q;  // impressed force (n)
    MatrixView A;  // constraint matrix (m × n), rows may depend on each other; m may be 0
    std::span<const double> b;    // right-hand side (m)
    std::span<const double> c{};  // force of non-ideal constraints (n), or empty for none (P5)
    /// Of the constraints (m), positive; empty: all 1. Multipliers of rows that depend on each
    /// other are those of least Σ weight_i λ_i².
    std::span<const double> weight{};
};

struct SolveOptions {
    enum class Path {
        automatic,  ///< complete orthogonal decomposition; singular values where its diagonal
                    ///< leaves the rank in doubt
        cod,        ///< complete orthogonal decomposition only
        svd,        ///< singular value decomposition only
        ldlt,  ///< LDLᵀ of A M⁻¹ Aᵀ with dropped pivots and one refinement (fast; squares the
               ///< condition); automatic where its checks fail
    };
    Path path = Path::automatic;
    /// A direction of the row-scaled B = A L⁻ᵀ counts as independent when its singular value
    /// exceeds this times the largest one. (Where M is so ill-conditioned, above about 1e9 with
    /// unit diagonal, that B is not known to this accuracy, its rounding counts.)
    double rank_tol = 1e-10;
    /// A q'' = b counts as met when the residual of every row is below this times the size of what
    /// it balances, |b_i| + Σ_j |A_ij q''_j| + Σ_j |A_ij a_j| + |row i of B| |y|, y the scaled
    /// change of acceleration: what its rounding comes from; or is below 100 rounding units of the
    /// row's length times that of the whole acceleration (definite M).
    double consistency_tol = 1e-8;
    /// How far from the decision numbers must be for the rank to count as decided: the smallest
    /// kept singular value of B at least this times rank_tol, so that there is this gap at least to
    /// those dropped, and every dependency exact, up to this many rounding units of the terms that
    /// cancel in Σ c_k × (row k), for the rows of A as given (2e-13 of them).
    double sure_gap = 1e3;
    /// Random seed for the start-state search.
    std::uint64_t seed = 1;
};

/// Rows of A that depend on each other: sum of coefficients[k] * (row rows[k]) = 0, and no proper
/// subset is dependent. A row of zeros is a set by itself.
struct DependentSet {
    std::vector<std::size_t> rows;  // in increasing order
    /// For rows of A as given, largest scaled to ±1, the first positive.
    std::vector<double> coefficients;
    /// |sum of coefficients[k] b[rows[k]]|, relative to the terms it balances.
    double mismatch = 0.0;
    bool conflict = false;  // whether the mismatch exceeds the consistency tolerance
    /// The verdict is not sure: the mismatch is within a factor of 10 of the tolerance, on either
    /// side; or a conflict not ten times as large as what the dependency itself leaves, or one of
    /// the row residuals alone; or consistent, yet above sure_gap rounding units and beyond the
    /// tolerance beside the b alone, which it is the accelerations that hide.
    bool undecided = false;
    double asked = 0.0;  // b of the last row, and what the other rows
    double fixed = 0.0;  //   make of it, −Σ coefficients[k] b[rows[k]] / (the last coefficient): 0
                         //   for a row of zeros
};

struct ConstrainedSolution {
    Outcome outcome = Outcome::ok;
    std::vector<double> a;             // free acceleration M⁻¹ Q (n); empty where M is singular
    std::vector<double> e;             // b − A a (m); empty where M is singular
    std::vector<double> acceleration;  // q'' (n); empty unless ok
    /// The ideal part of the constraint force (n): Qc of P1 5b. The forces are empty unless ok.
    std::vector<double> constraint_force;
    std::vector<double> nonideal_force;  // part due to c (n); zero without c
    /// λ of least (weighted) norm, Aᵀ λ = constraint_force (m): a convention where rows depend.
    std::vector<double> multipliers;
    /// Whether λ_i is the only one possible (m): the row is in no dependent set.
    std::vector<bool> unique;
    double gaussian = 0.0;  // (q'' − a)ᵀ M (q'' − a); NaN where M is singular or there is no q''

    std::size_t rank = 0;  // of A, decided once
    /// Singular values of the row-scaled B, or their estimates from the decomposition: decreasing,
    /// relative to the largest (min(m, n)). Where M is singular, those of the scaled A.
    std::vector<double> singular;
    /// The smallest kept singular value over the largest dropped one, that taken as 2e-16 at least
    /// (over rank_tol where none was dropped); 0 where rank is 0.
    double gap = 0.0;
    /// The tolerance of the decision: SolveOptions::rank_tol, or more where M is ill-conditioned.
    double rank_tol = 0.0;
    /// Whether the rank, and with it the sets and what is unique, is sure: see sure_gap.
    bool rank_decided = true;
    SolveOptions::Path path = SolveOptions::Path::cod;  // the path that gave the answer

    double residual = 0.0;  // largest row residual of A q'' = b, scaled as in consistency_tol
    /// m − rank sets that span all dependencies, few rows in each, ordered by their last rows. Of
    /// sets as good as each other, those that make late rows follow from early ones. Where rows
    /// conflict, as few sets of them as possible. (More than 64 sets, and those among more than 256
    /// rows, are minimal but not made small.)
    std::vector<DependentSet> dependent;
    /// m − rank rows, increasing, that follow from the others: late rows before early ones.
    std::vector<std::size_t> unneeded;
    /// Outcome undetermined: the coordinates that nothing fixes.
    std::vector<std::size_t> undetermined;
    std::size_t indefinite_row =
        0;  // outcome indefinite: where elimination met a negative pivot, or
    std::size_t indefinite_col = 0;  //   the pair of entries that shows it (M_ij² > M_ii M_jj)
};

/// Solves by the production path. Never throws for numbers; a non-finite input gives
/// Outcome::undefined.
LACON_EXPORT ConstrainedSolution solve(const ConstrainedProblem& problem,
                                       const SolveOptions& options = {});

}  // namespace lacon
