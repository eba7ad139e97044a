#pragma once

#include "mechanics/details.hpp"

namespace lacon {

/// Everything of the theory at one state: assembles M, Q, A, b, solves, and tells what every number belongs to.
Evaluation evaluate(const SystemDetails& details, const State& state, const SolveOptions& options);
/// The same but for the model's outputs.
Evaluation evaluate_without_outputs(const SystemDetails& details, const State& state, const SolveOptions& options);

}  // namespace lacon
