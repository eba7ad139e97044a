// Between two phases of a run: what the laws of contact and friction make of what has been seen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "motion/phased_run.hpp"

namespace lacon {

using What = ContactMonitor::Watched::What;

/// What the monitors have seen, in terms of contacts; then the laws say what comes next.
bool PhasedRun::change() {
    const std::vector<std::size_t> hit = phase_->hit();
    const Snapshot end = phase_->handover();
    State state = end.landed;
    changes_in_place_ = end.time.now() == last_change_ ? changes_in_place_ + 1 : 0;
    last_change_ = end.time.now();
    constexpr std::size_t most_changes = 100;
    if (changes_in_place_ > most_changes && wedged(state)) return false;
    if (changes_in_place_ > most_changes)
        return fail({Outcome::no_convergence,
                     fmt::format("the {} keep changing at t = {}",
                                 details_.has_contacts() ? "contacts" : "efforts at their limits and the requirements that bind",
                                 rounded(end.time.now(), 12)),
                     {}});
    if (control_monitor_ && std::any_of(hit.begin(), hit.end(), [&](std::size_t i) { return control_monitor_->is_hold(i); }))
        return fail(hold_lost(state));
    const Contacts::Gaps gaps = contacts_->gaps(state);
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    std::vector<bool> closed(modes_.touch.size(), false);
    for (std::size_t r = 0; r < closed.size(); ++r) {
        const bool near = gaps.gap[r] <= Contacts::gap_tol * length && gaps.rate[r] <= 1e3 * Contacts::rate_tol * speed;
        const bool meets = gaps.gap[r] <= 1e-3 * Contacts::gap_tol * length && gaps.rate[r] < 0.0;
        closed[r] = side_of(details_.model.constraints[r]) != 0 &&
                    (modes_.touch[r] == Touch::working || (modes_.touch[r] == Touch::idle && near) || meets);
    }
    Contacts::Leaving leaving;
    for (const std::size_t i : hit) {
        if (i >= monitor_->count()) continue;  // of controls, or the verdict of the laws
        const ContactMonitor::Watched& one = monitor_->watched(i);
        if (one.what == What::gap) closed[one.number] = true;
        if (one.what == What::force) leaving.rows.push_back(one.number);
        if (one.what == What::cone) leaving.frictions.push_back(one.number);
    }
    return decide(state, end.time, std::move(closed), leaving) && enter(end, state);
}

/// Whether contacts that are all but closed leave no way to move.
bool PhasedRun::wedged(const State& state) {
    const Contacts::Gaps gaps = contacts_->gaps(state);
    std::vector<bool> near(modes_.touch.size(), false);
    for (std::size_t r = 0; r < near.size(); ++r)
        near[r] = side_of(details_.model.constraints[r]) != 0 && gaps.gap[r] <= 1e-6 * Contacts::position_scale(state);
    Contacts::Impact impact = contacts_->collide(state, near, Contacts::Law::simultaneous);
    if (impact.status) return false;
    status_ = std::move(impact.status);
    return true;
}

bool PhasedRun::enter(Snapshot snapshot, const State& state) {
    snapshot.landed = state;
    snapshot.landed.t = snapshot.time.now();
    if (details_.has_controls() && !steer(snapshot.landed, snapshot.time)) return false;
    snapshot.summary.events.insert(snapshot.summary.events.end(), events_.begin(), events_.end());
    events_.clear();
    make_phase_run();
    const bool entered = phase_->enter(snapshot, first_step_);
    const MotionSummary summary = phase_->summary();
    const auto known = [&](const auto& method) { return method.first == summary.method; };
    if (std::none_of(account_.methods.begin(), account_.methods.end(), known))
        account_.methods.emplace_back(summary.method, summary.why);
    if (account_.method == "auto" && phase_->is_without_loads()) account_.method = summary.method;
    return entered;
}

void PhasedRun::note(const Clock& time, const char* kind, const std::string& name) {
    MotionEvent event{time.now(), kind, name};
    event.constraints = {name};
    events_.push_back(std::move(event));
}

/// Impacts where closed contacts approach; then accelerations, and what they leave closed, sticking or sliding.
bool PhasedRun::decide(State& state, const Clock& time, std::vector<bool> closed, const Contacts::Leaving& leaving) {
    settled_.assign(closed.size(), false);
    if (!collide(state, time, closed)) return false;
    const ContactModes before = modes_;
    Contacts::Decision decision = contacts_->decide(state, closed, leaving);
    if (!decision.status) return fail(decision.status);
    modes_ = std::move(decision.modes);
    unique_ = decision.solution.forces_unique;
    account_.forces_unique = account_.forces_unique && unique_;
    note_changes(before, time);
    first_step_ = first_step(state, decision.solution.x);
    return true;
}

/// A speed at which a contact that opens would come back from less than the tolerance can tell: below it contacts neither bounce
/// nor open. Contacts throw each other up again and again, also without restitution; this is where that ends.
double PhasedRun::slow(const State& state, const std::vector<bool>& closed) {
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(state);
    const std::vector<bool> none(closed.size(), false);
    const Contacts::Decision free = contacts_->decide(state, none);
    if (!free.status) return rounding;
    double pull = 0.0;
    for (const double a : contacts_->gap_accelerations(state, free.solution.x, closed)) pull = std::max(pull, std::abs(a));
    const double lowest = std::max(1e-2 * plan_.tolerance, 1e-11) * Contacts::position_scale(state);
    return std::max(rounding, std::sqrt(2.0 * lowest * pull));
}

bool PhasedRun::collide(State& state, const Clock& time, std::vector<bool>& closed) {
    if (std::find(closed.begin(), closed.end(), true) == closed.end()) return true;
    const State before = state;
    const double slow = this->slow(state, closed);
    const auto of_position = [&](std::size_t r) { return closed[r] && details_.system.levels[r] == Level::position; };
    Contacts::Gaps gaps = contacts_->gaps(state);
    bool hits = false;
    for (std::size_t r = 0; r < closed.size(); ++r) hits = hits || (of_position(r) && gaps.rate[r] < -slow);
    if (hits) {
        const Contacts::Impact impact = contacts_->collide(before, closed, law_);
        if (!impact.status) return fail(impact.status);
        state.v = impact.velocity;
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
        gaps = contacts_->gaps(state);
    }
    std::vector<bool> rests(closed.size(), false);
    bool moves = false;
    for (std::size_t r = 0; r < closed.size(); ++r) {
        rests[r] = of_position(r) && std::abs(gaps.rate[r]) <= slow;
        moves = moves || (rests[r] && gaps.rate[r] != 0.0);
    }
    if (moves) settle(before, state, time, closed, rests);
    gaps = contacts_->gaps(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (of_position(r) && gaps.rate[r] > slow) closed[r] = false;
    if (!hits && !moves) return true;
    // What was about to open may have been brought to rest by the others.
    const std::vector<bool> resting = contacts_->closed_at(state);
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(state);
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (resting[r] && details_.system.levels[r] == Level::position && gaps.rate[r] >= -rounding) closed[r] = true;
    return true;
}

/// Contacts that are too slow to open come to rest. Bounces that were to follow by restitution take the time of a geometric
/// series.
void PhasedRun::settle(const State& before, State& state, const Clock& time, const std::vector<bool>& closed,
                       const std::vector<bool>& rests) {
    const Contacts::Gaps from = contacts_->gaps(before), to = contacts_->gaps(state);
    const Contacts::Impact rest = contacts_->settle(state, closed, rests);
    if (!rest.status) return;
    for (const auto& [name, energy] : rest.lost) account_.lost[name] += energy;
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(state);
    const std::vector<double> restitution = contacts_->restitution(before);
    std::vector<bool> bounces(closed.size(), false), others = rests;
    for (std::size_t r = 0; r < closed.size(); ++r) {
        bounces[r] =
            rests[r] && from.rate[r] < -rounding && to.rate[r] > rounding && restitution[r] > 0.0 && restitution[r] < 1.0;
        if (bounces[r]) others[r] = false;
    }
    state.v = rest.velocity;
    if (std::find(bounces.begin(), bounces.end(), true) == bounces.end()) return;
    const Contacts::Decision decision = contacts_->decide(state, others);
    if (!decision.status) return;
    const std::vector<double> pull = contacts_->gap_accelerations(state, decision.solution.x, bounces);
    for (std::size_t r = 0; r < closed.size(); ++r) {
        if (!bounces[r] || !(pull[r] < 0.0)) continue;
        settled_[r] = true;
        note(time.after(2.0 * to.rate[r] / (-pull[r] * (1.0 - restitution[r]))), "settled", details_.constraint_names[r]);
    }
}

/// Whether a friction slides the other way than before.
bool PhasedRun::turns(const ContactModes& before, std::size_t friction) const {
    const FrictionPart& part = details_.system.frictions[friction];
    const std::size_t first = part.direction - details_.model.parameters.size();
    double along = 0.0;
    for (std::size_t i = first; i < first + part.slip_count; ++i) along += before.directions[i] * modes_.directions[i];
    return along < 0.0;
}

void PhasedRun::note_changes(const ContactModes& before, const Clock& time) {
    for (std::size_t r = 0; r < modes_.touch.size(); ++r) {
        if (side_of(details_.model.constraints[r]) == 0) continue;
        const bool was = before.touch[r] != Touch::open, is = modes_.touch[r] != Touch::open;
        if (is && !was && !settled_[r]) note(time, "contact", details_.constraint_names[r]);
        const bool rests = modes_.touch[r] == Touch::idle && before.touch[r] == Touch::working;
        if (was && !is && !rests) note(time, "release", details_.constraint_names[r]);
    }
    for (std::size_t f = 0; f < modes_.grip.size(); ++f) {
        const Grip was = before.grip[f], is = modes_.grip[f];
        const std::string& name = details_.system.frictions[f].name;
        if (is == Grip::sticks && was != Grip::sticks) note(time, "stick", name);
        if (is == Grip::slips && (was == Grip::sticks || (was == Grip::slips && turns(before, f)))) note(time, "slip", name);
    }
}

/// A contact that opens slowly may close soon: the first step is not to go far beyond.
double PhasedRun::first_step(const State& state, const std::vector<double>& acceleration) {
    const Contacts::Gaps gaps = contacts_->gaps(state);
    std::vector<bool> opens(modes_.touch.size(), false);
    for (std::size_t r = 0; r < opens.size(); ++r)
        opens[r] = modes_.touch[r] == Touch::open && details_.system.levels[r] == Level::position &&
                   side_of(details_.model.constraints[r]) != 0 && gaps.rate[r] > 0.0 &&
                   gaps.gap[r] <= Contacts::gap_tol * Contacts::position_scale(state);
    double limit = INFINITY;
    if (std::find(opens.begin(), opens.end(), true) == opens.end()) return limit;
    const std::vector<double> pull = contacts_->gap_accelerations(state, acceleration, opens);
    for (std::size_t r = 0; r < opens.size(); ++r)
        if (opens[r] && pull[r] < 0.0) limit = std::min(limit, 4.0 * gaps.rate[r] / -pull[r]);
    return limit;
}

}  // namespace lacon
