// What a large run notes of a step: changes of rank, singular positions on the way, energies,
// residuals.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "large/names.hpp"
#include "large/run.hpp"
#include "methods/project.hpp"
#include "state/verdict.hpp"

namespace lacon {

void LargeRun::note_rank_event(MotionEvent event, const std::vector<DependentSet>& sets) {
    constexpr std::size_t most_names = 20;
    std::vector<std::string>& names = event.constraints;
    for (const DependentSet& set : sets) {
        event.sets.push_back({names_of(details_, set), set.coefficients});
        for (const std::string& name : event.sets.back().names)
            if (names.size() < most_names &&
                std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
    }
    event.name = fmt::format("{}", fmt::join(names, ", "));
    summary_.events.push_back(std::move(event));
}

bool LargeRun::note_rank() {
    const std::size_t now = field_.factor.rank();
    if (now != rank_ && hand_over()) return false;
    summary_.rank_min = std::min(summary_.rank_min, now);
    summary_.rank_max = std::max(summary_.rank_max, now);
    if (now == rank_) return true;
    if (now > rank_)
        field_.factor_at(
            base_);  // where they depended on each other; the series at the end are there already
    const auto sets =
        field_.factor.dependent(field_.equations.b(), plan_.options.solve.consistency_tol);
    note_rank_event({landed_.t, "rank", {}, rank_, now}, sets);
    if (goes_through_singular()) return true;
    return fail(
        {Outcome::lost_rank,
         fmt::format(
             "the rank of the constraints changed from {} to {} before t = {}; the sparse solve "
             "does not cross singular positions ({}--on-singular continue continues anyway)",
             rank_, now, rounded(landed_.t, 12),
             size_status(details_) ? "--solver dense does; " : ""),
         summary_.events.back().constraints});
}

/// Whether it is one that was told last: very near one, rounding makes some of it.
bool LargeRun::is_told(const LargeSingularSearch::Position& position) const {
    constexpr double near = 1e-6;
    if (summary_.events.empty() || position.sets.empty()) return false;
    const MotionEvent& last = summary_.events.back();
    const std::string& name = details_.constraint_names[position.sets[0].rows.back()];
    return last.kind == "rank" &&
           position.t - last.t <= near * std::max(1.0, std::abs(position.t)) &&
           std::find(last.constraints.begin(), last.constraints.end(), name) !=
               last.constraints.end();
}

/// Singular positions within the step: its end is beyond them.
bool LargeRun::note_passages(double h, const std::vector<Crossing>& crossings) {
    for (const LargeSingularSearch::Place& place : passages_.search(time_, h)) {
        const std::optional<LargeSingularSearch::Position> found = passages_.look(time_, place);
        if (!found || is_told(*found)) continue;
        if (hand_over()) return false;
        const LargeSingularSearch::Position& there = *found;
        note_rank_event({there.t, "rank", {}, rank_, there.rank, goes_through_singular()},
                        there.sets);
        summary_.rank_min = std::min(summary_.rank_min, there.rank);
        if (goes_through_singular()) continue;
        taylor_.at(place.tau, landed_);  // up to there the motion is right
        landed_.t = there.t;
        landed_raw_ = landed_;
        const auto behind = std::find_if(crossings.begin(), crossings.end(),
                                         [&](const Crossing& c) { return c.tau > place.tau; });
        if (!give_rows(place.tau, {crossings.begin(), behind})) return false;
        time_ = time_.after(place.tau);
        base_ = base_raw_ = landed_;
        DependentSet all;
        for (const DependentSet& set : there.sets)
            all.rows.insert(all.rows.end(), set.rows.begin(), set.rows.end());
        std::sort(all.rows.begin(), all.rows.end());
        all.rows.erase(std::unique(all.rows.begin(), all.rows.end()), all.rows.end());
        const std::vector<std::string> names = names_of(details_, all);
        return fail({Outcome::lost_rank,
                     fmt::format("the constraints {} come to a singular position at t = {}: their "
                                 "rank falls from {} to {} there, and the sparse solve does not "
                                 "cross it ({}--on-singular continue continues anyway)",
                                 ranges_text(names), rounded(there.t, 10), rank_, there.rank,
                                 size_status(details_) ? "--solver dense does; " : ""),
                     names});
    }
    return true;
}

void LargeRun::note_energy(const State& state) {
    const Energies energies = field_.assembler.energies(state);
    summary_.largest = std::max(summary_.largest, largest(state.q));
    kinetic_high_ = std::max(kinetic_high_, energies.kinetic);
    potential_low_ = std::min(potential_low_, energies.potential);
    potential_high_ = std::max(potential_high_, energies.potential);
    summary_.energy_last = energies.kinetic + energies.potential;
    summary_.worst.energy =
        std::max(summary_.worst.energy, std::abs(summary_.energy_last - summary_.energy_first));
}

void LargeRun::note_residuals() {
    auto& worst = summary_.worst;
    for (const Projector::Left* left : {&projector_.left, &projector_.stabilized}) {
        worst.position = std::max(worst.position, left->position);
        worst.velocity = std::max(worst.velocity, left->velocity);
        worst.position_absolute = std::max(worst.position_absolute, left->position_absolute);
        worst.velocity_absolute = std::max(worst.velocity_absolute, left->velocity_absolute);
    }
}

}  // namespace lacon
