// The inputs of programs over a shape.
#pragma once

#include "mechanics/system/system.hpp"

namespace lacon::inline mechanics {

/// The local symbols of a shape in the order in which programs over whole motions take them: q, q',
/// t, p.
std::vector<Expr> inputs_of(const System& system, const Shape& shape);

}  // namespace lacon::mechanics
