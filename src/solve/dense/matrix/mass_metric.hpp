// Judges the mass matrix and takes its square root (theory 2.7).
#pragma once

#include <vector>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

/// The mass matrix, judged and factored once. All of it is in scaled coordinates q = D q_s with D_j
/// = 1/√M_jj, so that metres beside radians or kilograms beside grams change neither the judgement
/// nor the rounding:
///     D M D = L Lᵀ,    x_s = Lᵀ D⁻¹ x,    xᵀ M x = |x_s|².
struct MassMetric {
    enum class Kind {
        definite,
        semidefinite,  ///< an eigenvalue of D M D is within ±eigenvalue_tol times the largest: L is
                       ///< empty
        indefinite,  ///< an eigenvalue of D M D lies below that: L is empty, `row` and `col` say
                     ///< where it shows
    };
    static constexpr double eigenvalue_tol = 1e-12;

    Kind kind = Kind::definite;
    VectorX d;                   // the diagonal of D (n); 1 for massless coordinates
    std::vector<bool> massless;  // M_jj = 0 (n)
    MatrixX given;               // M, its symmetric part (n × n)
    MatrixX M;                   // D M D (n × n)
    MatrixX L;                   // lower triangular (n × n)
    bool diagonal = false;  // M is diagonal: L is the identity, and what it would do is left out
    /// Of L: exact where eigenvalues were needed, else an estimate from its diagonal.
    double condition = 1.0;
    Index row = 0;  // kind indefinite: a negative diagonal entry, a pair with M_ij² > M_ii M_jj,
    Index col = 0;  //   or the coordinate whose elimination pivot is negative

    /// The tolerance asked for, but not below the rounding of B: rows that depend on each other in
    /// A do so in B only up to the condition of L.
    double rank_tol(double asked) const;
    MatrixX rows(const MatrixX& A) const;            ///< Bᵀ (n × m) with B = A D L⁻ᵀ
    VectorX scaled_force(const VectorX& Q) const;    ///< L⁻¹ D Q
    VectorX acceleration(const VectorX& x_s) const;  ///< D L⁻ᵀ x_s
    VectorX force(
        const VectorX& x_s) const;  ///< D⁻¹ L x_s: the force M x that goes with the acceleration x
};

/// M (n × n) is symmetric and finite; only its symmetric part is used.
MassMetric measure(const MatrixX& M);

/// The metric of M made definite where it is not: 1e-8 of the unit diagonal is added, coordinates
/// without mass get 1e-8 of the largest mass; zero and indefinite matrices count as the identity.
MassMetric definite_metric(const MatrixX& M);

}  // namespace lacon::solving::dense
