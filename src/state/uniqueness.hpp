// Which outputs show forces that are a convention: constraints that depend on each other share
// their forces in infinitely many ways, of which the one of least norm is given.
#pragma once

#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline state {

/// Names of the outputs that would change if multipliers changed that no motion tells apart: the
/// null vectors of Aᵀ. Of models without contacts at a dense evaluation; else none.
std::vector<std::string> outputs_not_unique(const DerivedModel& details, const Evaluation& at);
/// The same at a state, of models small enough for a dense evaluation that have such outputs.
std::vector<std::string> outputs_not_unique(const DerivedModel& details, const State& state,
                                            const SolveOptions& options);

}  // namespace lacon::state
