// Input check of the solvers: no NaN and no infinity.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "lacon/matrix.hpp"

namespace lacon::solving::inline dense {

inline bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

inline bool all_finite(MatrixView A) {
    return all_finite(A.values());
}

}  // namespace lacon::solving::dense
