// What keeps the motion on its constraints: projection, Baumgarte's term, nothing; redundant,
// moving and massless parts; late begins.

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "methods/projection.hpp"
#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using Real = long double;

TEST(Projection, MovesOnlyAcrossTheConstraintsInTheMassMetric) {
    const Mechanism m = Mechanism::parse(R"(coord x, y, z
        kinetic 5*x'^2 + y'^2/2 + z'^2/20 + x'*z'/10
        constraint ball: x^2 + y^2 + z^2 = 3
        constraint rule: x' + y*z' = 0)");
    DenseField field(m.details(), {});
    DenseProjector projector(field, true);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> offset(-1e-6, 1e-6);
    for (int round = 0; round < 20; ++round) {
        State state{0.0, {1.0, 1.0, 1.0}, {-1.0, 0.0, 1.0}};
        ASSERT_EQ(projector.project(state), Outcome::ok);
        State moved = state;
        for (std::size_t i = 0; i < 3; ++i)
            moved.q[i] += offset(random), moved.v[i] += offset(random);
        const State before = moved;
        ASSERT_EQ(projector.project(moved), Outcome::ok);
        EXPECT_LE(projector.left.position, 1e-15);
        EXPECT_LE(projector.left.velocity, 1e-15);
        const Evaluation at = m.evaluate(moved);
        // Directions that keep the ball (positions), and both rows (velocities): A v = 0, then vᵀ M
        // change = 0.
        const std::vector<std::vector<double>> along = {{moved.q[1], -moved.q[0], 0.0},
                                                        {moved.q[2], 0.0, -moved.q[0]}};
        const auto work = [&](const std::vector<double>& v, const std::vector<double>& a,
                              const std::vector<double>& b) {
            double sum = 0.0;
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j) sum += v[i] * at.M(i, j) * (a[j] - b[j]);
            return sum;
        };
        for (const auto& v : along) EXPECT_LE(std::abs(work(v, moved.q, before.q)), 1e-10);
        const auto row0 = at.A.row(0), row1 = at.A.row(1);
        const std::vector<double> both = {row0[1] * row1[2] - row0[2] * row1[1],
                                          row0[2] * row1[0] - row0[0] * row1[2],
                                          row0[0] * row1[1] - row0[1] * row1[0]};
        EXPECT_LE(std::abs(work(both, moved.v, before.v)), 1e-10);
    }
}

// x' = −k (x − sin t) + cos t: where sin t is 1 the velocity is the rounding of k times that, and
// no projection makes it better.
TEST(Projection, VelocitiesThatVanishAmongLargeTermsAreMetUpToRounding) {
    for (const double k : {450.0, 6e3, 2e4})
        for (const char* method : {"taylor", "dop853", "bdf"}) {
            const Mechanism m = Mechanism::parse(
                fmt::format("coord x\nkinetic x'^2/2\nconstraint c: x' = -{}*(x - sin(t)) + "
                            "cos(t)\nstart x = 0\n",
                            k));
            const Motion motion = run_well(m, {.end = 9.0, .tolerance = 1e-7, .method = method});
            EXPECT_NEAR(last(motion, "x"), std::sin(9.0), 1e-5) << method << k;
        }
}

TEST(Projection, ResidualsAreRoundingWithItAndDriftWithoutIt) {
    const auto residual = [](Stabilize way, double end) {
        const Motion motion = run_well(
            load("double_pendulum.lac"),
            {.end = end, .every = end, .tolerance = 1e-7, .method = "dop853", .stabilize = way});
        return motion.summary.worst.position;
    };
    EXPECT_LE(residual(Stabilize::project, 50.0), 1e-15);
    const double soon = residual(Stabilize::none, 5.0), late = residual(Stabilize::none, 50.0);
    EXPECT_GE(soon, 1e-9);
    EXPECT_GE(late, 10.0 * soon);  // it grows like the square of the time where nothing holds it
    const double held = residual(Stabilize::baumgarte, 50.0);
    EXPECT_LE(held, 1e-6);
    EXPECT_GE(held, 1e-13);
    EXPECT_LE(held, 0.1 * late);
}

TEST(Projection, BaumgarteDrawsAnErrorInAtItsRate) {
    // φ'' + 2αφ' + α²φ = 0 from φ' = 0: φ = φ0 (1 + α t) exp(−α t). The start cannot be off, so the
    // rod is one that jumps.
    for (const char* method : {"taylor", "dop853", "gauss"}) {
        const Mechanism m = Mechanism::parse(R"(coord x, y
            particle p at (x, y) mass 1
            constraint c: x = if(t < 1, 0, 0.5)
            start x = 0, y = 0, y' = 1
            output c.residual)");
        const Motion motion = run(m, {.end = 2.0,
                                      .every = 0.125,
                                      .tolerance = 1e-11,
                                      .method = method,
                                      .step = 1.0 / 128.0,
                                      .stabilize = Stabilize::baumgarte,
                                      .baumgarte = 8.0});
        ASSERT_TRUE(motion.status) << method << motion.status.message;
        EXPECT_NEAR(last(motion, "x"), 0.5 - 0.5 * 9.0 * std::exp(-8.0), 1e-8) << method;
    }
}

TEST(Projection, StabilizedRowsAreLeftToTheirOwnGains) {
    // φ'' + 20 φ' + 100 φ = 0 behind a jump of the demand: no projection, and the exact decay.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        constraint soft: x = if(t < 1, 0, 0.5) stabilize 20 100
        constraint hard: y = t
        start x = 0, y = 0)");
    const Motion motion =
        run_well(m, {.end = 2.0, .every = 0.1, .tolerance = 1e-12, .method = "taylor"});
    EXPECT_LE(worst_error(motion, "x",
                          [&](Real t) {
                              return t < 1.0L ? 0.0L
                                              : 0.5L - 0.5L * (10.0L * t - 9.0L) *
                                                           std::exp(10.0L - 10.0L * t);
                          }),
              1e-11);
    EXPECT_LE(worst_error(motion, "y", [](Real t) { return t; }), 1e-14);
    // What is left to the gains is a residual all the same: that of the jump.
    EXPECT_NEAR(motion.summary.worst.position_absolute, 0.5, 1e-12);
    EXPECT_LE(motion.summary.worst.velocity_absolute, 5.0);
    EXPECT_GE(motion.summary.worst.velocity_absolute, 1.0);
}

TEST(Projection, AStartThatBreaksAStabilizedRowIsItsWorstResidual) {
    const Mechanism m = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint soft: x = 1 stabilize 20 "
        "100\nconstraint hard: y = t\n"
        "start x = 0.75, x' = 0");
    const Motion motion = run_well(m, {.end = 1.0, .tolerance = 1e-10, .method = "taylor"});
    EXPECT_NEAR(motion.summary.worst.position_absolute, 0.25, 1e-12);
}

class AnyMethod : public testing::TestWithParam<std::string> {
protected:
    RunOptions options(double end) const {
        return {.end = end,
                .every = end / 50.0,
                .tolerance = 1e-11,
                .method = GetParam(),
                .step = 0.005};
    }
    double error() const {
        return GetParam() == "taylor" || GetParam() == "dop853" || GetParam() == "gauss" ? 1e-9
                                                                                         : 1e-6;
    }
};
INSTANTIATE_TEST_SUITE_P(Methods, AnyMethod,
                         testing::Values("taylor", "dop853", "dopri5", "adams", "bdf", "rk4",
                                         "gauss"),
                         [](const auto& i) { return i.param; });

TEST_P(AnyMethod, MasslessPulleyIsCarriedAlong) {
    const Mechanism m = load("compound_atwood.lac");
    const double m1 = 4.0, m2 = 3.0, m3 = 1.0, g = 9.81,
                 S = 2.0 * g / (1 / m1 + 1 / (4 * m2) + 1 / (4 * m3));
    const Motion motion = run_well(m, options(1.0));
    EXPECT_NEAR(last(motion, "y1"), -3.0 + 0.5 * (S / m1 - g), error());
    EXPECT_NEAR(last(motion, "y2"), -4.0 + 0.5 * (S / (2 * m2) - g), error());
    EXPECT_NEAR(last(motion, "yp'"), -(S / m1 - g), error());
    EXPECT_LE(motion.summary.worst.position, 1e-14);
}

TEST_P(AnyMethod, BodyInAQuaternionObeysEulersEquations) {
    const Slope euler = [](Real, const Vector& w) {
        return Vector{(2.0L - 2.5L) / 1.0L * w[1] * w[2], (2.5L - 1.0L) / 2.0L * w[2] * w[0],
                      (1.0L - 2.0L) / 2.5L * w[0] * w[1]};
    };
    const Motion motion = run_well(load("quaternion_body.lac"), options(10.0));
    const Vector w = reference_at(euler, 0.0L, {Real(0.01), 3.0L, 0.0L}, {10.0})[0];
    EXPECT_NEAR(last(motion, "w.x"), near(w[0]), 300.0 * error());
    EXPECT_NEAR(last(motion, "w.y"), near(w[1]), 300.0 * error());
    EXPECT_NEAR(last(motion, "w.z"), near(w[2]), 300.0 * error());
    EXPECT_LE(motion.summary.worst.position, 1e-14);
}

TEST_P(AnyMethod, ConstraintSaidThreeTimesActsAsOne) {
    const Motion one = run_well(load("pendulum.lac", {{"L", 2.0}, {"m", 0.5}}), options(0.01));
    const Mechanism m = load("pendulum_three_ways.lac");
    const Motion motion = run_well(m, options(5.0));
    const Real w = std::sqrt(Real(9.81) / 2.0L),
               amplitude = std::atan2(Real(motion.column("x")[0]), -Real(motion.column("y")[0]));
    EXPECT_LE(worst_error(motion, "x",
                          [&](Real t) { return 2.0L * std::sin(pendulum_angle(amplitude, w, t)); }),
              10.0 * error());
    EXPECT_EQ(motion.summary.rank_first, 1U);
    EXPECT_EQ(motion.summary.rank_min, 1U);
    EXPECT_EQ(motion.summary.rank_max, one.summary.rank_max);
}

TEST_P(AnyMethod, MovingConstraintsCarryTheBead) {
    // (1 + 4 r²) r'' = (w² − 2 g) r − 4 r r'²
    const Slope bead = [](Real, const Vector& s) {
        const Real r = s[0], v = s[1];
        return Vector{v,
                      ((9.0L - 2.0L * Real(9.81)) * r - 4.0L * r * v * v) / (1.0L + 4.0L * r * r)};
    };
    const Motion motion = run_well(load("spinning_wire.lac"), options(5.0));
    const std::vector<double>& t = motion.column("t");
    const std::vector<Vector> exact = reference_at(bead, 0.0L, {1.0L, 0.0L}, t);
    for (std::size_t i = 0; i < t.size(); ++i) {
        EXPECT_NEAR(motion.column("x")[i], near(exact[i][0] * std::cos(3.0L * t[i])),
                    10.0 * error());
        EXPECT_NEAR(motion.column("y")[i], near(exact[i][0] * std::sin(3.0L * t[i])),
                    10.0 * error());
    }
    EXPECT_LE(motion.summary.worst.position, 1e-14);
}

TEST_P(AnyMethod, ALateBeginIsAsGoodAsAnEarlyOne) {
    RunOptions early = options(5.0), late = options(5.0);
    late.begin = 1e6;
    late.end = 1e6 + 5.0;
    late.every = 0.1;
    const Motion one = run_well(load("pendulum.lac"), early),
                 two = run_well(load("pendulum.lac"), late);
    EXPECT_NEAR(last(one, "x"), last(two, "x"), 1e-12);
    EXPECT_NEAR(last(one, "y'"), last(two, "y'"), 1e-12);
    EXPECT_EQ(last(two, "t"), 1e6 + 5.0);
    EXPECT_EQ(one.summary.steps, two.summary.steps);
}

// ---- stiff

TEST(Stiff, PendulumOnAStiffSpringIsLeftToBackwardDifferentiation) {
    // The rod is a spring and damper that settle within 1e-5 s, beside swings of 2 s.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle bob at (x, y) mass 1
        gravity (0, -9.81)
        let r = hypot(x, y)
        potential 1e10/2*(r - 1)^2
        dissipation 2e5/2*r'^2
        start x = sin(1), y = -cos(1))");
    const Motion chosen = run_well(m, {.end = 1.0, .every = 0.1, .tolerance = 1e-7});
    EXPECT_EQ(chosen.summary.method, "bdf") << chosen.summary.why;
    EXPECT_NE(chosen.summary.why.find("stiff"), std::string::npos) << chosen.summary.why;
    const Motion explicit_one =
        run_well(m, {.end = 1.0, .every = 0.1, .tolerance = 1e-7, .method = "dop853"});
    EXPECT_NEAR(last(chosen, "x"), last(explicit_one, "x"), 1e-4);
    EXPECT_NEAR(last(chosen, "y"), last(explicit_one, "y"), 1e-4);
    EXPECT_NEAR(last(chosen, "x"), near(std::sin(pendulum_angle(1.0L, std::sqrt(9.81L), 1.0L))),
                1e-4);
    EXPECT_LE(20 * chosen.summary.evaluations, explicit_one.summary.evaluations);
}

TEST(Stiff, ALooserToleranceTakesFewerSteps) {
    // What a stiff spring takes back within the step is no error of the step: the swings alone
    // decide how long it may be.
    struct Spring {
        double stiffness, damping;
    };
    for (const Spring& spring : {Spring{1e8, 1e4}, Spring{1e7, 1e5}, Spring{1e10, 2e5}}) {
        const Mechanism m =
            Mechanism::parse(R"(param k = 1, c = 1
            coord x, y
            particle bob at (x, y) mass 1
            gravity (0, -9.81)
            let r = hypot(x, y)
            force bob = -(k*(r - 1) + c*r')*(x, y)/r
            start x = sin(1), y = -cos(1))",
                             "spring", {{"k", spring.stiffness}, {"c", spring.damping}});
        const auto go = [&](double tolerance) {
            return run_well(m,
                            {.end = 10.0, .every = 0.1, .tolerance = tolerance, .method = "bdf"});
        };
        std::size_t before = 0;
        for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
            const Motion motion = go(tolerance);
            // One count in ten is half as large again as its neighbours: the middle one of three.
            std::vector<std::size_t> steps{motion.summary.steps};
            for (const double beside : {1.1, 1.2})
                steps.push_back(go(beside * tolerance).summary.steps);
            std::sort(steps.begin(), steps.end());
            EXPECT_GT(steps[1], before) << spring.stiffness << " at " << tolerance;
            EXPECT_LE(steps[1], 6000U) << spring.stiffness << " at " << tolerance;
            before = steps[1];
            // The spring gives by 3e-6 at the most, and a few thousand steps of BDF add up what
            // they leave.
            const double error = worst_error(motion, "x", [](Real t) {
                return std::sin(pendulum_angle(1.0L, std::sqrt(9.81L), t));
            });
            EXPECT_LE(error, 2e3 * tolerance + 1e-4) << spring.stiffness << " at " << tolerance;
        }
    }
}

TEST(Stiff, WhatSwingsFastOrHasDecayedOnceIsNotStiff) {
    EXPECT_NE(run_well(load("pendulum.lac"), {.end = 1.0}).summary.method, "bdf");
    EXPECT_NE(run_well(load("damped_oscillator.lac"), {.end = 1.0}).summary.method, "bdf");
    EXPECT_NE(run_well(load("kapitza_pendulum.lac"), {.end = 0.1}).summary.method, "bdf");
}

/// A coordinate without mass that only a row on velocities holds is undetermined where positions
/// are projected, beside rods that are solved apart where they are many.
TEST(Drift, WhatIsUndeterminedApartLeavesTheRestItsConstraints) {
    for (const int rods : {6, 14}) {
        const Mechanism m = Mechanism::parse(fmt::format(R"(coord z, w, x[1..{0}], y[1..{0}]
            kinetic (x[i]'^2 + y[i]'^2)/2 for i in 1..{0}
            potential 9.81*y[i] for i in 1..{0}
            constraint both: z + w = 0
            constraint follow: z' = x[1]
            constraint rod[i]: x[i]^2 + y[i]^2 = 1 for i in 1..{0}
            start x[i] = 0.6, y[i] ~ -0.7 for i in 1..{0}
            start z = 0.1)",
                                                         rods));
        const Motion motion =
            run(m, {.end = 1.0, .tolerance = 1e-5, .method = "dop853", .interpret = true});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_LE(motion.summary.worst.position_absolute, 1e-10) << rods;
        EXPECT_NEAR(motion.summary.final.q[0], -motion.summary.final.q[1], 1e-10);
    }
}

}  // namespace
}  // namespace lacon::motions
