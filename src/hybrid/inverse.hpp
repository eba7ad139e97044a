// Inverse dynamics of a derived system, with start guesses given from outside.
#pragma once

#include <vector>

#include "lacon/motion.hpp"
#include "state/start.hpp"

namespace lacon::inline hybrid {

/// `inverse_dynamics` of lacon/motion.hpp with values of the start state from outside, which are
/// guesses here.
InverseMotion inverse_dynamics(const DerivedModel& details, const InverseOptions& options,
                               const std::vector<StartOverride>& start, const OnInverseRow& on_row);

}  // namespace lacon::hybrid
