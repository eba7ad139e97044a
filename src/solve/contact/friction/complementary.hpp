// Starting point for friction problems, from Lemke's method on polyhedral cones.
#pragma once

#include <optional>

#include "solve/contact/friction/trial.hpp"

namespace lacon::solving::inline contact {

/// The trial of a solution with cones of friction made of a few edges, which is a linear
/// complementarity problem: Lemke's method finds one wherever nothing slides yet and the rows allow
/// a motion. None where it ends on a ray, where a two-sided load makes friction that slides, or
/// where the problem is large. `like` gives what is not asked.
std::optional<Trial> complementary_trial(const FrictionProblem& problem, const Trial& like);

}  // namespace lacon::solving::contact
