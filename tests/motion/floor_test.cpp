// floor and mod along a motion: a border at every whole number, each located.
#include <algorithm>
#include <stdexcept>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

Motion forced(const std::string& force, const std::string& rest, const RunOptions& options = {}) {
    return run_well(
        Mechanism::parse("coord x\nparticle P at (x, 0) mass 1\nforce x = " + force + "\n" + rest),
        options);
}

class FloorByMethod : public ::testing::TestWithParam<const char*> {};

TEST_P(FloorByMethod, AStaircaseOfTimeIsIntegratedStepByStep) {
    // v(5) = 0 + 1 + 2 + 3 + 4, x(5) = Σ k (5 − k − 1/2).
    const Motion motion = forced("floor(t)", "simulate 0..5 every 0.5\n",
                                 {.tolerance = 1e-11, .method = GetParam(), .step = 0.05});
    EXPECT_NEAR(last(motion, "x'"), 10.0, 1e-8);
    EXPECT_NEAR(last(motion, "x"), 15.0, 1e-8);
    const std::vector<double> times = event_times(motion, "switch", "floor(t)");
    ASSERT_GE(times.size(), 4u);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(times[k], static_cast<double>(k + 1), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Methods, FloorByMethod,
                         ::testing::Values("taylor", "dop853", "dopri5", "rk4", "gauss", "bdf",
                                           "adams"));

TEST(Floor, NegativeTimesCountDownToo) {
    // −2.5 .. 2.5: ∫ floor = −3/2 − 2 − 1 + 0 + 1 + 2/2.
    EXPECT_NEAR(last(forced("floor(t)", "simulate -2.5..2.5\n"), "x'"), -2.5, 1e-10);
    // Backwards in its argument.
    EXPECT_NEAR(last(forced("floor(-t)", "simulate 0..3\n"), "x'"), -6.0, 1e-10);
}

TEST(Floor, ASquareWaveByModReturnsWhereItBegan) {
    const Motion motion =
        forced("if(mod(t, 2) < 1, 1, -1)", "simulate 0..8 every 0.1\noutput wave = mod(t, 2)\n");
    EXPECT_NEAR(last(motion, "x'"), 0.0, 1e-10);
    EXPECT_NEAR(last(motion, "x"), 4.0, 1e-9);
    const auto &t = motion.column("t"), &wave = motion.column("wave");
    for (std::size_t i = 0; i < t.size(); ++i)
        EXPECT_EQ(wave[i], t[i] - 2.0 * std::floor(t[i] / 2.0));
}

TEST(Floor, ARampOfPeriodOneHasItsIntegral) {
    // ∫ mod(t, p) over n periods = n p²/2.
    for (const double p : {0.25, 0.7, 1.9})
        EXPECT_NEAR(
            last(forced("mod(t, p)", "param p = " + std::to_string(p) + "\nsimulate 0..6*p\n"),
                 "x'"),
            3.0 * p * p, 1e-9)
            << p;
}

/// The force −(floor(x) + 1/2) has a potential: n²/2 at the whole numbers, straight lines between.
TEST(Floor, CrossedUpAndDownByTheMotionItConservesTheEnergy) {
    const auto energy = [](double x, double v) {
        const double n = std::floor(x);
        return v * v / 2.0 + n * n / 2.0 + (n + 0.5) * (x - n);
    };
    for (const char* method : {"taylor", "dop853"}) {
        const Motion motion =
            forced("-(floor(x) + 1/2)",
                   "start x = 0.3, x' = 5\nsimulate 0..20 every 0.05 tolerance 1e-12\n",
                   {.method = method});
        for (std::size_t i = 0; i < motion.column("t").size(); ++i)
            EXPECT_NEAR(energy(motion.column("x")[i], motion.column("x'")[i]), energy(0.3, 5.0),
                        1e-8)
                << method << ' ' << i;
        EXPECT_GT(event_times(motion, "switch").size(), 20u);
        EXPECT_LT(*std::min_element(motion.column("x").begin(), motion.column("x").end()), -4.0);
    }
}

TEST(Floor, WhatDecidesOnWholeNumbersIsExact) {
    EXPECT_NEAR(last(forced("if(floor(t) > 1, 1, 0)", "simulate 0..4\n"), "x'"), 2.0, 1e-10)
        << "1 > 1 is not so";
    EXPECT_NEAR(last(forced("if(floor(t) >= 1, 1, 0)", "simulate 0..4\n"), "x'"), 3.0, 1e-10);
    EXPECT_NEAR(last(forced("if(floor(t) == 2, 1, 0)", "simulate 0..4\n"), "x'"), 1.0, 1e-10);
    EXPECT_NEAR(last(forced("floor(floor(t)/2)", "simulate 0..6\n"), "x'"), 6.0, 1e-10)
        << "0 0 1 1 2 2";
    EXPECT_NEAR(last(forced("abs(floor(t) - 2)", "simulate 0..4\n"), "x'"), 4.0, 1e-10)
        << "2 1 0 1";
}

TEST(Floor, AnArgumentThatJumpsTakesItAlong) {
    EXPECT_NEAR(last(forced("floor(4*mod(t, 1))", "simulate 0..3\n"), "x'"), 4.5, 1e-9)
        << "(0 + 1 + 2 + 3)/4 a second";
    EXPECT_NEAR(last(forced("floor(10*mod(t, 1))", "simulate 0..2\n"), "x'"), 9.0, 1e-9);
}

TEST(Floor, OnABorderAtTheStartTheMotionDecides) {
    // From 0 downwards floor is −1 at once: x = −t − t²/2, until x = −1 at √3 − 1.
    const Motion down =
        forced("floor(x)", "start x = 0, x' = -1\nsimulate 0..0.7 tolerance 1e-12\n");
    EXPECT_NEAR(last(down, "x"), -0.7 - 0.245, 1e-11);
    const Motion up = forced("floor(x)", "start x = 0, x' = 1\nsimulate 0..0.9 tolerance 1e-12\n");
    EXPECT_NEAR(last(up, "x"), 0.9, 1e-11);
}

TEST(Floor, OutputsAreCompiledAsTheyAreInterpreted) {
    const std::string rest =
        "start x = 2.2, x' = 0.3\nsimulate 0..10 every 0.01\noutput a = floor(3*x), b = mod(x, "
        "0.5), c = mod(-x, 3)\n";
    for (const bool interpret : {false, true}) {
        const Motion motion = forced("-x", rest, {.interpret = interpret});
        const auto& x = motion.column("x");
        for (std::size_t i = 0; i < x.size(); ++i) {
            EXPECT_EQ(motion.column("a")[i], std::floor(3.0 * x[i]));
            EXPECT_GE(motion.column("b")[i], 0.0);
            EXPECT_LE(motion.column("b")[i], 0.5);
            EXPECT_NEAR(motion.column("c")[i], -x[i] - 3.0 * std::floor(-x[i] / 3.0), 1e-15);
        }
    }
}

TEST(Floor, APositionThatWouldHaveToJumpEndsTheRun) {
    const Mechanism m = Mechanism::parse(
        "coord x\nparticle P at (x, 0) mass 1\nconstraint c: x = floor(t)\nsimulate 0..3\n");
    const Motion motion = run(m, {});
    EXPECT_FALSE(motion.status);
    EXPECT_NEAR(motion.summary.final.t, 1.0, 1e-6);
}

TEST(Floor, TheSparseWayRefusesItWithASentence) {
    const Mechanism m = Mechanism::parse(
        "coord x\nparticle P at (x, 0) mass 1\nforce x = floor(t)\nsimulate 0..3\n");
    try {
        run(m, {.solver = "sparse"});
        FAIL();
    } catch (const std::invalid_argument& problem) {
        EXPECT_STREQ(problem.what(),
                     "the sparse solver does not support floor or mod of moving quantities yet");
    }
}

// ---- events with a direction

TEST(EventDirection, RisingAndFallingAreToldApart) {
    for (const char* solver : {"dense", "sparse"}) {
        const Motion motion =
            forced("-x",
                   "start x = 1\nevent up: x rising\nevent down: x falling\nevent both: x\n"
                   "event top: 1 - x rising\nsimulate 0..4*pi + 0.1 every 0.1 tolerance 1e-12\n",
                   {.solver = solver});
        const auto up = event_times(motion, "event", "up"),
                   down = event_times(motion, "event", "down");
        ASSERT_EQ(up.size(), 2u);
        ASSERT_EQ(down.size(), 2u);
        for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_NEAR(down[k], M_PI / 2.0 + 2.0 * M_PI * static_cast<double>(k), 1e-9);
            EXPECT_NEAR(up[k], 1.5 * M_PI + 2.0 * M_PI * static_cast<double>(k), 1e-9);
        }
        EXPECT_EQ(event_times(motion, "event", "both").size(), 4u);
        EXPECT_TRUE(event_times(motion, "event", "top").empty()) << "touched, and never passed";
    }
}

TEST(EventDirection, StopHoldsForTheDirectionAlone) {
    for (const char* order : {"rising stop", "stop rising"})
        EXPECT_NEAR(last(forced("-x", std::string("start x = 1\nevent up: x ") + order +
                                          "\nsimulate 0..10 tolerance 1e-12\n"),
                         "t"),
                    1.5 * M_PI, 1e-10);
}

}  // namespace
}  // namespace lacon::motions
