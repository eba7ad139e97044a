// Tells whether two models differ in parameter values only.
#pragma once

#include "mechanics/details.hpp"

namespace lacon {

/// Whether two systems have the same equations but for the values of parameters: then one code
/// serves both.
bool same_equations(const SystemDetails& a, const SystemDetails& b);

}  // namespace lacon
