// Which constraints of a failed start search contradict each other.
#pragma once

#include "state/nearest.hpp"
#include "state/start_search.hpp"

namespace lacon::inline state {

/// Constraints that a search has left unmet.
struct FailedLevel {
    const DerivedModel& details;
    const StatedStart& start;  // positions as found where the velocities failed
    const NearestPoint& best;
    const std::vector<std::size_t>& rows;
    bool velocity;
};

/// Sets of rows (places in `rows`) that no state meets, as far as that can be shown: linear ones by
/// what they add up to, others by intervals. Each is tried where rows at the best point depend on
/// each other and ask for different things.
std::vector<std::vector<std::size_t>> contradictions(const FailedLevel& failed);

}  // namespace lacon::state
