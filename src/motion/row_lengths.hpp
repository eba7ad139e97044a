#pragma once

#include <vector>

#include "kernel/code.hpp"

namespace lacon {

/// Whether rows of constraints keep their length along a compiled step, up to the factor `most_times`. One that vanishes on the
/// way, as the square of the time does where it comes back on the same side, does not: at the begin, amid or at the end of the
/// step it is ninefold shorter than at another of these places. Singular values of rows of unit length do not show it. `A`
/// (m × n, row-major) at several places.
inline kernel::Value keep_length(const std::vector<const std::vector<kernel::Value>*>& places, std::size_t n, double most_times) {
    kernel::Value holds = 1.0;
    for (std::size_t first = 0; first < places.front()->size(); first += n) {
        kernel::Value least, most;
        for (const std::vector<kernel::Value>* A : places) {
            kernel::Value square;
            for (std::size_t j = first; j < first + n; ++j) square += (*A)[j] * (*A)[j];
            least = A == places.front() ? square : -max(-least, -square);
            most = A == places.front() ? square : max(most, square);
        }
        holds = when_both(holds, when_less_equal(most * (1.0 / (most_times * most_times)), least));
    }
    return holds;
}

}  // namespace lacon
