// Dense matrices of intervals, for the verified solves.
#pragma once

#include <cstddef>
#include <vector>

#include "interval/interval.hpp"

namespace lacon::inline interval {

/// A matrix of intervals (rows × cols), row-major: all matrices with entries in them.
struct IntervalMatrix {
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::vector<Interval> entries;

    IntervalMatrix() = default;
    IntervalMatrix(std::size_t r, std::size_t c) : rows(r), cols(c), entries(r * c) {}

    Interval& operator()(std::size_t i, std::size_t j) { return entries[i * cols + j]; }
    const Interval& operator()(std::size_t i, std::size_t j) const { return entries[i * cols + j]; }
};

}  // namespace lacon::interval
