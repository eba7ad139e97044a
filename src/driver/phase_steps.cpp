// A phase of a run whose constraints change on the way: how it begins, what ends it.
#include <algorithm>
#include <cmath>

#include "driver/choose.hpp"
#include "driver/integrate.hpp"
#include "methods/methods.hpp"
#include "state/evaluate.hpp"

namespace lacon {

bool Integration::enter(Snapshot snapshot, const Entry& entry) {
    std::vector<MotionEvent> events = std::move(snapshot.summary.events);
    take_over(snapshot);
    summary_.events = std::move(events);
    noise_.renew(field_, summary_.steps, summary_.rejected);
    first_step_ = entry.first_step;
    if (snapshot.dense) usual_strength_ = snapshot.usual_strength;
    State settled = landed_;
    settled.t += entry.nudge;
    for (std::size_t i = 0; i < settled.q.size(); ++i) settled.q[i] += entry.nudge * settled.v[i];
    watch_.settle(settled);
    for (std::size_t i = 0; i < details_.model.events.size() && i < snapshot.sides.size(); ++i)
        watch_.sides_[field_.smooth.mode_count + i] = snapshot.sides[i];
    if (const Outcome outcome = there_->project(landed_); outcome != Outcome::ok)
        return fail_with_reason(
            landed_, {outcome, "the state cannot be brought to the constraints in force", {}});
    take_method(choose_method(field_, landed_, plan_));
    summary_.code = {};
    if (!plan_.options.interpret)
        kernel_ = choose_kernel(evaluate_without_outputs(details_, landed_, plan_.options.solve));
    compile();
    method_ = make_method(summary_.method, field_, plan_);
    method_->rejected = summary_.rejected;
    stepper_ = method_.get();
    begins_stiff_ = entry.is_stiff && method_->adaptive_order() > 0;
    if (begins_stiff_ && summary_.method != "radau") {
        // What begins to slide is far slower than a coarse tolerance; its direction still decides
        // what comes.
        const double tolerance = std::clamp(plan_.tolerance, 1e-12, 1e-10);
        starter_ = make_radau(field_, {tolerance, plan_.step, plan_.series_tolerance, entry.still});
        stepper_ = starter_.get();
    }
    note_residuals(*there_);
    if (fast_ && is_taylor()) set_next_base(base_->time);
    else if (!prepare(base_->time, true)) return cannot_continue();
    commit();
    field_.counters = {summary_.evaluations, summary_.factorizations};
    const std::size_t rank = here_->factor().rank();
    const Energies energies = field_.assembler.energies(base_->state);
    if (strength_) strength_->begin(base_->state);
    if (next_row_ == 0) note_first(energies);
    summary_.rank_min = std::min(summary_.rank_min, rank);
    summary_.rank_max = std::max(summary_.rank_max, rank);
    note_energy(energies, base_->state);
    if (monitors_) begin_monitors();
    return true;
}

/// The end of a phase, for the next one to begin with; `landed` is the state as it lies on the
/// constraints of this one.
Snapshot Integration::handover() {
    std::vector<MotionEvent> events = std::move(summary_.events);
    summary_.events.clear();
    Snapshot snapshot = this->snapshot();
    snapshot.summary.events = std::move(events);
    snapshot.landed = base_->state;
    snapshot.modes.clear();
    snapshot.memory.clear();
    snapshot.trail.clear();
    const auto first =
        watch_.sides_.begin() + static_cast<std::ptrdiff_t>(field_.smooth.mode_count);
    snapshot.sides.assign(first, first + static_cast<std::ptrdiff_t>(details_.model.events.size()));
    return snapshot;
}

/// Where the laws of contact give another verdict at the end of the step, or at the first crossing,
/// it is found by halving.
void Integration::note_verdict(std::vector<Crossing>& crossings) {
    if (!monitors_) return;
    const auto first = std::find_if(crossings.begin(), crossings.end(), [](const Crossing& c) {
        return c.kind == Crossing::Kind::monitor;
    });
    State state;
    const auto lasts = [&](double tau) {
        stepper_->at(tau, state);
        state.t = base_->time.after(tau).now();
        return monitors_->lasts(state);
    };
    double a = 0.0, b = first == crossings.end() ? stepper_->length() : (1.0 - 1e-9) * first->tau;
    if (!(b > 0.0) || lasts(b)) return;
    while (b - a > 1e-13 * (stepper_->length() + std::abs(base_->time.now()))) {
        const double middle = 0.5 * (a + b);
        (lasts(middle) ? a : b) = middle;
    }
    crossings.insert(std::find_if(crossings.begin(), crossings.end(),
                                  [&](const Crossing& c) { return c.tau > b; }),
                     {Crossing::Kind::monitor, monitors_->count(), b, -1});
}

/// All monitors that fall below zero at this time, but for rounding.
void Integration::take_hits(const std::vector<Crossing>& crossings, double tau) {
    const double rounding = 1e-12 * (stepper_->length() + std::abs(base_->time.now()));
    for (const Crossing& c : crossings)
        if (c.kind == Crossing::Kind::monitor && std::abs(c.tau - tau) <= rounding)
            hit_.push_back(c.number);
    ended_ = true;
}

}  // namespace lacon
