// Several contacts that come to the border of their cones at one moment, and borders that are only
// touched: the events are those of the motion, at every tolerance.

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

/// A block of mass m (coefficient mu2) on one of mass M (mu1), pulled so that both cones are full
/// at t = T.
struct Stack {
    double M, m, mu1, mu2, T;
};

class BothFull : public testing::TestWithParam<Stack> {};

// Behind T, with s = t − T: if the lower one slips alone, both have the acceleration mu1 g s/T, and
// the upper one needs mu2 m g + (mu2 − mu1) m g s/T of friction. That is within its cone where
// mu2 < mu1. Else both slip, and the upper one has mu2 g s/T.
TEST_P(BothFull, TheUpperOneSlipsOnlyIfItsFrictionIsTheGreater) {
    const auto [M, m, mu1, mu2, T] = GetParam();
    const double upper = mu2 * m * 10.0 / T, lower = mu1 * (M + m) * 10.0 / T - upper;
    const Mechanism stack = Mechanism::parse(fmt::format(R"(coord x1, x2, y1, y2
        particle a at (x1, y1) mass {}
        particle b at (x2, y2) mass {}
        gravity (0, -10)
        force x1 = {:.17g}*t, x2 = {:.17g}*t
        constraint fl: y1 >= 0 friction {}
        constraint md: y2 - y1 >= 1 friction {} slip x2' - x1'
        start y2 = 1)",
                                                         M, m, lower, upper, mu1, mu2),
                                             "stack");
    for (const double tolerance : {1e-7, 1e-9, 1e-12}) {
        const Motion motion = run(stack, {.end = T + 2.0, .tolerance = tolerance});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_EQ(story(motion), mu2 < mu1 ? (std::vector<std::string>{"slip fl"})
                                           : (std::vector<std::string>{"slip fl", "slip md"}))
            << tolerance;
        for (const double t : event_times(motion, "slip")) EXPECT_NEAR(t, T, 1e-12);
        const double way = std::max(mu1, mu2) * 10.0 / T * 8.0 / 6.0;
        EXPECT_NEAR(motion.summary.final.q[1], way, std::max(10.0 * tolerance, 1e-10));
    }
}

INSTANTIATE_TEST_SUITE_P(Contact, BothFull,
                         testing::Values(Stack{2.0, 1.0, 0.4, 0.3, 7.0},
                                         Stack{1.5, 2.0, 0.5, 0.1, 4.0},
                                         Stack{3.0, 0.5, 0.25, 0.2, 8.0},
                                         Stack{2.0, 1.0, 0.3, 0.4, 7.0},
                                         Stack{2.0, 1.0, 0.2, 0.5, 3.0}));

// ---- borders that are only touched: s = cos t makes a force, a margin or a speed just zero

/// The events of a motion, and where it ends, at every tolerance.
void expect_no_events(const char* text, const std::function<double(const Motion&)>& off) {
    const Mechanism mechanism = Mechanism::parse(text);
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
        const Motion motion = run(mechanism, {.tolerance = tolerance});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_EQ(story(motion), std::vector<std::string>()) << tolerance;
        EXPECT_NEAR(off(motion), 0.0, std::max(1e2 * tolerance, 1e-9)) << tolerance;
    }
}

TEST(Touches, SlidingThatIsAtRestForAMomentOnlyGoesOn) {
    // x'' = s, so x' = 1 + sin t is zero at 3 pi/2, and x = 1 + t − cos t.
    expect_no_events(
        R"(coord x, y, s
        particle p at (x, y) mass 1
        particle o at (s, 0) mass 1
        gravity (0, -10)
        potential s^2/2
        constraint f: y >= 0 friction 0.2
        force x = 2 + s
        start x' = 1, s = 1
        simulate 0..8)",
        [](const Motion& m) { return m.summary.final.q[0] - (1.0 + 8.0 - std::cos(8.0)); });
}

TEST(Touches, AContactWithoutForceForAMomentOnlyStaysClosed) {
    expect_no_events(R"(coord y, s
        particle p at (0, y) mass 1
        particle o at (s, 0) mass 1
        potential s^2/2
        constraint f: y >= 0
        force y = -(1 + s)
        start s = 1
        simulate 0..8)",
                     [](const Motion& m) { return m.summary.final.q[0]; });
}

TEST(Touches, AConeThatIsFullForAMomentOnlyHolds) {
    expect_no_events(R"(coord x, y, s
        particle p at (x, y) mass 1
        particle o at (s, 0) mass 1
        potential s^2/2
        constraint f: y >= 0 friction 0.3
        force y = -10, x = 2 + s
        start s = 1
        simulate 0..8)",
                     [](const Motion& m) { return m.summary.final.q[0]; });
}

TEST(Touches, SlidingWithoutLoadForAMomentOnlyGoesOn) {
    // x'' = 1 − 0.3 (1 + cos t): x' = 1 + 0.7 t − 0.3 sin t, x = t + 0.35 t² − 0.3 (1 − cos t).
    expect_no_events(R"(coord x, y, s
        particle p at (x, y) mass 1
        particle o at (s, 0) mass 1
        potential s^2/2
        constraint f: y >= 0 friction 0.3
        force y = -(1 + s), x = 1
        start s = 1, x' = 1
        simulate 0..8)",
                     [](const Motion& m) {
                         return m.summary.final.q[0] -
                                (8.0 + 0.35 * 64.0 - 0.3 * (1.0 - std::cos(8.0)));
                     });
}

// ---- loads that are not unique

TEST(Loads, RubOnNothingWhereTwoContactsTouchWithoutForce) {
    // Along a wall of any slope, touched at two places that say the same; c and s of its angle.
    for (const double angle : {0.0, 0.3, 1.1, 2.0}) {
        const double c = std::cos(angle), s = std::sin(angle);
        const auto wall = [&](double press) {
            return Mechanism::parse(fmt::format(R"(coord x, y
                particle p at (x, y) mass 2
                constraint a: {0:.17g}*x + {1:.17g}*y >= 0 friction 0.2
                constraint b: {0:.17g}*x + {1:.17g}*y >= 0 friction 0.4
                force p = ({2:.17g}, {3:.17g})
                start x' = {4:.17g}, y' = {0:.17g})",
                                                c, s, -6.0 * s - press * c, 6.0 * c - press * s,
                                                -s));
        };
        const Motion motion = run(wall(0.0), {.end = 2.0});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_NEAR(motion.summary.final.q[0], -8.0 * s, 1e-12);
        EXPECT_NEAR(motion.summary.final.q[1], 8.0 * c, 1e-12);
        const Motion pressed = run(wall(5.0), {.end = 2.0});
        EXPECT_EQ(pressed.status.outcome, Outcome::undetermined);
        EXPECT_NE(pressed.status.message.find("more than one motion"), std::string::npos)
            << pressed.status.message;
    }
}

// ---- the work of a run grows with the number of impacts

TEST(Bounces, TwiceAsManyTakeTwiceTheWork) {
    const Mechanism ball = Mechanism::parse(R"(coord y
        particle p at (0, y) mass 1
        gravity (0, -8)
        constraint floor: y >= 0 restitution 1
        start y = 1)");
    for (const double bounces : {300.0, 600.0, 2400.0}) {  // one a second, from t = 0.5 on
        const Motion motion = run(ball, {.end = bounces, .every = bounces});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_EQ(static_cast<double>(event_times(motion, "impact").size()), bounces);
        EXPECT_LE(static_cast<double>(motion.summary.steps), bounces + 2.0);
        // Three in a compiled step, and one to land where it is cut.
        EXPECT_LE(static_cast<double>(motion.summary.evaluations), 4.0 * bounces);
        EXPECT_NEAR(motion.summary.final.q[0], 1.0, 1e-9);
    }
}

// ---- a cone that is full from the begin on

/// A block at the border of its cone is pulled by c t^p more, from t = 0 on, and so it slips from
/// there on: by c t^(p + 2)/((p + 1)(p + 2)).
TEST(FullCone, IsLeftWhereThePullBeginsToGrowWithAnyPowerOfTime) {
    for (const int p : {1, 2, 4, 6})
        for (const double c : {1.0, 50.0}) {
            const Mechanism block = Mechanism::parse(fmt::format(R"(coord x, y
                particle b at (x, y) mass 1
                gravity (0, -10)
                force x = 3 + {}*t^{}
                constraint fl: y >= 0 friction 0.3)",
                                                                 c, p),
                                                     "block");
            for (const double tolerance : {1e-7, 1e-9, 1e-12}) {
                const Motion motion = run(block, {.end = 1.0, .tolerance = tolerance});
                ASSERT_TRUE(motion.status) << motion.status.message;
                EXPECT_EQ(story(motion), std::vector<std::string>{"slip fl"});
                for (const double t : event_times(motion, "slip")) EXPECT_EQ(t, 0.0) << p;
                EXPECT_NEAR(motion.summary.final.q[0], c / ((p + 1) * (p + 2)),
                            c * std::max(10.0 * tolerance, 1e-10));
            }
        }
}

/// The same where the pull falls first and comes back: the block slips at the
/// second border.
TEST(FullCone, IsNotLeftWhereThePullFalls) {
    const Mechanism block = Mechanism::parse(R"(coord x, y
        particle b at (x, y) mass 1
        gravity (0, -10)
        force x = 3 - t^4 + t^5/2
        constraint fl: y >= 0 friction 0.3)",
                                             "block");
    for (const double tolerance : {1e-7, 1e-12}) {
        const Motion motion = run(block, {.end = 2.5, .tolerance = tolerance});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_EQ(story(motion), std::vector<std::string>{"slip fl"});
        for (const double t : event_times(motion, "slip")) EXPECT_NEAR(t, 2.0, 1e-12);
    }
}

}  // namespace
}  // namespace lacon::contacts
