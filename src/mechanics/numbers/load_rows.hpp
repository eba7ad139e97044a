// Finds the constraint rows whose multipliers enter the non-ideal force c.
#pragma once

#include <vector>

#include "mechanics/system/system.hpp"

namespace lacon::inline mechanics {

/// The rows whose multipliers other forces depend on (theory 4.5): by `load(C)` in a `nonideal`
/// statement, or by friction that slides. Increasing.
std::vector<std::size_t> load_rows(const System& system);

}  // namespace lacon::mechanics
