// Products with sparse matrices, transposition by counting, connected parts by union–find.
#include "solve/sparse/pattern.hpp"

#include <algorithm>
#include <numeric>

namespace lacon::solving::inline sparse {

void add_product(const SparsePattern& X, std::span<const double> values, double k,
                 std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < X.rows; ++i) {
        double sum = 0.0;
        for (std::size_t e = X.begin[i]; e < X.begin[i + 1]; ++e) sum += values[e] * x[X.column[e]];
        y[i] += k * sum;
    }
}

void add_transposed(const SparsePattern& X, std::span<const double> values, double k,
                    std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < X.rows; ++i) {
        const double factor = k * x[i];
        for (std::size_t e = X.begin[i]; e < X.begin[i + 1]; ++e)
            y[X.column[e]] += values[e] * factor;
    }
}

void add_symmetric(const SparsePattern& M, std::span<const double> values, double k,
                   std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < M.rows; ++i) {
        double sum = 0.0;
        for (std::size_t e = M.begin[i]; e < M.begin[i + 1]; ++e) {
            const std::size_t j = M.column[e];
            sum += values[e] * x[j];
            if (j != i) y[j] += k * values[e] * x[i];
        }
        y[i] += k * sum;
    }
}

SparsePattern columns_of(const SparsePattern& X) {
    SparsePattern T{X.cols, X.rows, std::vector<std::size_t>(X.cols + 1, 0),
                    std::vector<Place>(X.entries())};
    for (const Place j : X.column) ++T.begin[j + 1];
    std::partial_sum(T.begin.begin(), T.begin.end(), T.begin.begin());
    std::vector<std::size_t> next(T.begin.begin(), T.begin.end() - 1);
    for (std::size_t i = 0; i < X.rows; ++i)
        for (const Place j : row_of(X, i)) T.column[next[j]++] = static_cast<Place>(i);
    return T;
}

Transposed transpose(const SparsePattern& X) {
    Transposed T{columns_of(X), std::vector<Place>(X.entries())};
    std::vector<std::size_t> next(T.pattern.begin.begin(), T.pattern.begin.end() - 1);
    for (std::size_t e = 0; e < X.entries(); ++e)
        T.source[next[X.column[e]]++] = static_cast<Place>(e);
    return T;
}

Islands::Islands(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), Place{0});
}

Place Islands::root(Place a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
}

void Islands::join(Place a, Place b) {
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

std::vector<Place> Islands::number() {
    std::vector<Place> of(parent_.size());
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < of.size(); ++i) {
        const Place at = root(static_cast<Place>(i));  // the smallest of its part
        of[i] = at == i ? static_cast<Place>(sizes.size()) : of[at];
        if (at == i) sizes.push_back(0);
        ++sizes[of[i]];
    }
    count = sizes.size();
    largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
    return of;
}

}  // namespace lacon::solving::sparse
