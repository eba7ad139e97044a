// A QR decomposition of a changing set of columns: Gram–Schmidt twice to add one, Givens rotations
// to take one out.
#include "solve/contact/reduced/rows.hpp"

#include <Eigen/Jacobi>
#include <algorithm>

namespace lacon::solving::inline contact {

IndependentRows::IndependentRows(const MatrixX& P, double tol) : P_(&P), tol_(tol) {
    const Index most = std::min(P.rows(), P.cols());
    Q_ = MatrixX::Zero(P.rows(), most);
    R_ = MatrixX::Zero(most, most);
}

IndependentRows::Parts IndependentRows::parts(const VectorX& p) const {
    const Index r = count();
    Parts parts;
    parts.off = p;
    parts.along = VectorX::Zero(r);
    if (r > 0) {
        for (int twice = 0; twice < 2; ++twice) {
            const VectorX c = Q_.leftCols(r).transpose() * parts.off;
            parts.off -= Q_.leftCols(r) * c;
            parts.along += c;
        }
        R_.topLeftCorner(r, r).triangularView<Eigen::Upper>().solveInPlace(parts.along);
    }
    parts.depends = r == Q_.cols() || !(parts.off.norm() > tol_ * p.norm());
    return parts;
}

bool IndependentRows::add(Index i) {
    const Parts found = parts(P_->col(i));
    if (!found.depends) add(i, found);
    return !found.depends;
}

void IndependentRows::add(Index i, const Parts& parts) {
    const Index r = count();
    const double length = parts.off.norm();
    if (r > 0)
        R_.col(r).head(r) = R_.topLeftCorner(r, r).triangularView<Eigen::Upper>() * parts.along;
    R_(r, r) = length;
    Q_.col(r) = parts.off / length;
    members_.push_back(i);
}

void IndependentRows::remove(Index position) {
    const Index r = count();
    for (Index j = position; j + 1 < r; ++j) R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
    for (Index j = position; j + 1 < r; ++j) {
        Eigen::JacobiRotation<double> rotation;
        rotation.makeGivens(R_(j, j), R_(j + 1, j));
        R_.middleCols(j, r - 1 - j).applyOnTheLeft(j, j + 1, rotation.adjoint());
        R_(j + 1, j) = 0.0;
        Q_.applyOnTheRight(j, j + 1, rotation);
    }
    R_.col(r - 1).setZero();
    members_.erase(members_.begin() + position);
}

void IndependentRows::clear() {
    R_.setZero();
    members_.clear();
}

VectorX IndependentRows::onto(const VectorX& y) const {
    return Q_.leftCols(count()).transpose() * y;
}

MatrixX IndependentRows::onto(const MatrixX& Y) const {
    return Q_.leftCols(count()).transpose() * Y;
}

VectorX IndependentRows::reach(const VectorX& g) const {
    VectorX c = g;
    const Index r = count();
    if (r > 0) R_.topLeftCorner(r, r).transpose().triangularView<Eigen::Lower>().solveInPlace(c);
    return c;
}

VectorX IndependentRows::least_norm(const VectorX& g) const {
    return Q_.leftCols(count()) * reach(g);
}

VectorX IndependentRows::forces(const VectorX& y) const {
    VectorX f = onto(y);
    const Index r = count();
    if (r > 0) R_.topLeftCorner(r, r).triangularView<Eigen::Upper>().solveInPlace(f);
    return f;
}

}  // namespace lacon::solving::contact
