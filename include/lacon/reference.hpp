// The formulas of the papers P1, P2, P3 and P5, one function each.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"

/// The formulas of the papers, written as they are printed there: the oracle of the tests, and a
/// place to look them up. They use symmetric square roots and generalized inverses by singular
/// values, cost a multiple of `solve` and square conditions where the papers do; use `solve` for
/// work. M must be positive definite; m = 0 and n = 0 are legal. The keys are those of
/// docs/theory.md.
namespace lacon::reference {

using Vector = std::vector<double>;

/// Moore–Penrose inverse; singular values at or below tol times the largest count as zero.
Matrix pinv(const Matrix& A, double tol = 1e-11);
/// The symmetric square root of M and its inverse.
Matrix square_root(const Matrix& M);
Matrix inverse_square_root(const Matrix& M);

struct Problem {
    const Matrix& M;            // (n × n) positive definite
    std::span<const double> Q;  // (n)
    const Matrix& A;            // (m × n); D in P2
    std::span<const double> b;  // (m);     g in P2
    double tol = 1e-11;         // for pinv
};

Vector free_acceleration(const Problem& p);  ///< a = M⁻¹ Q
Vector acceleration_p1(const Problem& p);  ///< P1 5a: M q'' = Q + K (b − A M⁻¹ Q), K = M^{1/2} B⁺
Vector constraint_force_p1(const Problem& p);     ///< P1 5b: Qc = K (b − A a)
Vector acceleration_change_p1(const Problem& p);  ///< P1 5c: Δa = M^{-1/2} B⁺ e
double gaussian(const Matrix& M, std::span<const double> a,
                std::span<const double> x);  ///< P1 6: (x−a)ᵀ M (x−a)
Vector scaled_acceleration_p3(
    const Problem& p);  ///< P3 5: r'' = a_s + B⁺ (b − B a_s), r'' = M^{1/2} q''

/// P2 29 with any g-inverse D⁻ of D = A and any least-squares g-inverse H⁻ of H = M^{1/2} (I − D⁻
/// D).
Vector acceleration_p2(const Problem& p, const Matrix& D_inverse, const Matrix& H_inverse);
Vector acceleration_p2(const Problem& p);  ///< P2 30: the same with Moore–Penrose inverses
/// P2 33: Q' = (I − M X M⁻¹)(f − Q_given) + M (I − X) D⁻ g, with f − Q_given = −Q.
Vector control_force_p2(const Problem& p, const Matrix& D_inverse, const Matrix& H_inverse);
Vector control_force_p2(const Problem& p);
Vector multipliers_p2(const Problem& p);  ///< P2 35: λ = (Dᵀ)⁺ Q', of least norm

/// P5: with the force c of non-ideal constraints.
Vector acceleration_p5(const Problem& p, std::span<const double> c);  ///< P5 33, 44
Vector scaled_acceleration_p5(
    const Problem& p,
    std::span<const double> c);  ///< P5 31: B⁺ b + (I − B⁺B)(M^{-1/2} Q + M^{-1/2} c)
/// The two terms of P5 31, which are orthogonal: what the constraints require, and what they leave
/// free.
struct ScaledParts {
    Vector required;  // B⁺ b (n)
    Vector free;      // (I − B⁺B)(M^{-1/2} Q + M^{-1/2} c) (n)
};
ScaledParts scaled_parts_p5(const Problem& p, std::span<const double> c);
/// P5 42: all of the constraint force, M q'' − Q = M^{1/2} B⁺ (b − A a) + M^{1/2} (I − B⁺B)
/// M^{-1/2} c.
Vector total_constraint_force_p5(const Problem& p, std::span<const double> c);
Vector nonideal_force_p5(const Problem& p,
                         std::span<const double> c);  ///< P5 43: M^{1/2} (I − B⁺B) M^{-1/2} c
/// P5 34: (x − a − M⁻¹c)ᵀ M (x − a − M⁻¹c).
double gaussian_p5(const Problem& p, std::span<const double> c, std::span<const double> x);

/// The four Penrose conditions (and, of them, 1 for a g-inverse, 1 and 3 for a least-squares one):
/// the largest entry of A X A − A, X A X − X, A X − (A X)ᵀ, X A − (X A)ᵀ.
std::array<double, 4> penrose_residuals(const Matrix& A, const Matrix& X);

}  // namespace lacon::reference
