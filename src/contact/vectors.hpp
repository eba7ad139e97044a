// Dot product, norm and row selection for the small problems of this room.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "base/numbers.hpp"
#include "lacon/matrix.hpp"

/// Arithmetic of short lists of numbers, inside this room.
namespace lacon::inline contact {

inline double dot(std::span<const double> x, std::span<const double> y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

inline double norm(std::span<const double> x) {
    return std::sqrt(dot(x, x));
}

inline Matrix rows_of(const Matrix& A, std::span<const std::size_t> rows) {
    Matrix result(rows.size(), A.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(A.row(rows[i]).begin(), A.cols(), result.row(i).begin());
    return result;
}

}  // namespace lacon::contact
