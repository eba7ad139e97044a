// Contacts with Coulomb friction (theory 4.5): the entry point.
#pragma once

#include "solve/contact/reduced/distance.hpp"
#include "solve/contact/reduced/space.hpp"
#include "solve/contact/separate.hpp"

namespace lacon::solving::inline contact {

/// What is known of a problem before its friction.
struct Beforehand {
    const DistanceSolution& distance;  // the solution without: the rows do not exclude each other
    const ContactSolution* warm = nullptr;
    LoadsBy loads = LoadsBy::motion;
};

/// The contact problem with friction.
ContactSolution solve_with_friction(const ContactProblem& problem, const ContactSpace& space,
                                    const Beforehand& known);

}  // namespace lacon::solving::contact
