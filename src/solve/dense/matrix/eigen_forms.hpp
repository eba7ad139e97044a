// Short names for Eigen's types, and conversions from and to lacon::Matrix.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"

/// Between the library's plain arrays and Eigen's, inside the rooms of `solve` only.
namespace lacon::solving::inline dense {

using Index = Eigen::Index;
using MatrixX = Eigen::MatrixXd;
using VectorX = Eigen::VectorXd;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr double eps = std::numeric_limits<double>::epsilon();

inline MatrixX to_eigen(MatrixView A) {
    return Eigen::Map<const RowMajor>(A.data(), static_cast<Index>(A.rows()),
                                      static_cast<Index>(A.cols()));
}

inline VectorX to_eigen(std::span<const double> x) {
    return Eigen::Map<const VectorX>(x.data(), static_cast<Index>(x.size()));
}

inline std::vector<double> to_std(const VectorX& x) {
    return {x.data(), x.data() + x.size()};
}

inline Matrix to_matrix(const MatrixX& A) {
    Matrix result(static_cast<std::size_t>(A.rows()), static_cast<std::size_t>(A.cols()));
    Eigen::Map<RowMajor>(result.data(), A.rows(), A.cols()) = A;
    return result;
}

}  // namespace lacon::solving::dense
