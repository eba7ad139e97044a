// The parts that a definite and a semidefinite M share: consistency of A q'' = b (theory 1, 3.7)
// and the multipliers of P2 35.
#include "solve/dense/constrained/parts.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <limits>

namespace lacon::solving::inline dense {

VectorX balanced_size(const MatrixX& A, const VectorX& b, const VectorX& x) {
    return b.cwiseAbs() + A.cwiseAbs() * x.cwiseAbs();
}

double scaled_residual(const Given& given, const VectorX& acceleration, const VectorX& size) {
    const VectorX r = given.b - given.A * acceleration;
    double largest = 0.0;
    for (Index i = 0; i < r.size(); ++i) {
        if (size(i) > 0.0) largest = std::max(largest, std::abs(r(i)) / size(i));
    }
    return largest;
}

Dependencies judge_consistency(ConstrainedSolution& solution, const Candidate& candidate,
                               const SolveOptions& options) {
    const Given& given = candidate.given;
    const double tol = options.consistency_tol;
    Dependencies dependencies =
        find_dependencies(given.A, candidate.d, candidate.unneeded, options);
    // Where forces balance and nothing is asked for (b = 0), what is left of q'' is rounding, and
    // no measure of itself: a row cannot be met better than the forces round as accelerations, of
    // the largest mass (light ones may be held as exactly).
    constexpr double rounding = 100.0 * std::numeric_limits<double>::epsilon();
    const double slowest = candidate.d.size() > 0 ? candidate.d.minCoeff() : 0.0;
    const double forces =
        given.Q.size() > 0 ? given.Q.cwiseAbs().maxCoeff() * slowest * slowest : 0.0;
    const VectorX size =
        candidate.size.cwiseMax(given.A.cwiseAbs().rowwise().sum() * (forces * rounding / tol));
    solution.residual = scaled_residual(given, candidate.acceleration, size);
    Sets found = sets_of(dependencies, {given.b, size, tol});
    solution.dependent = std::move(found.sets);
    if (!found.exact) solution.rank_decided = false;
    solution.unique.assign(static_cast<std::size_t>(given.A.rows()), true);
    for (const DependentSet& set : solution.dependent)
        for (const std::size_t row : set.rows) solution.unique[row] = false;
    // A set's mismatch is a mean of its rows' residuals by size, so no set can be in conflict while
    // every row is met; the other way a row may be just beyond the tolerance and its sets just
    // within: the worst of them is then the one in conflict.
    if (solution.residual <= tol) {
        for (DependentSet& set : solution.dependent) set.conflict = false;
        return dependencies;
    }
    solution.outcome = Outcome::conflict;
    const auto less = [](const DependentSet& x, const DependentSet& y) {
        return x.mismatch < y.mismatch;
    };
    const auto worst = std::max_element(solution.dependent.begin(), solution.dependent.end(), less);
    if (worst != solution.dependent.end() && !worst->conflict)
        worst->conflict = worst->undecided = true;
    return dependencies;
}

VectorX least_multipliers(const VectorX& lambda, const Dependencies& dependencies,
                          const VectorX& weight) {
    const Index k = dependencies.C.cols();
    if (k == 0) return lambda;
    // What is all rounding in a coefficient would be multiplied by multipliers of rows of any
    // length.
    constexpr double rounding = 100.0 * std::numeric_limits<double>::epsilon();
    MatrixX C = dependencies.C;
    for (Index u = 0; u < k; ++u) {
        const VectorX by_length = C.col(u).cwiseProduct(dependencies.length).cwiseAbs();
        for (Index i = 0; i < C.rows(); ++i)
            if (by_length(i) <= rounding * by_length.maxCoeff()) C(i, u) = 0.0;
    }
    // The change is computed, not the result: it may be much larger along rows of little weight.
    if (weight.size() > 0) {
        const VectorX root = weight.cwiseSqrt();
        const Eigen::ColPivHouseholderQR<MatrixX> qr(root.asDiagonal() * C);
        return lambda - C * qr.solve(root.cwiseProduct(lambda));
    }
    const Eigen::HouseholderQR<MatrixX> qr(C);
    VectorX w = qr.householderQ().transpose() * lambda;
    w.head(k).setZero();
    return qr.householderQ() * w;
}

}  // namespace lacon::solving::dense
