// Constrained problems, for the tests of the dense solver.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lacon/reference.hpp"
#include "lacon/solve.hpp"
#include "solve/dense/matrix/eigen_forms.hpp"

/// Random constrained problems with planted rank and conditioning, and an oracle in long double.
namespace lacon::testing {

using solving::Index;
using solving::MatrixX;
using solving::to_eigen;
using solving::to_matrix;
using solving::to_std;
using solving::VectorX;

using Random = std::mt19937_64;
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

inline constexpr double eps = std::numeric_limits<double>::epsilon();

inline double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
}

inline Index integer(Random& random, Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
}

inline MatrixX normal(Random& random, Index rows, Index cols) {
    std::normal_distribution<> gauss;
    return MatrixX::NullaryExpr(rows, cols, [&] { return gauss(random); });
}

inline MatrixX orthonormal(Random& random, Index rows, Index cols) {
    if (cols == 0) return MatrixX(rows, 0);
    return MatrixX(normal(random, rows, cols).householderQr().householderQ() *
                   MatrixX::Identity(rows, cols));
}

/// From 1 down to 1 / condition, evenly in the logarithm (k).
inline VectorX spectrum(Index k, double condition) {
    VectorX values(k);
    for (Index i = 0; i < k; ++i)
        values(i) = k == 1
                        ? 1.0
                        : std::pow(condition, -static_cast<double>(i) / static_cast<double>(k - 1));
    return values;
}

struct Plan {
    Index n = 1, m = 0, rank = 0;
    double cond_B = 1.0;  // of B = A L⁻ᵀ over its rank, before its rows are scaled
    double cond_M = 1.0;
};

/// A problem that owns its numbers. b = A x for a random x, so it is consistent.
struct Sample {
    Plan plan;
    Matrix M, A;
    std::vector<double> Q, b, c;

    ConstrainedProblem ideal() const { return {M, Q, A, b}; }
    ConstrainedProblem nonideal() const { return {M, Q, A, b, c}; }
    reference::Problem printed(double tol = 1e-10) const { return {M, Q, A, b, tol}; }
};

inline Sample make_sample(const Plan& plan, Random& random) {
    const MatrixX G = orthonormal(random, plan.n, plan.n);
    const MatrixX M = G * spectrum(plan.n, plan.cond_M).asDiagonal() * G.transpose();
    const MatrixX L = Eigen::LLT<MatrixX>(0.5 * (M + M.transpose())).matrixL();
    const MatrixX B = orthonormal(random, plan.m, plan.rank) *
                      spectrum(plan.rank, plan.cond_B).asDiagonal() *
                      orthonormal(random, plan.n, plan.rank).transpose();
    const MatrixX A = B * L.transpose();
    Sample sample;
    sample.plan = plan;
    sample.M = to_matrix(0.5 * (M + M.transpose()));
    sample.A = to_matrix(A);
    sample.Q = to_std(normal(random, plan.n, 1));
    sample.b = to_std(A * normal(random, plan.n, 1));
    sample.c = to_std(normal(random, plan.n, 1));
    return sample;
}

/// n up to 40, m from 0 to beyond n, half of them with dependent rows, conditions up to the given
/// ones.
inline Plan random_plan(Random& random, double cond_B, double cond_M, Index largest = 40) {
    Plan plan;
    plan.n = integer(random, 1, integer(random, 1, largest));
    plan.m = integer(random, 0, plan.n + plan.n / 2 + 2);
    const Index most = std::min(plan.m, plan.n);
    plan.rank = integer(random, 0, 1) == 0 ? most : integer(random, std::min<Index>(most, 1), most);
    plan.cond_B = std::pow(cond_B, uniform(random, 0.0, 1.0));
    plan.cond_M = std::pow(cond_M, uniform(random, 0.0, 1.0));
    return plan;
}

/// P1 5, P5 33 and P2 35 in long double (eps 1e-19) by Cholesky and singular values of the
/// row-scaled B, at the planted rank.
struct Oracle {
    LongMatrix L;           // M = L Lᵀ
    LongVector a, y, z;     // free acceleration; scaled change by the constraints, by c
    LongVector q;           // q'' with c
    LongVector lambda;      // multipliers of least norm
    LongVector row_length;  // of B (m)
    double cond_L = 1.0;    // of L with unit rows, as scaling makes it
    double cond_B = 1.0;    // of the row-scaled B over its rank
    double size = 0.0;      // |a_s| + |y| + |z|: what errors in the metric of M are relative to

    double error(std::span<const double> other,
                 const LongVector& own) const {  // |Lᵀ (other − own)| / size
        const LongVector difference = to_eigen(other).cast<long double>() - own;
        return static_cast<double>((L.transpose() * difference).norm()) / size;
    }
    double force_error(std::span<const double> other,
                       const LongVector& scaled) const {  // |L⁻¹ other − scaled| / size
        LongVector own = to_eigen(other).cast<long double>();
        L.triangularView<Eigen::Lower>().solveInPlace(own);
        return static_cast<double>((own - scaled).norm()) / size;
    }
};

inline LongMatrix truncated_pinv(const LongMatrix& A, Index rank) {
    if (rank == 0) return LongMatrix::Zero(A.cols(), A.rows());
    const Eigen::JacobiSVD<LongMatrix> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return svd.matrixV().leftCols(rank) *
           svd.singularValues().head(rank).cwiseInverse().asDiagonal() *
           svd.matrixU().leftCols(rank).transpose();
}

inline double condition_of(const LongMatrix& A, Index rank) {
    if (rank == 0) return 1.0;
    const LongVector values = Eigen::JacobiSVD<LongMatrix>(A).singularValues();
    return static_cast<double>(values(0) / values(rank - 1));
}

inline Oracle consult(const Sample& sample, bool nonideal) {
    const Index m = sample.plan.m, rank = sample.plan.rank;
    const LongMatrix M = to_eigen(sample.M).cast<long double>();
    const LongMatrix A = to_eigen(sample.A).cast<long double>();
    const LongVector Q = to_eigen(sample.Q).cast<long double>(),
                     b = to_eigen(sample.b).cast<long double>();
    Oracle oracle;
    oracle.L = Eigen::LLT<LongMatrix>(M).matrixL();
    const auto L = oracle.L.triangularView<Eigen::Lower>();
    const LongMatrix L_transposed = oracle.L.transpose();
    const auto Lt = L_transposed.triangularView<Eigen::Upper>();
    LongMatrix B(m, sample.plan.n);
    if (m > 0) B = L.solve(LongMatrix(A.transpose())).transpose();
    oracle.row_length = B.rowwise().norm();
    for (Index i = 0; i < m; ++i) B.row(i) /= oracle.row_length(i);
    const LongVector a_s = L.solve(Q);
    oracle.a = Lt.solve(a_s);
    const LongMatrix B_plus = truncated_pinv(B, rank);
    oracle.y = B_plus * (b - A * oracle.a).cwiseQuotient(oracle.row_length);
    oracle.z = LongVector::Zero(a_s.size());
    if (nonideal) {
        const LongVector c_s = L.solve(LongVector(to_eigen(sample.c).cast<long double>()));
        oracle.z = c_s - B_plus * (B * c_s);
    }
    oracle.q = oracle.a + Lt.solve(LongVector(oracle.y + oracle.z));
    oracle.lambda = truncated_pinv(A.transpose(), rank) * (oracle.L * oracle.y);
    LongMatrix unit = oracle.L;
    for (Index i = 0; i < unit.rows(); ++i) unit.row(i) /= unit.row(i).norm();
    oracle.cond_L = condition_of(unit, unit.rows());
    oracle.cond_B = condition_of(B, rank);
    oracle.size = static_cast<double>(a_s.norm() + oracle.y.norm() + oracle.z.norm());
    return oracle;
}

inline double largest_difference(std::span<const double> x, std::span<const double> y) {
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
    return largest;
}

}  // namespace lacon::testing
