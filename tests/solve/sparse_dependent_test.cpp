// Sets of dependent rows, found from the sparse factorization.
#include <gtest/gtest.h>

#include <set>

#include "sparse_problems.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

/// |Σ c_k row_k| relative to its terms.
double left_over(const DependentSet& set, const Matrix& A) {
    double rest = 0.0, size = 0.0;
    for (std::size_t j = 0; j < A.cols(); ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < set.rows.size(); ++k) {
            sum += set.coefficients[k] * A(set.rows[k], j);
            size = std::max(size, std::abs(set.coefficients[k] * A(set.rows[k], j)));
        }
        rest = std::max(rest, std::abs(sum));
    }
    return size > 0.0 ? rest / size : 0.0;
}

Index rank_of(const MatrixX& A) {
    Eigen::ColPivHouseholderQR<MatrixX> qr(A);
    qr.setThreshold(1e-9);
    return qr.rank();
}

Index rank_of(const Matrix& A, const std::vector<std::size_t>& rows) {
    MatrixX some(static_cast<Index>(rows.size()), static_cast<Index>(A.cols()));
    for (std::size_t k = 0; k < rows.size(); ++k)
        some.row(static_cast<Index>(k)) = to_eigen(A.row(rows[k])).transpose();
    return rank_of(some);
}

TEST(SparseDependent, EverySetIsMinimalAndTogetherTheySpanAll) {
    Random random(11);
    for (int trial = 0; trial < 60; ++trial) {
        const auto shape = static_cast<Shape>(trial % 4);
        const SparseSample s = make_sparse(shape, trial % 3 ? MassKind::diagonal : MassKind::banded,
                                           12, 1 + trial % 6, random);
        const ConstrainedSolution dense = solve(s.problem());
        if (!dense.rank_decided || dense.singular[dense.rank - 1] < 1e-3) continue;
        for (const SparseOptions& way : all_ways()) {
            SparseFactor factor = s.factor(way);
            ASSERT_EQ(factor.factor(s.M.values, s.A.values), Outcome::ok);
            const std::vector<DependentSet> sets = factor.dependent(s.b, 1e-8);
            ASSERT_EQ(sets.size(), s.b.size() - dense.rank);
            MatrixX N =
                MatrixX::Zero(static_cast<Index>(s.b.size()), static_cast<Index>(sets.size()));
            for (std::size_t k = 0; k < sets.size(); ++k) {
                const DependentSet& set = sets[k];
                EXPECT_LE(left_over(set, s.dense_A), 1e-12);
                EXPECT_TRUE(std::is_sorted(set.rows.begin(), set.rows.end()));
                EXPECT_GT(set.coefficients.front(), 0.0);
                // No proper subset depends: one row less, and the rest is independent.
                const bool zero = set.rows.size() == 1;
                EXPECT_EQ(rank_of(s.dense_A, set.rows), static_cast<Index>(set.rows.size()) - 1);
                for (std::size_t out = 0; out < set.rows.size() && !zero; ++out) {
                    std::vector<std::size_t> fewer = set.rows;
                    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(out));
                    EXPECT_EQ(rank_of(s.dense_A, fewer), static_cast<Index>(fewer.size()));
                }
                EXPECT_FALSE(set.conflict);
                EXPECT_FALSE(set.undecided);
                EXPECT_LE(set.mismatch, 1e-11);
                EXPECT_NEAR(set.asked, set.fixed, 1e-10 * (1.0 + std::abs(set.asked)));
                for (std::size_t r = 0; r < set.rows.size(); ++r)
                    N(static_cast<Index>(set.rows[r]), static_cast<Index>(k)) = set.coefficients[r];
            }
            EXPECT_EQ(rank_of(N), static_cast<Index>(sets.size()));
        }
    }
}

TEST(SparseDependent, AClosedPolygonOfVectorsIsOneSet) {
    // x_{k+1} − x_k for k = 0 … 5 in a circle: their sum vanishes, with coefficients 1.
    for (const SparseOptions& way : all_ways()) {
        SparseRows mass(6), rows(6);
        for (std::uint32_t j = 0; j < 6; ++j) mass.add({{j, 1.0 + j}});
        for (std::uint32_t k = 0; k < 6; ++k)
            rows.add({{k, k == 5 ? 1.0 : -1.0}, {(k + 1) % 6, k == 5 ? -1.0 : 1.0}});
        SparseFactor factor(mass.pattern, rows.pattern, way);
        ASSERT_EQ(factor.factor(mass.values, rows.values), Outcome::ok);
        EXPECT_EQ(factor.rank(), 5u);
        const std::vector<double> b{1.0, 2.0, 3.0,
                                    4.0, 5.0, 15.5};  // row 5 is the sum of the others: 15
        const std::vector<DependentSet> sets = factor.dependent(b, 1e-8);
        ASSERT_EQ(sets.size(), 1u);
        EXPECT_EQ(sets[0].rows, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
        for (std::size_t k = 0; k < 6; ++k)
            EXPECT_NEAR(sets[0].coefficients[k], k == 5 ? -1.0 : 1.0, 1e-13);
        EXPECT_TRUE(sets[0].conflict);
        EXPECT_FALSE(sets[0].undecided);
        EXPECT_EQ(sets[0].asked, 15.5);
        EXPECT_NEAR(sets[0].fixed, 15.0, 1e-12);
    }
}

TEST(SparseDependent, ARowOfZerosIsASetByItself) {
    for (const SparseOptions& way : all_ways()) {
        SparseRows mass(2), rows(2);
        mass.add({{0, 1.0}});
        mass.add({{1, 1.0}});
        rows.add({{0, 0.0}, {1, 0.0}});
        rows.add({{0, 1.0}});
        rows.add({});
        SparseFactor factor(mass.pattern, rows.pattern, way);
        ASSERT_EQ(factor.factor(mass.values, rows.values), Outcome::ok);
        EXPECT_EQ(factor.rank(), 1u);
        const std::vector<DependentSet> sets = factor.dependent(std::vector{0.0, 2.0, 3.0}, 1e-8);
        ASSERT_EQ(sets.size(), 2u);
        EXPECT_EQ(sets[0].rows, std::vector<std::size_t>{0});
        EXPECT_EQ(sets[1].rows, std::vector<std::size_t>{2});
        EXPECT_FALSE(sets[0].conflict);
        EXPECT_TRUE(sets[1].conflict);
    }
}

TEST(SparseDependent, WeightedSharesAreThoseOfTheDenseSolve) {
    Random random(12);
    for (int trial = 0; trial < 40; ++trial) {
        const SparseSample s =
            make_sparse(static_cast<Shape>(trial % 4), MassKind::blocks, 9, 3, random);
        std::vector<double> weight(s.b.size());
        for (double& w : weight) w = uniform(random, 0.1, 10.0);
        ConstrainedProblem problem = s.problem();
        problem.weight = weight;
        const ConstrainedSolution dense = solve(problem);
        if (dense.outcome != Outcome::ok || dense.singular[dense.rank - 1] < 1e-3) continue;
        SparseFactor factor = s.factor();
        ASSERT_EQ(factor.factor(s.M.values, s.A.values), Outcome::ok);
        std::vector<double> x(s.Q.size()), lambda(s.b.size());
        factor.solve(s.Q, s.b, x, lambda);
        factor.share(factor.dependent(s.b, 1e-8), weight, lambda);
        EXPECT_LE(largest_difference(lambda, dense.multipliers),
                  1e-9 * (1.0 + to_eigen(dense.multipliers).norm()))
            << trial;
    }
}

}  // namespace
}  // namespace lacon
