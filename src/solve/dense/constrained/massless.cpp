// Theory 7: a positive semidefinite mass matrix (Udwadia & Phohomsiri 2006).
#include "solve/dense/constrained/massless.hpp"

#include <Eigen/Eigenvalues>

#include "solve/dense/constrained/grading.hpp"

namespace lacon::solving::inline dense {

namespace {

// Component of a null direction, in scaled coordinates, above which a coordinate counts as
// undetermined.
constexpr double component_tol = 1e-6;

}  // namespace

Massless::Massless(const MassMetric& mass, const MatrixX& given_A, SolveOptions::Path path,
                   double rank_tol, std::size_t most_rank)
    : d(coordinate_scale(mass, given_A, mass.massless)), M(mass.M), A(given_A) {
    rows = decide_rank(d.asDiagonal() * A.transpose(), path, rank_tol, most_rank);
    Z_ = rows.null_space();
    if (Z_.cols() == 0) return;
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(Z_.transpose() * M * Z_);
    vectors_ = eigen.eigenvectors();
    values_ = eigen.eigenvalues();
    // M has a unit diagonal where it has mass: its own largest eigenvalue is between 1 and n.
    while (free_ < values_.size() && values_(free_) <= MassMetric::eigenvalue_tol) ++free_;
}

std::vector<std::size_t> Massless::undetermined() const {
    const MatrixX directions = Z_ * vectors_.leftCols(free_);
    std::vector<std::size_t> coordinates;
    for (Index j = 0; j < directions.rows(); ++j) {
        if (directions.row(j).norm() > component_tol)
            coordinates.push_back(static_cast<std::size_t>(j));
    }
    return coordinates;
}

VectorX Massless::refined(const VectorX& x, const VectorX& r) const {
    return x + rows.least_norm(r - A * d.cwiseProduct(x));
}

VectorX Massless::scaled_particular(const VectorX& r) const {
    return refined(rows.least_norm(r), r);
}

VectorX Massless::scaled_motion(const VectorX& f, const VectorX& r) const {
    const VectorX p = scaled_particular(r);
    return refined(p + along_null_space(d.cwiseProduct(f) - M * p), r);
}

VectorX Massless::along_null_space(const VectorX& f) const {
    if (Z_.cols() == 0) return VectorX::Zero(Z_.rows());
    VectorX w = vectors_.transpose() * (Z_.transpose() * f);
    w.head(free_).setZero();
    w.tail(w.size() - free_).array() /= values_.tail(w.size() - free_).array();
    return Z_ * (vectors_ * w);
}

VectorX Massless::solve(const VectorX& f, const VectorX& r) const {
    return d.cwiseProduct(scaled_motion(f, r));
}

MatrixX Massless::rows_off(const MatrixX& H) const {
    const Index k = values_.size() - free_;
    const MatrixX along =
        vectors_.rightCols(k).transpose() * (Z_.transpose() * (d.asDiagonal() * H.transpose()));
    return values_.tail(k).cwiseSqrt().cwiseInverse().asDiagonal() * along;
}

VectorX Massless::off_rows_motion(const VectorX& y) const {
    const Index k = values_.size() - free_;
    return d.cwiseProduct(Z_ *
                          (vectors_.rightCols(k) * y.cwiseQuotient(values_.tail(k).cwiseSqrt())));
}

VectorX Massless::multipliers(const VectorX& x, const VectorX& f) const {
    return rows.multipliers(M * x.cwiseQuotient(d) - d.cwiseProduct(f));
}

}  // namespace lacon::solving::dense
