// Where decisions within requirements turn.
#pragma once

#include "control/controller.hpp"

namespace lacon::inline control {

/// The surfaces of the decisions (`if`, `max`, …) within the requirements of controls, each with
/// its sign such that it is positive until the decision turns. One that is zero where a mode begins
/// has no side yet; it is 1 until it is told by `note`. The controller must outlive it.
class RequirementTurns {
public:
    explicit RequirementTurns(const Controller& controller);

    std::size_t count() const { return sides_.size(); }
    /// Takes the sides of those that have none, at a state behind them.
    void note(const State& state);
    void look(const State& state) { assembler_.surfaces(state, surfaces_); }
    Rounded value(std::size_t i) const;  // at the state of the last `look`

private:
    std::shared_ptr<const SmoothSystem> smooth_;
    Assembler assembler_;
    std::vector<Rounded> surfaces_;
    std::vector<int> sides_;  // of each decision; 0: not known
};

}  // namespace lacon::control
