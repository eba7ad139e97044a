// From code to a list of instructions: shared reciprocals, fused products, parts of limited length.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/code.hpp"

namespace lacon::kernel {

/// One instruction as it is emitted. An fma may come with a negative product or addend.
struct Step {
    std::uint32_t id = 0;  // the node whose value it gives
    Do op = Do::constant;
    Function function = Function::none;
    std::uint32_t operands[3] = {0, 0, 0};
    std::uint8_t count = 0;
    bool minus_product = false, minus_addend = false;  // of an fma
};

/// The instructions in order, cut into parts short enough for a compiler whose time grows faster
/// than a function's length.
struct Schedule {
    std::vector<std::vector<Step>> parts;
    /// Of each node: its place in the workspace, or −1: not needed in a later part.
    std::vector<std::int32_t> kept;
    std::size_t work = 0;  // places in the workspace
};

/// The same code with a / d and b / d as products with 1 / d: a division costs as much as a dozen
/// products.
Code share_reciprocals(const Code& code);

/// Depth first from the outputs. `fuse`: products that are used once, in a sum, become part of an
/// fma.
Schedule schedule(const Code& code, bool fuse, std::size_t longest_part);

}  // namespace lacon::kernel
