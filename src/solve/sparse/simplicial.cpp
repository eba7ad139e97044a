// L D Lᵀ by rows: row i of L solves with the rows before it (Davis 2005), pivots that vanish are
// dropped (solve/dense/matrix/dropped_ldlt.hpp).
#include "solve/sparse/simplicial.hpp"

#include <algorithm>
#include <cmath>

#include "solve/sparse/threads.hpp"

namespace lacon::solving::inline sparse {

template <class T>
SimplicialLdlt<T>::SimplicialLdlt(const Elimination& elimination) : e_(&elimination) {
    const std::size_t n = elimination.size();
    begin_.assign(n + 1, 0);
    for (std::size_t j = 0; j < n; ++j) begin_[j + 1] = begin_[j] + elimination.counts[j];
    chain_ = true;
    for (std::size_t j = 0; j < n && chain_; ++j)
        chain_ = elimination.counts[j] <= 1 &&
                 (elimination.parent[j] == nowhere || elimination.parent[j] == j + 1);
    value_.resize(begin_[n]);
    pivots_.resize(n);
    inverse_.resize(n);
    if (chain_) return;
    filled_.resize(n);
    y_.resize(n);
    find_structure();
}

template <class T>
void SimplicialLdlt<T>::set_pivot(std::size_t i, T d, double relative, const PivotRule& rule) {
    pivots_[i] = relative;
    inverse_[i] = relative > rule.least(i) ? T(1.0) / d : T(0.0);
}

// What the pivot is relative to, and its sign.
namespace {

template <class T>
double relative_pivot(const T& d, const T& diagonal, const T& gained, bool row_of_pair) {
    const double reference =
        row_of_pair ? -static_cast<double>(gained) : static_cast<double>(diagonal);
    return reference == 0.0 ? 0.0 : static_cast<double>(d) / reference;
}

}  // namespace

template <class T>
void SimplicialLdlt<T>::factor_chain(const Permuted<T>& K, const PivotRule& rule) {
    const auto& lower = e_->lower;
    T inverse = 0.0;
    for (std::size_t i = 0; i < e_->size(); ++i) {
        T d = K.diagonal[i], gained = 0.0;
        if (lower.begin[i + 1] > lower.begin[i]) {
            const T y = K.below[lower.begin[i]], l = y * inverse, taken = l * y;
            value_[begin_[i - 1]] = l;
            d -= taken;
            if (static_cast<double>(taken) > 0.0) gained = taken;
        }
        const bool pair_row = !rule.is_row.empty() && rule.is_row[i];
        set_pivot(i, d, relative_pivot(d, K.diagonal[i], gained, pair_row), rule);
        inverse = inverse_[i];
    }
}

// Row i of L has entries in the columns from those of K up the tree to i. Columns first, filled row
// by row; then by rows.
template <class T>
void SimplicialLdlt<T>::find_structure() {
    const std::size_t n = e_->size();
    std::vector<Place> mark(n, nowhere);
    index_.resize(begin_[n]);
    row_begin_.assign(n + 1, 0);
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < n; ++i) {
        const Place row = static_cast<Place>(i);
        mark[i] = row;
        for (Place j : row_of(e_->lower, i))
            for (; mark[j] != row; j = e_->parent[j]) {
                mark[j] = row;
                index_[next[j]++] = row;
                ++row_begin_[i + 1];
            }
    }
    for (std::size_t i = 0; i < n; ++i) row_begin_[i + 1] += row_begin_[i];
    row_columns_.resize(begin_[n]);
    next.assign(row_begin_.begin(), row_begin_.end() - 1);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e)
            row_columns_[next[index_[e]]++] = static_cast<Place>(j);
}

template <class T>
void SimplicialLdlt<T>::factor_rows(const Permuted<T>& K, const PivotRule& rule, std::size_t from,
                                    std::size_t to) {
    const auto& lower = e_->lower;
    for (std::size_t i = from; i < to; ++i) {
        filled_[i] = 0;
        for (std::size_t e = lower.begin[i]; e < lower.begin[i + 1]; ++e)
            y_[lower.column[e]] = K.below[e];
        T d = K.diagonal[i], gained = 0.0;
        for (std::size_t r = row_begin_[i]; r < row_begin_[i + 1]; ++r) {
            const Place j = row_columns_[r];
            const T y = y_[j], l = y * inverse_[j], taken = l * y;
            y_[j] = T(0.0);
            const std::size_t begin = begin_[j], end = begin + filled_[j]++;
            value_[end] = l;
            if (static_cast<double>(l) == 0.0) continue;
            for (std::size_t e = begin; e < end; ++e) y_[index_[e]] -= value_[e] * y;
            d -= taken;
            if (static_cast<double>(taken) > 0.0) gained += taken;
        }
        const bool pair_row = !rule.is_row.empty() && rule.is_row[i];
        set_pivot(i, d, relative_pivot(d, K.diagonal[i], gained, pair_row), rule);
    }
}

template <class T>
void SimplicialLdlt<T>::factor(const Permuted<T>& K, const PivotRule& rule, std::size_t threads) {
    share_work(threads);
    if (chain_) return factor_chain(K, rule);
    std::fill(y_.begin(), y_.end(), T(0.0));  // what is left of numbers that were not finite
    run_parallel(factored_.size(), threads,
                 [&](std::size_t k) { factor_rows(K, rule, factored_[k].from, factored_[k].to); });
}

template <class T>
void SimplicialLdlt<T>::share_work(std::size_t threads) {
    if (shared_for_ == threads) return;
    shared_for_ = threads;
    std::vector<double> factoring(threads > 1 ? e_->size() : 0), solving(factoring.size());
    for (std::size_t j = 0; j < factoring.size(); ++j) {
        const double count = e_->counts[j];
        // Operations of a column and what it costs to begin one, only to share out the work. Not
        // critical.
        factoring[j] = 20.0 + count * (count + 3.0);
        solving[j] = 4.0 + 4.0 * count;
    }
    factored_ = share_trees(e_->parent, factoring, threads);
    solved_ = share_trees(e_->parent, solving, threads);
}

template <class T>
void SimplicialLdlt<T>::row(Place i, std::vector<RowEntry>& out) const {
    out.clear();
    if (chain_) {
        if (i > 0 && begin_[i] > begin_[i - 1])
            out.push_back({i - 1, static_cast<double>(value_[begin_[i - 1]])});
        return;
    }
    for (std::size_t r = row_begin_[i]; r < row_begin_[i + 1]; ++r) {
        const Place j = row_columns_[r];
        const auto first = index_.begin() + static_cast<std::ptrdiff_t>(begin_[j]);
        const auto last = index_.begin() + static_cast<std::ptrdiff_t>(begin_[j + 1]);
        out.push_back(
            {j, static_cast<double>(value_[std::lower_bound(first, last, i) - index_.begin()])});
    }
}

template <class T>
void SimplicialLdlt<T>::solve(std::span<T> x) const {
    run_parallel(solved_.size(), shared_for_, [&](std::size_t k) { solve_trees(x, solved_[k]); });
}

template <class T>
void SimplicialLdlt<T>::solve_trees(std::span<T> x, Range columns) const {
    if (chain_) {
        for (std::size_t j = columns.from; j + 1 < columns.to; ++j)
            if (begin_[j + 1] > begin_[j]) x[j + 1] -= value_[begin_[j]] * x[j];
        for (std::size_t j = columns.to; j-- > columns.from;) {
            x[j] *= inverse_[j];
            if (begin_[j + 1] > begin_[j]) x[j] -= value_[begin_[j]] * x[j + 1];
        }
        return;
    }
    for (std::size_t j = columns.from; j < columns.to; ++j) {
        const T xj = x[j];
        for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e) x[index_[e]] -= value_[e] * xj;
    }
    for (std::size_t j = columns.to; j-- > columns.from;) {
        T xj = x[j] * inverse_[j];
        for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e) xj -= value_[e] * x[index_[e]];
        x[j] = xj;
    }
}

template class SimplicialLdlt<double>;
template class SimplicialLdlt<Twofold>;

}  // namespace lacon::solving::sparse
