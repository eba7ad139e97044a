// Sparse LDLᵀ with dropped pivots, in dense blocks of columns: for factors with much fill.
#pragma once

#include <memory>

#include "solve/sparse/kernels.hpp"
#include "solve/sparse/simplicial.hpp"
#include "solve/sparse/threads.hpp"

namespace lacon::solving::inline sparse {

/// Columns of L in blocks of nearly equal structure: a block is a dense trapezoid of its own
/// columns, with the rows below them.
struct Supernodes {
    std::vector<Place> first;               // column of each; (count + 1)
    std::vector<Place> of;                  // the supernode of each column
    std::vector<Place> parent;              // `nowhere` for roots
    std::vector<std::size_t> rows_begin;    // (count + 1)
    std::vector<Place> rows;                // below the own columns, increasing
    std::vector<Place> relative;            // of each of them: its place in the front of the parent
    std::vector<std::size_t> values_begin;  // of the trapezoid, columns + rows high
    double operations = 0.0;

    std::size_t count() const { return parent.size(); }
    std::size_t columns(std::size_t s) const { return first[s + 1] - first[s]; }
    std::size_t below(std::size_t s) const { return rows_begin[s + 1] - rows_begin[s]; }
    std::size_t height(std::size_t s) const { return columns(s) + below(s); }
};
/// Columns that have the same structure, and small neighbours in the tree as well, for a few zeros
/// that are stored and computed.
Supernodes find_supernodes(const Elimination& elimination, const SparsePattern& columns);

/// L D Lᵀ by fronts (multifrontal): each supernode adds up what its children leave, eliminates its
/// columns in a dense block, and leaves the rest to its parent. Subtrees run in threads; the bits
/// do not depend on how many.
class SupernodalLdlt {
public:
    explicit SupernodalLdlt(const Elimination& elimination);

    /// Entry e of its matrix is entry order()[e] of Elimination::lower: by columns.
    const std::vector<Place>& order() const { return by_columns_.source; }
    std::size_t entries() const { return s_.values_begin.back(); }
    double operations() const { return s_.operations; }

    void factor(const Permuted<double>& K, const PivotRule& rule, std::size_t threads);
    void solve(std::span<double> x) const;  ///< as SimplicialLdlt

    const std::vector<double>& pivots() const { return pivots_; }
    bool is_dropped(std::size_t k) const { return inverse_[k] == 0.0; }
    void row(Place i, std::vector<RowEntry>& out) const;

private:
    struct Task;
    struct Run;
    void share_work(std::size_t threads);
    void solve_trees(std::span<double> x, Range supernodes) const;
    void factor_front(std::size_t s, Run& run, KernelSpace& space, std::size_t threads);
    void assemble(std::size_t s, Run& run, double* panel, double* rest);
    void eliminate_panel(const FrontColumns& columns, KernelSpace& space);

    const Elimination* e_;
    Transposed by_columns_;
    Supernodes s_;
    std::vector<std::size_t> child_begin_;
    std::vector<Place> children_;
    std::vector<Place> target_;    // of each entry: its place in the trapezoid of its supernode
    std::vector<Range> subtrees_;  // of supernodes, that threads take
    std::vector<Place> top_;       // those above
    std::vector<Range> solved_;    // of supernodes, whole trees, that threads take
    std::size_t shared_for_ = 0;   // threads
    std::vector<double> values_, pivots_, d_, inverse_;
};

}  // namespace lacon::solving::sparse
