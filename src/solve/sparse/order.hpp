// Chooses an elimination order with little fill.
#pragma once

#include <string>

#include "solve/sparse/tree.hpp"

namespace lacon::solving::inline sparse {

/// A constraint on the order: unknown `rows_from` and those behind it are rows, and each comes
/// after all unknowns before `rows_from` it touches.
struct OrderRequest {
    SparseOptions::Order kind = SparseOptions::Order::automatic;
    std::size_t rows_from = static_cast<std::size_t>(-1);
};

struct OrderChoice {
    Elimination elimination;
    std::string name;  // "natural", "degree", "dissection"
    std::string why;   // the figures that decided
};

/// `graph`: both triangles, no diagonal. Natural where it fills hardly anything; else minimum
/// degree, or nested dissection where that makes fewer operations.
OrderChoice choose_order(const SparsePattern& graph, const OrderRequest& request);

}  // namespace lacon::solving::sparse
