// Dependent rows at any level: the decision and the circuits of `solve`, without its motion.
#include "solve/dense/constrained/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "solve/dense/constrained/parts.hpp"
#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/dependent_rows.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

std::vector<DependentSet> dependent_sets(const DependenceProblem& problem,
                                         const SolveOptions& options) {
    const MatrixX A = to_eigen(problem.A);
    const VectorX b = to_eigen(problem.b);
    const Index n = A.cols();
    const MatrixX M = problem.M ? to_eigen(*problem.M) : MatrixX::Identity(n, n);
    if (!A.allFinite() || !b.allFinite() || !M.allFinite()) return {};
    const MassMetric mass = definite_metric(M);
    const SolveOptions::Path path =
        options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    const RowSpace rows = decide_rank(mass.rows(A), path, mass.rank_tol(options.rank_tol));
    VectorX size = balanced_size(A, b, mass.acceleration(rows.least_norm(b)));
    if (!problem.size.empty()) size += to_eigen(problem.size).cwiseAbs();
    return sets_of(find_dependencies(A, mass.d, rows.unneeded, options),
                   {b, size, options.consistency_tol})
        .sets;
}

std::vector<DependentSet> dependent_sets(const Matrix& A, std::span<const double> b,
                                         const SolveOptions& options) {
    return dependent_sets(DependenceProblem{A, b}, options);
}

bool force_is_unique(std::span<const DependentSet> sets, const Matrix& A,
                     std::span<const std::size_t> rows) {
    // Of the row: less is what rounding of the coefficients leaves.
    constexpr double vanishes = 1e-9;
    const MatrixX given = to_eigen(A);
    for (const DependentSet& set : sets) {
        VectorX sum = VectorX::Zero(given.cols());
        double size = 0.0;
        for (std::size_t k = 0; k < set.rows.size(); ++k) {
            if (std::find(rows.begin(), rows.end(), set.rows[k]) == rows.end()) continue;
            const auto row = given.row(static_cast<Index>(set.rows[k]));
            sum += set.coefficients[k] * row.transpose();
            size += std::abs(set.coefficients[k]) * row.norm();
        }
        if (sum.norm() > vanishes * size) return false;
    }
    return true;
}

std::vector<std::size_t> rows_of(std::span<const DependentSet> sets, Concerned concerned) {
    std::set<std::size_t> rows;
    for (const DependentSet& set : sets)
        if (set.conflict || concerned == Concerned::all)
            rows.insert(set.rows.begin(), set.rows.end());
    return {rows.begin(), rows.end()};
}

}  // namespace lacon::solving::dense
