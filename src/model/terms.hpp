// Splits long sums in energies into terms of few coordinates, each an element of its own.
#pragma once

#include <functional>
#include <vector>

#include "expr/graph.hpp"

/// Energies as sums of terms, each of few coordinates.
namespace lacon::inline model {

/// The numbers of the coordinates that an expression uses, by value or derivative: increasing, each
/// once.
using CoordinatesOf = std::function<std::vector<std::size_t>(Expr)>;

/// Whether the expression is a sum of very many terms, or such a sum times a factor, as `sum(… for
/// i in 1..N)` makes them.
bool is_long_sum(const Graph& graph, Expr e);

/// Takes a sum apart into terms that are elements of their own: a sum, or a sum times a factor
/// without coordinates, gives one term for each set of coordinates in it. Adds expressions to the
/// graph.
std::vector<Expr> separate_terms(Graph& graph, Expr e, const CoordinatesOf& coordinates_of);

}  // namespace lacon::model
