// Angles that a start search has turned too far.
#pragma once

#include "mechanics/numbers/assemble.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline state {

/// Turns back angles that were moved by more than half a turn, as far as the model is periodic in
/// them.
void unwind_angles(const DerivedModel& details, const State& guessed, State& state);

}  // namespace lacon::state
