// B⁺ r = Bᵀ (B Bᵀ)⁻ r for r in the range of B and any g-inverse (theory 2.1 with findings of the
// prototypes: one refinement is enough where no pivot is doubtful).
#include "solve/dense/rank/dropped_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace lacon::solving::inline dense {

DroppedRows drop_rows(MatrixX Bt, double tol) {
    DroppedRows rows;
    rows.s = scale_rows(Bt);
    const Index m = Bt.cols();
    const MatrixX S = Bt.transpose() * Bt;  // symmetric: row- and column-major are the same
    rows.factor = factor_dropping({S.data(), static_cast<std::size_t>(S.size())},
                                  static_cast<std::size_t>(m));
    rows.rank = static_cast<Index>(rows.factor.rank());
    for (Index i = 0; i < m; ++i) {
        if (rows.factor.inverse[i] == 0.0) rows.unneeded.push_back(i);
        rows.singular.push_back(std::sqrt(std::max(rows.factor.pivots[i], 0.0)));
    }
    std::sort(rows.singular.begin(), rows.singular.end(), std::greater<>());
    rows.singular.resize(static_cast<std::size_t>(std::min(Bt.rows(), m)));
    if (!rows.singular.empty() && rows.singular.front() > 0.0) {
        const double largest = rows.singular.front();
        for (double& value : rows.singular) value /= largest;
    }
    rows.gap = rows.rank <= static_cast<Index>(rows.singular.size())
                   ? gap_of(rows.singular, rows.rank, tol)
                   : 0.0;
    rows.Bt = std::move(Bt);
    return rows;
}

bool DroppedRows::sure(double tol) const {
    if (!factor.clear()) return false;
    // √m bounds the largest singular value. Pivots are squares: a factor of 1e3 in them lies
    // between what is kept, or dropped, and the tolerance.
    constexpr double doubt = 1e3;
    const double wide = tol * std::sqrt(doubt * static_cast<double>(s.size()));
    for (std::size_t i = 0; i < factor.m; ++i) {
        if (factor.inverse[i] != 0.0 && factor.pivots[i] < wide * wide) return false;
    }
    return std::all_of(unneeded.begin(), unneeded.end(), [&](Index i) {
        return off_rows(Bt.col(i)).norm() < tol / std::sqrt(doubt);
    });
}

bool DroppedRows::weakest_exceeds(double limit) const {
    if (rank == 0) return true;
    std::vector<Index> kept;
    // Of the inverse of S over the kept rows: the square of the norm of the inverse of B.
    double trace = 0.0;
    for (Index i = 0; i < s.size(); ++i) {
        if (factor.inverse[i] == 0.0) continue;
        kept.push_back(i);
        trace += g_inverse(VectorX::Unit(s.size(), i))(i);
    }
    return smallest_exceeds(Bt(Eigen::all, kept), std::sqrt(trace), limit);
}

VectorX DroppedRows::g_inverse(const VectorX& r) const {
    VectorX x = r;
    factor.solve({x.data(), static_cast<std::size_t>(x.size())});
    return x;
}

VectorX DroppedRows::least_norm(const VectorX& r) const {
    return Bt * g_inverse(s.cwiseProduct(r));
}

Reaction DroppedRows::reaction(const VectorX& r) const {
    const VectorX lambda = g_inverse(s.cwiseProduct(r));
    return {Bt * lambda, s.cwiseProduct(lambda)};
}

VectorX DroppedRows::off_rows(const VectorX& x) const {
    const VectorX once = x - Bt * g_inverse(Bt.transpose() * x);
    return once - Bt * g_inverse(Bt.transpose() * once);  // the refinement step of this form
}

VectorX DroppedRows::multipliers(const VectorX& x) const {
    const VectorX once = g_inverse(Bt.transpose() * x);
    return s.cwiseProduct(once + g_inverse(Bt.transpose() * (x - Bt * once)));
}

}  // namespace lacon::solving::dense
