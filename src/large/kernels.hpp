#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernel/tiered.hpp"
#include "large/batches.hpp"

namespace lacon {

/// Machine code for the programs of a large system's shapes, as many elements at once as Lanes has; for all who run it.
struct LargeKernels {
    /// What cannot be compiled here has no source, and is interpreted.
    LargeKernels(const LargeSystem& system, const kernel::CompileOptions& options);

    std::vector<std::shared_ptr<kernel::Source>> dynamics, residuals;  // of each batch
    std::string why;                                                   // the reason where something was not compiled
};

}  // namespace lacon
