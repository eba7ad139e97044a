#pragma once

#include <vector>

#include "kernel/code.hpp"

namespace lacon::kernel {

/// A constrained problem whose numbers are not known yet:  M x = Q + Aᵀ λ,  A x = b,  all row-major.
struct Problem {
    std::size_t n = 0, m = 0;
    std::vector<Value> M, Q, A, b;
    std::vector<Value> floor;  // (m): a row with A M⁻¹ Aᵀ below this counts as nearly vanished, and is not `fine`
};

/// What is decided on the host, once.
struct Elimination {
    std::vector<std::size_t> coordinates;  // order in which M is eliminated (n)
    std::vector<std::size_t> rows;         // order of the rows that are kept
    std::vector<std::size_t> dropped;      // rows that depend on the kept ones; checked at every evaluation
    bool refined = true;                   // A x = b is refined once; else it must come out right by itself
    double clear = 0.0;                    // pivots of S below this part of the diagonal are not `fine`
};
/// An order that leaves few entries (smallest degree first), and rows dropped as told.
Elimination choose_elimination(const Problem& problem, const std::vector<bool>& is_dependent, bool refined);

/// Where the checks of a solution have their limits, here as in loops (dense.hpp).
struct Bounds {
    Bounds(std::size_t m, bool refined, double clear, double rank_tol);

    double definite = 1e-10;  // pivots of M this much below its diagonal are for the careful path to judge
    double wide;              // kept rows must be clearly independent: pivots of S beside its diagonal
    double narrow;            // dropped ones clearly dependent: the square of what is left of them, beside their size
    double met;  // what may be left of A x = b; after a refinement about the square of what was left before it is left
    double met_dropped = 1e-10;
};

struct Solved {
    std::vector<Value> x, lambda;  // (n), (m); 0 for dropped rows
    Value fine;                    // 1 where every check holds, else 0 and x must not be used
};

/// x by L D Lᵀ of M and of S = A M⁻¹ Aᵀ without pivoting, one refinement of A x = b where that is wanted, and checks: pivots of M
/// and S clear of the rank tolerance, dropped rows still in the span of the others, the constraints met.
Solved solve(const Problem& problem, const Elimination& elimination, double rank_tol);

}  // namespace lacon::kernel
