// What closed contacts and friction do to accelerations, in the model's terms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/contacts.hpp"
#include "contact/vectors.hpp"
#include "control/controller.hpp"
#include "solve/dependence.hpp"

namespace lacon {

using contact::dot, contact::largest, contact::rows_of;

Contacts::Decision Contacts::decide(const State& state, const std::vector<bool>& closed, const Leaving& leaving) {
    std::vector<bool> tried = closed;
    for (const std::size_t r : leaving.rows) tried[r] = false;
    Decision decision = decide_once(state, tried, leaving.frictions);
    if (leaving.rows.empty()) return decision;
    // A contact without force leaves, unless it would fall back.
    Candidates& all = candidates(closed);
    Numbers numbers;
    if (!decision.status || !fill(all, state, numbers)) return decide_once(state, closed, leaving.frictions);
    for (const std::size_t r : leaving.rows) {
        const std::size_t i =
            static_cast<std::size_t>(std::find(all.one_sided.begin(), all.one_sided.end(), r) - all.one_sided.begin());
        const double along = dot(numbers.N.row(i), decision.solution.x), rate = along - numbers.d[i];
        const double scale = std::max({1.0, largest(decision.solution.x), std::abs(numbers.d[i])});
        if (rate < -1e-7 * scale) return decide_once(state, closed, leaving.frictions);
        decision.modes.touch[r] = rate > 1e-9 * scale || !depends(all, numbers, r, decision.modes) ? Touch::open : Touch::idle;
    }
    return decision;
}

/// Whether a row says nothing beside those in force.
bool Contacts::depends(const Candidates& set, const Numbers& numbers, std::size_t row, const ContactModes& modes) const {
    std::vector<std::size_t> places;
    std::size_t own = 0;
    for (std::size_t i = 0; i < set.details->rows.size(); ++i) {
        const std::size_t r = set.details->rows[i];
        const bool in_force = r < modes.touch.size() ? modes.touch[r] == Touch::working
                                                     : std::find(modes.held.begin(), modes.held.end(), r) != modes.held.end();
        if (r == row) own = places.size();
        if (in_force || r == row) places.push_back(i);
    }
    const Matrix A = rows_of(numbers.equations.A, places);
    const std::vector<double> b(places.size(), 0.0);
    const auto sets = dependent_sets({A, b, &numbers.equations.M}, options_);
    return std::any_of(sets.begin(), sets.end(),
                       [&](const DependentSet& s) { return std::find(s.rows.begin(), s.rows.end(), own) != s.rows.end(); });
}

/// Efforts of controls depend on what is closed, and that on them: one after the other, until both stay as they are.
Status Contacts::add_efforts(const State& state, const Candidates& set, Numbers& numbers) const {
    const std::vector<double> own = numbers.equations.Q;
    PhaseRows in_force{set.details->rows, {}};
    constexpr int most_rounds = 30;
    for (int round = 0; round < most_rounds; ++round) {
        const auto phase = make_phase(whole_, in_force);
        Equations equations;
        Assembler(phase->system, phase->parameters).equations(state, equations);
        Controller controller(*phase, options_);
        const Outcome outcome = controller.run(state, equations, Controller::Deciding::anew);
        const auto& missed = controller.solution() ? controller.solution()->missed : std::vector<double>{};
        const bool misses = std::any_of(missed.begin(), missed.end(), [](double x) { return x != 0.0; });
        if (misses && round == 0 && !set.one_sided.empty()) {  // unless the contacts open
            std::erase_if(in_force.rows, [&](std::size_t row) {
                return std::find(set.one_sided.begin(), set.one_sided.end(), row) != set.one_sided.end();
            });
            continue;
        }
        if (outcome != Outcome::ok) return controller.status(outcome, state);
        for (std::size_t i = 0; i < own.size(); ++i) numbers.equations.Q[i] = own[i] + controller.force()[i];
        const ContactSolution solution = solve(ContactProblem{numbers.equations.M,
                                                              numbers.equations.Q,
                                                              numbers.A,
                                                              numbers.b,
                                                              numbers.N,
                                                              numbers.d,
                                                              {},
                                                              numbers.weight_A,
                                                              numbers.weight_N},
                                               {options_, nullptr});
        if (solution.outcome != Outcome::ok) return {};  // the decision that follows says why
        PhaseRows next = modes(set, solution).phase();
        if (next == in_force) return {};
        in_force = std::move(next);
    }
    return {Outcome::no_convergence,
            fmt::format("the efforts of controls open and close contacts without end at t = {}", rounded(state.t, 10)),
            whole_.control_names};
}

Contacts::Decision Contacts::decide_once(const State& state, const std::vector<bool>& closed,
                                         const std::vector<std::size_t>& slips) {
    Decision decision;
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) {
        decision.status = {Outcome::undefined, "a value is not a finite number", {}};
        return decision;
    }
    for (std::size_t i = 0; i < set.frictions.size(); ++i)
        if (std::find(slips.begin(), slips.end(), set.frictions[i]) != slips.end())
            numbers.friction[i].at_rest = std::min(numbers.friction[i].at_rest, numbers.friction[i].kinetic) * (1.0 - 1e-9);
    if (whole_.has_controls())
        if (decision.status = add_efforts(state, set, numbers); !decision.status) return decision;
    // Forces that depend on loads by a `nonideal` statement change the problem that gives the loads.
    const Loads loads(set.details->system);
    std::vector<double> force = numbers.equations.Q, c, multipliers(set.details->rows.size(), 0.0);
    constexpr int most_rounds = 100;
    for (int round = 0; round < most_rounds; ++round) {
        decision.solution = solve(ContactProblem{numbers.equations.M, force, numbers.A, numbers.b, numbers.N, numbers.d,
                                                 numbers.friction, numbers.weight_A, numbers.weight_N},
                                  {options_, nullptr});
        if (decision.solution.outcome != Outcome::ok || loads.is_empty()) break;
        std::vector<double> next(multipliers.size(), 0.0);
        for (std::size_t i = 0, two = 0, one = 0; i < next.size() && set.details->rows[i] < closed.size(); ++i) {
            const int side = side_of(whole_.model.constraints[set.details->rows[i]]);
            next[i] = side == 0 ? decision.solution.multipliers[two++] : side * decision.solution.forces[one++];
        }
        double change = 0.0;
        for (std::size_t i = 0; i < next.size(); ++i) change = std::max(change, std::abs(next[i] - multipliers[i]));
        if (change <= 1e-14 * largest(next)) break;
        if (round + 1 == most_rounds) decision.solution.outcome = Outcome::no_force;
        multipliers = next;
        set.assembler->nonideal(state, multipliers, c, Assembler::Part::beside_force);
        for (std::size_t i = 0; i < force.size(); ++i) force[i] = numbers.equations.Q[i] + c[i];
    }
    decision.rows = set.one_sided;
    decision.frictions = set.frictions;
    decision.status = status_of(set, decision.solution, state);
    if (!decision.status) return decision;
    decision.modes = modes(set, decision.solution);
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        decision.friction_forces.emplace_back(force.size(), 0.0);
        for (std::size_t k = 0; k < decision.solution.friction[i].size(); ++k)
            for (std::size_t j = 0; j < force.size(); ++j)
                decision.friction_forces[i][j] += numbers.friction[i].W(k, j) * decision.solution.friction[i][k];
    }
    return decision;
}

std::vector<double> Contacts::gap_accelerations(const State& state, std::span<const double> acceleration,
                                                const std::vector<bool>& of) {
    std::vector<double> result(of.size(), 0.0);
    Candidates& set = candidates(of);
    Numbers numbers;
    if (!fill(set, state, numbers)) return result;
    for (std::size_t i = 0; i < set.one_sided.size(); ++i)
        result[set.one_sided[i]] = dot(numbers.N.row(i), acceleration) - numbers.d[i];
    return result;
}

ContactModes Contacts::modes(const Candidates& set, const ContactSolution& solution) const {
    const std::size_t m = whole_.system.row_count();
    ContactModes modes;
    modes.touch.assign(m, Touch::open);
    for (const std::size_t r : set.two_sided) modes.touch[r] = Touch::working;
    for (std::size_t i = 0; i < set.one_sided.size(); ++i) modes.touch[set.one_sided[i]] = solution.touch[i];
    modes.grip.assign(whole_.system.frictions.size(), Grip::none);
    modes.directions.assign(whole_.model.directions.size(), 0.0);
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        const FrictionPart& part = whole_.system.frictions[set.frictions[i]];
        modes.grip[set.frictions[i]] = solution.grip[i];
        const std::size_t first = part.direction - whole_.model.parameters.size();
        if (part.framed)
            std::copy_n(set.details->parameters.begin() + static_cast<std::ptrdiff_t>(part.direction + part.slip_count), 3,
                        modes.directions.begin() + static_cast<std::ptrdiff_t>(first + part.slip_count));
        if (solution.grip[i] == Grip::sticks)
            for (const std::size_t row : solution.grip_rows[i]) modes.held.push_back(m + part.slip + row);
        if (solution.grip[i] == Grip::slips)
            std::copy(solution.direction[i].begin(), solution.direction[i].end(),
                      modes.directions.begin() + static_cast<std::ptrdiff_t>(first));
    }
    std::sort(modes.held.begin(), modes.held.end());
    return modes;
}

Status Contacts::status_of(const Candidates& set, const ContactSolution& solution, const State& state) {
    std::vector<std::string> names, with_coefficient;
    const bool of_rows = solution.outcome == Outcome::conflict;
    for (const std::size_t i : solution.concerned) {
        names.push_back(of_rows ? whole_.constraint_names[set.one_sided[i]] : whole_.system.frictions[set.frictions[i]].name);
        if (!of_rows)
            with_coefficient.push_back(
                fmt::format("'{}' (coefficient {})", names.back(), rounded(coulomb(set.frictions[i], state).kinetic, 6)));
    }
    std::string those;
    for (std::size_t i = 0; i < with_coefficient.size(); ++i) those += (i ? ", " : "") + with_coefficient[i];
    const std::string when = fmt::format("at t = {}", rounded(state.t, 12));
    switch (solution.outcome) {
        case Outcome::ok: return {};
        case Outcome::conflict:
            return {Outcome::conflict,
                    names.empty() ? fmt::format("the two-sided constraints conflict {}", when)
                                  : fmt::format("no motion meets the contacts {} {}: they are wedged against each other",
                                                quoted_list(names), when),
                    names};
        case Outcome::no_force:
            return {
                Outcome::no_force,
                fmt::format("no force satisfies the law of friction {} at {}: the friction presses its own contact harder than "
                            "any force can answer (Painlevé)",
                            when, those),
                names};
        case Outcome::several:
            return {Outcome::several,
                    fmt::format("{} motions satisfy the law of friction {} at {}: it does not say which one happens (Painlevé)",
                                solution.solutions, when, those),
                    names};
        case Outcome::undetermined:
            return {Outcome::undetermined,
                    names.empty()
                        ? std::string("the accelerations are not determined")
                        : fmt::format("the loads of {} are not unique, as their constraints depend on others, and the motion "
                                      "depends on them",
                                      quoted_list(names)),
                    names};
        default: return {solution.outcome, fmt::format("the forces of contact were not found {}", when), names};
    }
}

}  // namespace lacon
