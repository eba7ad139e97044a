// The judgements of `solve`: rank, conflict, indefinite, undetermined; and that no choice of units
// changes them.
#include <gtest/gtest.h>

#include "lacon/solve.hpp"
#include "solve/problems.hpp"

namespace lacon {
namespace {

using namespace testing;
using Path = SolveOptions::Path;

// Moves b out of the range of A by a vector of the left null space, of the size of b row by row in
// the row-scaled sense.
std::vector<double> inconsistent(const Sample& s, Random& random) {
    const MatrixX A = to_eigen(s.A);
    const Eigen::JacobiSVD<MatrixX> svd(A, Eigen::ComputeFullU);
    const MatrixX N = svd.matrixU().rightCols(s.plan.m - s.plan.rank);
    const VectorX b = to_eigen(s.b);
    return to_std(b + N * normal(random, N.cols(), 1).normalized() * (1e-3 * b.norm()));
}

Sample dependent_sample(Random& random, double cond_B, double cond_M) {
    Plan plan;
    do {
        plan = random_plan(random, cond_B, cond_M, 25);
    } while (plan.m == plan.rank || plan.rank == 0);
    return make_sample(plan, random);
}

TEST(SolveVerdict, ConflictIsFoundWhenTheRightHandSideLeavesTheRange) {
    // A shift of 1e-3 of b; q'' stays near the terms of b at these conditions (1e2), so the
    // residual stays five orders above the tolerance.
    Random random(1);
    for (int trial = 0; trial < 500; ++trial) {
        const Sample s = dependent_sample(random, 1e2, 1e2);
        const std::vector<double> b = inconsistent(s, random);
        for (const Path path : {Path::automatic, Path::cod, Path::svd, Path::ldlt}) {
            const ConstrainedSolution solution = solve({s.M, s.Q, s.A, b}, {path});
            ASSERT_EQ(solution.outcome, Outcome::conflict)
                << "trial " << trial << ", residual " << solution.residual;
            ASSERT_TRUE(solution.acceleration.empty());
            ASSERT_EQ(solution.rank, static_cast<std::size_t>(s.plan.rank));
            ASSERT_TRUE(std::any_of(solution.dependent.begin(), solution.dependent.end(),
                                    [](auto& set) { return set.conflict; }));
        }
    }
}

TEST(SolveVerdict, IllConditionedButConsistentRowsAreNoConflict) {
    // The residual is judged after one refinement: rounding only, eps by the size of the terms,
    // whatever the conditions. What dependent rows leave is eps · cond(L) at most: 1e-12 for
    // cond(M) = 1e8, with room for the sums.
    constexpr double rounding = 1e-10;
    Random random(2);
    for (int trial = 0; trial < 500; ++trial) {
        const Sample s = dependent_sample(random, 1e8, 1e8);
        for (const Path path : {Path::automatic, Path::cod, Path::svd, Path::ldlt}) {
            const ConstrainedSolution solution = solve(s.ideal(), {path});
            ASSERT_EQ(solution.outcome, Outcome::ok) << "trial " << trial;
            ASSERT_LE(solution.residual, rounding) << "trial " << trial;
        }
    }
}

struct Units {
    VectorX rows, coordinates;
};

Sample in_units(const Sample& s, const std::vector<double>& b, const Units& units) {
    const MatrixX D = units.coordinates.asDiagonal();  // q = D q_new
    Sample scaled = s;
    scaled.M = to_matrix(D * to_eigen(s.M) * D);
    scaled.A = to_matrix(units.rows.asDiagonal() * to_eigen(s.A) * D);
    scaled.b = to_std(units.rows.asDiagonal() * to_eigen(b));
    scaled.Q = to_std(D * to_eigen(s.Q));
    return scaled;
}

VectorX powers_of_ten(Random& random, Index k, double exponent) {
    return VectorX::NullaryExpr(
        k, [&] { return std::pow(10.0, uniform(random, -exponent, exponent)); });
}

TEST(SolveVerdict, RoundingAlongARowThatAsksForNothingIsNoConflict) {
    // Row 0 holds one coordinate still while the others move: what is left along it is rounding of
    // them, not of itself.
    Random random(3);
    for (int trial = 0; trial < 200; ++trial) {
        const bool massless = trial % 2 == 1;
        MatrixX A = normal(random, 4, 5), M = MatrixX::Identity(5, 5);
        A.row(0) = VectorX::Unit(5, 0).transpose();
        if (massless) M(4, 4) = 0.0;
        std::vector<double> b = to_std(normal(random, 4, 1)),
                            Q = to_std(1e3 * normal(random, 5, 1));
        b[0] = 0.0;
        const ConstrainedSolution s = solve({to_matrix(M), Q, to_matrix(A), b});
        ASSERT_EQ(s.outcome, Outcome::ok) << "trial " << trial << ", residual " << s.residual;
    }
}

TEST(SolveVerdict, UnitsOfRowsAndCoordinatesChangeNoVerdict) {
    Random random(3);
    for (int trial = 0; trial < 400; ++trial) {
        const Sample s = dependent_sample(random, 1e3, 1e3);
        const bool broken = trial % 2 == 1;
        const std::vector<double> b = broken ? inconsistent(s, random) : s.b;
        const Sample t = in_units(
            s, b, {powers_of_ten(random, s.plan.m, 6.0), powers_of_ten(random, s.plan.n, 3.0)});
        for (const Path path : {Path::automatic, Path::cod, Path::svd, Path::ldlt}) {
            const ConstrainedSolution before = solve({s.M, s.Q, s.A, b}, {path}),
                                      after = solve(t.ideal(), {path});
            ASSERT_EQ(before.outcome, broken ? Outcome::conflict : Outcome::ok)
                << "trial " << trial << " " << before.residual;
            ASSERT_EQ(after.outcome, before.outcome) << "trial " << trial << " " << after.residual;
            ASSERT_EQ(after.rank, before.rank) << "trial " << trial;
            ASSERT_EQ(after.dependent.size(), before.dependent.size());
            for (std::size_t k = 0; k < after.dependent.size(); ++k)
                ASSERT_EQ(after.dependent[k].rows, before.dependent[k].rows);
        }
    }
}

TEST(SolveVerdict, DoubtfulRankIsDecidedBySingularValuesAndSaysSo) {
    // Two unit rows at an angle d have the smallest singular value d / √2 relative to √2: half of
    // d.
    Matrix M(2, 2), A(2, 2);
    M(0, 0) = M(1, 1) = 1.0;
    const std::vector<double> Q{1.0, 1.0}, b{0.0, 0.0};
    const auto decide = [&](double angle, Path path) {
        A(0, 0) = A(1, 0) = 1.0;
        A(1, 1) = angle;
        return solve({M, Q, A, b}, {path});
    };
    EXPECT_EQ(decide(1e-2, Path::automatic).path, Path::cod);
    EXPECT_EQ(decide(1e-14, Path::automatic).path, Path::cod);
    EXPECT_EQ(decide(1e-14, Path::automatic).rank, 1u);
    const ConstrainedSolution above = decide(2.2e-10, Path::automatic),
                              below = decide(1.8e-10, Path::automatic);
    EXPECT_EQ(above.path, Path::svd);
    EXPECT_EQ(above.rank, 2u);
    EXPECT_NEAR(above.singular[1], 1.1e-10, 1e-15);
    EXPECT_EQ(below.path, Path::svd);
    EXPECT_EQ(below.rank, 1u);
    EXPECT_NEAR(below.gap, 1 / 0.9e-10, 1e5);
    EXPECT_EQ(decide(1e-6, Path::ldlt).path, Path::cod)
        << "a doubtful pivot of the squared form must not be trusted";
    EXPECT_EQ(decide(1e-2, Path::ldlt).path, Path::ldlt);
}

TEST(SolveVerdict, TheSquaredFormDecidesNoOtherRankThanTheOthers) {
    // The squares of 1e-7 and below are rounding beside 1, but the rows are independent at the
    // tolerance of 1e-10.
    Matrix M(2, 2), A(2, 2);
    M(0, 0) = M(1, 1) = A(0, 0) = A(1, 0) = 1.0;
    const std::vector<double> Q{1.0, 1.0}, b{0.0, 0.0};
    for (double angle = 1.0; angle > 1e-17; angle /= 3.0) {
        A(1, 1) = angle;
        for (const double tol : {1e-2, 1e-6, 1e-10, 1e-13}) {
            const ConstrainedSolution svd = solve({M, Q, A, b}, {Path::svd, tol}),
                                      ldlt = solve({M, Q, A, b}, {Path::ldlt, tol});
            ASSERT_EQ(ldlt.rank, svd.rank) << "angle " << angle << ", tolerance " << tol;
            ASSERT_EQ(solve({M, Q, A, b}, {Path::automatic, tol}).rank, svd.rank)
                << "angle " << angle << ", tolerance " << tol;
        }
    }
}

TEST(SolveVerdict, RankToleranceIsObeyed) {
    Matrix M(2, 2), A(2, 2);
    M(0, 0) = M(1, 1) = A(0, 0) = A(1, 0) = 1.0;
    A(1, 1) = 1e-3;
    const std::vector<double> Q{1.0, 1.0}, b{0.0, 0.0};
    EXPECT_EQ(solve({M, Q, A, b}, {.rank_tol = 1e-2}).rank, 1u);
    EXPECT_EQ(solve({M, Q, A, b}, {.rank_tol = 1e-4}).rank, 2u);
}

Matrix of(std::initializer_list<double> values, std::size_t n) {
    Matrix M(n, n);
    std::copy(values.begin(), values.end(), M.data());
    return M;
}

ConstrainedSolution judge(const Matrix& M, const Matrix& A = {}) {
    const std::vector<double> Q(M.rows(), 1.0), b(A.rows(), 0.0);
    return solve({M, Q, A, b});
}

TEST(SolveVerdict, NegativeMassIsNamed) {
    const ConstrainedSolution s = judge(of({1, 0, 0, 0, -2, 0, 0, 0, 1}, 3));
    EXPECT_EQ(s.outcome, Outcome::indefinite);
    EXPECT_EQ(s.indefinite_row, 1u);
    EXPECT_EQ(s.indefinite_col, 1u);
}

TEST(SolveVerdict, CouplingLargerThanTheMassesIsNamedByItsPair) {
    // M_02² = 4e-6 > M_00 M_22 = 1e-6.
    const ConstrainedSolution s = judge(of({1e-6, 0, 2e-3, 0, 1, 0, 2e-3, 0, 1}, 3));
    EXPECT_EQ(s.outcome, Outcome::indefinite);
    EXPECT_EQ(s.indefinite_row, 0u);
    EXPECT_EQ(s.indefinite_col, 2u);
}

TEST(SolveVerdict, CouplingOfAMasslessCoordinateIsNamedByItsPair) {
    const ConstrainedSolution s = judge(of({1, 0, 0, 0, 0, 0.5, 0, 0.5, 1}, 3));
    EXPECT_EQ(s.outcome, Outcome::indefinite);
    EXPECT_EQ(s.indefinite_row, 1u);
    EXPECT_EQ(s.indefinite_col, 2u);
}

TEST(SolveVerdict, ThreeWayIndefinitenessIsNamedByTheEliminationPivot) {
    // Every pair is fine (0.9² < 1), the three together are not; the third pivot is where it shows.
    const ConstrainedSolution s = judge(of({1, -0.9, -0.9, -0.9, 1, -0.9, -0.9, -0.9, 1}, 3));
    EXPECT_EQ(s.outcome, Outcome::indefinite);
    EXPECT_EQ(s.indefinite_row, s.indefinite_col);
    EXPECT_EQ(s.indefinite_row, 1u + 1u);
    EXPECT_TRUE(s.acceleration.empty());
}

TEST(SolveVerdict, CoordinatesThatNothingFixesAreNamed) {
    Matrix A(1, 4);
    A(0, 0) = A(0, 1) = 1.0;  // q0'' + q1'' = 0
    // Mass on q3 only: q0 and q1 can move against each other, q2 alone.
    const ConstrainedSolution s = judge(of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 4), A);
    EXPECT_EQ(s.outcome, Outcome::undetermined);
    EXPECT_EQ(s.undetermined, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_TRUE(s.acceleration.empty());
    EXPECT_EQ(s.rank, 1u);
}

TEST(SolveVerdict, SharedMassOfTwoCoordinatesLeavesTheirDifferenceUndetermined) {
    const ConstrainedSolution s = judge(of({1, 1, 0, 1, 1, 0, 0, 0, 1}, 3));
    EXPECT_EQ(s.outcome, Outcome::undetermined);
    EXPECT_EQ(s.undetermined, (std::vector<std::size_t>{0, 1}));
}

TEST(SolveVerdict, ConflictComesBeforeUndetermined) {
    Matrix A(2, 2);
    A(0, 0) = A(1, 0) = 1.0;
    const std::vector<double> Q{0.0, 0.0}, b{0.0, 1.0};
    EXPECT_EQ(solve({Matrix(2, 2), Q, A, b}).outcome, Outcome::conflict);
}

}  // namespace
}  // namespace lacon
