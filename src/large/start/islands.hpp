// Connected parts of the constraint rows, which the start search can meet separately.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solve/sparse/sparse.hpp"

namespace lacon::inline large {

/// The parts into which rows fall that share no value which may move: each can be met by itself.
/// Numbered in the order of their first rows.
struct Islands {
    /// `taken`: the rows of A (`rows`) that take part.
    Islands(const SparsePattern& rows, std::span<const std::uint32_t> taken,
            const std::vector<bool>& fixed);

    std::size_t count = 0;
    std::vector<std::uint32_t> of_row;  // of each one taken
    std::vector<std::uint32_t>
        of_value;  // of each value; `count`: of none, as those that are fixed or in no row
};

}  // namespace lacon::large
