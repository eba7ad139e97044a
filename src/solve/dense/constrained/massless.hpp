// The constrained problem for a singular mass matrix (theory 7), by the null space of A.
#pragma once

#include <vector>

#include "lacon/solve.hpp"
#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

/// A semidefinite M with A, factored. In scaled coordinates q = D q_s, with Z an orthonormal basis
/// of the null space of A D:
///     q_s = p + Z w,   A D p = r with p of least norm,   (Zᵀ M Z) w = Zᵀ (f − M p)
/// which is Gauss's principle over A q'' = r (P1 6, P5 34). It has one minimizer iff Zᵀ M Z is
/// definite, that is iff [M; A] has full column rank. (M + Aᵀ W A in place of M would give the same
/// motion from the code for definite M, but squares the condition of A in the directions without
/// mass.)
struct Massless {
    Massless(const MassMetric& mass, const MatrixX& A, SolveOptions::Path path, double rank_tol,
             std::size_t most_rank = SIZE_MAX);

    VectorX d;  // scale of the coordinates (n)
    MatrixX M;  // scaled (n × n)
    MatrixX A;  // as given (m × n)
    RowSpace rows;

    bool is_determined() const { return free_ == 0; }
    std::vector<std::size_t> undetermined() const;  ///< coordinates that nothing fixes

    VectorX scaled_particular(const VectorX& r) const;                ///< p
    VectorX scaled_motion(const VectorX& f, const VectorX& r) const;  ///< q_s; f is unscaled
    VectorX along_null_space(
        const VectorX& f) const;  ///< Z (Zᵀ M Z)⁺ Zᵀ f: what nothing fixes stays put
    VectorX solve(const VectorX& f, const VectorX& r) const;        ///< q
    VectorX multipliers(const VectorX& x, const VectorX& f) const;  ///< some λ with Aᵀ λ = M x − f
    MatrixX rows_off(const MatrixX& H)
        const;  ///< P with H X Hᵀ = PᵀP, X the answer of q to a force that leaves A q = r
    VectorX off_rows_motion(const VectorX& y) const;  ///< q of y = P f: X Hᵀ f

private:
    VectorX refined(const VectorX& x, const VectorX& r) const;  // one correction of A D x = r
    MatrixX Z_;
    MatrixX vectors_;
    VectorX values_;
    Index free_ = 0;  // how many of the eigenvalues of Zᵀ M Z (the first) vanish
};

}  // namespace lacon::solving::dense
