// Borders of a mode that are only touched, and several that are reached at one moment. Both are
// judged by the mode itself, continued a moment beyond the border.
#include <algorithm>
#include <cmath>

#include "hybrid/contact_change.hpp"

namespace lacon::inline hybrid {

/// The state a moment later, if the mode went on.
State ContactMonitor::ahead(const State& from, double by) {
    return followed(from, by, [this](const State& state) -> const std::vector<double>& {
        forces_.solve(state);
        return forces_.acceleration();
    });
}

/// Whether something watched that has come to zero at a state goes below it by no more than it is
/// known to, and then comes back: by a parabola through three places. Where its bend is rounding it
/// tells nothing, and the places are taken farther apart.
bool ContactMonitor::only_touches(const State& state, std::size_t i, double time) {
    constexpr int most_rounds = 8;
    constexpr double farther = 4.0, clear = 64.0;  // times the rounding of three places
    for (int round = 0; round < most_rounds; ++round, time *= farther) {
        const Bend found = bend(state, i, time);
        if (found.is_far || std::abs(found.square) > clear * rounding(state, i))
            return found.comes_back();
    }
    return false;
}

ContactMonitor::Bend ContactMonitor::bend(const State& state, std::size_t i, double time) {
    const auto at = [&](const State& place) {
        return value(place, i) - allowances_.at(i, place.t);
    };
    Bend found{.known = known_to(state, i), .now = at(state)};
    // Most go on below zero, which a single place tells. 1e3: not critical.
    State place = state;
    place.t += 0.5 * time;
    for (std::size_t j = 0; j < place.v.size(); ++j) {
        place.q[j] += 0.5 * time * state.v[j];
        place.v[j] += 0.5 * time * forces_.acceleration()[j];
    }
    found.is_far = !(at(place) >= -1e3 * found.known);
    if (found.is_far) return found;
    const double half = at(ahead(state, 0.5 * time)), then = at(ahead(state, time));
    found.slope = 4.0 * half - 3.0 * found.now - then;
    found.square = 2.0 * (found.now - 2.0 * half + then);
    return found;
}

bool ContactMonitor::Bend::comes_back() const {
    if (is_far || !(square > 0.0)) return false;
    return (slope < 0.0 ? slope * slope / (4.0 * square) : 0.0) - now <= known;
}

bool ContactMonitor::is_full(std::size_t i, double margin) const {
    const double largest = std::max(account_.largest_force, forces_.largest());
    return watched_[i].what == Watching::cone && margin <= rounding_of_forces * largest;
}

/// The pull on what sticks may begin to exceed its cone with a high power of time, and is rounding
/// for a while.
void ContactMonitor::look_for_falls(const Path& path, const Clock& begin) {
    State state;
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        fell_since_[i] = NAN;
        if (!full_[i]) continue;
        const auto lacks = [&](double tau) {
            path.at(tau, state);
            state.t = begin.after(tau).now();
            return forces_.solve(state) ? -value_of(watched_[i], state, {}) : NAN;
        };
        const double slight =
            rounding_of_forces * std::max(account_.largest_force, forces_.largest());
        fell_since_[i] =
            grown_since({lacks, slight, path.length, begin, idle_.piece_begin(begin.now())})
                .value_or(NAN);
    }
}

/// Of forces, or of velocities.
double ContactMonitor::rounding(const State& state, std::size_t i) const {
    return watched_[i].what == Watching::speed
               ? last_place * Contacts::velocity_scale(state)
               : rounding_of_forces * std::max(account_.largest_force, forces_.largest());
}

/// What a force, the room in a cone, or a speed of sliding is known to, by the tolerance.
double ContactMonitor::known_to(const State& state, std::size_t i) {
    if (!forces_.solve(state)) return 0.0;
    if (watched_[i].what == Watching::speed) return speeds.onset * Contacts::velocity_scale(state);
    // Of the run: this one may be the only force.
    const double largest = std::max(account_.largest_force, forces_.largest());
    return speeds.onset * largest;
}

/// Whether a force of contact, the room in a cone or a speed of sliding has only touched zero, as
/// far as the tolerance can tell. In a plane a speed need not come to zero at all.
bool ContactChange::grazes(ContactMonitor& monitor, std::size_t i, const State& state) const {
    const ContactMonitor::Watched& one = monitor.watched(i);
    const bool in_plane =
        one.what == Watching::speed && details_.system.frictions[one.number].slip_count > 1;
    if (in_plane || one.what == Watching::gap || one.what == Watching::frame) return false;
    return monitor.only_touches(state, i, place_.moment());
}

/// Where several come to the border of their cones at one moment, one may keep another from
/// slipping: each holds by itself up to its cone, and the slip of one unloads the other. At the
/// moment itself all of them have neither speed nor acceleration, so the laws are asked a moment
/// later: what slips there begins to slip here.
void ContactChange::choose_onsets(ContactMonitor& monitor, const State& state, ModeEnd& end) {
    std::vector<std::size_t> border;
    for (std::size_t i = 0; i < monitor.count(); ++i)
        if (monitor.watched(i).what == Watching::cone &&
            monitor.value(state, i) <= monitor.known_to(state, i))
            border.push_back(monitor.watched(i).number);
    if (border.size() < 2) return;
    const auto is_among = [&](std::size_t friction) {
        return std::find(border.begin(), border.end(), friction) != border.end();
    };
    Contacts::Leaving others = end.leaving;
    std::erase_if(others.slips, [&](const auto& slip) { return is_among(slip.friction); });
    const Contacts::Decision later =
        laws_.decide(monitor.ahead(state, place_.moment()), end.closed, others);
    const auto slips_later = [&](std::size_t friction) {
        return later.modes.friction_states[friction] == FrictionState::slips;
    };
    if (!later.status || std::none_of(border.begin(), border.end(), slips_later)) return;
    std::erase_if(onsets_, is_among);
    end.leaving = std::move(others);
    for (const std::size_t friction : border) {
        if (!slips_later(friction)) continue;
        end.leaving.slips.push_back(Contacts::slip_of(later.modes, details_, friction));
        onsets_.push_back(friction);
    }
}

bool ContactChange::sticks_in_plane() const {
    const std::vector<FrictionState>& states = mode_.modes.friction_states;
    for (std::size_t f = 0; f < states.size(); ++f)
        if (states[f] == FrictionState::sticks && details_.system.frictions[f].slip_count > 1)
            return true;
    return false;
}

/// How accelerations change where something begins to slide without speed and acceleration, by
/// those of a moment later: there the laws tell all directions at once, also where the slips depend
/// on each other. Empty where they differ from what begins here.
std::vector<double> ContactChange::onset_rate(const State& arrived, const State& state,
                                              const ModeEnd& end,
                                              const std::vector<double>& acceleration) {
    if (!later_ || !slides_in_plane(false)) return {};
    const double rounding = Contacts::rate_tol * Contacts::velocity_scale(arrived);
    for (std::size_t i = 0; i < state.v.size(); ++i)
        if (std::abs(state.v[i] - arrived.v[i]) > rounding) return {};  // an impact
    Contacts::Leaving goes_on = end.leaving;
    std::erase_if(goes_on.slips, [&](const auto& slip) { return !mode_.moved[slip.friction]; });
    const Contacts::Decision later = laws_.decide(*later_, end.closed, goes_on);
    if (!later.status || later.modes.contact_states != mode_.modes.contact_states ||
        later.modes.friction_states != mode_.modes.friction_states)
        return {};
    std::vector<double> rate = later.solution.x;
    for (std::size_t i = 0; i < rate.size(); ++i)
        rate[i] = (rate[i] - acceleration[i]) / (later_->t - state.t);
    return rate;
}

/// From decisions a moment later, and as much later again, to the one now: directions and
/// accelerations in a straight line.
void ContactChange::go_back(Contacts::Decision& later, const Contacts::Decision& latest) const {
    if (!latest.status || latest.modes.friction_states != later.modes.friction_states) return;
    const auto back = [](double near, double far) { return near + (near - far); };
    for (std::size_t i = 0; i < later.solution.x.size(); ++i)
        later.solution.x[i] = back(later.solution.x[i], latest.solution.x[i]);
    for (std::size_t f = 0; f < later.modes.friction_states.size(); ++f) {
        const FrictionPart& part = details_.system.frictions[f];
        if (later.modes.friction_states[f] != FrictionState::slips || part.slip_count < 2) continue;
        const std::size_t first = part.direction - details_.model.parameters.size();
        const auto axis =
            later.modes.directions.begin() + static_cast<std::ptrdiff_t>(first + part.slip_count);
        const auto axis_then =
            latest.modes.directions.begin() + static_cast<std::ptrdiff_t>(first + part.slip_count);
        if (part.framed && !std::equal(axis, axis + 3, axis_then)) continue;  // other numbers
        double square = 0.0;
        for (std::size_t i = first; i < first + part.slip_count; ++i) {
            double& d = later.modes.directions[i];
            d = back(d, latest.modes.directions[i]);
            square += d * d;
        }
        for (std::size_t i = first; i < first + part.slip_count; ++i)
            later.modes.directions[i] /= std::sqrt(square);
    }
}

}  // namespace lacon::hybrid
