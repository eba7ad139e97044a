// Eigenvalues of a general square matrix, with no Eigen type in the interface.
#pragma once

#include <complex>
#include <vector>

#include "lacon/matrix.hpp"

namespace lacon::solving::inline dense {

/// Of a general square matrix; empty where a value is not finite or they are not found.
std::vector<std::complex<double>> eigenvalues(const Matrix& A);

}  // namespace lacon::solving::dense

namespace lacon {
using solving::eigenvalues;
}  // namespace lacon
