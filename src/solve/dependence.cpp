// Dependent rows at any level: the decision and the circuits of `solve`, without its motion.
#include "solve/dependence.hpp"

#include <set>

#include "solve/dependent_rows.hpp"
#include "solve/mass_metric.hpp"
#include "solve/parts.hpp"
#include "solve/row_space.hpp"

namespace lacon {

std::vector<DependentSet> dependent_sets(const DependenceProblem& problem, const SolveOptions& options) {
    using namespace solving;
    const MatrixX A = to_eigen(problem.A);
    const VectorX b = to_eigen(problem.b);
    const Index n = A.cols();
    const MatrixX M = problem.M ? to_eigen(*problem.M) : MatrixX::Identity(n, n);
    if (!A.allFinite() || !b.allFinite() || !M.allFinite()) return {};
    const MassMetric mass = definite_metric(M);
    const SolveOptions::Path path = options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    const RowSpace rows = decide_rank(mass.rows(A), path, mass.rank_tol(options.rank_tol));
    VectorX size = balanced_size(A, b, mass.acceleration(rows.least_norm(b)));
    if (!problem.size.empty()) size += to_eigen(problem.size).cwiseAbs();
    return sets_of(find_dependencies(A, mass.d, rows.unneeded), {b, size, options.consistency_tol});
}

std::vector<DependentSet> dependent_sets(const Matrix& A, std::span<const double> b, const SolveOptions& options) {
    return dependent_sets(DependenceProblem{A, b}, options);
}

std::vector<std::size_t> rows_of(std::span<const DependentSet> sets, Concerned concerned) {
    std::set<std::size_t> rows;
    for (const DependentSet& set : sets)
        if (set.conflict || concerned == Concerned::all) rows.insert(set.rows.begin(), set.rows.end());
    return {rows.begin(), rows.end()};
}

}  // namespace lacon
