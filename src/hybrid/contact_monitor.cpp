// Each watched quantity is positive while the mode lasts. One that begins at zero gets a small
// allowance for rounding, which ends when it has clearly risen. Losses are integrated by Gauss's
// quadrature over every step.
#include "hybrid/contact_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/quadrature.hpp"
#include "state/nearest.hpp"

namespace lacon::inline hybrid {

ContactMonitor::ContactMonitor(const DerivedModel& mode_model, ContactModes& modes,
                               Contacts& contacts, const FieldOptions& options,
                               MotionSummary::Contact& account)
    : mode_model_(mode_model),
      modes_(modes),
      contacts_(contacts),
      account_(account),
      field_(mode_model, options),
      acceleration_(field_.n()),
      own_(field_.m()),
      multipliers_(mode_model.whole->system.row_count() +
                   mode_model.whole->system.slip_elements.size()) {
    const DerivedModel& whole = *mode_model.whole;
    ModeRows sliding;
    for (std::size_t r = 0; r < modes.contact_states.size(); ++r) {
        if (side_of(whole.model.constraints[r]) == 0) continue;
        if (modes.contact_states[r] == ContactState::working && !mode_model.forces_unique) continue;
        watched_.push_back(
            {modes.contact_states[r] == ContactState::working ? Watching::force : Watching::gap,
             r});
    }
    for (std::size_t f = 0; f < modes.friction_states.size(); ++f) {
        if (modes.friction_states[f] == FrictionState::none) continue;
        const FrictionPart& part = whole.system.frictions[f];
        const bool sticks = modes.friction_states[f] == FrictionState::sticks;
        if (!sticks || mode_model.forces_unique)
            watched_.push_back(
                {sticks ? Watching::cone : Watching::speed, f, sticks ? bound_element(f) : -1});
        if (part.framed) watched_.push_back({Watching::frame, f});
        if (modes.friction_states[f] == FrictionState::slips)
            for (std::size_t i = 0; i < part.slip_count; ++i)
                sliding.rows.push_back(whole.system.row_count() + part.slip + i);
    }
    for (const Watched& one : watched_) {
        needs_forces_ = needs_forces_ || one.what == Watching::force || one.what == Watching::cone;
        needs_gaps_ = needs_gaps_ || one.what == Watching::gap;
    }
    spare_.assign(watched_.size(), 0.0);
    loses_ = !mode_model.system.nonideal.empty();
    if (sliding.rows.empty()) return;
    slips_ = make_mode_model(whole, sliding);
    slips_->parameters = mode_model.parameters;
    const auto& elements = mode_model.system.elements;
    if (std::any_of(elements.begin(), elements.end(),
                    [](const Element& e) { return e.row == Element::watched_only; }))
        slip_smooth_ = std::make_unique<SmoothSystem>(smooth(slips_->system));
    slip_assembler_ =
        slip_smooth_
            ? std::make_unique<Assembler>(slips_->system, slips_->parameters, *slip_smooth_)
            : std::make_unique<Assembler>(slips_->system, slips_->parameters);
}

/// Up to the place at which a decision turns, a bound is what it was before: there the laws decide
/// anew.
std::ptrdiff_t ContactMonitor::bound_element(std::size_t friction) const {
    const DerivedModel& whole = *mode_model_.whole;
    const std::size_t others = whole.system.frictions.size() - whole.model.dry_frictions.size();
    if (!whole.system.frictions[friction].fixed) return -1;
    const auto& elements = mode_model_.system.elements;
    const auto is_bound = [&](const Element& element) {
        const Origin& origin = mode_model_.system.origins[element.origin];
        return element.row == Element::watched_only && origin.kind == Origin::Kind::dry_friction &&
               origin.number + others == friction;
    };
    const auto found = std::find_if(elements.begin(), elements.end(), is_bound);
    return found == elements.end() ? -1 : found - elements.begin();
}

void ContactMonitor::settle_slips(const State& place) {
    if (slip_smooth_) slip_assembler_->settle(place);
    slips_are_settled_ = true;
}

/// The box holds the step: a polynomial of the degree of a fit is nowhere larger than 3 times what
/// it is at its places.
void ContactMonitor::look(const Path& path, const Clock& begin) {
    spend_within(path, begin);
    Sight& sight = contacts_.sight();
    if (!sight.is_useful() || !needs_gaps_) return;
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

namespace {

bool contains(const std::vector<std::size_t>& list, std::size_t one) {
    return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

/// What begins at zero may begin below it, by rounding: a contact that opens, a slip that begins, a
/// force. A contact that rests without being needed keeps such a gap.
void ContactMonitor::begin(const State& state) {
    if (watched_.empty()) return;
    if (!slips_are_settled_) settle_slips(state);
    last_speeds_.clear();
    piece_begin_ = state.t;
    is_new_piece_ = false;
    leaving_.clear();
    come_to_rest(state);
    spare_.assign(watched_.size(), 0.0);
    spent_at_.clear();
    std::vector<Rounded> now(watched_.size());
    values(state, now);
    const Contacts::Gaps gaps = contacts_.gaps(state);
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    const std::vector<double> scales =
        needs_gaps_ ? contacts_.gap_scales(state) : std::vector<double>();
    // A gap that moves fast by itself is known no better than the time.
    constexpr double bounds = 8.0;  // first-order bounds on rounding, with some room
    Residuals errors;
    if (needs_gaps_) residual_rounding(*mode_model_.whole, state, errors);
    double largest = 0.0;
    for (const double x : multipliers_) largest = std::max(largest, std::abs(x));
    // A mode of a single step ends where its force is rounding: what it was tells how large that
    // is.
    account_.largest_force = std::max(account_.largest_force, largest);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const Watched& one = watched_[i];
        const double lacks = std::max(0.0, -now[i].value);
        const bool is_gap = one.what == Watching::gap;
        const bool rests = is_gap && modes_.contact_states[one.number] == ContactState::idle;
        // A gap that stands still to rate_tol, and forces, are known less well than gap_tol: 1e-6
        // of the model's length, 1e-9 of the largest force.
        const bool by_rounding =
            is_gap ? lacks <= 1e-6 * length && gaps.rate[one.number] >= -Contacts::rate_tol * speed
            : one.what == Watching::speed ? lacks <= Contacts::rate_tol * speed
                                          : lacks <= 1e-9 * largest;
        if (!rests && !by_rounding) continue;
        // What begins with the second or third power of time is rounding for a while.
        const bool begins = is_gap ? now[i].value <= Contacts::gap_tol * length &&
                                         gaps.rate[one.number] <= Contacts::rate_tol * speed
                                   : one.what == Watching::speed && contains(onsets, one.number);
        const double rounding =
            is_gap ? std::max(1e-13 * scales[one.number], bounds * errors.value[one.number])
                   : onset_speed * speed;
        spare_[i] = rests || begins ? lacks + rounding : lacks;
    }
}

std::vector<double> ContactMonitor::slip_direction(const State& state, std::size_t friction) {
    if (!solve(state)) return {};
    return contacts_.slip_direction(friction, multipliers_);
}

/// What slides without speed and acceleration moves as it did when it stuck, but for what is along
/// its direction: its slip has W a = b at first, and W a' = b' − W' a, by differences over a short
/// time.
std::vector<std::vector<double>> ContactMonitor::across_slips(const State& state) {
    std::vector<std::vector<double>> across;
    if (!slips_ || !solve(state)) return across;
    const DerivedModel& whole = *mode_model_.whole;
    constexpr double short_time =
        1e-6;  // rounding over it is 1e-10, and what is beyond the first order 1e-6
    State ahead = state;
    ahead.t += short_time;
    for (std::size_t j = 0; j < state.v.size(); ++j) {
        ahead.q[j] += short_time * state.v[j];
        ahead.v[j] += short_time * acceleration_[j];
    }
    Equations now, then;
    slip_assembler_->equations(state, now);
    slip_assembler_->equations(ahead, then);
    if (slip_assembler_->not_finite()) return across;
    const Matrix& W = now.A;
    const auto rate = [&](std::size_t row) {
        double change = then.b[row] - now.b[row];
        for (std::size_t j = 0; j < W.cols(); ++j)
            change -= (then.A(row, j) - W(row, j)) * acceleration_[j];
        return change / (ahead.t - state.t);
    };
    std::size_t row = 0;
    for (std::size_t f = 0; f < modes_.friction_states.size(); ++f) {
        if (modes_.friction_states[f] != FrictionState::slips) continue;
        const FrictionPart& part = whole.system.frictions[f];
        const double* d =
            modes_.directions.data() + (part.direction - whole.model.parameters.size());
        constexpr double all_along = 1e-6;  // such a component has nothing across but rounding
        for (std::size_t i = 0; i < part.slip_count && part.slip_count > 1;
             ++i) {  // component i less what is along d
            if (1.0 - d[i] * d[i] < all_along) continue;
            across.emplace_back(W.cols() + 1, 0.0);
            for (std::size_t k = 0; k < part.slip_count; ++k) {
                const double share = (i == k) - d[i] * d[k];
                for (std::size_t j = 0; j < W.cols(); ++j)
                    across.back()[j] += share * W(row + k, j);
                across.back().back() += share * rate(row + k);
            }
        }
        row += part.slip_count;
    }
    return across;
}

std::string ContactMonitor::continuous(std::size_t i) const {
    return watched_[i].what == Watching::gap
               ? mode_model_.whole->constraint_names[watched_[i].number]
               : std::string();
}

/// The contacts that are closed, needed or not.
std::vector<bool> ContactMonitor::closed() const {
    std::vector<bool> closed(modes_.contact_states.size(), false);
    for (std::size_t r = 0; r < closed.size(); ++r)
        closed[r] = modes_.contact_states[r] != ContactState::open &&
                    side_of(mode_model_.whole->model.constraints[r]) != 0;
    return closed;
}

/// Single forces are not unique, but what they add up to is: Aᵀ λ.
bool ContactMonitor::ground(const State& state, Ground& out) {
    if (mode_model_.forces_unique || !solve(state) || !field_.equations(state, equations_))
        return false;
    out.resultant.assign(field_.n(), 0.0);
    for (std::size_t i = 0; i < own_.size(); ++i)
        for (std::size_t j = 0; j < field_.n(); ++j)
            out.resultant[j] += equations_.A(i, j) * own_[i];
    // With fixed bounds behind it: what both can be together is a convex cone.
    for (const double bound : contacts_.fixed_bounds(state)) out.resultant.push_back(bound);
    return contacts_.cone(state, closed(), out.cone);
}

bool ContactMonitor::lasts(const State& state, std::span<const double> added) {
    if (mode_model_.forces_unique) return true;
    const std::vector<bool> closed = this->closed();
    Contacts::Leaving leaving;  // what slips goes on, as it did where the mode began
    for (std::size_t f = 0; f < modes_.friction_states.size(); ++f)
        if (modes_.friction_states[f] == FrictionState::slips)
            leaving.slips.push_back(Contacts::slip_of(modes_, *mode_model_.whole, f));
    const Contacts::Decision decision = contacts_.decide(state, closed, leaving, added);
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

/// Accelerations and multipliers at a state; NaN where there are none.
bool ContactMonitor::solve(const State& state) {
    std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
    const bool solved = field_.solve(state, acceleration_, own_);
    for (std::size_t i = 0; i < own_.size(); ++i)
        multipliers_[mode_model_.rows[i]] = solved ? own_[i] : NAN;
    return solved;
}

/// The velocity of a friction that slides, of those in `slip_`.
std::span<const double> ContactMonitor::slip(std::size_t friction) const {
    const DerivedModel& whole = *mode_model_.whole;
    const FrictionPart& part = whole.system.frictions[friction];
    const std::size_t row = whole.system.row_count() + part.slip;
    const auto first = static_cast<std::size_t>(
        std::lower_bound(slips_->rows.begin(), slips_->rows.end(), row) - slips_->rows.begin());
    return std::span(slip_.velocity).subspan(first, part.slip_count);
}

/// Of a friction that slides: its speed along the direction in which it began to.
double ContactMonitor::speed(std::size_t friction) const {
    const std::span<const double> velocity = slip(friction);
    const double* direction =
        modes_.directions.data() + (mode_model_.whole->system.frictions[friction].direction -
                                    mode_model_.whole->model.parameters.size());
    double along = 0.0;
    for (std::size_t i = 0; i < velocity.size(); ++i) along += velocity[i] * direction[i];
    return along;
}

double ContactMonitor::slip_speed(const State& state, std::size_t friction) {
    slip_assembler_->residuals(state, slip_);
    double square = 0.0;
    for (const double s : slip(friction)) square += s * s;
    return std::sqrt(square) / Contacts::velocity_scale(state);
}

/// As sliding ends in a plane its direction turns ever faster: a step over the end would have an
/// error of what is left of the speed, so that steps get shorter with it and never come there.
std::vector<std::size_t> ContactMonitor::come_to_rest(const State& state) {
    std::vector<std::size_t> rested;
    last_speeds_.resize(modes_.friction_states.size(), 0.0);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const std::size_t f = watched_[i].number;
        if (watched_[i].what != Watching::speed ||
            mode_model_.whole->system.frictions[f].slip_count < 2)
            continue;
        const double now = slip_speed(state, f);
        if (spare_[i] == 0.0 && now <= rest_speed && now < last_speeds_[f]) rested.push_back(f);
        last_speeds_[f] = now;
    }
    return rested;
}

double ContactMonitor::value_of(const Watched& one, const State& state,
                                const Contacts::Gaps& gaps) {
    switch (one.what) {
        case Watching::gap: return gaps.gap[one.number];
        case Watching::force:
            return side_of(mode_model_.whole->model.constraints[one.number]) *
                   multipliers_[one.number];
        case Watching::speed: return speed(one.number);
        case Watching::frame:
            return contacts_.frame(one.number, state, modes_.directions) - Contacts::weak_frame;
        case Watching::cone: break;
    }
    const Contacts::Pull pull = contacts_.pull(one.number, state, multipliers_);
    if (one.bound >= 0)
        return field_.assembler.watched(static_cast<std::size_t>(one.bound), state) - pull.pull;
    return pull.at_rest * pull.load - pull.pull;
}

void ContactMonitor::values(const State& state, std::span<Rounded> out) {
    Contacts::Gaps gaps;
    if (needs_gaps_) gaps = contacts_.gaps(state);
    if (needs_forces_) solve(state);
    if (slips_) slip_assembler_->residuals(state, slip_);
    double largest = 0.0;
    for (const double x : multipliers_) largest = std::max(largest, std::abs(x));
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const Watching what = watched_[i].what;
        // Forces come from a solve: a hundred roundings.
        const double size = what == Watching::gap     ? length
                            : what == Watching::speed ? speed
                                                      : 1e2 * largest;
        out[i] = Rounded(value_of(watched_[i], state, gaps) + spare_at(i, state.t), 1e-16 * size);
    }
}

double ContactMonitor::value(const State& state, std::size_t i) {
    const Watched& one = watched_[i];
    Contacts::Gaps gaps;
    if (one.what == Watching::gap) gaps = contacts_.gaps(state);
    if (one.what == Watching::force || one.what == Watching::cone) solve(state);
    if (one.what == Watching::speed) slip_assembler_->residuals(state, slip_);
    return value_of(one, state, gaps) + spare_at(i, state.t);
}

void ContactMonitor::note(const Path& path, const Clock& begin, const State& end) {
    if (loses_)
        quadrature(path, begin, path.length,
                   [this](const State& state, double weight) { add_losses(state, weight); });
    leave_idle(path, begin, end);
    certify(end);
    spend_spare(end);
}

/// A contact that rests without being needed is open as soon as its gap is more than rounding, also
/// if it closes again within the step. It has been left since the gap began to grow.
void ContactMonitor::leave_idle(const Path& path, const Clock& begin, const State& end) {
    if (is_new_piece_) piece_begin_ = begin.now();
    is_new_piece_ = false;
    left.clear();
    if (std::find(modes_.contact_states.begin(), modes_.contact_states.end(), ContactState::idle) ==
        modes_.contact_states.end())
        return;
    const Contacts::Gaps gaps = contacts_.gaps(end);
    const std::vector<double> scales = contacts_.gap_scales(end);
    const std::vector<double> widest = widest_gaps(path, begin, gaps.gap);
    constexpr double rounding = 4e-16;  // of a rate: below it there is no need to look further
    const double speed = Contacts::velocity_scale(end) / Contacts::position_scale(end);
    for (std::size_t r = 0; r < modes_.contact_states.size(); ++r) {
        if (modes_.contact_states[r] != ContactState::idle ||
            side_of(mode_model_.whole->model.constraints[r]) == 0)
            continue;
        const bool is_left = widest[r] > Contacts::gap_tol * scales[r];
        const bool grows = gaps.rate[r] > rounding * scales[r] * speed;
        const auto same = [&](const Left& one) { return one.row == r; };
        auto one = std::find_if(leaving_.begin(), leaving_.end(), same);
        if (one == leaving_.end() && (grows || is_left)) {
            if (const std::optional<double> since = onset(r, path, begin))
                one = leaving_.insert(one, {r, *since});
        } else if (one != leaving_.end() && !grows && !is_left) one = leaving_.erase(one);
        if (!is_left) continue;
        modes_.contact_states[r] = ContactState::open;
        left.push_back({r, one != leaving_.end() && one->row == r ? one->t : begin.now()});
        std::erase_if(leaving_, same);
    }
}

/// The widest gaps of the path. A gap that comes back to zero ends it, so that some places do.
std::vector<double> ContactMonitor::widest_gaps(const Path& path, const Clock& begin,
                                                std::vector<double> at_end) {
    State state;
    for (const double part : {0.25, 0.5, 0.75}) {
        path.at(part * path.length, state);
        state.t = begin.after(part * path.length).now();
        const std::vector<double> gap = contacts_.gaps(state).gap;
        for (std::size_t r = 0; r < gap.size(); ++r) at_end[r] = std::max(at_end[r], gap[r]);
    }
    return at_end;
}

double ContactMonitor::gap_acceleration(const State& state, std::size_t row) {
    std::vector<bool> only(modes_.contact_states.size(), false);
    only[row] = true;
    return solve(state) ? contacts_.gap_accelerations(state, acceleration_, only)[row] : NAN;
}

/// Since when a gap grows; none while its acceleration is rounding all over the step. Where it has
/// been accelerated with a power of time since a decision last turned, it is since then; else that
/// its acceleration was no more than rounding is all there is to tell.
std::optional<double> ContactMonitor::onset(std::size_t row, const Path& path, const Clock& begin) {
    State state;
    const auto acceleration = [&](double tau) {
        path.at(tau, state);
        state.t = begin.after(tau).now();
        return gap_acceleration(state, row);
    };
    // The first place where it is more than rounding: within a long step it may come back to zero.
    constexpr double finest = 1e-15;  // of the step: the rounding of its time
    double low = 0.0, high = finest * path.length;
    while (!(acceleration(high) > slight) && high < path.length) {
        low = high;
        high = std::min(2.0 * high, path.length);
    }
    if (!(acceleration(high) > slight)) return {};
    if (low == 0.0) high = 0.0;
    // To 1e-6 of itself: more than a time of a release is known to.
    while (high - low > 1e-6 * high) {
        const double middle = 0.5 * (low + high);
        (acceleration(middle) > slight ? high : low) = middle;
    }
    // A power p of the time since then: p = d log(acceleration)/d log(time).
    constexpr double part = 0.1, most = 10.0;  // what grows to 1e-12 like exp(a t) has more
    const double since = begin.now() - piece_begin_, time = since + high;
    if (!(time > 0.0)) return piece_begin_;
    const double before = std::max(high - part * time, 0.0);
    const double other =
        high - before > 0.1 * part * time ? before : std::min(high + part * time, path.length);
    const double power =
        std::log(acceleration(other) / acceleration(high)) / std::log((since + other) / time);
    return power <= most ? piece_begin_ : begin.after(high).now();
}

/// What friction takes from the motion: its force times the speed of sliding. Of a `nonideal`
/// statement: −c·q'.
void ContactMonitor::add_losses(const State& state, double weight) {
    if (!solve(state)) weight = NAN;  // then what is lost is not known
    if (slips_) slip_assembler_->residuals(state, slip_);
    field_.assembler.each_nonideal(
        state, own_, [&](const NonidealElement& part, const std::uint32_t* leaf, auto values) {
            if (part.friction >= 0) {
                const auto f = static_cast<std::size_t>(part.friction);
                const Contacts::Pull pull = contacts_.pull(f, state, multipliers_);
                account_.lost[mode_model_.whole->system.frictions[f].name] +=
                    weight * pull.kinetic * std::abs(pull.load) * speed(f);
                return;
            }
            double power = 0.0;
            for (std::size_t i = 0; i < values.size(); ++i) power += values[i] * state.v[leaf[i]];
            account_.lost["nonideal " + mode_model_.coordinate_names[leaf[0]]] -= weight * power;
        });
}

/// How far the laws of contact are missed at the end of a step: gaps that are negative, or not zero
/// where closed; forces that pull or leave their cone; gap and force at once.
void ContactMonitor::certify(const State& state) {
    if (!mode_model_.whole->has_contacts()) return;
    const ContactSolution::Certificate now = certificate(state);
    ContactSolution::Certificate& worst = account_.certificate;
    worst.primal = std::max(worst.primal, now.primal);
    worst.dual = std::max(worst.dual, now.dual);
    worst.complementarity = std::max(worst.complementarity, now.complementarity);
    ++account_.certified_steps;
    if (account_.certificates.size() < MotionSummary::Contact::most_certificates)
        account_.certificates.push_back({state.t, now});
}

ContactSolution::Certificate ContactMonitor::certificate(const State& state) {
    const Contacts::Gaps gaps = contacts_.gaps(state);
    const double length = Contacts::position_scale(state);
    ContactSolution::Certificate now;
    const auto note = [](double& largest, double value) { largest = std::max(largest, value); };
    for (std::size_t r = 0; r < modes_.contact_states.size(); ++r) {
        if (side_of(mode_model_.whole->model.constraints[r]) == 0) continue;
        note(now.primal, (modes_.contact_states[r] == ContactState::open ? -gaps.gap[r]
                                                                         : std::abs(gaps.gap[r])) /
                             length);
    }
    if (!mode_model_.forces_unique) {  // the solver's own, of the last verdict
        now.dual = verdict_.dual;
        now.complementarity = verdict_.complementarity;
        return now;
    }
    if (!needs_forces_) return now;
    if (!solve(state)) return {now.primal, INFINITY, INFINITY};
    double& largest = account_.largest_force;
    for (const double x : multipliers_) note(largest, std::abs(x));
    if (largest == 0.0) return now;
    for (const Watched& one : watched_) {
        if (one.what != Watching::force && one.what != Watching::cone) continue;
        const double value = value_of(one, state, gaps) / largest;
        note(now.dual, -value);
        if (one.what == Watching::force)
            note(now.complementarity, std::abs(value * gaps.gap[one.number]) / length);
    }
    return now;
}

}  // namespace lacon::hybrid
