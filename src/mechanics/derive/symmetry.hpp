// Checks that equations of motion given by the user have a symmetric mass matrix.
#pragma once

#include "base/diagnostic.hpp"
#include "mechanics/system/symbols.hpp"

namespace lacon::inline mechanics {

/// Checks that the mass matrix read off the `equation` rows is symmetric; an error names the two
/// entries that differ.
void check_symmetry(Model& model, const SymbolRoles& roles, Diagnostics& diagnostics);

}  // namespace lacon::mechanics
