// Which rows of A are not needed, and through which others they follow: fundamental circuits of the
// rows (theory 3.7: any number of dependent rows is legal as long as A q'' = b is consistent).
#include "solve/dense/rank/dependent_rows.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/dense/rank/circuits.hpp"
#include "solve/dense/rank/smaller_sets.hpp"

namespace lacon::solving::inline dense {

namespace {

// A row may be called unneeded when its part in the null space is at least this times the largest
// part: late rows are preferred, and the remaining rows stay as independent as this factor allows.
constexpr double late_row_threshold = 0.01;

// A coefficient, for rows of unit length, below this times the largest of its set is zero; where
// the independent rows are nearly dependent, rounding is larger and so is the tolerance.
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
        // A reflection of the remaining null vectors leaves only the first of them with an entry in
        // this row. Elimination would do the same, but reflected vectors stay orthonormal, so that
        // no pivot can be small by growth.
        VectorX v = N.row(row).tail(k - step).transpose();
        v(0) += v(0) < 0.0 ? -v.norm() : v.norm();
        const double square = v.squaredNorm();
        if (square > 0.0)
            N.rightCols(k - step) -= (2.0 / square) * (N.rightCols(k - step) * v) * v.transpose();
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

Dependencies find_dependencies(const MatrixX& A, const VectorX& d,
                               const std::vector<Index>& unneeded, const SolveOptions& options) {
    const Index m = A.rows(), k = static_cast<Index>(unneeded.size()), r = m - k;
    Dependencies result{MatrixX::Zero(m, k), VectorX::Ones(m), MatrixX(), coefficient_tol,
                        options.sure_gap * std::numeric_limits<double>::epsilon()};
    if (k == 0) return result;
    // Least squares over the rows themselves, not the null vectors of B: their error grows with the
    // condition of A only, not of M.
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
    result.unit = std::move(At);
    for (Index u = 0; u < k; ++u) result.C(unneeded[u], u) = -1.0;
    if (r == 0) return result;
    const Eigen::ColPivHouseholderQR<MatrixX> qr(independent);
    const VectorX pivots = qr.matrixQR().diagonal().cwiseAbs();
    // 100 places, multiplied by the condition of the independent rows; never above a tenth.
    result.zero =
        std::clamp(100.0 * std::numeric_limits<double>::epsilon() * pivots(0) / pivots(r - 1),
                   coefficient_tol, 0.1);
    const MatrixX X = qr.solve(dependent);
    for (Index u = 0; u < k; ++u) {
        for (Index j = 0; j < r; ++j) {
            result.C(needed[j], u) =
                X(j, u) * (result.length(unneeded[u]) / result.length(needed[j]));
        }
    }
    return result;
}

namespace {

// Mismatches within this factor of the consistency tolerance, on either side, are not sure of their
// verdict, nor are those that the dependency itself, not being exact, may account for up to this
// factor.
constexpr double mismatch_doubt = 10.0;

DependentSet set_of(const Circuit& circuit, const Dependencies& dependencies,
                    const Balance& balance) {
    DependentSet set;
    double sum = 0.0, size = 0.0, given = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < circuit.rows.size(); ++k) {
        const Index i = circuit.rows[k];
        const double c = circuit.coefficients(static_cast<Index>(k)) / dependencies.length(i);
        set.rows.push_back(static_cast<std::size_t>(i));
        set.coefficients.push_back(c);
        sum += c * balance.b(i);
        size += std::abs(c) * balance.size(i);
        given += std::abs(c * balance.b(i));
        largest = std::max(largest, std::abs(c));
    }
    const double unit = set.coefficients.front() < 0.0 ? -largest : largest;
    for (double& coefficient : set.coefficients) coefficient /= unit;
    set.asked = balance.b(circuit.rows.back());
    for (std::size_t k = 0; k + 1 < set.rows.size(); ++k)
        set.fixed -= set.coefficients[k] * balance.b(circuit.rows[k]) / set.coefficients.back();
    set.mismatch = size > 0.0 ? std::abs(sum) / size : 0.0;
    set.conflict = set.mismatch > balance.tol;
    if (set.conflict) {
        set.undecided = set.mismatch < std::max(balance.tol, circuit.residual) * mismatch_doubt;
    } else {
        // A conflict in nearly dependent rows makes accelerations large, and with them the size by
        // which it is judged.
        const bool hidden =
            set.mismatch > dependencies.exact && std::abs(sum) > balance.tol * given;
        set.undecided = set.mismatch > balance.tol / mismatch_doubt || hidden;
    }
    return set;
}

}  // namespace

Sets sets_of(const Dependencies& dependencies, const Balance& balance) {
    Sets result;
    for (const Circuit& circuit :
         smaller_circuits(fundamental_circuits(dependencies), dependencies, balance)) {
        result.sets.push_back(set_of(circuit, dependencies, balance));
        result.exact = result.exact && circuit.residual <= dependencies.exact;
    }
    return result;
}

}  // namespace lacon::solving::dense
