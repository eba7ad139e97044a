// Blocks are the connected parts of the pattern, and each gets a Cholesky factorization. A pivot
// that vanishes or is negative names a coordinate for the message. Diagonal matrices skip all that.
#include "solve/sparse/mass.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::solving::inline sparse {

namespace {

// As MassMetric: a pivot of the block scaled to unit diagonal within this of zero is none.
constexpr double pivot_tol = 1e-12;

}  // namespace

BlockMass::BlockMass(const SparsePattern& mass) : begin_{0} {
    const std::size_t n = mass.rows;
    Islands islands(n);
    for (std::size_t i = 0; i < n; ++i)
        for (const Place j : row_of(mass, i)) islands.join(static_cast<Place>(i), j);
    block_ = islands.number();
    small_ = islands.largest <= largest_block;
    diagonal_ = islands.largest <= 1;
    begin_.assign(islands.count + 1, 0);
    for (const Place block : block_) ++begin_[block + 1];
    for (std::size_t k = 0; k < islands.count; ++k) begin_[k + 1] += begin_[k];
    coordinate_.resize(n);
    position_.resize(n);
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t j = 0; j < n; ++j) {
        position_[j] = static_cast<Place>(next[block_[j]]++);
        coordinate_[position_[j]] = static_cast<Place>(j);
    }
    inverse_.resize(n);
    if (diagonal_ || !small_) return;
    factor_at_.assign(islands.count + 1, 0);
    for (std::size_t k = 0; k < islands.count; ++k)
        factor_at_[k + 1] = factor_at_[k] + size(k) * size(k);
    L_.resize(factor_at_.back());
}

BlockMass::Kind BlockMass::factor(const SparsePattern& mass, std::span<const double> values) {
    if (std::equal(values.begin(), values.end(), last_.begin(), last_.end()) && !last_.empty())
        return kind_;
    last_.assign(values.begin(), values.end());
    kind_ = Kind::definite;
    least_ = 1.0;
    std::fill(L_.begin(), L_.end(), 0.0);
    if (diagonal_) {
        for (std::size_t j = 0; j < mass.rows; ++j) {
            const double m = mass.begin[j + 1] > mass.begin[j] ? values[mass.begin[j]] : 0.0;
            inverse_[j] = m > 0.0 ? 1.0 / std::sqrt(m) : 0.0;
            if (m > 0.0 || kind_ == Kind::indefinite) continue;
            if (m < 0.0 || kind_ == Kind::definite) concerned_ = static_cast<Place>(j);
            kind_ = m < 0.0 ? Kind::indefinite : Kind::semidefinite;
        }
        return kind_;
    }
    for (std::size_t i = 0; i < mass.rows; ++i) {
        const std::size_t block = block_[i], s = size(block), a = position_[i] - begin_[block];
        for (std::size_t e = mass.begin[i]; e < mass.begin[i + 1]; ++e) {
            const std::size_t b = position_[mass.column[e]] - begin_[block];
            L_[factor_at_[block] + std::max(a, b) * s + std::min(a, b)] = values[e];
        }
    }
    for (std::size_t block = 0; block < blocks() && kind_ != Kind::indefinite; ++block) {
        const Kind kind = factor_block(block);
        if (kind != Kind::definite) kind_ = kind;
    }
    return kind_;
}

BlockMass::Kind BlockMass::factor_block(std::size_t block) {
    const std::size_t s = size(block);
    double* L = L_.data() + factor_at_[block];
    Kind kind = Kind::definite;
    for (std::size_t i = 0; i < s; ++i) {
        const double diagonal = L[i * s + i];
        double pivot = diagonal, size_of_row = 0.0;
        for (std::size_t j = 0; j < i; ++j) {
            double sum = L[i * s + j];
            size_of_row += std::abs(sum);
            for (std::size_t k = 0; k < j; ++k) sum -= L[i * s + k] * L[j * s + k];
            L[i * s + j] = sum * inverse_[begin_[block] + j];
            pivot -= L[i * s + j] * L[i * s + j];
        }
        for (std::size_t k = i + 1; k < s; ++k) size_of_row += std::abs(L[k * s + i]);
        const bool negative = diagonal < 0.0 || (diagonal == 0.0 && size_of_row > 0.0) ||
                              pivot < -pivot_tol * diagonal;
        const bool vanishes = !(pivot > pivot_tol * diagonal);
        inverse_[begin_[block] + i] = vanishes ? 0.0 : 1.0 / std::sqrt(pivot);
        L[i * s + i] = vanishes ? 0.0 : std::sqrt(pivot);
        if (!vanishes) least_ = std::min(least_, pivot / diagonal);
        if (!vanishes && !negative) continue;
        if (kind == Kind::definite || negative) concerned_ = coordinate_[begin_[block] + i];
        kind = negative ? Kind::indefinite : Kind::semidefinite;
        if (negative) return kind;
    }
    return kind;
}

void BlockMass::into_block(std::size_t block, double* x) const {
    const std::size_t s = size(block);
    const double *L = L_.data() + factor_at_[block], *inverse = inverse_.data() + begin_[block];
    for (std::size_t i = 0; i < s; ++i) {
        double sum = x[i];
        for (std::size_t j = 0; j < i; ++j) sum -= L[i * s + j] * x[j];
        x[i] = sum * inverse[i];
    }
}

void BlockMass::scaled(std::span<const double> f, std::span<double> y) const {
    if (diagonal_) {
        for (std::size_t j = 0; j < y.size(); ++j) y[j] = f[j] * inverse_[j];
        return;
    }
    for (std::size_t p = 0; p < y.size(); ++p) y[p] = f[coordinate_[p]];
    for (std::size_t block = 0; block < blocks(); ++block)
        into_block(block, y.data() + begin_[block]);
}

void BlockMass::acceleration(std::span<const double> y, std::span<double> x) const {
    if (diagonal_) {
        for (std::size_t j = 0; j < y.size(); ++j) x[j] = y[j] * inverse_[j];
        return;
    }
    double part[largest_block];
    for (std::size_t block = 0; block < blocks(); ++block) {
        const std::size_t s = size(block), first = begin_[block];
        const double* L = L_.data() + factor_at_[block];
        for (std::size_t i = s; i-- > 0;) {
            double sum = y[first + i];
            for (std::size_t k = i + 1; k < s; ++k) sum -= L[k * s + i] * part[k];
            part[i] = sum * inverse_[first + i];
            x[coordinate_[first + i]] = part[i];
        }
    }
}

}  // namespace lacon::solving::sparse
