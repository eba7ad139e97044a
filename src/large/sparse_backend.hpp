// Runs of large systems, whose matrices are kept without their zeros.
#pragma once

#include "driver/backend.hpp"

namespace lacon::inline large {

/// By Taylor series, elements side by side in lanes. What it lacks beside the dense backend:
/// contacts, controls, decisions within constraints (why_not_large), other methods, steps over
/// singular positions, diagnosis along the run. `hands_over`: whether a run that comes to a
/// singular position may end there for the dense backend to go on.
std::unique_ptr<Backend> make_sparse_backend(const DerivedModel& details, const RunPlan& plan,
                                             bool hands_over);

}  // namespace lacon::large
