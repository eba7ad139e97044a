// Sentences for dependent sets, for warnings about singular positions and for their outcome.
#pragma once

#include "lacon/motion.hpp"
#include "mechanics/system/derived_model.hpp"

/// What a diagnosis along a motion says, in the user's names.
namespace lacon::inline driver {

/// Those of the sets that were not there `before`, by the rows in them; all of them where that
/// leaves none.
std::vector<NamedSet> named_sets_added(const DerivedModel& details,
                                       const std::vector<DependentSet>& sets,
                                       const std::vector<DependentSet>& before);

/// "'left' + 0.5 'right' - 'coupler'".
std::string sum_of(const NamedSet& set);
/// "'left' - 'right' depend on each other", "'blade' says nothing".
std::string describe(const NamedSet& set);

/// A sentence for a warning, without its time.
std::string describe(const MotionDiagnosis::Warning& warning);
/// What came of it: "a singular position was reached at t = 0.31", …
std::string outcome_of(const MotionDiagnosis::Warning& warning);

}  // namespace lacon::driver
