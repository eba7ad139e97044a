// The start state of a large system.
#pragma once

#include "large/assembly.hpp"
#include "state/start.hpp"

namespace lacon::inline large {

/// consistent_start for large systems: positions first, then velocities, each the state on the
/// constraints that is nearest to its guesses in the M-metric.
Start large_start(SparseAssembler& assembler, const std::vector<StartOverride>& overrides,
                  const SolveOptions& options, std::optional<double> begin = {});

}  // namespace lacon::large
