// Evaluation of a mechanism at a state with sparse matrices, and its dependent sets in groups.
#pragma once

#include "large/motion/field.hpp"

namespace lacon::inline large {

/// Everything at one state, by the sparse solve; nothing that it lacks may be asked of it
/// (why_not_large).
Evaluation evaluate_sparse(const DerivedModel& details, const State& state,
                           const SolveOptions& options);

/// Dependent sets that are one another's like but for an index: "'again[i]' and 'rod[i]' say the
/// same thing" for many i.
struct SetGroup {
    std::vector<std::size_t> sets;  // their numbers in ConstrainedSolution::dependent
    std::string text;               // a sentence for all of them, with the ranges of indices
    bool conflict = false, undecided = false;
};

/// Puts sets together that differ by their indices only.
std::vector<SetGroup> group_sets(const DerivedModel& details,
                                 const std::vector<DependentSet>& sets);

}  // namespace lacon::large
