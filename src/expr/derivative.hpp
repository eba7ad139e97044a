// Derivatives of expressions as expressions: along a direction, by one symbol, or a whole gradient.
#pragma once

#include <span>
#include <vector>

#include "expr/graph.hpp"

/// Symbolic differentiation: forward (along a direction) and reverse (a whole gradient), from one
/// table of partial derivatives.
namespace lacon::inline expr {

/// A symbol and the rate at which it changes: d(symbol) = rate.
struct Seed {
    Expr symbol;
    Expr rate;
};

/// Σ ∂e/∂symbol · rate: forward differentiation. With one seed of rate 1, a partial derivative;
/// with (q, q'), (q', q''), (t, 1), the total time derivative.
std::vector<Expr> directional(Graph& graph, std::span<const Expr> roots,
                              std::span<const Seed> seeds);
Expr directional(Graph& graph, Expr root, std::span<const Seed> seeds);

/// ∂root/∂symbol.
Expr derivative(Graph& graph, Expr root, Expr symbol);

/// ∂root/∂symbol for all symbols at once: reverse differentiation, at a cost that hardly depends on
/// their number.
std::vector<Expr> gradient(Graph& graph, Expr root, std::span<const Expr> symbols);

}  // namespace lacon::expr
