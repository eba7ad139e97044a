// Tolerances below what rounding does to the accelerations: the run goes on at the noise, at the
// price of a tolerance just above it, and says so.

#include "methods/noise.hpp"

#include "base/text.hpp"
#include "mechanics/system/derived_model.hpp"
#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using Real = long double;

/// x'' = −k (x − X), far from zero: x is known to X·1e-16, and x'' to k times that.
std::string far_spring(double X, double k) {
    return "param X = " + std::to_string(X) + ", k = " + std::to_string(k) +
           "\ncoord x\nparticle p at (x, 0) mass 1\npotential 0.5*k*(x - X)^2\nstart x = X + 1, x' "
           "= 0\noutput d = x - X\n";
}
/// The same with the distance in the expression alone.
const char* offset = R"(param X = 1e8
    coord x
    particle p at (x, 0) mass 1
    let place = hypot(X + x, 1e-3)
    force x = -4*(place - X)
    start x = 1, x' = 2)";
/// Held on a circle of the size of an orbit, from 10 m beside it on; the error decays as (10 + 10
/// t) exp(-t).
const char* spacecraft = R"(param R = 7e6, w = 1.1e-3
    coord x, y
    particle craft at (x, y) mass 500
    force x = -3.986e14*500*x/(x^2 + y^2)^1.5, y = -3.986e14*500*y/(x^2 + y^2)^1.5
    control px: x = R*cos(w*t) gain 2 1
    control py: y = R*sin(w*t) gain 2 1
    start x = R + 10, y = 0, x' = 0, y' = R*w
    output ex = x - R*cos(w*t), ey = y - R*sin(w*t))";

TEST(Noise, IsMeasuredAsRoundingMakesIt) {
    struct Case {
        std::string text;
        double x, least, most;
    };
    // One unit in the last place of 1e9 is 1.2e-7, of 1e8 1.5e-8; of an oscillator near zero hardly
    // anything is lost.
    for (const Case& c :
         {Case{far_spring(1e9, 1e6), 1e9 + 0.3, 0.01, 1.0}, Case{offset, 0.3, 1e-9, 1e-6},
          Case{far_spring(0.0, 4.0), 0.3, 0.0, 1e-14}}) {
        const Mechanism m = Mechanism::parse(c.text);
        DenseField field(m.details(), {});
        const std::vector<double> noise = measure_noise(field, {0.1, {c.x}, {0.7}});
        ASSERT_EQ(noise.size(), 2U);
        EXPECT_GE(noise[1], c.least) << c.text;
        EXPECT_LE(noise[1], c.most) << c.text;
    }
}

TEST(Noise, WhatIsSteepIsNone) {
    // Ramps and pulses beside the state, of any height, narrower than the places at which they are
    // looked for are apart.
    for (const double place : {0.5001, 0.501, 0.5021, 0.507, 0.498, 0.4931, 0.4999})
        for (const double width : {1e-3, 1e-4, 1e-6})
            for (const char* force :
                 {"tanh((t - c)/w)", "1 + 1e-8*tanh((t - c)/w)", "exp(-((t - c)/w)^2)"}) {
                const Mechanism m = Mechanism::parse(
                    "param c = " + shortest(place) + ", w = " + shortest(width) +
                    "\ncoord x\nparticle p at (x, 0) mass 1\nforce x = " + force + "\n");
                DenseField field(m.details(), {});
                EXPECT_LE(measure_noise(field, {0.5, {0.7}, {2.0}})[1], 4e-16 * (1.0 + 1.0 / width))
                    << force << " at " << place << ", " << width;
            }
}

TEST(Noise, WhatIsSmoothHasNone) {
    const Mechanism m = Mechanism::parse(
        "coord x\nparticle p at (x, 0) mass 1\nforce x = 50*sin(20*x) + exp(3*t) - x'^3\n");
    DenseField field(m.details(), {});
    const std::vector<double> noise = measure_noise(field, {0.5, {0.7}, {2.0}});
    EXPECT_LE(noise[1], 3e-12);  // slope 1000, and the argument of the sine is 14
}

struct ByMethod {
    std::string method;
    bool interpret;
};
void PrintTo(const ByMethod& m, std::ostream* out) {
    *out << m.method << (m.interpret ? " interpreted" : "");
}
class AtTheNoise : public testing::TestWithParam<ByMethod> {
protected:
    Motion go(const Mechanism& m, double end, double tolerance) const {
        return run_well(m, {.end = end,
                            .every = end,
                            .tolerance = tolerance,
                            .method = GetParam().method,
                            .interpret = GetParam().interpret});
    }
};
INSTANTIATE_TEST_SUITE_P(Methods, AtTheNoise,
                         testing::Values(ByMethod{"taylor", false}, ByMethod{"taylor", true},
                                         ByMethod{"dop853", false}, ByMethod{"dop853", true},
                                         ByMethod{"dopri5", false}, ByMethod{"adams", false},
                                         ByMethod{"bdf", false}),
                         [](const auto& i) {
                             return i.param.method + (i.param.interpret ? "_interpreted" : "");
                         });

TEST_P(AtTheNoise, ATinyToleranceCostsNoMoreThanTwiceOneAtTheNoise) {
    const Mechanism far = Mechanism::parse(far_spring(1e9, 1e4)), inside = Mechanism::parse(offset);
    for (const auto& [m, end] : {std::pair{&far, 2.0}, std::pair{&inside, 40.0}}) {
        const Motion at = go(*m, end, 1e-10),
                     below = go(*m, end, 1e-14);  // the noise is above both
        EXPECT_LE(static_cast<double>(below.summary.evaluations),
                  2.0 * static_cast<double>(at.summary.evaluations));
    }
}

/// A pendulum and one that hangs from it, far from the origin.
std::string far_pendulums(double X) {
    return "param X = " + shortest(X) + R"(
        coord x1, y1, x2, y2
        particle p at (x1, y1) mass 1
        particle q at (x2, y2) mass 0.5
        gravity (0, -9.81)
        constraint a: (x1 - X)^2 + (y1 - X)^2 = 1
        constraint b: (x2 - x1)^2 + (y2 - y1)^2 = 0.49
        start x1 = X + 0.6, y1 ~ X - 0.8, x2 ~ X + 0.6, y2 ~ X - 1.5)";
}

TEST_P(AtTheNoise, ATinyToleranceOfAFarLinkageCostsNoMoreThanTwiceOneAtTheNoise) {
    // The noise of a coordinate vanishes where its rod stands across, and with the motion at rest
    // none is felt; it must not be taken for gone.
    for (const double X : {3e7, 2e8}) {
        const Mechanism m = Mechanism::parse(far_pendulums(X));
        const Motion at = go(m, 2.0, X * 1e-15);
        for (const double tolerance : {1e-12, 1e-13, 1e-14, 1e-15}) {
            const Motion below = go(m, 2.0, tolerance);
            EXPECT_LE(static_cast<double>(below.summary.evaluations),
                      2.0 * static_cast<double>(at.summary.evaluations))
                << X << ", " << tolerance;
            EXPECT_GT(below.summary.rounding.steps, 0U) << X << ", " << tolerance;
        }
    }
}

TEST_P(AtTheNoise, TheMotionIsStillRight) {
    const Motion far = go(Mechanism::parse(far_spring(1e9, 1e4)), 0.5, 1e-14);
    EXPECT_NEAR(last(far, "d"), std::cos(50.0),
                3e-4);  // the tolerance is relative to 1e9, and a unit in the last place 1.2e-7
    const Motion inside = go(Mechanism::parse(offset), 10.0, 1e-14);
    EXPECT_NEAR(last(inside, "x"), std::cos(20.0) + std::sin(20.0), 1e-6);
}

TEST(AtTheNoiseOf, ASpacecraftHeldByGainsTheRunEndsAndSaysSo) {
    const Mechanism m = Mechanism::parse(spacecraft);
    for (const char* method : {"dop853", "dopri5"}) {
        const Motion motion =
            run_well(m, {.end = 60.0, .every = 60.0, .tolerance = 1e-13, .method = method});
        EXPECT_LE(motion.summary.steps, 6000U) << method;  // of 15,000,000 without
        EXPECT_GT(motion.summary.rounding.steps, 0U) << method;
        EXPECT_GT(motion.summary.rounding.tolerance, 1e-13) << method;
        EXPECT_LE(motion.summary.rounding.tolerance, 1e-9) << method;
        EXPECT_NEAR(last(motion, "ex"), 610.0 * std::exp(-60.0), 1e-7) << method;
        EXPECT_NEAR(last(motion, "ey"), 0.0, 1e-7) << method;
    }
}

TEST(AtTheNoiseOf, AControlATinyToleranceCostsNoMoreThanTwiceOneAboveIt) {
    // On its way the satellite comes to values at which equally spaced states are rounded alike.
    for (const char* numbers : {"R = 7e6, kd = 8, kp = 16", "R = 6.8e6, kd = 6, kp = 9"}) {
        const Mechanism m = Mechanism::parse(std::string("param ") + numbers + R"(
            coord x, y
            particle p at (x, y) mass 100
            force x = -3.986e16*x/hypot(x, y)^3, y = -3.986e16*y/hypot(x, y)^3
            let w = sqrt(3.986e14/R^3)
            control tr: p = (R*cos(w*t), R*sin(w*t)) gain kd kp
            start x = R + 50, y = 20, x' = 0, y' = R*w)");
        const auto steps = [&](double tolerance) {
            const Motion motion = run_well(
                m, {.end = 110.0, .every = 110.0, .tolerance = tolerance, .method = "dop853"});
            return motion.summary.steps + motion.summary.rejected;
        };
        const std::size_t above = steps(1e-10);
        for (const double tolerance : {1e-14, 5e-15, 1.5e-15})
            EXPECT_LE(steps(tolerance), 2 * above) << numbers << " at " << tolerance;
    }
}

TEST(AtTheNoiseOf, StagesOfAGaussStepTheyAreTakenAsSettled) {
    const Motion motion = run_well(Mechanism::parse(far_spring(1e9, 1e4)),
                                   {.end = 0.1, .every = 0.1, .method = "gauss", .step = 1e-3});
    EXPECT_NEAR(last(motion, "d"), std::cos(10.0), 1e-5);
}

TEST(AtTheNoiseOf, NothingIsSaidWhereTheToleranceIsAboveIt) {
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"}) {
        const Motion motion = run_well(
            load("pendulum.lac"), {.end = 3.0, .every = 3.0, .tolerance = 1e-11, .method = method});
        EXPECT_EQ(motion.summary.rounding.steps, 0U) << method;
    }
}

TEST(AtTheNoiseOf, AProjectionAloneIsReported) {
    // A place of 1e8 is known to 1.5e-8: so far projections turn velocities of 1 m/s, but in a step
    // of 0.02 s accelerations of 20 m/s^2 only by a fiftieth of that.
    const Mechanism m = Mechanism::parse(R"(param X = 1e8
        coord x, y
        particle p at (x, y) mass 1
        gravity (0, -9.81)
        constraint rod: (x - X)^2 + (y - X)^2 = 1
        start x = X + 0.8, y ~ X - 0.6)");
    const auto rounding = [&](const char* method, double tolerance) {
        const RunOptions options{.end = 3.0, .tolerance = tolerance, .method = method};
        return run_well(m, options).summary.rounding;
    };
    EXPECT_GT(rounding("bdf", 1e-7).steps, 0U);
    EXPECT_GT(rounding("bdf", 1e-7).tolerance, 1e-7);
    EXPECT_EQ(rounding("dopri5", 1e-7).steps, 0U);
    EXPECT_EQ(rounding("bdf", 1e-5).steps, 0U);
}

TEST(AtTheNoiseOf, ALightCoordinateThatIsLedAlongItIsThatOfTheLeader) {
    const Mechanism mechanism = Mechanism::parse(
        "coord x, z, u\nkinetic x'^2/2 + 1e-24*(z'^2 + u'^2)/2\nconstraint c: z = "
        "0.7*x\nconstraint d: u + z = 2*x\n"
        "potential x^2/2\nforce z = 50, u = -13*x\nstart x = 0.3, x' = 0.2, z ~ 0, u ~ 0");
    const Motion motion = run_well(mechanism, {.end = 20.0, .tolerance = 1e-10, .method = "adams"});
    // x'' = -x + 0.7*50 - 1.3*13*x: the forces along the constraints.
    const double w = std::sqrt(17.9), rest = 35.0 / 17.9;
    EXPECT_NEAR(last(motion, "x"),
                rest + (0.3 - rest) * std::cos(20.0 * w) + 0.2 / w * std::sin(20.0 * w), 1e-6);
    EXPECT_EQ(motion.summary.rounding.steps, 0U);
}

}  // namespace
}  // namespace lacon::motions
