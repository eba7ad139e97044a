// The least change of a state that meets the constraints: K₁ r of P1 5c, x = L⁻ᵀ (A L⁻ᵀ)⁺ r (theory 2.7), applied to positions or
// velocities.
#include "solve/least_change.hpp"

#include "solve/mass_metric.hpp"
#include "solve/row_space.hpp"

namespace lacon {

std::vector<double> least_change(const Matrix& M, const Matrix& A, std::span<const double> r, const SolveOptions& options) {
    using namespace solving;
    const MatrixX mass_matrix = to_eigen(M);
    const VectorX right = to_eigen(r);
    const MatrixX rows = A.rows() == 0 ? MatrixX(0, mass_matrix.rows()) : to_eigen(A);
    if (!mass_matrix.allFinite() || !rows.allFinite() || !right.allFinite()) return {};
    const MassMetric mass = definite_metric(mass_matrix);
    const SolveOptions::Path path = options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    const RowSpace space = decide_rank(mass.rows(rows), path, mass.rank_tol(options.rank_tol));
    const VectorX y = space.least_norm(right);
    const VectorX once = mass.acceleration(y);
    return to_std(once + mass.acceleration(space.least_norm(right - rows * once)));
}

}  // namespace lacon
