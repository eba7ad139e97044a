// Whether the motion depends on loads that are not unique.
#pragma once

#include "solve/contact/friction/pivot.hpp"

namespace lacon::solving::inline contact {

/// Frictions that make x depend on loads that are not unique: forces nearby satisfy the law as
/// well, with another motion. Empty where there are none.
std::vector<std::size_t> ambiguous(const FrictionProblem& problem, const Settled& motion);

}  // namespace lacon::solving::contact
