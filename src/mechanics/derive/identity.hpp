// Tests numerically whether two expressions are the same function.
#pragma once

#include "expr/graph.hpp"

namespace lacon::inline mechanics {

/// Whether two expressions agree at random values of their symbols (fixed seed), to rounding: a
/// test of identity for forms that simplification leaves different. Points where either is not
/// finite are passed over; false if none was left.
bool numerically_equal(const Graph& graph, Expr a, Expr b);

}  // namespace lacon::mechanics
