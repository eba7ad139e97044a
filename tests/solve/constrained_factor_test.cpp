// One factorization that serves many right-hand sides, against `solve`.
#include "solve/dense/constrained/constrained_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "problems.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;
using Path = SolveOptions::Path;

struct Answer {
    std::vector<double> x, lambda;
};

Answer answer(const ConstrainedFactor& factor, std::span<const double> f,
              std::span<const double> r) {
    Answer result{std::vector<double>(f.size()), std::vector<double>(r.size())};
    factor.solve(f, r, result.x, result.lambda);
    return result;
}

/// |M x − f − Aᵀ λ|, largest.
double force_residual(const Sample& s, const Answer& a) {
    VectorX rest = to_eigen(s.M) * to_eigen(a.x) - to_eigen(s.Q);
    if (s.plan.m > 0) rest -= to_eigen(s.A).transpose() * to_eigen(a.lambda);
    return rest.cwiseAbs().maxCoeff();
}

TEST(ConstrainedFactor, GivesTheMotionAndTheRankOfSolve) {
    Random random(1);
    for (int trial = 0; trial < 400; ++trial) {
        const Sample s = make_sample(random_plan(random, 1e3, 1e3, 15), random);
        for (const Path path : {Path::automatic, Path::cod, Path::svd, Path::ldlt}) {
            const ConstrainedSolution direct = solve(s.ideal(), {path});
            ConstrainedFactor factor;
            ASSERT_EQ(factor.factor(s.M, s.A, {path}), Outcome::ok);
            const Answer a = answer(factor, s.Q, s.b);
            const double size = 1.0 + to_eigen(direct.acceleration).norm();
            ASSERT_LE(largest_difference(a.x, direct.acceleration), 1e-8 * size)
                << "trial " << trial;
            ASSERT_LE(force_residual(s, a), 1e-7 * size) << "trial " << trial;
            ASSERT_EQ(factor.rank(), direct.rank);
            ASSERT_EQ(factor.gap(), direct.gap);
            ASSERT_EQ(factor.singular(), direct.singular);
            ASSERT_EQ(factor.weakest(), direct.rank > 0 ? direct.singular[direct.rank - 1] : 1.0);
        }
    }
}

/// Problems side by side that have nothing to do with each other, their coordinates and rows mixed.
Sample side_by_side(const std::vector<Sample>& parts) {
    std::size_t n = 0, m = 0, first = 0, first_row = 0;
    for (const Sample& part : parts) n += part.Q.size(), m += part.b.size();
    Sample all = parts[0];
    all.M = Matrix(n, n);
    all.A = Matrix(m, n);
    all.Q.assign(n, 0.0);
    all.b.assign(m, 0.0);
    all.plan.m = m;
    // 7 has no factor with the numbers of coordinates and rows in common, as the test checks.
    const auto place = [&](std::size_t i) { return 7 * i % n; };
    const auto row = [&](std::size_t i) { return 7 * i % m; };
    for (const Sample& part : parts) {
        for (std::size_t i = 0; i < part.Q.size(); ++i) {
            all.Q[place(first + i)] = part.Q[i];
            for (std::size_t j = 0; j < part.Q.size(); ++j)
                all.M(place(first + i), place(first + j)) = part.M(i, j);
        }
        for (std::size_t i = 0; i < part.b.size(); ++i) {
            all.b[row(first_row + i)] = part.b[i];
            for (std::size_t j = 0; j < part.Q.size(); ++j)
                all.A(row(first_row + i), place(first + j)) = part.A(i, j);
        }
        first += part.Q.size();
        first_row += part.b.size();
    }
    return all;
}

TEST(ConstrainedFactor, PartsSideBySideHaveTheMotionAndTheRankOfTheWhole) {
    Random random(12);
    int compared = 0;
    for (int trial = 0; trial < 60; ++trial) {
        std::vector<Sample> parts;
        for (int part = 0; part < 8; ++part)
            parts.push_back(make_sample(random_plan(random, 1e2, 1e2, 9), random));
        const Sample s = side_by_side(parts);
        if (s.Q.size() % 7 == 0 || s.b.size() % 7 == 0) continue;  // the mixing is no permutation
        ++compared;
        const ConstrainedSolution direct = solve(s.ideal());
        ConstrainedFactor factor;
        ASSERT_EQ(factor.factor(s.M, s.A, {}), Outcome::ok);
        const Answer a = answer(factor, s.Q, s.b);
        const double size = 1.0 + to_eigen(direct.acceleration).norm();
        ASSERT_LE(largest_difference(a.x, direct.acceleration), 1e-8 * size) << "trial " << trial;
        ASSERT_LE(force_residual(s, a), 1e-7 * size) << "trial " << trial;
        ASSERT_EQ(factor.rank(), direct.rank);
        // The rows that make the weakest direction, each of unit length, are short by it.
        ConstrainedFactor exact;
        ASSERT_EQ(exact.factor(s.M, s.A, {Path::svd}), Outcome::ok);
        const ConstrainedFactor::Direction& weakest = exact.weakest_direction();
        ASSERT_NEAR(weakest.reciprocal_condition, exact.weakest(), 1e-9) << "trial " << trial;
        ASSERT_NEAR(to_eigen(weakest.parts).norm(), 1.0, 1e-9) << "trial " << trial;
    }
    EXPECT_GT(compared, 20);
}

TEST(ConstrainedFactor, OneCorrectionTakesTheErrorsOfTheFactorizationAway) {
    Random random(2);
    double plain = 0.0, corrected = 0.0;
    for (int trial = 0; trial < 100; ++trial) {
        const Sample s = make_sample(random_plan(random, 1e4, 1e4, 15), random);
        ConstrainedFactor factor;
        ASSERT_EQ(factor.factor(s.M, s.A, {}), Outcome::ok);
        const Oracle oracle = consult(s, false);
        Answer a = answer(factor, s.Q, s.b);
        plain = std::max(plain, oracle.error(a.x, oracle.q));
        const double residual = factor.solve({s.M, s.A, 2}, s.Q, s.b, a.x, a.lambda);
        corrected = std::max(corrected, oracle.error(a.x, oracle.q));
        ASSERT_LE(residual, 1e-12) << "trial " << trial;
    }
    EXPECT_LE(corrected, 1e-11);
    EXPECT_LE(corrected, plain);
}

TEST(ConstrainedFactor, NearbyMatricesAreReachedByCorrections) {
    // The error left falls by the distance of the matrices with every correction.
    Random random(3);
    const Sample s = make_sample({8, 5, 5, 10.0, 10.0}, random);
    Sample exact = s;
    constexpr double distance = 1e-4;
    exact.M = to_matrix(to_eigen(s.M) +
                        distance * to_eigen(s.M).cwiseAbs().maxCoeff() * MatrixX::Identity(8, 8));
    exact.A = to_matrix(to_eigen(s.A) + distance * normal(random, 5, 8));
    const std::vector<double> right = solve(exact.ideal()).acceleration;
    ConstrainedFactor factor;
    ASSERT_EQ(factor.factor(s.M, s.A, {}), Outcome::ok);
    double before = 1.0;
    for (int corrections = 0; corrections <= 5; ++corrections) {
        Answer a{std::vector<double>(8), std::vector<double>(5)};
        factor.solve({exact.M, exact.A, corrections}, s.Q, s.b, a.x, a.lambda);
        const double error = largest_difference(a.x, right) / to_eigen(right).norm();
        EXPECT_LE(error, std::max(1e-13, 0.05 * before)) << corrections << " corrections";
        before = error;
    }
    EXPECT_LE(before, 1e-12);
}

TEST(ConstrainedFactor, AnInconsistentRightSideLeavesAResidual) {
    const Matrix M = to_matrix(MatrixX::Identity(2, 2));
    Matrix A(2, 2);
    A(0, 0) = A(1, 0) = 1.0;  // x = 1 and x = 3
    ConstrainedFactor factor;
    ASSERT_EQ(factor.factor(M, A, {}), Outcome::ok);
    std::vector<double> x(2), lambda(2);
    const double f[] = {0.0, 5.0}, r[] = {1.0, 3.0};
    EXPECT_NEAR(factor.solve({M, A, 1}, f, r, x, lambda), 1.0 / 3.0, 1e-12);  // |1 − 2| / (1 + 2)
    EXPECT_NEAR(x[0], 2.0, 1e-14);  // least squares over rows of unit length
    EXPECT_NEAR(x[1], 5.0, 1e-14);
    EXPECT_EQ(factor.rank(), 1u);
}

TEST(ConstrainedFactor, WithoutForceItIsTheLeastChangeInTheMetricOfTheMass) {
    Random random(4);
    for (int trial = 0; trial < 100; ++trial) {
        const Sample s = make_sample(random_plan(random, 1e2, 1e2, 12), random);
        ConstrainedFactor factor;
        ASSERT_EQ(factor.factor(s.M, s.A, {}), Outcome::ok);
        const VectorX x = to_eigen(answer(factor, std::vector<double>(s.Q.size(), 0.0), s.b).x);
        const MatrixX A = to_eigen(s.A), M = to_eigen(s.M);
        const double length = std::sqrt(x.dot(M * x));
        if (s.plan.m > 0) {
            ASSERT_LE((A * x - to_eigen(s.b)).norm(), 1e-10 * (1.0 + to_eigen(s.b).norm()));
        }
        // M-orthogonal to every direction that the rows leave free: any other change that meets
        // them is longer.
        for (int other = 0; other < 5; ++other) {
            VectorX z = normal(random, s.plan.n, 1);
            const double size = z.norm();
            if (s.plan.m > 0) {
                const Eigen::CompleteOrthogonalDecomposition<MatrixX> rows(A);
                z -= rows.solve(A * z);
            }
            ASSERT_LE(std::abs(z.dot(M * x)), 1e-9 * (1.0 + length) * size) << "trial " << trial;
        }
    }
}

TEST(ConstrainedFactor, ASemidefiniteMassGivesTheMotionOfSolve) {
    Random random(5);
    int determined = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const Index n = integer(random, 1, 8), m = integer(random, 0, n + 2),
                    massive = integer(random, 0, n);
        Sample s;
        s.plan = {n, m, std::min(m, n)};
        const MatrixX G = normal(random, massive, n);
        s.M = to_matrix(G.transpose() * G);
        MatrixX A = normal(random, m, n);
        if (m >= 2) A.row(m - 1) = A.row(0);  // a row too many
        s.A = m > 0 ? to_matrix(A) : Matrix(0, static_cast<std::size_t>(n));
        s.Q = to_std(G.transpose() * normal(random, massive, 1));
        s.b = to_std(A * normal(random, n, 1));
        const ConstrainedSolution direct = solve(s.ideal());
        ConstrainedFactor factor;
        ASSERT_EQ(factor.factor(s.M, s.A, {}), direct.outcome) << "trial " << trial;
        ASSERT_EQ(factor.rank(), direct.rank);
        if (direct.outcome != Outcome::ok) continue;
        ++determined;
        const Answer a = answer(factor, s.Q, s.b);
        const double size = 1.0 + to_eigen(direct.acceleration).norm();
        ASSERT_LE(largest_difference(a.x, direct.acceleration), 1e-9 * size) << "trial " << trial;
        ASSERT_LE(force_residual(s, a), 1e-8 * size) << "trial " << trial;
    }
    EXPECT_GT(determined, 50);
}

TEST(ConstrainedFactor, PushIsTheAccelerationByARowsForce) {
    Random random(6);
    const Sample s = make_sample({6, 4, 3, 10.0, 100.0}, random);
    ConstrainedFactor factor;
    ASSERT_EQ(factor.factor(s.M, s.A, {}), Outcome::ok);
    const std::vector<double> lambda = to_std(normal(random, 4, 1));
    std::vector<double> x(6);
    factor.push(lambda, x);
    const VectorX rest = to_eigen(s.M) * to_eigen(x) - to_eigen(s.A).transpose() * to_eigen(lambda);
    EXPECT_LE(rest.norm(), 1e-13 * to_eigen(s.A).norm() * to_eigen(lambda).norm());
}

TEST(ConstrainedFactor, TheWeakestDirectionMeetsItsEquation) {
    Random random(7);
    for (int trial = 0; trial < 100; ++trial) {
        const Sample s = make_sample(random_plan(random, 1e3, 1e2, 12), random);
        ConstrainedFactor factor;
        ASSERT_EQ(factor.factor(s.M, s.A, {}), Outcome::ok);
        const auto direction = factor.weakest_direction();
        if (factor.rank() == 0) {
            ASSERT_TRUE(direction.u.empty());
            continue;
        }
        // The singular values of the row-scaled B, in longer numbers.
        const Oracle oracle = consult(s, false);
        LongMatrix B = oracle.L.triangularView<Eigen::Lower>().solve(
            LongMatrix(to_eigen(s.A).cast<long double>().transpose()));
        for (Index i = 0; i < s.plan.m; ++i) B.col(i) /= oracle.row_length(i);
        const LongVector values = Eigen::JacobiSVD<LongMatrix>(B).singularValues();
        const auto least = static_cast<double>(values(s.plan.rank - 1)),
                   largest = static_cast<double>(values(0));
        ASSERT_NEAR(direction.reciprocal_condition, least / largest, 1e-9) << "trial " << trial;
        ASSERT_NEAR(direction.at(s.A), least, 1e-9 * largest) << "trial " << trial;
        ASSERT_NEAR(to_eigen(direction.w).dot(to_eigen(s.M) * to_eigen(direction.w)), 1.0,
                    1e-9);                                   // of unit length
        ASSERT_GT(factor.weakest(), 0.1 * least / largest);  // an estimate
        ASSERT_LT(factor.weakest(), 10.0 * least / largest);
    }
}

TEST(ConstrainedFactor, TheWeakestDirectionChangesItsSignWhereARankIsLost) {
    // Rows (1, 0, 0) and (cos a, sin a, 0) with a = 0.2 − t: dependent at t = 0.2.
    const auto rows = [](double t) {
        Matrix A(2, 3);
        A(0, 0) = 1.0;
        A(1, 0) = std::cos(0.2 - t);
        A(1, 1) = std::sin(0.2 - t);
        return A;
    };
    ConstrainedFactor factor;
    ASSERT_EQ(factor.factor(to_matrix(MatrixX::Identity(3, 3)), rows(0.0), {}), Outcome::ok);
    const auto direction = factor.weakest_direction();
    EXPECT_NEAR(direction.reciprocal_condition, std::tan(0.1),
                1e-12);  // √(1 ∓ cos a) are the singular values
    EXPECT_GT(direction.at(rows(0.0)), 0.0);
    EXPECT_GT(direction.at(rows(0.15)), 0.0);
    EXPECT_LT(direction.at(rows(0.25)), 0.0);
    EXPECT_NEAR(direction.at(rows(0.2)), 0.0,
                0.02);  // by directions from before: near zero, to the square of the way
}

TEST(ConstrainedFactor, SaysWhatIsWrongAndRecovers) {
    const Matrix A(0, 2), one = to_matrix(MatrixX::Identity(2, 2));
    Matrix M = one;
    ConstrainedFactor factor;
    M(1, 1) = -1.0;
    EXPECT_EQ(factor.factor(M, A, {}), Outcome::indefinite);
    M(1, 1) = std::nan("");
    EXPECT_EQ(factor.factor(M, A, {}), Outcome::undefined);
    M(1, 1) = 0.0;
    EXPECT_EQ(factor.factor(M, A, {}), Outcome::undetermined);
    Matrix bad(1, 2);
    bad(0, 0) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(factor.factor(one, bad, {}), Outcome::undefined);
    EXPECT_EQ(factor.factor(one, A, {}), Outcome::ok);
    const double f[] = {3.0, 4.0};
    EXPECT_EQ(answer(factor, f, {}).x, (std::vector<double>{3.0, 4.0}));
}

TEST(ConstrainedFactor, ServesAnotherProblemOfAnotherSize) {
    Random random(8);
    ConstrainedFactor factor;
    for (const Plan& plan : {Plan{4, 3, 2, 10.0, 10.0}, Plan{2, 0, 0}, Plan{6, 8, 5, 10.0, 10.0}}) {
        const Sample s = make_sample(plan, random);
        for (const Path path : {Path::ldlt, Path::svd}) {
            ASSERT_EQ(factor.factor(s.M, s.A, {path}), Outcome::ok);
            EXPECT_LE(largest_difference(answer(factor, s.Q, s.b).x, solve(s.ideal()).acceleration),
                      1e-10);
        }
    }
}

}  // namespace
}  // namespace lacon
