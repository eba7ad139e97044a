// Direct solution of the saddle-point system, for masses too unequal to divide by.
#pragma once

#include <Eigen/LU>
#include <vector>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline dense {

/// [M Aᵀ; A 0] over rows of A that are independent, factored as it is. M⁻¹ is not formed: a mass
/// that is small beside what holds its coordinate is a small number in the matrix, and does no
/// harm. Where [M; A] has full column rank, M may be singular.
class Saddle {
public:
    /// M (n × n) symmetric, A (m × n), `kept`: rows of A, independent of each other.
    Saddle(const MatrixX& M, const MatrixX& A, std::vector<Index> kept);

    struct Answer {
        VectorX x;       // (n)
        VectorX lambda;  // (m), 0 for rows that are not kept
    };
    /// M x = f + Aᵀ λ, A x = r over the kept rows. Refined by residuals in twice the digits until
    /// they do not change x.
    Answer solve(const VectorX& f, const VectorX& r) const;

    /// Aᵀ λ (n): by A, or as M x − f, by whichever cancels less.
    VectorX force(const Answer& answer, const VectorX& f) const;

    /// Whether no pivot vanished.
    bool is_regular() const { return regular_; }

private:
    void equilibrate();
    VectorX rest(const VectorX& f, const VectorX& r,
                 const VectorX& z) const;  // of the unscaled equations (n + k)
    VectorX once(const VectorX& right) const;

    MatrixX M_, A_;  // A_: the kept rows (k × n)
    Index rows_;     // m
    std::vector<Index> kept_;
    VectorX scale_;  // of unknowns and equations (n + k)
    Eigen::FullPivLU<MatrixX> factor_;
    bool regular_ = true;
};

}  // namespace lacon::solving::dense
