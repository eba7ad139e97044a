// The constrained problem, factored once for many right-hand sides.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"

namespace lacon::solving::inline dense {

/// M and A factored once, for many right-hand sides: accelerations, Taylor coefficients of any
/// order, projections.
///     M x = f + Aᵀ λ,   A x = r
/// With f = Q, r = b, x is the constrained acceleration (theory 2.1); with f = 0, the change of
/// least M-norm that meets A x = r (P1 5c); with the terms of order k, the coefficient of order k
/// (theory 7, last). One rank decision serves all of them.
class ConstrainedFactor {
public:
    ConstrainedFactor();
    ~ConstrainedFactor();
    ConstrainedFactor(ConstrainedFactor&&) noexcept;
    ConstrainedFactor& operator=(ConstrainedFactor&&) noexcept;

    /// `most_rank`: where the tolerance would leave more directions, only so many are kept, the
    /// strongest ones (decide_rank).
    /// Path::ldlt is tried where asked for and left where its checks fail, as in `solve`. Not ok:
    /// conflicts are not seen here (they depend on r), but undefined, indefinite and undetermined
    /// are.
    Outcome factor(MatrixView M, MatrixView A, const SolveOptions& options,
                   std::size_t most_rank = SIZE_MAX);

    /// f (n), r (m) → x (n), λ (m). Where the rows depend on each other, x meets r best (least
    /// squares over rows of unit length), and λ is one choice of many, always the same linear
    /// function of f and r.
    void solve(std::span<const double> f, std::span<const double> r, std::span<double> x,
               std::span<double> lambda) const;

    /// The same for M and A that differ a little from those factored: corrections by their
    /// residuals. Returns the largest row residual |r − A x| left, relative to |r_i| + Σ |A_ij x_j|
    /// (+ what f sets free): not small where r is inconsistent.
    struct Nearby {
        MatrixView M, A;
        int corrections = 1;
    };
    double solve(const Nearby& exact, std::span<const double> f, std::span<const double> r,
                 std::span<double> x, std::span<double> lambda) const;

    /// M⁻¹ Aᵀ λ (n): what a push along the rows does. Zero where M is singular.
    void push(std::span<const double> lambda, std::span<double> x) const;

    std::size_t rank() const;
    /// What it would be by the tolerance alone.
    std::size_t uncut_rank() const;
    double gap() const;
    /// Of the row-scaled B: smallest kept singular value (an estimate within a small factor)
    /// relative to the largest; 1 at rank 0.
    double weakest() const;
    /// All of them, decreasing, relative to the largest.
    const std::vector<double>& singular() const;
    /// The same at an M and A that need not be factored otherwise: of large ones without singular
    /// vectors, which take most of the time. ok, undefined, indefinite.
    Outcome singular_values(const Matrix& M, const Matrix& A, std::vector<double>& values);
    /// The directions that go with it: u (m), w (n) with uᵀ A w = weakest() × largest, up to sign.
    /// While A changes smoothly, uᵀ A(t) w passes zero with the singular value. Empty at rank 0.
    struct Direction {
        std::vector<double> u, w;
        /// u for rows of unit length (m): a unit vector, what each row contributes.
        std::vector<double> parts;
        double reciprocal_condition = 0.0;
        double at(const Matrix& A) const;  ///< uᵀ A w
    };
    const Direction& weakest_direction() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lacon::solving::dense

namespace lacon {
using solving::ConstrainedFactor;
}  // namespace lacon
