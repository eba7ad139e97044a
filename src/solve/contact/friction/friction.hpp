// Contacts with Coulomb friction (theory 4.5): the entry point.
#pragma once

#include "solve/contact/reduced/distance.hpp"
#include "solve/contact/reduced/space.hpp"

namespace lacon::solving::inline contact {

/// The contact problem with friction. `distance` is its solution without; where it exists, the rows
/// do not exclude each other.
ContactSolution solve_with_friction(const ContactProblem& problem, const ContactSpace& space,
                                    const DistanceSolution& distance, const ContactSolution* warm);

}  // namespace lacon::solving::contact
