// Which rows of A are not needed, and through which others they follow: fundamental circuits of the rows (theory 3.7: any number
// of dependent rows is legal as long as A q'' = b is consistent).
#include "solve/dependent_rows.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::solving {

namespace {

// A row may be called unneeded when its part in the null space is at least this times the largest part: late rows are preferred,
// and the remaining rows stay as independent as this factor allows.
constexpr double late_row_threshold = 0.01;

// A coefficient, for rows of unit length, below this times the largest of its set is zero; where the independent rows are nearly
// dependent, rounding is larger and so is the tolerance.
constexpr double coefficient_tol = 1e-9;

}  // namespace

std::vector<Index> unneeded_rows(MatrixX N) {
    const Index m = N.rows(), k = N.cols();
    std::vector<Index> chosen;
    std::vector<bool> taken(static_cast<std::size_t>(m), false);
    for (Index step = 0; step < k; ++step) {
        VectorX part = N.rightCols(k - step).rowwise().norm();
        for (Index i = 0; i < m; ++i) {
            if (taken[i]) part(i) = 0.0;
        }
        const double least = late_row_threshold * part.maxCoeff();
        Index row = m - 1;
        while (row > 0 && (taken[row] || part(row) < least)) --row;
        taken[row] = true;
        chosen.push_back(row);
        // A reflection of the remaining null vectors leaves only the first of them with an entry in this row. Elimination would
        // do the same, but reflected vectors stay orthonormal, so that no pivot can be small by growth.
        VectorX v = N.row(row).tail(k - step).transpose();
        v(0) += v(0) < 0.0 ? -v.norm() : v.norm();
        const double square = v.squaredNorm();
        if (square > 0.0) N.rightCols(k - step) -= (2.0 / square) * (N.rightCols(k - step) * v) * v.transpose();
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

Dependencies find_dependencies(const MatrixX& A, const VectorX& d, const std::vector<Index>& unneeded) {
    const Index m = A.rows(), k = static_cast<Index>(unneeded.size()), r = m - k;
    Dependencies result{MatrixX::Zero(m, k), VectorX::Ones(m), coefficient_tol};
    if (k == 0) return result;
    // Least squares over the rows themselves, not the null vectors of B: their error grows with the condition of A only, not of
    // M.
    MatrixX At = d.asDiagonal() * A.transpose();
    MatrixX independent(A.cols(), r), dependent(A.cols(), k);
    std::vector<Index> needed;
    for (Index i = 0, u = 0; i < m; ++i) {
        const double length = At.col(i).stableNorm();
        if (length > 0.0) {
            result.length(i) = length;
            At.col(i) /= length;
        }
        if (u < k && unneeded[u] == i) {
            dependent.col(u++) = At.col(i);
        } else {
            independent.col(static_cast<Index>(needed.size())) = At.col(i);
            needed.push_back(i);
        }
    }
    for (Index u = 0; u < k; ++u) result.C(unneeded[u], u) = -1.0;
    if (r == 0) return result;
    const Eigen::ColPivHouseholderQR<MatrixX> qr(independent);
    const VectorX pivots = qr.matrixQR().diagonal().cwiseAbs();
    result.zero = std::max(coefficient_tol, 100.0 * std::numeric_limits<double>::epsilon() * pivots(0) / pivots(r - 1));
    const MatrixX X = qr.solve(dependent);
    for (Index u = 0; u < k; ++u) {
        for (Index j = 0; j < r; ++j) {
            result.C(needed[j], u) = X(j, u) * (result.length(unneeded[u]) / result.length(needed[j]));
        }
    }
    return result;
}

std::vector<DependentSet> sets_of(const Dependencies& dependencies, const Balance& balance) {
    std::vector<DependentSet> sets;
    for (Index u = 0; u < dependencies.C.cols(); ++u) {
        const VectorX column = dependencies.C.col(u);
        const VectorX by_length = column.cwiseProduct(dependencies.length);
        const double zero = dependencies.zero * by_length.cwiseAbs().maxCoeff();
        DependentSet set;
        double sum = 0.0, size = 0.0, largest = 0.0;
        for (Index i = 0; i < column.size(); ++i) {
            if (std::abs(by_length(i)) <= zero) continue;
            set.rows.push_back(static_cast<std::size_t>(i));
            set.coefficients.push_back(column(i));
            sum += column(i) * balance.b(i);
            size += std::abs(column(i)) * balance.size(i);
            largest = std::max(largest, std::abs(column(i)));
        }
        const double unit = set.coefficients.front() < 0.0 ? -largest : largest;
        for (double& coefficient : set.coefficients) coefficient /= unit;
        set.mismatch = size > 0.0 ? std::abs(sum) / size : 0.0;
        set.conflict = set.mismatch > balance.tol;
        sets.push_back(std::move(set));
    }
    return sets;
}

}  // namespace lacon::solving
