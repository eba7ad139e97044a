// Efforts of controls beside contacts and friction. Efforts depend on what is closed, sticks and
// slides, and that on them: what is looked for is a set of modes under which the efforts that it
// takes bring about these very modes. Each trial follows its modes until they stay; what it begins
// with is, in this order: all is closed and what is at rest sticks; it slips where the requirements
// drive it; all contacts are open; every combination, where they are few. The first that meets all
// that is required is taken, or that which misses least of what may be missed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/contacts.hpp"
#include "contact/vectors.hpp"

namespace lacon::inline contact {

class Contacts::EffortSearch {
public:
    EffortSearch(const Contacts& contacts, const State& state, const Candidates& set,
                 const Numbers& numbers)
        : contacts_(contacts),
          whole_(contacts.whole_),
          state_(state),
          set_(set),
          numbers_(numbers) {}

    Status run(Numbers& out);

private:
    struct Trial : Efforts {
        std::vector<ContactFriction> friction;  // with what slips made to
    };
    /// What to begin with.
    enum class AtRest { sticks, slips };
    ContactModes modes(const std::vector<bool>& closed, const std::vector<AtRest>& frictions);
    Trial efforts(const ContactModes& modes) const;
    Trial follow(ContactModes modes) const;
    void try_from(const std::vector<bool>& closed, const std::vector<AtRest>& frictions);
    void try_all();
    std::vector<double> driven(const ContactModes& modes, std::size_t friction);
    bool rests(std::size_t i) const { return numbers_.friction[i].direction.empty(); }
    static bool are_same(const ContactModes& x, const ContactModes& y);

    const Contacts& contacts_;
    const DerivedModel& whole_;
    const State& state_;
    const Candidates& set_;
    const Numbers& numbers_;
    std::optional<Trial> best_;
    Status first_failure_;
};

/// The efforts under these modes.
Contacts::EffortSearch::Trial Contacts::EffortSearch::efforts(const ContactModes& modes) const {
    const auto mode_model = make_mode_model(whole_, modes);
    Equations equations;
    Assembler(mode_model->system, mode_model->parameters).equations(state_, equations);
    return {contacts_.efforts_(*mode_model, state_, equations), {}};
}

bool Contacts::EffortSearch::are_same(const ContactModes& x, const ContactModes& y) {
    constexpr double direction = 1e-9;  // of a unit vector
    for (std::size_t i = 0; i < x.directions.size(); ++i)
        if (std::abs(x.directions[i] - y.directions[i]) > direction) return false;
    return x.contact_states == y.contact_states && x.friction_states == y.friction_states;
}

/// Efforts of the modes, modes of the efforts, until they stay.
Contacts::EffortSearch::Trial Contacts::EffortSearch::follow(ContactModes modes) const {
    constexpr int most_rounds = 30;
    for (int round = 0; round < most_rounds; ++round) {
        Trial trial = efforts(modes);
        if (!trial.status) return trial;
        Numbers numbers = numbers_;
        for (std::size_t i = 0; i < trial.force.size(); ++i)
            numbers.equations.Q[i] += trial.force[i];
        // What is driven to slip has come beyond its cone, however little the efforts exceed it
        // afterwards.
        for (std::size_t i = 0; i < set_.frictions.size(); ++i)
            if (rests(i) && modes.friction_states[set_.frictions[i]] == FrictionState::slips)
                numbers.friction[i].at_rest =
                    std::min(numbers.friction[i].at_rest, numbers.friction[i].kinetic) *
                    (1.0 - 1e-9);
        Status loads;
        const ContactSolution solution = contacts_.forces(state_, set_, numbers, loads);
        trial.friction = std::move(numbers.friction);
        if (solution.outcome !=
            Outcome::ok) {  // if there is nothing better, the decision that follows says why
            trial.missed = INFINITY;
            return trial;
        }
        ContactModes next = contacts_.modes(set_, solution);
        if (are_same(next, modes)) return trial;
        modes = std::move(next);
    }
    Trial none;
    none.status = {Outcome::no_convergence,
                   fmt::format("the efforts of the controls keep switching contacts at t = {}",
                               rounded(state_.t, 10)),
                   whole_.control_names};
    return none;
}

/// The unit vector in which a friction at rest would slip under the efforts of these modes; zero
/// where it would not.
std::vector<double> Contacts::EffortSearch::driven(const ContactModes& modes, std::size_t i) {
    const ContactFriction& friction = numbers_.friction[i];
    std::vector<double> rate(friction.w.size(), 0.0);
    const Trial trial = efforts(modes);
    if (trial.acceleration.empty()) return rate;
    double size = 0.0;
    for (std::size_t k = 0; k < rate.size(); ++k) {
        rate[k] = dot(friction.W.row(k), trial.acceleration) - friction.w[k];
        size = std::max(size, std::abs(friction.w[k]));
        for (std::size_t j = 0; j < trial.acceleration.size(); ++j)
            size = std::max(size, std::abs(friction.W(k, j) * trial.acceleration[j]));
    }
    const double speed = norm(rate);
    // Of the sums that the rate is the difference of: less is rounding, and has no direction.
    constexpr double rounding = 1e-12;
    for (double& x : rate) x = speed > rounding * size ? x / speed : 0.0;
    return rate;
}

ContactModes Contacts::EffortSearch::modes(const std::vector<bool>& closed,
                                           const std::vector<AtRest>& frictions) {
    const std::size_t m = whole_.system.row_count();
    ContactModes modes;
    modes.contact_states.assign(m, ContactState::open);
    for (const std::size_t r : set_.two_sided) modes.contact_states[r] = ContactState::working;
    for (std::size_t i = 0; i < set_.one_sided.size(); ++i)
        if (closed[i]) modes.contact_states[set_.one_sided[i]] = ContactState::working;
    modes.friction_states.assign(whole_.system.frictions.size(), FrictionState::none);
    modes.directions.assign(whole_.model.directions.size(), 0.0);
    const auto first = [&](std::size_t f) {
        return whole_.system.frictions[f].direction - whole_.model.parameters.size();
    };
    for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
        const std::size_t f = set_.frictions[i];
        const FrictionPart& part = whole_.system.frictions[f];
        if (part.framed)
            std::copy_n(
                set_.mode->details->parameters.begin() +
                    static_cast<std::ptrdiff_t>(part.direction + part.slip_count),
                3,
                modes.directions.begin() + static_cast<std::ptrdiff_t>(first(f) + part.slip_count));
        if (part.side != 0 && modes.contact_states[part.rows[0]] != ContactState::working) continue;
        if (!rests(i)) {
            modes.friction_states[f] = FrictionState::slips;
            std::copy(numbers_.friction[i].direction.begin(), numbers_.friction[i].direction.end(),
                      modes.directions.begin() + static_cast<std::ptrdiff_t>(first(f)));
        } else if (frictions[i] == AtRest::sticks) {
            modes.friction_states[f] = FrictionState::sticks;
            for (std::size_t k = 0; k < part.slip_count; ++k)
                modes.held.push_back(m + part.slip + k);
        }
    }
    std::sort(modes.held.begin(), modes.held.end());
    const ContactModes without = modes;
    for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
        const std::size_t f = set_.frictions[i];
        const FrictionPart& part = whole_.system.frictions[f];
        if (!rests(i) || frictions[i] != AtRest::slips) continue;
        if (part.side != 0 && modes.contact_states[part.rows[0]] != ContactState::working) continue;
        const std::vector<double> direction = driven(without, i);
        if (norm(direction) == 0.0) continue;
        modes.friction_states[f] = FrictionState::slips;
        std::copy(direction.begin(), direction.end(),
                  modes.directions.begin() + static_cast<std::ptrdiff_t>(first(f)));
    }
    return modes;
}

void Contacts::EffortSearch::try_from(const std::vector<bool>& closed,
                                      const std::vector<AtRest>& frictions) {
    if (best_ && best_->missed == 0.0) return;
    Trial trial = follow(modes(closed, frictions));
    if (!trial.status) {
        if (first_failure_) first_failure_ = trial.status;
    } else if (!best_ || trial.missed < best_->missed) {
        best_ = std::move(trial);
    }
}

void Contacts::EffortSearch::try_all() {
    constexpr std::size_t most = 8;  // things to choose, each one of two
    const std::size_t contacts = set_.one_sided.size(), frictions = set_.frictions.size();
    if (contacts + frictions > most) return;
    for (std::size_t choice = 0; choice < (std::size_t{1} << (contacts + frictions)); ++choice) {
        std::vector<bool> closed(contacts);
        std::vector<AtRest> at_rest(frictions);
        for (std::size_t i = 0; i < contacts; ++i) closed[i] = ((choice >> i) & 1u) == 0;
        for (std::size_t i = 0; i < frictions; ++i)
            at_rest[i] = ((choice >> (contacts + i)) & 1u) == 0 ? AtRest::sticks : AtRest::slips;
        try_from(closed, at_rest);
    }
}

Status Contacts::EffortSearch::run(Numbers& out) {
    const std::vector<bool> closed(set_.one_sided.size(), true), open(set_.one_sided.size(), false);
    const std::vector<AtRest> sticks(set_.frictions.size(), AtRest::sticks),
        slips(set_.frictions.size(), AtRest::slips);
    try_from(closed, sticks);
    if (!set_.frictions.empty()) try_from(closed, slips);
    if (!set_.one_sided.empty()) try_from(open, sticks);
    try_all();
    if (!best_) return first_failure_;
    for (std::size_t i = 0; i < best_->force.size(); ++i) out.equations.Q[i] += best_->force[i];
    if (!best_->friction.empty()) out.friction = best_->friction;
    return {};
}

Status Contacts::add_efforts(const State& state, const Candidates& set, Numbers& numbers) const {
    const Numbers own = numbers;
    return EffortSearch(*this, state, set, own).run(numbers);
}

}  // namespace lacon::contact
