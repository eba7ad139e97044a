// Finds the null space of M by elimination and weighs the rows that do not vanish on it (theory
// 7.1: M + AᵀWA has the same constrained motion). Where that loses its definiteness later, the
// pivots of the code tell.
#include "code/singular_mass.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline code {

namespace {

/// Symmetric elimination with the largest pivot first, in coordinates scaled to a diagonal of 1.
struct MassElimination {
    static constexpr double none = 1e-10;  // a pivot that is rounding
    std::vector<double> scale;
    std::vector<std::vector<double>> null_space;  // vectors in scaled coordinates
    double smallest = 1.0;                        // pivot
    explicit MassElimination(const Matrix& M);
};

MassElimination::MassElimination(const Matrix& M) : scale(M.rows()) {
    const std::size_t n = M.rows();
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, M(i, i));
    for (std::size_t i = 0; i < n; ++i)
        scale[i] = 1.0 / std::sqrt(M(i, i) > none * largest ? M(i, i) : largest);
    Matrix S(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) S(i, j) = scale[i] * M(i, j) * scale[j];
    std::vector<bool> done(n, false);
    for (std::size_t round = 0; round < n; ++round) {  // Gauss–Jordan on the rows that are done
        std::size_t p = n;
        for (std::size_t i = 0; i < n; ++i)
            if (!done[i] && (p == n || S(i, i) > S(p, p))) p = i;
        smallest = S(p, p);
        if (!(smallest > none)) break;
        done[p] = true;
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = i == p ? 0.0 : S(i, p) / S(p, p);
            for (std::size_t j = 0; j < n && factor != 0.0; ++j) S(i, j) -= factor * S(p, j);
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        if (done[k]) continue;
        std::vector<double> z(n, 0.0);
        z[k] = 1.0;
        for (std::size_t i = 0; i < n; ++i)
            if (done[i]) z[i] = -S(i, k) / S(i, i);
        null_space.push_back(std::move(z));
    }
}

}  // namespace

void add_rows(const Matrix& A, const std::vector<double>& weight, Matrix& M) {
    for (std::size_t r = 0; r < weight.size(); ++r)
        for (std::size_t i = 0; i < M.rows(); ++i)
            for (std::size_t j = 0; j < M.cols(); ++j) M(i, j) += weight[r] * A(r, i) * A(r, j);
}

std::vector<double> weights_of_rows(const Evaluation& at) {
    constexpr double holds = 1e-6, clear = 1e-6;  // pivots well above those that rounding leaves
    const MassElimination mass(at.M);
    const std::size_t m = at.A.rows(), n = at.A.cols();
    std::vector<double> weight(m, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        double square = 0.0, most = 0.0;
        for (std::size_t j = 0; j < n; ++j) square += std::pow(at.A(i, j) * mass.scale[j], 2);
        for (const auto& z : mass.null_space) {
            double along = 0.0;
            for (std::size_t j = 0; j < n; ++j) along += at.A(i, j) * mass.scale[j] * z[j];
            most = std::max(most, std::abs(along));
        }
        if (most > holds * std::sqrt(square)) weight[i] = 1.0 / square;
    }
    for (const std::size_t row : at.solution.unneeded) weight[row] = 0.0;
    Matrix M = at.M;
    add_rows(at.A, weight, M);
    return MassElimination(M).smallest > clear ? weight : std::vector<double>();
}

}  // namespace lacon::code
