// Mass matrices with massless directions (theory 7): against the whole system [M −Aᵀ; A 0] in long
// double, with the unknown motion unique although M is singular.
#include <gtest/gtest.h>

#include "lacon/solve.hpp"
#include "solve/problems.hpp"

namespace lacon {
namespace {

using namespace testing;

struct Singular {
    Sample sample;
    double condition = 1.0;  // of A over its rank, times that of the mass it leaves free
};

// M of rank n − k on a random basis, A with planted rank ≥ k.
Singular make_singular(Random& random, double cond_A, double cond_M) {
    const Index n = integer(random, 2, 20), k = integer(random, 1, std::min<Index>(n, 5));
    const Index rank = integer(random, k, n), m = rank + integer(random, 0, 4);
    VectorX masses = VectorX::Zero(n);
    masses.head(n - k) = spectrum(n - k, cond_M);
    const MatrixX G = orthonormal(random, n, n);
    const MatrixX M = G * masses.asDiagonal() * G.transpose();
    const MatrixX A = orthonormal(random, m, rank) * spectrum(rank, cond_A).asDiagonal() *
                      orthonormal(random, n, rank).transpose();
    Singular result;
    Sample& s = result.sample;
    s.plan = {n, m, rank, cond_A, cond_M};
    s.M = to_matrix(0.5 * (M + M.transpose()));
    s.A = to_matrix(A);
    s.Q = to_std(normal(random, n, 1));
    s.c = to_std(normal(random, n, 1));
    s.b = to_std(A * normal(random, n, 1));
    const Eigen::JacobiSVD<MatrixX> svd(A, Eigen::ComputeFullV);
    const MatrixX Z = svd.matrixV().rightCols(n - rank);
    const double least =
        rank == n ? 1.0
                  : Eigen::SelfAdjointEigenSolver<MatrixX>(Z.transpose() * M * Z).eigenvalues()(0);
    result.condition = svd.singularValues()(0) / svd.singularValues()(rank - 1) / least;
    return result;
}

LongVector by_whole_system(const Sample& s, bool nonideal) {
    const Index n = s.plan.n, m = s.plan.m;
    LongMatrix kkt = LongMatrix::Zero(n + m, n + m);
    kkt.topLeftCorner(n, n) = to_eigen(s.M).cast<long double>();
    kkt.topRightCorner(n, m) = -to_eigen(s.A).cast<long double>().transpose();
    kkt.bottomLeftCorner(m, n) = to_eigen(s.A).cast<long double>();
    LongVector right(n + m);
    right << to_eigen(s.Q).cast<long double>(), to_eigen(s.b).cast<long double>();
    if (nonideal) right.head(n) += to_eigen(s.c).cast<long double>();
    return (truncated_pinv(kkt, n + s.plan.rank) * right).head(n);
}

TEST(SolveSemidefinite, MotionIsThatOfTheWholeSystem) {
    // The null-space method is known to eps times cond(A) times cond of the free mass, in sums over
    // n ≤ 20; both q and the b of a badly conditioned A are of size 1.
    constexpr double units = 50.0;
    Random random(1);
    int tested = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        const Singular singular = make_singular(random, std::pow(1e4, uniform(random, 0, 1)),
                                                std::pow(1e3, uniform(random, 0, 1)));
        const Sample& s = singular.sample;
        if (singular.condition > 1e9)
            continue;  // [M; A] nearly lacks column rank: the verdict itself is in doubt
        ++tested;
        const ConstrainedSolution ideal = solve(s.ideal()), nonideal = solve(s.nonideal());
        ASSERT_EQ(ideal.outcome, Outcome::ok) << "trial " << trial;
        ASSERT_TRUE(ideal.a.empty());
        ASSERT_TRUE(std::isnan(ideal.gaussian));
        ASSERT_EQ(ideal.rank, static_cast<std::size_t>(s.plan.rank));
        for (const bool with_c : {false, true}) {
            const VectorX expected = by_whole_system(s, with_c).cast<double>();
            const double difference =
                (to_eigen((with_c ? nonideal : ideal).acceleration) - expected).norm();
            ASSERT_LE(difference, units * eps * singular.condition * (1.0 + expected.norm()))
                << "trial " << trial;
        }
    }
    EXPECT_GT(tested, 1200);
}

TEST(SolveSemidefinite, ForcesBalanceDoTheRightWorkAndComeFromTheMultipliers) {
    constexpr double units = 50.0;
    Random random(2);
    for (int trial = 0; trial < 500; ++trial) {
        const Singular singular = make_singular(random, 10.0, 10.0);
        const Sample& s = singular.sample;
        const ConstrainedSolution solution = solve(s.nonideal());
        ASSERT_EQ(solution.outcome, Outcome::ok);
        const MatrixX A = to_eigen(s.A);
        const VectorX Qc = to_eigen(solution.constraint_force),
                      Qni = to_eigen(solution.nonideal_force);
        const double tol = units * eps * singular.condition * (1.0 + Qc.norm() + Qni.norm());
        ASSERT_LE(
            (to_eigen(s.M) * to_eigen(solution.acceleration) - to_eigen(s.Q) - Qc - Qni).norm(),
            tol)
            << "trial " << trial;
        ASSERT_LE((A.transpose() * to_eigen(solution.multipliers) - Qc).norm(), tol)
            << "trial " << trial;
        const VectorX v = normal(random, s.plan.n, 1);
        const VectorX feasible = v - to_eigen(reference::pinv(s.A, 1e-10)) * (A * v);
        ASSERT_LE(std::abs(feasible.dot(Qc)), tol * v.norm()) << "trial " << trial;
        ASSERT_LE(std::abs(feasible.dot(Qni) - feasible.dot(to_eigen(s.c))), tol * v.norm())
            << "trial " << trial;
    }
}

TEST(SolveSemidefinite, ItContinuesTheDefiniteCase) {
    // Two roads to one motion: semidefinite M, and the same with a mass of 1e-9 on the massless
    // direction, whose effect is of that order times the condition of what is left (≤ 1e2 here)
    // times forces and accelerations (≤ 1e2).
    Random random(3);
    for (int trial = 0; trial < 200; ++trial) {
        const Singular singular = make_singular(random, 2.0, 2.0);
        if (singular.condition > 1e2) continue;
        const Sample& s = singular.sample;
        Matrix M = s.M;
        for (std::size_t j = 0; j < M.rows(); ++j) M(j, j) += 1e-9;
        const ConstrainedSolution definite = solve({M, s.Q, s.A, s.b, s.c}),
                                  semidefinite = solve(s.nonideal());
        ASSERT_EQ(definite.outcome, Outcome::ok);
        ASSERT_FALSE(definite.a.empty());
        ASSERT_TRUE(semidefinite.a.empty());
        ASSERT_LE(largest_difference(definite.acceleration, semidefinite.acceleration), 1e-9 * 1e4)
            << "trial " << trial;
        ASSERT_LE(largest_difference(definite.nonideal_force, semidefinite.nonideal_force),
                  1e-9 * 1e4)
            << "trial " << trial;
        ASSERT_LE(largest_difference(definite.constraint_force, semidefinite.constraint_force),
                  1e-9 * 1e4)
            << "trial " << trial;
    }
}

TEST(SolveSemidefinite, MissingColumnRankIsUndetermined) {
    Random random(4);
    for (int trial = 0; trial < 300; ++trial) {
        const Index n = integer(random, 2, 15), rank = integer(random, 0, n - 1);
        // A direction w that neither M nor A sees; it involves a planted half of the coordinates.
        VectorX w = normal(random, n, 1);
        std::vector<std::size_t> planted;
        for (Index j = 0; j < n; ++j) {
            if (j > 0 && j % 2 == trial % 2) {
                w(j) = 0.0;
            } else {
                w(j) += w(j) < 0.0 ? -0.1 : 0.1;
                planted.push_back(static_cast<std::size_t>(j));
            }
        }
        w.normalize();
        const MatrixX off = MatrixX::Identity(n, n) - w * w.transpose();
        const MatrixX half = normal(random, n + 2, n) * off;
        const Matrix M = to_matrix(half.transpose() * half),
                     A = to_matrix(normal(random, rank, n) * off);
        const std::vector<double> Q(static_cast<std::size_t>(n), 0.0),
            b(static_cast<std::size_t>(rank), 0.0);
        const ConstrainedSolution solution = solve({M, Q, A, b});
        ASSERT_EQ(solution.outcome, Outcome::undetermined) << "trial " << trial;
        ASSERT_EQ(solution.undetermined, planted) << "trial " << trial;
    }
}

TEST(SolveSemidefinite, UnitsChangeNoVerdict) {
    Random random(5);
    for (int trial = 0; trial < 300; ++trial) {
        const Sample s = make_singular(random, 10.0, 10.0).sample;
        VectorX rows = normal(random, s.plan.m, 1), coordinates = normal(random, s.plan.n, 1);
        for (double& x : rows) x = std::pow(10.0, std::clamp(4 * x, -6.0, 6.0));
        for (double& x : coordinates) x = std::pow(10.0, std::clamp(2 * x, -3.0, 3.0));
        const MatrixX D = coordinates.asDiagonal();
        const Matrix M = to_matrix(D * to_eigen(s.M) * D),
                     A = to_matrix(rows.asDiagonal() * to_eigen(s.A) * D);
        const std::vector<double> Q = to_std(D * to_eigen(s.Q)),
                                  b = to_std(rows.asDiagonal() * to_eigen(s.b));
        const ConstrainedSolution before = solve(s.ideal()), after = solve({M, Q, A, b});
        ASSERT_EQ(before.outcome, Outcome::ok);
        ASSERT_EQ(after.outcome, Outcome::ok) << "trial " << trial;
        ASSERT_EQ(after.rank, before.rank) << "trial " << trial;
    }
}

TEST(SolveSemidefinite, AllMasslessIsFixedByConstraintsAlone) {
    Matrix A(2, 2);
    A(0, 0) = 1, A(0, 1) = 1, A(1, 0) = 1e3, A(1, 1) = -1e3;
    const std::vector<double> Q{1, 2}, b{3, 1e3};
    const ConstrainedSolution s = solve({Matrix(2, 2), Q, A, b});
    ASSERT_EQ(s.outcome, Outcome::ok);
    EXPECT_NEAR(s.acceleration[0], 2.0, 20 * eps);
    EXPECT_NEAR(s.acceleration[1], 1.0, 20 * eps);
    EXPECT_NEAR(s.constraint_force[0], -1.0, 20 * eps);
    EXPECT_NEAR(s.constraint_force[1], -2.0, 20 * eps);
}

}  // namespace
}  // namespace lacon
