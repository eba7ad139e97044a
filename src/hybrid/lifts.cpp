// Contacts that the efforts of controls begin to lift with a high power of time. What they ask for
// is then less than rounding for a while, and no solve can tell it from nothing. So the mode is
// followed until the laws open a contact. The second derivative of the gap, as the efforts would
// have it with the contact open, has no threshold: its values before tell since when it has grown.
// The other way round, efforts may set something down without any speed.
#include <algorithm>
#include <cmath>

#include "contact/vectors.hpp"
#include "hybrid/contact_change.hpp"
#include "methods/projection.hpp"

namespace lacon::inline hybrid {

namespace {

/// The sign of what is missed of each requirement; none where there is no solve.
std::vector<int> missed_sides(const DenseField& field) {
    std::vector<int> sides;
    if (!field.controller->solution()) return sides;
    for (const double missed : field.controller->solution()->missed)
        sides.push_back(missed > 0.0 ? 1 : missed < 0.0 ? -1 : 0);
    return sides;
}

std::vector<std::size_t> opened(const ContactModes& from, const ContactModes& to) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < from.contact_states.size(); ++r)
        if (from.contact_states[r] == ContactState::working &&
            to.contact_states[r] == ContactState::open)
            rows.push_back(r);
    return rows;
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
    std::vector<int> sides(const State& state) {
        acceleration(state);
        return missed_sides(field_);
    }

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

/// The accelerations of gaps along a mode, as the efforts would have them with these contacts open.
class OpenGaps {
public:
    OpenGaps(Contacts& laws, ModeAhead& ahead, const State& begin, const ModeEnd& end,
             const std::vector<std::size_t>& rows)
        : laws_(laws),
          ahead_(ahead),
          begin_(begin),
          end_(end),
          tried_(end.closed),
          of_(end.closed.size(), false),
          rows_(rows) {
        for (const std::size_t r : rows) {
            tried_[r] = false;
            of_[r] = true;
        }
    }
    bool grow_from_zero(double time);

private:
    double least(double time);

    Contacts& laws_;
    ModeAhead& ahead_;
    const State& begin_;
    const ModeEnd& end_;
    std::vector<bool> tried_, of_;
    const std::vector<std::size_t>& rows_;
    double rounding_ = 0.0;  // what `least` is known to
};

/// Of the gap that is least accelerated; −∞ where there is none.
double OpenGaps::least(double time) {
    const State at = ahead_.after(begin_, time);
    const Contacts::Decision open = laws_.decide(at, tried_, end_.leaving);
    if (!ahead_.is_known() || !open.status) return -INFINITY;
    // Some thousand roundings of the solve.
    rounding_ = 1e-12 * std::max(1.0, largest(open.solution.x));
    const std::vector<double> gaps = laws_.gap_accelerations(at, open.solution.x, of_);
    double least = INFINITY;
    for (const std::size_t r : rows_) least = std::min(least, gaps[r]);
    return least;
}

/// Whether they have grown with a power of time from the begin of the mode up to this time. What
/// begins later has a sharper fall back to zero, and what comes from below zero is below it there.
bool OpenGaps::grow_from_zero(double time) {
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

/// Contacts that efforts lift off from here on are open here. Behind those that open first others
/// may open.
Contacts::Decision ContactChange::lift(const State& state, const ModeEnd& end,
                                       Contacts::Decision decision) {
    ModeEnd lifted = end;
    for (std::size_t round = 0; round < end.closed.size(); ++round) {
        const std::vector<std::size_t> rows = lifts(state, lifted, decision.modes);
        if (rows.empty()) break;
        lifted.leaving.rows.insert(lifted.leaving.rows.end(), rows.begin(), rows.end());
        Contacts::Decision next = laws_.decide(state, end.closed, lifted.leaving);
        if (!next.status) break;
        decision = std::move(next);
    }
    return decision;
}

/// Rows of contacts that modes keep closed, and that are lifted off from their begin on.
std::vector<std::size_t> ContactChange::lifts(const State& state, const ModeEnd& end,
                                              const ContactModes& modes) {
    const double span = std::max(1.0, plan_.end - plan_.begin);
    ModeAhead ahead(details_, modes, place_.behind(state), field_options(plan_));
    if (!ahead.may_give()) return {};
    const std::vector<int> at_begin = ahead.sides(state);
    // Of the run: from far below any time of the motion to what a power of time may describe of it.
    // None is critical: a contact that opens earlier is looked for by halving, one that opens later
    // opens where the efforts ask for it.
    constexpr double first = 1e-6, last = 0.1, longer = 4.0;
    State later = state;
    for (double time = first * span, done = 0.0; time <= last * span; done = time, time *= longer) {
        later = ahead.after(later, time - done);
        if (!ahead.is_known()) return {};
        if (ahead.sides(later) == at_begin) continue;
        const Contacts::Decision then = laws_.decide(later, end.closed, end.leaving);
        if (!then.status) return {};
        std::vector<std::size_t> rows = opened(modes, then.modes);
        if (rows.empty() || !OpenGaps(laws_, ahead, state, end, rows).grow_from_zero(time))
            return {};
        return rows;
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
