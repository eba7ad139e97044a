// Efforts of controls beside contacts and friction. Efforts depend on what is closed, sticks and
// slides, and that on them: what is looked for is a set of modes under which the efforts that it
// takes bring about these very modes. Each trial follows its modes until they stay; what it begins
// with is, in this order: all is closed and what is at rest sticks; it slips where the requirements
// drive it; all contacts are open; every combination, where they are few. Of the modes that stay
// that one is taken which misses least of what may be missed, and then that of least cost; of equal
// ones the first. What costs nothing need not be compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/effort_search.hpp"

namespace lacon::inline contact {

/// The efforts under these modes.
Contacts::EffortSearch::Trial Contacts::EffortSearch::efforts(const ContactModes& modes) const {
    // On a kink what is required behind it counts; what is later is behind it anyway.
    const bool on_kink = contacts_.behind_ && state_.t < contacts_.behind_->t;
    const State at = on_kink ? contacts_.place_of(state_) : state_;
    const InMode& mode = contacts_.in_mode(modes);
    Equations equations;
    mode.assembler->equations(at, equations);
    return {contacts_.efforts_(*mode.details, at, equations), {}};
}

bool Contacts::EffortSearch::are_same(const ContactModes& x, const ContactModes& y) {
    constexpr double direction = 1e-9;  // of a unit vector
    for (std::size_t i = 0; i < x.directions.size(); ++i)
        if (std::abs(x.directions[i] - y.directions[i]) > direction) return false;
    return x.contact_states == y.contact_states && x.friction_states == y.friction_states;
}

/// The number of these modes among all that have been tried, these included.
std::size_t Contacts::EffortSearch::first_tried(const ContactModes& modes) {
    const auto is_this = [&](const ContactModes& other) { return are_same(modes, other); };
    const auto found = std::find_if(tried_.begin(), tried_.end(), is_this);
    const auto number = static_cast<std::size_t>(found - tried_.begin());
    if (number == tried_.size()) tried_.push_back(modes);
    return number;
}

/// Efforts of the modes, modes of the efforts, until they stay; none where that leads to what an
/// earlier trial has followed.
std::optional<Contacts::EffortSearch::Trial> Contacts::EffortSearch::follow(ContactModes modes) {
    constexpr std::size_t most_rounds = 30;
    const std::size_t first = tried_.size();
    for (std::size_t round = 0; round < most_rounds; ++round) {
        const std::size_t number = first_tried(modes);
        if (number < first) return {};
        if (number < first + round) break;
        Trial trial = efforts(modes);
        if (!trial.status) return trial;
        if (is_dear(trial.price)) return {};
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
            trial.price.missed = INFINITY;
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

bool Contacts::EffortSearch::is_better(const Price& one, const Price& other) const {
    if (one.missed < (1.0 - same_) * other.missed) return true;
    if (!std::isfinite(one.missed) || other.missed < (1.0 - same_) * one.missed) return false;
    return one.cost < (1.0 - same_) * other.cost;
}

/// No better than what is known. Where something may begin to slip in a plane its direction is
/// still to be found, and may change that.
bool Contacts::EffortSearch::is_dear(const Price& price) const {
    if (bound_) return !is_better(price, *bound_);
    for (std::size_t i = 0; i < set_.frictions.size(); ++i)
        if (rests(i) && whole_.system.frictions[set_.frictions[i]].slip_count > 1) return false;
    return best_ && !is_better(price, best_->price);
}

void Contacts::EffortSearch::try_from(const Begin& begin) {
    if (best_ && best_->price.missed == 0.0 && (any_ || best_->price.cost == 0.0)) return;
    std::optional<Trial> trial = follow(modes(begin));
    if (!trial) return;
    if (!trial->status) {
        if (first_failure_) first_failure_ = trial->status;
    } else if (!best_ || is_better(trial->price, best_->price)) {
        best_ = std::move(trial);
    }
}

/// Every combination, by counting through them.
void Contacts::EffortSearch::try_all() {
    constexpr double most = 256.0;  // beyond them only those that are tried anyway
    const std::vector<std::vector<AtRest>> ways = ways_of_frictions();
    double combinations = std::pow(2.0, static_cast<double>(set_.one_sided.size()));
    for (const std::vector<AtRest>& of_one : ways)
        combinations *= 1.0 + static_cast<double>(of_one.size());
    if (combinations > most) return;
    for (std::size_t choice = 0; choice < static_cast<std::size_t>(combinations); ++choice) {
        Begin begin = this->begin(true, AtRest::sticks);
        std::size_t rest = choice;
        for (std::size_t i = 0; i < begin.closed.size(); ++i, rest /= 2)
            begin.closed[i] = rest % 2 == 0;
        for (std::size_t i = 0; i < ways.size(); rest /= 1 + ways[i++].size())
            if (const std::size_t way = rest % (1 + ways[i].size()); way > 0)
                begin.frictions[i] = ways[i][way - 1];
        try_from(begin);
    }
}

/// Whether efforts of a better price belong to one contact more that is open, or one friction more
/// that slips, than where all is closed and sticks; or to all of them.
bool Contacts::EffortSearch::finds_better(const Price& price) {
    bound_ = price;
    same_ = 1e-9;  // above what a choice takes for the same: it is to find them too
    const Begin now = begin(true, AtRest::sticks);
    try_from(begin(false, AtRest::sticks));
    if (!set_.frictions.empty()) try_from(begin(true, AtRest::driven));
    for (std::size_t i = 0; i < now.closed.size(); ++i) {
        Begin next = now;
        next.closed[i] = false;
        try_from(next);
    }
    const std::vector<std::vector<AtRest>> ways = ways_of_frictions();
    for (std::size_t i = 0; i < ways.size(); ++i)
        for (const AtRest way : ways[i]) {
            Begin next = now;
            next.frictions[i] = way;
            try_from(next);
        }
    return best_ && std::isfinite(best_->price.missed);
}

Status Contacts::EffortSearch::run(bool any, Numbers& out) {
    any_ = any;
    try_from(begin(true, AtRest::sticks));
    if (!set_.frictions.empty()) try_from(begin(true, AtRest::driven));
    if (!set_.one_sided.empty()) try_from(begin(false, AtRest::sticks));
    try_all();
    if (!best_) return first_failure_;
    for (std::size_t i = 0; i < best_->force.size(); ++i) out.equations.Q[i] += best_->force[i];
    if (!best_->friction.empty()) out.friction = best_->friction;
    return {};
}

Status Contacts::add_efforts(const State& state, const Candidates& set, bool any,
                             Numbers& numbers) {
    const Numbers own = numbers;
    return EffortSearch(*this, state, set, own).run(any, numbers);
}

bool Contacts::is_undercut(const State& state, const std::vector<bool>& closed,
                           const std::vector<Leaving::Slip>& slips, const Price& price) {
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) return false;
    begin_slips(set, slips, numbers);
    return EffortSearch(*this, state, set, numbers).finds_better(price);
}

}  // namespace lacon::contact
