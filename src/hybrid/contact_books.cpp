// What a contact monitor notes of each step: the energy that friction takes, by Gauss's quadrature,
// and how well the laws of contact are met.
#include <algorithm>
#include <cmath>

#include "hybrid/contact_monitor.hpp"
#include "hybrid/quadrature.hpp"

namespace lacon::inline hybrid {

void ContactMonitor::note_losses(const Path& path, const Clock& begin) {
    if (mode_model_.system.nonideal.empty()) return;
    quadrature(path, begin, path.length,
               [this](const State& state, double weight) { add_losses(state, weight); });
}

/// What friction takes from the motion: its force times the speed of sliding. Of a `nonideal`
/// statement: −c·q'.
void ContactMonitor::add_losses(const State& state, double weight) {
    if (!forces_.solve(state)) weight = NAN;  // then what is lost is not known
    if (!slips_.is_empty()) slips_.take(state);
    const auto add = [&](const NonidealElement& part, const std::uint32_t* leaf, auto values) {
        if (part.friction >= 0) {
            const auto f = static_cast<std::size_t>(part.friction);
            const Contacts::Pull pull = contacts_.pull(f, state, forces_.multipliers());
            account_.lost[whole().system.frictions[f].name] +=
                weight * pull.kinetic * std::abs(pull.load) * slips_.along(f);
            return;
        }
        double power = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) power += values[i] * state.v[leaf[i]];
        account_.lost["nonideal " + mode_model_.coordinate_names[leaf[0]]] -= weight * power;
    };
    forces_.assembler().each_nonideal(state, forces_.own(), add);
}

/// How far the laws of contact are missed at the end of a step: gaps that are negative, or not zero
/// where closed; forces that pull or leave their cone; gap and force at once.
void ContactMonitor::certify(const State& state) {
    if (!whole().has_contacts()) return;
    const ContactSolution::Certificate now = certificate(state);
    for (std::size_t i = 0; i < watched_.size(); ++i)
        full_[i] =
            watched_[i].what == Watching::cone && is_full(i, value_of(watched_[i], state, {}));
    ContactSolution::Certificate& worst = account_.certificate;
    worst.primal = std::max(worst.primal, now.primal);
    worst.dual = std::max(worst.dual, now.dual);
    worst.complementarity = std::max(worst.complementarity, now.complementarity);
    ++account_.certified_steps;
    if (account_.certificates.size() < MotionSummary::Contact::most_certificates)
        account_.certificates.push_back({state.t, now});
}

ContactSolution::Certificate ContactMonitor::certificate(const State& state) {
    const Contacts::Gaps gaps = this->gaps(state);
    const double length = Contacts::position_scale(state);
    ContactSolution::Certificate now;
    const auto note = [](double& largest, double value) { largest = std::max(largest, value); };
    for (std::size_t r = 0; r < modes_.contact_states.size(); ++r) {
        if (side_of(whole().model.constraints[r]) == 0) continue;
        const bool is_open = modes_.contact_states[r] == ContactState::open;
        note(now.primal, (is_open ? -gaps.gap[r] : std::abs(gaps.gap[r])) / length);
    }
    if (!mode_model_.forces_unique) {  // the solver's own, of the last verdict
        now.dual = verdict_.dual;
        now.complementarity = verdict_.complementarity;
        return now;
    }
    if (!needs_.forces) return now;
    if (!forces_.solve(state)) return {now.primal, INFINITY, INFINITY};
    double& largest = account_.largest_force;
    for (const double x : forces_.multipliers()) note(largest, std::abs(x));
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
