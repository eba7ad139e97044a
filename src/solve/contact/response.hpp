// How the multipliers of rows in force answer further forces.
#pragma once

#include "lacon/contact.hpp"

namespace lacon::solving::inline contact {

/// (r × m): what the multipliers of A change by, all of its rows held as equations, when a force 1
/// acts along each of r directions (r × n). All of them from one factorization. Empty where A x = b
/// has no solution.
Matrix multiplier_response(const ContactProblem& problem, const Matrix& directions,
                           const SolveOptions& options);

}  // namespace lacon::solving::contact
