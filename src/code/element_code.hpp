// Code for the elements of a model too large to compile as a whole, and where each result goes in
// M, Q, A and b.
#pragma once

#include <vector>

#include "code/acceleration_code.hpp"

namespace lacon::inline code {

/// A number that elements add to, in the model's numbering: M_ij with i ≥ j, Q_i, A_ij (i the row)
/// or b_i.
struct Item {
    Entry::Target target = Entry::Target::mass;
    std::size_t i = 0, j = 0;
    auto operator<=>(const Item&) const = default;
};

/// Straight-line code for some of a model's elements. Elements of one shape are told apart by their
/// inputs only, and go side by side through the lanes of the code, in several runs; elements that
/// are the only ones of their shape have code of their own.
struct ElementCode {
    kernel::Code code;
    std::size_t lanes = 1, runs = 1;
    std::vector<std::uint32_t> inputs;  // (runs × inputs × lanes): which of KernelInputs
    struct Output {
        std::size_t run, output, lane;
        Item item;
    };
    std::vector<Output> outputs;  // in the order in which they are added up
};

/// Code for all elements, with at most `lanes` side by side. Throws std::runtime_error for what is
/// too long to compile.
std::vector<ElementCode> element_codes(const DerivedModel& details, const SmoothSystem& smooth,
                                       std::size_t lanes);

}  // namespace lacon::code
