// Lets a controller believe in other parameters than the plant has, or replay recorded efforts.
#pragma once

#include <memory>
#include <optional>

#include "control/record.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline control {

/// Who computes the efforts of a mechanism's controls, where it is not the model itself with all
/// its parameters known.
struct EffortSource {
    /// A mechanism of the same model with other parameters, which the efforts are computed for;
    /// none: the mechanism itself.
    std::shared_ptr<const DerivedModel> believed;
    std::optional<RecordedEfforts> recorded;  // the efforts are these, whatever the state is
};

/// The mechanism with this source of efforts; what it is made of is copied. Throws
/// std::invalid_argument where the believed mechanism has other coordinates, constraints or
/// actuators.
std::shared_ptr<const DerivedModel> with_effort_source(const DerivedModel& details,
                                                       EffortSource source);

}  // namespace lacon::control
