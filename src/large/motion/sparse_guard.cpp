// The guard of sparse runs: sees singular positions and changes of rank, and ends or hands over.
#include "large/motion/sparse_guard.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "driver/step/steppers.hpp"
#include "state/family_names.hpp"
#include "state/verdict.hpp"

namespace lacon::inline large {

SparseGuard::SparseGuard(RunContext& run, Steppers& steppers, SparseField& field, bool hands_over)
    : run_(run), steppers_(steppers), field_(field), search_(field), hands_over_(hands_over) {}

// ---- along the run

void SparseGuard::begin() {
    search_.land();
    search_.take();
    rank_ = run_.step.here->rank();
    strong_ = {run_.step.base->state, 0, run_.account.summary.events.size()};
}

void SparseGuard::commit() {
    search_.take();
    rank_ = run_.step.here->rank();
    if (!hands_over_) return;
    constexpr std::size_t most_back = 64;
    const std::size_t events = run_.account.summary.events.size();
    const bool is_new = strong_.events != events || strong_.steps >= most_back;
    if (is_new || search_.is_strong()) strong_ = {run_.step.base->state, 0, events};
    else ++strong_.steps;
}

void SparseGuard::keep(Snapshot& snapshot) const {
    snapshot.memory = field_.assembler.memory();
    snapshot.usual_reciprocal_condition = search_.usual();
    snapshot.since_strong = strong_.steps;
    if (hands_over_) snapshot.trail = {strong_.state};
}

void SparseGuard::recall(const Snapshot& snapshot) {
    field_.assembler.recall(snapshot.memory);
    search_.recall(snapshot.usual_reciprocal_condition);
    if (!snapshot.trail.empty()) strong_ = {snapshot.trail.front(), snapshot.since_strong, 0};
}

bool SparseGuard::leave() {
    if (!hands_over_) return false;
    handed_over_ = true;
    run_.finish(run_.step.base->state);
    return true;
}

/// Where no step can be taken: near a singular position another backend may find one.
bool SparseGuard::hand_over() {
    constexpr double weak = 0.1;
    return run_.field.m() > 0 && run_.step.here->weakest() < weak && leave();
}

// ---- at the end of a step

bool SparseGuard::note(double tau, const std::vector<Crossing>& crossings,
                       const GiveRows& give_rows) {
    search_.land();
    if (!field_.factor.is_decided()) ++run_.account.summary.undecided;
    const std::size_t before = rank_, now = run_.step.there->rank();
    return note_rank() && (now != before || note_passed(tau, crossings, give_rows));
}

void SparseGuard::add_rank_event(MotionEvent event, const std::vector<DependentSet>& sets) {
    constexpr std::size_t most_names = 20;
    std::vector<std::string>& names = event.constraints;
    for (const DependentSet& set : sets) {
        event.sets.push_back({names_of(run_.details, set), set.coefficients});
        for (const std::string& name : event.sets.back().names)
            if (names.size() < most_names &&
                std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
    }
    event.name = fmt::format("{}", fmt::join(names, ", "));
    run_.add_event(std::move(event));
}

std::string SparseGuard::other_solver_text() const {
    return size_status(run_.details) ? "--solver dense does; " : "";
}

bool SparseGuard::note_rank() {
    const std::size_t now = run_.step.there->rank();
    if (now == rank_) {
        run_.account.note_rank(now);
        return true;
    }
    if (leave()) return false;
    run_.account.note_rank(now);
    const State &base = run_.step.base->state, &end_state = run_.step.end_state;
    if (now > rank_)
        field_.factor_at(base);  // where they depended on each other; the series at the end are
                                 // there already
    const auto sets =
        field_.factor.dependent(field_.equations.b(), run_.plan.options.solve.consistency_tol);
    add_rank_event({end_state.t, "rank", {}, rank_, now}, sets);
    if (goes_through()) return true;
    return run_.fail(
        base,
        {Outcome::lost_rank,
         fmt::format("the rank of the constraints changed from {} to {} before t = {}; the sparse "
                     "solver does not cross singular positions (use {}--on-singular continue)",
                     rank_, now, rounded(end_state.t, 12), other_solver_text()),
         run_.account.summary.events.back().constraints});
}

/// Whether it is one that was told last: very near one, rounding makes some of it.
bool SparseGuard::is_told(const SparseSingularSearch::Position& position) const {
    constexpr double near = 1e-6;
    const std::vector<MotionEvent>& events = run_.account.summary.events;
    if (events.empty() || position.sets.empty()) return false;
    const MotionEvent& last = events.back();
    const std::string& name = run_.details.constraint_names[position.sets[0].rows.back()];
    return last.kind == EventKind::rank &&
           position.t - last.t <= near * std::max(1.0, std::abs(position.t)) &&
           std::find(last.constraints.begin(), last.constraints.end(), name) !=
               last.constraints.end();
}

/// Singular positions within the step: its end is beyond them.
bool SparseGuard::note_passed(double tau, const std::vector<Crossing>& crossings,
                              const GiveRows& give_rows) {
    const Clock time = run_.step.base->time;
    const Method& method = steppers_.now();
    for (const SparseSingularSearch::Place& place : search_.search(method, time, tau)) {
        const std::optional<SparseSingularSearch::Position> found = search_.look(time, place);
        if (!found || is_told(*found)) continue;
        if (leave()) return false;
        const SparseSingularSearch::Position& there = *found;
        add_rank_event({there.t, "rank", {}, rank_, there.rank, goes_through()}, there.sets);
        run_.account.summary.rank_min = std::min(run_.account.summary.rank_min, there.rank);
        if (goes_through()) continue;
        State& end_state = run_.step.end_state;
        method.at(place.tau, end_state);  // up to there the motion is right
        end_state.t = there.t;
        run_.step.raw_end_state = end_state;
        const auto behind = std::find_if(crossings.begin(), crossings.end(),
                                         [&](const Crossing& c) { return c.tau > place.tau; });
        if (!give_rows(place.tau, {crossings.begin(), behind})) return false;
        run_.step.base->state = end_state;
        DependentSet all;
        for (const DependentSet& set : there.sets)
            all.rows.insert(all.rows.end(), set.rows.begin(), set.rows.end());
        std::sort(all.rows.begin(), all.rows.end());
        all.rows.erase(std::unique(all.rows.begin(), all.rows.end()), all.rows.end());
        const std::vector<std::string> names = names_of(run_.details, all);
        return run_.fail(end_state,
                         {Outcome::lost_rank,
                          fmt::format("the constraints {} reach a singular position at t = {}: "
                                      "their rank falls from {} to {} there, and the sparse solver "
                                      "does not cross it (use {}--on-singular continue)",
                                      ranges_text(names), rounded(there.t, 10), rank_, there.rank,
                                      other_solver_text()),
                          names});
    }
    return true;
}

}  // namespace lacon::large
