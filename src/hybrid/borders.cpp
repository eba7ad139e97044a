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
/// known to, and then comes back: by a parabola through three places.
bool ContactMonitor::only_touches(const State& state, std::size_t i, double time) {
    const auto at = [&](const State& place) {
        return value(place, i) - allowances_.at(i, place.t);
    };
    const double known = known_to(state, i), now = at(state);
    // Most go on below zero, which a single place tells. 1e3: not critical.
    State place = state;
    place.t += 0.5 * time;
    for (std::size_t j = 0; j < place.v.size(); ++j) {
        place.q[j] += 0.5 * time * state.v[j];
        place.v[j] += 0.5 * time * forces_.acceleration()[j];
    }
    if (!(at(place) >= -1e3 * known)) return false;
    const double half = at(ahead(state, 0.5 * time)), then = at(ahead(state, time));
    // now + slope s + bend s², s from 0 to 1
    const double bend = 2.0 * (now - 2.0 * half + then), slope = 4.0 * half - 3.0 * now - then;
    if (!(bend > 0.0)) return false;
    return (slope < 0.0 ? slope * slope / (4.0 * bend) : 0.0) - now <= known;
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

}  // namespace lacon::hybrid
