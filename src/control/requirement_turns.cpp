// Decisions keep the branches that they have where a mode begins: behind a turn there is another
// mode.
#include "control/requirement_turns.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline control {

RequirementTurns::RequirementTurns(const Controller& controller)
    : smooth_(controller.smooth_requirements()),
      assembler_(controller.requirements(), controller.requirement_parameters(), *smooth_),
      sides_(smooth_->branch_count, 0) {}

/// 1e-9: far above the rounding with which a turn is located.
void RequirementTurns::note(const State& state) {
    constexpr double clear = 1e-9;
    if (std::find(sides_.begin(), sides_.end(), 0) == sides_.end()) return;
    assembler_.settle(state);
    look(state);
    for (std::size_t i = 0; i < sides_.size(); ++i)
        if (sides_[i] == 0 && std::abs(surfaces_[i].value) > clear)
            sides_[i] = surfaces_[i].value < 0.0 ? -1 : 1;
}

Rounded RequirementTurns::value(std::size_t i) const {
    return sides_[i] == 0 ? Rounded(1.0)
                          : Rounded(sides_[i] * surfaces_[i].value, surfaces_[i].error);
}

}  // namespace lacon::control
