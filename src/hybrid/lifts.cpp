// Contacts that the efforts of controls begin to lift with a high power of time, and what they
// begin to move that sticks. What they ask for is then less than rounding for a while, and no solve
// can tell it from nothing. So the mode is followed until the laws let something go. Its
// acceleration, as the efforts would have it then, has no threshold: its values before tell since
// when it has grown. The other way round, efforts may set something down without any speed.
#include <algorithm>
#include <cmath>

#include "contact/vectors.hpp"
#include "hybrid/contact_change.hpp"
#include "locate/bisection.hpp"
#include "methods/projection.hpp"

namespace lacon::inline hybrid {

namespace {

/// What a mode makes of the requirements.
struct Met {
    std::vector<int> sides;  // the sign of what is missed of each; none where there is no solve
    double cost = 0.0;
};

Met met_in(const DenseField& field) {
    Met met;
    const ControlSolution* solution = field.controller->solution();
    if (!solution) return met;
    for (const double missed : solution->missed)
        met.sides.push_back(missed > 0.0 ? 1 : missed < 0.0 ? -1 : 0);
    met.cost = solution->cost;
    return met;
}

using Leaving = Contacts::Leaving;

bool is_nothing(const Leaving& gone) {
    return gone.rows.empty() && gone.slips.empty();
}

/// What one set of modes holds and another lets go.
Leaving let_go(const ContactModes& from, const ContactModes& to, const DerivedModel& whole) {
    Leaving found;
    for (std::size_t r = 0; r < from.contact_states.size(); ++r)
        if (from.contact_states[r] == ContactState::working &&
            to.contact_states[r] == ContactState::open)
            found.rows.push_back(r);
    for (std::size_t f = 0; f < from.friction_states.size(); ++f)
        if (from.friction_states[f] == FrictionState::sticks &&
            to.friction_states[f] == FrictionState::slips) {
            found.slips.push_back(Contacts::slip_of(to, whole, f));
            found.slips.back().without_acceleration = true;
        }
    return found;
}

Leaving with(Leaving leaving, const Leaving& more) {
    leaving.rows.insert(leaving.rows.end(), more.rows.begin(), more.rows.end());
    leaving.slips.insert(leaving.slips.end(), more.slips.begin(), more.slips.end());
    return leaving;
}

/// The motion of a mode from a state on, if it lasted. All that is passed in must outlive it.
class ModeAhead {
public:
    /// `behind`: whose decisions it keeps.
    ModeAhead(const DerivedModel& whole, const ContactModes& modes, const State& behind,
              const FieldOptions& options)
        : model_(make_mode_model(whole, modes)),
          field_(*model_, options),
          projector_(field_, true),
          acceleration_(field_.n()),
          multipliers_(field_.m()) {
        field_.assembler.settle(behind);
    }

    bool may_give() const { return field_.controller->contacts_give(); }
    /// False once something could not be evaluated.
    bool is_known() const { return is_known_; }
    /// Brought back to the contacts: to gains a gap is something to lift for.
    State after(const State& from, double time) {
        State state = followed(
            from, time, [this](const State& at) -> const auto& { return acceleration(at); });
        is_known_ = is_known_ && projector_.project(state) == Outcome::ok;
        return state;
    }
    Met met(const State& state) {
        acceleration(state);
        return met_in(field_);
    }
    std::optional<Bracket> jump_of_cost(const State& from, double length);

private:
    const std::vector<double>& acceleration(const State& state) {
        is_known_ = field_.solve(state, acceleration_, multipliers_) && is_known_;
        return acceleration_;
    }

    std::unique_ptr<DerivedModel> model_;
    DenseField field_;
    DenseProjector projector_;
    std::vector<double> acceleration_, multipliers_;
    bool is_known_ = true;
};

constexpr double jump = 4.0;  // by which a cost grows: not critical, what jumps does so by far

/// Where the cost jumps within a time from a state on: just before and just behind it. None where
/// it grows by and by.
std::optional<Bracket> ModeAhead::jump_of_cost(const State& from, double length) {
    const double least = met(from).cost;
    const auto is_behind = [&](double time) { return met(after(from, time)).cost > jump * least; };
    if (!is_behind(length)) return {};
    const Bracket found = bisect({0.0, length}, is_behind, [&](const Bracket& b) {
        return b.behind - b.before > 1e-3 * length;  // not critical: it only is to be short
    });
    const double before = met(after(from, found.before)).cost;
    if (!(met(after(from, found.behind)).cost > jump * before)) return {};
    return found;
}

/// The accelerations of what is let go along a mode, as the efforts would have them then.
class Departures {
public:
    Departures(Contacts& laws, ModeAhead& ahead, const State& begin, const ModeEnd& end,
               const Leaving& gone)
        : laws_(laws),
          ahead_(ahead),
          begin_(begin),
          closed_(end.closed),
          leaving_(with({{}, end.leaving.slips}, gone)),
          of_(end.closed.size(), false),
          gone_(gone) {
        for (const std::size_t r : end.leaving.rows) closed_[r] = false;
        for (const std::size_t r : gone.rows) {
            closed_[r] = false;
            of_[r] = true;
        }
        leaving_.rows.clear();  // they are open
    }
    bool grow_from_zero(double time);

private:
    double least(double time);

    Contacts& laws_;
    ModeAhead& ahead_;
    const State& begin_;
    std::vector<bool> closed_;
    Leaving leaving_;
    std::vector<bool> of_;
    const Leaving& gone_;
    double rounding_ = 0.0;  // what `least` is known to
};

/// Of what is least accelerated; −∞ where there is none.
double Departures::least(double time) {
    const State at = ahead_.after(begin_, time);
    const Contacts::Decision then = laws_.decide(at, closed_, leaving_);
    if (!ahead_.is_known() || !then.status) return -INFINITY;
    // Some thousand roundings of the solve.
    rounding_ = 1e-12 * std::max(1.0, largest(then.solution.x));
    const std::vector<double> gaps = laws_.gap_accelerations(at, then.solution.x, of_);
    const auto slips = laws_.slip_accelerations(at, then.solution.x, closed_);
    double least = INFINITY;
    for (const std::size_t r : gone_.rows) least = std::min(least, gaps[r]);
    for (const Leaving::Slip& slip : gone_.slips)
        if (!slips[slip.friction].empty())
            least = std::min(least, dot(slips[slip.friction], slip.direction));
    return least;
}

/// Whether they have grown with a power of time from the begin of the mode up to this time. What
/// begins later has a sharper fall back to zero, and what comes from below zero is below it there.
bool Departures::grow_from_zero(double time) {
    constexpr double part = 0.8;  // by which the power is told
    const double now = least(time), before = least(part * time);
    if (!(now > 0.0) || !(before > 0.0)) return false;
    const double power = std::max(0.0, std::log(before / now) / std::log(part));
    // A power of time does not fall faster than the next power; 0.1: not critical.
    for (double fall = 1.0;; fall *= 0.5) {
        const double expected = 0.1 * now * std::pow(fall, power + 1.0);
        if (expected < rounding_) return true;
        if (!(least(fall * time) >= expected)) return false;
    }
}

}  // namespace

/// Contacts that efforts lift off from here on are open here, and what they begin to move slips.
/// Behind those that go first others may.
Contacts::Decision ContactChange::lift(const State& state, ModeEnd& end,
                                       Contacts::Decision decision) {
    const std::size_t most = end.closed.size() + mode_.modes.friction_states.size();
    for (std::size_t round = 0; round < most; ++round) {
        const Leaving gone = lifts(state, end, decision.modes);
        if (is_nothing(gone)) break;
        const Leaving all = with(end.leaving, gone);
        Contacts::Decision next = laws_.decide(state, end.closed, all);
        if (!next.status) break;
        for (const Leaving::Slip& slip : gone.slips) onsets_.push_back(slip.friction);
        end.leaving = all;
        decision = std::move(next);
    }
    return decision;
}

/// What modes hold, and the efforts let go from their begin on. It shows where something is missed.
/// Or it shows where the cost jumps: what slides on a rough contact can be braked by pressing it,
/// and so a lift that follows the way can be done without, at a cost without bound.
Contacts::Leaving ContactChange::lifts(const State& state, const ModeEnd& end,
                                       const ContactModes& modes) {
    const double span = std::max(1.0, plan_.end - plan_.begin);
    ModeAhead ahead(details_, modes, place_.behind(state), field_options(plan_));
    if (!ahead.may_give()) return {};
    const std::vector<int> at_begin = ahead.met(state).sides;
    const auto gone_at = [&](const State& at, double time) -> Leaving {
        const Contacts::Decision then = laws_.decide(at, end.closed, end.leaving);
        if (!then.status) return {};
        const Leaving gone = let_go(modes, then.modes, details_);
        const bool begins =
            !is_nothing(gone) && Departures(laws_, ahead, state, end, gone).grow_from_zero(time);
        return begins ? gone : Leaving{};
    };
    // Of the run: from far below any time of the motion to what a power of time may describe of it.
    // None is critical: what goes earlier is looked for by halving, what goes later does so where
    // the efforts ask for it.
    constexpr double first = 1e-6, last = 0.1, longer = 4.0;
    State here = state;
    for (double time = first * span, done = 0.0; time <= last * span; done = time, time *= longer) {
        if (const std::optional<Bracket> jump = ahead.jump_of_cost(here, time - done)) {
            // Before it the motion is still that of the mode.
            const State before = ahead.after(here, jump->before);
            const Leaving gone =
                gone_at(moved_on(before, jump->behind - jump->before), done + jump->before);
            if (!is_nothing(gone)) return gone;
        }
        here = ahead.after(here, time - done);
        if (!ahead.is_known()) return {};
        if (ahead.met(here).sides != at_begin) return gone_at(here, time);
    }
    return {};
}

/// At rest on them: to gains the error of a step is something to lift or to press for.
void ContactChange::set_down(State& state, ModeEnd& end) {
    const Contacts::Gaps gaps = laws_.gaps(state);
    // 1e3: where the error of a step has closed the contact just before, the efforts have begun to
    // make up for it.
    const double error = 10.0 * plan_.tolerance,
                 length = std::max(Contacts::gap_tol, error) * Contacts::position_scale(state),
                 speed =
                     std::max(1e3 * Contacts::rate_tol, error) * Contacts::velocity_scale(state);
    ContactModes modes = two_sided_rows(details_);
    bool are_more = false;
    for (std::size_t r = 0; r < end.closed.size(); ++r) {
        const bool is_near = side_of(details_.model.constraints[r]) != 0 && gaps.gap[r] <= length &&
                             std::abs(gaps.rate[r]) <= speed;
        are_more = are_more || (is_near && !end.closed[r]);
        if (is_near || end.closed[r]) modes.contact_states[r] = ContactState::working;
    }
    if (!are_more) return;
    const auto model = make_mode_model(details_, modes);
    DenseField field(*model, field_options(plan_));
    field.assembler.settle(place_.behind(state));
    State rests = state;
    if (DenseProjector(field, true).project(rests) != Outcome::ok) return;
    state = rests;
    for (std::size_t r = 0; r < end.closed.size(); ++r)
        end.closed[r] = end.closed[r] || (side_of(details_.model.constraints[r]) != 0 &&
                                          modes.contact_states[r] == ContactState::working);
}

}  // namespace lacon::hybrid
