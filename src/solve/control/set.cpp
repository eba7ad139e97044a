// With Z₀ the directions that the limits leave, Z₁ those of them along which bound rows do not
// change, Z₂ missed rows neither:
//     x = x_limits + Z₀ (B_b Z₀)⁺ (r_b − B_b x) + Z₁ (B_m Z₁)⁺ (r_m − B_m x)
// Every term is orthogonal to the later directions: as the cost is |x|², it is least with nothing
// along Z₂. Only where efforts cost nothing because their forces cancel, and some are at limits,
// the cost is a level of its own.
#include "solve/control/set.hpp"

#include <Eigen/QR>

namespace lacon::solving::inline control {

MatrixX complement(const MatrixX& columns) {
    const Index n = columns.rows(), m = columns.cols();
    if (m == 0) return MatrixX::Identity(n, n);
    const Eigen::HouseholderQR<MatrixX> qr(columns);
    return MatrixX(qr.householderQ() * MatrixX::Identity(n, n)).rightCols(n - m);
}

EffortsOfSet::EffortsOfSet(const Reach& reach, const ControlSet& set, const SolveOptions& options)
    : reach_(reach), set_(set), path_(orthogonal_path(options)) {
    for (Index i = 0; i < reach.required(); ++i) {
        const ControlSet::Row row = set.rows[static_cast<std::size_t>(i)];
        if (row == ControlSet::Row::bound) bound_.push_back(i);
        if (row == ControlSet::Row::missed) missed_.push_back(i);
    }
    for (Index j = 0; j < reach.efforts(); ++j)
        if (set.limits[static_cast<std::size_t>(j)] != 0) fixed_.push_back(j);
    hold_limits();
    MatrixX Z = meet_bound();
    if (!missed_.empty()) Z = approach_missed(Z);
    if (!fixed_.empty() && reach.costly < reach.efforts()) spend_least(Z);
}

RowSpace EffortsOfSet::decide(const MatrixX& rows, const VectorX& s) const {
    const MatrixX scaled = (s.asDiagonal() * rows).transpose();
    const double norm = scaled.norm();
    // Relative to all that is required, which has norm 1, not to what limits and earlier levels
    // leave of it.
    if (norm <= reach_.tol)
        return decide_rank_of_scaled(MatrixX::Zero(scaled.rows(), scaled.cols()), s, path_,
                                     reach_.tol);
    return decide_rank_of_scaled(scaled, s, path_, reach_.tol / norm);
}

void EffortsOfSet::hold_limits() {
    const Index p = reach_.efforts();
    x = VectorX::Zero(p);
    free_ = MatrixX::Identity(p, p);
    if (fixed_.empty()) return;
    MatrixX rows = reach_.X(fixed_, Eigen::all).transpose();
    VectorX limits(rows.cols());
    for (Index i = 0; i < rows.cols(); ++i) {
        const Index j = fixed_[static_cast<std::size_t>(i)];
        limits(i) = set_.limits[static_cast<std::size_t>(j)] < 0 ? reach_.low(j) : reach_.high(j);
    }
    limits = limits.cwiseProduct(scale_rows(rows));
    const Eigen::HouseholderQR<MatrixX> qr(rows);  // X is regular: its rows are independent
    const MatrixX all = qr.householderQ() * MatrixX::Identity(p, p);
    const auto R = qr.matrixQR().topRows(rows.cols()).triangularView<Eigen::Upper>();
    x = all.leftCols(rows.cols()) * R.transpose().solve(limits);
    free_ = all.rightCols(p - rows.cols());
}

MatrixX EffortsOfSet::meet_bound() {
    const MatrixX B = reach_.B(bound_, Eigen::all);
    const VectorX r = reach_.r(bound_);
    if (fixed_.empty() && bound_.size() == reach_.one_sided.size()) {
        exact_ = reach_.rows;
    } else {
        exact_ = decide(B * free_, reach_.s(bound_));
    }
    x += free_ * exact_.least_norm(r - B * x);
    x += free_ * exact_.least_norm(
                     r - B * x);  // one refinement: rows of very different length round each other
    return free_ * exact_.null_space();
}

MatrixX EffortsOfSet::approach_missed(const MatrixX& Z) {
    const MatrixX B = reach_.B(missed_, Eigen::all);
    const MatrixX along = B * Z;
    const RowSpace rows = decide(along, reach_.s(missed_));
    if (rows.rank > 0) {
        const Eigen::ColPivHouseholderQR<MatrixX> qr(along * rows.U);
        x += Z * (rows.U * qr.solve(reach_.r(missed_) - B * x));
    }
    return Z * rows.null_space();
}

void EffortsOfSet::spend_least(const MatrixX& Z) {
    if (Z.cols() == 0) return;
    const Index q = reach_.costly, z = reach_.efforts() - q;
    const RowSpace cost = decide(Z.topRows(q), VectorX::Ones(q));
    x -= Z * cost.least_norm(x.head(q));
    const MatrixX rest = Z * cost.null_space();
    if (rest.cols() > 0) x -= rest * rest.bottomRows(z).colPivHouseholderQr().solve(x.tail(z));
}

VectorX EffortsOfSet::effort() const {
    VectorX u = reach_.X * x;
    for (const Index j : fixed_)
        u(j) = set_.limits[static_cast<std::size_t>(j)] < 0 ? reach_.low(j) : reach_.high(j);
    return u;
}

void EffortsOfSet::correct(const VectorX& left) {
    x += free_ * exact_.least_norm(left(bound_));
}

MatrixX EffortsOfSet::shares() const {
    std::vector<Index> asking = bound_;
    asking.insert(asking.end(), missed_.begin(), missed_.end());
    const MatrixX B = reach_.B(asking, Eigen::all);
    const VectorX along = free_.transpose() * x;
    const VectorX mu = missed_.empty() ? exact_.multipliers(along)
                                       : decide(B * free_, reach_.s(asking)).multipliers(along);
    MatrixX shares = MatrixX::Zero(reach_.required(), reach_.efforts());
    shares(asking, Eigen::all) = mu.asDiagonal() * B * reach_.X.transpose();
    return shares;
}

}  // namespace lacon::solving::control
