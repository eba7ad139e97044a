// Last starting point for friction problems before every case is tried: sweeps over the contacts.
#pragma once

#include "solve/contact/friction/trial.hpp"

namespace lacon::solving::inline contact {

/// A trial read off the forces that sweeps over the contacts lead to, one contact after the other
/// put right: slow and without promise, but blind to the circles that revising assumptions may run
/// in.
Trial swept(const FrictionProblem& problem, Trial trial);

}  // namespace lacon::solving::contact
