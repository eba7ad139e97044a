// Of linear rows what they add up to is enough; others take proofs with intervals.
#include "state/contradictions.hpp"

#include <algorithm>
#include <cmath>

#include "solve/dense/constrained/dependence.hpp"
#include "state/disproof.hpp"

namespace lacon::inline state {

std::vector<std::vector<std::size_t>> contradictions(const FailedLevel& failed) {
    constexpr std::size_t most_boxes = 20'000;
    const std::size_t n = failed.best.x.size();
    double scale = 0.0;
    for (const double x : failed.best.x) scale = std::max(scale, std::abs(x));
    Disproof disproof(failed.details, failed.start, failed.velocity, scale);
    const std::vector<bool>& fixed = failed.velocity ? failed.start.fixed_v : failed.start.fixed_q;
    Matrix A = failed.best.A;
    std::vector<double> wanted(failed.best.r);
    for (double& x : wanted) x = -x;
    for (std::size_t i = 0; i < A.rows(); ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (fixed[j]) A(i, j) = 0.0;
    std::vector<bool> affine(A.rows());
    for (std::size_t i = 0; i < A.rows(); ++i)
        affine[i] =
            failed.details.model.constraints[failed.rows[i]].sense == ConstraintRow::Sense::equal &&
            disproof.is_affine(failed.rows[i]);
    const auto numbers = [&](const std::vector<std::size_t>& places) {
        std::vector<std::size_t> rows;
        for (const std::size_t i : places) rows.push_back(failed.rows[i]);
        return rows;
    };
    std::vector<std::vector<std::size_t>> found;
    const auto take = [&](const std::vector<DependentSet>& sets, bool linear) {
        for (const DependentSet& set : sets) {
            if (!set.conflict || std::find(found.begin(), found.end(), set.rows) != found.end())
                continue;
            const bool all_affine = std::all_of(set.rows.begin(), set.rows.end(),
                                                [&](std::size_t i) { return affine[i]; });
            if (linear ? all_affine : disproof.excludes(numbers(set.rows), most_boxes))
                found.push_back(set.rows);
        }
    };
    take(dependent_sets(A, wanted), true);
    SolveOptions coarse;
    // At the best compromise conflicting rows are parallel, but the point is known only so well.
    coarse.rank_tol = 1e-3;
    if (found.empty()) take(dependent_sets(A, wanted, coarse), false);
    for (std::size_t i = 0; i < A.rows() && found.empty(); ++i)
        if (disproof.excludes({failed.rows[i]}, most_boxes / 10)) found.push_back({i});
    std::vector<std::size_t> all(A.rows());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    if (!found.empty() || !disproof.excludes(numbers(all), most_boxes)) return found;
    for (std::size_t i = all.size();
         i-- > 0 && all.size() > 1;) {  // what is not needed for the contradiction
        std::vector<std::size_t> fewer = all;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (disproof.excludes(numbers(fewer), most_boxes)) all = std::move(fewer);
    }
    return {all};
}

}  // namespace lacon::state
