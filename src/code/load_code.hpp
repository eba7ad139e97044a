// The constrained solve as code where forces depend on the loads of constraints: friction that
// slides.
#pragma once

#include "code/acceleration_code.hpp"

namespace lacon::inline code {

/// M x = Q + Aᵀ λ + c(λ),  A x = b  (theory 4.5), where c is the friction of contacts that slide.
/// Each part of it goes with the load of one row, λ of a one-sided row and |λ| of a two-sided one:
/// then the loads follow from a small linear system, det(1 − ∂λ/∂λ) tells whether there is an
/// answer and whether it is the only one, and where that is not clear the result is not `fine`.
/// Throws std::runtime_error for other forces that depend on loads.
kernel::Solved solve_with_loads(const DerivedModel& details, ModelCode& model,
                                const StateValues& state);

}  // namespace lacon::code
