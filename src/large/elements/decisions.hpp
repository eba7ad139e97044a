// Branches of `if`, `abs`, `min` and `max` in a large system.
#pragma once

#include "expr/rounded.hpp"
#include "large/elements/assembly.hpp"

namespace lacon::inline large {

/// The surfaces of the decisions (if, abs, min, max) of a large system, elements side by side.
class SparseDecisions {
public:
    explicit SparseDecisions(SparseAssembler& assembler);

    /// Takes the branches of all decisions by the values at a state.
    void settle(const State& state);
    /// As Field::surfaces and surface. Their rounding is not followed through the elements, but
    /// taken for `rounding` of their size.
    void surfaces(const State& state, std::vector<Rounded>& out);
    Rounded surface(const State& state, std::size_t branch);

    // 8 times of it (Watch) is 1e-13: some hundred last places, for sums of a hundred elements.
    static constexpr double rounding = 1.25e-14;

private:
    SparseAssembler& assembler_;
    const SparseSystem& system_;
    std::vector<std::pair<const Batch*, std::size_t>>
        at_;                // of all branches: the batch and the place of the element in it
    std::size_t most_ = 0;  // decisions of one element
    std::vector<Lanes> slots_, outputs_;
};

}  // namespace lacon::large
