// The model's events: counts and times against sine and cosine.

#include <fmt/format.h>

#include <numbers>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using std::numbers::pi;

/// x = sin t with these events.
Mechanism swing_with(const std::string& events) {
    return Mechanism::parse("coord x\nequation x: x'' = -x\nstart x = 0, x' = 1\n" + events);
}

class Events : public testing::TestWithParam<std::string> {
protected:
    RunOptions options(double end) const {
        return {.end = end,
                .every = end / 50.0,
                .tolerance = 1e-12,
                .method = GetParam(),
                .step = 0.01};
    }
    double error() const { return GetParam() == "taylor" || GetParam() == "dop853" ? 1e-10 : 1e-6; }
    /// Times first, first + step, … below `end`, and no others.
    void expect_series(const Motion& motion, const std::string& name, double first, double step,
                       double end) const {
        std::vector<double> exact;
        for (int i = 0; first + i * step < end; ++i) exact.push_back(first + i * step);
        const std::vector<double> found = event_times(motion, "event", name);
        ASSERT_EQ(found.size(), exact.size()) << name;
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_NEAR(found[i], exact[i], error()) << name;
    }
};
INSTANTIATE_TEST_SUITE_P(Methods, Events,
                         testing::Values("taylor", "dop853", "dopri5", "adams", "bdf", "rk4",
                                         "gauss"),
                         [](const auto& i) { return i.param; });

TEST_P(Events, ZerosOfSineAndCosineAreCountedAndTimed) {
    const Motion motion = run_well(
        swing_with("event zero: x\nevent top: x' = 0\nevent half: x = 0.5\nevent push: x''"),
        options(100.0));
    expect_series(motion, "zero", pi, pi, 100.0);  // the one it starts on is not counted
    expect_series(motion, "push", pi, pi, 100.0);
    expect_series(motion, "top", pi / 2, pi, 100.0);
    EXPECT_EQ(event_times(motion, "event", "half").size(), 32U);
}

TEST_P(Events, RowsAreGivenAtEvents) {
    const Motion motion = run_well(swing_with("event top: x' = 0"), options(10.0));
    EXPECT_EQ(motion.columns[0].size(), 51U + 3U);
    std::size_t at_top = 0;
    for (const double x : motion.column("x"))
        at_top += std::abs(std::abs(x) - 1.0) < error() * 1e-2 ? 1 : 0;
    EXPECT_EQ(at_top, 3U);
}

TEST_P(Events, AStopEndsTheMotionThere) {
    const Motion motion =
        run_well(swing_with("event zero: x\nevent third: t = 8.5\nevent down: x = -0.5 stop"),
                 options(100.0));
    EXPECT_NEAR(motion.summary.final.t, 7.0 * pi / 6.0, error());
    EXPECT_NEAR(motion.summary.final.q[0], -0.5, error());
    EXPECT_EQ(last(motion, "t"), motion.summary.final.t);
    EXPECT_EQ(motion.summary.events.size(), 2U);
    EXPECT_EQ(motion.summary.events.back().name, "down");
}

TEST_P(Events, ARopeGoesSlackWhereItsMultiplierVanishes) {
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle bob at (x, y) mass 1
        gravity (0, -9.81)
        constraint rope: x^2 + y^2 = 1
        start x = sin(2.5), y = -cos(2.5)
        event slack: rope.multiplier)");
    // From rest at 2.5 the rope pulls once 3 cos(a) = 2 cos(2.5), and again pushes on the other
    // side.
    const Motion motion = run_well(m, options(3.0));
    const double angle = std::acos(2.0 / 3.0 * std::cos(2.5));
    const std::vector<double> found = event_times(motion, "event", "slack");
    ASSERT_EQ(found.size(), 4U);
    const long double w = std::sqrt(9.81L);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double sign = i == 0 || i == 3 ? 1.0 : -1.0;
        EXPECT_NEAR(near(pendulum_angle(2.5L, w, found[i])), sign * angle, 100.0 * error()) << i;
    }
}

TEST_P(Events, APoleIsNoZero) {
    const Motion motion =
        run_well(Mechanism::parse(
                     "coord x\nkinetic x'^2/2\nevent tn: tan(x/2)\nevent stops: 1/(x - 3.3) stop\n"
                     "event both: (x - 4.1)/(x - 5.2)^3\n"
                     "start x = 0.5, x' = 1.3"),
                 {.end = 10.0, .method = GetParam(), .step = 0.01});
    EXPECT_TRUE(event_times(motion, "event", "stops").empty());
    const std::vector<double> tan = event_times(motion, "event", "tn"),
                              both = event_times(motion, "event", "both");
    ASSERT_EQ(tan.size(), 2U);
    EXPECT_NEAR(tan[0], (2.0 * std::numbers::pi - 0.5) / 1.3, 1e-9);
    EXPECT_NEAR(tan[1], (4.0 * std::numbers::pi - 0.5) / 1.3, 1e-9);
    ASSERT_EQ(both.size(), 1U);
    EXPECT_NEAR(both[0], 3.6 / 1.3, 1e-9);
}

TEST(EventsTouching, ATangencyIsCountedOnce) {
    // As long as the motion is known to rounding: an error of 1e-12 makes of x = 1 two crossings or
    // none.
    const Motion motion = run_well(swing_with("event touch: x = 1"),
                                   {.end = 20.0, .tolerance = 1e-14, .method = "taylor"});
    const std::vector<double> touches = event_times(motion, "event", "touch");
    ASSERT_EQ(touches.size(), 3U);
    for (std::size_t i = 0; i < touches.size(); ++i)
        EXPECT_NEAR(touches[i], (0.5 + 2.0 * static_cast<double>(i)) * pi, 1e-6);
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"}) {
        const Motion squared = run_well(swing_with("event square: x^2"),
                                        {.end = 20.0, .tolerance = 1e-10, .method = method});
        EXPECT_EQ(event_times(squared, "event", "square").size(), 6U) << method;  // pi, …, 6 pi
    }
}

/// A particle at speed 1 from 0 on: an event is where its expression in x is zero.
std::vector<double> zeros_of(const std::string& event, double end = 100.0,
                             const std::string& method = "auto") {
    const Motion motion =
        run_well(Mechanism::parse("coord x\nequation x: x'' = 0\nstart x' = 1\nevent e: " + event),
                 {.end = end, .every = 1.0, .method = method});
    return event_times(motion, "event", "e");
}

TEST(EventsTouching, ZerosThatAreCloseTogetherAreToldApart) {
    for (const char* method : {"auto", "dop853", "dopri5"}) {
        EXPECT_EQ(zeros_of("(x - 63.7)*(x - 63.7001)", 100.0, method).size(), 2U) << method;
        EXPECT_EQ(zeros_of("(x - 63.699)*(x - 63.7)*(x - 63.701)", 100.0, method).size(), 3U)
            << method;
        EXPECT_EQ(zeros_of("(x - 6.37)*(x - 6.37001) falling", 10.0, method).size(), 1U) << method;
        EXPECT_EQ(zeros_of("(x - 5.1)^2", 100.0, method).size(), 1U) << method;
    }
}

TEST(EventsTouching, AKinkAtZeroIsATouch) {
    for (const char* event : {"abs(x - 5)", "max(x - 5, 5 - x)", "if(x < 5, 5 - x, 2*(x - 5))"}) {
        const std::vector<double> zeros = zeros_of(event);
        ASSERT_EQ(zeros.size(), 1U) << event;
        EXPECT_NEAR(zeros[0], 5.0, 1e-9) << event;
    }
    EXPECT_TRUE(zeros_of("abs(x - 5) + 1e-9").empty());
}

TEST(EventsTouching, AJumpAtTheVeryEndDoesNotMoveAZeroBeforeIt) {
    const std::vector<double> zeros = zeros_of("mod(t, 25) - 24.9995");
    ASSERT_EQ(zeros.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(zeros[i], 25.0 * static_cast<double>(i + 1) - 0.0005, 1e-9);
}

// Windows are halved for the remainders of a; the jump of x lies at the half of the run.
TEST(EventsTouching, AJumpAtTheHalfOfAStepIsNoZero) {
    for (const double end : {12.0, 5.956192936947703})
        for (const char* method : {"taylor", "dop853", "adams"}) {
            const Mechanism m = Mechanism::parse(fmt::format(
                "coord a, x\nkinetic (a'^2 + x'^2)/2\nstart a = 0.3, a' = 4.2, x' = 2.5\n"
                "event jump: if(x > {}, 1, -2)\nevent turn: mod(a, 0.9) - 0.45\n",
                0.5 * 2.5 * end));
            const Motion motion = run_well(m, {.end = end, .method = method});
            EXPECT_TRUE(event_times(motion, "event", "jump").empty()) << method << end;
            const std::vector<double> turns = event_times(motion, "event", "turn");
            const auto count = static_cast<std::size_t>((4.2 * end + 0.3 - 0.45) / 0.9) + 1;
            EXPECT_EQ(turns.size(), count) << method << end;
        }
}

// At 1 the rounding of acos has no bound. It touches nothing there.
TEST(EventsTouching, WhatIsNotKnownAtAKinkIsNoTouch) {
    const Mechanism m = Mechanism::parse(
        "coord a\nkinetic a'^2/2\nstart a = -1.5, a' = -1.5\nevent far: acos(cos(a)) - 1.1\n"
        "event cut: atan2(sin(a), cos(a)) + 1.7\n");
    const Motion motion = run_well(m, {.end = 16.0});
    const std::vector<double> times = event_times(motion, "event", "far");
    std::vector<double> expected;
    for (int turn = 1; turn <= 4; ++turn)
        for (const double a : {2.0 * pi * turn - 1.1, 2.0 * pi * turn + 1.1})
            if (a < 25.5) expected.push_back(a / 1.5 - 1.0);
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-10);
}

TEST(EventsTouching, ManyEventsWithinOneStepAreAllFound) {
    // A free particle: one step of the Taylor method goes all the way.
    const Mechanism m = Mechanism::parse(R"(coord x
        particle p at (x, 0) mass 1
        start x = 0, x' = 1
        event wave: sin(20*x + 0.1)
        event near: (x - 5)*(x - 5.00001)*(x - 7))");
    for (const char* method : {"taylor", "dop853", "dopri5"}) {
        const Motion motion = run_well(m, {.end = 10.0, .tolerance = 1e-10, .method = method});
        const std::vector<double> wave = event_times(motion, "event", "wave"),
                                  near = event_times(motion, "event", "near");
        ASSERT_EQ(wave.size(), 63U) << method;
        for (std::size_t i = 0; i < wave.size(); ++i)
            EXPECT_NEAR(wave[i], (static_cast<double>(i + 1) * pi - 0.1) / 20.0, 1e-10);
        ASSERT_EQ(near.size(), 3U) << method;
        EXPECT_NEAR(near[0], 5.0, 1e-9);
        EXPECT_NEAR(near[1], 5.00001, 1e-9);
        EXPECT_NEAR(near[2], 7.0, 1e-9);
    }
}

}  // namespace
}  // namespace lacon::motions
