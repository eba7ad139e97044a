// Explains why constraints contradict each other at the start.
#pragma once

#include "lacon/diagnosis.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::diagnosis {

/// The sets of constraints that contradict each other at the start, with what the last of each asks
/// for and what the others make of it: found at the state nearest to the best compromise that meets
/// all but the last ones.
std::vector<Dependency> start_conflicts(const DerivedModel& whole, const Start& start,
                                        const DiagnosisOptions& options);

}  // namespace lacon::diagnosis
