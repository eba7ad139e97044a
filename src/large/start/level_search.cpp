// Nearest point on the constraints φ(x) = 0 to the guesses w in the metric of M, as
// src/state/nearest_search.cpp finds it: Gauss–Newton onto the constraints, A δ = −φ with the least
// M-length, then along them. With d = x − w,
//     M δ = −M d + Aᵀ λ,   A δ = 0
// is the part of the way back that stays on the constraints; steps along it have the length of
// Barzilai and Borwein. Rows that share no value are met by themselves, island by island: each has
// its own length of step, and only those in a dead end or nowhere are tried again from beside their
// guesses.
#include "large/start/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers.hpp"

namespace lacon::inline large {

namespace {

std::vector<std::uint32_t> rows_of(const DerivedModel& details, bool velocity,
                                   bool with_stabilized) {
    const std::vector<std::size_t> rows = rows_of_level(details, velocity, with_stabilized, {});
    return {rows.begin(), rows.end()};
}

}  // namespace

LevelSearch::LevelSearch(SparseAssembler& assembler, bool velocity, const StatedStart& start,
                         bool with_stabilized)
    : assembler_(assembler),
      system_(assembler.system()),
      velocity_(velocity),
      fixed_(velocity ? start.fixed_v : start.fixed_q),
      wanted_(velocity ? start.state.v : start.state.q),
      state_(start.state),
      equations_(system_.empty_equations()),
      rows_(rows_of(system_.details, velocity, with_stabilized)),
      islands_(*system_.rows, rows_, fixed_),
      moving_(system_, rows_, islands_, fixed_) {}

bool LevelSearch::run(const SolveOptions& options) {
    if (rows_.empty()) return true;
    evaluate();
    if (std::all_of(sizes_.begin(), sizes_.end(),
                    [](double size) { return size <= SearchLimits::aimed_tol; }))
        return true;
    take_all();
    meet(options);
    if (!is_met() && outcome() == Outcome::ok) restart(options);
    if (!is_met()) return false;
    take_all();
    approach(options);
    return is_met();
}

bool LevelSearch::is_defined() const {
    return std::all_of(sizes_.begin(), sizes_.end() - 1,
                       [](double size) { return std::isfinite(size); });
}

bool LevelSearch::is_met(std::size_t island) const {
    return sizes_[island] <= met_tol;
}

bool LevelSearch::is_met() const {
    return std::all_of(sizes_.begin(), sizes_.end() - 1,
                       [](double size) { return size <= met_tol; });
}

std::vector<std::uint32_t> LevelSearch::undefined_rows() const {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (!row_is_finite(i)) rows.push_back(rows_[i]);
    return rows;
}

std::optional<std::size_t> LevelSearch::undefined_mass() const {
    for (std::size_t j = 0; j < system_.n; ++j)
        for (std::size_t e = system_.mass->begin[j]; e < system_.mass->begin[j + 1]; ++e) {
            if (std::isfinite(equations_.M()[e])) continue;
            for (const std::size_t value : {j, static_cast<std::size_t>(system_.mass->column[e])})
                if (islands_.of_value[value] < islands_.count) return value;
        }
    return std::nullopt;
}

/// To rows of the system.
void LevelSearch::to_system(std::vector<DependentSet>& sets) const {
    for (DependentSet& set : sets)
        for (std::size_t& row : set.rows) row = rows_[moving_.rows()[row]];
}

std::vector<DependentSet> LevelSearch::conflicts() {
    take_unmet();
    const std::vector<double> wanted = residuals_to_remove();
    SolveOptions coarse;
    coarse.rank_tol = 1e-3;  // at the best compromise conflicting rows are parallel, but the point
                             // is known only so well
    if (!factor(coarse)) return {};
    std::vector<DependentSet> sets = moving_.dependent(wanted, coarse.consistency_tol);
    std::erase_if(sets, [](const DependentSet& set) {
        return !set.conflict || set.undecided || set.rows.size() < 2;
    });
    to_system(sets);
    return sets;
}

std::vector<DependentSet> LevelSearch::nearly_dependent(const SolveOptions& options, double near) {
    take_unmet();
    if (!factor(options)) return {};
    const std::vector<std::uint32_t> dropped = moving_.dropped();
    SolveOptions coarse = options;
    coarse.rank_tol = near;
    if (!factor(coarse)) return {};
    std::vector<DependentSet> sets =
        moving_.dependent(std::vector<double>(moving_.rows().size(), 0.0), coarse.consistency_tol);
    std::erase_if(sets, [&](const DependentSet& set) {
        return set.rows.size() < 2 ||
               std::any_of(set.rows.begin(), set.rows.end(), [&](std::size_t row) {
                   return std::binary_search(dropped.begin(), dropped.end(), row);
               });
    });
    to_system(sets);
    return sets;
}

void LevelSearch::evaluate() {
    assembler_.residuals(state_, residuals_);
    assembler_.equations(state_, equations_);
    r_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
        r_[i] = (velocity_ ? residuals_.velocity : residuals_.value)[rows_[i]];
    sizes_.assign(islands_.count + 1, 0.0);
    note_undefined();
    const std::vector<double> before = assembler_.memory();
    assembler_.zero_rounding(state_, equations_);
    if (!is_defined()) {  // how long a row was must stay a number
        std::vector<double> memory = assembler_.memory();
        for (std::size_t r = 0; r < memory.size(); ++r)
            if (!std::isfinite(memory[r])) memory[r] = before[r];
        assembler_.recall(memory);
    }
    note_sizes();
}

bool LevelSearch::row_is_finite(std::size_t i) const {
    bool finite = std::isfinite(r_[i]);
    for (std::size_t e = system_.rows->begin[rows_[i]]; e < system_.rows->begin[rows_[i] + 1]; ++e)
        finite = finite && std::isfinite(equations_.A()[e]);
    return finite;
}

void LevelSearch::note_undefined() {
    for (std::size_t j = 0; j < system_.n; ++j)
        for (std::size_t e = system_.mass->begin[j]; e < system_.mass->begin[j + 1]; ++e) {
            if (std::isfinite(equations_.M()[e])) continue;
            for (const std::size_t value : {j, static_cast<std::size_t>(system_.mass->column[e])})
                if (!fixed_[value]) sizes_[islands_.of_value[value]] = infinity;
        }
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (!row_is_finite(i)) sizes_[islands_.of_row[i]] = infinity;
}

void LevelSearch::note_sizes() {
    // 1e-6: a start at zero has no size of its own. Not critical.
    const std::vector<double> own = extents(x(), 1e-6);
    const double extent = std::max(1e-6, largest(x()));
    const auto A = equations_.A();
    own_sizes_ = sizes_;
    std::vector<double> sums(rows_.size(), 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const std::uint32_t k = islands_.of_row[i];
        if (!std::isfinite(sizes_[k])) continue;
        double& sum = sums[i];
        for (std::size_t e = system_.rows->begin[rows_[i]]; e < system_.rows->begin[rows_[i] + 1];
             ++e)
            sum += std::abs(A[e]);
        sizes_[k] = std::max(sizes_[k], std::abs(r_[i]) / (sum > 0.0 ? sum * extent : 1.0));
        own_sizes_[k] = std::max(own_sizes_[k], std::abs(r_[i]) / (sum > 0.0 ? sum * own[k] : 1.0));
    }
    compare_with_terms(sums, own);
}

/// Residuals that seem to be met are compared with the terms of their own equations as well, as by
/// the dense search.
void LevelSearch::compare_with_terms(const std::vector<double>& sums,
                                     const std::vector<double>& extents) {
    const std::vector<double> before = sizes_;
    const auto seems_met = [&](std::size_t i) { return before[islands_.of_row[i]] <= met_tol; };
    bool any = false;
    for (std::size_t i = 0; i < rows_.size() && !any; ++i) any = r_[i] != 0.0 && seems_met(i);
    if (!any) return;
    residual_rounding(system_.details, state_, rounding_);
    const std::vector<double>& rounding = velocity_ ? rounding_.velocity : rounding_.value;
    const double usual = std::max(1.0, largest(wanted_));  // beside one that has run away, nothing
                                                           // else is zero
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!seems_met(i)) continue;
        const std::uint32_t k = islands_.of_row[i];
        const double extent = std::min(extents[k], usual);
        double zeros = 0.0;
        for (std::size_t e = system_.rows->begin[rows_[i]]; e < system_.rows->begin[rows_[i] + 1];
             ++e)
            if (ResidualSize::is_zero(found()[system_.rows->column[e]], extent))
                zeros += std::abs(equations_.A()[e]) * extent;
        const double size =
            ResidualSize::of(r_[i], rounding[rows_[i]], sums[i] * extents[k], zeros).size;
        if (size > met_tol) sizes_[k] = std::max(sizes_[k], size);
    }
}

/// All that are defined.
void LevelSearch::take_all() {
    std::vector<bool> islands(sizes_.size());
    for (std::size_t k = 0; k < sizes_.size(); ++k) islands[k] = std::isfinite(sizes_[k]);
    moving_.take(std::move(islands));
}

void LevelSearch::take_unmet() {
    std::vector<bool> islands(sizes_.size(), false);
    for (std::size_t k = 0; k < islands_.count; ++k)
        islands[k] = std::isfinite(sizes_[k]) && !is_met(k);
    moving_.take(std::move(islands));
}

/// x = from + part × step of what moves, each island with its part.
void LevelSearch::go(const std::vector<double>& from, const std::vector<double>& step,
                     const std::vector<double>& parts) {
    const std::vector<std::uint32_t>& values = moving_.values();
    for (std::size_t j = 0; j < values.size(); ++j)
        x()[values[j]] = from[values[j]] + parts[islands_.of_value[values[j]]] * step[j];
    evaluate();
}

std::vector<double> LevelSearch::row_lengths() const {
    std::vector<double> lengths(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        double length = 0.0;
        for (std::size_t e = system_.rows->begin[rows_[i]]; e < system_.rows->begin[rows_[i] + 1];
             ++e)
            length = std::hypot(length, equations_.A()[e]);
        lengths[i] = length > 0.0 ? length : 1.0;
    }
    return lengths;
}

/// Of each island the residuals by the rows' lengths at a point, the same for all trials from
/// there: a measure that changes with x has minima of its own.
std::vector<double> LevelSearch::measures(const std::vector<double>& lengths) const {
    std::vector<double> squares(sizes_.size(), 0.0);
    for (std::size_t i = 0; i < r_.size(); ++i)
        squares[islands_.of_row[i]] += (r_[i] / lengths[i]) * (r_[i] / lengths[i]);
    return squares;
}

/// −φ of the rows that move.
std::vector<double> LevelSearch::residuals_to_remove() const {
    std::vector<double> right;
    for (const std::uint32_t i : moving_.rows()) right.push_back(-r_[i]);
    return right;
}

/// Gauss–Newton with halved steps until the residuals are met or no step helps.
void LevelSearch::meet(const SolveOptions& options) {
    std::vector<bool> ended(sizes_.size(), false);
    const std::vector<double> none(moving_.values().size(), 0.0);
    bool fast = false;  // as by the dense search: steps that help much may be many
    for (int round = 0;
         round < SearchLimits::most_steps || (fast && round < SearchLimits::most_fast_steps);
         ++round) {
        bool going = false;
        for (std::size_t k = 0; k < islands_.count; ++k) {
            ended[k] = ended[k] || !moving_.has(k) || own_sizes_[k] <= SearchLimits::aimed_tol;
            going = going || !ended[k];
        }
        if (!going || !factor(options)) return;
        const std::vector<double> step = moving_.solve(none, residuals_to_remove());
        const std::vector<double> lengths = row_lengths(), before = measures(lengths);
        if (!line_search(step, ended)) return;
        const std::vector<double> after = measures(lengths);
        fast = false;
        // Newton's method near its end halves residuals and more: then further steps are worth it.
        for (std::size_t k = 0; k < islands_.count; ++k)
            fast = fast || (!ended[k] && after[k] < 0.25 * before[k]);
    }
}

/// Of each island, whether a row is met better by half than it was, and none worse: beside large
/// residuals of others the measure does not tell.
std::vector<bool> LevelSearch::helps_a_row(const std::vector<double>& before) const {
    std::vector<bool> helps(islands_.count, false), worse(islands_.count, false);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const std::uint32_t k = islands_.of_row[i];
        helps[k] = helps[k] || std::abs(r_[i]) < 0.5 * std::abs(before[i]);
        worse[k] = worse[k] || !(std::abs(r_[i]) <= std::abs(before[i]));
    }
    for (std::size_t k = 0; k < islands_.count; ++k) helps[k] = helps[k] && !worse[k];
    return helps;
}

/// Moves each island that has not ended by the longest part of the step that helps it; those that
/// none helps end here. Whether any was helped.
bool LevelSearch::line_search(const std::vector<double>& step, std::vector<bool>& ended) {
    const std::vector<double> before = x(), lengths = row_lengths(), now = measures(lengths),
                              left = r_;
    std::vector<double> parts(sizes_.size(), 1.0);
    std::vector<bool> open(sizes_.size(), true), near(sizes_.size(), false);
    for (std::size_t k = 0; k < islands_.count; ++k) {
        near[k] = sizes_[k] <= SearchLimits::aimed_tol;  // what is left is rounding, beside the
                                                         // whole model: no more than the full step
        if (!ended[k]) continue;
        parts[k] = 0.0;
        open[k] = false;
    }
    bool helped = false, again = true;
    double shorter = 0.5;
    // Halving to 1e-6, then by tens: a step that helps is rarely shorter. Not critical.
    for (double part = 1.0; part > 1e-16 && again; part *= shorter) {
        shorter = part > 1e-6 ? 0.5 : 0.1;
        go(before, step, parts);
        const std::vector<double> then = measures(lengths);
        const std::vector<bool> row_helped = helps_a_row(left);
        again = false;
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            if (!open[k]) continue;
            const bool helps = std::isfinite(sizes_[k]) &&
                               (k == islands_.count || then[k] < now[k] || row_helped[k]);
            if (helps) {
                open[k] =
                    k ==
                    islands_
                        .count;  // it may still come to where it is not defined, by others' moves
                helped = helped || k < islands_.count;
                continue;
            }
            again = again || moving_.has(k);
            parts[k] *= shorter;
            if (!near[k]) continue;
            parts[k] = 0.0;
            open[k] = false;
            ended[k] = true;
        }
    }
    if (!again) return helped;
    for (std::size_t k = 0; k < sizes_.size(); ++k)
        if (open[k] && (k < islands_.count || !std::isfinite(sizes_[k]))) {
            parts[k] = 0.0;
            ended[k] = true;
        }
    go(before, step, parts);
    return helped;
}

}  // namespace lacon::large
