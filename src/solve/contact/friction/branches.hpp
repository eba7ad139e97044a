// Looks for a motion with friction among all assumptions, and proves where there is none.
#pragma once

#include <optional>

#include "solve/contact/friction/pivot.hpp"

namespace lacon::solving::inline contact {

struct Branches {
    std::optional<Settled> found;
    /// Without one: there is none. Else the search was given up.
    bool complete = false;
};

/// Assumes of one contact after the other that it is open or closed, that it sticks or slips to
/// this or that side, and leaves out whole branches in which no forces meet what is assumed so far:
/// all conditions of the law that are linear (forces within their cones, rates that do not
/// approach). For one-sided contacts in the plane. `like` gives what is not asked.
Branches branch(const FrictionProblem& problem, const Trial& like);

}  // namespace lacon::solving::contact
