// Sparse patterns: rows, transposes, connected parts.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solve/sparse/sparse.hpp"

namespace lacon::solving::inline sparse {

using Place = std::uint32_t;  // of a row, a column or an unknown
inline constexpr Place nowhere = std::numeric_limits<Place>::max();

inline std::span<const Place> row_of(const SparsePattern& X, std::size_t i) {
    return {X.column.data() + X.begin[i], X.begin[i + 1] - X.begin[i]};
}

/// Xᵀ; entry e of it is entry source[e] of X.
struct Transposed {
    SparsePattern pattern;
    std::vector<Place> source;
};
Transposed transpose(const SparsePattern& X);

/// The rows that each column of X is in, without where the values are.
SparsePattern columns_of(const SparsePattern& X);

/// Parts of a graph of `size` nodes that do not touch each other.
class Islands {
public:
    explicit Islands(std::size_t size);
    void join(Place a, Place b);
    Place root(Place a);
    /// Numbers the parts 0, 1, … by their first nodes: the part of each node. `count` and `largest`
    /// as left by it.
    std::vector<Place> number();
    std::size_t count = 0, largest = 0;

private:
    std::vector<Place> parent_;
};

}  // namespace lacon::solving::sparse
