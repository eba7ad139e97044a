// Evaluation of a large system at a state, with what only its report tells.
#pragma once

#include <cmath>

#include "large/field.hpp"

namespace lacon::inline large {

/// Dependent sets that are one another's like but for an index: "'again[i]' and 'rod[i]' say the
/// same thing" for many i.
struct SetGroup {
    std::vector<std::size_t> sets;  // their numbers in LargeEvaluation::dependent
    std::string text;               // a sentence for all of them, with the ranges of indices
    bool conflict = false, undecided = false;
};

/// The equation of motion at one state.
struct LargeEvaluation {
    State state;
    SparseMatrix M, A;  // of M the lower triangle
    std::vector<double> Q, b;
    std::vector<double> a, e;  // M⁻¹ Q (n) and b − A a (m); empty where M is not definite
    std::vector<double> acceleration;      // q'' (n); empty without an answer, as what follows
    std::vector<double> multipliers;       // λ of least (weighted) norm (m)
    std::vector<double> constraint_force;  // Aᵀ λ (n)
    std::vector<double> residuals, velocity_residuals;  // φ and φ' as in ConstraintReport (m)
    std::size_t rank = 0;                               // of A, where `has_rank`
    bool has_rank = false, rank_decided = true;
    double smallest_kept = 1.0;    // of the squared lengths that rows of unit length keep off the
                                   // span of those before them;
    double largest_dropped = 0.0;  //   and those of the rows that were found to depend on others
    double weakest = 1.0;  // smallest singular value of the row-scaled B that counts, beside the
                           // largest: an estimate
    std::vector<DependentSet> dependent;  // one for each row that follows from others
    std::vector<SetGroup> groups;
    double gaussian =
        NAN;  // (q'' − a)ᵀ M (q'' − a); NaN where M is not definite or there is no q''
    double residual = 0.0;  // largest of a row of A q'' = b, beside what it balances
    double kinetic = 0.0, potential = 0.0;
    std::vector<std::pair<std::string, double>> outputs;
    std::string solve;  // how, and why so
    Status status;
};
/// Everything at one state, by the sparse solve.
LargeEvaluation evaluate_large(const DerivedModel& details, const State& state,
                               const SolveOptions& options);

/// Puts sets together that differ by their indices only.
std::vector<SetGroup> group_sets(const DerivedModel& details,
                                 const std::vector<DependentSet>& sets);

}  // namespace lacon::large
