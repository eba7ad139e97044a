// The modes that a search for efforts begins with.
#include <algorithm>

#include "contact/effort_search.hpp"
#include "contact/vectors.hpp"

namespace lacon::inline contact {

/// The unit vector in which a friction at rest would slip under an acceleration; zero where it
/// would not.
std::vector<double> Contacts::EffortSearch::driven(const std::vector<double>& acceleration,
                                                   std::size_t i) const {
    const ContactFriction& friction = numbers_.friction[i];
    std::vector<double> rate(friction.w.size(), 0.0);
    if (acceleration.empty()) return rate;
    double size = 0.0;
    for (std::size_t k = 0; k < rate.size(); ++k) {
        rate[k] = dot(friction.W.row(k), acceleration) - friction.w[k];
        size = std::max(size, std::abs(friction.w[k]));
        for (std::size_t j = 0; j < acceleration.size(); ++j)
            size = std::max(size, std::abs(friction.W(k, j) * acceleration[j]));
    }
    const double speed = norm(rate);
    // Of the sums that the rate is the difference of: less is rounding, and has no direction.
    constexpr double rounding = 1e-12;
    for (double& x : rate) x = speed > rounding * size ? x / speed : 0.0;
    return rate;
}

ContactModes Contacts::EffortSearch::modes(const Begin& begin) {
    const std::size_t m = whole_.system.row_count();
    ContactModes modes;
    modes.contact_states.assign(m, ContactState::open);
    for (const std::size_t r : set_.two_sided) modes.contact_states[r] = ContactState::working;
    for (std::size_t i = 0; i < set_.one_sided.size(); ++i)
        if (begin.closed[i]) modes.contact_states[set_.one_sided[i]] = ContactState::working;
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
        } else if (begin.frictions[i] == AtRest::sticks) {
            modes.friction_states[f] = FrictionState::sticks;
            for (std::size_t k = 0; k < part.slip_count; ++k)
                modes.held.push_back(m + part.slip + k);
        }
    }
    std::sort(modes.held.begin(), modes.held.end());
    std::optional<std::vector<double>> acceleration;  // without those that slip
    const ContactModes without = modes;
    for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
        const std::size_t f = set_.frictions[i];
        const FrictionPart& part = whole_.system.frictions[f];
        if (!rests(i) || begin.frictions[i] == AtRest::sticks) continue;
        if (part.side != 0 && modes.contact_states[part.rows[0]] != ContactState::working) continue;
        std::vector<double> direction{begin.frictions[i] == AtRest::forward ? 1.0 : -1.0};
        if (begin.frictions[i] == AtRest::driven) {
            if (!acceleration) acceleration = efforts(without).acceleration;
            direction = driven(*acceleration, i);
            if (norm(direction) == 0.0) continue;
        }
        modes.friction_states[f] = FrictionState::slips;
        std::copy(direction.begin(), direction.end(),
                  modes.directions.begin() + static_cast<std::ptrdiff_t>(first(f)));
    }
    return modes;
}

/// What each friction may begin with, beside sticking.
std::vector<std::vector<Contacts::EffortSearch::AtRest>> Contacts::EffortSearch::ways_of_frictions()
    const {
    std::vector<std::vector<AtRest>> ways(set_.frictions.size());
    for (std::size_t i = 0; i < ways.size(); ++i) {
        if (!rests(i)) continue;
        if (whole_.system.frictions[set_.frictions[i]].slip_count > 1) ways[i] = {AtRest::driven};
        else ways[i] = {AtRest::forward, AtRest::backward};
    }
    return ways;
}

}  // namespace lacon::contact
