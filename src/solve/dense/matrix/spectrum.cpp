// Eigen's solver for nonsymmetric matrices, without eigenvectors.
#include "solve/dense/matrix/spectrum.hpp"

#include <Eigen/Eigenvalues>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

std::vector<std::complex<double>> eigenvalues(const Matrix& A) {
    const MatrixX matrix = to_eigen(A);
    if (matrix.size() == 0 || !matrix.allFinite()) return {};
    const Eigen::EigenSolver<MatrixX> solver(matrix, false);
    if (solver.info() != Eigen::Success) return {};
    return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

}  // namespace lacon::solving::dense
