// Tells whether two models differ in parameter values only.
#pragma once

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline ensemble {

/// Whether two systems have the same equations but for the values of parameters: then one code
/// serves both.
bool same_equations(const DerivedModel& a, const DerivedModel& b);

}  // namespace lacon::ensemble
