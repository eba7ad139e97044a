// The metric of Gauss's principle (theory 2.4, 2.7): M = L Lᵀ after symmetric scaling to a unit
// diagonal; where the factor's pivots leave the sign of M in doubt, the eigenvalues of the scaled
// matrix decide.
#include "solve/dense/matrix/mass_metric.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::solving::inline dense {

namespace {

// A diagonal entry that small beside the largest entry of M, or an entry in its row, is a rounding
// error of zero. It is used only for signs and for rows that ought to vanish, never to call a
// positive mass zero: small masses are legal.
constexpr double zero_tol = 1e-14;

// Below this pivot of the unit-diagonal matrix the factor alone is not trusted to have seen the
// smallest eigenvalue.
constexpr double safe_pivot = 1e-4;

void judge_as_indefinite(MassMetric& mass, Index row, Index col) {
    mass.kind = MassMetric::Kind::indefinite;
    mass.row = row;
    mass.col = col;
}

// Fills d and massless; an impossible diagonal entry or a massless row with entries shows an
// indefinite M at once.
void scale_diagonal(MassMetric& mass, const MatrixX& M) {
    const Index n = M.rows();
    const double floor = n > 0 ? zero_tol * M.cwiseAbs().maxCoeff() : 0.0;
    for (Index i = 0; i < n; ++i) {
        if (M(i, i) < -floor) return judge_as_indefinite(mass, i, i);
        mass.massless[i] = !(M(i, i) > 0.0);
        if (!mass.massless[i]) mass.d(i) = 1.0 / std::sqrt(M(i, i));
    }
    for (Index i = 0; i < n; ++i) {
        if (!mass.massless[i]) continue;
        for (Index j = 0; j < n; ++j) {
            if (j != i && std::abs(M(i, j)) > floor) return judge_as_indefinite(mass, i, j);
        }
    }
}

// The pair of entries that shows a negative direction most clearly, or else the elimination pivot
// that is negative.
void locate_negative(MassMetric& mass) {
    const Index n = mass.M.rows();
    double worst = 1.0 + MassMetric::eigenvalue_tol;
    bool found = false;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            if (std::abs(mass.M(i, j)) <= worst) continue;
            worst = std::abs(mass.M(i, j));
            mass.row = j;
            mass.col = i;
            found = true;
        }
    }
    if (found) return;
    MatrixX S = mass.M;  // what elimination leaves
    for (Index k = 0; k < n; ++k) {
        if (S(k, k) < -MassMetric::eigenvalue_tol) {
            mass.row = mass.col = k;
            return;
        }
        if (S(k, k) <= MassMetric::eigenvalue_tol) continue;
        const VectorX column = S.col(k);
        S.noalias() -= column * column.transpose() / column(k);
    }
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(mass.M);
    eigen.eigenvectors().col(0).cwiseAbs().maxCoeff(&mass.row);
    mass.col = mass.row;
}

void judge_by_eigenvalues(MassMetric& mass) {
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(mass.M, Eigen::EigenvaluesOnly);
    const VectorX& values = eigen.eigenvalues();
    const double largest =
        std::max(values.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
    const double least = values(0) / largest;
    if (least < -MassMetric::eigenvalue_tol) {
        mass.kind = MassMetric::Kind::indefinite;
        locate_negative(mass);
    } else if (least <= MassMetric::eigenvalue_tol) {
        mass.kind = MassMetric::Kind::semidefinite;
    } else {
        mass.condition = 1.0 / std::sqrt(least);
    }
}

bool is_diagonal(const MatrixX& M) {
    for (Index j = 0; j < M.cols(); ++j)
        for (Index i = 0; i < M.rows(); ++i)
            if (i != j && M(i, j) != 0.0) return false;
    return true;
}

}  // namespace

MassMetric measure(const MatrixX& M) {
    const Index n = M.rows();
    MassMetric mass;
    mass.d = VectorX::Ones(n);
    mass.massless.assign(static_cast<std::size_t>(n), false);
    if (n == 0) return mass;
    mass.given = 0.5 * (M + M.transpose());
    const MatrixX& symmetric = mass.given;
    scale_diagonal(mass, symmetric);
    if (mass.kind == MassMetric::Kind::indefinite) return mass;

    mass.M = mass.d.asDiagonal() * symmetric * mass.d.asDiagonal();
    for (Index i = 0; i < n; ++i) {
        if (!mass.massless[i]) continue;
        mass.M.row(i).setZero();
        mass.M.col(i).setZero();
    }
    if (std::find(mass.massless.begin(), mass.massless.end(), true) == mass.massless.end() &&
        is_diagonal(symmetric)) {
        mass.diagonal = true;
        mass.M.setIdentity();
        mass.L = MatrixX::Identity(n, n);
        return mass;
    }
    const Eigen::LLT<MatrixX> factor(mass.M);
    const double pivot =
        factor.info() == Eigen::Success ? factor.matrixLLT().diagonal().minCoeff() : 0.0;
    if (pivot * pivot > safe_pivot) {
        mass.condition = 1.0 / pivot;
    } else {
        judge_by_eigenvalues(mass);
        // Eigenvalues within rounding of the tolerance can pass although the factorization broke
        // down.
        if (mass.kind == MassMetric::Kind::definite && factor.info() != Eigen::Success)
            mass.kind = MassMetric::Kind::semidefinite;
    }
    if (mass.kind == MassMetric::Kind::definite) mass.L = factor.matrixL();
    return mass;
}

MassMetric definite_metric(const MatrixX& M) {
    // The root of rounding: small beside the masses, and large enough for the Cholesky factor.
    constexpr double share = 1e-8;
    MassMetric mass = measure(M);
    if (mass.kind == MassMetric::Kind::definite) return mass;
    const Index n = M.rows();
    const double largest = M.diagonal().maxCoeff();
    if (mass.kind == MassMetric::Kind::semidefinite && largest > 0.0) {
        MatrixX regular = M;
        for (Index j = 0; j < n; ++j) {
            if (mass.massless[j]) {
                regular.row(j).setZero();
                regular.col(j).setZero();
                regular(j, j) = share * largest;
            } else {
                regular(j, j) *= 1.0 + share;
            }
        }
        mass = measure(regular);
        if (mass.kind == MassMetric::Kind::definite) return mass;
    }
    return measure(MatrixX::Identity(n, n));
}

double MassMetric::rank_tol(double asked) const {
    // The rounding of rows in the metric of an ill-conditioned M.
    return std::max(asked, 16.0 * std::numeric_limits<double>::epsilon() * condition);
}

MatrixX MassMetric::rows(const MatrixX& A) const {
    MatrixX Bt = d.asDiagonal() * A.transpose();
    if (Bt.size() > 0 && !diagonal) L.triangularView<Eigen::Lower>().solveInPlace(Bt);
    return Bt;
}

VectorX MassMetric::scaled_force(const VectorX& Q) const {
    VectorX x_s = d.cwiseProduct(Q);
    if (x_s.size() > 0 && !diagonal) L.triangularView<Eigen::Lower>().solveInPlace(x_s);
    return x_s;
}

VectorX MassMetric::acceleration(const VectorX& x_s) const {
    VectorX x = x_s;
    if (x.size() > 0 && !diagonal) L.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
    return d.cwiseProduct(x);
}

VectorX MassMetric::force(const VectorX& x_s) const {
    if (x_s.size() == 0 || diagonal) return x_s.cwiseQuotient(d);
    return (L.triangularView<Eigen::Lower>() * x_s).cwiseQuotient(d);
}

}  // namespace lacon::solving::dense
