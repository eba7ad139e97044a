// Branches of `if`, `abs`, `min` and `max` in a large system, and where a step crosses them.
#pragma once

#include <optional>

#include "large/assembly.hpp"
#include "locate/watch.hpp"

namespace lacon {

/// The decisions (if, abs, min, max) of a large system along its steps: each keeps the branch it
/// has taken until its surface is crossed.
class LargeDecisions {
public:
    explicit LargeDecisions(LargeAssembler& assembler);

    bool is_empty() const { return sides_.empty(); }
    /// Takes all decisions by the values at a state (the begin of a run).
    void settle(const State& state);
    /// The first surface that a step crosses, with its place refined to rounding.
    struct Turn {
        double tau = 0.0;
        std::size_t branch = 0;
    };
    std::optional<Turn> first(const Monitors::Path& path, const Clock& begin);
    /// Takes the other branch, at a state.
    void turn(std::size_t branch, const State& state);
    const Decision& decision(std::size_t branch) const;
    std::string text(std::size_t branch) const;  // the decision in the model's names

    const std::vector<int>& sides() const { return sides_; }
    void recall(const std::vector<int>& sides);
    BeginBorder border;

private:
    struct Window {
        double from, to;
        int depth;
    };
    void surfaces(const State& state, std::vector<double>& out);
    double surface(const State& state, std::size_t branch);
    void set(std::size_t branch, int side);
    bool may_cross(std::size_t branch, const std::vector<std::vector<double>>& samples) const;

    LargeAssembler& assembler_;
    const LargeSystem& system_;
    std::vector<int> sides_;  // of all branches
    std::vector<std::pair<const Batch*, std::size_t>>
        at_;                // of all branches: the batch and the place of the element in it
    std::size_t most_ = 0;  // decisions of one element
    std::vector<Lanes> slots_, outputs_;
};

}  // namespace lacon
