// The callbacks of a run, in the order in which they are called.
#include "listeners.hpp"

namespace lacon {

void Listeners::skip_events(const Run& run) {
    if (callbacks_.on_event) told_events_ = run.summary().events.size();
}

void Listeners::row(std::span<const double> row) {
    if (callbacks_.on_row && !callbacks_.on_row(row)) wants_end_ = true;
}

void Listeners::step(const Run& run, bool is_over) {
    if (callbacks_.on_event) tell_events(run, is_over);
    if (!callbacks_.on_step) return;
    const State& now = run.state();
    const StepView view{now.t, now.q, now.v, run.last_length(), run.steps()};
    if (!callbacks_.on_step(view)) wants_end_ = true;
}

/// Those up to now: a contact settles later than it is known to.
void Listeners::tell_events(const Run& run, bool is_over) {
    const std::vector<MotionEvent> events = run.summary().events;
    const double now = run.state().t;
    for (; told_events_ < events.size() && (is_over || events[told_events_].t <= now);
         ++told_events_)
        if (!callbacks_.on_event(events[told_events_])) wants_end_ = true;
}

}  // namespace lacon
