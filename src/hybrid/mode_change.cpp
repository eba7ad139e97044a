// Between two phases of a run: what the laws of contact and friction make of what has been seen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"
#include "hybrid/hybrid_run.hpp"

namespace lacon::inline hybrid {

/// What the monitors have seen, in terms of contacts; then the laws say what comes next. `rested`:
/// frictions that have come to rest, beside those.
bool HybridRun::change(const std::vector<std::size_t>& rested) {
    const std::vector<std::size_t> hit = phase_->branching().hit();
    Snapshot end = phase_->handover();
    // The next phase begins without events: to hand all of them on at every change would take the
    // square of their number.
    const bool turned = std::any_of(end.summary.events.begin(), end.summary.events.end(),
                                    [&](const MotionEvent& event) {
                                        return event.kind == "switch" && event.t == end.time.now();
                                    });
    std::move(end.summary.events.begin(), end.summary.events.end(), std::back_inserter(told_));
    end.summary.events.clear();
    State state = end.landed;
    changes_in_place_ = end.time.now() == last_change_ ? changes_in_place_ + 1 : 0;
    if (end.time.now() > last_change_ + nudge_) nudge_ = 0.0;  // what was turned there is past
    last_change_ = end.time.now();
    constexpr std::size_t most_changes = 100;
    if (stays_in_kink(hit)) return fail(kink(phase_->branching().turned_row(), state.t));
    if (changes_in_place_ > most_changes && wedged(state)) return false;
    if (changes_in_place_ > most_changes)
        return fail({Outcome::no_convergence,
                     fmt::format("the {} keep changing at t = {}",
                                 details_.has_contacts()
                                     ? "contacts"
                                     : "efforts at their limits and the requirements that bind",
                                 rounded(end.time.now(), 12)),
                     {}});
    if (control_monitor_ && std::any_of(hit.begin(), hit.end(), [&](std::size_t i) {
            return control_monitor_->is_hold(i);
        }))
        return fail(hold_lost(state));
    // Where a decision has turned, the laws hold for what is behind it.
    if (turned || std::find(hit.begin(), hit.end(), Branching::turned) != hit.end())
        nudge_ = std::max(1e-10 * phase_->last_length(), 1e-13 * std::max(1.0, std::abs(state.t)));
    contacts_->look_behind(nudge_ > 0.0 ? std::optional(nudged(state, nudge_)) : std::nullopt);
    const Contacts::Gaps gaps = contacts_->gaps(state);
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    std::vector<bool> closed(modes_.touch.size(), false);
    for (std::size_t r = 0; r < closed.size(); ++r) {
        const bool near = gaps.gap[r] <= Contacts::gap_tol * length &&
                          gaps.rate[r] <= 1e3 * Contacts::rate_tol * speed;
        const bool meets = gaps.gap[r] <= 1e-3 * Contacts::gap_tol * length && gaps.rate[r] < 0.0;
        if (nudge_ > 0.0 && modes_.touch[r] == ContactState::working &&
            side_of(details_.model.constraints[r]) != 0) {
            if (gaps.gap[r] > Contacts::gap_tol * length) continue;  // what it lay on is gone
            if (gaps.gap[r] < -Contacts::gap_tol * length)
                return fail(jumped(r, gaps.gap[r], state.t));
        }
        closed[r] = side_of(details_.model.constraints[r]) != 0 &&
                    (modes_.touch[r] == ContactState::working ||
                     (modes_.touch[r] == ContactState::idle && near) || meets);
    }
    Contacts::Leaving leaving;
    std::vector<bool> stops(modes_.grip.size(), false), rests = stops;
    for (const std::size_t f : rested) stops[f] = rests[f] = true;
    for (const std::size_t i : hit) {
        if (i >= monitor_->count()) continue;  // of controls, or the verdict of the laws
        const ContactMonitor::Watched& one = monitor_->watched(i);
        if (one.what == Watching::speed) stops[one.number] = !grazes(state, one.number, closed);
        if (one.what == Watching::speed && stops[one.number] &&
            monitor_->slip_speed(state, one.number) <= monitor_->onset_speed)
            rests[one.number] = true;
        if (one.what == Watching::gap) closed[one.number] = true;
        if (one.what == Watching::force) leaving.rows.push_back(one.number);
        if (one.what == Watching::cone) {
            leaving.slips.push_back({one.number, monitor_->slip_direction(state, one.number)});
            onsets_.push_back(one.number);
        }
    }
    // What has just begun to slip goes on, though it has no speed yet: else two that begin at once
    // would stop each other.
    for (std::size_t f = 0; f < modes_.grip.size(); ++f) {
        if (modes_.grip[f] != FrictionState::slips || stops[f]) continue;
        leaving.slips.push_back(Contacts::slip_of(modes_, details_, f));
        onsets_.push_back(f);
    }
    if (std::find(rests.begin(), rests.end(), true) != rests.end())
        rest(state, closed, std::move(rests));
    drop_false_onsets(state, closed, leaving);
    const bool decided = decide(state, end.time, std::move(closed), std::move(leaving));
    contacts_->look_behind({});
    if (!decided) return false;
    return enter(std::move(end), state);
}

/// Whether a speed of sliding that has come to zero only touches it: if it slid on, it would be
/// below zero by no more than it is known to, and then above again. Along a line; in a plane it
/// need not come to zero.
bool HybridRun::grazes(const State& state, std::size_t friction, const std::vector<bool>& closed) {
    if (details_.system.frictions[friction].slip_count > 1) return false;
    Contacts::Leaving on;
    for (std::size_t f = 0; f < modes_.grip.size(); ++f)
        if (modes_.grip[f] == FrictionState::slips)
            on.slips.push_back(Contacts::slip_of(modes_, details_, f));
    const double direction = Contacts::slip_of(modes_, details_, friction).direction[0];
    // The rate of its speed, by a difference over a time in which it changes by 1e-6 of itself.
    const auto rate = [&](const State& at) {
        constexpr double moment = 1e-6;
        const Contacts::Decision decision = contacts_->decide(at, closed, on);
        if (!decision.status) return double(NAN);
        State later = nudged(at, moment);
        for (std::size_t i = 0; i < later.v.size(); ++i)
            later.v[i] += moment * decision.solution.x[i];
        const std::vector<double> was = contacts_->slips(at, closed)[friction],
                                  is = contacts_->slips(later, closed)[friction];
        return was.empty() || is.empty() ? NAN : direction * (is[0] - was[0]) / moment;
    };
    const double ahead = 1e-3 * phase_->last_length();  // as far as a phase looks ahead elsewhere
    const double now = rate(state), then = rate(nudged(state, ahead));
    const double growth = (then - now) / ahead;
    return growth > 0.0 && now * std::abs(now) >= -2.0 * growth * monitor_->onset_speed *
                                                      Contacts::velocity_scale(state);
}

/// Where several begin to slip at once, one may keep another from it: each holds by itself up to
/// its cone, and the slip of one unloads the other. At the moment itself all of them have neither
/// speed nor acceleration. So it is looked at a moment later, when all of them slip: what then
/// moves against the direction in which it is to slip does not slip.
void HybridRun::drop_false_onsets(const State& state, const std::vector<bool>& closed,
                                  Contacts::Leaving& leaving) {
    // Of the last step: the onset is a cubic of time there, so that terms beyond it are as much.
    constexpr double part = 1e-3;
    const double moment = part * phase_->last_length();
    while (leaving.slips.size() > 1) {
        const State ahead = nudged(state, 0.5 * moment);
        const Contacts::Decision decision = contacts_->decide(ahead, closed, leaving);
        if (!decision.status) return;
        State later = nudged(state, moment);  // by the acceleration at the middle
        for (std::size_t i = 0; i < later.v.size(); ++i)
            later.v[i] += moment * decision.solution.x[i];
        const std::vector<std::vector<double>> before = contacts_->slips(state, closed),
                                               behind = contacts_->slips(later, closed);
        const double rounding = 1e-15 * Contacts::velocity_scale(later);
        auto worst = leaving.slips.end();
        double most = -rounding;
        for (auto slip = leaving.slips.begin(); slip != leaving.slips.end(); ++slip) {
            const bool begins = modes_.grip[slip->friction] == FrictionState::sticks;
            double along = 0.0;
            const std::vector<double>&was = before[slip->friction], &is = behind[slip->friction];
            for (std::size_t i = 0; begins && i < std::min(is.size(), slip->direction.size()); ++i)
                along += (is[i] - was[i]) * slip->direction[i];
            if (along >= most) continue;
            most = along;
            worst = slip;
        }
        if (worst == leaving.slips.end()) return;
        std::erase(onsets_, worst->friction);
        leaving.slips.erase(worst);
    }
}

/// What has come to rest as far as the tolerance can tell is at rest for the laws too. What sticks
/// stays so.
void HybridRun::rest(State& state, std::vector<bool> closed, std::vector<bool> rests) {
    const Contacts::Gaps gaps = contacts_->gaps(state);
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        closed[r] = closed[r] && std::abs(gaps.rate[r]) <= rounding;
    for (std::size_t f = 0; f < rests.size(); ++f)
        rests[f] = rests[f] || modes_.grip[f] == FrictionState::sticks;
    Contacts::Impact impact = contacts_->rest(state, closed, rests);
    if (impact.status) state.v = std::move(impact.velocity);
}

Status HybridRun::jumped(std::size_t row, double gap, double t) const {
    const std::string& name = details_.constraint_names[row];
    return {Outcome::undefined,
            fmt::format("the gap of constraint '{}' jumps from 0 to {} at t = {}: it is not "
                        "continuous there, and no impact can "
                        "keep it",
                        name, rounded(gap, 6), rounded(t, 12)),
            {name}};
}

/// Whether decisions turn to and fro at one time, as each face of a kink pushes to the other one:
/// more often than all of them could, each there and back.
bool HybridRun::stays_in_kink(const std::vector<std::size_t>& hit) {
    if (changes_in_place_ == 0) turns_in_place_ = 0;
    if (std::find(hit.begin(), hit.end(), Branching::turned) == hit.end()) return false;
    if (phase_->branching().turned_row() >= details_.constraint_names.size()) return false;
    return ++turns_in_place_ > 2 * smooth(details_.system).branch_count;
}

Status HybridRun::kink(std::size_t row, double t) const {
    const std::string& name = details_.constraint_names[row];
    return {Outcome::no_convergence,
            fmt::format("the motion stays in a kink of constraint '{}' from t = {} on: both faces "
                        "push there, but one constraint has only one force; write a constraint for "
                        "each face, as y >= x and y >= -x for y >= abs(x)",
                        name, rounded(t, 12)),
            {name}};
}

State HybridRun::nudged(const State& state, double by) const {
    State ahead = state;
    ahead.t += by;
    for (std::size_t i = 0; i < ahead.q.size(); ++i) ahead.q[i] += by * ahead.v[i];
    return ahead;
}

/// Contacts that the last step left without an event of their own.
void HybridRun::note_left() {
    for (const ContactMonitor::Left& one : monitor_->left) {
        MotionEvent event{one.t, "release", details_.constraint_names[one.row]};
        event.constraints = {event.name};
        phase_->note(std::move(event));
    }
    monitor_->left.clear();
}

/// Whether contacts that are all but closed leave no way to move.
bool HybridRun::wedged(const State& state) {
    const Contacts::Gaps gaps = contacts_->gaps(state);
    std::vector<bool> near(modes_.touch.size(), false);
    for (std::size_t r = 0; r < near.size(); ++r)
        near[r] = side_of(details_.model.constraints[r]) != 0 &&
                  gaps.gap[r] <= 1e-6 * Contacts::position_scale(state);
    Contacts::Impact impact = contacts_->collide(state, near, Contacts::Law::simultaneous);
    if (impact.status) return false;
    status_ = std::move(impact.status);
    return true;
}

bool HybridRun::enter(Snapshot snapshot, const State& state) {
    snapshot.landed = state;
    snapshot.landed.t = snapshot.time.now();
    if (details_.has_controls() && !steer(snapshot.landed, snapshot.time)) return false;
    std::move(events_.begin(), events_.end(), std::back_inserter(told_));
    events_.clear();
    make_mode_run();
    std::erase_if(onsets_, [&](std::size_t f) { return moved_[f]; });
    monitor_->onsets = std::move(onsets_);
    onsets_.clear();
    monitor_->settle_slips(nudged(snapshot.landed, nudge_));
    Integration::Entry entry{
        std::min(first_step_, step_in_place()), slides_in_plane(true), {}, nudge_};
    if (slides_in_plane(false)) entry.still = monitor_->across_slips(snapshot.landed);
    const bool entered = phase_->enter(std::move(snapshot), entry);
    const auto known = [&](const auto& method) { return method.first == phase_->method(); };
    if (std::none_of(account_.methods.begin(), account_.methods.end(), known))
        account_.methods.emplace_back(phase_->method(), phase_->why());
    if (account_.method == "auto" && phase_->is_without_loads()) account_.method = phase_->method();
    return entered;
}

void HybridRun::note(const Clock& time, const char* kind, const std::string& name) {
    MotionEvent event{time.now(), kind, name};
    event.constraints = {name};
    events_.push_back(std::move(event));
}

namespace {

bool is_refused(Outcome outcome) {
    return outcome == Outcome::several || outcome == Outcome::no_force ||
           outcome == Outcome::no_convergence;
}

}  // namespace

/// Impacts where closed contacts approach; then accelerations, and what they leave closed, sticking
/// or sliding.
bool HybridRun::decide(State& state, const Clock& time, std::vector<bool> closed,
                       Contacts::Leaving leaving) {
    settled_.assign(closed.size(), false);
    const State arrived = state;
    const std::vector<bool> touching = closed;
    if (!collide(state, time, closed)) return false;
    if (state.v != arrived.v && !leaving.slips.empty())
        forget_slips(arrived, state, touching, leaving);
    const ContactModes before = modes_;
    Contacts::Decision decision = contacts_->decide(state, closed, leaving);
    if (is_refused(decision.status.outcome) && come_to_rest(state, closed)) {
        Contacts::Decision rested = contacts_->decide(state, closed, {leaving.rows, {}});
        if (rested.status) decision = std::move(rested);
    }
    if (is_refused(decision.status.outcome) && phase_ && !unique_)
        decision = decided_ahead(state, closed, leaving, std::move(decision));
    if (!decision.status) return fail(decision.status);
    modes_ = std::move(decision.modes);
    moved_ = std::move(decision.moved);
    unique_ = decision.solution.forces_unique;
    account_.forces_unique = account_.forces_unique && unique_;
    note_changes(before, time);
    first_step_ = first_step(state, decision.solution.x);
    return true;
}

/// Contacts whose forces are not unique begin to slip where no forces hold them any more, several
/// at once. There they slip at no rate, which does not tell which of them slip and where to; a
/// moment later it does.
Contacts::Decision HybridRun::decided_ahead(const State& state, const std::vector<bool>& closed,
                                            const Contacts::Leaving& leaving,
                                            Contacts::Decision refused) {
    // In parts of the last step, over which the forces have come to the border: rates of as much,
    // and directions that are off by as much.
    for (const double part : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4}) {
        const State ahead = nudged(state, part * phase_->last_length());
        Contacts::Decision decision = contacts_->decide(ahead, closed, leaving);
        if (!decision.status) continue;
        for (std::size_t f = 0; f < modes_.grip.size(); ++f)
            if (modes_.grip[f] == FrictionState::sticks &&
                decision.modes.grip[f] == FrictionState::slips)
                onsets_.push_back(f);
        return decision;
    }
    return refused;
}

/// An impact decides anew what sticks: what slipped before it and has come to rest does not go on.
void HybridRun::forget_slips(const State& before, const State& after,
                             const std::vector<bool>& closed, Contacts::Leaving& leaving) {
    const std::vector<std::vector<double>> was = contacts_->slips(before, closed),
                                           is = contacts_->slips(after, closed);
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

/// In which of several directions things slip, at speeds at which friction stops them within less
/// than the tolerance can tell, is chance. The law may have no answer for such directions, as it
/// has for rest.
bool HybridRun::come_to_rest(State& state, const std::vector<bool>& closed) {
    if (details_.system.frictions.empty()) return false;
    std::vector<bool> position = closed;
    for (std::size_t r = 0; r < closed.size(); ++r)
        position[r] = closed[r] && details_.system.levels[r] == Level::position;
    Contacts::Impact rest = contacts_->rest(state, position, slow(state, closed));
    if (!rest.status) return false;
    for (const auto& [name, energy] : rest.lost) account_.lost[name] += energy;
    state.v = std::move(rest.velocity);
    return true;
}

/// A speed at which a contact that opens would come back from less than the tolerance can tell:
/// below it contacts neither bounce nor open. Contacts throw each other up again and again, also
/// without restitution; this is where that ends.
double HybridRun::slow(const State& state, const std::vector<bool>& closed) {
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(state);
    const std::vector<bool> none(closed.size(), false);
    const Contacts::Decision free = contacts_->decide(state, none);
    if (!free.status) return rounding;
    double pull = 0.0;
    for (const double a : contacts_->gap_accelerations(state, free.solution.x, closed))
        pull = std::max(pull, std::abs(a));
    return std::max(rounding, std::sqrt(2.0 * lowest_bounce(state) * pull));
}

/// Below this height a bounce is none.
double HybridRun::lowest_bounce(const State& state) const {
    return std::max(1e-2 * plan_.tolerance, 1e-11) * Contacts::position_scale(state);
}

bool HybridRun::collide(State& state, const Clock& time, std::vector<bool>& closed) {
    if (std::find(closed.begin(), closed.end(), true) == closed.end()) return true;
    const State before = state;
    const double slow = this->slow(state, closed);
    const auto of_position = [&](std::size_t r) {
        return closed[r] && details_.system.levels[r] == Level::position;
    };
    Contacts::Gaps gaps = contacts_->gaps(state);
    bool hits = false;
    for (std::size_t r = 0; r < closed.size(); ++r)
        hits = hits || (of_position(r) && gaps.rate[r] < -slow);
    Contacts::Impact impact;
    if (hits) {
        impact = contacts_->collide(before, closed, law_);
        if (!impact.status) return fail(impact.status);
        state.v = impact.velocity;
        gaps = contacts_->gaps(state);
    }
    std::vector<bool> rests(closed.size(), false);
    bool moves = false;
    for (std::size_t r = 0; r < closed.size(); ++r) {
        rests[r] = of_position(r) && std::abs(gaps.rate[r]) <= slow;
        moves = moves || (rests[r] && gaps.rate[r] != 0.0);
    }
    const State thrown = state;
    if (hits && moves) stop_dead(before, state, closed, rests, impact);
    if (hits) note_impact(impact, time);
    if (moves) settle(before, thrown, state, time, closed, rests);
    gaps = contacts_->gaps(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (of_position(r) && gaps.rate[r] > slow) closed[r] = false;
    if (!hits && !moves) return true;
    // What was about to open may have been brought to rest by the others.
    const std::vector<bool> resting = contacts_->closed_at(state);
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (resting[r] && details_.system.levels[r] == Level::position && gaps.rate[r] >= -rounding)
            closed[r] = true;
    return true;
}

/// What bounces for the last time has the friction of the impulses that bring it to rest, not of
/// those that throw it up once more: its impact is that without restitution. What touches down
/// without an impact is left to `settle`, in which what sticks goes on to.
void HybridRun::stop_dead(const State& before, State& state, const std::vector<bool>& closed,
                          const std::vector<bool>& rests, Contacts::Impact& impact) {
    if (details_.system.frictions.empty()) return;
    const Contacts::Gaps gaps = contacts_->gaps(before);
    const std::vector<double> restitution = contacts_->restitution(before);
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(before);
    bool bounces = false;
    for (std::size_t r = 0; r < closed.size(); ++r)
        bounces = bounces || (rests[r] && gaps.rate[r] < -rounding && restitution[r] > 0.0);
    if (!bounces) return;
    Contacts::Impact dead = contacts_->collide(before, closed, law_, rests);
    if (!dead.status) return;
    dead.hit = impact.hit;
    state.v = dead.velocity;
    impact = std::move(dead);
}

void HybridRun::note_impact(const Contacts::Impact& impact, const Clock& time) {
    std::vector<std::string> names;
    for (const std::size_t r : impact.hit) names.push_back(details_.constraint_names[r]);
    MotionEvent event{time.now(), "impact", fmt::format("{}", fmt::join(names, ", "))};
    event.constraints = names;
    events_.push_back(std::move(event));
    double lost = 0.0;
    for (const auto& [name, energy] : impact.lost) {
        account_.lost[name] += energy;
        lost += energy;
    }
    account_.gained = std::max(account_.gained, -lost);
}

/// Contacts that are too slow to open come to rest. Bounces that were to follow by restitution take
/// the time of a geometric series. `thrown`: behind the impact, if there was one.
void HybridRun::settle(const State& before, const State& thrown, State& state, const Clock& time,
                       const std::vector<bool>& closed, const std::vector<bool>& rests) {
    const Contacts::Gaps from = contacts_->gaps(before), to = contacts_->gaps(thrown);
    const Contacts::Impact rest = contacts_->settle(state, closed, rests);
    if (!rest.status) {
        state = thrown;
        return;
    }
    for (const auto& [name, energy] : rest.lost) account_.lost[name] += energy;
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(state);
    const std::vector<double> restitution = contacts_->restitution(before);
    std::vector<bool> bounces(closed.size(), false), others = rests;
    for (std::size_t r = 0; r < closed.size(); ++r) {
        bounces[r] = rests[r] && from.rate[r] < -rounding && to.rate[r] > rounding &&
                     restitution[r] > 0.0 && restitution[r] < 1.0;
        if (bounces[r]) others[r] = false;
    }
    state.v = rest.velocity;
    if (std::find(bounces.begin(), bounces.end(), true) == bounces.end()) return;
    const Contacts::Decision decision = contacts_->decide(state, others);
    if (!decision.status) return;
    const std::vector<double> pull =
        contacts_->gap_accelerations(state, decision.solution.x, bounces);
    for (std::size_t r = 0; r < closed.size(); ++r) {
        if (!bounces[r] || !(pull[r] < 0.0)) continue;
        settled_[r] = true;
        // What hardly pulls it back does not bring it back either: it was brought to rest by the
        // others, now.
        const bool comes_back = to.rate[r] * to.rate[r] <= -2.0 * pull[r] * lowest_bounce(state);
        const double later =
            comes_back ? 2.0 * to.rate[r] / (-pull[r] * (1.0 - restitution[r])) : 0.0;
        note(time.after(later), "settled", details_.constraint_names[r]);
    }
}

/// Whether something slides in one of several directions: while it is slow that direction turns
/// faster than explicit methods can follow. `moved`: also what was sliding before.
bool HybridRun::slides_in_plane(bool moved) const {
    for (std::size_t f = 0; f < modes_.grip.size(); ++f)
        if (modes_.grip[f] == FrictionState::slips && (moved || !moved_[f]) &&
            details_.system.frictions[f].slip_count > 1)
            return true;
    return false;
}

/// Whether a friction slides the other way than before.
bool HybridRun::turns(const ContactModes& before, std::size_t friction) const {
    const FrictionPart& part = details_.system.frictions[friction];
    const std::size_t first = part.direction - details_.model.parameters.size();
    double along = 0.0;
    for (std::size_t i = first; i < first + part.slip_count; ++i)
        along += before.directions[i] * modes_.directions[i];
    return along < 0.0;
}

void HybridRun::note_changes(const ContactModes& before, const Clock& time) {
    for (std::size_t r = 0; r < modes_.touch.size(); ++r) {
        if (side_of(details_.model.constraints[r]) == 0) continue;
        const bool was = before.touch[r] != ContactState::open,
                   is = modes_.touch[r] != ContactState::open;
        if (is && !was && !settled_[r]) note(time, "contact", details_.constraint_names[r]);
        const bool rests =
            modes_.touch[r] == ContactState::idle && before.touch[r] == ContactState::working;
        if (was && !is && !rests) note(time, "release", details_.constraint_names[r]);
    }
    for (std::size_t f = 0; f < modes_.grip.size(); ++f) {
        const FrictionState was = before.grip[f], is = modes_.grip[f];
        const std::string& name = details_.system.frictions[f].name;
        if (is == FrictionState::sticks && was != FrictionState::sticks) note(time, "stick", name);
        // In a plane a direction may turn by more than a right angle without coming to rest; along
        // a line it cannot.
        const bool rested = details_.system.frictions[f].slip_count == 1 || !moved_[f];
        const bool turned = was == FrictionState::slips && rested && turns(before, f);
        if (is == FrictionState::slips && (was == FrictionState::sticks || turned))
            note(time, "slip", name);
    }
}

/// A contact that opens slowly may close soon: the first step is not to go far beyond.
double HybridRun::first_step(const State& state, const std::vector<double>& acceleration) {
    const Contacts::Gaps gaps = contacts_->gaps(state);
    std::vector<bool> opens(modes_.touch.size(), false);
    for (std::size_t r = 0; r < opens.size(); ++r)
        opens[r] = modes_.touch[r] == ContactState::open &&
                   details_.system.levels[r] == Level::position &&
                   side_of(details_.model.constraints[r]) != 0 && gaps.rate[r] > 0.0 &&
                   gaps.gap[r] <= Contacts::gap_tol * Contacts::position_scale(state);
    double limit = INFINITY;
    if (std::find(opens.begin(), opens.end(), true) == opens.end()) return limit;
    const std::vector<double> pull = contacts_->gap_accelerations(state, acceleration, opens);
    for (std::size_t r = 0; r < opens.size(); ++r)
        if (opens[r] && pull[r] < 0.0) limit = std::min(limit, 4.0 * gaps.rate[r] / -pull[r]);
    return limit;
}

/// A gap that falls from zero with the third power of time, as the force on it grows from zero, is
/// zero for a long step from its very begin on. A shorter step tells where it falls below rounding.
double HybridRun::step_in_place() const {
    constexpr double shorter = 0.1, shortest = 1e-9;  // of the run
    if (changes_in_place_ < 2) return INFINITY;
    const double part = std::pow(shorter, static_cast<double>(changes_in_place_ - 1));
    return std::max(part, shortest) * (plan_.end - plan_.begin);
}

}  // namespace lacon::hybrid
