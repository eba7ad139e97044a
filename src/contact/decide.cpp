// What closed contacts and friction do to accelerations, in the model's terms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/contacts.hpp"
#include "contact/loaded_contacts.hpp"
#include "contact/vectors.hpp"
#include "solve/dense/constrained/dependence.hpp"

namespace lacon::inline contact {

namespace {

/// Where forces that depend on the loads of constraints have no answer, or more than one.
Status status_of_loads(std::vector<std::string> names, std::size_t answers, const State& state) {
    const std::string on = fmt::format("{} at t = {}", quoted_list(names), rounded(state.t, 12));
    if (answers == 0)
        return {Outcome::no_force,
                fmt::format("no constraint force satisfies the friction law at {} (Painlevé)", on),
                std::move(names)};
    return {Outcome::several,
            fmt::format("{} motions satisfy the friction law at {}: the law does not decide which "
                        "one happens (Painlevé)",
                        answers, on),
            std::move(names)};
}

}  // namespace

Contacts::Decision Contacts::decide(const State& state, const std::vector<bool>& closed,
                                    const Leaving& leaving, std::span<const double> added) {
    std::vector<bool> tried = closed;
    for (const std::size_t r : leaving.rows) tried[r] = false;
    Decision decision = decide_once(state, tried, leaving, added);
    if (leaving.rows.empty()) return decision;
    // A contact without force leaves, unless it would fall back.
    Candidates& all = candidates(closed);
    Numbers numbers;
    if (!decision.status || !fill(all, state, numbers))
        return decide_once(state, closed, leaving, added);
    for (const std::size_t r : leaving.rows) {
        const std::size_t i = static_cast<std::size_t>(
            std::find(all.one_sided.begin(), all.one_sided.end(), r) - all.one_sided.begin());
        const double along = dot(numbers.N.row(i), decision.solution.x),
                     rate = along - numbers.d[i];
        // A rate of −1e-7 would close it again: the decision is made anew. 1e-9 is rounding of the
        // solve: with less the row is still met.
        const double scale = std::max({1.0, largest(decision.solution.x), std::abs(numbers.d[i])});
        if (rate < -1e-7 * scale) return decide_once(state, closed, leaving, added);
        decision.modes.contact_states[r] =
            rate > 1e-9 * scale || !depends(all, numbers, r, decision.modes) ? ContactState::open
                                                                             : ContactState::idle;
    }
    return decision;
}

/// Whether a row says nothing beside those in force.
bool Contacts::depends(const Candidates& set, const Numbers& numbers, std::size_t row,
                       const ContactModes& modes) const {
    std::vector<std::size_t> places;
    std::size_t own = 0;
    for (std::size_t i = 0; i < set.mode->details->rows.size(); ++i) {
        const std::size_t r = set.mode->details->rows[i];
        const bool in_force =
            r < modes.contact_states.size()
                ? modes.contact_states[r] == ContactState::working
                : std::find(modes.held.begin(), modes.held.end(), r) != modes.held.end();
        if (r == row) own = places.size();
        if (in_force || r == row) places.push_back(i);
    }
    const Matrix A = rows_of(numbers.equations.A, places);
    const std::vector<double> b(places.size(), 0.0);
    const auto sets = dependent_sets({A, b, &numbers.equations.M}, options_);
    return std::any_of(sets.begin(), sets.end(), [&](const DependentSet& s) {
        return std::find(s.rows.begin(), s.rows.end(), own) != s.rows.end();
    });
}

ContactSolution Contacts::forces(const State& state, const Candidates& set, const Numbers& numbers,
                                 Status& status) const {
    std::vector<double> force = numbers.equations.Q, c;
    const auto solved = [&](const std::vector<double>& under) {
        return solve(
            ContactProblem{numbers.equations.M, under, numbers.A, numbers.b, numbers.N, numbers.d,
                           numbers.friction, numbers.weight_A, numbers.weight_N},
            {options_, nullptr});
    };
    ContactSolution solution = solved(force);
    // Forces that depend on loads by a `nonideal` statement change the problem that gives the
    // loads.
    const Loads loads(set.mode->details->system);
    if (loads.is_empty()) return solution;
    const std::size_t m = whole_.system.row_count();
    LoadedContacts loaded;
    loaded.rows = loads.rows();
    for (const std::size_t row : loaded.rows)
        loaded.side.push_back(side_of(whole_.model.constraints[set.mode->details->rows[row]]));
    loaded.multipliers = [&](const ContactSolution& from) {
        std::vector<double> all(set.mode->details->rows.size(), 0.0);
        for (std::size_t i = 0, two = 0, one = 0; i < all.size() && set.mode->details->rows[i] < m;
             ++i) {
            const int side = side_of(whole_.model.constraints[set.mode->details->rows[i]]);
            all[i] = side == 0 ? from.multipliers[two++] : side * from.forces[one++];
        }
        return all;
    };
    loaded.solve = [&](const std::vector<double>& multipliers) {
        set.mode->assembler->nonideal(state, multipliers, c, Assembler::Part::beside_force);
        for (std::size_t i = 0; i < force.size(); ++i) force[i] = numbers.equations.Q[i] + c[i];
        return solved(force);
    };
    std::vector<LoadedContacts::Answer> answers = loaded.all(solution);
    if (solution.outcome == Outcome::ok && answers.size() != 1) {
        std::vector<std::string> names;
        for (const std::size_t row : loaded.rows)
            names.push_back(whole_.constraint_names[set.mode->details->rows[row]]);
        status = status_of_loads(std::move(names), answers.size(), state);
        solution.outcome = status.outcome;
        return solution;
    }
    if (!answers.empty()) solution = std::move(answers[0].solution);
    return solution;
}

namespace {

/// With one coefficient the force goes on as it is at the border of the cone, and the slip begins
/// without speed and without acceleration: then its direction is known beforehand, and no solve
/// could find it from what is all rounding. Where the force falls to that of sliding, the solve
/// finds the direction in which it begins.
void begin_slip(const Contacts::Leaving::Slip& slip, ContactFriction& friction) {
    constexpr double same = 1e-9;
    if ((friction.at_rest <= friction.kinetic * (1.0 + same) || slip.without_acceleration) &&
        !slip.direction.empty()) {
        if (friction.direction.empty()) friction.direction = slip.direction;
        return;
    }
    friction.at_rest = std::min(friction.at_rest, friction.kinetic) * (1.0 - same);
}

}  // namespace

void Contacts::begin_slips(const Candidates& set, const std::vector<Leaving::Slip>& slips,
                           Numbers& numbers) {
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        const auto slip = std::find_if(slips.begin(), slips.end(), [&](const auto& s) {
            return s.friction == set.frictions[i];
        });
        if (slip != slips.end()) begin_slip(*slip, numbers.friction[i]);
    }
}

Contacts::Decision Contacts::decide_once(const State& state, const std::vector<bool>& closed,
                                         const Leaving& leaving, std::span<const double> added) {
    Decision decision;
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) {
        decision.status = {Outcome::undefined, "a value is not a finite number", {}};
        return decision;
    }
    decision.moved.assign(whole_.system.frictions.size(), false);
    for (std::size_t i = 0; i < set.frictions.size(); ++i)
        decision.moved[set.frictions[i]] = !numbers.friction[i].direction.empty();
    begin_slips(set, leaving.slips, numbers);
    if (whole_.has_controls())
        if (decision.status = add_efforts(state, set, leaving.any_efforts, numbers);
            !decision.status)
            return decision;
    const std::size_t n = numbers.equations.Q.size();
    for (std::size_t i = 0; i < n && !added.empty(); ++i) numbers.equations.Q[i] += added[i];
    for (std::size_t i = 0, next = n; i < numbers.friction.size() && next < added.size(); ++i) {
        ContactFriction& friction = numbers.friction[i];
        if (!friction.fixed) continue;
        friction.at_rest = std::max(0.0, friction.at_rest - added[next++]);
        friction.kinetic = std::min(friction.kinetic, friction.at_rest);
    }
    decision.solution = forces(state, set, numbers, decision.status);
    if (!decision.status) return decision;
    decision.rows = set.one_sided;
    decision.frictions = set.frictions;
    decision.status = status_of(set, decision.solution, state);
    if (!decision.status) return decision;
    decision.modes = modes(set, decision.solution);
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        decision.friction_forces.emplace_back(state.v.size(), 0.0);
        for (std::size_t k = 0; k < decision.solution.friction[i].size(); ++k)
            for (std::size_t j = 0; j < state.v.size(); ++j)
                decision.friction_forces[i][j] +=
                    numbers.friction[i].W(k, j) * decision.solution.friction[i][k];
    }
    return decision;
}

bool Contacts::cone(const State& state, const std::vector<bool>& closed, std::vector<double>& out) {
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) return false;
    out.clear();
    const auto put = [&](const Matrix& rows) {
        for (std::size_t i = 0; i < rows.rows(); ++i) {
            const double length = norm(rows.row(i));
            for (const double x : rows.row(i)) out.push_back(length > 0.0 ? x / length : 0.0);
        }
    };
    put(numbers.A);
    put(numbers.N);
    for (const ContactFriction& friction : numbers.friction) {
        put(friction.W);
        if (friction.fixed) continue;
        out.push_back(friction.at_rest);
        out.push_back(friction.kinetic);
    }
    return true;
}

std::vector<double> Contacts::fixed_bounds(const State& state) {
    std::vector<double> bounds;
    for (std::size_t f = 0; f < whole_.system.frictions.size(); ++f)
        if (whole_.system.frictions[f].fixed && !whole_.is_idle(f))
            bounds.push_back(coulomb(f, state).at_rest);
    return bounds;
}

ContactModes Contacts::modes(const Candidates& set, const ContactSolution& solution) const {
    const std::size_t m = whole_.system.row_count();
    ContactModes modes;
    modes.contact_states.assign(m, ContactState::open);
    for (const std::size_t r : set.two_sided) modes.contact_states[r] = ContactState::working;
    for (std::size_t i = 0; i < set.one_sided.size(); ++i)
        modes.contact_states[set.one_sided[i]] = solution.contact_states[i];
    modes.friction_states.assign(whole_.system.frictions.size(), FrictionState::none);
    modes.directions.assign(whole_.model.directions.size(), 0.0);
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        const FrictionPart& part = whole_.system.frictions[set.frictions[i]];
        modes.friction_states[set.frictions[i]] = solution.friction_states[i];
        const std::size_t first = part.direction - whole_.model.parameters.size();
        if (part.framed)
            std::copy_n(
                set.mode->details->parameters.begin() +
                    static_cast<std::ptrdiff_t>(part.direction + part.slip_count),
                3, modes.directions.begin() + static_cast<std::ptrdiff_t>(first + part.slip_count));
        if (solution.friction_states[i] == FrictionState::sticks)
            for (const std::size_t row : solution.friction_rows[i])
                modes.held.push_back(m + part.slip + row);
        if (solution.friction_states[i] == FrictionState::slips)
            std::copy(solution.direction[i].begin(), solution.direction[i].end(),
                      modes.directions.begin() + static_cast<std::ptrdiff_t>(first));
    }
    std::sort(modes.held.begin(), modes.held.end());
    return modes;
}

Status Contacts::status_of(const Candidates& set, const ContactSolution& solution,
                           const State& state) {
    std::vector<std::string> names, with_coefficient;
    const bool of_rows = solution.outcome == Outcome::conflict;
    for (const std::size_t i : solution.concerned) {
        names.push_back(of_rows ? whole_.constraint_names[set.one_sided[i]]
                                : whole_.system.frictions[set.frictions[i]].name);
        if (!of_rows)
            with_coefficient.push_back(fmt::format(
                "'{}' ({} {})", names.back(),
                whole_.system.frictions[set.frictions[i]].fixed ? "bound" : "coefficient",
                rounded(coulomb(set.frictions[i], state).kinetic, 6)));
    }
    std::string those;
    for (std::size_t i = 0; i < with_coefficient.size(); ++i)
        those += (i ? ", " : "") + with_coefficient[i];
    const std::string when = fmt::format("at t = {}", rounded(state.t, 12));
    switch (solution.outcome) {
        case Outcome::ok: return {};
        case Outcome::conflict:
            return {Outcome::conflict,
                    names.empty() ? fmt::format("the two-sided constraints conflict {}", when)
                                  : fmt::format("the contacts {} jam {}: no motion satisfies them",
                                                quoted_list(names), when),
                    names};
        case Outcome::no_force:
            return {Outcome::no_force,
                    fmt::format("no force satisfies the friction law {} at {}: friction loads its "
                                "own contact more than any force can balance (Painlevé)",
                                when, those),
                    names};
        case Outcome::several:
            return {Outcome::several,
                    fmt::format("{} motions satisfy the friction law {} at {}: the law does not "
                                "decide which one happens (Painlevé)",
                                solution.solutions, when, those),
                    names};
        case Outcome::undetermined:
            return {Outcome::undetermined,
                    names.empty()
                        ? std::string("the accelerations are not determined")
                        : fmt::format("the loads of {} are not unique, because their constraints "
                                      "depend on others, and the motion depends on these loads: "
                                      "more than one motion satisfies the friction law {}",
                                      quoted_list(names), when),
                    names};
        default:
            return {solution.outcome,
                    fmt::format("the search for the contact forces failed {}", when), names};
    }
}

}  // namespace lacon::contact
