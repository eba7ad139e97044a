// Dependent sets made small, what conflicts ask for, weighted multipliers and forces of groups.
#include <gtest/gtest.h>

#include <bit>

#include "solve/dense/constrained/dependence.hpp"
#include "solve/problems.hpp"

namespace lacon {
namespace {

using namespace testing;
using Rows = std::vector<std::size_t>;
using Path = SolveOptions::Path;

Matrix of_rows(std::initializer_list<std::initializer_list<double>> rows) {
    Matrix A(rows.size(), rows.begin()->size());
    double* at = A.data();
    for (const auto& row : rows) at = std::copy(row.begin(), row.end(), at);
    return A;
}

Matrix identity(std::size_t n) {
    Matrix M(n, n);
    for (std::size_t i = 0; i < n; ++i) M(i, i) = 1.0;
    return M;
}

TEST(Diagnosis, WeightsOfAnyRatioShareRight) {
    // λ₁ + λ₂ = 20 and least k λ₁² + λ₂²: λ₁ = 20/(1 + k), λ₂ = 20 k/(1 + k).
    const Matrix M = identity(1), A = of_rows({{1}, {1}});
    for (const double k : {1e-300, 1e-100, 1e-30, 1e-8, 1.0, 3.0, 1e8, 1e100, 1e300}) {
        const std::vector<double> Q{-20.0}, b{0.0, 0.0}, weight{k, 1.0};
        const ConstrainedSolution s = solve(ConstrainedProblem{M, Q, A, b, {}, weight});
        ASSERT_EQ(s.outcome, Outcome::ok);
        EXPECT_NEAR(s.multipliers[0], 20.0 / (1.0 + k), 1e-13) << k;
        EXPECT_NEAR(s.multipliers[1], 20.0 - 20.0 / (1.0 + k), 1e-13) << k;
    }
}

TEST(Diagnosis, RowsOfVeryDifferentLengthDoNotDisturbTheLeastNorm) {
    const Matrix M = identity(2);
    for (const double s : {1.0, 1e3, 1e6, 1e9, 1e12}) {
        const Matrix A = of_rows({{1, 1}, {s, s}, {1 / s, 2 / s}});
        const std::vector<double> Q{1.0, -9.81}, b{0.0, 0.0, 0.0};
        const ConstrainedSolution found = solve(ConstrainedProblem{M, Q, A, b});
        ASSERT_EQ(found.outcome, Outcome::ok);
        // Everything is held: λ_a + s λ_b = t with t + λ_c/s = −1, t + 2 λ_c/s = 9.81; least norm
        // shares t as 1 : s.
        const double t = -11.81;
        EXPECT_NEAR(found.multipliers[0], t / (1.0 + s * s), 1e-10 * std::abs(t)) << s;
        EXPECT_NEAR(found.multipliers[1], t * s / (1.0 + s * s), 1e-10 * std::abs(t)) << s;
    }
}

TEST(Diagnosis, ARowThatDiffersByLessThanRoundingIsNoConflict) {
    const Matrix M = identity(3), A = of_rows({{1, 0, 0}, {1, 0, 1e-17}});
    const std::vector<double> Q{0.0, 0.0, -9.81}, b{0.0, 0.0};
    EXPECT_EQ(solve(ConstrainedProblem{M, Q, A, b}).outcome, Outcome::ok);
}

TEST(Diagnosis, AConflictSaysWhatIsAskedAndWhatTheOthersFix) {
    // The last is twice the first and the second.
    const Matrix A = of_rows({{1, 0}, {0, 2}, {2, 2}});
    const auto sets = dependent_sets(A, std::vector<double>{0.5, 0.5, 2.0});
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_TRUE(sets[0].conflict);
    EXPECT_FALSE(sets[0].undecided);
    EXPECT_DOUBLE_EQ(sets[0].asked, 2.0);
    EXPECT_NEAR(sets[0].fixed, 1.5, 10 * eps);
    const auto zero = dependent_sets(of_rows({{0, 0}}), std::vector<double>{3.0});
    EXPECT_EQ(zero[0].asked, 3.0);
    EXPECT_EQ(zero[0].fixed, 0.0);
}

TEST(Diagnosis, OneRowOutOfLineIsOneConflictWhicheverItIs) {
    for (std::size_t moved = 0; moved < 3; ++moved) {
        const Matrix A = of_rows({{1, 2}, {1, 2}, {1, 2}});
        std::vector<double> b{1.0, 1.0, 1.0};
        b[moved] = 2.0;
        const auto sets = dependent_sets(A, b);
        ASSERT_EQ(sets.size(), 2u);
        for (const DependentSet& set : sets)
            EXPECT_EQ(set.conflict,
                      std::find(set.rows.begin(), set.rows.end(), moved) != set.rows.end());
        EXPECT_NE(sets[0].conflict, sets[1].conflict) << "moved " << moved;
    }
}

TEST(Diagnosis, MismatchesNearTheToleranceAreUndecided) {
    // Two equal rows, x'' = 1 and x'' = 1 + d, without force: each balances |b| + |x''| + |y| with
    // x'' = y the mean, so that the mismatch is d / (6 + 3 d).
    const Matrix A = of_rows({{1}, {1}}), M = identity(1);
    const std::vector<double> Q{0.0};
    for (double mismatch = 1e-12; mismatch < 1e-3; mismatch *= 1.7) {
        const double d = 6.0 * mismatch / (1.0 - 3.0 * mismatch);
        const std::vector<double> b{1.0, 1.0 + d};
        const ConstrainedSolution s = solve({M, Q, A, b});
        ASSERT_EQ(s.dependent.size(), 1u);
        ASSERT_NEAR(s.dependent[0].mismatch, mismatch, 1e-15 + 1e-9 * mismatch);
        ASSERT_EQ(s.dependent[0].undecided, mismatch > 1e-9 && mismatch < 1e-7) << mismatch;
        ASSERT_EQ(s.dependent[0].conflict, mismatch > 1e-8) << mismatch;
    }
}

TEST(Diagnosis, TheRankIsInDoubtFromATolerancesGapDownToRounding) {
    const Matrix M = identity(2);
    const std::vector<double> Q{1.0, 1.0}, b{0.0, 0.0};
    for (const Path path : {Path::automatic, Path::cod, Path::svd, Path::ldlt}) {
        for (double angle = 1.0; angle > 1e-17; angle /= 3.0) {
            const Matrix A = of_rows({{1, 0}, {1, angle}});
            const ConstrainedSolution s = solve({M, Q, A, b}, {path});
            // The smallest singular value is half the angle of the largest, what the two rows leave
            // of each other half of it too.
            const bool surely_two = angle > 2.1e-7, surely_one = angle < 4e-13;
            if (surely_two || surely_one) {
                ASSERT_TRUE(s.rank_decided) << angle;
                ASSERT_EQ(s.rank, surely_two ? 2u : 1u) << angle;
            } else if (angle < 1.9e-7 && angle > 5e-13) {
                ASSERT_FALSE(s.rank_decided) << angle;
            }
            ASSERT_EQ(s.rank_tol, 1e-10);
            ASSERT_EQ(s.unique, (std::vector<bool>(2, s.rank == 2)));
        }
    }
}

TEST(Diagnosis, WeightedMultipliersSolveTheirOwnProgramme) {
    // The least Σ w λ² under Aᵀ λ = f solves [W A; Aᵀ 0] [λ; −x] = [0; f]: by its own pseudoinverse
    // in long double.
    Random random(11);
    for (int trial = 0; trial < 300; ++trial) {
        const Index n = integer(random, 2, 8), rank = integer(random, 1, n),
                    m = rank + integer(random, 1, 4);
        const Sample s = make_sample({n, m, rank, 10.0, 10.0}, random);
        const std::vector<double> weight = to_std(
            VectorX::NullaryExpr(m, [&] { return std::pow(10.0, uniform(random, -2.0, 2.0)); }));
        ConstrainedProblem problem = s.ideal();
        const ConstrainedSolution plain = solve(problem);
        problem.weight = weight;
        for (const Path path : {Path::automatic, Path::svd, Path::ldlt}) {
            const ConstrainedSolution weighted = solve(problem, {path});
            ASSERT_EQ(weighted.outcome, Outcome::ok);
            LongMatrix kkt = LongMatrix::Zero(m + n, m + n);
            kkt.topLeftCorner(m, m) = to_eigen(weight).cast<long double>().asDiagonal();
            kkt.topRightCorner(m, n) = to_eigen(s.A).cast<long double>();
            kkt.bottomLeftCorner(n, m) = to_eigen(s.A).cast<long double>().transpose();
            LongVector right = LongVector::Zero(m + n);
            right.tail(n) = to_eigen(weighted.constraint_force).cast<long double>();
            const VectorX lambda = (truncated_pinv(kkt, m + rank) * right).head(m).cast<double>();
            // Conditions of A and M 10 each, of √W 100: eps times their product, in sums over at
            // most 12.
            ASSERT_LE((to_eigen(weighted.multipliers) - lambda).norm(),
                      1e4 * 100 * eps * (1.0 + lambda.norm()))
                << trial;
            ASSERT_LE(
                largest_difference(weighted.acceleration, solve(s.ideal(), {path}).acceleration),
                0.0);
        }
        const std::vector<double> same(static_cast<std::size_t>(m), 3.0);
        problem.weight = same;
        ASSERT_EQ(solve(problem).multipliers, plain.multipliers);
    }
}

TEST(Diagnosis, AGroupMayHaveOneForceThoughItsMultipliersAreMany) {
    const Matrix A = of_rows({{1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0, 1}});
    const std::vector<double> b(5, 0.0);
    const auto sets = dependent_sets(A, b);
    EXPECT_TRUE(force_is_unique(sets, A, Rows{0, 1}));
    EXPECT_FALSE(force_is_unique(sets, A, Rows{0, 2}));
    EXPECT_TRUE(force_is_unique(sets, A, Rows{0, 1, 2, 3}));
    EXPECT_TRUE(force_is_unique(sets, A, Rows{4}));
    EXPECT_FALSE(force_is_unique(sets, A, Rows{0}));
}

// All circuits of the rows of K, by the subsets of at most nine rows, smallest first.
std::vector<std::vector<Index>> all_circuits(const MatrixX& K) {
    const Index m = K.rows();
    std::vector<unsigned> found;
    std::vector<std::vector<Index>> circuits;
    for (Index size = 1; size <= m; ++size) {
        for (unsigned subset = 1; subset < (1u << m); ++subset) {
            if (std::popcount(subset) != size) continue;
            if (std::any_of(found.begin(), found.end(),
                            [&](unsigned c) { return (c & subset) == c; }))
                continue;
            std::vector<Index> rows;
            for (Index i = 0; i < m; ++i)
                if (subset >> i & 1u) rows.push_back(i);
            Eigen::FullPivLU<MatrixX> lu(K(rows, Eigen::all));
            lu.setThreshold(1e-9);
            if (lu.rank() == size) continue;
            found.push_back(subset);
            circuits.push_back(std::move(rows));
        }
    }
    return circuits;
}

// Least total size of a basis of the dependencies: greedily among all circuits.
std::size_t least_total(const MatrixX& K, Index dependent) {
    MatrixX basis(K.rows(), 0);
    std::size_t total = 0;
    for (const auto& rows : all_circuits(K)) {
        if (basis.cols() == dependent) break;
        MatrixX more(K.rows(), basis.cols() + 1);
        more << basis, VectorX::Zero(K.rows());
        const Eigen::FullPivLU<MatrixX> lu(MatrixX(K(rows, Eigen::all)).transpose());
        more(rows, basis.cols()) = Eigen::FullPivLU<MatrixX>(lu).setThreshold(1e-9).kernel().col(0);
        Eigen::FullPivLU<MatrixX> check(more);
        check.setThreshold(1e-9);
        if (check.rank() < more.cols()) continue;
        basis = more;
        total += rows.size();
    }
    return total;
}

TEST(Diagnosis, SetsOfUpToNineRowsAreTheSmallestThereAre) {
    Random random(13);
    constexpr int cases = 400;
    int least = 0;
    for (int trial = 0; trial < cases; ++trial) {
        const Index r = integer(random, 1, 5), k = integer(random, 1, std::min<Index>(4, 9 - r)),
                    m = r + k;
        MatrixX K = MatrixX::Zero(m, r);
        for (Index i = 0; i < m; ++i)
            for (Index p = integer(random, 1, 3); p > 0; --p)
                K(i, integer(random, 0, r - 1)) = integer(random, 0, 1) ? 1.0 : -1.0;
        Eigen::FullPivLU<MatrixX> lu(K);
        lu.setThreshold(1e-9);
        const MatrixX A = K * normal(random, r, r + integer(random, 0, 3));
        const auto sets =
            dependent_sets(to_matrix(A), std::vector<double>(static_cast<std::size_t>(m), 0.0));
        ASSERT_EQ(sets.size(), static_cast<std::size_t>(m - lu.rank())) << "trial " << trial;
        const auto circuits = all_circuits(K);
        std::size_t total = 0;
        MatrixX all = MatrixX::Zero(m, m - lu.rank());
        for (std::size_t u = 0; u < sets.size(); ++u) {
            const std::vector<Index> rows(sets[u].rows.begin(), sets[u].rows.end());
            ASSERT_NE(std::find(circuits.begin(), circuits.end(), rows), circuits.end())
                << "trial " << trial;
            total += rows.size();
            for (std::size_t j = 0; j < rows.size(); ++j)
                all(rows[j], static_cast<Index>(u)) = sets[u].coefficients[j];
        }
        Eigen::FullPivLU<MatrixX> basis(all);
        basis.setThreshold(1e-9);
        ASSERT_EQ(basis.rank(), all.cols()) << "trial " << trial;
        least += total == least_total(K, m - lu.rank());
    }
    RecordProperty("least", least);
    EXPECT_EQ(least, cases);  // blocks this small are searched through
}

}  // namespace
}  // namespace lacon
