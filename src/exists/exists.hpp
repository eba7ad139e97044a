// Existence and uniqueness (theory 5) for a derived system; lacon/exists.hpp is the public form.
#pragma once

#include "lacon/exists.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline existence {

/// As the public one, for the rest of the library: from `start`, which meets the constraints or
/// says why not.
Existence exists(const DerivedModel& details, const Start& start, const ExistsOptions& options);

}  // namespace lacon::existence
