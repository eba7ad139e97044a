// The motion followed in time by verified boxes.
#pragma once

#include "lacon/exists.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline existence {

/// Follows the motion from `centre` by verified boxes as far as they go, at most to options.until
/// (later or earlier).
Verified continue_until(const DerivedModel& details, const std::vector<std::size_t>& rows,
                        const State& centre, const ExistsOptions& options);

}  // namespace lacon::existence
