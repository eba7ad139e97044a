// Events, decisions, gaps and verdicts within a step: where the first lies, and what comes of it.
#include "driver/step/branching.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/modes.hpp"
#include "locate/bisection.hpp"
#include "locate/verdict_search.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

// ---- what is found

std::vector<Crossing> Branching::crossings() {
    std::vector<Crossing> found =
        parts_.watch.crossings(parts_.steppers.path(), run_.step.base->time);
    note_verdict(found);
    return found;
}

Branching::Cut Branching::first_cut(const std::vector<Crossing>& crossings) const {
    return std::find_if(crossings.begin(), crossings.end(),
                        [this](const Crossing& c) { return parts_.watch.ends_step(c); });
}

/// Where the laws of contact give another verdict within the step, up to its first crossing, that
/// is found by halving.
void Branching::note_verdict(std::vector<Crossing>& crossings) {
    Monitors* monitors = parts_.monitors;
    if (!monitors || !monitors->has_verdict()) return;
    const auto first = first_cut(crossings);
    const StepPath path = parts_.steppers.path();
    const Clock& begin = run_.step.base->time;
    VerdictSearch verdicts(*monitors, path, begin);
    // 1e-9 of the step before the crossing: beside it, as BeginBorder::part, but of its own side.
    const double end = first == crossings.end() ? path.length : (1.0 - 1e-9) * first->tau;
    if (!(end > 0.0)) return;
    std::optional<VerdictSearch::Bracket> found;
    // Behind a decision that has turned the verdict before it says nothing.
    if (const double behind = 1e-9 * end; verdict_is_old_ && !verdicts.lasts(behind))
        found = VerdictSearch::Bracket{0.0, behind};
    verdict_is_old_ = false;
    for (double from = 0.0; !found && from < end;) {
        const double to = resolved_from(from, end);
        found = verdicts.search(from, to);
        from = to;
    }
    if (!found) return;
    // 1e-13: some hundred units in the last place of the time; halving further gains nothing.
    const double enough = 1e-13 * (path.length + std::abs(begin.now()));
    const double bad =
        bisect(
            {found->good, found->bad}, [&](double tau) { return !verdicts.lasts(tau); },
            [&](const Bracket& b) { return b.behind - b.before > enough; })
            .behind;
    crossings.insert(std::find_if(crossings.begin(), crossings.end(),
                                  [&](const Crossing& c) { return c.tau > bad; }),
                     {Crossing::Kind::monitor, monitors->count(), bad, -1});
}

/// How far from a place of the step the features of the equations are told by what is there: forces
/// of constraint may change where accelerations do not.
double Branching::resolved_from(double from, double end) {
    FeatureCheck* features = parts_.limits.features.get();
    if (!features || features->is_empty()) return end;
    const Method& method = parts_.steppers.now();
    const StepPath::At at = [&](double tau, State& out) { method.at(from + tau, out); };
    const Clock begin = run_.step.base->time.after(from);
    const std::size_t order = std::max<std::size_t>(method.adaptive_order(), 8);
    // Of the step: below it a feature is a jump. Lengths are tried from above, a quarter each time.
    constexpr double least = 1e-6;
    for (double length = end - from; length > least * end; length *= 0.25)
        if (const double clear = features->resolved({at, length}, begin, order); clear > 0.0)
            return length == end - from && clear == length ? end : from + clear;
    return std::min(end, from + least * end);
}

void Branching::take_hits(const std::vector<Crossing>& crossings, double tau, double length) {
    // Roots are refined to a few units in the last place of the time; 1e-12 leaves room for those
    // of several monitors that have the same root.
    const double rounding = 1e-12 * (length + std::abs(run_.step.base->time.now()));
    for (const Crossing& c : crossings)
        if (c.kind == Crossing::Kind::monitor && std::abs(c.tau - tau) <= rounding)
            hit_.push_back(c.number);
    run_.is_over = true;
}

/// What only may not be negative jumps below zero: there is no impact, and no motion that could
/// keep it.
bool Branching::fail_at_jump(const Crossing& crossing) {
    const Method& method = parts_.steppers.now();
    Monitors& monitors = *parts_.monitors;
    const Clock& begin = run_.step.base->time;
    // Far above the rounding of the root, and far below any scale of the step.
    const double little = 1e-9 * method.length();
    State before;
    const double tau = std::max(0.0, crossing.tau - little);
    method.at(tau, before);
    before.t = begin.after(tau).now();
    const double here = monitors.value(before, crossing.number);
    State behind;
    method.at(std::min(method.length(), crossing.tau + little), behind);
    behind.t = begin.after(crossing.tau + little).now();
    const std::string name = monitors.continuous(crossing.number);
    return run_.fail(
        before,
        {Outcome::undefined,
         fmt::format("the gap of constraint '{}' jumps from {} to {} at t = {}: it is not "
                     "continuous there (the cut of atan2, a decision), and no impact law applies",
                     name, rounded(here, 6), rounded(monitors.value(behind, crossing.number), 6),
                     rounded(begin.after(crossing.tau).now(), 12)),
         {name}});
}

void Branching::begin_mode() {
    if (!parts_.monitors) return;
    parts_.monitors->follow(run_.field.branches());
    parts_.monitors->begin(run_.step.base->state);
}

// ---- turning decisions over

/// Whether a decision turns to and fro in one place.
bool Branching::slides(const Crossing& crossing, const std::string& text, const Clock& time) {
    const auto [element, decision] =
        run_.field.smooth.owner_of(crossing.number, run_.details.system);
    // floor(x) has two that count: back and forth is on the spot too.
    const std::size_t number = crossing.number - (decision.counts_down() ? 1 : 0);
    turns_in_place_ = crossing.tau == 0.0 && last_ == number ? turns_in_place_ + 1 : 0;
    last_ = number;
    if (turns_in_place_ < 2) return false;
    run_.fail(
        run_.step.base->state,
        {Outcome::no_convergence,
         fmt::format("from t = {} the motion chatters at '{}': both branches push it back to the "
                     "switching surface; smooth the decision, as with tanh(x/eps) for sign(x)",
                     rounded(time.now(), 12), text),
         {}});
    return true;
}

bool Branching::turn(const Crossing& crossing, const Clock& time) {
    const auto [element, decision] =
        run_.field.smooth.owner_of(crossing.number, run_.details.system);
    const std::string text = text_of(run_.details, element, decision);
    if (slides(crossing, text, time)) return false;
    Step& step = run_.step;
    // On the constraints as they were.
    State before = crossing.tau == 0.0 ? step.base->state : step.end_state;
    before.t = time.now();
    parts_.watch.turn(crossing, before);
    verdict_is_old_ = true;
    std::vector<MotionEvent>& events = run_.account.summary.events;
    if (!events.empty() && crossing.tau == 0.0 && events.back().t == time.now() &&
        events.back().name == text)
        events.pop_back();  // turned back at once: it did not turn
    else if (time.now() > run_.plan.begin && decision.is_told)
        run_.add_event({time.now(), "switch", text});
    if (is_law_row(element)) {  // the laws of contact say what comes of it
        if (crossing.tau > 0.0) {
            step.set_next_base(time);
            step.commit();
        }
        hit_.push_back(turned);
        run_.is_over = true;
        return false;
    }
    return land_behind(crossing, before, text, time);
}

/// The motion goes on from where it is, by the equations behind the turn.
bool Branching::land_behind(const Crossing& crossing, const State& before, const std::string& text,
                            const Clock& time) {
    Step& step = run_.step;
    step.end_state = step.raw_end_state;
    Outcome outcome = step.there->project(step.end_state);
    if (outcome != Outcome::ok) {
        // What jumps may carry others of its element along: the cut of atan2 within mod.
        settle_others(crossing.number, time);
        step.end_state = step.raw_end_state;
        outcome = step.there->project(step.end_state);
    }
    if (outcome != Outcome::ok) {
        Status conflict = parts_.dead_end.conflict_ahead();
        if (!conflict) return run_.fail(before, std::move(conflict));
        return jumps_too_far(before, text) ? false : parts_.dead_end.fail();
    }
    run_.account.note_residuals(*step.there);  // of what the turned decision asks for
    if (!note_jump(before, text)) return false;
    if (!parts_.steppers.prepare(time, true)) return parts_.dead_end.fail();
    step.commit();
    parts_.guard.begin();
    if (step.left() > 0.0) return true;
    run_.finish(step.base->state);
    return false;
}

}  // namespace lacon::driver
