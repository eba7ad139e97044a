// Extends the control problem to mechanisms with contacts and with forces that depend on loads.
#pragma once

#include "lacon/control.hpp"

namespace lacon::solving::inline control {

/// What stands beside a control problem where a mechanism touches something or has forces that
/// depend on loads.
struct ControlSurroundings {
    /// Forces that depend on multipliers, to first order: M q'' = Q + Aᵀ λ + K λ_L + F u.
    std::span<const std::size_t> load_rows{};  // L, rows of A
    const Matrix* load_rates = nullptr;        // K (n × |L|); none where L is empty
    /// Contacts hold rows of A. Gains turn what integration and contact leave of a position into
    /// requirements that a contact which rests need not open or slip for: rows count as met up to
    /// SolveOptions::consistency_tol times the acceleration that the forces at work could give
    /// them, not only up to the rounding of that.
    bool contacts_hold = false;
};

/// As `solve` of the problem alone. no_force: the loads that belong to the efforts are not
/// determined.
ControlSolution solve(const ControlProblem& problem, const ControlSurroundings& surroundings,
                      const SolveOptions& options);

/// C R (k × p): what is required, by efforts of 1. Empty where the motion is not determined.
Matrix control_responses(const ControlProblem& problem, const ControlSurroundings& surroundings,
                         const SolveOptions& options);

}  // namespace lacon::solving::control

namespace lacon {
using solving::control_responses;
using solving::ControlSurroundings;
using solving::solve;
}  // namespace lacon
