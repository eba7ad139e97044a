// Recorded efforts that a run replays (--feedforward), and a checksum that tells a resumed run
// whether it replays the same ones.
#pragma once

#include <cstdint>
#include <string>

#include "command.hpp"
#include "driver/integrate.hpp"

namespace lacon::app {

/// The efforts of `file` (--feedforward) for a run of `model`, checked against its actuators and
/// the plan's span of time. Throws Stop.
EffortRecord read_feedforward(const std::string& model, const std::string& file,
                              const DerivedModel& details, const RunPlan& plan);

/// Of its numbers: other efforts have another one, as good as surely.
std::uint64_t checksum(const EffortRecord& record);

}  // namespace lacon::app
