// The whole system of theory 1 at once: M x − Aᵀ λ = f, A x = r as K [x; −λ] = [f; r].
#include "solve/sparse/kkt.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::solving::inline sparse {

KktRoad::KktRoad(std::shared_ptr<const SparsePattern> mass,
                 std::shared_ptr<const SparsePattern> rows, bool with_squares)
    : mass_(std::move(mass)),
      rows_(std::move(rows)),
      with_squares_(with_squares),
      columns_(transpose(*rows_)),
      base_(mass_->entries() + rows_->entries()),
      scale_(unknowns()) {}

double KktRoad::products() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_->rows; ++i) {
        const double length = static_cast<double>(rows_->begin[i + 1] - rows_->begin[i]);
        sum += length * length;
    }
    return sum;
}

SparsePattern KktRoad::graph() const {
    const std::size_t n = coordinates(), N = unknowns();
    const SparsePattern upper = columns_of(*mass_);
    SparsePattern graph{N, N, {0}, {}};
    graph.begin.reserve(N + 1);
    for (std::size_t j = 0; j < n; ++j) {
        const std::size_t from = graph.column.size();
        for (const Place k : row_of(*mass_, j))
            if (k != j) graph.column.push_back(k);
        for (const Place k : row_of(upper, j))
            if (k != j) graph.column.push_back(k);
        for (const Place i : row_of(columns_.pattern, j)) {
            graph.column.push_back(static_cast<Place>(n + i));
            if (!with_squares_) continue;
            for (const Place k : row_of(*rows_, i))
                if (k != j) graph.column.push_back(k);
        }
        const auto first = graph.column.begin() + static_cast<std::ptrdiff_t>(from);
        std::sort(first, graph.column.end());
        graph.column.erase(std::unique(first, graph.column.end()), graph.column.end());
        graph.begin.push_back(graph.column.size());
    }
    for (std::size_t i = 0; i < rows_->rows; ++i) {
        const auto row = row_of(*rows_, i);
        graph.column.insert(graph.column.end(), row.begin(), row.end());
        graph.begin.push_back(graph.column.size());
    }
    return graph;
}

void KktRoad::assemble(const Elimination& elimination) {
    struct Part {
        Place column, source;  // source: nowhere for a term
        Assembly::Term term;
    };
    const std::size_t n = coordinates(), entries_of_mass = mass_->entries();
    const Transposed upper = transpose(*mass_);
    below_ = diagonal_ = {};
    below_.first_term.push_back(0);
    diagonal_.first_term.push_back(0);
    std::vector<Part> parts;
    const auto flush = [&](std::size_t k) {  // the parts of row k, diagonal included
        std::stable_sort(parts.begin(), parts.end(),
                         [](const Part& a, const Part& b) { return a.column < b.column; });
        bool has_diagonal = false;
        for (std::size_t p = 0; p < parts.size();) {
            const bool on_diagonal = parts[p].column == k;
            Assembly& to = on_diagonal ? diagonal_ : below_;
            has_diagonal = has_diagonal || on_diagonal;
            Place source = nowhere;
            const Place column = parts[p].column;
            for (; p < parts.size() && parts[p].column == column; ++p) {
                if (parts[p].source != nowhere) {
                    source = parts[p].source;
                } else {
                    to.terms.push_back(parts[p].term);
                }
            }
            to.source.push_back(source);
            to.first_term.push_back(static_cast<Place>(to.terms.size()));
        }
        if (has_diagonal) return;
        diagonal_.source.push_back(nowhere);
        diagonal_.first_term.push_back(static_cast<Place>(diagonal_.terms.size()));
    };
    for (std::size_t k = 0; k < elimination.size(); ++k) {
        const Place unknown = elimination.order[k];
        parts.clear();
        const auto add = [&](std::size_t other, std::size_t source) {
            if (elimination.place[other] <= k)
                parts.push_back({elimination.place[other], static_cast<Place>(source), {}});
        };
        if (unknown >= n) {
            const std::size_t i = unknown - n;
            for (std::size_t e = rows_->begin[i]; e < rows_->begin[i + 1]; ++e)
                add(rows_->column[e], entries_of_mass + e);
        } else {
            for (std::size_t e = mass_->begin[unknown]; e < mass_->begin[unknown + 1]; ++e)
                add(mass_->column[e], e);
            for (std::size_t e = upper.pattern.begin[unknown]; e < upper.pattern.begin[unknown + 1];
                 ++e)
                if (upper.pattern.column[e] != unknown)
                    add(upper.pattern.column[e], upper.source[e]);
            for (std::size_t c = columns_.pattern.begin[unknown];
                 c < columns_.pattern.begin[unknown + 1]; ++c) {
                const Place i = columns_.pattern.column[c];
                add(n + i, entries_of_mass + columns_.source[c]);
                if (!with_squares_) continue;
                for (std::size_t e = rows_->begin[i]; e < rows_->begin[i + 1]; ++e) {
                    const Place other = elimination.place[rows_->column[e]];
                    if (other <= k)
                        parts.push_back(
                            {other, nowhere, {columns_.source[c], static_cast<Place>(e), 1}});
                }
            }
        }
        flush(k);
    }
    if (!with_squares_) {
        below_.first_term.clear();
        diagonal_.first_term.clear();
    }
    below_.finish();
    diagonal_.finish();
}

namespace {

// The power of two next below 1/√x.
double scale_to_unit(double square) {
    if (!(square > 0.0) || !std::isfinite(square)) return 1.0;
    int exponent = 0;
    std::frexp(square, &exponent);
    return std::ldexp(1.0, -((exponent - (exponent & 1)) / 2));
}

}  // namespace

void KktRoad::scale(std::span<const double> M, std::span<const double> A) {
    const std::size_t n = coordinates(), entries_of_mass = mass_->entries();
    for (std::size_t j = 0; j < n; ++j) {
        const std::size_t last = mass_->begin[j + 1];  // the diagonal is the last of its row
        const double m = last > mass_->begin[j] && mass_->column[last - 1] == j ? M[last - 1] : 0.0;
        scale_[j] = m > 0.0 ? scale_to_unit(m) : 0.0;
    }
    // Coordinates without mass: so that what their rows say about them is near 1.
    const SparsePattern& T = columns_.pattern;
    for (std::size_t j = 0; j < n; ++j) {
        if (scale_[j] != 0.0) continue;
        double square = 0.0;
        for (std::size_t c = T.begin[j]; c < T.begin[j + 1]; ++c) {
            const Place i = T.column[c];
            double largest = 0.0;
            for (std::size_t e = rows_->begin[i]; e < rows_->begin[i + 1]; ++e)
                largest = std::max(largest, std::abs(A[e]));
            if (largest > 0.0)
                square += (A[columns_.source[c]] / largest) * (A[columns_.source[c]] / largest);
        }
        scale_[j] = scale_to_unit(square);
    }
    for (std::size_t i = 0; i < rows_->rows; ++i) {
        double square = 0.0;
        for (std::size_t e = rows_->begin[i]; e < rows_->begin[i + 1]; ++e) {
            const double a = A[e] * scale_[rows_->column[e]];
            square += a * a;
        }
        scale_[n + i] = scale_to_unit(square);
        for (std::size_t e = rows_->begin[i]; e < rows_->begin[i + 1]; ++e)
            base_[entries_of_mass + e] = A[e] * scale_[rows_->column[e]] * scale_[n + i];
    }
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t e = mass_->begin[j]; e < mass_->begin[j + 1]; ++e)
            base_[e] = M[e] * scale_[j] * scale_[mass_->column[e]];
}

}  // namespace lacon::solving::sparse
