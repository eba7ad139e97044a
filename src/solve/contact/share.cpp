// Forces that are not unique (theory 3.7): v = v_least + Z c, Z a basis of what does nothing that
// is orthonormal by the weights, Zᵀ diag(w) Z = 1. The shortest v within its bounds is then again a
// least distance, min ½|c|² with (aᵀZ) c ≥ bound − aᵀ v_least. Cones are cut by planes that touch
// them at the direction found, which the next solution keeps: each cut is needed by every
// admissible v, so where no c is left, there is no admissible v.
#include "solve/contact/share.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "solve/contact/rows.hpp"

namespace lacon::solving {

namespace {

constexpr double cone_tol = 1e-12;    // of the largest force
constexpr double active_tol = 1e-10;  // of the largest force
constexpr int most_cuts = 100;

VectorX part_of(const VectorX& v, const std::vector<Index>& rows) {
    VectorX part(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) part(static_cast<Index>(i)) = v(rows[i]);
    return part;
}

double limit_of(const ForceCone& cone, const VectorX& v) {
    return cone.coefficients.dot(v) + cone.constant;
}

// limit(v) − direction · v(rows) ≥ 0
ForceBound tangent(const ForceCone& cone, const VectorX& direction) {
    ForceBound bound{cone.coefficients, -cone.constant};
    for (std::size_t i = 0; i < cone.rows.size(); ++i)
        bound.coefficients(cone.rows[i]) -= direction(static_cast<Index>(i));
    return bound;
}

// The combinations without effect (t × nullity), orthonormal by the weights (t), given by their
// roots.
MatrixX idle_combinations(const MatrixX& C, const VectorX& root, double tol) {
    IndependentRows set(C, tol);
    std::vector<std::pair<Index, VectorX>> dependent;
    for (Index j = 0; j < C.cols(); ++j) {
        if (!set.add(j)) dependent.emplace_back(j, VectorX());
    }
    MatrixX Z = MatrixX::Zero(C.cols(), static_cast<Index>(dependent.size()));
    for (std::size_t u = 0; u < dependent.size(); ++u) {
        const Index column = static_cast<Index>(u);
        const VectorX along = set.parts(C.col(dependent[u].first)).along;
        Z(dependent[u].first, column) = 1.0;
        for (Index k = 0; k < set.count(); ++k) Z(set.members()[k], column) = -along(k);
    }
    if (Z.cols() == 0) return Z;
    Z = root.asDiagonal() * Z;
    Z = Eigen::HouseholderQR<MatrixX>(Z).householderQ() * MatrixX::Identity(Z.rows(), Z.cols());
    return root.cwiseInverse().asDiagonal() * Z;
}

class Sharing {
public:
    explicit Sharing(const ShareProblem& problem)
        : problem_(problem),
          root_(problem.weight.size() > 0 ? VectorX(problem.weight.cwiseSqrt())
                                          : VectorX::Ones(problem.v.size())),
          Z_(idle_combinations(problem.C, root_, problem.rank_tol)) {
        least_ = problem.v - Z_ * (Z_.transpose() * root_.cwiseAbs2().cwiseProduct(problem.v));
    }

    Share run() {
        Share share;
        if (Z_.cols() == 0) return unique_share();
        share.v = least_;
        VectorX last;
        std::vector<ForceBound> bounds = problem_.bounds;
        for (int cut = 0; cut < most_cuts; ++cut) {
            const std::optional<VectorX> v = shortest(bounds);
            if (!v) break;
            // What is left may be less than a least distance tells: then cuts change nothing.
            const bool stays =
                cut > 0 && (*v - last).cwiseAbs().maxCoeff() <= cone_tol * problem_.force_size;
            last = *v;
            if (cut == 0) share.v = *v;
            if (add_cuts(*v, bounds) && !(stays && keeps_cones(*v))) continue;
            share.v = *v;
            share.admissible = true;
            break;
        }
        share.unique = share.admissible && !can_move(share.v);
        return share;
    }

private:
    Share unique_share() const {
        Share share{problem_.v, true, true};
        for (const ForceBound& bound : problem_.bounds) {
            if (bound.coefficients.dot(share.v) < bound.bound - active_tol * problem_.force_size)
                share.admissible = false;
        }
        if (!keeps_cones(share.v)) share.admissible = false;
        return share;
    }

    bool keeps_cones(const VectorX& v) const {
        return std::all_of(problem_.cones.begin(), problem_.cones.end(),
                           [&](const ForceCone& cone) {
                               return part_of(v, cone.rows).norm() <=
                                      limit_of(cone, v) + active_tol * problem_.force_size;
                           });
    }

    std::optional<VectorX> shortest(const std::vector<ForceBound>& bounds) const {
        const Index count = static_cast<Index>(bounds.size());
        MatrixX K(Z_.cols(), count);
        VectorX g(count), size(count);
        for (Index i = 0; i < count; ++i) {
            const ForceBound& bound = bounds[static_cast<std::size_t>(i)];
            K.col(i) = Z_.transpose() * bound.coefficients;
            if (K.col(i).norm() <=
                problem_.rank_tol * bound.coefficients.cwiseQuotient(root_).norm())
                K.col(i).setZero();
            g(i) = bound.bound - bound.coefficients.dot(least_);
            size(i) = std::abs(bound.bound) +
                      bound.coefficients.norm() * (least_.norm() + problem_.force_size);
        }
        const DistanceSolution found = least_distance({K, g, size, problem_.rank_tol, active_tol});
        if (found.conflict) return std::nullopt;
        return VectorX(least_ + Z_ * found.y);
    }

    bool add_cuts(const VectorX& v, std::vector<ForceBound>& bounds) const {
        bool any = false;
        for (const ForceCone& cone : problem_.cones) {
            const VectorX part = part_of(v, cone.rows);
            if (part.norm() <= limit_of(cone, v) + cone_tol * problem_.force_size) continue;
            bounds.push_back(tangent(cone, part.normalized()));
            any = true;
        }
        return any;
    }

    // Whether some change without effect keeps what is active: a_i · Z c ≥ 0, not all of them zero;
    // or all zero with c ≠ 0.
    bool can_move(const VectorX& v) const {
        std::vector<VectorX> active;
        const double tol = active_tol * problem_.force_size;
        for (const ForceBound& bound : problem_.bounds) {
            if (bound.coefficients.dot(v) - bound.bound <= tol)
                active.push_back(Z_.transpose() * bound.coefficients);
        }
        for (const ForceCone& cone : problem_.cones) {
            const VectorX part = part_of(v, cone.rows);
            if (part.norm() < limit_of(cone, v) - tol) continue;
            const VectorX direction =
                part.norm() > tol ? VectorX(part.normalized()) : VectorX::Zero(part.size());
            active.push_back(Z_.transpose() * tangent(cone, direction).coefficients);
        }
        MatrixX K(Z_.cols(), static_cast<Index>(active.size()) + 1);
        K.rightCols(1).setZero();
        for (std::size_t i = 0; i < active.size(); ++i) {
            K.col(static_cast<Index>(i)) = active[i];
            K.rightCols(1) += active[i];
        }
        IndependentRows rows(K, problem_.rank_tol);
        for (Index i = 0; i < K.cols(); ++i) rows.add(i);
        if (rows.count() < Z_.cols()) return true;
        VectorX g = VectorX::Zero(K.cols());
        g(K.cols() - 1) = 1.0;
        return !least_distance(
                    {K, g, VectorX::Ones(K.cols()), problem_.rank_tol, problem_.rank_tol})
                    .conflict;
    }

    const ShareProblem& problem_;
    VectorX root_;  // of the weights (t)
    MatrixX Z_;
    VectorX least_;
};

}  // namespace

Share share_forces(const ShareProblem& problem) {
    return Sharing(problem).run();
}

}  // namespace lacon::solving
