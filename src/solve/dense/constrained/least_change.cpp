// The least change of a state that meets the constraints: K₁ r of P1 5c, x = L⁻ᵀ (A L⁻ᵀ)⁺ r
// (theory 2.7), applied to positions or velocities.
#include "solve/dense/constrained/least_change.hpp"

#include <Eigen/Cholesky>

#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

std::vector<double> least_change(const Matrix& M, const Matrix& A, std::span<const double> r,
                                 const SolveOptions& options) {
    const MatrixX mass_matrix = to_eigen(M);
    const VectorX right = to_eigen(r);
    const MatrixX rows = A.rows() == 0 ? MatrixX(0, mass_matrix.rows()) : to_eigen(A);
    if (!mass_matrix.allFinite() || !rows.allFinite() || !right.allFinite()) return {};
    const MassMetric mass = definite_metric(mass_matrix);
    const SolveOptions::Path path =
        options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    const RowSpace space = decide_rank(mass.rows(rows), path, mass.rank_tol(options.rank_tol));
    const VectorX y = space.least_norm(right);
    const VectorX once = mass.acceleration(y);
    return to_std(once + mass.acceleration(space.least_norm(right - rows * once)));
}

std::vector<double> damped_change(const Matrix& M, const Matrix& A, std::span<const double> r,
                                  double damping) {
    const MatrixX mass_matrix = to_eigen(M), rows = to_eigen(A);
    const VectorX right = to_eigen(r);
    if (A.rows() == 0 || !mass_matrix.allFinite() || !rows.allFinite() || !right.allFinite())
        return {};
    const MassMetric mass = definite_metric(mass_matrix);
    MatrixX Bt = mass.rows(rows);
    const VectorX s = scale_rows(Bt);
    MatrixX S = Bt.transpose() * Bt;
    S.diagonal().array() += damping;
    return to_std(mass.acceleration(Bt * S.llt().solve(s.cwiseProduct(right))));
}

}  // namespace lacon::solving::dense
