// A mechanism whose efforts come from another controller or from a file.
#pragma once

#include <memory>

#include "lacon/motion.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline driver {

/// The mechanism as it is run where options say who computes its efforts (RunOptions::controller,
/// feedforward); none where they do not. Throws std::invalid_argument for what does not fit the
/// mechanism or the time span.
std::shared_ptr<const DerivedModel> with_effort_source(const DerivedModel& details,
                                                       const RunOptions& options);

}  // namespace lacon::driver
