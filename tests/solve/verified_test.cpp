// Verified solutions contain the true ones; singular matrices are never certified.
#include "solve/verified/verified.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "interval/directed.hpp"

namespace lacon {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Numbers between −1 and 1.
struct Random {
    std::mt19937_64 engine;
    double operator()() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine); }
    MatrixXd matrix(int rows, int cols) {
        return MatrixXd::NullaryExpr(rows, cols, [this] { return (*this)(); });
    }
    /// Whole numbers up to 9: sums and products of few of them are exact.
    MatrixXd whole(int rows, int cols) { return (9.0 * matrix(rows, cols)).array().round(); }
};

Interval around(double mid, double radius) {
    return {directed::add_down(mid, -radius), directed::add_up(mid, radius)};
}

IntervalMatrix box(const MatrixXd& mid, double radius) {
    IntervalMatrix K(static_cast<std::size_t>(mid.rows()), static_cast<std::size_t>(mid.cols()));
    for (std::size_t i = 0; i < K.rows; ++i)
        for (std::size_t j = 0; j < K.cols; ++j)
            K(i, j) =
                around(mid(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), radius);
    return K;
}

std::vector<Interval> times(const IntervalMatrix& K, const VectorXd& x) {
    std::vector<Interval> r(K.rows);
    for (std::size_t i = 0; i < K.rows; ++i)
        for (std::size_t j = 0; j < K.cols; ++j)
            r[i] = r[i] + K(i, j) * Interval(x[static_cast<Eigen::Index>(j)]);
    return r;
}

std::vector<Interval> solved(const VerifiedFactor& factor, const std::vector<Interval>& r) {
    std::vector<Interval> x(r.size());
    factor.solve(r, x);
    return x;
}

void expect_inside(const VectorXd& x, const std::vector<Interval>& enclosure) {
    for (std::size_t i = 0; i < enclosure.size(); ++i) {
        const double truth = x[static_cast<Eigen::Index>(i)];
        EXPECT_TRUE(enclosure[i].contains(truth))
            << truth << " in [" << enclosure[i].low << ", " << enclosure[i].high << "]";
    }
}

/// [M Aᵀ; A 0] with an M that is definite, scaled badly on purpose.
MatrixXd bordered(Random& random, int n, int m) {
    const MatrixXd half = random.matrix(n, n), A = random.matrix(m, n);
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = half * half.transpose() + 0.3 * MatrixXd::Identity(n, n);
    K.bottomLeftCorner(m, n) = A;
    K.topRightCorner(n, m) = A.transpose();
    VectorXd scale(n + m);
    for (double& s : scale) s = std::pow(10.0, 6.0 * random());
    return scale.asDiagonal() * K * scale.asDiagonal();
}

TEST(Verified, PlantedSolutionsOfMembersAreInside) {
    Random random{std::mt19937_64(11)};
    int proven = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const int n = 1 + trial % 12;
        const MatrixXd mid = random.matrix(n, n);
        const double radius = std::pow(10.0, -1.0 - trial % 9);
        const IntervalMatrix K = box(mid, radius);
        VerifiedFactor factor;
        if (!factor.factor(K)) continue;
        ++proven;
        for (int sample = 0; sample < 20; ++sample) {
            // A corner of the box of matrices: each entry at one of its ends.
            IntervalMatrix member = K;
            for (std::size_t i = 0; i < K.entries.size(); ++i) {
                const double end = random() < 0.0 ? K.entries[i].low : K.entries[i].high;
                member.entries[i] = end;
            }
            const VectorXd x = random.matrix(n, 1);
            expect_inside(x, solved(factor, times(member, x)));
        }
    }
    EXPECT_GE(proven, 300);
}

TEST(Verified, BadlyScaledBorderedMatricesAreProvenToAFewDigitsLessThanDoublesHave) {
    Random random{std::mt19937_64(12)};
    for (int trial = 0; trial < 100; ++trial) {
        const int n = 3 + trial % 8, m = trial % 4;
        const IntervalMatrix K = box(bordered(random, n, std::min(m, n - 1)), 0.0);
        const VectorXd x = random.matrix(static_cast<int>(K.rows), 1);
        VerifiedFactor factor;
        ASSERT_TRUE(factor.factor(K));
        expect_inside(x, solved(factor, times(K, x)));
    }
}

TEST(Verified, SingularMembersAreNeverCertified) {
    Random random{std::mt19937_64(13)};
    for (int trial = 0; trial < 500; ++trial) {
        const int n = 2 + trial % 9;
        MatrixXd singular = random.whole(n, n);
        singular.row(trial % n).setZero();
        singular.row(trial % n) = singular.colwise().sum();  // exactly: the others added up
        const double radius = trial % 3 == 0 ? 0.0 : std::pow(10.0, -16.0 * std::abs(random()));
        // The singular matrix lies anywhere in the box, often at its border.
        IntervalMatrix K = box(singular, 0.0);
        for (Interval& entry : K.entries) {
            const double low = directed::add_down(entry.low, -(random() < 0.0 ? 0.0 : radius));
            entry = {low, directed::add_up(entry.high, random() < 0.0 ? 0.0 : radius)};
        }
        VerifiedFactor factor;
        ASSERT_FALSE(factor.factor(K)) << "trial " << trial;
        EXPECT_FALSE(factor.is_regular());
        EXPECT_FALSE(solved(factor, std::vector<Interval>(K.rows, 1.0))[0].is_defined());
    }
}

TEST(Verified, IllConditionedWholeNumbersHaveTheirWholeSolution) {
    for (int n = 2; n <= 9;
         ++n) {  // Pascal's matrices: the condition goes up to 3e8, the determinant is 1
        MatrixXd pascal = MatrixXd::Ones(n, n);
        for (int i = 1; i < n; ++i)
            for (int j = 1; j < n; ++j) pascal(i, j) = pascal(i - 1, j) + pascal(i, j - 1);
        const VectorXd x = VectorXd::LinSpaced(n, 1.0, n);
        VerifiedFactor factor;
        ASSERT_TRUE(factor.factor(box(pascal, 0.0))) << n;
        const std::vector<Interval> found = solved(factor, times(box(pascal, 0.0), x));
        expect_inside(x, found);
        const Eigen::VectorXd singular = pascal.jacobiSvd().singularValues();
        for (const Interval& entry : found)
            EXPECT_LE(entry.width(), 1e-15 * n * n * singular[0] / singular[n - 1]) << n;
    }
}

TEST(Verified, OneEquationIsADivision) {
    VerifiedFactor factor;
    IntervalMatrix K(1, 1);
    K(0, 0) = {2.0, 4.0};
    ASSERT_TRUE(factor.factor(K));
    const Interval x = solved(factor, {Interval(1.0, 3.0)})[0];
    EXPECT_NEAR(x.low, 0.25, 1e-14);
    EXPECT_NEAR(x.high, 1.5, 1e-14);
    EXPECT_LE(x.low, 0.25);
    EXPECT_GE(x.high, 1.5);
}

/// The example of Barth and Nuding. With the inverse of the middle, 1/9.25 [3 0.5; −0.5 3], the
/// comparison matrix is 1/9.25 [5.5 −5; −5 5.5] and |C r| is 7/9.25 in both rows: the narrowest
/// enclosure is ±14.
TEST(Verified, TheEnclosureIsTheNarrowestOfThePreconditionedEquations) {
    IntervalMatrix K(2, 2);
    K(0, 0) = K(1, 1) = {2.0, 4.0};
    K(0, 1) = {-2.0, 1.0};
    K(1, 0) = {-1.0, 2.0};
    VerifiedFactor factor;
    ASSERT_TRUE(factor.factor(K));
    const std::vector<Interval> x = solved(factor, {Interval(-2.0, 2.0), Interval(-2.0, 2.0)});
    for (const Interval& entry : x) {
        EXPECT_NEAR(entry.low, -14.0, 1e-12);
        EXPECT_NEAR(entry.high, 14.0, 1e-12);
    }
}

/// For matrices of order two near the identity the exact hull is at corners of the box, by Cramer's
/// rule.
TEST(Verified, NearTheIdentityTheEnclosureIsTheExactHull) {
    IntervalMatrix K(2, 2);
    K(0, 0) = K(1, 1) = {0.9, 1.1};
    K(0, 1) = K(1, 0) = {-0.1, 0.1};
    VerifiedFactor factor;
    ASSERT_TRUE(factor.factor(K));
    const std::vector<Interval> x = solved(factor, {Interval(1.0), Interval(2.0)});
    double low = 1e9, high = -1e9;
    for (int corner = 0; corner < 16; ++corner) {
        const auto end = [&](int bit, const Interval& entry) {
            return corner >> bit & 1 ? entry.low : entry.high;
        };
        const double a = end(0, K(0, 0)), b = end(1, K(0, 1)), c = end(2, K(1, 0)),
                     d = end(3, K(1, 1));
        const double first = (d * 1.0 - b * 2.0) / (a * d - b * c);
        low = std::min(low, first);
        high = std::max(high, first);
    }
    EXPECT_NEAR(x[0].low, low, 1e-13);
    EXPECT_NEAR(x[0].high, high, 1e-13);
}

TEST(Verified, TheRoughestEntryDecidesHowSmoothTheSolutionIs) {
    IntervalMatrix K(1, 1);
    K(0, 0) = Interval(2.0, 3.0, Smoothness::lipschitz);
    VerifiedFactor factor;
    ASSERT_TRUE(factor.factor(K));
    EXPECT_EQ(solved(factor, {Interval(1.0)})[0].smoothness, Smoothness::lipschitz);
    EXPECT_EQ(solved(factor, {Interval(1.0, 1.0, Smoothness::broken)})[0].smoothness,
              Smoothness::broken);
    EXPECT_FALSE(solved(factor, {Interval::undefined()})[0].is_defined());
}

TEST(Verified, WhatIsUndefinedOrZeroIsNotCertified) {
    VerifiedFactor factor;
    IntervalMatrix K(2, 2);
    EXPECT_FALSE(factor.factor(K));
    K(0, 0) = K(1, 1) = 1.0;
    EXPECT_TRUE(factor.factor(K));
    K(0, 1) = Interval::undefined();
    EXPECT_FALSE(factor.factor(K));
    EXPECT_FALSE(factor.factor(IntervalMatrix(1, 2)));
    EXPECT_TRUE(factor.factor(IntervalMatrix(0, 0)));
}

}  // namespace
}  // namespace lacon
