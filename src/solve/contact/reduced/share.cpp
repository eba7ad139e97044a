// Forces that are not unique (theory 3.7): v = v_least + Z c, Z a basis of what does nothing that
// is orthonormal by the weights, Zᵀ diag(w) Z = 1. The shortest v within its bounds is then again a
// least distance, min ½|c|² with (aᵀZ) c ≥ bound − aᵀ v_least. Cones are cut by planes that touch
// them at the direction found, which the next solution keeps: each cut is needed by every
// admissible v. Where several round cones hold at once, cuts become parallel within rounding before
// the point is found; then an interior-point method of cones finds it (ConicShare).
#include "solve/contact/reduced/share.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "solve/contact/reduced/rows.hpp"

namespace lacon::solving::inline contact {

namespace {

constexpr double cone_tol = 1e-12;                    // of the largest force
constexpr double active_tol = 1e-10;                  // of the largest force
constexpr int most_cuts = 100, most_round_cuts = 12;  // beyond that the cones themselves are faster

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

/// The same least distance with the cones as they are: min ½|c|² with s = h + G c in K, a product
/// of cones s₀ ≥ |s₁| (bounds are those without s₁). Its conditions c = Gᵀ z, z in K, s ∘ z = 0 are
/// solved by Newton's method along the central path s ∘ z = μ e, scaled by Nesterov & Todd's W
/// (W z = W⁻¹ s = λ), with Mehrotra's predictor and corrector (Vandenberghe, The CVXOPT linear and
/// quadratic cone program solvers, 2010).
class ConicShare {
public:
    ConicShare(MatrixX G, VectorX h, std::vector<Index> first)
        : G_(std::move(G)), h_(std::move(h)), first_(std::move(first)) {}

    VectorX run();

private:
    struct Scaling {
        double beta;
        VectorX w;
    };

    Index cones() const { return static_cast<Index>(first_.size()) - 1; }
    auto block(const VectorX& x, Index i) const {
        return x.segment(first_[i], first_[i + 1] - first_[i]);
    }
    auto block(VectorX& x, Index i) const {
        return x.segment(first_[i], first_[i + 1] - first_[i]);
    }

    static double hyperbolic(const VectorX& x);  // x₀² − |x₁|², without cancellation
    void put_inside(VectorX& x) const;
    void scale();
    VectorX scaled(const VectorX& x, bool inverse) const;
    VectorX product(const VectorX& x, const VectorX& y) const;
    VectorX quotient(const VectorX& x) const;  // u with λ ∘ u = x
    double room(const VectorX& x, const VectorX& step) const;
    void newton(const VectorX& u);

    MatrixX G_;
    VectorX h_;
    std::vector<Index> first_;  // of each cone: its first row, and one more for the end
    std::vector<Scaling> W_;
    VectorX c_, s_, z_, lambda_, dc_, ds_, dz_;
};

double ConicShare::hyperbolic(const VectorX& x) {
    const double side = x.tail(x.size() - 1).norm();
    return (x(0) - side) * (x(0) + side);
}

void ConicShare::put_inside(VectorX& x) const {
    for (Index i = 0; i < cones(); ++i) {
        const VectorX part = block(x, i);
        const double beyond = part.tail(part.size() - 1).norm() - part(0);
        if (beyond > -1e-3) x(first_[i]) += beyond + 1.0;  // forces are in units of the largest
    }
}

void ConicShare::scale() {
    W_.clear();
    lambda_.resize(s_.size());
    for (Index i = 0; i < cones(); ++i) {
        const VectorX s = block(s_, i), z = block(z_, i);
        const double ss = std::sqrt(hyperbolic(s)), zz = std::sqrt(hyperbolic(z));
        VectorX flipped = -z / zz;
        flipped(0) = -flipped(0);
        const double gamma = std::sqrt(0.5 * (1.0 + s.dot(z) / (ss * zz)));
        W_.push_back({std::sqrt(ss / zz), (s / ss + flipped) / (2.0 * gamma)});
    }
    lambda_ = scaled(z_, false);
}

VectorX ConicShare::scaled(const VectorX& x, bool inverse) const {
    VectorX result(x.size());
    for (Index i = 0; i < cones(); ++i) {
        const VectorX part = block(x, i);
        const Index sides = part.size() - 1;
        const auto& [beta, w] = W_[static_cast<std::size_t>(i)];
        const VectorX w1 = (inverse ? -1.0 : 1.0) * w.tail(sides);
        const double along = w1.dot(part.tail(sides));
        VectorX out(part.size());
        out(0) = w(0) * part(0) + along;
        out.tail(sides) = part.tail(sides) + (part(0) + along / (1.0 + w(0))) * w1;
        block(result, i) = inverse ? VectorX(out / beta) : VectorX(out * beta);
    }
    return result;
}

VectorX ConicShare::product(const VectorX& x, const VectorX& y) const {
    VectorX result(x.size());
    for (Index i = 0; i < cones(); ++i) {
        const VectorX a = block(x, i), b = block(y, i);
        block(result, i) = a(0) * b + b(0) * a;
        result(first_[i]) = a.dot(b);
    }
    return result;
}

VectorX ConicShare::quotient(const VectorX& x) const {
    VectorX result(x.size());
    for (Index i = 0; i < cones(); ++i) {
        const VectorX l = block(lambda_, i), d = block(x, i);
        const Index sides = l.size() - 1;
        const double u0 = (l(0) * d(0) - l.tail(sides).dot(d.tail(sides))) / hyperbolic(l);
        block(result, i) = (d - u0 * l) / l(0);
        result(first_[i]) = u0;
    }
    return result;
}

// The longest part of a step, up to 1, that stays within the cones.
double ConicShare::room(const VectorX& x, const VectorX& step) const {
    double longest = 1.0;
    for (Index i = 0; i < cones(); ++i) {
        const VectorX at = block(x, i), d = block(step, i);
        const Index sides = at.size() - 1;
        const double a = hyperbolic(d), c = hyperbolic(at),
                     b = at(0) * d(0) - at.tail(sides).dot(d.tail(sides));
        if (a >= 0.0 && b >= 0.0) continue;
        // The least positive root of a α² + 2 b α + c = 0, of which c > 0.
        const double root = std::sqrt(std::max(0.0, b * b - a * c));
        longest = std::min(longest, c / (root - b));
    }
    return longest;
}

// dc − Gᵀ dz = Gᵀ z − c,   ds − G dc = h + G c − s,   W dz + W⁻¹ ds = u
void ConicShare::newton(const VectorX& u) {
    MatrixX scaled_G(G_.rows(), G_.cols());
    for (Index j = 0; j < G_.cols(); ++j) scaled_G.col(j) = scaled(G_.col(j), true);
    const VectorX missed = s_ - h_ - G_ * c_;
    const VectorX right =
        G_.transpose() * z_ - c_ + scaled_G.transpose() * (u + scaled(missed, true));
    const MatrixX A = MatrixX::Identity(c_.size(), c_.size()) + scaled_G.transpose() * scaled_G;
    dc_ = A.ldlt().solve(right);
    ds_ = G_ * dc_ - missed;
    dz_ = scaled(u - scaled(ds_, true), true);
}

VectorX ConicShare::run() {
    constexpr int most_steps = 60;
    // An interior-point method: it ends at rounding, where forces grow without bound (there is no
    // share), or where steps become nothing; 0.99 of the way to the border keeps it inside. Not
    // critical.
    constexpr double exact = 1e-14, most_force = 1e12, shorter = 0.99;
    const Index n = G_.cols();
    c_ = VectorX::Zero(n);
    s_ = h_;
    put_inside(s_);
    z_ = VectorX::Zero(h_.size());
    put_inside(z_);
    VectorX one = VectorX::Zero(h_.size());
    for (Index i = 0; i < cones(); ++i) one(first_[i]) = 1.0;
    for (int step = 0; step < most_steps; ++step) {
        const double mu = s_.dot(z_) / static_cast<double>(cones());
        const double missed = (s_ - h_ - G_ * c_).lpNorm<Eigen::Infinity>();
        if (!std::isfinite(mu) || mu > most_force || (mu < exact && missed < exact)) break;
        scale();
        newton(-lambda_);
        const double part = std::min(room(s_, ds_), room(z_, dz_));
        const double centre = std::pow(1.0 - part, 3);
        newton(quotient(centre * mu * one - product(lambda_, lambda_) -
                        product(scaled(ds_, true), scaled(dz_, false))));
        const double length = std::min(1.0, shorter * std::min(room(s_, ds_), room(z_, dz_)));
        // Where not even 1e-10 of a step stays inside, the method has come to its end.
        if (!dc_.allFinite() || !dz_.allFinite() || length < 1e-10) break;
        c_ += length * dc_;
        s_ += length * ds_;
        z_ += length * dz_;
    }
    return c_;
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
        std::vector<ForceBound> bounds = problem_.bounds;
        const int most = has_round_cones() ? most_round_cuts : most_cuts;
        for (int cut = 0; cut < most; ++cut) {
            const std::optional<VectorX> v = shortest(bounds);
            if (!v) break;
            if (cut == 0) share.v = *v;
            if (add_cuts(*v, bounds)) continue;
            share.v = *v;
            share.admissible = true;
            break;
        }
        if (!share.admissible && bounds.size() > problem_.bounds.size() && has_round_cones()) {
            const VectorX v = within_cones();
            share.admissible = keeps_law(v, cone_tol);
            if (share.admissible) share.v = v;
        }
        share.unique = share.admissible && !can_move(share.v);
        return share;
    }

private:
    Share unique_share() const { return {problem_.v, keeps_law(problem_.v, active_tol), true}; }

    bool keeps_law(const VectorX& v, double part) const {
        const double tol = part * problem_.force_size;
        return v.allFinite() &&
               std::all_of(problem_.bounds.begin(), problem_.bounds.end(),
                           [&](const ForceBound& bound) {
                               return bound.coefficients.dot(v) >= bound.bound - tol;
                           }) &&
               std::all_of(problem_.cones.begin(), problem_.cones.end(),
                           [&](const ForceCone& cone) {
                               return part_of(v, cone.rows).norm() <= limit_of(cone, v) + tol;
                           });
    }

    // A cone of one row is two planes: then cuts come to an end.
    bool has_round_cones() const {
        return std::any_of(problem_.cones.begin(), problem_.cones.end(),
                           [](const ForceCone& cone) { return cone.rows.size() > 1; });
    }

    // The shortest v within all bounds and cones, where there is one; in units of the largest
    // force.
    VectorX within_cones() const {
        std::vector<VectorX> rows;
        std::vector<double> constants;
        std::vector<Index> first;
        const auto add = [&](const VectorX& coefficients, double constant) {
            rows.push_back(Z_.transpose() * coefficients);
            constants.push_back((coefficients.dot(least_) + constant) / problem_.force_size);
        };
        const auto begin_cone = [&] { first.push_back(static_cast<Index>(rows.size())); };
        for (const ForceBound& bound : problem_.bounds) {
            begin_cone();
            add(bound.coefficients, -bound.bound);
        }
        for (const ForceCone& cone : problem_.cones) {
            begin_cone();
            add(cone.coefficients, cone.constant);
            for (const Index row : cone.rows) add(VectorX::Unit(least_.size(), row), 0.0);
        }
        begin_cone();
        MatrixX G(static_cast<Index>(rows.size()), Z_.cols());
        for (std::size_t i = 0; i < rows.size(); ++i)
            G.row(static_cast<Index>(i)) = rows[i].transpose();
        ConicShare conic(std::move(G), to_eigen(constants), std::move(first));
        return least_ + problem_.force_size * (Z_ * conic.run());
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

}  // namespace lacon::solving::contact
