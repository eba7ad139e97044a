// λ = W^{-1/2} P W^{1/2} λ with the projector P onto the range of W^{-1/2} A (theory 3.6, with
// weights).
#include "solve/dense/rank/least_share.hpp"

#include <Eigen/QR>

#include "lacon/solve.hpp"
#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

void take_least(MatrixView A, std::span<const double> weight, std::vector<double>& lambda) {
    const Index m = static_cast<Index>(lambda.size());
    if (m == 0) return;
    const VectorX root = to_eigen(weight).cwiseSqrt();
    const MatrixX rows = root.cwiseInverse().asDiagonal() * to_eigen(A);
    Eigen::ColPivHouseholderQR<MatrixX> qr(rows);
    qr.setThreshold(SolveOptions().rank_tol);
    if (qr.rank() == m) return;  // they are unique
    VectorX parts = qr.householderQ().adjoint() * root.cwiseProduct(to_eigen(lambda));
    parts.tail(m - qr.rank()).setZero();
    const VectorX least = (qr.householderQ() * parts).cwiseQuotient(root);
    std::copy(least.data(), least.data() + m, lambda.begin());
}

}  // namespace lacon::solving::dense
