// Motions followed by verified boxes, against closed forms and the integrator.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lacon/exists.hpp"
#include "lacon/motion.hpp"

namespace lacon {
namespace {

Verified follow(const Mechanism& mechanism, double until) {
    const Existence e = exists(mechanism, {.radius = 1e-3, .until = until});
    EXPECT_TRUE(e.status) << e.status.message;
    return e.verified ? *e.verified : Verified{};
}

void expect_contains(const Verified& v, std::size_t i, double value, double rounding) {
    EXPECT_LE(v.low[i], value + rounding);
    EXPECT_GE(v.high[i], value - rounding);
}

TEST(Continuation, AnOscillatorIsWhereItsClosedFormSays) {
    const Verified v =
        follow(Mechanism::parse("coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1"), 10.0);
    ASSERT_TRUE(v.complete) << v.why;
    expect_contains(v, 0, std::cos(10.0), 1e-15);
    expect_contains(v, 1, -std::sin(10.0), 1e-15);
    EXPECT_LT(v.high[0] - v.low[0], 1e-11);
}

TEST(Continuation, GoesBackInTimeToo) {
    const Verified v =
        follow(Mechanism::parse("coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1"), -3.0);
    ASSERT_TRUE(v.complete) << v.why;
    expect_contains(v, 0, std::cos(3.0), 1e-15);
    expect_contains(v, 1, std::sin(3.0), 1e-15);
}

TEST(Continuation, StopsBeforeTheMotionEnds) {
    // x = 1/(1 − t)² solves x'' = 6 x² and is gone at t = 1.
    const Verified v = follow(
        Mechanism::parse("coord x\nkinetic x'^2/2\nforce x = 6*x^2\nstart x = 1, x' = 2"), 2.0);
    EXPECT_FALSE(v.complete);
    EXPECT_LT(v.until, 1.0);
    EXPECT_GT(v.until, 0.98);
    EXPECT_FALSE(v.why.empty());
    const double end = 1.0 / ((1.0 - v.until) * (1.0 - v.until));
    expect_contains(v, 0, end, 1e-12 * end);
}

TEST(Continuation, APendulumOnARodIsWhereTheIntegratorSays) {
    const Mechanism rod = Mechanism::load(std::string(LACON_SOURCE_DIR) + "/models/pendulum.lac");
    const Verified v = follow(rod, 3.0);
    ASSERT_TRUE(v.complete) << v.why;
    const Motion motion = run(rod, {.end = 3.0, .tolerance = 1e-15});
    for (std::size_t i = 0; i < 2; ++i) {
        expect_contains(v, i, motion.summary.final.q[i], 1e-11);
        expect_contains(v, 2 + i, motion.summary.final.v[i], 1e-11);
        EXPECT_LT(v.high[i] - v.low[i], 1e-8);
    }
}

TEST(Continuation, ADoublePendulumIsFollowedToo) {
    const Mechanism mechanism =
        Mechanism::load(std::string(LACON_SOURCE_DIR) + "/models/double_pendulum.lac");
    const Verified v = follow(mechanism, 0.5);
    ASSERT_TRUE(v.complete) << v.why;
    const Motion motion = run(mechanism, {.end = 0.5, .tolerance = 1e-15});
    for (std::size_t i = 0; i < 4; ++i) expect_contains(v, i, motion.summary.final.q[i], 1e-10);
}

TEST(Continuation, APowerOfARoundedExponentIsNotTakenForAnExactOne) {
    // a b is no double: the exponent is known within a rounding only, and no series is proven from
    // it.
    const Mechanism m = Mechanism::parse(
        "param a = 0.1, b = 0.2\ncoord x\nkinetic x'^2/2\nforce x = -x^(a*b)\nstart x = 1");
    const Existence e = exists(m, {.radius = 0.1, .until = 1.0});
    ASSERT_TRUE(e.status) << e.status.message;
    EXPECT_FALSE(e.verified->complete);
    const Verified exact = follow(
        Mechanism::parse("param a = 0.5\ncoord x\nkinetic x'^2/2\nforce x = -x^(a*3)\nstart x = 1"),
        0.5);
    EXPECT_TRUE(exact.complete) << exact.why;
}

TEST(Continuation, ARheonomicConstraintIsFollowed) {
    // A bead on a wire that turns with w = 1: x = cosh t along it from rest at 1.
    const Verified v =
        follow(Mechanism::parse("coord x, y\nparticle P at (x, y) mass 1\nconstraint wire: "
                                "x*sin(t) = y*cos(t)\nstart x = 1, y = 0, x' = 0"),
               1.5);
    ASSERT_TRUE(v.complete) << v.why;
    expect_contains(v, 0, std::cosh(1.5) * std::cos(1.5), 1e-14);
    expect_contains(v, 1, std::cosh(1.5) * std::sin(1.5), 1e-14);
}

TEST(Continuation, StopsBeforeASingularPosition) {
    // Every point of the coupler turns about its pivot as a pendulum of length 1: from 0.8 with a
    // speed √52 it is level soon, the parallelogram flat, and no box around that can be verified.
    const Mechanism mechanism = Mechanism::parse(
        "coord x1, y1, x2, y2\nparticle B at (x1, y1) mass 1\nparticle C at (x2, y2) mass "
        "1\ngravity (0, -9.81)\n"
        "let a = 0.8\nconstraint left: norm(B) = 1\nconstraint right: norm(C - (2, 0)) = "
        "1\nconstraint coupler: norm(C - B) = 2\n"
        "start x1 = sin(a), y1 = -cos(a), x2 = 2 + sin(a), y2 = -cos(a)\n"
        "start x1' = sqrt(52)*cos(a), y1' = sqrt(52)*sin(a), x2' = sqrt(52)*cos(a), y2' = "
        "sqrt(52)*sin(a)");
    const Motion motion = run(mechanism, {.end = 0.2});
    ASSERT_EQ(motion.summary.events.size(), 1u);
    ASSERT_EQ(motion.summary.events[0].kind, "rank");
    const Verified v = follow(mechanism, 0.2);
    EXPECT_FALSE(v.complete);
    EXPECT_LT(v.until, motion.summary.events[0].t);
    EXPECT_GT(v.until, 0.5 * motion.summary.events[0].t);
}

}  // namespace
}  // namespace lacon
