// Rewrites an expression for printing.
#pragma once

#include "expr/graph.hpp"

namespace lacon::inline expr {

/// An equal expression that reads better: products multiplied out where terms then meet or cancel,
/// sums of angles for products of sines and cosines, common factors in front. For printing;
/// evaluation uses the forms as they were derived. Returns `e` itself where the result would be
/// longer.
Expr tidy(Graph& graph, Expr e);

}  // namespace lacon::expr
