// LU decomposition with partial pivoting. Callers check the result: nothing is rejected here.
#include "solve/dense/square.hpp"

#include <Eigen/LU>

#include "solve/dense/eigen_forms.hpp"

namespace lacon {

SquareSolution solve_square(const Matrix& S, std::span<const double> y) {
    const Eigen::PartialPivLU<solving::MatrixX> lu(solving::to_eigen(S));
    return {solving::to_std(lu.solve(solving::to_eigen(y))), lu.determinant()};
}

}  // namespace lacon
