// A mass matrix with directions of no mass (theory 7, Udwadia & Phohomsiri 2006; theory 4 for c). In scaled coordinates q = D
// q_s, with Z an orthonormal basis of the null space of A D:
//     q_s = p + Z w,   A D p = b with p of least norm,   (Zᵀ M Z) w = Zᵀ (Q + c − M p)
// which is Gauss's principle over A q'' = b (P1 6, P5 34). It has one minimizer iff Zᵀ M Z is definite, that is iff [M; A] has
// full column rank. The forces follow from M q'' = Q + Qc + Qni, with Qni = M Z (Zᵀ M Z)⁻¹ Zᵀ c, which is P5 43 where M is
// definite. (M + Aᵀ W A in place of M would give the same motion from the code for definite M, but squares the condition of A in
// the directions without mass.)
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <limits>

#include "solve/parts.hpp"
#include "solve/row_space.hpp"

namespace lacon::solving {

namespace {

// Component of a null direction, in scaled coordinates, above which a coordinate counts as undetermined.
constexpr double component_tol = 1e-6;

// Massless coordinates have no scale of their own: they get the one with which their columns of the row-scaled A have unit
// length.
VectorX coordinate_scale(const MassMetric& mass, const MatrixX& A) {
    VectorX d = mass.d;
    const Index n = A.cols(), m = A.rows();
    for (Index j = 0; j < n; ++j) {
        if (mass.massless[j]) d(j) = 0.0;  // not known yet: the first row scale is by coordinates with mass
    }
    constexpr int sweeps = 4;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        VectorX s = (A * d.asDiagonal()).rowwise().norm();
        for (Index i = 0; i < m; ++i) {
            if (!(s(i) > 0.0)) s(i) = A.row(i).norm();
        }
        for (Index j = 0; j < n; ++j) {
            if (!mass.massless[j]) continue;
            double square = 0.0;
            for (Index i = 0; i < m; ++i) {
                if (s(i) > 0.0) square += (A(i, j) / s(i)) * (A(i, j) / s(i));
            }
            d(j) = square > 0.0 ? 1.0 / std::sqrt(square) : 1.0;
        }
    }
    return d;
}

MatrixX null_space(const MatrixX& U) {
    const Index n = U.rows(), r = U.cols();
    if (r == 0) return MatrixX::Identity(n, n);
    const Eigen::HouseholderQR<MatrixX> qr(U);
    return MatrixX(qr.householderQ() * MatrixX::Identity(n, n)).rightCols(n - r);
}

// (Zᵀ M Z)⁻¹ with its spectrum: the eigenvalues that vanish span what nothing determines.
struct Reduced {
    MatrixX Z;
    MatrixX vectors;
    VectorX values;
    Index free = 0;  // how many of the values (the first) vanish

    VectorX solve(const VectorX& f) const {  // Z (Zᵀ M Z)⁻¹ Zᵀ f
        if (Z.cols() == 0) return VectorX::Zero(Z.rows());
        return Z * (vectors * (vectors.transpose() * (Z.transpose() * f)).cwiseQuotient(values));
    }
};

Reduced reduce(const MatrixX& M, MatrixX Z) {
    Reduced reduced;
    reduced.Z = std::move(Z);
    if (reduced.Z.cols() == 0) return reduced;
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(reduced.Z.transpose() * M * reduced.Z);
    reduced.vectors = eigen.eigenvectors();
    reduced.values = eigen.eigenvalues();
    // M has a unit diagonal where it has mass: its own largest eigenvalue is between 1 and n.
    while (reduced.free < reduced.values.size() && reduced.values(reduced.free) <= MassMetric::eigenvalue_tol) ++reduced.free;
    return reduced;
}

std::vector<std::size_t> undetermined_coordinates(const Reduced& reduced) {
    const MatrixX directions = reduced.Z * reduced.vectors.leftCols(reduced.free);
    std::vector<std::size_t> coordinates;
    for (Index j = 0; j < directions.rows(); ++j) {
        if (directions.row(j).norm() > component_tol) coordinates.push_back(static_cast<std::size_t>(j));
    }
    return coordinates;
}

}  // namespace

ConstrainedSolution solve_semidefinite(const Given& given, const MassMetric& mass, const SolveOptions& options) {
    const VectorX d = coordinate_scale(mass, given.A);
    const SolveOptions::Path path = options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    const RowSpace rows = decide_rank(d.asDiagonal() * given.A.transpose(), path, options.rank_tol);
    ConstrainedSolution solution;
    report_rank(solution, rows);
    solution.gaussian = std::numeric_limits<double>::quiet_NaN();

    const auto refined = [&](const VectorX& x) {  // one correction of A D x = b
        return VectorX(x + rows.least_norm(given.b - given.A * d.cwiseProduct(x)));
    };
    const VectorX p = refined(rows.least_norm(given.b));
    const Reduced reduced = reduce(mass.M, null_space(rows.U));
    const VectorX Q = d.cwiseProduct(given.Q), c = d.cwiseProduct(given.c);
    const bool unique = reduced.free == 0;
    const VectorX ideal = unique ? refined(p + reduced.solve(Q - mass.M * p)) : p;
    const VectorX nonideal = unique ? reduced.solve(c) : VectorX::Zero(p.size());
    const VectorX acceleration = d.cwiseProduct(ideal + nonideal);

    // As for a definite mass, the rounding of the motion is that of its whole length.
    const VectorX size =
        balanced_size(given.A, given.b, acceleration) + (given.A * d.asDiagonal()).rowwise().norm() * (ideal + nonideal).norm();
    const Dependencies dependencies =
        judge_consistency(solution, {given, acceleration, size, d, rows.unneeded}, options.consistency_tol);
    if (solution.outcome != Outcome::ok) return solution;
    if (!unique) {
        solution.outcome = Outcome::undetermined;
        solution.undetermined = undetermined_coordinates(reduced);
        return solution;
    }
    const VectorX Qc = mass.M * ideal - Q;
    solution.acceleration = to_std(acceleration);
    solution.constraint_force = to_std(Qc.cwiseQuotient(d));
    solution.nonideal_force = to_std((mass.M * nonideal).cwiseQuotient(d));
    const VectorX lambda = least_multipliers(rows.multipliers(Qc), dependencies);
    const VectorX missing = Qc - d.cwiseProduct(given.A.transpose() * lambda);
    solution.multipliers = to_std(lambda + least_multipliers(rows.multipliers(missing), dependencies));
    return solution;
}

}  // namespace lacon::solving
