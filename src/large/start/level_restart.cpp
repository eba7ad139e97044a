// The search for a start again, from beside the guesses, of islands that were not met.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/numbers.hpp"
#include "large/start/level_search.hpp"

namespace lacon::inline large {

/// The best values of each island so far.
struct LevelSearch::Best {
    std::vector<double> x;
    std::vector<bool> met, defined;
    std::vector<double> distance;  // where it is met
};

/// From a dead end, or nowhere: islands that are not met are moved at random, near first, each way
/// and the opposite one; the nearest of what the first reach with success gives is kept. Without
/// success the first attempt that is defined stays: it is what lies nearest to the guesses.
void LevelSearch::restart(const SolveOptions& options) {
    constexpr int most_reaches = 4, tries_each = 6;
    const std::vector<double> extent = extents(wanted_, 1.0);
    Best best{x(), {}, {}, std::vector<double>(islands_.count, infinity)};
    for (std::size_t k = 0; k < islands_.count; ++k) {
        best.met.push_back(is_met(k));
        best.defined.push_back(std::isfinite(sizes_[k]));
    }
    std::mt19937_64 random(options.seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> push(system_.n, 0.0);
    for (int reach = 0; reach < most_reaches; ++reach) {
        const std::vector<bool> met = best.met;
        if (std::all_of(met.begin(), met.end(), [](bool one) { return one; })) break;
        for (int trial = 0; trial < tries_each; ++trial) {
            x() = best.x;
            for (std::size_t j = 0; j < system_.n; ++j) {
                const std::uint32_t k = islands_.of_value[j];
                if (k == islands_.count || met[k]) continue;
                push[j] = trial % 2 == 0 ? uniform(random) : -push[j];
                // 1e-3 of the extent and more, by powers of ten.
                x()[j] = wanted_[j] + extent[k] * std::pow(10.0, reach - 3) * push[j];
            }
            evaluate();
            std::vector<bool> tried(sizes_.size(), false);
            for (std::size_t k = 0; k < islands_.count; ++k)
                tried[k] = !met[k] && std::isfinite(sizes_[k]);
            if (std::none_of(tried.begin(), tried.end(), [](bool one) { return one; })) continue;
            moving_.take(std::move(tried));
            meet(options);
            keep_better(best);
        }
    }
    moving_.forget_outcome();  // whatever M was at places tried
    x() = best.x;
    evaluate();
}

void LevelSearch::keep_better(Best& best) {
    const std::vector<double> distances = island_distances();
    std::vector<bool> better(islands_.count + 1, false);
    for (std::size_t k = 0; k < islands_.count; ++k) {
        if (!moving_.has(k)) continue;
        better[k] = is_met(k) ? distances[k] < best.distance[k]
                              : std::isfinite(sizes_[k]) && !best.defined[k];
        if (!better[k]) continue;
        best.defined[k] = true;
        best.met[k] = is_met(k);
        if (best.met[k]) best.distance[k] = distances[k];
    }
    for (std::size_t j = 0; j < system_.n; ++j)
        if (better[islands_.of_value[j]]) best.x[j] = x()[j];
}

/// Of each island the largest value in its rows, moving or not; `least` where all are 0.
std::vector<double> LevelSearch::extents(const std::vector<double>& values, double least) const {
    std::vector<double> largest(islands_.count, 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        for (std::size_t e = system_.rows->begin[rows_[i]]; e < system_.rows->begin[rows_[i] + 1];
             ++e)
            largest[islands_.of_row[i]] =
                std::max(largest[islands_.of_row[i]], std::abs(values[system_.rows->column[e]]));
    for (double& extent : largest)
        if (extent == 0.0) extent = least;
    return largest;
}

/// From the guesses, in the metric of M.
std::vector<double> LevelSearch::island_distances() const {
    const std::vector<double>& at = found();
    std::vector<double> squares(islands_.count + 1, 0.0);
    for (std::size_t j = 0; j < system_.n; ++j)
        for (std::size_t e = system_.mass->begin[j]; e < system_.mass->begin[j + 1]; ++e) {
            const std::size_t k = system_.mass->column[e];
            if (islands_.of_value[j] != islands_.of_value[k]) continue;
            squares[islands_.of_value[j]] += (j == k ? 1.0 : 2.0) * equations_.M()[e] *
                                             (at[j] - wanted_[j]) * (at[k] - wanted_[k]);
        }
    for (double& square : squares) square = std::sqrt(std::max(0.0, square));
    return squares;
}

}  // namespace lacon::large
