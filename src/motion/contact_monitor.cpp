#include "motion/contact_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "motion/quadrature.hpp"

namespace lacon {

using What = ContactMonitor::Watched::What;

ContactMonitor::ContactMonitor(const SystemDetails& phase, const ContactModes& modes, Contacts& contacts,
                               const FieldOptions& options, MotionSummary::Contact& account)
    : phase_(phase),
      modes_(modes),
      contacts_(contacts),
      account_(account),
      field_(phase, options),
      acceleration_(field_.n()),
      own_(field_.m()),
      multipliers_(phase.whole->system.row_count() + phase.whole->system.slip_elements.size()) {
    const SystemDetails& whole = *phase.whole;
    PhaseRows sliding;
    for (std::size_t r = 0; r < modes.touch.size(); ++r) {
        if (side_of(whole.model.constraints[r]) == 0) continue;
        if (modes.touch[r] == Touch::working && !phase.forces_unique) continue;
        watched_.push_back({modes.touch[r] == Touch::working ? What::force : What::gap, r});
    }
    for (std::size_t f = 0; f < modes.grip.size(); ++f) {
        if (modes.grip[f] == Grip::none) continue;
        const FrictionPart& part = whole.system.frictions[f];
        if (modes.grip[f] == Grip::slips || phase.forces_unique)
            watched_.push_back({modes.grip[f] == Grip::sticks ? What::cone : What::speed, f});
        if (part.framed) watched_.push_back({What::frame, f});
        if (modes.grip[f] == Grip::slips)
            for (std::size_t i = 0; i < part.slip_count; ++i) sliding.rows.push_back(whole.system.row_count() + part.slip + i);
    }
    for (const Watched& one : watched_) {
        needs_forces_ = needs_forces_ || one.what == What::force || one.what == What::cone;
        needs_gaps_ = needs_gaps_ || one.what == What::gap;
    }
    spare_.assign(watched_.size(), 0.0);
    loses_ = !phase.system.nonideal.empty();
    if (sliding.rows.empty()) return;
    slips_ = make_phase(whole, sliding);
    slips_->parameters = phase.parameters;
    slip_assembler_ = std::make_unique<Assembler>(slips_->system, slips_->parameters);
}

/// What begins at zero may begin below it, by rounding: a contact that opens, a slip that begins, a force. A contact that rests
/// without being needed keeps such a gap.
void ContactMonitor::begin(const State& state) {
    if (watched_.empty()) return;
    spare_.assign(watched_.size(), 0.0);
    std::vector<Rounded> now(watched_.size());
    values(state, now);
    const Contacts::Gaps gaps = contacts_.gaps(state);
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    double largest = 0.0;
    for (const double x : multipliers_) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const Watched& one = watched_[i];
        const double lacks = std::max(0.0, -now[i].value);
        const bool is_gap = one.what == What::gap;
        const bool rests = is_gap && modes_.touch[one.number] == Touch::idle;
        const bool by_rounding = is_gap ? lacks <= 1e-6 * length && gaps.rate[one.number] >= -Contacts::rate_tol * speed
                                 : one.what == What::speed ? lacks <= Contacts::rate_tol * speed
                                                           : lacks <= 1e-9 * largest;
        if (rests) spare_[i] = lacks + 1e-13 * length;
        else if (by_rounding) spare_[i] = lacks;
    }
}

std::string ContactMonitor::continuous(std::size_t i) const {
    return watched_[i].what == What::gap ? phase_.whole->constraint_names[watched_[i].number] : std::string();
}

bool ContactMonitor::lasts(const State& state) {
    if (phase_.forces_unique) return true;
    std::vector<bool> closed(modes_.touch.size(), false);
    for (std::size_t r = 0; r < closed.size(); ++r)
        closed[r] = modes_.touch[r] != Touch::open && side_of(phase_.whole->model.constraints[r]) != 0;
    const Contacts::Decision decision = contacts_.decide(state, closed);
    if (!decision.status) return false;
    verdict_ = decision.solution.certificate;
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (closed[r] && modes_.touch[r] == Touch::working && decision.modes.touch[r] == Touch::open) return false;
    for (std::size_t f = 0; f < modes_.grip.size(); ++f)
        if (modes_.grip[f] == Grip::sticks && decision.modes.grip[f] != Grip::sticks) return false;
    return true;
}

/// Accelerations and multipliers at a state; NaN where there are none.
bool ContactMonitor::solve(const State& state) {
    std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
    const bool solved = field_.solve(state, acceleration_, own_);
    for (std::size_t i = 0; i < own_.size(); ++i) multipliers_[phase_.rows[i]] = solved ? own_[i] : NAN;
    return solved;
}

/// Of a friction that slides: its speed along the direction in which it began to.
double ContactMonitor::speed(std::size_t friction) const {
    const SystemDetails& whole = *phase_.whole;
    const FrictionPart& part = whole.system.frictions[friction];
    const std::size_t row = whole.system.row_count() + part.slip, direction = part.direction - whole.model.parameters.size();
    const auto first =
        static_cast<std::size_t>(std::lower_bound(slips_->rows.begin(), slips_->rows.end(), row) - slips_->rows.begin());
    double along = 0.0;
    for (std::size_t i = 0; i < part.slip_count; ++i) along += slip_.velocity[first + i] * modes_.directions[direction + i];
    return along;
}

double ContactMonitor::value_of(const Watched& one, const State& state, const Contacts::Gaps& gaps) {
    switch (one.what) {
        case What::gap: return gaps.gap[one.number];
        case What::force: return side_of(phase_.whole->model.constraints[one.number]) * multipliers_[one.number];
        case What::speed: return speed(one.number);
        case What::frame: return contacts_.frame(one.number, state, modes_.directions) - Contacts::weak_frame;
        case What::cone: break;
    }
    const Contacts::Pull pull = contacts_.pull(one.number, state, multipliers_);
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
        const What what = watched_[i].what;
        const double size = what == What::gap ? length : what == What::speed ? speed : 1e2 * largest;
        out[i] = Rounded(value_of(watched_[i], state, gaps) + spare_[i], 1e-16 * size);
    }
}

double ContactMonitor::value(const State& state, std::size_t i) {
    const Watched& one = watched_[i];
    Contacts::Gaps gaps;
    if (one.what == What::gap) gaps = contacts_.gaps(state);
    if (one.what == What::force || one.what == What::cone) solve(state);
    if (one.what == What::speed) slip_assembler_->residuals(state, slip_);
    return value_of(one, state, gaps) + spare_[i];
}

void ContactMonitor::note(const Path& path, const Clock& begin, const State& end) {
    if (loses_) quadrature(path, begin, path.length, [this](const State& state, double weight) { add_losses(state, weight); });
    certify(end);
}

/// What friction takes from the motion: its force times the speed of sliding. Of a `nonideal` statement: −c·q'.
void ContactMonitor::add_losses(const State& state, double weight) {
    if (!solve(state)) weight = NAN;  // then what is lost is not known
    if (slips_) slip_assembler_->residuals(state, slip_);
    field_.assembler.each_nonideal(state, own_, [&](const NonidealElement& part, const std::uint32_t* leaf, auto values) {
        if (part.friction >= 0) {
            const auto f = static_cast<std::size_t>(part.friction);
            const Contacts::Pull pull = contacts_.pull(f, state, multipliers_);
            account_.lost[phase_.whole->system.frictions[f].name] += weight * pull.kinetic * std::abs(pull.load) * speed(f);
            return;
        }
        double power = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) power += values[i] * state.v[leaf[i]];
        account_.lost["nonideal " + phase_.coordinate_names[leaf[0]]] -= weight * power;
    });
}

/// How far the laws of contact are missed at the end of a step: gaps that are negative, or not zero where closed; forces that
/// pull or leave their cone; gap and force at once.
void ContactMonitor::certify(const State& state) {
    if (!phase_.whole->has_contacts()) return;
    const ContactSolution::Certificate now = certificate(state);
    ContactSolution::Certificate& worst = account_.certificate;
    worst.primal = std::max(worst.primal, now.primal);
    worst.dual = std::max(worst.dual, now.dual);
    worst.complementarity = std::max(worst.complementarity, now.complementarity);
    ++account_.certified_steps;
    if (account_.certificates.size() < MotionSummary::Contact::most_certificates) account_.certificates.push_back({state.t, now});
}

ContactSolution::Certificate ContactMonitor::certificate(const State& state) {
    const Contacts::Gaps gaps = contacts_.gaps(state);
    const double length = Contacts::position_scale(state);
    ContactSolution::Certificate now;
    const auto note = [](double& largest, double value) { largest = std::max(largest, value); };
    for (std::size_t r = 0; r < modes_.touch.size(); ++r) {
        if (side_of(phase_.whole->model.constraints[r]) == 0) continue;
        note(now.primal, (modes_.touch[r] == Touch::working ? std::abs(gaps.gap[r]) : -gaps.gap[r]) / length);
    }
    if (!phase_.forces_unique) {  // the solver's own, of the last verdict
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
        if (one.what != What::force && one.what != What::cone) continue;
        const double value = value_of(one, state, gaps) / largest;
        note(now.dual, -value);
        if (one.what == What::force) note(now.complementarity, std::abs(value * gaps.gap[one.number]) / length);
    }
    return now;
}

}  // namespace lacon
