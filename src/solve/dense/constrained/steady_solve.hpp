// The constrained problem, solved again and again in storage that is made once.
#pragma once

#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"
#include "solve/dense/matrix/dropped_ldlt.hpp"

namespace lacon::solving::inline dense {

/// M q'' = Q + Aᵀ λ, A q'' = b for a definite M and a clear rank, by plain loops. In scaled
/// coordinates (D_j = 1/√M_jj, D M D = L Lᵀ, rows of A D L⁻ᵀ of unit length as U, s their scale):
///     x = L⁻¹ D Q + Uᵀ y,   (U Uᵀ) y = s b − U L⁻¹ D Q,   q'' = D L⁻ᵀ x,   λ = s y,
/// which is P1 5a with a g-inverse of U Uᵀ where rows depend on each other; λ is then made the one
/// of least weighted norm (P2 35).
class SteadySolve {
public:
    /// False where M is not definite, or what rows depend on is not clear: then nothing is said of
    /// the problem, and `solve` is for it. Allocates only where the problem has grown.
    bool run(const ConstrainedProblem& problem, const SolveOptions& options);

    std::span<const double> acceleration() const { return x_; }      // (n)
    std::span<const double> multipliers() const { return lambda_; }  // (m)
    std::size_t rank() const { return rank_; }

private:
    void resize(std::size_t n, std::size_t m);
    bool factor_mass(MatrixView M);
    void scale_rows(MatrixView A);
    bool factor_rows();
    bool is_in_span(std::size_t row);
    void add_correction(std::span<const double> b);
    bool is_met(const ConstrainedProblem& problem, double tolerance) const;
    bool share(std::span<const double> weight);
    void combination(std::size_t row, std::span<double> c) const;

    std::size_t n_ = 0, m_ = 0, rank_ = 0;
    std::vector<double> d_, L_;  // (n), (n × n)
    std::vector<double> U_, s_;  // (m × n), (m)
    std::vector<double> S_;      // U Uᵀ (m × m)
    DroppedLdlt factor_;
    std::vector<double> free_, x_;             // L⁻¹ D Q and x, then q'' (n)
    std::vector<double> y_, step_, lambda_;    // (m)
    std::vector<double> null_, gram_, share_;  // null vectors of Aᵀ λ (k × m), their Gram matrix
};

}  // namespace lacon::solving::dense
