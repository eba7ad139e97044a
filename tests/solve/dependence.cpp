// Dependent sets, the least change of a state, and L D Lᵀ with dropped pivots by itself.
#include "solve/dense/constrained/dependence.hpp"

#include <gtest/gtest.h>

#include "solve/dense/constrained/least_change.hpp"
#include "solve/dense/matrix/dropped_ldlt.hpp"
#include "solve/problems.hpp"

namespace lacon {
namespace {

using namespace testing;
using Rows = std::vector<std::size_t>;

TEST(DependentSets, ARowGivenThreeTimesMakesTwoPairs) {
    Matrix A(3, 2);
    for (std::size_t i = 0; i < 3; ++i) A(i, 0) = 1.0, A(i, 1) = 2.0;
    const std::vector<double> b{1.0, 1.0, 2.0};
    const auto sets = dependent_sets(A, b);
    ASSERT_EQ(sets.size(), 2u);
    EXPECT_EQ(sets[0].rows, (Rows{0, 1}));
    EXPECT_EQ(sets[1].rows, (Rows{0, 2}));
    EXPECT_NEAR(sets[0].coefficients[0], 1.0, 10 * eps);
    EXPECT_NEAR(sets[0].coefficients[1], -1.0, 10 * eps);
    EXPECT_FALSE(sets[0].conflict);
    EXPECT_TRUE(sets[1].conflict);
    EXPECT_GT(sets[1].mismatch, 0.1);
}

TEST(DependentSets, CoefficientsAreForTheRowsAsGiven) {
    Matrix A(3, 2);
    A(0, 0) = 1e6, A(1, 1) = 1e-3, A(2, 0) = 2.0, A(2, 1) = 4.0;  // row 2 = 2e-6 row 0 + 4e3 row 1
    const std::vector<double> b{5e5, 2e-3, 1.0 + 8.0};
    const auto sets = dependent_sets(A, b);
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0].rows, (Rows{0, 1, 2}));
    EXPECT_NEAR(sets[0].coefficients[0], 2e-6 / 4e3, 1e-24);
    EXPECT_NEAR(sets[0].coefficients[1], 1.0, 10 * eps);
    EXPECT_NEAR(sets[0].coefficients[2], -1.0 / 4e3, 1e-18);
    EXPECT_FALSE(sets[0].conflict);
    EXPECT_LE(sets[0].mismatch, 10 * eps);
}

TEST(DependentSets, AZeroRowIsASetByItself) {
    Matrix A(2, 2);
    A(1, 0) = 1.0;
    const std::vector<double> met{0.0, 3.0}, broken{1.0, 3.0};
    ASSERT_EQ(dependent_sets(A, met).size(), 1u);
    EXPECT_EQ(dependent_sets(A, met)[0].rows, (Rows{0}));
    EXPECT_FALSE(dependent_sets(A, met)[0].conflict);
    EXPECT_TRUE(dependent_sets(A, broken)[0].conflict);
}

TEST(DependentSets, MismatchBelowTheGivenSizeIsRounding) {
    Matrix A(2, 1, 1.0);
    const std::vector<double> b{1e-15, -1e-15}, size{1.0, 1.0};
    EXPECT_TRUE(dependent_sets(A, b)[0].conflict);
    EXPECT_FALSE(dependent_sets(DependenceProblem{.A = A, .b = b, .size = size})[0].conflict);
}

// Independent rows in random places; dependent ones, later than all they need, are small-integer
// sums of planted subsets of them.
struct PlantedSet {
    Matrix A;
    std::vector<Rows> circuits;  // one for each dependent row, in its order
};

PlantedSet plant_set(Random& random) {
    const Index r = integer(random, 2, 12), k = integer(random, 1, 6),
                n = r + integer(random, 0, 6);
    MatrixX A(r + k, n);
    A.topRows(r) = normal(random, r, n);
    PlantedSet planted;
    for (Index i = r; i < r + k; ++i) {
        A.row(i).setZero();
        Rows rows;
        const Index parts = integer(random, 1, std::min<Index>(r, 4));
        while (static_cast<Index>(rows.size()) < parts) {
            const auto j = static_cast<std::size_t>(integer(random, 0, r - 1));
            if (std::find(rows.begin(), rows.end(), j) != rows.end()) continue;
            rows.push_back(j);
            A.row(i) +=
                static_cast<double>(1 + static_cast<int>(j % 3)) * A.row(static_cast<Index>(j));
        }
        std::sort(rows.begin(), rows.end());
        rows.push_back(static_cast<std::size_t>(i));
        planted.circuits.push_back(rows);
    }
    planted.A = to_matrix(A);
    return planted;
}

TEST(DependentSets, PlantedSetsAreFoundOrSmallerOnes) {
    Random random(1);
    int planted_found = 0, smaller = 0;
    constexpr int trials = 500;
    for (int trial = 0; trial < trials; ++trial) {
        const PlantedSet planted = plant_set(random);
        const MatrixX A = to_eigen(planted.A);
        const std::vector<double> b = to_std(A * normal(random, A.cols(), 1));
        const auto sets = dependent_sets(planted.A, b);
        ASSERT_EQ(sets.size(), planted.circuits.size()) << "trial " << trial;
        bool all = true;
        std::size_t total = 0, planted_total = 0;
        for (std::size_t k = 0; k < sets.size(); ++k) {
            VectorX sum = VectorX::Zero(A.cols());
            double size = 0.0;
            for (std::size_t j = 0; j < sets[k].rows.size(); ++j) {
                const auto row = A.row(static_cast<Index>(sets[k].rows[j]));
                sum += sets[k].coefficients[j] * row.transpose();
                size += std::abs(sets[k].coefficients[j]) * row.norm();
            }
            ASSERT_LE(sum.norm(), 1e-9 * size)
                << "trial " << trial;  // coefficients below 1e-9 are left out
            ASSERT_FALSE(sets[k].conflict) << "trial " << trial;
            all = all && sets[k].rows == planted.circuits[k];
            total += sets[k].rows.size();
            planted_total += planted.circuits[k].size();
        }
        planted_found += all;
        smaller += total < planted_total;
    }
    // Two planted sets that share rows may have a smaller one in their span. Stability may prefer
    // another row for the unneeded one; it must remain the exception.
    RecordProperty("planted", planted_found);
    RecordProperty("smaller", smaller);
    EXPECT_GE(planted_found + smaller, trials * 98 / 100);
    EXPECT_GE(planted_found, trials / 2);
}

TEST(DependentSets, OnlyTheSetWithTheMovedRowIsInConflict) {
    Random random(2);
    for (int trial = 0; trial < 300; ++trial) {
        const PlantedSet planted = plant_set(random);
        const MatrixX A = to_eigen(planted.A);
        VectorX b = A * normal(random, A.cols(), 1);
        const Index moved = A.rows() - 1;  // in the last circuit only
        b(moved) += 0.1 * A.row(moved).norm();
        const std::vector<double> right = to_std(b);
        const Matrix M = to_matrix(MatrixX::Identity(A.cols(), A.cols()));
        const std::vector<double> Q(static_cast<std::size_t>(A.cols()), 0.0);
        const ConstrainedSolution solution = solve({M, Q, planted.A, right});
        ASSERT_EQ(solution.outcome, Outcome::conflict);
        for (const DependentSet& set : solution.dependent) {
            const bool has_moved = set.rows.back() == static_cast<std::size_t>(moved);
            ASSERT_EQ(set.conflict, has_moved)
                << "trial " << trial << ", mismatch " << set.mismatch;
        }
    }
}

TEST(DependentSets, MetricOfTheMassDoesNotChangeTheSets) {
    Random random(3);
    for (int trial = 0; trial < 200; ++trial) {
        const PlantedSet planted = plant_set(random);
        const MatrixX A = to_eigen(planted.A);
        const Matrix M = make_sample({.n = A.cols(), .cond_M = 1e4}, random).M;
        const std::vector<double> b(planted.A.rows(), 0.0);
        const auto plain = dependent_sets(planted.A, b),
                   weighted = dependent_sets({planted.A, b, &M});
        ASSERT_EQ(plain.size(), weighted.size());
        for (std::size_t k = 0; k < plain.size(); ++k)
            ASSERT_EQ(plain[k].rows, weighted[k].rows) << "trial " << trial;
    }
}

TEST(LeastChange, MeetsTheRowsAndIsShortestInTheMetric) {
    // x is M-orthogonal to every v with A v = 0, and A x = r; conditions up to 1e3: the unit of
    // agreement.cpp.
    constexpr double tol = 1e3 * 1e3 * 20 * eps;
    Random random(4);
    for (int trial = 0; trial < 500; ++trial) {
        const Sample s = make_sample(random_plan(random, 1e3, 1e3, 20), random);
        const VectorX x = to_eigen(least_change(s.M, s.A, s.b));
        const MatrixX A = to_eigen(s.A);
        ASSERT_LE((A * x - to_eigen(s.b)).norm(), tol * (1.0 + x.norm())) << "trial " << trial;
        const VectorX v = normal(random, s.plan.n, 1);
        const VectorX feasible = v - to_eigen(reference::pinv(s.A, 1e-10)) * (A * v);
        ASSERT_LE(std::abs(feasible.dot(to_eigen(s.M) * x)), tol * v.norm() * (1.0 + x.norm()))
            << "trial " << trial;
    }
}

TEST(LeastChange, WithoutMassEveryCoordinateCountsAlike) {
    Matrix A(1, 2);
    A(0, 0) = 3.0, A(0, 1) = 4.0;
    const std::vector<double> r{25.0};
    const auto x = least_change(Matrix(2, 2), A, r);
    EXPECT_NEAR(x[0], 3.0, 20 * eps);
    EXPECT_NEAR(x[1], 4.0, 20 * eps);
}

TEST(LeastChange, MasslessCoordinatesMoveFirst) {
    Matrix M(2, 2), A(1, 2, 1.0);
    M(0, 0) = 1.0;
    const std::vector<double> r{1.0};
    const auto x = least_change(M, A, r);
    EXPECT_NEAR(x[0], 1e-8, 1e-14);  // the stated share: 1e-8 of the largest mass
    EXPECT_NEAR(x[1], 1.0, 2e-8);
}

TEST(LeastChange, ConflictingRowsAreMetBestByRowsOfUnitLength) {
    Matrix M(1, 1, 2.0), A(2, 1);
    A(0, 0) = 1.0, A(1, 0) = 1e3;
    const std::vector<double> r{0.0, 1e3};  // x = 0 and x = 1, with equal say
    EXPECT_NEAR(least_change(M, A, r)[0], 0.5, 20 * eps);
}

TEST(DroppedLdlt, IsAGInverseForDependentRows) {
    Random random(5);
    for (int trial = 0; trial < 500; ++trial) {
        const Index m = integer(random, 1, 20), rank = integer(random, 1, m);
        MatrixX B = orthonormal(random, m, rank) * orthonormal(random, rank + 2, rank).transpose();
        B.rowwise().normalize();
        const MatrixX S = B * B.transpose();
        const auto factor = solving::factor_dropping({S.data(), static_cast<std::size_t>(S.size())},
                                                     static_cast<std::size_t>(m));
        if (!factor.clear()) continue;
        ASSERT_EQ(factor.rank(), static_cast<std::size_t>(rank));
        const VectorX r = S * normal(random, m, 1);
        VectorX x = r;
        factor.solve({x.data(), static_cast<std::size_t>(m)});
        // Kept pivots are at least 1e-6, so x may be 1e6 times r at worst, and its rounding
        // likewise.
        ASSERT_LE((S * x - r).norm(), 1e6 * 10 * eps * r.norm()) << "trial " << trial;
    }
}

}  // namespace
}  // namespace lacon
