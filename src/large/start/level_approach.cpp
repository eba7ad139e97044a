// From a point on the constraints towards the nearest one to the guesses: see level_search.cpp.
// Values that neither rows nor M couple walk by themselves, so that none waits for another or is
// led astray by it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "large/start/level_search.hpp"

namespace lacon::inline large {

namespace {

constexpr double least_part = 1e-4;  // of the way back

}  // namespace

/// The values that rows or M couple. The first rows are those that take part.
Islands LevelSearch::groups() const {
    SparsePattern both = *system_.rows;
    std::vector<std::uint32_t> taken = rows_;
    for (std::size_t j = 0; j < system_.n; ++j) {
        for (std::size_t e = system_.mass->begin[j]; e < system_.mass->begin[j + 1]; ++e)
            both.column.push_back(system_.mass->column[e]);
        both.begin.push_back(both.column.size());
        if (!fixed_[j]) taken.push_back(static_cast<std::uint32_t>(system_.m + j));
    }
    both.rows += system_.n;
    return Islands(both, taken, fixed_);
}

/// Of each group aᵀ M b.
std::vector<double> LevelSearch::inners(const Islands& groups, const std::vector<double>& a,
                                        const std::vector<double>& b) const {
    std::vector<double> Mb(b.size(), 0.0), sums(groups.count, 0.0);
    moving_.add_mass_times(1.0, b, Mb);
    for (std::size_t j = 0; j < a.size(); ++j)
        sums[groups.of_value[moving_.values()[j]]] += a[j] * Mb[j];
    return sums;
}

std::vector<double> LevelSearch::lengths(const Islands& groups,
                                         const std::vector<double>& d) const {
    std::vector<double> lengths = inners(groups, d, d);
    for (double& length : lengths) length = std::sqrt(std::max(0.0, length));
    return lengths;
}

std::vector<double> LevelSearch::displacement() const {
    std::vector<double> d;
    for (const std::uint32_t j : moving_.values()) d.push_back(found()[j] - wanted_[j]);
    return d;
}

/// Minus the part of the displacement from the wanted point that stays on the constraints. Factors
/// here.
std::vector<double> LevelSearch::way_back(const SolveOptions& options) {
    std::vector<double> f(moving_.values().size(), 0.0);
    if (!factor(options)) return f;
    moving_.add_mass_times(-1.0, displacement(), f);
    return moving_.solve(f, std::vector<double>(moving_.rows().size(), 0.0));
}

/// One step of all walks that are not over, along the way back. Those that fail stay where they
/// were.
void LevelSearch::walk_on(const Islands& groups, std::vector<Walk>& walks,
                          const std::vector<double>& back, const SolveOptions& options) {
    const std::vector<double> from = x();
    const std::vector<std::uint32_t>& values = moving_.values();
    for (std::size_t j = 0; j < values.size(); ++j) {
        const Walk& walk = walks[groups.of_value[values[j]]];
        if (!walk.is_over(least_part)) x()[values[j]] += walk.part * back[j];
    }
    evaluate();
    for (Walk& walk : walks)
        walk.failed = moving_.has(islands_.count) && !std::isfinite(sizes_[islands_.count]);
    const auto fail_above = [&](double size) {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (!(sizes_[islands_.of_row[i]] <= size)) walks[groups.of_row[i]].failed = true;
    };
    const auto stay_failed = [&] {
        if (std::none_of(walks.begin(), walks.end(), [](const Walk& walk) { return walk.failed; }))
            return;
        for (const std::uint32_t j : values)
            if (walks[groups.of_value[j]].failed) x()[j] = from[j];
        evaluate();
    };
    fail_above(std::numeric_limits<double>::max());
    stay_failed();
    meet(options);
    fail_above(met_tol);
    const std::vector<double> distances = lengths(groups, displacement());
    // Beyond the worst of the last points by more than rounding.
    for (std::size_t g = 0; g < walks.size(); ++g)
        if (!walks[g].takes(distances[g])) walks[g].failed = true;
    stay_failed();
}

/// Steps have the two lengths of Barzilai and Borwein by turns (a sharp bend of the constraints
/// asks for a hundredth of the way: a bound of a tenth stalls there); one may lead a little away,
/// but not beyond the worst of the last few points.
void LevelSearch::approach(const SolveOptions& options) {
    const Islands groups = this->groups();
    std::vector<double> back = way_back(options), best = x();
    std::vector<double> left = lengths(groups, back), distances = lengths(groups, displacement());
    std::vector<Walk> walks;
    for (std::size_t g = 0; g < groups.count; ++g) walks.emplace_back(left[g], distances[g]);
    for (int round = 0; round < SearchLimits::most_walks; ++round) {
        if (std::all_of(walks.begin(), walks.end(),
                        [](const Walk& walk) { return walk.is_over(least_part); }))
            break;
        const std::vector<double> from = x();
        walk_on(groups, walks, back, options);
        std::vector<double> next = way_back(options), step, turned;
        for (const std::uint32_t j : moving_.values()) step.push_back(x()[j] - from[j]);
        for (std::size_t j = 0; j < next.size(); ++j) turned.push_back(back[j] - next[j]);
        const std::vector<double> along = inners(groups, step, turned),
                                  squared = inners(groups, step, step),
                                  turns = inners(groups, turned, turned);
        left = lengths(groups, next);
        distances = lengths(groups, displacement());
        std::vector<bool> better(groups.count + 1, false);
        for (std::size_t g = 0; g < walks.size(); ++g) {
            if (walks[g].is_over(least_part)) continue;
            if (walks[g].failed) {
                walks[g].part *= 0.5;
                continue;
            }
            const double length = round % 2 == 0 ? squared[g] / along[g] : along[g] / turns[g];
            // As in state/nearest_search.cpp.
            walks[g].part = along[g] > 0.0 ? std::clamp(length, 0.01, 30.0) : 2.0 * walks[g].part;
            better[g] = walks[g].note(distances[g], left[g]);
        }
        for (const std::uint32_t j : moving_.values())
            if (better[groups.of_value[j]]) best[j] = x()[j];
        back = std::move(next);
    }
    x() = best;
    evaluate();
}

}  // namespace lacon::large
