// Newton's method for a critical point of constraints. With rows of unit length in the metric of M,
// S B = P Σ Wᵀ, the strong directions P_s and the weak ones P_w, and x the change of (q, t) in the
// metric:
//     P_sᵀ (φ + J x) = 0,    Tᵀ (Jᵀ p_i + H_i x) = 0 for every weak p_i,
// J = S [B  φ_t/speed], T a basis of the null space of P_sᵀ J, H_i the second derivatives of p_iᵀ S
// φ.
#include "solve/dense/rank/critical.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

struct CriticalRows::Parts {
    MatrixX K;  // q = K x (n × n)
    MatrixX J;  // (m × (n + 1))
    MatrixX strong, weak;
    VectorX s;  // row scales
    std::vector<std::vector<double>> combinations;
    std::vector<double> singular;  // of the weak ones
    double speed = 1.0, largest = 1.0;
};

CriticalRows::CriticalRows() : parts_(std::make_unique<Parts>()) {}
CriticalRows::~CriticalRows() = default;

bool CriticalRows::factor(const Place& place) {
    Parts& p = *parts_;
    p.combinations.clear();
    p.singular.clear();
    const MatrixX M = to_eigen(place.M), A = to_eigen(place.A);
    const VectorX rate = to_eigen(place.rate);
    if (!M.allFinite() || !A.allFinite() || !rate.allFinite()) return false;
    const Index n = A.cols(), m = A.rows();
    const MassMetric mass = definite_metric(M);
    p.K.resize(n, n);
    for (Index j = 0; j < n; ++j) p.K.col(j) = mass.acceleration(VectorX::Unit(n, j));
    MatrixX Bt = mass.rows(A);
    p.s = scale_rows(Bt);
    p.speed = place.speed;
    p.J.resize(m, n + 1);
    p.J.leftCols(n) = Bt.transpose();
    p.J.col(n) = p.s.cwiseProduct(rate) / p.speed;
    const Eigen::JacobiSVD<MatrixX> svd(Bt, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const auto rank = static_cast<Index>(
        std::min<std::size_t>(place.rank, static_cast<std::size_t>(std::min(n, m))));
    const VectorX& sigma = svd.singularValues();
    if (rank == 0 || !(sigma(0) > 0.0)) return false;
    p.largest = sigma(0);
    Index first = rank;
    while (first > 0 && sigma(first - 1) < place.limit * p.largest) --first;
    p.strong = svd.matrixV().leftCols(first);
    p.weak = svd.matrixV().middleCols(first, rank - first);
    for (Index i = 0; i < p.weak.cols(); ++i) {
        p.combinations.push_back(to_std(p.s.cwiseProduct(p.weak.col(i))));
        p.singular.push_back(sigma(first + i));
    }
    return true;
}

std::size_t CriticalRows::weak_count() const {
    return parts_->combinations.size();
}
const std::vector<double>& CriticalRows::combination(std::size_t i) const {
    return parts_->combinations[i];
}
double CriticalRows::reciprocal_condition(std::size_t i) const {
    return parts_->singular[i] / parts_->largest;
}
double CriticalRows::largest() const {
    return parts_->largest;
}

bool turns(const Matrix& M, const Matrix& A, const Matrix& now, std::size_t rank) {
    const MassMetric mass = definite_metric(to_eigen(M));
    MatrixX Bt = mass.rows(to_eigen(A)), next = mass.rows(to_eigen(now));
    if (!Bt.allFinite() || !next.allFinite()) return false;
    const VectorX s = scale_rows(Bt);
    const Eigen::JacobiSVD<MatrixX> svd(Bt, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const MatrixX moved = next * s.asDiagonal() * svd.matrixV();
    const Index directions = std::min(static_cast<Index>(rank), moved.cols());
    for (Index i = 0; i < directions; ++i)
        if (!(svd.matrixU().col(i).dot(moved.col(i)) > 0.0)) return true;
    // Directions may turn into each other: what is passed still shows in the sign of the volume.
    const MatrixX kept = svd.matrixU().leftCols(directions).transpose() *
                         moved.leftCols(directions) *
                         svd.singularValues().head(directions).cwiseInverse().asDiagonal();
    return !(kept.determinant() > 0.0);
}

namespace {

/// On a level set where ½ xᵀ H x = −gap, the least |H x|: √(2 |gap| |λ|), λ the smallest eigenvalue
/// of the sign that allows it.
double least_slope(const MatrixX& H, double gap) {
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(H, Eigen::EigenvaluesOnly);
    const double most = eigen.eigenvalues().cwiseAbs().maxCoeff();
    double least = most;
    // 1e-6 of the largest: a smaller eigenvalue is rounding of the second derivatives.
    for (const double lambda : eigen.eigenvalues())
        if (lambda * gap < 0.0 && std::abs(lambda) > 1e-6 * most)
            least = std::min(least, std::abs(lambda));
    return std::sqrt(2.0 * std::abs(gap) * least);
}

}  // namespace

CriticalRows::Step CriticalRows::step(std::span<const double> phi,
                                      std::span<const Matrix> second) const {
    const Parts& p = *parts_;
    const Index n = p.K.rows(), N = n + 1, k = p.weak.cols(), strong = p.strong.cols();
    const VectorX off = p.s.cwiseProduct(to_eigen(phi));
    MatrixX scale = MatrixX::Zero(N, N);  // (q, t) = scale x
    scale.topLeftCorner(n, n) = p.K;
    scale(n, n) = 1.0 / p.speed;
    VectorX x = VectorX::Zero(N);
    MatrixX T = MatrixX::Identity(N, N);
    if (strong > 0) {
        const MatrixX S = p.strong.transpose() * p.J;
        x = S.completeOrthogonalDecomposition().solve(-p.strong.transpose() * off);
        const Eigen::HouseholderQR<MatrixX> qr(S.transpose());
        T = MatrixX(qr.householderQ()).rightCols(N - strong);
    }
    const Index free = T.cols();
    MatrixX stack(k * free, free);
    VectorX right(k * free);
    std::vector<MatrixX> H;
    for (Index i = 0; i < k; ++i) {
        H.push_back(scale.transpose() * to_eigen(second[static_cast<std::size_t>(i)]) * scale);
        const VectorX slope = p.J.transpose() * p.weak.col(i);
        stack.middleRows(i * free, free) = T.transpose() * H.back() * T;
        right.segment(i * free, free) = -T.transpose() * (slope + H.back() * x);
    }
    Step result;
    if (!stack.allFinite() || !right.allFinite()) {
        result.length = INFINITY;
        return result;
    }
    Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(k * free, free);
    cod.setThreshold(
        1e-12);  // a critical point may be one of many: other coordinates move it along
    cod.compute(stack);
    const VectorX y = cod.solve(right);
    x += T * y;
    result.length = x.norm();
    // They do not vanish together where a tenth of the slopes is left, and 1e-7 of unit rows, as
    // SingularSearch::singular_tol, is not just the accuracy to which a place is known.
    if (right.norm() > 1e-7 && (stack * y - right).norm() > 0.1 * right.norm()) {
        result.length = INFINITY;
        return result;
    }
    result.reciprocal_condition = INFINITY;
    for (Index i = 0; i < k; ++i) {
        const VectorX slope = p.J.transpose() * p.weak.col(i);
        result.rest =
            std::max(result.rest, std::abs(slope.dot(x)) +
                                      0.5 * std::abs(x.dot(H[static_cast<std::size_t>(i)] * x)));
        const MatrixX within = stack.middleRows(i * free, free);
        result.reciprocal_condition = std::min(
            result.reciprocal_condition, least_slope(within, p.weak.col(i).dot(off)) / p.largest);
    }
    const VectorX change = scale * x;
    result.change = to_std(change);
    return result;
}

}  // namespace lacon::solving::dense
