// Everything is checked that the careful solve would decide with more care: pivots of M, the gap
// between pivots of kept and dropped rows, that dropped rows lie in the span of the kept ones, and
// that all rows are met.
#include "solve/dense/constrained/steady_solve.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::solving::inline dense {

namespace {

double dot(const double* a, const double* b, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

/// Pivots of D M D, which has a unit diagonal. A condition up to about the inverse of this leaves a
/// third of the digits for constraints to take away.
constexpr double least_pivot = 1e-8;

/// A dropped row lies in the span of the kept ones: relative to unit rows, far below any rank_tol
/// that is used, and above the rounding of rows and coefficients.
constexpr double in_span = 1e-12;

}  // namespace

void SteadySolve::resize(std::size_t n, std::size_t m) {
    n_ = n;
    m_ = m;
    for (auto* v : {&d_, &free_, &x_}) v->resize(n);
    L_.resize(n * n);
    U_.resize(m * n);
    S_.resize(m * m);
    for (auto* v : {&s_, &y_, &step_, &lambda_, &share_}) v->resize(m);
    null_.resize(m * m);
    gram_.resize(m * m);
}

/// D M D = L Lᵀ.
bool SteadySolve::factor_mass(MatrixView M) {
    for (std::size_t i = 0; i < n_; ++i) {
        if (!(M(i, i) > 0.0)) return false;
        d_[i] = 1.0 / std::sqrt(M(i, i));
    }
    for (std::size_t i = 0; i < n_; ++i) {
        double* row = L_.data() + i * n_;
        for (std::size_t j = 0; j <= i; ++j) {
            const double* other = L_.data() + j * n_;
            const double symmetric = i == j ? M(i, i) : 0.5 * (M(i, j) + M(j, i));
            const double rest = d_[i] * symmetric * d_[j] - dot(row, other, j);
            if (i == j) {
                if (!(rest > least_pivot)) return false;
                row[j] = std::sqrt(rest);
            } else {
                row[j] = rest / other[j];
            }
        }
    }
    return true;
}

/// Rows A D L⁻ᵀ of unit length; a row of zeros stays one.
void SteadySolve::scale_rows(MatrixView A) {
    for (std::size_t r = 0; r < m_; ++r) {
        double* row = U_.data() + r * n_;
        for (std::size_t j = 0; j < n_; ++j)
            row[j] = (A(r, j) * d_[j] - dot(row, L_.data() + j * n_, j)) / L_[j * n_ + j];
        const double length = std::sqrt(dot(row, row, n_));
        s_[r] = length > 0.0 ? 1.0 / length : 0.0;
        for (std::size_t j = 0; j < n_; ++j) row[j] *= s_[r];
    }
}

bool SteadySolve::factor_rows() {
    for (std::size_t i = 0; i < m_; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            S_[i * m_ + j] = dot(U_.data() + i * n_, U_.data() + j * n_, n_);
    factor_dropping(S_, m_, factor_);
    rank_ = factor_.rank();
    if (!factor_.clear()) return false;
    for (std::size_t r = 0; r < m_; ++r)
        if (factor_.inverse[r] == 0.0 && !is_in_span(r)) return false;
    return true;
}

/// The coefficients c (r) of the kept rows before it that give row r, from the factor: Lᵀ c = row
/// r of L.
void SteadySolve::combination(std::size_t r, std::span<double> c) const {
    for (std::size_t j = 0; j < r; ++j)
        c[j] = factor_.inverse[j] == 0.0 ? 0.0 : factor_.L[r * m_ + j];
    for (std::size_t j = r; j-- > 0;) {
        if (factor_.inverse[j] == 0.0) continue;
        for (std::size_t k = 0; k < j; ++k) c[k] -= factor_.L[j * m_ + k] * c[j];
    }
}

bool SteadySolve::is_in_span(std::size_t r) {
    combination(r, step_);
    double square = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
        double left = U_[r * n_ + i];
        for (std::size_t j = 0; j < r; ++j) left -= step_[j] * U_[j * n_ + i];
        square += left * left;
    }
    return std::sqrt(square) <= in_span;
}

/// y and x by what is left of the rows.
void SteadySolve::add_correction(std::span<const double> b) {
    for (std::size_t r = 0; r < m_; ++r)
        step_[r] = s_[r] * b[r] - dot(U_.data() + r * n_, x_.data(), n_);
    factor_.solve(step_);
    for (std::size_t r = 0; r < m_; ++r) {
        y_[r] += step_[r];
        for (std::size_t j = 0; j < n_; ++j) x_[j] += step_[r] * U_[r * n_ + j];
    }
}

/// As SolveOptions::consistency_tol has it, but for the size of the scaled change.
bool SteadySolve::is_met(const ConstrainedProblem& problem, double tolerance) const {
    for (std::size_t r = 0; r < m_; ++r) {
        double left = problem.b[r], size = std::abs(problem.b[r]);
        for (std::size_t j = 0; j < n_; ++j) {
            left -= problem.A(r, j) * x_[j];
            size += std::abs(problem.A(r, j)) * (std::abs(x_[j]) + std::abs(free_[j]));
        }
        if (!(std::abs(left) <= tolerance * size)) return false;
    }
    return true;
}

/// λ of the same force with least Σ weight_i λ_i²: off the null vectors, one for each dropped row.
bool SteadySolve::share(std::span<const double> weight) {
    const std::size_t count = m_ - rank_;
    const auto weight_of = [&](std::size_t i) { return weight.empty() ? 1.0 : weight[i]; };
    for (std::size_t r = 0, k = 0; r < m_; ++r) {
        if (factor_.inverse[r] != 0.0) continue;
        double* null = null_.data() + k++ * m_;
        std::fill(null, null + m_, 0.0);
        combination(r, {null, r});
        for (std::size_t j = 0; j < r; ++j) null[j] *= -s_[j];
        null[r] = s_[r] > 0.0 ? s_[r] : 1.0;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const double* null = null_.data() + i * m_;
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (std::size_t r = 0; r < m_; ++r) sum += weight_of(r) * null[r] * null_[j * m_ + r];
            for (std::size_t k = 0; k < j; ++k) sum -= gram_[i * count + k] * gram_[j * count + k];
            if (i == j && !(sum > 0.0)) return false;
            gram_[i * count + j] = i == j ? std::sqrt(sum) : sum / gram_[j * count + j];
        }
        double along = 0.0;
        for (std::size_t r = 0; r < m_; ++r) along += weight_of(r) * null[r] * lambda_[r];
        for (std::size_t k = 0; k < i; ++k) along -= gram_[i * count + k] * share_[k];
        share_[i] = along / gram_[i * count + i];
    }
    for (std::size_t i = count; i-- > 0;) {
        for (std::size_t k = i + 1; k < count; ++k) share_[i] -= gram_[k * count + i] * share_[k];
        share_[i] /= gram_[i * count + i];
        for (std::size_t r = 0; r < m_; ++r) lambda_[r] -= share_[i] * null_[i * m_ + r];
    }
    return true;
}

bool SteadySolve::run(const ConstrainedProblem& problem, const SolveOptions& options) {
    resize(problem.M.rows(), problem.A.rows());
    if (!factor_mass(problem.M)) return false;
    scale_rows(problem.A);
    if (!factor_rows()) return false;
    for (std::size_t i = 0; i < n_; ++i)
        free_[i] =
            (d_[i] * problem.Q[i] - dot(L_.data() + i * n_, free_.data(), i)) / L_[i * n_ + i];
    x_ = free_;
    std::fill(y_.begin(), y_.end(), 0.0);
    add_correction(problem.b);
    add_correction(problem.b);     // what the square of the condition has left
    for (auto* v : {&x_, &free_})  // D L⁻ᵀ
        for (std::size_t i = n_; i-- > 0;) {
            double sum = (*v)[i];
            for (std::size_t k = i + 1; k < n_; ++k) sum -= L_[k * n_ + i] * (*v)[k] / d_[k];
            (*v)[i] = d_[i] * sum / L_[i * n_ + i];
        }
    if (!is_met(problem, options.consistency_tol)) return false;
    for (std::size_t r = 0; r < m_; ++r) lambda_[r] = s_[r] * y_[r];
    return rank_ == m_ || share(problem.weight);
}

}  // namespace lacon::solving::dense
