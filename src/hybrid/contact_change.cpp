// The end of a mode is read from its monitor; the laws of contact then decide the next one.
#include "hybrid/contact_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "state/mode_efforts.hpp"

namespace lacon::inline hybrid {

ContactChange::ContactChange(const DerivedModel& details, const RunPlan& plan,
                             const ChangePlace& place, ModeAccount& account)
    : details_(details),
      plan_(plan),
      place_(place),
      account_(account),
      laws_(details, plan.options.solve, efforts_of_controls(plan.options.solve)),
      impacts_(details, laws_, plan, account) {}

void ContactChange::recall(ContactModes modes, bool forces_unique) {
    mode_.modes = std::move(modes);
    mode_.forces_unique = forces_unique;
}

Status ContactChange::begin(State& state, const Clock& time) {
    mode_.modes.contact_states.assign(details_.system.row_count(), ContactState::open);
    mode_.modes.friction_states.assign(details_.system.frictions.size(), FrictionState::none);
    // A start on a kink: the laws hold for the face along which it begins to move.
    if (place_.nudge() > 0.0) laws_.look_behind(place_.behind(state));
    Status status = decide(state, time, {laws_.closed_at(state), {}, {}});
    laws_.look_behind({});
    return status;
}

Status ContactChange::pass(const ModeEnd& end, State& state, const Clock& time) {
    if (std::find(end.rests.begin(), end.rests.end(), true) != end.rests.end())
        impacts_.bring_to_rest(state, end.closed, end.rests, mode_.modes);
    Status status = decide(state, time, end);
    laws_.look_behind({});
    return status;
}

Status ContactChange::read(ContactMonitor& monitor, std::span<const std::size_t> hit,
                           std::span<const std::size_t> rested, const State& state, ModeEnd& end) {
    // Where a decision has turned, the laws hold for what is behind it; up to the end of `pass`.
    laws_.look_behind(place_.nudge() > 0.0 ? std::optional(place_.behind(state)) : std::nullopt);
    if (Status status = find_closed(state, end.closed); !status) return status;
    std::vector<bool> stops(mode_.modes.friction_states.size(), false);
    end.rests = stops;
    for (const std::size_t f : rested) stops[f] = end.rests[f] = true;
    bool begins_to_slip = false;
    for (const std::size_t i : hit) {
        if (i >= monitor.count()) continue;  // of controls, or the verdict of the laws
        const ContactMonitor::Watched& one = monitor.watched(i);
        if (grazes(monitor, i, state)) {
            grazing_.push_back(one);
            continue;
        }
        if (one.what == Watching::speed) stops[one.number] = true;
        if (one.what == Watching::speed &&
            monitor.slip_speed(state, one.number) <= 2.0 * monitor.speeds.onset)
            end.rests[one.number] = true;
        if (one.what == Watching::gap) end.closed[one.number] = true;
        if (one.what == Watching::force) end.leaving.rows.push_back(one.number);
        if (one.what == Watching::cone) {
            begins_to_slip = true;
            // Where it has been seen to cross zero, the crossing is known better.
            if (const double since = monitor.fell_since(i); since < state.t)
                end.slipped_since[one.number] = since;
            end.leaving.slips.push_back({one.number, monitor.slip_direction(state, one.number)});
            onsets_.push_back(one.number);
        }
    }
    // What has just begun to slip goes on, though it has no speed yet: else two that begin at once
    // would stop each other. What comes to rest with another one is decided anew.
    const bool is_rest = std::find(stops.begin(), stops.end(), true) != stops.end();
    for (std::size_t f = 0; f < stops.size(); ++f) {
        if (mode_.modes.friction_states[f] != FrictionState::slips || stops[f]) continue;
        end.rests[f] = is_rest && monitor.is_stopping(state, f);
        if (end.rests[f]) continue;
        end.leaving.slips.push_back(Contacts::slip_of(mode_.modes, details_, f));
        onsets_.push_back(f);
    }
    if (begins_to_slip) choose_onsets(monitor, state, end);
    later_.reset();
    if (sticks_in_plane()) later_ = monitor.ahead(state, place_.moment());
    goes_on_ = {};
    if (!mode_.forces_unique)
        goes_on_ = [&monitor, state](double time) { return monitor.ahead(state, time); };
    return {};
}

namespace {

Status gap_jumps(const std::string& name, double gap, double t) {
    return {Outcome::undefined,
            fmt::format("the gap of constraint '{}' jumps from 0 to {} at t = {}: it is not "
                        "continuous there, and no impact law applies",
                        name, rounded(gap, 6), rounded(t, 12)),
            {name}};
}

}  // namespace

Status ContactChange::find_closed(const State& state, std::vector<bool>& closed) {
    const Contacts::Gaps gaps = laws_.gaps(state);
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    const std::vector<ContactState>& states = mode_.modes.contact_states;
    closed.assign(states.size(), false);
    for (std::size_t r = 0; r < closed.size(); ++r) {
        if (side_of(details_.model.constraints[r]) == 0) continue;
        // 1e3 and 1e-3: gaps and rates that belong to a contact that is closing at this moment,
        // beside those that only happen to be near. Not critical.
        const bool near = gaps.gap[r] <= Contacts::gap_tol * length &&
                          gaps.rate[r] <= 1e3 * Contacts::rate_tol * speed;
        const bool meets = gaps.gap[r] <= 1e-3 * Contacts::gap_tol * length && gaps.rate[r] < 0.0;
        if (place_.nudge() > 0.0 && states[r] == ContactState::working) {
            if (gaps.gap[r] > Contacts::gap_tol * length) continue;  // what it lay on is gone
            if (gaps.gap[r] < -Contacts::gap_tol * length)
                return gap_jumps(details_.constraint_names[r], gaps.gap[r], state.t);
        }
        closed[r] = states[r] == ContactState::working ||
                    (states[r] == ContactState::idle && near) || meets;
    }
    return {};
}

namespace {

bool is_refused(Outcome outcome) {
    return outcome == Outcome::several || outcome == Outcome::no_force ||
           outcome == Outcome::no_convergence || outcome == Outcome::undetermined;
}

}  // namespace

/// Impacts where closed contacts approach; then accelerations, and what they leave closed, sticking
/// or sliding.
Status ContactChange::decide(State& state, const Clock& time, ModeEnd end) {
    const State arrived = state;
    const std::vector<bool> touching = end.closed;
    if (Status status = impacts_.collide(state, time, end.closed); !status) return status;
    if (state.v != arrived.v && !end.leaving.slips.empty())
        forget_slips(arrived, state, touching, end.leaving);
    const ContactModes before = mode_.modes;
    Contacts::Decision decision = laws_.decide(state, end.closed, end.leaving);
    if (is_refused(decision.status.outcome) && impacts_.bring_to_rest(state, end.closed)) {
        Contacts::Decision rested = laws_.decide(state, end.closed, {end.leaving.rows, {}});
        if (rested.status) decision = std::move(rested);
    }
    if (is_refused(decision.status.outcome) && goes_on_)
        decision = decide_ahead({arrived, state}, end, std::move(decision));
    if (!decision.status) return decision.status;
    if (details_.has_controls()) decision = lift(state, end, std::move(decision));
    mode_.modes = std::move(decision.modes);
    mode_.moved = std::move(decision.moved);
    mode_.slipped_since = std::move(end.slipped_since);
    mode_.forces_unique = decision.solution.forces_unique;
    account_.contact().forces_unique = account_.contact().forces_unique && mode_.forces_unique;
    account_.note_changes(before, mode_, impacts_.settled(), time);
    mode_.first_step = first_step(state, decision.solution.x);
    onset_rate_ = onset_rate(arrived, state, end, decision.solution.x);
    return {};
}

/// Contacts whose forces are not unique begin to slip where no forces hold them any more, several
/// at once. There they slip at no rate, which does not tell which of them slip and where to; a
/// moment later it does.
Contacts::Decision ContactChange::decide_ahead(const Jump& jump, const ModeEnd& end,
                                               Contacts::Decision refused) {
    const auto ahead = [&](double time) {
        State later = goes_on_(time);
        for (std::size_t j = 0; j < later.v.size(); ++j) {
            const double change = jump.after.v[j] - jump.before.v[j];
            later.q[j] += time * change;
            later.v[j] += change;
        }
        return later;
    };
    // In parts of the last step, over which the forces have come to the border: rates of as much,
    // and directions that are off by as much.
    for (const double part : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4}) {
        const double time = part * place_.step();
        Contacts::Decision decision = laws_.decide(ahead(time), end.closed, end.leaving);
        if (!decision.status) continue;
        go_back(decision, laws_.decide(ahead(2.0 * time), end.closed, end.leaving));
        for (std::size_t f = 0; f < mode_.modes.friction_states.size(); ++f)
            if (mode_.modes.friction_states[f] == FrictionState::sticks &&
                decision.modes.friction_states[f] == FrictionState::slips)
                onsets_.push_back(f);
        return decision;
    }
    return refused;
}

/// An impact decides anew what sticks: what slipped before it and has come to rest does not go on.
void ContactChange::forget_slips(const State& before, const State& after,
                                 const std::vector<bool>& closed, Contacts::Leaving& leaving) {
    const std::vector<std::vector<double>> was = laws_.slips(before, closed),
                                           is = laws_.slips(after, closed);
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(before);
    const auto jumps = [&](std::size_t f) {
        double square = 0.0;
        for (std::size_t i = 0; i < was[f].size() && i < is[f].size(); ++i)
            square += (is[f][i] - was[f][i]) * (is[f][i] - was[f][i]);
        return std::sqrt(square) > rounding;
    };
    std::erase_if(leaving.slips,
                  [&](const Contacts::Leaving::Slip& slip) { return jumps(slip.friction); });
    std::erase_if(onsets_, jumps);
}

/// A contact that opens slowly may close soon: the first step is not to go far beyond.
double ContactChange::first_step(const State& state, const std::vector<double>& acceleration) {
    const Contacts::Gaps gaps = laws_.gaps(state);
    std::vector<bool> opens(mode_.modes.contact_states.size(), false);
    for (std::size_t r = 0; r < opens.size(); ++r)
        opens[r] = mode_.modes.contact_states[r] == ContactState::open &&
                   details_.system.levels[r] == Level::position &&
                   side_of(details_.model.constraints[r]) != 0 && gaps.rate[r] > 0.0 &&
                   gaps.gap[r] <= Contacts::gap_tol * Contacts::position_scale(state);
    double limit = INFINITY;
    if (std::find(opens.begin(), opens.end(), true) == opens.end()) return limit;
    const std::vector<double> pull = laws_.gap_accelerations(state, acceleration, opens);
    for (std::size_t r = 0; r < opens.size(); ++r)
        if (opens[r] && pull[r] < 0.0) limit = std::min(limit, 4.0 * gaps.rate[r] / -pull[r]);
    return limit;
}

std::vector<std::size_t> ContactChange::take_onsets() {
    std::erase_if(onsets_, [&](std::size_t f) { return mode_.moved[f]; });
    return std::exchange(onsets_, {});
}

bool ContactChange::slides_in_plane(bool moved) const {
    const std::vector<FrictionState>& states = mode_.modes.friction_states;
    for (std::size_t f = 0; f < states.size(); ++f)
        if (states[f] == FrictionState::slips && (moved || !mode_.moved[f]) &&
            details_.system.frictions[f].slip_count > 1)
            return true;
    return false;
}

}  // namespace lacon::hybrid
