// One step of a run, `Integration::step`; each of its parts is a file of this room. How a run
// begins, goes on and tells of itself is in begin.cpp.
#include "driver/integrate.hpp"

#include <algorithm>

namespace lacon::inline driver {

/// One step. A compiled segment takes it where the motion is regular. Else: who takes the step and
/// how far it may go; where in it something turns; where it lands; what is noted and given out; how
/// the run goes on.
bool Integration::step() {
    if (run_.is_over) return false;
    follow_noise();
    segments_.compile_when_due();
    segments_.begin_where_regular();
    if (segments_.is_active()) {
        if (const auto goes_on = step_of_segment()) return *goes_on;
        if (!segments_.end()) return dead_end_.fail();
    }
    if (std::string why = limits_.ended(); !why.empty())
        return run_.fail(state(), {Outcome::undefined, std::move(why), {}});
    if (!find_step()) return dead_end_.fail();
    if (run_.is_over) return false;

    const std::vector<Crossing> crossings = branching_.crossings();
    const auto cut = branching_.first_cut(crossings);
    if (const auto goes_on = turn_at_begin(crossings, cut)) return *goes_on;
    const bool has_cut = cut != crossings.end();
    double tau = has_cut ? cut->tau : steppers_.now().length();
    if (!land(tau, has_cut)) return false;
    if (run_.field.stopped) return run_.fail(state(), {});
    if (!note_step(tau, crossings)) return false;
    return go_on(tau, crossings, has_cut && tau == cut->tau ? cut : crossings.end());
}

/// Every so many steps, for methods that would take noise for their own error. (Those with series
/// and fixed steps measure it themselves, where something is left that they cannot explain.)
void Integration::follow_noise() {
    Account& account = run_.account;
    const std::size_t rejected = steppers_.rejected() + segments_.rejected();
    if (!account.noise.is_due(account.summary.steps, rejected) || !steppers_.is_usual() ||
        steppers_.traits().by_series || steppers_.method().adaptive_order() == 0)
        return;
    account.noise.measure(run_.field, state(), run_.plan.tolerance, account.summary.steps,
                          rejected);
    segments_.take_noise();
}

std::optional<bool> Integration::step_of_segment() {
    const auto went = segments_.step();
    if (!went) return std::nullopt;
    if (*went == CompiledSegments::Went::to_a_cut) {
        const double tau = run_.step.last_length;
        branching_.take_hits(segments_.crossings(), tau, tau);
        return false;
    }
    branching_.note_step();
    if (*went == CompiledSegments::Went::to_the_end) return end_run();
    return *went == CompiledSegments::Went::on;
}

/// The method goes as far as it may, but for what is located within.
bool Integration::find_step() {
    steppers_.choose(*guard_);
    const bool both_sides = !steppers_.is_usual() || !steppers_.traits().by_series;
    const double limit = limits_.by_breaks(both_sides);
    if (!steppers_.advance(std::min({limit, limits_.first_step, limits_.longest(steppers_)})))
        return false;
    limits_.first_step = INFINITY;
    const double natural = steppers_.now().length();
    limits_.note_length(natural);
    if (!guard_->plan(limit)) return false;
    const bool leaps = steppers_.now().length() > natural;  // over a singular position
    return leaps || (limits_.bound_by_features(steppers_) && limits_.end_at_knot(steppers_));
}

/// What turns where the step begins ends it before it is taken.
std::optional<bool> Integration::turn_at_begin(const std::vector<Crossing>& crossings,
                                               Branching::Cut cut) {
    if (cut == crossings.end()) return std::nullopt;
    using Kind = Crossing::Kind;
    if (cut->kind == Kind::monitor && cut->jumps) return branching_.fail_at_jump(*cut);
    if (cut->tau > 0.0) return std::nullopt;
    if (cut->kind == Kind::monitor) {
        branching_.take_hits(crossings, 0.0, steppers_.now().length());
        return false;
    }
    if (cut->kind != Kind::surface) return std::nullopt;
    run_.step.raw_end_state = run_.step.base_raw;
    return branching_.turn(*cut, run_.step.base->time);
}

/// Finds where the step ends: at `tau`, or before it where the method or the constraints cannot
/// stand there, or where a singular position is too near.
bool Integration::land(double& tau, bool is_cut) {
    const double whole = tau;
    constexpr int most_halvings = 50;
    Step& step = run_.step;
    for (int round = 0; round < most_halvings; ++round, tau *= 0.5) {
        const Clock end = step.base->time.after(tau);
        const bool has_end = try_step_end(tau);
        if (!has_end || !run_.backend.is_consistent(*step.there, step.end_state)) {
            if (conflicts_far(has_end, end)) return false;
            continue;
        }
        if (guard_->jumps_branch(tau)) continue;
        const bool at_cut = is_cut && tau == whole;
        if (at_cut || steppers_.prepare(end, limits_.jumps_at(tau))) return true;
        // Where numbers overflow in the series alone, another method goes on, if the step was right
        // to its end.
        if (steppers_.lacks_series(tau)) return true;
    }
    return dead_end_.fail();
}

/// Ends the run where its backend sees from far off that the constraints contradict each other: at
/// a state that could not be brought to them, or one to which the motion has come smoothly.
bool Integration::conflicts_far(bool has_end, const Clock& end) {
    if (!run_.backend.can(Capability::far_conflicts) || (has_end && !steppers_.prepare(end, false)))
        return false;
    Status conflict =
        run_.backend.conflict_far(run_.step.raw_end_state, run_.step.base->time.now());
    if (conflict) return false;
    run_.fail(state(), std::move(conflict));
    return true;
}

bool Integration::try_step_end(double tau) {
    Step& step = run_.step;
    steppers_.now().at(tau, step.raw_end_state);
    step.raw_end_state.t = step.time_after(tau).now();
    step.end_state = step.raw_end_state;
    guard_->soften(step.end_state);
    if (step.there->project(step.end_state) != Outcome::ok) return false;
    const bool is_end = step.raw_end_state.t >= run_.plan.end;
    if (is_end && step.there->weakest() < guard_->weak_direction()) {  // as for a row: no step
        State gentle = step.raw_end_state;                             // follows
        step.beside->added_mass = steppers_.now().added_mass();
        step.beside->weak = guard_->weak_direction();
        if (step.beside->project(gentle) == Outcome::ok) step.end_state = gentle;
    }
    return true;
}

/// What is noted at the end of a step, and its rows.
bool Integration::note_step(double tau, const std::vector<Crossing>& crossings) {
    Step& step = run_.step;
    Account& account = run_.account;
    if (diagnosis_) follow_diagnosis(tau);
    const auto known = static_cast<std::ptrdiff_t>(account.summary.events.size());
    const RowWriter::Source source{steppers_.path().at, steppers_.now()};
    const auto rows_up_to = [&](double until, const std::vector<Crossing>& within) {
        return rows_.give(until, within, watch_, source);
    };
    if (!guard_->note(tau, crossings, rows_up_to)) return false;
    account.note_energy(run_.field.energies(step.end_state), step.end_state);
    account.note_residuals(*step.there);
    if (monitors_) monitors_->note({source.at, tau}, step.base->time, step.end_state);
    if (!rows_up_to(tau, crossings)) return false;
    std::stable_sort(account.summary.events.begin() + known, account.summary.events.end(),
                     [](const MotionEvent& a, const MotionEvent& b) { return a.t < b.t; });
    ++account.summary.steps;
    step.last_length = tau;
    account.note_noise(step, run_.field, steppers_.traits().finest, steppers_.now().jitter());
    return true;
}

/// How the run goes on behind the step; `cut`: what has ended it, if something has.
bool Integration::go_on(double tau, const std::vector<Crossing>& crossings, Branching::Cut cut) {
    Step& step = run_.step;
    const double left = step.left();
    const Clock time = step.time_after(tau);
    const bool is_cut = cut != crossings.end();
    if (is_cut && cut->kind == Crossing::Kind::event) {
        run_.finish(step.end_state);
        return false;
    }
    if (is_cut && cut->kind == Crossing::Kind::monitor) {
        branching_.take_hits(crossings, tau, steppers_.now().length());
        step.set_next_base(time);
        step.commit();
        return false;
    }
    branching_.note_step();
    if (is_cut) return branching_.turn(*cut, time);
    step.commit();
    guard_->commit();
    return tau < left || end_run();
}

void Integration::follow_diagnosis(double tau) {
    const Step& step = run_.step;
    const Method& method = steppers_.now();
    const auto at = [&](double within, State& out) {
        if (within == tau) out = step.end_state;
        else method.at(within, out);
    };
    diagnosis_->follow({at, step.base->time, tau, guard_->passed()});
}

bool Integration::end_run() {
    note_events_at_end();
    run_.finish(state());
    return false;
}

/// A zero at the very end has no other side to be found by.
void Integration::note_events_at_end() {
    const State& end = state();
    std::vector<MotionEvent>& events = run_.account.summary.events;
    for (const std::size_t number : watch_.zero_events(end)) {
        const Event& of = run_.details.model.events[number];
        if (!of.counts(-watch_.event_side(number), false)) continue;
        const bool known = std::any_of(events.begin(), events.end(), [&](const MotionEvent& e) {
            return e.kind == EventKind::event && e.name == of.name &&
                   std::abs(e.t - end.t) <= BeginBorder::part * run_.step.last_length;
        });
        if (!known) run_.add_event({end.t, "event", of.name});
    }
}

}  // namespace lacon::driver
