// Problems whose answer is known on paper, and the edges of what `solve` accepts.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lacon/solve.hpp"
#include "solve/problems.hpp"

namespace lacon {
namespace {

using testing::eps;

constexpr double tight = 20 * eps;  // a handful of operations on numbers near 1

Matrix rows_of(std::initializer_list<std::initializer_list<double>> rows) {
    Matrix A(rows.size(), rows.size() == 0 ? 0 : rows.begin()->size());
    std::size_t i = 0;
    for (const auto& row : rows) std::copy(row.begin(), row.end(), A.row(i++).begin());
    return A;
}

Matrix diagonal(std::initializer_list<double> masses) {
    Matrix M(masses.size(), masses.size());
    std::size_t i = 0;
    for (double mass : masses) M(i, i) = mass, ++i;
    return M;
}

using Numbers = std::vector<double>;

void expect_near(const Numbers& x, const Numbers& y, double tol) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(x[i], y[i], tol * (1.0 + std::abs(y[i]))) << "component " << i;
}

constexpr SolveOptions::Path paths[] = {SolveOptions::Path::automatic, SolveOptions::Path::cod,
                                        SolveOptions::Path::svd, SolveOptions::Path::ldlt};

TEST(SolveClosedForms, PendulumSwingsByGravityAndPullsByItsString) {
    const double m = 2.0, g = 9.81, x = 0.6, y = -0.8,
                 speed = 3.0;  // length 1, velocity speed * (0.8, 0.6)
    for (const auto path : paths) {
        const ConstrainedSolution s = solve(
            {diagonal({m, m}), Numbers{0.0, -m * g}, rows_of({{x, y}}), Numbers{-speed * speed}},
            {path});
        ASSERT_EQ(s.outcome, Outcome::ok);
        const double tension = m * (speed * speed - g * y);
        expect_near(s.constraint_force, {-tension * x, -tension * y}, tight);
        expect_near(s.acceleration, {-tension * x / m, -tension * y / m - g}, tight);
        expect_near(s.multipliers, {-tension}, tight);
        EXPECT_NEAR(s.gaussian, tension * tension / m, tight * tension * tension);
        EXPECT_EQ(s.path, path == SolveOptions::Path::automatic ? SolveOptions::Path::cod : path);
    }
}

TEST(SolveClosedForms, ParticleWithYRateEqualToZTimesXRate) {  // theory 6.1: P2 example 1
    const double z = 1.7, vx = 0.4, vz = -2.1;
    const ConstrainedSolution s =
        solve({diagonal({1, 1, 1}), Numbers{0, 0, 0}, rows_of({{-z, 1, 0}}), Numbers{vz * vx}});
    const double k = vz * vx / (1 + z * z);
    expect_near(s.acceleration, {-z * k, k, 0}, tight);
}

TEST(SolveClosedForms, ParticleGuidedByAGivenVelocityCombination) {  // theory 6.2: P2 example 2
    const double m = 3.0, X = 1.2, Y = -0.7, t = 0.9, vy = 0.3, alpha_rate = 0.8;
    const ConstrainedSolution s =
        solve({diagonal({m, m}), Numbers{X, Y}, rows_of({{1, -t}}), Numbers{vy + alpha_rate}});
    const double w = 1 / (1 + t * t), k = m * (vy + alpha_rate) * w;
    expect_near(s.acceleration, {(w * (t * t * X + t * Y) + k) / m, (w * (t * X + Y) - k * t) / m},
                tight);
    expect_near(s.constraint_force, {w * (-X + t * Y) + k, w * (t * X - t * t * Y) - k * t}, tight);
}

TEST(SolveClosedForms, WithoutConstraintsTheMotionIsFree) {
    for (const Matrix& A : {Matrix(0, 2), Matrix()}) {
        const ConstrainedSolution s = solve({diagonal({2, 4}), Numbers{6, -2}, A, Numbers{}});
        ASSERT_EQ(s.outcome, Outcome::ok);
        expect_near(s.acceleration, {3, -0.5}, tight);
        expect_near(s.constraint_force, {0, 0}, 0);
        EXPECT_EQ(s.gaussian, 0.0);
        EXPECT_EQ(s.rank, 0u);
        EXPECT_EQ(s.gap, 0.0);
    }
}

TEST(SolveClosedForms, WithoutCoordinatesOnlyTheRightHandSideCanConflict) {
    EXPECT_EQ(solve({Matrix(), Numbers{}, Matrix(), Numbers{}}).outcome, Outcome::ok);
    EXPECT_EQ(solve({Matrix(), Numbers{}, Matrix(2, 0), Numbers{0, 0}}).outcome, Outcome::ok);
    const ConstrainedSolution s = solve({Matrix(), Numbers{}, Matrix(2, 0), Numbers{0, 1}});
    EXPECT_EQ(s.outcome, Outcome::conflict);
    ASSERT_EQ(s.dependent.size(), 2u);
    EXPECT_FALSE(s.dependent[0].conflict);
    EXPECT_TRUE(s.dependent[1].conflict);
}

TEST(SolveClosedForms, AConflictIsNotAnsweredWithACompromise) {
    for (const auto path : paths) {
        const ConstrainedSolution s = solve(
            {diagonal({1, 1}), Numbers{0, 5}, rows_of({{1, 0}, {1, 0}}), Numbers{0, 1}}, {path});
        EXPECT_EQ(s.outcome, Outcome::conflict);
        EXPECT_TRUE(s.acceleration.empty());
        EXPECT_TRUE(s.constraint_force.empty());
        EXPECT_TRUE(s.multipliers.empty());
        EXPECT_TRUE(std::isnan(s.gaussian));
        expect_near(s.a, {0, 5}, tight);
        expect_near(s.e, {0, 1}, tight);
        EXPECT_EQ(s.rank, 1u);
        ASSERT_EQ(s.dependent.size(), 1u);
        EXPECT_TRUE(s.dependent[0].conflict);
        EXPECT_EQ(s.dependent[0].rows, (std::vector<std::size_t>{0, 1}));
    }
}

TEST(SolveClosedForms, NonFiniteValuesAnywhereAreUndefined) {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const Matrix M = diagonal({1, 1}), A = rows_of({{1, 0}});
    const Numbers Q{0, 0}, b{0};
    EXPECT_EQ(solve({diagonal({1, nan}), Q, A, b}).outcome, Outcome::undefined);
    EXPECT_EQ(solve({M, Numbers{0, inf}, A, b}).outcome, Outcome::undefined);
    EXPECT_EQ(solve({M, Q, rows_of({{nan, 0}}), b}).outcome, Outcome::undefined);
    EXPECT_EQ(solve({M, Q, A, Numbers{-inf}}).outcome, Outcome::undefined);
    EXPECT_EQ(solve({M, Q, A, b, Numbers{nan, 0}}).outcome, Outcome::undefined);
    EXPECT_TRUE(solve({M, Q, A, Numbers{nan}}).acceleration.empty());
}

TEST(SolveClosedForms, MultipliersOfRepeatedRowsShareTheLoadByLength) {
    // Least norm over A as given: rows (1), (1), (2) carry a force F as λ ∝ (1, 1, 2), whatever
    // scaling the inside uses.
    const ConstrainedSolution s =
        solve({diagonal({1}), Numbers{6}, rows_of({{1}, {1}, {2}}), Numbers{0, 0, 0}});
    ASSERT_EQ(s.outcome, Outcome::ok);
    expect_near(s.multipliers, {-1, -1, -2}, tight);
}

TEST(SolveClosedForms, MassInMixedUnitsIsHarmless) {
    // A kilogram drags a nanogram by a rod; a gigagram moves by itself.
    const Matrix M = diagonal({1, 1e-12, 1e9}), A = rows_of({{1, -1, 0}});
    const Numbers b{0};
    const ConstrainedSolution dragged = solve({M, Numbers{1, 0, 1}, A, b});
    ASSERT_EQ(dragged.outcome, Outcome::ok);
    expect_near(dragged.acceleration, {1 / (1 + 1e-12), 1 / (1 + 1e-12), 1e-9}, tight);
    // The same force on the nanogram: its free acceleration of 1e12 has to cancel. Errors are small
    // in the metric of M, relative to |a_s| = 1e12 √1e-12 = 1e6.
    const ConstrainedSolution driven = solve({M, Numbers{1, 1, 1}, A, b});
    ASSERT_EQ(driven.outcome, Outcome::ok);
    expect_near(driven.acceleration, {2 / (1 + 1e-12), 2 / (1 + 1e-12), 1e-9}, tight * 1e6);
    EXPECT_LE(driven.residual, eps);
}

TEST(SolveClosedForms, PlanarMassWithoutInertiaMovesWhereItsConstraintSays) {
    // M = diag(1, 0): y is fixed by y'' = 2 x'' only through the constraint.
    const ConstrainedSolution s =
        solve({diagonal({1, 0}), Numbers{3, 1}, rows_of({{-2, 1}}), Numbers{0}});
    ASSERT_EQ(s.outcome, Outcome::ok);
    expect_near(s.acceleration, {5, 10},
                tight);  // 1 · x'' = 3 + 2 · 1, since the constraint must balance the 1 on y
    expect_near(s.constraint_force, {2, -1}, tight);
    expect_near(s.multipliers, {-1}, tight);
    EXPECT_TRUE(s.a.empty());
    EXPECT_TRUE(s.e.empty());
    EXPECT_TRUE(std::isnan(s.gaussian));
}

TEST(SolveClosedForms, OutcomesHaveTheirNames) {
    EXPECT_EQ(name_of(Outcome::ok), "ok");
    EXPECT_EQ(name_of(Outcome::conflict), "conflict");
    EXPECT_EQ(name_of(Outcome::undetermined), "undetermined");
    EXPECT_EQ(name_of(Outcome::indefinite), "indefinite");
    EXPECT_EQ(name_of(Outcome::undefined), "undefined");
    EXPECT_EQ(name_of(Outcome::no_start), "no_start");
}

}  // namespace
}  // namespace lacon
