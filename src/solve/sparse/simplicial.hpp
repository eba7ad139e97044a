// Sparse LDLᵀ with dropped pivots, row by row: for factors with little fill, and in double-double.
#pragma once

#include <span>
#include <vector>

#include "solve/dense/matrix/twofold.hpp"
#include "solve/sparse/threads.hpp"
#include "solve/sparse/tree.hpp"

namespace lacon::solving::inline sparse {

/// The numbers of a matrix K in the order of its elimination.
template <class T>
struct Permuted {
    /// In the order of Elimination::lower (simplicial) or of its columns (supernodal).
    std::span<const T> below;
    std::span<const T> diagonal;  // (N)
};

/// Which pivots vanish. Without `is_row` K is positive semidefinite with unit diagonal, and pivots
/// count as they are. With it, K = [M Aᵀ; A 0]: coordinates have positive pivots, relative to their
/// diagonal; rows negative ones, minus the square of the length they keep, relative to what the
/// coordinates before them make of it (the sum that those of other rows are taken from).
struct PivotRule {
    std::span<const char> is_row = {};
    double drop_row = 0.0;         // a row is dropped at or below this
    double drop_coordinate = 0.0;  // a coordinate has no pivot at or below this

    bool row(std::size_t k) const { return is_row.empty() || is_row[k]; }
    double least(std::size_t k) const { return row(k) ? drop_row : drop_coordinate; }
};

/// An entry of a row of L.
struct RowEntry {
    Place column;
    double value;
};

/// L D Lᵀ row by row (up-looking), columns of L kept one by one. A pivot that vanishes is dropped
/// with its column: what is left solves with a g-inverse of K.
template <class T>
class SimplicialLdlt {
public:
    explicit SimplicialLdlt(const Elimination& elimination);

    void factor(const Permuted<T>& K, const PivotRule& rule, std::size_t threads);
    /// x ← K⁻ x (N), in the order of elimination; by as many threads as it was factored by, tree by
    /// tree.
    void solve(std::span<T> x) const;

    const std::vector<double>& pivots() const {
        return pivots_;
    }  ///< (N), relative, before dropping
    bool is_dropped(std::size_t k) const { return static_cast<double>(inverse_[k]) == 0.0; }
    /// Row i of L without its diagonal, by columns in no order; 0 in those that were dropped.
    void row(Place i, std::vector<RowEntry>& out) const;

private:
    void factor_chain(const Permuted<T>& K, const PivotRule& rule);
    void factor_rows(const Permuted<T>& K, const PivotRule& rule, std::size_t from, std::size_t to);
    void share_work(std::size_t threads);
    void solve_trees(std::span<T> x, Range columns) const;
    void find_structure();
    void set_pivot(std::size_t i, T d, double relative, const PivotRule& rule);

    const Elimination* e_;
    bool chain_;                      // every column of L has its entry in the next row, or none
    std::vector<std::size_t> begin_;  // of the columns
    std::vector<Place> index_;        // rows of the entries
    std::vector<T> value_;
    std::vector<double> pivots_;
    std::vector<T> inverse_;  // 1 / d, 0 where dropped
    std::vector<std::size_t> row_begin_;
    std::vector<Place> row_columns_;  // of the rows of L, increasing
    std::vector<Place> filled_;       // entries of each column so far
    std::vector<T> y_;
    std::vector<Range> factored_, solved_;  // columns, that threads take
    std::size_t shared_for_ = 0;            // threads
};

extern template class SimplicialLdlt<double>;
extern template class SimplicialLdlt<Twofold>;

}  // namespace lacon::solving::sparse
