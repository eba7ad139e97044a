// Unequal masses under constraints: theory 7 (M singular, [M; A] of full column rank) is their
// limit, and ranks are decided here as there.
#include "solve/dense/constrained/grading.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace lacon::solving::inline dense {

namespace {

// In B a row's entry this many times another: the free acceleration of the one costs the other this
// factor in rounding.
constexpr double unequal = 100.0;
// Entries of A below this part of another in the row are taken for rounding errors of zero.
constexpr double zero_entry = 1e-14;
// The masses themselves must differ for the dearer factorization to be considered: entries of A
// that happen to be small make rows unequal too, and do no harm where masses are equal.
constexpr double lighter = 1e-3;
// Masses that differ so much count as no mass where ranks are decided. With √1e-10 the weakest
// direction that such a mass leaves is still 1e5 rank tolerances strong. Entries of A below 1e-6 of
// the row's largest show nothing here.
constexpr double no_mass = 1e-10, strong_entry = 1e-6;

/// Visits pairs (light j, heavy k) that row i joins, j being the strongest in B.
template <class Take>
void each_unequal(const MassMetric& mass, const MatrixX& A, const Take& take) {
    for (Index i = 0; i < A.rows(); ++i) {
        const VectorX B = A.row(i).transpose().cwiseProduct(mass.d).cwiseAbs();
        Index strongest = -1;
        for (Index j = 0; j < B.size(); ++j)
            if (!mass.massless[j] && (strongest < 0 || B(j) > B(strongest))) strongest = j;
        if (strongest < 0) continue;
        for (Index k = 0; k < B.size(); ++k) {
            if (mass.massless[k]) continue;
            if (B(k) * unequal < B(strongest) &&
                std::abs(A(i, k)) > zero_entry * std::abs(A(i, strongest)))
                take(i, strongest, k);
        }
    }
}

}  // namespace

VectorX coordinate_scale(const MassMetric& mass, const MatrixX& A,
                         const std::vector<bool>& without) {
    VectorX d = mass.d;
    const Index n = A.cols(), m = A.rows();
    for (Index j = 0; j < n; ++j) {
        if (without[j])
            d(j) = 0.0;  // not known yet: the first row scale is by coordinates with mass
    }
    constexpr int sweeps = 4;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        VectorX s = (A * d.asDiagonal()).rowwise().norm();
        for (Index i = 0; i < m; ++i) {
            if (!(s(i) > 0.0)) s(i) = A.row(i).norm();
        }
        for (Index j = 0; j < n; ++j) {
            if (!without[j]) continue;
            double square = 0.0;
            for (Index i = 0; i < m; ++i) {
                if (s(i) > 0.0) square += (A(i, j) / s(i)) * (A(i, j) / s(i));
            }
            d(j) = square > 0.0 ? 1.0 / std::sqrt(square) : 1.0;
        }
    }
    return d;
}

Grading grade(const MassMetric& mass, const MatrixX& A) {
    Grading grading;
    if (A.rows() == 0) return grading;
    std::vector<bool> light;
    each_unequal(mass, A, [&](Index i, Index j, Index k) {
        const double ratio = (mass.d(k) / mass.d(j)) * (mass.d(k) / mass.d(j));  // of the masses
        if (ratio > lighter) return;
        grading.beside.resize(static_cast<std::size_t>(A.cols()), false);
        grading.beside[static_cast<std::size_t>(k)] = true;
        if (ratio > no_mass || std::abs(A(i, k)) < strong_entry * std::abs(A(i, j))) return;
        light.resize(static_cast<std::size_t>(A.cols()), false);
        for (Index l = 0; l < A.cols(); ++l) {  // all of the row that are as light beside k
            const auto at = static_cast<std::size_t>(l);
            if (A(i, l) != 0.0 && !mass.massless[at] && mass.d(k) < std::sqrt(no_mass) * mass.d(l))
                light[at] = true;
        }
    });
    grading.ill_conditioned = mass.condition > unequal;
    // Coordinates without mass may join two that no row does.
    if (std::find(mass.massless.begin(), mass.massless.end(), true) != mass.massless.end()) {
        const double heaviest = 1.0 / mass.d.minCoeff();
        for (Index j = 0; j < A.cols(); ++j) {
            if (mass.massless[static_cast<std::size_t>(j)] ||
                1.0 / mass.d(j) > std::sqrt(no_mass) * heaviest)
                continue;
            light.resize(static_cast<std::size_t>(A.cols()), false);
            light[static_cast<std::size_t>(j)] = true;
        }
    }
    if (light.empty()) return grading;
    // A row shows its strongest coordinate only; what is as light as one that is shown is light
    // with it.
    double heaviest_light = 0.0;
    for (Index j = 0; j < A.cols(); ++j)
        if (light[static_cast<std::size_t>(j)])
            heaviest_light = std::max(heaviest_light, 1.0 / mass.d(j));
    for (Index j = 0; j < A.cols(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (mass.massless[at] || 1.0 / mass.d(j) <= heaviest_light) light[at] = true;
    }
    VectorX scale = coordinate_scale(mass, A, light);
    for (Index j = 0; j < A.cols(); ++j)
        if (!mass.massless[static_cast<std::size_t>(j)]) scale(j) = std::min(scale(j), mass.d(j));
    grading.scale = std::move(scale);
    return grading;
}

bool Grading::drowns(const VectorX& y, const VectorX& x) const {
    constexpr double lost = 100.0;  // two digits
    if (ill_conditioned && y.norm() > lost * x.norm()) return true;
    const double largest = beside.empty() ? 0.0 : y.cwiseAbs().maxCoeff();
    for (std::size_t k = 0; k < beside.size(); ++k) {
        const auto at = static_cast<Index>(k);
        if (beside[k] && largest > lost * (std::abs(y(at)) + std::abs(x(at)))) return true;
    }
    return false;
}

std::vector<std::size_t> undetermined(const MassMetric& mass, const MatrixX& A, double rank_tol) {
    const Index n = A.cols();
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(mass.M);
    const double limit = MassMetric::eigenvalue_tol * std::max(1.0, eigen.eigenvalues()(n - 1));
    Index k = 0;
    while (k < n && eigen.eigenvalues()(k) <= limit) ++k;
    if (k == 0) return {};
    // Rows of A on the directions without mass, both sides of unit length: coordinates without mass
    // have no scale of their own.
    const MatrixX N = eigen.eigenvectors().leftCols(k);
    MatrixX C = A * mass.d.asDiagonal() * N;
    for (Index i = 0; i < C.rows(); ++i)
        if (const double length = C.row(i).norm(); length > 0.0) C.row(i) /= length;
    VectorX lengths = C.colwise().norm().transpose();
    for (Index j = 0; j < k; ++j) C.col(j) /= lengths(j) > 0.0 ? lengths(j) : 1.0;
    MatrixX square = MatrixX::Zero(std::max(k, C.rows()), k);
    square.topRows(C.rows()) = C;
    const Eigen::JacobiSVD<MatrixX> svd(square, Eigen::ComputeThinV);
    std::vector<std::size_t> coordinates;
    // A coordinate that the null space moves by less is fixed: the root of rounding, with room.
    constexpr double component_tol = 1e-6;
    for (Index j = 0; j < n; ++j) {
        double free = 0.0;
        for (Index c = 0; c < k; ++c)
            if (!(svd.singularValues()(c) > rank_tol * svd.singularValues()(0)))
                free = std::hypot(free, N.row(j).dot(svd.matrixV().col(c)));
        if (free > component_tol) coordinates.push_back(static_cast<std::size_t>(j));
    }
    return coordinates;
}

std::vector<Index> kept_rows(Index m, const std::vector<Index>& unneeded) {
    std::vector<Index> kept;
    for (Index i = 0; i < m; ++i)
        if (!std::binary_search(unneeded.begin(), unneeded.end(), i)) kept.push_back(i);
    return kept;
}

VectorX consistent_part(const RowSpace& rows, const VectorX& r) {
    // As SolveOptions::consistency_tol.
    constexpr double inconsistent = 1e-8;
    if (rows.rank == r.size()) return r;
    const VectorX scaled = rows.s.cwiseProduct(r), part = rows.V * (rows.V.transpose() * scaled);
    if ((scaled - part).norm() <= inconsistent * scaled.norm()) return r;
    return part.cwiseQuotient(rows.s);
}

}  // namespace lacon::solving::dense
