// The rows that a large run gives out, and the events that stand among them.
#include <algorithm>
#include <cmath>

#include "large/run.hpp"

namespace lacon {

/// The rows of the step up to h: those of the grid, and one at each event. The factorization is
/// free for them: the series that the next step needs are there already.
bool LargeRun::give_rows(double h, const std::vector<Crossing>& crossings) {
    const std::size_t evaluations = field_.evaluations, factorizations = field_.factorizations;
    auto event = crossings.begin();
    for (;;) {
        if (stop_asked_ && stop_asked_()) {
            interrupt();
            return false;
        }
        const bool has_event = event != crossings.end() && event->tau <= h;
        const Clock row = grid_time({plan_.begin, plan_.end, plan_.every}, next_row_);
        const double until_row = row.since(time_);
        const bool has_row = sink_ && last_row_ < plan_.end && until_row <= h * (1.0 + 1e-15);
        if (has_event && (!has_row || event->tau < until_row)) {
            const double t = time_.after(event->tau).now();
            const Event& of = details_.model.events[event->number];
            const bool counts = of.counts(event->side, event->touches);
            if (counts) summary_.events.push_back({t, "event", of.name});
            if (counts && sink_ && t > last_row_) row_at(event->tau, h, t);
            if (!event->touches) watch_.pass(*event);
            ++event;
        } else if (has_row) {
            if (row.now() > last_row_) row_at(std::min(until_row, h), h, row.now());
            ++next_row_;
        } else {
            break;
        }
    }
    field_.evaluations = evaluations;
    field_.factorizations = factorizations;
    return true;
}

void LargeRun::row_at(double tau, double h, double t) {
    State state = landed_;
    if (tau < h) {
        taylor_.at(tau, state);
        state.t = t;
        projector_.measure(state);
        constexpr double good_enough = 1e-14;
        if (plan_.options.stabilize == Stabilize::project &&
            !(projector_.left.position <= good_enough && projector_.left.velocity <= good_enough)) {
            State moved = state;
            if (projector_.project(moved) == Outcome::ok) state = moved;
        }
        note_residuals();
    }
    state.t = t;
    give_row(state);
}

void LargeRun::give_row(const State& state) {
    if (!sink_) return;
    const std::size_t n = system_->n;
    observe(outputs_, state, std::span(row_).subspan(1 + 2 * n, outputs_.count()));
    row_[0] = state.t;
    std::copy(state.q.begin(), state.q.end(), row_.begin() + 1);
    std::copy(state.v.begin(), state.v.end(), row_.begin() + 1 + static_cast<std::ptrdiff_t>(n));
    last_row_ = state.t;
    ++rows_;
    sink_(row_);
}

void LargeRun::observe(LargeOutputs& outputs, const State& state, std::span<double> out) {
    if (outputs.count() == 0) return;
    LargeOutputs::At at{state, &field_.equations, &solution_, &residuals_, {}};
    if (outputs.needs_energies()) at.energies = field_.assembler.energies(state);
    if (outputs.needs_residuals()) field_.assembler.residuals(state, residuals_);
    if (outputs.needs_solution()) {
        const bool solved =
            field_.factor_at(state) == Outcome::ok && field_.solve(solution_) == Outcome::ok;
        if (!solved) {
            solution_.acceleration.assign(system_->n, NAN);
            solution_.multipliers.assign(system_->m, NAN);
        }
    }
    outputs.values(at, out);
}

/// A zero at the very end has no other side to be found by.
void LargeRun::note_events_at_end() {
    for (const std::size_t number : watch_.zeros(base_)) {
        const Event& of = details_.model.events[number];
        const std::string& name = of.name;
        if (!of.counts(-watch_.sides_[number], false)) continue;
        const bool known =
            std::any_of(summary_.events.begin(), summary_.events.end(), [&](const MotionEvent& e) {
                return e.kind == "event" && e.name == name &&
                       std::abs(e.t - base_.t) <= 1e-9 * last_length_;
            });
        if (!known) summary_.events.push_back({base_.t, "event", name});
    }
}

}  // namespace lacon
