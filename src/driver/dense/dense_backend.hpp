// Runs with dense matrices: the backend for small systems, which can do everything.
#pragma once

#include "driver/backend/backend.hpp"

namespace lacon::inline driver {

std::unique_ptr<Backend> make_dense_backend(const DerivedModel& details, const RunPlan& plan);

}  // namespace lacon::driver
