// Symbolic elimination: tree, column counts and cost of L D Lᵀ from the pattern alone.
#pragma once

#include <vector>

#include "solve/sparse/pattern.hpp"

namespace lacon::solving::inline sparse {

/// What elimination makes of a symmetric pattern, before any number is known. `lower`: the entries
/// left of the diagonal, by rows. parent[j]: the first row below the diagonal of column j of L,
/// `nowhere` for the root of a tree.
std::vector<Place> elimination_tree(const SparsePattern& lower);

/// Children before parents, every subtree together: order[k] is the k-th node. The identity where
/// that already is so.
std::vector<Place> postorder(const std::vector<Place>& parent);

/// Entries below the diagonal of each column of L, without making L: in time nearly linear in the
/// entries of `lower` (Gilbert, Ng and Peyton 1994). `order` is a postorder.
std::vector<Place> column_counts(const SparsePattern& lower, const std::vector<Place>& parent,
                                 const std::vector<Place>& order);

/// An order of elimination with all that follows from it.
struct Elimination {
    std::vector<Place> order;   // order[k]: the unknown eliminated k-th
    std::vector<Place> place;   // its inverse
    SparsePattern lower;        // strictly lower triangle of the permuted matrix, by rows
    std::vector<Place> parent;  // of the tree: a postorder already
    std::vector<Place> counts;  // entries of the columns of L below the diagonal
    std::size_t entries = 0;    // their sum
    double operations = 0.0;    // Σ (c² + 3 c): additions and multiplications of L D Lᵀ

    std::size_t size() const { return order.size(); }
};

/// Of a graph (both triangles, no diagonal), eliminated in the given order or an equivalent one
/// that is a postorder.
Elimination eliminate(const SparsePattern& graph, std::vector<Place> order);

}  // namespace lacon::solving::sparse
