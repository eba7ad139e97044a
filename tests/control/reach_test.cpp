// What limits, singular positions and other controls leave of a requirement.
#include <fmt/format.h>

#include <cmath>

#include "control/control_tests.hpp"

namespace lacon {
namespace {

/// x'' = u/m with the mass wrong by a factor: the run goes on through all changes of the limit.
TEST(ControlReach, SaturationWorksForAPlantThatIsNotAsBelieved) {
    const std::string text =
        "param m = 1\ncoord x\nkinetic m*x'^2/2\ncontrol a: x = 1 by x limit -5..5\nstart x = "
        "0\nsimulate 0..5 every 1\n";
    for (const double mass : {0.5, 2.0, 4.0}) {
        const Motion motion = run(Mechanism::parse(text, "model", {{"m", mass}}),
                                  {.end = 10.0, .controller = Mechanism::parse(text)});
        ASSERT_TRUE(motion.status) << mass << ": " << motion.status.message;
        // Within the limits m x'' = -20 x' - 100 (x - 1): what is left after 6 s of that is below
        // exp(-2.5*6), for the largest mass.
        EXPECT_NEAR(motion.column("x").back(), 1.0, 1e-6) << mass;
    }
}

TEST(ControlReach, AControlThatMayMissLeavesAStrictOneAlone) {
    const Mechanism mixed = Mechanism::parse(
        "coord x\nparticle P at (x) mass 1\ncontrol a: x = sin(t) by x\ncontrol b: x = 2*sin(t) by "
        "x nearest\nsimulate 0..1\n");
    const Evaluation at = mixed.evaluate({0.3, {std::sin(0.3)}, {std::cos(0.3)}});
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(at.efforts[0], -std::sin(0.3), 1e-12) << "what a asks for";
    EXPECT_EQ(at.controls[0].rows[0].missed, 0.0);
    EXPECT_EQ(at.controls[1].rows[0].state, "missed");
}

TEST(ControlReach, ALimitDoesNotExcuseAStrictControlThatNothingMoves) {
    const Mechanism idle = Mechanism::parse(
        "coord x, y\nkinetic (x'^2 + y'^2)/2\ncontrol a: x = 5 by x limit -1..1 nearest\ncontrol "
        "b: y = 1 by x\nsimulate 0..1\n");
    EXPECT_EQ(idle.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}}).status.outcome, Outcome::unreachable);
}

TEST(ControlReach, WhatIsMissedIsToldBySize) {
    for (const double asked : {3.0, -3.0, 0.25, -40.0}) {
        const Mechanism idle = Mechanism::parse(fmt::format(
            "coord x, y\nkinetic (x'^2 + y'^2)/2\ncontrol a: x = {}*t^2/2 by y\n", asked));
        const Status status = idle.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}}).status;
        EXPECT_EQ(status.outcome, Outcome::unreachable);
        EXPECT_NE(status.message.find(fmt::format("'a' by {};", std::abs(asked))),
                  std::string::npos)
            << status.message;
    }
}

/// x'' = 1 by a force u cos(t): u = 1/cos(t), which has no bound before t = π/2.
TEST(ControlReach, ARunEndsAtASingularPosition) {
    const Mechanism turning = Mechanism::parse(
        "coord x\nkinetic x'^2/2\ncontrol a: x'' = 1 by push = x*cos(t)\nsimulate 0..3 every "
        "0.1\n");
    const Motion motion = run(turning);
    EXPECT_EQ(motion.status.outcome, Outcome::unreachable);
    EXPECT_NE(motion.status.message.find("lose control of 'a' at t = 1.5707963"), std::string::npos)
        << motion.status.message;
    for (std::size_t i = 0; i < motion.column("t").size(); ++i)
        EXPECT_NEAR(motion.column("effort.push")[i] * std::cos(motion.column("t")[i]), 1.0, 1e-9);
}

TEST(ControlReach, CrossingLimitsAndSingularMassesAreNamed) {
    const Mechanism crossing = Mechanism::parse(
        "coord x\nkinetic x'^2/2\ncontrol a: x'' = 2 by x limit sin(t)..cos(t)\nsimulate 0..2\n");
    const Motion motion = run(crossing);
    EXPECT_EQ(motion.status.outcome, Outcome::undefined);
    EXPECT_NE(motion.status.message.find("the limits of the actuator 'x' cross"), std::string::npos)
        << motion.status.message;
    const Mechanism massless = Mechanism::parse(
        "coord x, y\nkinetic x'^2/2\nconstraint k: y = 2*x\ncontrol c: x'' = 3 by x\nsimulate "
        "0..1\n");
    const Evaluation at = massless.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    EXPECT_EQ(at.status.outcome, Outcome::undetermined);
    EXPECT_NE(at.status.message.find("give the actuators a weight"), std::string::npos)
        << at.status.message;
}

TEST(ControlReach, DataInLimitsIsRefused) {
    const std::string beside = std::string(LACON_SOURCE_DIR) + "/models/control/some.lac";
    try {
        Mechanism::parse(
            "data g = \"ground.csv\"\ncoord x\nkinetic x'^2/2\ncontrol a: x'' = 1 by x limit "
            "-1..g(t)\n",
            beside);
        FAIL() << "no error";
    } catch (const ModelError& error) {
        EXPECT_NE(
            std::string(error.what()).find("an actuator and its limits cannot contain data yet"),
            std::string::npos)
            << error.what();
    }
}

TEST(ControlReach, WhatMayBeMissedStillLiftsOffAContact) {
    const Mechanism lifted = Mechanism::parse(
        "coord x\nparticle P at (0, x) mass 1\ngravity (0, -10)\nconstraint floor: x >= 0\ncontrol "
        "a: x = 1 by x nearest\n"
        "start x = 0\nsimulate 0..2\n");
    const Evaluation at = lifted.evaluate({0.0, {0.0}, {0.0}});
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(at.efforts[0], 110.0, 1e-9) << "weight and gain";
    const Motion motion = run(lifted);
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_NEAR(motion.column("x").back(), 1.0, 1e-6);
}

TEST(ControlReach, ReplayedEffortsStayWithinTheLimits) {
    const Mechanism driven = Mechanism::parse(
        "coord x\nkinetic x'^2/2\ncontrol a: x = sin(t) by x limit -0.3..0.3\nstart x = "
        "1\nsimulate 0..10 every 0.5\n");
    const Motion first = run(driven);
    ASSERT_TRUE(first.status) << first.status.message;
    const EffortRecord record{{"x"}, first.column("t"), {first.column("effort.x")}};
    const Motion replayed = run(driven, {.every = 0.05, .feedforward = record});
    ASSERT_TRUE(replayed.status) << replayed.status.message;
    for (const double u : replayed.column("effort.x")) EXPECT_LE(std::abs(u), 0.3);
}

/// A limit belongs to the actuator that is there, not to what is believed of it.
TEST(ControlReach, LimitsAreThoseOfThePlant) {
    const std::string text =
        "param F = 5, m = 1\ncoord x\nkinetic m*x'^2/2\ncontrol a: x = 1 by x limit "
        "-F..F\nsimulate 0..6 every 0.01\n";
    for (const double force : {3.0, 5.0, 8.0}) {
        const Motion motion = run(Mechanism::parse(text, "model", {{"F", force}}),
                                  {.controller = Mechanism::parse(text)});
        ASSERT_TRUE(motion.status) << force << ": " << motion.status.message;
        for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
            const double t = motion.column("t")[i];
            EXPECT_LE(std::abs(motion.column("effort.x")[i]), force);
            const double at_limit = force * t * t / 2;
            EXPECT_LE(t < 0.2 ? std::abs(motion.column("x")[i] - at_limit) : 0.0, 1e-10)
                << "t = " << t;
        }
        EXPECT_NEAR(motion.column("x").back(), 1.0, 1e-6) << force;
    }
}

TEST(ControlReach, EffortsNeverExceedTheirLimits) {
    const Mechanism weak = controls::load("control/limited.lac");
    const double strength = weak.parameter("strength");
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
        const Motion motion = run(weak, {.end = 40.0, .every = 0.003, .tolerance = tolerance});
        ASSERT_TRUE(motion.status) << motion.status.message;
        for (const double u : motion.column("effort.th")) ASSERT_LE(std::abs(u), strength);
    }
}

/// Backward differentiation does not begin anew at each change, so it is not chosen where there are
/// changes.
TEST(ControlReach, AutoTakesAMethodThatWorksWhereLimitsAndContactsChangeTheMotion) {
    const Motion weak = run(controls::load("control/limited.lac"), {.end = 60.0, .every = 1.0});
    ASSERT_TRUE(weak.status) << weak.status.message;
    EXPECT_EQ(weak.summary.method, "dop853");
    // Not enough to be worth it.
    EXPECT_EQ(weak.summary.why.find("stiff"), std::string::npos) << weak.summary.why;
    const Mechanism dashpot = Mechanism::parse(
        "coord x\nkinetic x'^2/2\ndissipation 1e3*x'^2/2\npotential 500*(x - 2*sin(3*t))^2/2\n"
        "constraint right: x <= 0.2 restitution 0.3\nconstraint left: x >= -0.1 restitution "
        "0.3\nsimulate 0..10 every 0.01\n");
    const Motion motion = run(dashpot),
                 other = run(dashpot, {.tolerance = 1e-9, .method = "dopri5"});
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_NE(motion.summary.method, "bdf");
    for (std::size_t i = 0; i < motion.column("x").size(); ++i)
        ASSERT_NEAR(motion.column("x")[i], other.column("x")[i], 1e-6);
}

/// Two struts through the centre carry a plank against its weight and cannot turn it: asked to turn
/// as little as a millionth of what the weight could do, it is out of reach; held as it is, it is
/// not, whatever rounding leaves.
TEST(ControlReach, WhatBalancesAWeightIsToldFromWhatCannotBeMoved) {
    const std::string text = R"(
        param turn = 0, s = 0
        coord x, y, th
        kinetic 70*(x'^2 + y'^2)/2 + 3.1*th'^2/2
        potential 70*9.81*y
        control c: (x, y, th)'' = (0, 0, turn) by one = 0.6*x + 0.8*y + s*th, two = -0.28*x + 0.96*y, three = 0.8*x + 0.6*y)";
    const State still{0.0, {0.1, 0.2, 0.3}, {0.0, 0.0, 0.0}};
    EXPECT_TRUE(Mechanism::parse(text).evaluate(still).status);
    EXPECT_EQ(Mechanism::parse(text, "model", {{"turn", 1e-6}}).evaluate(still).status.outcome,
              Outcome::unreachable);
    const Evaluation turned =
        Mechanism::parse(text, "model", {{"turn", 1e-6}, {"s", 0.3}}).evaluate(still);
    ASSERT_TRUE(turned.status) << turned.status.message;
    EXPECT_NEAR(turned.solution.acceleration[2], 1e-6, 1e-13);
}

/// It must not come nearer to b than its gain allows, and from there on it must.
TEST(ControlReach, RequirementsThatComeToContradictEachOtherAreOutOfReachFromThenOn) {
    for (const double bound : {1.45, 0.8})
        for (const double tolerance : {1e-6, 1e-11}) {
            const Mechanism held = Mechanism::parse(fmt::format(
                "coord x, y\nparticle P at (x, y) mass 1.4\n"
                "control path: (x, y) = (0.5*t^2, 0.2*t) by x, y limit -30..30, -30..30\n"
                "control keep: x <= {} by x\nstart y' = 0.2\n",
                bound));
            const Motion motion = run(held, {.end = 3.0, .every = 0.5, .tolerance = tolerance});
            EXPECT_EQ(motion.status.outcome, Outcome::unreachable) << motion.status.message;
            EXPECT_NE(motion.status.message.find("'keep'"), std::string::npos);
            EXPECT_NEAR(motion.summary.final.t,
                        (-20 + std::sqrt(400 + 200 * (100 * bound - 1))) / 100, 1e-6);
        }
}

}  // namespace
}  // namespace lacon
