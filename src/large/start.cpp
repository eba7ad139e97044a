// Searches positions, then velocities. If rows with `stabilize` prevent a start, it tries without
// them. A failure names the unmet rows and those that conflict or nearly depend on each other.
#include "large/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "large/decisions.hpp"
#include "large/level_search.hpp"
#include "large/names.hpp"
#include "state/verdict.hpp"

namespace lacon::inline large {

namespace {

/// Of a start that was not found: rows that all but depend on each other, which may be why; empty
/// where there are none.
std::string near_dependence_text(const DerivedModel& details, LevelSearch& best,
                                 const SolveOptions& options) {
    constexpr double near = 1e-4;
    const std::vector<DependentSet> sets = best.nearly_dependent(options, near);
    if (sets.empty()) return {};
    std::vector<std::string> names;
    for (const std::size_t i : sets.front().rows) names.push_back(details.constraint_names[i]);
    return fmt::format(
        "; {}{} differ by less than {} (relative): --rank-tol {} treats such constraints as "
        "dependent",
        ranges_text(names),
        sets.size() > 1 ? fmt::format(", and {} more sets,", sets.size() - 1) : "", near, near);
}

/// Of a search that never came to where all is defined.
Status undefined(const DerivedModel& details, const LevelSearch& best) {
    Status status{Outcome::undefined, {}, {}};
    for (const std::uint32_t row : best.undefined_rows())
        status.names.push_back(details.constraint_names[row]);
    if (!status.names.empty()) {
        status.message = fmt::format(
            "{} {} no finite value, or no finite derivatives, at the initial guess or any {} tried "
            "near it",
            ranges_text(status.names), status.names.size() > 1 ? "have" : "has",
            best.is_velocity() ? "velocities" : "positions");
    } else if (const auto coordinate = best.undefined_mass()) {
        status.names.push_back(details.coordinate_names[*coordinate]);
        status.message = fmt::format(
            "the mass matrix has no finite value at '{}', at the initial guess or any {} tried "
            "near it",
            status.names.back(), best.is_velocity() ? "velocities" : "positions");
    }
    return status;
}

Status failure(const DerivedModel& details, LevelSearch& best, const SolveOptions& options,
               Start& start) {
    const bool velocity = best.is_velocity();
    const char* level = velocity ? "velocity" : "position";
    if (!best.is_defined()) return undefined(details, best);
    if (best.outcome() == Outcome::indefinite)
        return {Outcome::indefinite,
                fmt::format("the mass matrix has a negative direction at '{}'",
                            details.coordinate_names[best.concerned()]),
                {details.coordinate_names[best.concerned()]}};
    const std::vector<double>& r = best.residuals();
    std::vector<std::pair<double, std::uint32_t>> unmet;
    // 1e-6 of the largest: rows that the best compromise meets.
    for (std::size_t i = 0; i < r.size(); ++i)
        if (std::abs(r[i]) > 1e-6 * largest(r)) unmet.emplace_back(r[i], best.rows()[i]);
    std::string amounts;
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < unmet.size(); ++i) {
        start.unmet.push_back({details.constraint_names[unmet[i].second], unmet[i].first});
        if (i < shown)
            amounts += fmt::format("{}'{}' by {}", i ? ", " : "", start.unmet.back().name,
                                   rounded(unmet[i].first, 4));
    }
    if (unmet.size() > shown) amounts += fmt::format(" and {} more", unmet.size() - shown);

    std::vector<bool> concerned(details.constraint_names.size(), false);
    for (const DependentSet& set : best.conflicts()) {
        start.conflicts.emplace_back();
        for (const std::size_t i : set.rows) {
            concerned[i] = true;
            start.conflicts.back().push_back(details.constraint_names[i]);
        }
    }
    Status status{start.conflicts.empty() ? Outcome::no_start : Outcome::conflict, {}, {}};
    if (start.conflicts.empty()) {
        for (const Start::Unmet& one : start.unmet) status.names.push_back(one.name);
        status.message = fmt::format(
            "no start state was found that meets the constraints at {} level; left unmet: {}{}",
            level, amounts, near_dependence_text(details, best, options));
        return status;
    }
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < concerned.size(); ++row)
        if (concerned[row]) {
            rows.push_back(static_cast<std::uint32_t>(row));
            status.names.push_back(details.constraint_names[row]);
        }
    status.message = fmt::format(
        "constraints {} conflict at {} level: no state was found that meets them all; left unmet: "
        "{}",
        ranges_text(status.names), level, amounts);
    return status;
}

}  // namespace

Start large_start(SparseAssembler& assembler, const std::vector<StartOverride>& overrides,
                  const SolveOptions& options, std::optional<double> begin) {
    const DerivedModel& details = assembler.system().details;
    const StatedStart guessed = stated(details, overrides, begin);
    StatedStart now = guessed;
    Start start;
    start.state = guessed.state;
    SparseDecisions(assembler).settle(guessed.state);  // none of them is about constraints
    const auto& stabilized = details.system.stabilized;
    const bool any_stabilized =
        std::any_of(stabilized.begin(), stabilized.end(), [](bool s) { return s; });
    for (const bool velocity : {false, true}) {
        LevelSearch search(assembler, velocity, now, true);
        bool met = search.run(options);
        std::vector<double> found = search.found();
        if (!met && any_stabilized) {
            LevelSearch without(assembler, velocity, now, false);
            met = without.run(options);
            if (met) found = without.found();
        }
        (velocity ? now.state.v : now.state.q) = std::move(found);
        if (met) continue;
        start.status = failure(details, search, options, start);
        break;
    }
    start.state = now.state;
    Residuals residuals;
    assembler.residuals(start.state, residuals);
    for (std::size_t r = 0; r < residuals.value.size(); ++r) {
        if (details.system.levels[r] == Level::position)
            start.position_residual =
                std::max(start.position_residual, std::abs(residuals.value[r]));
        start.velocity_residual =
            std::max(start.velocity_residual, std::abs(residuals.velocity[r]));
    }
    note_moves(details, guessed.state, start);
    return start;
}

}  // namespace lacon::large
