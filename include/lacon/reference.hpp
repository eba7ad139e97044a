// The formulas of the papers P1, P2, P3 and P5, one function each.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lacon/export.hpp"
#include "lacon/matrix.hpp"

/// The formulas of the papers, written as they are printed there: the oracle of the tests, and a
/// place to look them up. They use symmetric square roots and generalized inverses by singular
/// values, cost a multiple of `solve` and square conditions where the papers do; use `solve` for
/// work. M must be positive definite; m = 0 and n = 0 are legal. The keys are those of
/// docs/theory.md.
namespace lacon::reference {

using Vector = std::vector<double>;

/// Moore–Penrose inverse; singular values at or below tol times the largest count as zero.
LACON_EXPORT Matrix pinv(const Matrix& A, double tol = 1e-11);
/// The symmetric square root of M and its inverse.
LACON_EXPORT Matrix square_root(const Matrix& M);
LACON_EXPORT Matrix inverse_square_root(const Matrix& M);

struct Problem {
    MatrixView M;               // (n × n) positive definite
    std::span<const double> Q;  // (n)
    MatrixView A;               // (m × n); D in P2
    std::span<const double> b;  // (m);     g in P2
    double tol = 1e-11;         // for pinv
};

LACON_EXPORT Vector free_acceleration(const Problem& p);  ///< a = M⁻¹ Q
LACON_EXPORT Vector
acceleration_p1(const Problem& p);  ///< P1 5a: M q'' = Q + K (b − A M⁻¹ Q), K = M^{1/2} B⁺
LACON_EXPORT Vector constraint_force_p1(const Problem& p);     ///< P1 5b: Qc = K (b − A a)
LACON_EXPORT Vector acceleration_change_p1(const Problem& p);  ///< P1 5c: Δa = M^{-1/2} B⁺ e
LACON_EXPORT double gaussian(const Matrix& M, std::span<const double> a,
                             std::span<const double> x);  ///< P1 6: (x−a)ᵀ M (x−a)
LACON_EXPORT Vector
scaled_acceleration_p3(const Problem& p);  ///< P3 5: r'' = a_s + B⁺ (b − B a_s), r'' = M^{1/2} q''

/// P2 29 with any g-inverse D⁻ of D = A and any least-squares g-inverse H⁻ of H = M^{1/2} (I − D⁻
/// D).
LACON_EXPORT Vector acceleration_p2(const Problem& p, const Matrix& D_inverse,
                                    const Matrix& H_inverse);
LACON_EXPORT Vector
acceleration_p2(const Problem& p);  ///< P2 30: the same with Moore–Penrose inverses
/// P2 33: Q' = (I − M X M⁻¹)(f − Q_given) + M (I − X) D⁻ g, with f − Q_given = −Q.
LACON_EXPORT Vector control_force_p2(const Problem& p, const Matrix& D_inverse,
                                     const Matrix& H_inverse);
LACON_EXPORT Vector control_force_p2(const Problem& p);
LACON_EXPORT Vector multipliers_p2(const Problem& p);  ///< P2 35: λ = (Dᵀ)⁺ Q', of least norm

/// P5: with the force c of non-ideal constraints.
LACON_EXPORT Vector acceleration_p5(const Problem& p, std::span<const double> c);  ///< P5 33, 44
LACON_EXPORT Vector scaled_acceleration_p5(
    const Problem& p,
    std::span<const double> c);  ///< P5 31: B⁺ b + (I − B⁺B)(M^{-1/2} Q + M^{-1/2} c)
/// The two terms of P5 31, which are orthogonal: what the constraints require, and what they leave
/// free.
struct ScaledParts {
    Vector required;  // B⁺ b (n)
    Vector free;      // (I − B⁺B)(M^{-1/2} Q + M^{-1/2} c) (n)
};
LACON_EXPORT ScaledParts scaled_parts_p5(const Problem& p, std::span<const double> c);
/// P5 42: all of the constraint force, M q'' − Q = M^{1/2} B⁺ (b − A a) + M^{1/2} (I − B⁺B)
/// M^{-1/2} c.
LACON_EXPORT Vector total_constraint_force_p5(const Problem& p, std::span<const double> c);
LACON_EXPORT Vector
nonideal_force_p5(const Problem& p,
                  std::span<const double> c);  ///< P5 43: M^{1/2} (I − B⁺B) M^{-1/2} c
/// P5 34: (x − a − M⁻¹c)ᵀ M (x − a − M⁻¹c).
LACON_EXPORT double gaussian_p5(const Problem& p, std::span<const double> c,
                                std::span<const double> x);

/// The four Penrose conditions (and, of them, 1 for a g-inverse, 1 and 3 for a least-squares one):
/// the largest entry of A X A − A, X A X − X, A X − (A X)ᵀ, X A − (X A)ᵀ.
LACON_EXPORT std::array<double, 4> penrose_residuals(const Matrix& A, const Matrix& X);

}  // namespace lacon::reference
