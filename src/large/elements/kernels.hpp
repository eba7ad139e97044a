// Compiled programs of the shapes of a large system: dynamics, residuals and power series.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernel/tiered.hpp"
#include "large/elements/shape_series.hpp"

namespace lacon::inline large {

/// Machine code for the programs of a large system's shapes, as many elements at once as Lanes has;
/// for all who run it.
struct SparseKernels {
    /// What cannot be compiled here has no source, and is interpreted.
    SparseKernels(const SparseSystem& system, const kernel::CompileOptions& options);

    /// SeriesCodes compiled.
    struct Series {
        std::shared_ptr<kernel::Source> known, sums;  // without outputs: none
        std::vector<SeriesCodes::Sum> known_outputs, sums_outputs;
        std::vector<std::uint32_t> inputs;
    };
    std::vector<std::shared_ptr<kernel::Source>> dynamics, residuals;  // of each batch
    std::vector<std::shared_ptr<const Series>> series;                 // likewise
    std::string why;  // the reason where something was not compiled
};

}  // namespace lacon::large
