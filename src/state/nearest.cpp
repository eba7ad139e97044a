// Searches from the wanted point, then from random points beside it; small random pushes get what
// was found off ridges of symmetry.
#include "state/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "state/nearest_search.hpp"

namespace lacon::inline state {

namespace {

constexpr int most_restarts = 24;
constexpr int most_pushes = 2;
constexpr int block = 6;  // searches between two looks at whether one has succeeded

/// How many searches more are made before the search is given up: fewer where each costs more.
int most_more_restarts(std::size_t unknowns) {
    return unknowns <= 12    ? 40 * block
           : unknowns <= 30  ? 20 * block
           : unknowns <= 100 ? 6 * block
                             : block;
}

/// Searches from points beside the wanted one, where that is a dead end or nowhere.
class Restarts {
public:
    Restarts(const NearestSearch& search, const NearestProblem& problem,
             const SolveOptions& options, NearestSearch::Point first)
        : best(std::move(first)), search_(search), problem_(problem), random_(options.seed) {
        for (const double x : problem.wanted) extent_ = std::max(extent_, std::abs(x));
        if (!(extent_ > 0.0)) extent_ = 1.0;
    }

    void run() {
        if (std::find(problem_.fixed.begin(), problem_.fixed.end(), false) == problem_.fixed.end())
            return;
        // 1e-3 to some powers of ten of the extent, a block of attempts each.
        for (int trial = 0; trial < most_restarts && !(met && trial % block == 0); ++trial)
            from_beside(extent_ * std::pow(10.0, trial / block - 3));
        if (met || (problem_.is_hopeless && problem_.is_hopeless())) return;
        // Lengths of the problem itself: where the best point lies, and how far Newton's step leads
        // from the guesses.
        const double lengths[] = {extent_, found_extent(), std::max(1.0, extent_)};
        const int most = most_more_restarts(problem_.wanted.size() + best.r.size());
        // 1/10 to 10 times each length, in steps of √10.
        for (int trial = 0; trial < most && !(met && trial % block == 0); ++trial)
            from_beside(lengths[trial % 3] * std::pow(10.0, 0.5 * (trial / 3 % 5) - 1.0));
    }

    NearestSearch::Point best;
    bool met = false;
    int searches = 1;
    double reach = 0.0;

private:
    void from_beside(double far) {
        ++searches;
        reach = std::max(reach, far);
        NearestSearch::Point p = search_.search_from(search_.beside(problem_.wanted, random_, far));
        if (!p.defined) return;
        const bool success = p.size <= ResidualSize::met_tol;
        if (success) p = search_.approach(std::move(p));
        // A tenth better, lest points of equal worth replace each other.
        const bool better = success        ? !met || search_.distance(p) < search_.distance(best)
                            : met          ? false
                            : best.defined ? search_.left(p, best) < 0.9 * search_.left(best, best)
                                           : true;
        if (better) best = std::move(p);
        met = met || success;
    }

    double found_extent() const {
        double size = 0.0;
        for (std::size_t i = 0; i < best.x.size(); ++i)
            size = std::max(size, std::abs(best.x[i] - problem_.wanted[i]));
        return std::isfinite(size) && size > 0.0 ? size : extent_;
    }

    const NearestSearch& search_;
    const NearestProblem& problem_;
    std::mt19937_64 random_;
    double extent_ = 0.0;
};

}  // namespace

NearestPoint nearest_point(const NearestProblem& problem, const SolveOptions& options) {
    const NearestSearch search(problem, options);
    NearestSearch::Point best = search.search_from(problem.wanted);
    const auto result = [](bool met, NearestSearch::Point p, int searches, double reach) {
        return NearestPoint{met,      p.defined, std::move(p.x), std::move(p.r), std::move(p.A),
                            searches, reach};
    };
    if (!best.defined || best.size > ResidualSize::met_tol) {
        Restarts restarts(search, problem, options, std::move(best));
        restarts.run();
        return result(restarts.met, std::move(restarts.best), restarts.searches, restarts.reach);
    }
    best = search.approach(std::move(best));
    // The way may have led to a ridge: a point from which all others near it are nearer, as guesses
    // on an axis of symmetry do.
    const double way = search.distance(best);
    std::mt19937_64 random(options.seed);
    for (int push = 0; push < most_pushes && way > 0.0; ++push) {
        // 1e-3 of the extent: far enough to leave a ridge, near enough to stay with this solution.
        NearestSearch::Point p =
            search.meet(search.evaluate(search.beside(best.x, random, 1e-3 * search.extent(best))));
        if (!NearestSearch::meets_as_well(p, best)) continue;
        constexpr int few_walks = 12;  // enough to tell a ridge, from which every way leads nearer
        p = search.approach(std::move(p), few_walks);
        // Nearer by more than rounding.
        if (search.distance(p) < (1.0 - 1e-9) * search.distance(best))
            best = search.approach(std::move(p));
    }
    return result(true, std::move(best), 1, 0.0);
}

}  // namespace lacon::state
