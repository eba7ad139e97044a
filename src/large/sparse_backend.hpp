// Runs of large systems, whose matrices are kept without their zeros.
#pragma once

#include "driver/backend/backend.hpp"

namespace lacon::inline large {

/// What the sparse backend has of the capabilities of the driver; the others it lacks.
inline constexpr Capabilities sparse_capabilities{Capability::far_conflicts};

/// By Taylor series, elements side by side in lanes. Of models it does not take contacts, controls
/// and decisions within constraints (why_not_large). `hands_over`: whether a run that comes to a
/// singular position may end there for the dense backend to go on.
std::unique_ptr<Backend> make_sparse_backend(const DerivedModel& details, const RunPlan& plan,
                                             bool hands_over);

}  // namespace lacon::large
