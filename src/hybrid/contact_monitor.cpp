// Each watched quantity is positive while the mode lasts. One that begins at zero gets a small
// allowance for rounding, which ends when it has clearly risen.
#include "hybrid/contact_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "state/residual_size.hpp"

namespace lacon::inline hybrid {

ContactMonitor::ContactMonitor(const DerivedModel& mode_model, ContactModes& modes,
                               Contacts& contacts, const FieldOptions& options,
                               MotionSummary::Contact& account)
    : mode_model_(mode_model),
      modes_(modes),
      contacts_(contacts),
      account_(account),
      forces_(mode_model, options),
      slips_(mode_model, modes),
      idle_(*mode_model.whole, modes, contacts, forces_) {
    for (std::size_t r = 0; r < modes.contact_states.size(); ++r) {
        if (side_of(whole().model.constraints[r]) == 0) continue;
        const bool is_working = modes.contact_states[r] == ContactState::working;
        if (is_working && !mode_model.forces_unique) continue;
        watched_.push_back({is_working ? Watching::force : Watching::gap, r});
    }
    for (std::size_t f = 0; f < modes.friction_states.size(); ++f) {
        if (modes.friction_states[f] == FrictionState::none) continue;
        const bool sticks = modes.friction_states[f] == FrictionState::sticks;
        if (!sticks || mode_model.forces_unique)
            watched_.push_back(
                {sticks ? Watching::cone : Watching::speed, f, sticks ? bound_element(f) : -1});
        if (whole().system.frictions[f].framed) watched_.push_back({Watching::frame, f});
    }
    needs_.forces = watches(Watching::force, Watching::cone);
    needs_.gaps = watches(Watching::gap, Watching::gap);
    allowances_.reset(watched_.size());
}

bool ContactMonitor::watches(Watching one, Watching other) const {
    return std::any_of(watched_.begin(), watched_.end(), [&](const Watched& watched) {
        return watched.what == one || watched.what == other;
    });
}

/// Up to the place at which a decision turns, a bound is what it was before: there the laws decide
/// anew.
std::ptrdiff_t ContactMonitor::bound_element(std::size_t friction) const {
    const std::size_t others = whole().system.frictions.size() - whole().model.dry_frictions.size();
    if (!whole().system.frictions[friction].fixed) return -1;
    const auto& elements = mode_model_.system.elements;
    const auto is_bound = [&](const Element& element) {
        const Origin& origin = mode_model_.system.origins[element.origin];
        return element.row == Element::watched_only && origin.kind == Origin::Kind::dry_friction &&
               origin.number + others == friction;
    };
    const auto found = std::find_if(elements.begin(), elements.end(), is_bound);
    return found == elements.end() ? -1 : found - elements.begin();
}

/// A contact that rests without being needed keeps a gap that is below zero.
bool ContactMonitor::rests_idle(const Watched& one) const {
    return one.what == Watching::gap && modes_.contact_states[one.number] == ContactState::idle;
}

/// The contacts that are closed, needed or not.
std::vector<bool> ContactMonitor::closed() const {
    std::vector<bool> closed(modes_.contact_states.size(), false);
    for (std::size_t r = 0; r < closed.size(); ++r)
        closed[r] = modes_.contact_states[r] != ContactState::open &&
                    side_of(whole().model.constraints[r]) != 0;
    return closed;
}

std::string ContactMonitor::continuous(std::size_t i) const {
    return watched_[i].what == Watching::gap ? whole().constraint_names[watched_[i].number]
                                             : std::string();
}

// ---- before a mode and before a step

namespace {

bool contains(const std::vector<std::size_t>& list, std::size_t one) {
    return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

/// What begins at zero may begin below it, by rounding: a contact that opens, a slip that begins, a
/// force. A contact that rests without being needed keeps such a gap.
void ContactMonitor::begin(const State& state) {
    if (watched_.empty()) return;
    if (!slips_.is_settled()) settle_slips(state);
    last_speeds_.clear();
    idle_.begin(state.t);
    come_to_rest(state);
    allowances_.reset(watched_.size());
    std::vector<Rounded> now(watched_.size());
    values(state, now);
    const Contacts::Gaps gaps = contacts_.gaps(state);
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    const std::vector<double> scales =
        needs_.gaps ? contacts_.gap_scales(state) : std::vector<double>();
    // A gap that moves fast by itself is known no better than the time.
    constexpr double bounds = 8.0;  // first-order bounds on rounding, with some room
    Residuals errors;
    if (needs_.gaps) residual_rounding(whole(), state, errors);
    const double largest = forces_.largest();
    const auto is_grazing = [&](const Watched& one) {
        return std::any_of(grazing.begin(), grazing.end(),
                           [&](const Watched& other) { return one.is_same(other); });
    };
    // A mode of a single step ends where its force is rounding: what it was tells how large that
    // is.
    account_.largest_force = std::max(account_.largest_force, largest);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const Watched& one = watched_[i];
        const double lacks = std::max(0.0, -now[i].value);
        const bool is_gap = one.what == Watching::gap, rests = rests_idle(one);
        const bool by_rounding =
            is_gap ? lacks <= 1e-6 * length && gaps.rate[one.number] >= -Contacts::rate_tol * speed
            : one.what == Watching::speed ? lacks <= Contacts::rate_tol * speed
                                          : lacks <= 1e-9 * largest;
        if (is_grazing(one)) {
            allowances_.give(i, lacks + 2.0 * known_to(state, i));
            continue;
        }
        if (!rests && !by_rounding) continue;
        // What begins with the second or third power of time is rounding for a while.
        const bool begins = is_gap ? now[i].value <= Contacts::gap_tol * length &&
                                         gaps.rate[one.number] <= Contacts::rate_tol * speed
                                   : one.what == Watching::speed && contains(onsets, one.number);
        const double rounding =
            is_gap ? std::max(1e-13 * scales[one.number], bounds * errors.value[one.number])
                   : speeds.onset * speed;
        allowances_.give(i, rests || begins ? lacks + rounding : lacks);
    }
}

/// The box holds the step: a polynomial of the degree of a fit is nowhere larger than 3 times what
/// it is at its places.
void ContactMonitor::look(const Path& path, const Clock& begin) {
    std::vector<std::size_t> begins;  // slips
    for (std::size_t i = 0; i < watched_.size(); ++i)
        if (watched_[i].what == Watching::speed && allowances_.has(i)) begins.push_back(i);
    allowances_.look(path, begin, begins, [&](const State& state, std::size_t i) {
        if (i == begins.front()) slips_.take(state);
        return slips_.along(watched_[i].number);
    });
    Sight& sight = contacts_.sight();
    if (!sight.is_useful() || !needs_.gaps) return;
    constexpr double beyond = 4.0;
    State first, state;
    path.at(0.0, first);
    std::vector<double> reach(first.q.size(), 0.0);
    for (const double tau : ChebyshevFit::nodes(path.length)) {
        path.at(tau, state);
        for (std::size_t i = 0; i < reach.size(); ++i)
            reach[i] = std::max(reach[i], beyond * std::abs(state.q[i] - first.q[i]));
    }
    // 1e-9: room for what the projection moves.
    for (std::size_t i = 0; i < reach.size(); ++i)
        reach[i] += 1e-9 * std::max(1.0, std::abs(first.q[i]));
    sight.look(first, reach, begin.now(), begin.after(beyond * path.length).now());
}

// ---- values

double ContactMonitor::value_of(const Watched& one, const State& state,
                                const Contacts::Gaps& gaps) {
    switch (one.what) {
        case Watching::gap: return gaps.gap[one.number];
        case Watching::force:
            return side_of(whole().model.constraints[one.number]) *
                   forces_.multipliers()[one.number];
        case Watching::speed: return slips_.along(one.number);
        case Watching::frame:
            return contacts_.frame(one.number, state, modes_.directions) - Contacts::weak_frame;
        case Watching::cone: break;
    }
    const Contacts::Pull pull = contacts_.pull(one.number, state, forces_.multipliers());
    if (one.bound >= 0)
        return forces_.assembler().watched(static_cast<std::size_t>(one.bound), state) - pull.pull;
    return pull.at_rest * pull.load - pull.pull;
}

void ContactMonitor::values(const State& state, std::span<Rounded> out) {
    Contacts::Gaps gaps;
    if (needs_.gaps) gaps = contacts_.gaps(state);
    if (needs_.forces) forces_.solve(state);
    if (!slips_.is_empty()) slips_.take(state);
    const double largest = forces_.largest();
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const Watching what = watched_[i].what;
        const double size = what == Watching::gap     ? length
                            : what == Watching::speed ? speed
                                                      : 1e2 * largest;
        out[i] =
            Rounded(value_of(watched_[i], state, gaps) + allowances_.at(i, state.t), 1e-16 * size);
    }
}

double ContactMonitor::value(const State& state, std::size_t i) {
    const Watched& one = watched_[i];
    Contacts::Gaps gaps;
    if (one.what == Watching::gap) gaps = contacts_.gaps(state);
    if (one.what == Watching::force || one.what == Watching::cone) forces_.solve(state);
    if (one.what == Watching::speed) slips_.take(state);
    return value_of(one, state, gaps) + allowances_.at(i, state.t);
}

// ---- the verdict of the laws

/// Single forces are not unique, but what they add up to is: Aᵀ λ.
bool ContactMonitor::ground(const State& state, Ground& out) {
    if (mode_model_.forces_unique || !forces_.resultant(state, out.resultant)) return false;
    // With fixed bounds behind it: what both can be together is a convex cone.
    for (const double bound : contacts_.fixed_bounds(state)) out.resultant.push_back(bound);
    return contacts_.cone(state, closed(), out.cone);
}

/// What slips goes on, as it did where the mode began.
std::vector<Contacts::Leaving::Slip> ContactMonitor::slipping() const {
    std::vector<Contacts::Leaving::Slip> slips;
    for (std::size_t f = 0; f < modes_.friction_states.size(); ++f)
        if (modes_.friction_states[f] == FrictionState::slips)
            slips.push_back(Contacts::slip_of(modes_, whole(), f));
    return slips;
}

bool ContactMonitor::lasts(const State& state, std::span<const double> added) {
    if (mode_model_.forces_unique) return true;
    const std::vector<bool> closed = this->closed();
    const Contacts::Decision decision =
        contacts_.decide(state, closed, {{}, slipping(), true}, added);
    if (!decision.status) return false;
    if (added.empty()) verdict_ = decision.solution.certificate;
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (closed[r] && modes_.contact_states[r] == ContactState::working &&
            decision.modes.contact_states[r] == ContactState::open)
            return false;
    for (std::size_t f = 0; f < modes_.friction_states.size(); ++f)
        if (modes_.friction_states[f] == FrictionState::sticks &&
            decision.modes.friction_states[f] != FrictionState::sticks)
            return false;
    return true;
}

bool ContactMonitor::is_undercut(const State& state, const Contacts::Price& price) {
    std::vector<Contacts::Leaving::Slip> slips = slipping();
    for (Contacts::Leaving::Slip& slip : slips) slip.without_acceleration = true;
    return contacts_.is_undercut(state, closed(), slips, price);
}

// ---- sliding

std::vector<double> ContactMonitor::slip_direction(const State& state, std::size_t friction) {
    if (!forces_.solve(state)) return {};
    return contacts_.slip_direction(friction, forces_.multipliers());
}

std::vector<std::vector<double>> ContactMonitor::across_slips(const State& state) {
    if (slips_.is_empty() || !forces_.solve(state)) return {};
    return slips_.across(state, forces_.acceleration());
}

/// As sliding ends in a plane its direction turns ever faster: a step over the end would have an
/// error of what is left of the speed, so that steps get shorter with it and never come there.
std::vector<std::size_t> ContactMonitor::come_to_rest(const State& state) {
    std::vector<std::size_t> rested;
    last_speeds_.resize(modes_.friction_states.size(), 0.0);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const std::size_t f = watched_[i].number;
        if (watched_[i].what != Watching::speed || whole().system.frictions[f].slip_count < 2)
            continue;
        const double now = slip_speed(state, f);
        if (!allowances_.has(i) && now <= speeds.rest && now < last_speeds_[f]) rested.push_back(f);
        last_speeds_[f] = now;
    }
    return rested;
}

// ---- behind a step

void ContactMonitor::note(const Path& path, const Clock& begin, const State& end) {
    note_losses(path, begin);
    idle_.note(path, begin, end);
    certify(end);
    allowances_.spend(
        end, [this](const State& state, std::size_t i) { return value(state, i); },
        [this](std::size_t i) { return rests_idle(watched_[i]); });
}

void ContactMonitor::recall(const std::vector<double>& allowances, double piece_begin,
                            std::vector<LeftContact> leaving) {
    allowances_.recall(allowances);
    idle_.recall(piece_begin, std::move(leaving));
}

}  // namespace lacon::hybrid
