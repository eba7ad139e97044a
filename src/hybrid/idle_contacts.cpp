// The gap of an idle contact grows from zero with some power of time: its end is seen late, and its
// begin is found from the acceleration.
#include "hybrid/idle_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "locate/bisection.hpp"

namespace lacon::inline hybrid {

void IdleContacts::begin(double t) {
    piece_begin_ = t;
    is_new_piece_ = false;
    leaving_.clear();
}

void IdleContacts::recall(double piece_begin, std::vector<LeftContact> leaving) {
    is_new_piece_ = false;
    piece_begin_ = piece_begin;
    leaving_ = std::move(leaving);
}

/// A contact that rests without being needed is open as soon as its gap is more than rounding, also
/// if it closes again within the step. It has been left since the gap began to grow.
void IdleContacts::note(const Path& path, const Clock& begin, const State& end) {
    if (is_new_piece_) piece_begin_ = begin.now();
    is_new_piece_ = false;
    left_.clear();
    if (std::find(modes_.contact_states.begin(), modes_.contact_states.end(), ContactState::idle) ==
        modes_.contact_states.end())
        return;
    const Contacts::Gaps gaps = laws_.gaps(end);
    const std::vector<double> scales = laws_.gap_scales(end);
    const std::vector<double> widest = widest_gaps(path, begin, gaps.gap);
    constexpr double rounding = 4e-16;  // of a rate: below it there is no need to look further
    const double speed = Contacts::velocity_scale(end) / Contacts::position_scale(end);
    for (std::size_t r = 0; r < modes_.contact_states.size(); ++r) {
        if (modes_.contact_states[r] != ContactState::idle ||
            side_of(whole_.model.constraints[r]) == 0)
            continue;
        const bool is_left = widest[r] > Contacts::gap_tol * scales[r];
        const bool grows = gaps.rate[r] > rounding * scales[r] * speed;
        const auto same = [&](const LeftContact& one) { return one.row == r; };
        auto one = std::find_if(leaving_.begin(), leaving_.end(), same);
        if (one == leaving_.end() && (grows || is_left)) {
            if (const std::optional<double> since = onset(r, path, begin))
                one = leaving_.insert(one, {r, *since});
        } else if (one != leaving_.end() && !grows && !is_left) one = leaving_.erase(one);
        if (!is_left) continue;
        modes_.contact_states[r] = ContactState::open;
        left_.push_back({r, one != leaving_.end() && one->row == r ? one->t : begin.now()});
        std::erase_if(leaving_, same);
    }
}

/// The widest gaps of the path. A gap that comes back to zero ends it, so that some places do.
std::vector<double> IdleContacts::widest_gaps(const Path& path, const Clock& begin,
                                              std::vector<double> at_end) {
    State state;
    for (const double part : {0.25, 0.5, 0.75}) {
        path.at(part * path.length, state);
        state.t = begin.after(part * path.length).now();
        const std::vector<double> gap = laws_.gaps(state).gap;
        for (std::size_t r = 0; r < gap.size(); ++r) at_end[r] = std::max(at_end[r], gap[r]);
    }
    return at_end;
}

double IdleContacts::gap_acceleration(const State& state, std::size_t row) {
    std::vector<bool> only(modes_.contact_states.size(), false);
    only[row] = true;
    return forces_.solve(state) ? laws_.gap_accelerations(state, forces_.acceleration(), only)[row]
                                : NAN;
}

/// Since when a gap grows; none while its acceleration is rounding all over the step.
std::optional<double> IdleContacts::onset(std::size_t row, const Path& path, const Clock& begin) {
    // Acceleration of a gap: 1e-16 for each term of the equations, and room.
    constexpr double slight = 1e-12;
    State state;
    const auto acceleration = [&](double tau) {
        path.at(tau, state);
        state.t = begin.after(tau).now();
        return gap_acceleration(state, row);
    };
    return grown_since({acceleration, slight, path.length, begin, piece_begin_});
}

/// A power of time is told by two places behind the end of rounding.
std::optional<double> grown_since(const Growth& growth) {
    const auto is_more = [&](double tau) { return growth.value(tau) > growth.slight; };
    // The first place where it is more than rounding: within a long step it may come back to zero.
    constexpr double finest = 1e-15;  // of the step: the rounding of its time
    double low = 0.0, high = finest * growth.length;
    while (!is_more(high) && high < growth.length) {
        low = high;
        high = std::min(2.0 * high, growth.length);
    }
    if (!is_more(high)) return {};
    if (low == 0.0) high = 0.0;
    // To 1e-6 of itself: more than the time of such an event is known to.
    high = bisect({low, high}, is_more, [](const Bracket& b) {
               return b.behind - b.before > 1e-6 * b.behind;
           }).behind;
    // A power p of the time since then: p = d log(value)/d log(time).
    constexpr double part = 0.1, most = 10.0;  // what grows to rounding like exp(a t) has more
    const double since = growth.begin.now() - growth.since, time = since + high;
    if (!(time > 0.0)) return growth.since;
    const double before = std::max(high - part * time, 0.0);
    const double other =
        high - before > 0.1 * part * time ? before : std::min(high + part * time, growth.length);
    const double power =
        std::log(growth.value(other) / growth.value(high)) / std::log((since + other) / time);
    return power <= most ? growth.since : growth.begin.after(high).now();
}

}  // namespace lacon::hybrid
