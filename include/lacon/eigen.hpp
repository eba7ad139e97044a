// For users of Eigen: results as Eigen maps, and Eigen's vectors and matrices as arguments. The
// only header of Lacon that needs Eigen; include it where you want it.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "lacon/mechanism.hpp"

///     lacon::Evaluator at(pendulum);
///     if (at.evaluate(0.0, lacon::span_of(q), lacon::span_of(v)))
///         energy_rate = v.dot(lacon::as_eigen(at.M()) * lacon::as_eigen(at.acceleration()));
///
/// Nothing is copied but where it says so: what a map shows must outlive it.
namespace lacon {

using EigenMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Map<const EigenMatrix> as_eigen(MatrixView A) {
    return {A.data(), static_cast<Eigen::Index>(A.rows()), static_cast<Eigen::Index>(A.cols())};
}
inline Eigen::Map<const Eigen::VectorXd> as_eigen(std::span<const double> x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline Eigen::Map<const Eigen::VectorXd> as_eigen(const std::vector<double>& x) {
    return as_eigen(std::span<const double>(x));
}

inline std::span<const double> span_of(const Eigen::Ref<const Eigen::VectorXd>& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A copy: Eigen's sparse matrices have numbers of another type.
inline Eigen::SparseMatrix<double, Eigen::RowMajor> to_eigen_sparse(const SparseMatrix& A) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(A.value.size());
    for (std::size_t i = 0; i < A.rows; ++i)
        for (std::size_t e = A.begin[i]; e < A.begin[i + 1]; ++e)
            entries.emplace_back(static_cast<int>(i), static_cast<int>(A.column[e]), A.value[e]);
    Eigen::SparseMatrix<double, Eigen::RowMajor> result(static_cast<Eigen::Index>(A.rows),
                                                        static_cast<Eigen::Index>(A.cols));
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

/// A copy of a state.
inline State state_of(double t, const Eigen::Ref<const Eigen::VectorXd>& q,
                      const Eigen::Ref<const Eigen::VectorXd>& v) {
    return {t, {q.data(), q.data() + q.size()}, {v.data(), v.data() + v.size()}};
}

}  // namespace lacon
