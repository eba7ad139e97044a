// LU decomposition with partial pivoting. Callers check the result: nothing is rejected here.
#include "solve/dense/matrix/square.hpp"

#include <Eigen/LU>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

SquareSolution solve_square(const Matrix& S, std::span<const double> y) {
    const Eigen::PartialPivLU<MatrixX> lu(to_eigen(S));
    return {to_std(lu.solve(to_eigen(y))), lu.determinant()};
}

}  // namespace lacon::solving::dense
