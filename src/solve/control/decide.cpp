// Which limits are reached and which rows bind. Most often none: the efforts without limits keep
// them, and one-sided rows are met without effort. Else two quadratic programmes, one over what the
// other leaves:
//     least |T_E u − r_E|² + |T_I u − σ − r_I|² over σ ≥ 0 and the limits,
//     least cost over the limits, T u as found where it is an equation or missed, T_I u ≥ r_I where
//     it is met,
// and a third one for efforts that cost nothing. The set is what pushes in them.
#include "solve/control/decide.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "solve/control/set.hpp"
#include "solve/dense/matrix/bounded_least_squares.hpp"

namespace lacon::solving::inline control {

namespace {

using Row = ControlSet::Row;

// Beyond a bound by less than this part of its size is rounding.
constexpr double bound_tol = 1e-12;

class Deciding {
public:
    Deciding(const Reach& reach, const SolveOptions& options) : reach_(reach), options_(options) {}
    Decision run();

private:
    const Reach& reach_;
    const SolveOptions& options_;
    Decision decision_;
    VectorX x_;
    MatrixX bounds_;  // of the limits, rows of unit length in x
    VectorX limits_;  // (of the same)
    std::vector<std::pair<Index, signed char>> owner_;

    Index rows() const { return reach_.required(); }
    Row& row(Index i) { return decision_.set.rows[static_cast<std::size_t>(i)]; }
    signed char& limit(Index j) { return decision_.set.limits[static_cast<std::size_t>(j)]; }
    bool one_sided(Index i) const { return reach_.one_sided[static_cast<std::size_t>(i)]; }

    double own_size(Index i) const {
        return reach_.size(i) + reach_.B.row(i).cwiseAbs().dot(x_.cwiseAbs());
    }
    double size(Index i) const { return std::max(own_size(i), reach_.balanced(reach_.X * x_)(i)); }
    double excess(Index i) const { return reach_.B.row(i).dot(x_) - reach_.r(i); }
    bool met(Index i) const;
    bool all_met() const;
    bool plain();
    bool keeps_bounds() const;
    void gather_limits();
    bool miss_least(const VectorX& scale, double rank_tol);
    bool met_without_limits() const;
    bool spend_least();
    bool bounded(const MatrixX& E, const MatrixX& fixed);
    void mark(const std::vector<bool>& push);
    void take_missed();
};

bool Deciding::met(Index i) const {
    const double over = excess(i);
    return (one_sided(i) && over >= 0.0) || std::abs(over) <= options_.consistency_tol * size(i);
}

bool Deciding::all_met() const {
    for (Index i = 0; i < rows(); ++i)
        if (!met(i)) return false;
    return true;
}

bool Deciding::keeps_bounds() const {
    for (Index i = 0; i < rows(); ++i)
        if (one_sided(i) && excess(i) < -bound_tol * own_size(i)) return false;
    for (Index j = 0; j < reach_.efforts(); ++j) {
        const double u = reach_.X.row(j).dot(x_),
                     size = reach_.X.row(j).cwiseAbs().dot(x_.cwiseAbs());
        if (u < reach_.low(j) - bound_tol * size || u > reach_.high(j) + bound_tol * size)
            return false;
    }
    return true;
}

// The efforts that the equations call for by themselves. Returns whether there is nothing else to
// decide.
bool Deciding::plain() {
    decision_.set.rows.assign(static_cast<std::size_t>(rows()), Row::bound);
    decision_.set.limits.assign(static_cast<std::size_t>(reach_.efforts()), 0);
    bool open = false;
    for (Index i = 0; i < rows(); ++i) {
        if (one_sided(i)) row(i) = Row::idle;
        open = open || one_sided(i);
    }
    for (Index j = 0; j < reach_.efforts(); ++j) {
        const bool fixed = reach_.low(j) == reach_.high(j);
        if (fixed) limit(j) = -1;
        open = open || reach_.limited(j);
    }
    x_ = EffortsOfSet(reach_, decision_.set, options_).x;
    if (all_met() && keeps_bounds()) return true;
    if (open) return false;
    std::fill(decision_.set.rows.begin(), decision_.set.rows.end(), Row::missed);
    x_ = EffortsOfSet(reach_, decision_.set, options_).x;
    take_missed();
    return true;
}

void Deciding::gather_limits() {
    for (Index j = 0; j < reach_.efforts(); ++j) {
        if (std::isfinite(reach_.low(j))) owner_.push_back({j, -1});
        if (std::isfinite(reach_.high(j))) owner_.push_back({j, 1});
    }
    bounds_ = MatrixX(static_cast<Index>(owner_.size()), reach_.efforts());
    limits_ = VectorX(bounds_.rows());
    for (Index i = 0; i < bounds_.rows(); ++i) {
        const auto [j, side] = owner_[static_cast<std::size_t>(i)];
        const double length = reach_.X.row(j).norm();
        bounds_.row(i) = -side * reach_.X.row(j) / length;
        limits_(i) = (side < 0 ? reach_.low(j) : -reach_.high(j)) / length;
    }
}

void Deciding::mark(const std::vector<bool>& push) {
    for (std::size_t i = 0; i < owner_.size(); ++i)
        if (push[i]) limit(owner_[i].first) = owner_[i].second;
}

// The first programme, rows multiplied by `scale`; x_ is where it begins and where it ends.
bool Deciding::miss_least(const VectorX& scale, double rank_tol) {
    std::vector<Index> sided;
    for (Index i = 0; i < rows(); ++i)
        if (one_sided(i)) sided.push_back(i);
    const Index p = reach_.efforts(), k = rows(), slack = static_cast<Index>(sided.size()),
                h = bounds_.rows();
    MatrixX E = MatrixX::Zero(k, p + slack), G = MatrixX::Zero(h + slack, p + slack);
    // What the rank decision drops is left out, so that no other scale of the rows can bring it
    // back.
    const RowSpace& kept = reach_.rows;
    const VectorX unscaled = scale.cwiseQuotient(kept.s);
    E.leftCols(p) = unscaled.asDiagonal() * (kept.V * kept.T.transpose() * kept.U.transpose());
    G.topLeftCorner(h, p) = bounds_;
    VectorX g = VectorX::Zero(h + slack), start = VectorX::Zero(p + slack);
    g.head(h) = limits_;
    start.head(p) = x_;
    for (Index i = 0; i < slack; ++i) {
        const Index at = sided[static_cast<std::size_t>(i)];
        E(at, p + i) = -1.0;
        G(h + i, p + i) = 1.0;
        start(p + i) = std::max(0.0, scale(at) * excess(at));
    }
    const VectorX f = scale.cwiseProduct(reach_.r);
    const MatrixX all = MatrixX::Identity(p + slack, p + slack);
    const BoundedSolution least = least_squares_within({E, f, G, g, start, all, rank_tol});
    x_ = least.x.head(p);
    std::fill(decision_.set.limits.begin(), decision_.set.limits.end(), 0);
    if (least.converged) mark(least.push);
    return least.converged;
}

bool Deciding::met_without_limits() const {
    Deciding unlimited = *this;
    unlimited.owner_.clear();
    unlimited.bounds_.resize(0, reach_.efforts());
    unlimited.limits_.resize(0);
    return unlimited.miss_least(reach_.s, reach_.tol) && unlimited.all_met();
}

void Deciding::take_missed() {
    for (Index i = 0; i < rows(); ++i) {
        if (!met(i)) {
            row(i) = Row::missed;
        } else {
            row(i) = one_sided(i) ? Row::idle : Row::bound;
        }
    }
}

// Least |E x| with the rows `fixed` as they are; marks what pushes.
bool Deciding::bounded(const MatrixX& E, const MatrixX& fixed) {
    std::vector<Index> kept;
    for (Index i = 0; i < rows(); ++i)
        if (one_sided(i) && row(i) != Row::missed && !reach_.B.row(i).isZero(0.0))
            kept.push_back(i);
    const Index h = bounds_.rows(), more = static_cast<Index>(kept.size());
    MatrixX G(h + more, reach_.efforts());
    VectorX g(h + more);
    G.topRows(h) = bounds_;
    g.head(h) = limits_;
    for (Index i = 0; i < more; ++i) {
        const Index at = kept[static_cast<std::size_t>(i)];
        const double length = reach_.B.row(at).norm();
        G.row(h + i) = reach_.B.row(at) / length;
        g(h + i) = reach_.r(at) / length;
    }
    const RowSpace held = decide_rank_of_scaled(fixed.transpose(), VectorX::Ones(fixed.rows()),
                                                orthogonal_path(options_), reach_.tol);
    const VectorX zero = VectorX::Zero(E.rows());
    const BoundedSolution least =
        least_squares_within({E, zero, G, g, x_, held.null_space(), reach_.tol});
    x_ = least.x;
    if (!least.converged) return false;
    mark(least.push);
    for (Index i = 0; i < more; ++i)
        if (least.push[static_cast<std::size_t>(h + i)])
            row(kept[static_cast<std::size_t>(i)]) = Row::bound;
    return true;
}

// The second programme, and the third where it leaves something open.
bool Deciding::spend_least() {
    const Index p = reach_.efforts(), q = reach_.costly;
    std::vector<Index> held, stuck;
    for (Index i = 0; i < rows(); ++i)
        if (row(i) != Row::idle) held.push_back(i);
    for (Index j = 0; j < p; ++j)
        if (limit(j) != 0) stuck.push_back(j);
    MatrixX fixed(static_cast<Index>(held.size() + stuck.size()), p);
    fixed.topRows(static_cast<Index>(held.size())) =
        reach_.s(held).asDiagonal() * reach_.B(held, Eigen::all);
    fixed.bottomRows(static_cast<Index>(stuck.size())) =
        reach_.X(stuck, Eigen::all).rowwise().normalized();
    const MatrixX identity = MatrixX::Identity(p, p);
    if (!bounded(identity.topRows(q), fixed)) return false;
    if (q == p) return true;
    MatrixX more(fixed.rows() + q, p);
    more << fixed, identity.topRows(q);
    return bounded(identity.bottomRows(p - q), more);
}

Decision Deciding::run() {
    if (plain()) return decision_;
    gather_limits();
    const VectorX u = (reach_.X * x_).cwiseMax(reach_.low).cwiseMin(reach_.high);
    x_ = reach_.X.partialPivLu().solve(u);
    decision_.converged = miss_least(reach_.s, reach_.tol);
    if (decision_.converged &&
        !all_met()) {  // rows as they are: that of the least weight still counts beside the others
        decision_.limits_forbid = met_without_limits();
        const double largest = reach_.s.minCoeff(), least = reach_.s.maxCoeff();
        // 1e-14: rounding. The tolerance of the rows, scaled to the least of them.
        const double tol = std::max(1e-14, reach_.tol * largest / least);
        decision_.converged = miss_least(VectorX::Constant(rows(), largest), tol);
    } else {
        std::fill(decision_.set.limits.begin(), decision_.set.limits.end(), 0);
    }
    if (!decision_.converged) return decision_;
    take_missed();
    decision_.converged = spend_least();
    for (Index j = 0; j < reach_.efforts(); ++j)
        if (reach_.low(j) == reach_.high(j) && limit(j) == 0) limit(j) = -1;
    return decision_;
}

}  // namespace

Decision decide_set(const Reach& reach, const SolveOptions& options) {
    return Deciding(reach, options).run();
}

}  // namespace lacon::solving::control
