// Checks on the options of `lacon run --resume`, and the end time of the resumed run.
#pragma once

#include "checkpoint.hpp"

namespace lacon::app {

/// Of a run that is taken up again: what is given must be what it began with, however it is
/// spelled; the first option that is not throws Stop with both values. `run` is the checkpoint,
/// `details` the model as it was loaded for it. The end of the run may be moved, and is not looked
/// at.
void check_same_options(const RunCommandOptions& given, const Checkpoint& run,
                        const DerivedModel& details);

/// Where the run is to end: as given now, or as in the checkpoint. Throws Stop for a time that is
/// past already.
double resumed_end(const RunCommandOptions& given, const Checkpoint& run,
                   const DerivedModel& details);

}  // namespace lacon::app
