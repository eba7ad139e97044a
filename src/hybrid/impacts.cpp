// A collision in its order: the impact, rest without bounces where they are too low, and which
// contacts are closed behind it.
#include "hybrid/impacts.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline hybrid {

namespace {

bool any(const std::vector<bool>& of) {
    return std::find(of.begin(), of.end(), true) != of.end();
}

/// Below it a speed is rounding.
double rounding_of_rates(const State& state) {
    return Contacts::rate_tol * Contacts::velocity_scale(state);
}

}  // namespace

Impacts::Impacts(const DerivedModel& details, Contacts& laws, const RunPlan& plan,
                 ModeAccount& account)
    : details_(details),
      laws_(laws),
      account_(account),
      law_(plan.impacts == ImpactLaw::sequential ? Contacts::Law::sequential
                                                 : Contacts::Law::simultaneous),
      tolerance_(plan.tolerance) {}

Status Impacts::collide(State& state, const Clock& time, std::vector<bool>& closed) {
    settled_.assign(closed.size(), false);
    if (!any(closed)) return {};
    const State before = state;
    Collision collision{before, time, closed, std::vector<bool>(closed.size(), false)};
    const double slow = this->slow(state, closed);
    Contacts::Gaps gaps = laws_.gaps(state);
    bool hits = false, moves = false;
    for (std::size_t r = 0; r < closed.size(); ++r)
        hits = hits || (is_closed_position(closed, r) && gaps.rate[r] < -slow);
    if (hits) {
        collision.impact = laws_.collide(before, closed, law_);
        if (!collision.impact.status) return collision.impact.status;
        state.v = collision.impact.velocity;
        gaps = laws_.gaps(state);
    }
    for (std::size_t r = 0; r < closed.size(); ++r) {
        collision.rests[r] = is_closed_position(closed, r) && std::abs(gaps.rate[r]) <= slow;
        moves = moves || (collision.rests[r] && gaps.rate[r] != 0.0);
    }
    const State thrown = state;
    if (moves) stop_dead(collision, state);
    if (hits) account_.note_impact(collision.impact, time);
    if (moves) settle(collision, thrown, state);
    close_again(state, slow, closed, hits || moves);
    return {};
}

/// What opens, is open. What was about to open may have been brought to rest by the others.
void Impacts::close_again(const State& state, double slow, std::vector<bool>& closed,
                          bool changed) {
    const Contacts::Gaps gaps = laws_.gaps(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (is_closed_position(closed, r) && gaps.rate[r] > slow) closed[r] = false;
    if (!changed) return;
    const std::vector<bool> resting = laws_.closed_at(state);
    const double rounding = rounding_of_rates(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (is_closed_position(resting, r) && gaps.rate[r] >= -rounding) closed[r] = true;
}

/// What settles has the friction of the impulses that bring it to rest, not of those that throw it
/// up once more: the impact is that without restitution.
void Impacts::stop_dead(Collision& collision, State& state) {
    if (details_.system.frictions.empty()) return;
    const Contacts::Gaps gaps = laws_.gaps(collision.before);
    const double rounding = rounding_of_rates(collision.before);
    const std::vector<double> restitution = laws_.restitution(collision.before);
    bool approaches = false, bounces = false;
    for (std::size_t r = 0; r < gaps.rate.size(); ++r) {
        approaches = approaches || (collision.rests[r] && gaps.rate[r] < -rounding);
        bounces = bounces || (collision.rests[r] && gaps.rate[r] < 0.0 && restitution[r] != 0.0);
    }
    // What does not bounce is brought to rest by the impact itself.
    if (!approaches || (!bounces && !collision.impact.velocity.empty())) return;
    Contacts::Impact dead =
        laws_.collide(collision.before, collision.closed, law_, collision.rests);
    if (!dead.status) return;
    dead.hit = collision.impact.hit;
    state.v = dead.velocity;
    // No event, and so no other account of it.
    if (collision.impact.velocity.empty()) account_.note_lost(dead);
    collision.impact = std::move(dead);
}

/// Contacts that are too slow to open come to rest. Bounces that were to follow by restitution take
/// the time of a geometric series. `thrown`: behind the impact, if there was one.
void Impacts::settle(const Collision& collision, const State& thrown, State& state) {
    const Contacts::Impact rest = laws_.settle(state, collision.closed, collision.rests);
    if (!rest.status) {
        state = thrown;
        return;
    }
    account_.note_lost(rest);
    const Contacts::Gaps from = laws_.gaps(collision.before), to = laws_.gaps(thrown);
    const double rounding = rounding_of_rates(state);
    Bounces low{laws_.restitution(collision.before), to.rate, {}};
    for (std::size_t r = 0; r < collision.rests.size(); ++r)
        low.rows.push_back(collision.rests[r] && from.rate[r] < -rounding &&
                           to.rate[r] > rounding && low.restitution[r] > 0.0 &&
                           low.restitution[r] < 1.0);
    state.v = rest.velocity;
    if (any(low.rows)) note_settled(collision, low, state);
}

void Impacts::note_settled(const Collision& collision, const Bounces& low, const State& state) {
    std::vector<bool> others = collision.rests;
    for (std::size_t r = 0; r < others.size(); ++r)
        if (low.rows[r]) others[r] = false;
    const Contacts::Decision decision = laws_.decide(state, others);
    if (!decision.status) return;
    const std::vector<double> pull = laws_.gap_accelerations(state, decision.solution.x, low.rows);
    for (std::size_t r = 0; r < low.rows.size(); ++r) {
        if (!low.rows[r] || !(pull[r] < 0.0)) continue;
        settled_[r] = true;
        const double rate = low.rate[r];
        // What hardly pulls it back does not bring it back either: it was brought to rest by the
        // others, now.
        const bool comes_back = rate * rate <= -2.0 * pull[r] * lowest_bounce(state);
        const double later =
            comes_back ? 2.0 * rate / (-pull[r] * (1.0 - low.restitution[r])) : 0.0;
        account_.note(collision.time.after(later), EventKind::settled,
                      details_.constraint_names[r]);
    }
}

/// A speed at which a contact that opens would come back from less than the tolerance can tell:
/// below it contacts neither bounce nor open. Contacts throw each other up again and again, also
/// without restitution; this is where that ends.
double Impacts::slow(const State& state, const std::vector<bool>& closed) {
    const double rounding = rounding_of_rates(state);
    const std::vector<bool> none(closed.size(), false);
    const Contacts::Decision free = laws_.decide(state, none);
    if (!free.status) return rounding;
    double pull = 0.0;
    for (const double a : laws_.gap_accelerations(state, free.solution.x, closed))
        pull = std::max(pull, std::abs(a));
    return std::max(rounding, std::sqrt(2.0 * lowest_bounce(state) * pull));
}

/// Below this height a bounce is none: a hundredth of what a step may err by, or what rounding
/// leaves of positions.
double Impacts::lowest_bounce(const State& state) const {
    return std::max(1e-2 * tolerance_, 1e-11) * Contacts::position_scale(state);
}

bool Impacts::bring_to_rest(State& state, const std::vector<bool>& closed) {
    if (details_.system.frictions.empty()) return false;
    std::vector<bool> position = closed;
    for (std::size_t r = 0; r < closed.size(); ++r) position[r] = is_closed_position(closed, r);
    Contacts::Impact rest = laws_.rest(state, position, slow(state, closed));
    if (!rest.status) return false;
    account_.note_lost(rest);
    state.v = std::move(rest.velocity);
    return true;
}

void Impacts::bring_to_rest(State& state, std::vector<bool> closed, std::vector<bool> frictions,
                            const ContactModes& modes) {
    const Contacts::Gaps gaps = laws_.gaps(state);
    const double rounding = rounding_of_rates(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        closed[r] = closed[r] && std::abs(gaps.rate[r]) <= rounding;
    for (std::size_t f = 0; f < frictions.size(); ++f)
        frictions[f] = frictions[f] || modes.friction_states[f] == FrictionState::sticks;
    Contacts::Impact impact = laws_.rest(state, closed, frictions);
    if (impact.status) state.v = std::move(impact.velocity);
}

Status Impacts::wedged(const State& state) {
    const Contacts::Gaps gaps = laws_.gaps(state);
    std::vector<bool> near(details_.system.row_count(), false);
    // 1e-6 of the positions: contacts that will close together for all that a step can tell.
    for (std::size_t r = 0; r < near.size(); ++r)
        near[r] = side_of(details_.model.constraints[r]) != 0 &&
                  gaps.gap[r] <= 1e-6 * Contacts::position_scale(state);
    return laws_.collide(state, near, Contacts::Law::simultaneous).status;
}

}  // namespace lacon::hybrid
