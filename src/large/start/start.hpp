// The start state of a large system.
#pragma once

#include "large/elements/assembly.hpp"
#include "state/start.hpp"

namespace lacon::inline large {

/// The start state by sparse matrices, found as state/start.hpp says.
Start consistent_start(SparseAssembler& assembler, const std::vector<StartOverride>& overrides,
                       const SolveOptions& options, std::optional<double> begin = {});

}  // namespace lacon::large
