// The balance of power of an evaluated state, for the audit: dh/dt = P − ∂(T − V)/∂t.
#pragma once

#include <optional>
#include <string>

#include "mechanics/system/derived_model.hpp"

namespace lacon::diagnosis {

/// The balance of power at a state with given accelerations, by two roads. With T = T2 + T1 + T0 by
/// degree in the velocities and h = T2 − T0 + V (the energy T + V, where T has no explicit time),
/// Lagrange's equations give
///     dh/dt = P − ∂(T − V)/∂t,
/// P the power of all forces but those of V. The left side is differentiated exactly along the
/// motion, with q'' in it; P is that of applied forces and dissipation as the model states them,
/// and of the forces of constraint as they are reported.
struct PowerBalance {
    double rate = 0.0;     // dh/dt along the motion
    double applied = 0.0;  // power of applied forces without V, and of dissipation
    /// Of the ideal forces of constraint: zero where nothing moves by itself.
    double constraint = 0.0;
    double nonideal = 0.0;       // of friction and other forces that are not ideal
    double explicit_time = 0.0;  // −∂(T − V)/∂t
    double size = 0.0;           // of the terms that cancel
    double mismatch() const { return rate - applied - constraint - nonideal - explicit_time; }
};

/// None where the model has equations written out, which have no energy; `why` then says so.
std::optional<PowerBalance> power_balance(const DerivedModel& details, const Evaluation& at,
                                          std::string& why);

/// The forces of constraint as reported (n): all rows together, ideal ones and those of friction
/// and c apart.
struct ReportedForces {
    std::vector<double> ideal, nonideal;
};
ReportedForces reported_forces(const Evaluation& at);

}  // namespace lacon::diagnosis
