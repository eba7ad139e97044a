// Lets the laws of contact decide what is closed, sticks and slips, evaluates that mode, and maps
// its results back to all rows. If forces are not unique, it reports those of least norm.
#include <algorithm>
#include <limits>

#include "contact/contacts.hpp"
#include "state/evaluate.hpp"
#include "state/mode_efforts.hpp"

namespace lacon::inline state {

namespace {

const char* name_of(ContactState state) {
    return state == ContactState::open      ? "open"
           : state == ContactState::working ? "closed"
                                            : "idle";
}

}  // namespace

Evaluation evaluate_contacts(const DerivedModel& details, const State& state,
                             const SolveOptions& options, bool split) {
    Contacts contacts(details, options, efforts_of_controls(options));
    const Contacts::Decision decision = contacts.decide(state, contacts.closed_at(state));
    // Without an answer: all that can be told, the two-sided rows.
    const ContactModes modes = decision.status ? decision.modes : two_sided_rows(details);
    Contacts::InMode& mode = contacts.in_mode(modes);
    std::span<const double> found;
    if (decision.status) found = decision.solution.x;
    Evaluation at = evaluate_in_mode({*mode.details, *mode.assembler, contacts.all_rows(), found},
                                     state, options, split);
    Equations equations;
    contacts.all_rows().equations(state, equations);
    at.A = std::move(equations.A);
    at.b = std::move(equations.b);
    if (at.status) at.status = decision.status;
    if (!decision.status) {
        at.solution = ConstrainedSolution{};
        at.solution.outcome = at.status.outcome;
        for (ConstraintReport& report : at.constraints) {
            report.multiplier = std::numeric_limits<double>::quiet_NaN();
            report.force.clear();
            report.friction_force.clear();
        }
        for (DryFrictionReport& report : at.frictions)
            report.force = std::numeric_limits<double>::quiet_NaN();
        return at;
    }
    at.certificate = decision.solution.certificate;
    at.forces_unique = decision.solution.forces_unique;
    for (std::size_t r = 0; r < modes.contact_states.size(); ++r)
        if (const int side = side_of(details.model.constraints[r]); side != 0) {
            const bool meets = modes.contact_states[r] != ContactState::open &&
                               details.system.levels[r] == Level::position &&
                               side * at.constraints[r].velocity_residual <
                                   -Contacts::rate_tol * Contacts::velocity_scale(state);
            at.constraints[r].contact = meets ? "closing" : name_of(modes.contact_states[r]);
        }
    const std::size_t coulomb = details.system.frictions.size() - at.frictions.size();
    for (std::size_t i = 0; i < decision.frictions.size(); ++i) {
        if (const std::size_t f = decision.frictions[i]; f >= coulomb) {
            at.frictions[f - coulomb].friction_state =
                modes.friction_states[f] == FrictionState::sticks ? "sticks" : "slips";
            at.frictions[f - coulomb].force =
                decision.friction_forces[i][details.system.frictions[f].coordinate];
            continue;
        }
        ConstraintReport& report =
            at.constraints[details.system.frictions[decision.frictions[i]].rows[0]];
        const FrictionState friction = modes.friction_states[decision.frictions[i]];
        report.friction_state = friction == FrictionState::none     ? "none"
                                : friction == FrictionState::sticks ? "sticks"
                                                                    : "slips";
        report.friction_force = decision.friction_forces[i];
    }
    if (!at.solution.a.empty()) {
        at.solution.e.assign(at.b.begin(), at.b.end());
        for (std::size_t r = 0; r < at.A.rows(); ++r)
            for (std::size_t j = 0; j < at.A.cols(); ++j)
                at.solution.e[r] -= at.A(r, j) * at.solution.a[j];
    }
    if (at.forces_unique || at.solution.outcome != Outcome::ok) return at;
    // Contacts that depend on each other: of all forces that do it, those of least (weighted) norm;
    // and what they leave to the two-sided rows.
    const auto take = [&](std::size_t row, double multiplier) {
        ConstraintReport& report = at.constraints[row];
        report.multiplier = multiplier;
        for (std::size_t j = 0; j < at.A.cols(); ++j) report.force[j] = at.A(row, j) * multiplier;
        at.solution.multipliers[row] = multiplier;
    };
    for (std::size_t i = 0; i < decision.rows.size(); ++i)
        take(decision.rows[i],
             side_of(details.model.constraints[decision.rows[i]]) * decision.solution.forces[i]);
    for (std::size_t r = 0, i = 0; r < details.model.constraints.size(); ++r)
        if (side_of(details.model.constraints[r]) == 0) take(r, decision.solution.multipliers[i++]);
    return at;
}

}  // namespace lacon::state
