// Joins rows that share a free value by union-find with path halving.
#include "large/start/islands.hpp"

#include <algorithm>
#include <numeric>

namespace lacon::inline large {

Islands::Islands(const SparsePattern& rows, std::span<const std::uint32_t> taken,
                 const std::vector<bool>& fixed) {
    // A forest over the rows taken: rows that share a value come under one root, the first of them.
    std::vector<std::uint32_t> above(taken.size());
    std::iota(above.begin(), above.end(), 0U);
    const auto root = [&](std::uint32_t i) {
        while (above[i] != i) i = above[i] = above[above[i]];
        return i;
    };
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> first(rows.cols, none);  // the first row taken that has the value
    for (std::uint32_t i = 0; i < taken.size(); ++i)
        for (std::size_t e = rows.begin[taken[i]]; e < rows.begin[taken[i] + 1]; ++e) {
            const std::uint32_t value = rows.column[e];
            if (fixed[value]) continue;
            if (first[value] == none) first[value] = i;
            const std::uint32_t a = root(first[value]), b = root(i);
            above[std::max(a, b)] = std::min(a, b);
        }
    of_row.resize(taken.size());
    for (std::uint32_t i = 0; i < taken.size(); ++i)
        of_row[i] = root(i) == i ? static_cast<std::uint32_t>(count++) : of_row[root(i)];
    of_value.resize(rows.cols);
    for (std::size_t j = 0; j < rows.cols; ++j)
        of_value[j] = first[j] == none ? static_cast<std::uint32_t>(count) : of_row[first[j]];
}

}  // namespace lacon::large
