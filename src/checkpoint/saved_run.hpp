// A run as it stands, as a text: what Simulation::save gives and Simulation::resume takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "driver/integrate.hpp"

namespace lacon::inline checkpoint {

/// What it takes to go on with a run to the same bits.
struct SavedRun {
    std::uint64_t mechanism = 0;       // checksum of the model's text and parameter values
    RunPlan plan;                      // without RunOptions::controller and feedforward
    std::vector<StartOverride> start;  // on top of the model's start
    std::optional<Snapshot> snapshot;  // none: the run goes on from its start
    std::uint64_t steps_since = 0;     // steps to repeat from there
};

std::string text_of(const SavedRun& run);
/// Throws std::invalid_argument with a sentence for a text that is no such run.
SavedRun saved_run(std::string_view text);

}  // namespace lacon::checkpoint
