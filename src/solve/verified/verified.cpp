// Approximate inverses come from Eigen in plain doubles; their errors are bounded with outward
// rounding. One enclosure is narrow for wide matrices, a second one for thin ones; the result is
// their intersection.
#include "solve/verified/verified.hpp"

#include <Eigen/LU>
#include <optional>

#include "interval/directed.hpp"
#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline verified {

using namespace directed;
using solving::Index;
using solving::MatrixX;
using solving::VectorX;

namespace {

/// The middle of a matrix and a bound on how far its members, or its rounding, may be from there.
struct Ball {
    MatrixX mid, radius;
};

/// A sum of n products is off by at most n u Σ |a b|, for any order and with or without fma; one u
/// more makes up for the rounding of Σ |a b| itself.
double product_error(Index inner) {
    return static_cast<double>(inner + 1) * 0x1p-53;
}
constexpr double lost_to_underflow = 0x1p-1000;  // far above what the products of a row can lose

/// A bound on the product of two nonnegative matrices.
MatrixX product_up(const MatrixX& A, const MatrixX& B) {
    const double factor = add_up(1.0, product_error(A.cols()));
    return (A * B).unaryExpr(
        [&](double x) { return add_up(mul_up(x, factor), lost_to_underflow); });
}

/// A [B] for a matrix A of plain numbers.
Ball product(const MatrixX& A, const Ball& B) {
    const double factor = product_error(A.cols());
    const MatrixX rounding = (A.cwiseAbs() * B.mid.cwiseAbs()).unaryExpr([&](double x) {
        return add_up(mul_up(x, factor), lost_to_underflow);
    });
    const MatrixX spread = product_up(A.cwiseAbs(), B.radius);
    return {A * B.mid,
            rounding.binaryExpr(spread, [](double x, double y) { return add_up(x, y); })};
}

/// Exponents of the powers of two that bring the largest entries of all rows and columns near one;
/// none where a row or column is zero, or not within reach of doubles.
struct Scales {
    std::vector<int> row, column;
};
std::optional<Scales> scales_of(const IntervalMatrix& K) {
    const std::size_t n = K.rows;
    Scales s{std::vector<int>(n), std::vector<int>(n)};
    for (int sweep = 0; sweep < 6; ++sweep) {
        std::vector<int> largest_row(n, std::numeric_limits<int>::min()),
            largest_column = largest_row;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                if (!(K(i, j).magnitude() > 0.0)) continue;
                const int exponent = std::ilogb(K(i, j).magnitude()) + s.row[i] + s.column[j];
                largest_row[i] = std::max(largest_row[i], exponent);
                largest_column[j] = std::max(largest_column[j], exponent);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (std::min(largest_row[i], largest_column[i]) == std::numeric_limits<int>::min())
                return std::nullopt;
            s.row[i] -= largest_row[i] / 2;
            s.column[i] -= largest_column[i] / 2;
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        if (std::abs(s.row[i]) > 500 || std::abs(s.column[i]) > 500) return std::nullopt;
    return s;
}

Interval scaled(const Interval& x, int exponent) {
    return x * Interval(std::ldexp(1.0, exponent));
}

/// Σ a_j x_j.
Interval dot(const auto& a, std::span<const Interval> x) {
    Interval sum;
    for (std::size_t j = 0; j < x.size(); ++j)
        sum = sum + Interval(a[static_cast<Index>(j)]) * x[j];
    return sum;
}

}  // namespace

struct VerifiedFactor::Proof {
    Scales scales;
    IntervalMatrix K;                            // scaled
    MatrixX C;                                   // near the inverse of its middle
    IntervalMatrix G;                            // C K
    MatrixX inverse;                             // above ⟨G⟩⁻¹, which is not negative
    std::vector<double> least;                   // below the diagonal of ⟨G⟩⁻¹
    Smoothness smoothness = Smoothness::smooth;  // of the roughest entry

    bool scale(const IntervalMatrix& unscaled);
    bool precondition();
    bool invert_comparison();
    std::vector<Interval> preconditioned(std::span<const Interval> r) const;
    std::vector<Interval> enclose(std::span<const Interval> b) const;
    std::vector<Interval> residual(std::span<const Interval> r, std::span<const double> x) const;
};

bool VerifiedFactor::Proof::scale(const IntervalMatrix& unscaled) {
    std::optional<Scales> found = scales_of(unscaled);
    if (!found) return false;
    scales = std::move(*found);
    K = unscaled;
    for (const Interval& entry : K.entries) smoothness = worst(smoothness, entry.smoothness);
    for (std::size_t i = 0; i < K.rows; ++i)
        for (std::size_t j = 0; j < K.cols; ++j)
            K(i, j) = scaled(K(i, j), scales.row[i] + scales.column[j]);
    return std::all_of(K.entries.begin(), K.entries.end(),
                       [](const Interval& x) { return x.is_defined(); });
}

bool VerifiedFactor::Proof::precondition() {
    const auto n = static_cast<Index>(K.rows);
    Ball ball{MatrixX(n, n), MatrixX(n, n)};
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            const Interval& entry = K(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            ball.mid(i, j) = entry.mid();
            ball.radius(i, j) = entry.radius();
        }
    }
    C = Eigen::PartialPivLU<MatrixX>(ball.mid).inverse();
    if (!C.allFinite()) return false;
    const Ball near_identity = product(C, ball);
    G = IntervalMatrix(K.rows, K.cols);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            const double mid = near_identity.mid(i, j), radius = near_identity.radius(i, j);
            G(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = {add_down(mid, -radius),
                                                                           add_up(mid, radius)};
        }
    }
    return std::all_of(G.entries.begin(), G.entries.end(),
                       [](const Interval& x) { return x.is_defined(); });
}

/// Bounds on the inverse of B = ⟨G⟩. For v > 0 with B v ≥ w > 0, B is an M-matrix (B⁻¹ ≥ 0) and B⁻¹
/// w ≤ v. With an approximate inverse N and |B N − I| ≤ w zᵀ it follows that |B⁻¹ − N| ≤ B⁻¹ w zᵀ ≤
/// v zᵀ.
bool VerifiedFactor::Proof::invert_comparison() {
    const auto n = static_cast<Index>(G.rows);
    MatrixX B(n, n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            const Interval& entry = G(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            B(i, j) = i == j ? entry.mignitude() : -entry.magnitude();
        }
    }
    const MatrixX N = Eigen::PartialPivLU<MatrixX>(B).inverse();
    if (!N.allFinite()) return false;
    const VectorX v = N.rowwise().sum();
    if (!v.allFinite() || !(v.minCoeff() > 0.0)) return false;
    VectorX w = VectorX::Zero(n);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) w[i] = add_down(w[i], mul_down(B(i, j), v[j]));
    if (!(w.minCoeff() > 0.0)) return false;

    const Ball identity = product(B, {N, MatrixX::Zero(n, n)});
    VectorX z = VectorX::Zero(n);
    for (Index k = 0; k < n; ++k) {
        for (Index i = 0; i < n; ++i) {
            const Interval error = Interval(identity.mid(i, k)) - Interval(i == k ? 1.0 : 0.0);
            const double off = div_up(add_up(error.magnitude(), identity.radius(i, k)), w[i]);
            if (!(off <= largest)) return false;
            z[k] = std::max(z[k], off);
        }
    }
    inverse = MatrixX(n, n);
    least.resize(G.rows);
    for (Index i = 0; i < n; ++i) {
        for (Index k = 0; k < n; ++k) inverse(i, k) = add_up(N(i, k), mul_up(v[i], z[k]));
        // The diagonal of the inverse of an M-matrix is at least one over its diagonal.
        least[static_cast<std::size_t>(i)] =
            std::max(add_down(N(i, i), -mul_up(v[i], z[i])), div_down(1.0, B(i, i)));
    }
    return inverse.allFinite();
}

std::vector<Interval> VerifiedFactor::Proof::preconditioned(std::span<const Interval> r) const {
    std::vector<Interval> b(r.size());
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = dot(C.row(static_cast<Index>(i)), r);
    return b;
}

/// The solutions of G y = b. With the other unknowns eliminated, the terms beside the diagonal of
/// row i sum to at most β + α |y_i|, where α = ⟨G⟩_ii − 1 / d_i, β = Σ_{k ≠ i} (⟨G⟩⁻¹)_ik |b_k| /
/// d_i and d_i = (⟨G⟩⁻¹)_ii.
std::vector<Interval> VerifiedFactor::Proof::enclose(std::span<const Interval> b) const {
    std::vector<Interval> y(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
        double others = 0.0;
        for (std::size_t k = 0; k < b.size(); ++k) {
            if (k != i)
                others =
                    add_up(others, mul_up(inverse(static_cast<Index>(i), static_cast<Index>(k)),
                                          b[k].magnitude()));
        }
        const double largest_d = inverse(static_cast<Index>(i), static_cast<Index>(i));
        const double alpha = std::max(0.0, add_up(G(i, i).mignitude(), -div_down(1.0, largest_d)));
        const double beta = div_up(others, least[i]);
        const double bound = add_up(others, mul_up(largest_d, b[i].magnitude()));
        const Interval fine = (b[i] + Interval(-beta, beta)) / (G(i, i) + Interval(-alpha, alpha));
        y[i] = intersection(fine, Interval(-bound, bound));
    }
    return y;
}

std::vector<Interval> VerifiedFactor::Proof::residual(std::span<const Interval> r,
                                                      std::span<const double> x) const {
    std::vector<Interval> rest(r.begin(), r.end());
    for (std::size_t i = 0; i < rest.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j) rest[i] = rest[i] - K(i, j) * Interval(x[j]);
    return rest;
}

VerifiedFactor::VerifiedFactor() = default;
VerifiedFactor::~VerifiedFactor() = default;
VerifiedFactor::VerifiedFactor(VerifiedFactor&&) noexcept = default;
VerifiedFactor& VerifiedFactor::operator=(VerifiedFactor&&) noexcept = default;

bool VerifiedFactor::factor(const IntervalMatrix& K) {
    proof_ = std::make_unique<Proof>();
    is_regular_ = K.rows == K.cols && std::all_of(K.entries.begin(), K.entries.end(),
                                                  [](const Interval& x) { return x.is_defined(); });
    if (is_regular_ && K.rows > 0)
        is_regular_ = proof_->scale(K) && proof_->precondition() && proof_->invert_comparison();
    return is_regular_;
}

void VerifiedFactor::solve(std::span<const Interval> r, std::span<Interval> x) const {
    const bool is_defined =
        std::all_of(r.begin(), r.end(), [](const Interval& y) { return y.is_defined(); });
    std::fill(x.begin(), x.end(), Interval::undefined());
    if (!is_regular_ || !is_defined || r.empty()) return;
    const Proof& p = *proof_;
    std::vector<Interval> right(r.size());
    Smoothness smoothness = p.smoothness;
    for (std::size_t i = 0; i < right.size(); ++i) {
        right[i] = scaled(r[i], p.scales.row[i]);
        smoothness = worst(smoothness, r[i].smoothness);
    }

    // Two enclosures: the narrowest one where K is wide, and around a solution, which loses fewer
    // digits where K is thin.
    const std::vector<Interval> wide = p.enclose(p.preconditioned(right));
    std::vector<double> centre(r.size());
    for (std::size_t i = 0; i < centre.size(); ++i)
        centre[i] = wide[i].is_defined() ? wide[i].mid() : 0.0;
    const std::vector<Interval> around = p.enclose(p.preconditioned(p.residual(right, centre)));
    for (std::size_t i = 0; i < r.size(); ++i) {
        x[i] = scaled(intersection(wide[i], Interval(centre[i]) + around[i]), p.scales.column[i]);
        x[i].smoothness = worst(x[i].smoothness, smoothness);
    }
}

}  // namespace lacon::solving::verified
