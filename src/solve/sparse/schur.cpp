// S = A M⁻¹ Aᵀ by elements: every block of M that two rows share adds a short dot product to their
// entry.
#include "solve/sparse/schur.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::solving::inline sparse {

SchurRoad::SchurRoad(std::shared_ptr<const SparsePattern> mass,
                     std::shared_ptr<const SparsePattern> rows)
    : rows_(std::move(rows)), mass_(*mass) {
    if (!mass_.is_small()) return;
    const SparsePattern& A = *rows_;
    touched_ = {A.rows, mass_.blocks(), {0}, {}};
    touched_.begin.reserve(A.rows + 1);
    touched_.column.reserve(A.entries());
    std::size_t at = 0;
    for (std::size_t i = 0; i < A.rows; ++i) {
        const std::size_t from = touched_.column.size();
        for (const Place j : row_of(A, i)) touched_.column.push_back(mass_.block_of(j));
        const auto first = touched_.column.begin() + static_cast<std::ptrdiff_t>(from);
        std::sort(first, touched_.column.end());
        touched_.column.erase(std::unique(first, touched_.column.end()), touched_.column.end());
        touched_.begin.push_back(touched_.column.size());
        for (std::size_t e = from; e < touched_.column.size(); ++e) {
            offset_.push_back(static_cast<Place>(at));
            at += mass_.size(touched_.column[e]);
        }
    }
    Transposed turned = transpose(touched_);
    touching_ = std::move(turned.pattern);
    touching_offset_.resize(segments());
    for (std::size_t e = 0; e < segments(); ++e) touching_offset_[e] = offset_[turned.source[e]];
    joins_.assign(mass_.blocks(), 0);
    for (std::size_t k = 1; k < mass_.blocks(); ++k) {
        const auto here = row_of(touching_, k), before = row_of(touching_, k - 1);
        joins_[k] =
            !here.empty() && std::equal(here.begin(), here.end(), before.begin(), before.end());
    }
    for (std::size_t k = 0; k < mass_.blocks(); ++k) {
        const double degree = static_cast<double>(touching_.begin[k + 1] - touching_.begin[k]);
        if (!joins_[k]) products_ += degree * degree;
    }
    B_.resize(at);
    scale_.resize(A.rows);
    if (mass_.is_diagonal()) return;
    slot_.resize(A.entries());
    expanded_ = {A.rows, mass->rows, {0}, {}};
    for (std::size_t i = 0; i < A.rows; ++i) {
        for (std::size_t s = touched_.begin[i]; s < touched_.begin[i + 1]; ++s)
            for (std::size_t k = 0; k < mass_.size(touched_.column[s]); ++k)
                expanded_.column.push_back(
                    static_cast<Place>(mass_.first_of(touched_.column[s]) + k));
        expanded_.begin.push_back(expanded_.column.size());
        const auto first = touched_.column.begin() + static_cast<std::ptrdiff_t>(touched_.begin[i]);
        const auto last =
            touched_.column.begin() + static_cast<std::ptrdiff_t>(touched_.begin[i + 1]);
        for (std::size_t e = A.begin[i]; e < A.begin[i + 1]; ++e) {
            const Place block = mass_.block_of(A.column[e]);
            const std::size_t s = static_cast<std::size_t>(std::lower_bound(first, last, block) -
                                                           touched_.column.begin());
            slot_[e] = static_cast<Place>(offset_[s] + mass_.position_of(A.column[e]) -
                                          mass_.first_of(block));
        }
    }
}

SparsePattern SchurRoad::graph() const {
    const std::size_t m = rows_->rows;
    SparsePattern graph{m, m, {0}, {}};
    graph.begin.reserve(m + 1);
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t from = graph.column.size();
        for (const Place block : row_of(touched_, i)) {
            if (joins_[block]) continue;
            for (const Place k : row_of(touching_, block))
                if (k != i) graph.column.push_back(k);
        }
        const auto first = graph.column.begin() + static_cast<std::ptrdiff_t>(from);
        std::sort(first, graph.column.end());
        graph.column.erase(std::unique(first, graph.column.end()), graph.column.end());
        graph.begin.push_back(graph.column.size());
    }
    return graph;
}

Assembly SchurRoad::assembly(const Elimination& elimination) const {
    struct Shared {
        Place column;
        Assembly::Term term;
    };
    Assembly assembly;
    assembly.first_term.reserve(elimination.lower.entries() + 1);
    assembly.first_term.push_back(0);
    std::vector<Shared> shared;
    for (std::size_t k = 0; k < elimination.size(); ++k) {
        const Place i = elimination.order[k];
        shared.clear();
        for (std::size_t s = touched_.begin[i]; s < touched_.begin[i + 1]; ++s) {
            const Place block = touched_.column[s];
            if (joins_[block]) continue;
            Place length = static_cast<Place>(mass_.size(block));
            for (std::size_t next = block + 1; next < mass_.blocks() && joins_[next]; ++next)
                length += static_cast<Place>(mass_.size(next));
            for (std::size_t e = touching_.begin[block]; e < touching_.begin[block + 1]; ++e) {
                const Place other = elimination.place[touching_.column[e]];
                if (other < k) shared.push_back({other, {offset_[s], touching_offset_[e], length}});
            }
        }
        std::stable_sort(shared.begin(), shared.end(),
                         [](const Shared& a, const Shared& b) { return a.column < b.column; });
        for (std::size_t t = 0; t < shared.size(); ++t) {
            assembly.terms.push_back(shared[t].term);
            if (t + 1 == shared.size() || shared[t + 1].column != shared[t].column)
                assembly.first_term.push_back(static_cast<Place>(assembly.terms.size()));
        }
    }
    assembly.finish();
    return assembly;
}

namespace {

// 1 / |x|, also where squares leave the range of doubles; 0 for a row of zeros.
double inverse_length(const double* x, std::size_t count) {
    double square = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < count; ++k) square += x[k] * x[k];
    // Clear of under- and overflow of squares (1e±308).
    if (square > 1e-250 && square < 1e250) return 1.0 / std::sqrt(square);
    for (std::size_t k = 0; k < count; ++k) largest = std::max(largest, std::abs(x[k]));
    if (largest == 0.0) return 0.0;
    square = 0.0;
    for (std::size_t k = 0; k < count; ++k) square += (x[k] / largest) * (x[k] / largest);
    return 1.0 / (std::sqrt(square) * largest);
}

}  // namespace

// A L⁻ᵀ, rows as long as they are.
void SchurRoad::make_rows(std::span<const double> A, std::span<double> B) const {
    if (mass_.is_diagonal()) {
        for (std::size_t e = 0; e < A.size(); ++e)
            B[e] = A[e] * mass_.inverse_root(rows_->column[e]);
        return;
    }
    std::fill(B.begin(), B.end(), 0.0);
    for (std::size_t e = 0; e < A.size(); ++e) B[slot_[e]] = A[e];
    for (std::size_t s = 0; s < segments(); ++s)
        mass_.into_block(touched_.column[s], B.data() + offset_[s]);
}

void SchurRoad::scale_rows(std::span<const double> A) {
    const SparsePattern& pattern = layout();
    make_rows(A, B_);
    for (std::size_t i = 0; i < pattern.rows; ++i) {
        double* row = B_.data() + pattern.begin[i];
        const std::size_t count = pattern.begin[i + 1] - pattern.begin[i];
        scale_[i] = inverse_length(row, count);
        for (std::size_t k = 0; k < count; ++k) row[k] *= scale_[i];
    }
}

std::optional<Place> SchurRoad::pair_rows(const RowTurn& turn) {
    constexpr double least_cosine = 0.5;  // of the angle by which a row may turn
    const SparsePattern& pattern = layout();
    behind_.resize(B_.size());
    make_rows(turn.before, B_);
    make_rows(turn.behind, behind_);
    auto left_out = turn.without.begin();
    for (std::size_t i = 0; i < pattern.rows; ++i) {
        double *x = B_.data() + pattern.begin[i], *y = behind_.data() + pattern.begin[i];
        const std::size_t count = pattern.begin[i + 1] - pattern.begin[i];
        if (left_out != turn.without.end() && *left_out == i) {
            ++left_out;
            std::fill_n(x, count, 0.0);
            std::fill_n(y, count, 0.0);
            continue;
        }
        const double of_x = inverse_length(x, count), of_y = inverse_length(y, count);
        double cosine = 0.0;
        for (std::size_t k = 0; k < count; ++k) cosine += (x[k] * of_x) * (y[k] * of_y);
        if (!(cosine >= least_cosine)) return static_cast<Place>(i);
        const double scale = 1.0 / std::sqrt(cosine);
        for (std::size_t k = 0; k < count; ++k) {
            x[k] *= of_x * scale;
            y[k] *= of_y * scale;
        }
    }
    return std::nullopt;
}

Twofold SchurRoad::paired(std::size_t row) const {
    Twofold sum = 0.0;
    for (std::size_t e = layout().begin[row]; e < layout().begin[row + 1]; ++e)
        sum += twofold::product(B_[e], behind_[e]);
    return static_cast<double>(sum) > 0.0 ? sum : Twofold(1.0);
}

template <>
double SchurRoad::square(std::size_t row) const {
    return scale_[row] > 0.0 ? 1.0 : 0.0;
}

template <>
Twofold SchurRoad::square(std::size_t row) const {
    Twofold sum = 0.0;
    for (std::size_t e = layout().begin[row]; e < layout().begin[row + 1]; ++e)
        sum += twofold::product(B_[e], B_[e]);
    return sum;
}

void SchurRoad::push(std::span<const double> u, std::span<double> y) const {
    add_transposed(layout(), B_, 1.0, u, y);
}
void SchurRoad::take(std::span<const double> y, std::span<double> u) const {
    add_product(layout(), B_, -1.0, y, u);
}

}  // namespace lacon::solving::sparse
