// Evaluation of a large system at a state; lacon/large.hpp has the same for a `Mechanism`.
#pragma once

#include "lacon/large.hpp"
#include "large/field.hpp"

namespace lacon {

/// Everything at one state, by the sparse solve.
LargeEvaluation evaluate_large(const DerivedModel& details, const State& state,
                               const SolveOptions& options);

/// Puts sets together that differ by their indices only.
std::vector<SetGroup> group_sets(const DerivedModel& details,
                                 const std::vector<DependentSet>& sets);

}  // namespace lacon
