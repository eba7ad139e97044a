// Input check of the solvers: no NaN and no infinity.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "lacon/matrix.hpp"

namespace lacon::solving {

inline bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

inline bool all_finite(const Matrix& A) {
    return all_finite(std::span<const double>(A.data(), A.rows() * A.cols()));
}

}  // namespace lacon::solving
