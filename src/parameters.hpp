// The same mechanism with other values of its parameters.
#pragma once

#include <memory>

#include "mechanics/system/derived_model.hpp"

namespace lacon {

/// Shares the model and the system. Throws std::invalid_argument as Mechanism::with_parameters.
std::shared_ptr<const DerivedModel> with_parameters(const DerivedModel& details,
                                                    const Settings& values);

}  // namespace lacon
