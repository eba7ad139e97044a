// Check for compiled steps: no constraint row may vanish between their ends.
#pragma once

#include <vector>

#include "kernel/code.hpp"

namespace lacon::inline code {

/// The squares of the lengths of rows; `A` (m × n, row-major).
inline std::vector<kernel::Value> squares_of(const std::vector<kernel::Value>& A, std::size_t n) {
    std::vector<kernel::Value> squares;
    for (std::size_t first = 0; first < A.size(); first += n) {
        squares.emplace_back();
        for (std::size_t j = first; j < first + n; ++j) squares.back() += A[j] * A[j];
    }
    return squares;
}

/// Whether rows of constraints keep their length along a compiled step, up to the factor
/// `most_times`. One that vanishes on the way, as the square of the time does where it comes back
/// on the same side, does not: at the begin, amid or at the end of the step it is ninefold shorter
/// than at another of these places. Singular values of rows of unit length do not show it. Given
/// the squares of the lengths at several places, in any metric.
inline kernel::Value keep_length(const std::vector<std::vector<kernel::Value>>& places,
                                 double most_times) {
    kernel::Value holds = 1.0;
    for (std::size_t row = 0; row < places.front().size(); ++row) {
        kernel::Value least = places.front()[row], most = least;
        for (std::size_t place = 1; place < places.size(); ++place) {
            const kernel::Value& square = places[place][row];
            least = -max(-least, -square);
            most = max(most, square);
        }
        holds = when_both(holds, when_less_equal(most * (1.0 / (most_times * most_times)), least));
    }
    return holds;
}

}  // namespace lacon::code
