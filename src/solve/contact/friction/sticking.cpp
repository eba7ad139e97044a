// Which forces of a trial may be shared out anew, and whether a share keeps to all cones.
#include "solve/contact/friction/sticking.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <optional>

namespace lacon::solving::inline contact {

void StickingShare::choose() {
    const ContactSpace& space = problem_.space;
    column_.assign(static_cast<std::size_t>(space.count()), -1);
    const auto add = [&](Index i) {
        column_[static_cast<std::size_t>(i)] = static_cast<Index>(rows_.size());
        rows_.push_back(i);
    };
    for (Index i = 0; i < space.normals; ++i) {
        if (!trial_.closed[static_cast<std::size_t>(i)]) continue;
        if (balanced_.set.has(i) || problem_.normals.touches(balanced_.y, i)) add(i);
    }
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (trial_.friction_states[k] != FrictionState::sticks || !trial_.touches(problem_, k))
            continue;
        if (problem_.is_one_sided(k) && column_[static_cast<std::size_t>(problem_.row(k))] < 0)
            continue;
        stuck_.push_back(k);
        for (Index i = space.first[k]; i < space.first[k + 1]; ++i) add(i);
    }
}

void StickingShare::build() {
    const ContactSpace& space = problem_.space;
    const Index t = static_cast<Index>(rows_.size());
    E_ = MatrixX::Zero(space.count(), t);
    v_.resize(t);
    for (Index j = 0; j < t; ++j) {
        E_(rows_[j], j) = 1.0;
        v_(j) = balanced_.f(rows_[j]);
    }
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (trial_.friction_states[k] != FrictionState::slips || !problem_.is_one_sided(k) ||
            trial_.direction[k].size() == 0)
            continue;
        const Index j = column_[static_cast<std::size_t>(problem_.row(k))];
        if (j < 0) continue;
        const ContactFriction& friction = problem_.friction(k);
        E_.col(j).segment(space.first[k], space.dimension(k)) -=
            friction.kinetic * friction.scale * trial_.direction[k];
    }
    fixed_ = balanced_.f - E_ * v_;
}

// A two-sided load may press to either side: a bound from below is what it is along one direction,
// the present one (choice 0), its opposite, and the same of those across.
std::size_t StickingShare::choices(std::size_t k) const {
    if (problem_.is_one_sided(k) || problem_.is_fixed(k)) return 1;
    return 2 * static_cast<std::size_t>(problem_.constant[k].size());
}

ForceCone StickingShare::cone_of(std::size_t k, std::size_t choice) const {
    ForceCone cone;
    for (Index i = problem_.space.first[k]; i < problem_.space.first[k + 1]; ++i)
        cone.rows.push_back(column_[static_cast<std::size_t>(i)]);
    VectorX pressing = VectorX::Ones(1);
    if (!problem_.is_one_sided(k)) {
        const VectorX load = problem_.load_vector(k, balanced_.f);
        const VectorX present =
            load.norm() > 0.0 ? VectorX(load.normalized()) : VectorX(VectorX::Unit(load.size(), 0));
        const Eigen::HouseholderQR<MatrixX> frame{MatrixX(present)};
        const MatrixX axes = frame.householderQ();
        pressing = choice < 2 ? present : VectorX(axes.col(static_cast<Index>(choice / 2)));
        if (choice % 2 == 1) pressing = -pressing;
    }
    const double limit = problem_.friction(k).at_rest;
    cone.coefficients = limit * (pressing.transpose() * problem_.slope[k] * E_).transpose();
    cone.constant = limit * pressing.dot(problem_.load_vector(k, fixed_));
    return cone;
}

// Where the forces are not unique, a share is looked for with the loads that press to any side.
Share StickingShare::first_that_holds(ShareProblem& share) const {
    constexpr std::size_t most = 64;  // as many as six loads of one component have
    std::optional<Share> first;
    std::size_t count = 1;
    for (const std::size_t k : stuck_) count = std::min(count * choices(k), most);
    for (std::size_t number = 0; number < count; ++number) {
        std::size_t left = number;
        share.cones.clear();
        for (const std::size_t k : stuck_) {
            share.cones.push_back(cone_of(k, left % choices(k)));
            left /= choices(k);
        }
        Share found = share_forces(share);
        if (found.admissible) return found;
        if (!first) first = std::move(found);
        if (first->unique) break;  // there is nothing to share
    }
    for (std::size_t s = 0; s < stuck_.size(); ++s) share.cones[s] = cone_of(stuck_[s], 0);
    return *first;
}

Judged StickingShare::run() {
    const ContactSpace& space = problem_.space;
    MatrixX C = space.P * E_;
    for (std::size_t k = 0; k < problem_.count(); ++k) {  // two-sided loads of what slips must stay
        if (balanced_.own_load[k] < 0 || problem_.is_fixed(k)) continue;
        const double length =
            (problem_.slip_columns(k) * trial_.direction[k]).norm() * problem_.friction(k).kinetic;
        C.conservativeResize(C.rows() + 1, Eigen::NoChange);
        C.bottomRows(1) = length * trial_.pressing[k].transpose() * problem_.slope[k] * E_;
    }
    ShareProblem share{C,
                       v_,
                       {},
                       {},
                       space.rank_tol,
                       balanced_.f.size() > 0 ? balanced_.f.cwiseAbs().maxCoeff() : 0.0};
    for (Index j = 0; j < v_.size(); ++j) {
        if (rows_[j] < space.normals) share.bounds.push_back({VectorX::Unit(v_.size(), j), 0.0});
    }
    share.weight = space.weight(rows_);
    const Share found = first_that_holds(share);
    Judged judged{fixed_ + E_ * found.v, found.unique, {}};
    if (!found.admissible) find_flaws(found.v, share, judged);
    return judged;
}

void StickingShare::find_flaws(const VectorX& v, const ShareProblem& share, Judged& judged) const {
    const ContactSpace& space = problem_.space;
    const double tol = force_tol * share.force_size, largest = problem_.largest_push(judged.f);
    for (Index j = 0; j < v.size() && rows_[j] < space.normals; ++j) {
        if (v(j) < -tol)
            judged.flaws.push_back({Flaw::Kind::pulls, static_cast<std::size_t>(rows_[j]),
                                    -v(j) * space.length(rows_[j]) / largest});
    }
    for (std::size_t s = 0; s < stuck_.size(); ++s) {
        const std::size_t k = stuck_[s];
        const double tau = judged.f.segment(space.first[k], space.dimension(k)).norm();
        const double limit =
            std::max(share.cones[s].coefficients.dot(v) + share.cones[s].constant, 0.0);
        const double length = space.length.segment(space.first[k], space.dimension(k)).maxCoeff();
        if (tau > limit + tol)
            judged.flaws.push_back({Flaw::Kind::over_limit, k, (tau - limit) * length / largest});
    }
}

}  // namespace lacon::solving::contact
