// The rows of a run: on the grid, at the end, and at the model's events.
#include <algorithm>
#include <cmath>

#include "driver/integrate.hpp"

namespace lacon {

/// The rows of the step up to `tau`: those of the grid, and one at each event of the model. Nothing
/// of it touches the motion.
bool Integration::has_row_within(double tau) const {
    return last_row_ < plan_.end && grid_time(next_row_).since(base_->time) <= tau * (1.0 + 1e-15);
}

Clock Integration::grid_time(std::uint64_t i) const {
    return lacon::grid_time({plan_.begin, plan_.end, plan_.every}, i);
}

void Integration::give_rows(double tau, const std::vector<Crossing>& crossings) {
    const Field::Counters counters = field_.counters;
    const double end = plan_.end;
    const auto row_at = [&](double at, double t) {
        State state = landed_;
        if (at < tau) {
            if (stretches_ && fast_->tells_states()) fast_->at(at, state);
            else stepper_->at(at, state);
            state.t = t;
            if (stretches_ && give_fast_row(state)) return;
            if (!stretches_) there_->measure(state);
            constexpr double good_enough = 1e-14;
            if (plan_.options.stabilize == Stabilize::project &&
                (stretches_ ||
                 !(there_->left.position <= good_enough && there_->left.velocity <= good_enough))) {
                State moved = state;
                beside_->added_mass = stepper_->added_mass();
                beside_->weak = weak_direction();
                if (beside_->project(moved) == Outcome::ok) {
                    state = moved;
                    note_residuals(*beside_);
                } else if (!stretches_) {
                    note_residuals(*there_);
                }
            } else {
                note_residuals(*there_);
            }
        }
        state.t = t;
        give_row(state);
    };
    auto event = crossings.begin();
    for (;;) {
        while (event != crossings.end() && event->kind != Crossing::Kind::event) ++event;
        const bool has_event = event != crossings.end() && event->tau <= tau;
        const Clock row = grid_time(next_row_);
        const double until_row = row.since(base_->time);
        const bool has_row = sink_ && last_row_ < end && until_row <= tau * (1.0 + 1e-15);
        if (has_event && (!has_row || event->tau < until_row)) {
            const double t = base_->time.after(event->tau).now();
            const Event& of = details_.model.events[event->number];
            const bool counts = !event->jumps && of.counts(event->side, event->touches);
            if (counts) summary_.events.push_back({t, "event", of.name});
            if (counts && sink_ && t > last_row_) row_at(event->tau, t);
            if (!event->touches) watch_.pass(*event);
            ++event;
        } else if (has_row) {
            if (row.now() > last_row_) row_at(std::min(until_row, tau), row.now());
            ++next_row_;
        } else {
            break;
        }
    }
    field_.counters = counters;
}

void Integration::give_row(const State& state) {
    if (!sink_) return;
    outputs_.values(state, plan_.options.solve,
                    std::span(row_).subspan(1 + 2 * field_.n(), outputs_.count()));
    send_row(state);
}

/// A row within a stretch, brought onto the constraints and observed by compiled code; false where
/// that refuses.
bool Integration::give_fast_row(State& state) {
    if (!fast_rows_ ||
        !fast_rows_->run(state, std::span(row_).subspan(1 + 2 * field_.n(), outputs_.count())))
        return false;
    note_left(fast_rows_->left());
    send_row(state);
    return true;
}

/// The outputs stand in the row already.
void Integration::send_row(const State& state) {
    const std::size_t n = field_.n();
    row_[0] = state.t;
    std::copy(state.q.begin(), state.q.end(), row_.begin() + 1);
    std::copy(state.v.begin(), state.v.end(), row_.begin() + 1 + static_cast<std::ptrdiff_t>(n));
    if (monitors_)
        monitors_->row(state, std::span(row_).subspan(1 + 2 * n + outputs_.count(),
                                                      details_.control_names.size()));
    if (strength_) strength_->row(state, std::span(row_).last(ConditionWatch::column_count));
    last_row_ = state.t;
    ++rows_;
    sink_(row_);
}

}  // namespace lacon
