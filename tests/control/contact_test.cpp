// Controls of what also touches something: contacts push whatever the efforts are.
#include <cmath>

#include "control/control_tests.hpp"

namespace lacon {
namespace {

const char* const block = R"(
param m = 2, g = 9.81
coord x, y
particle P at (x, y) mass m
gravity (0, -g)
constraint floor: y >= 0
)";

/// Along the floor: the effort is m x'', and the floor carries the weight.
TEST(ControlAndContact, TheFloorCarriesTheWeightWhileTheEffortGuides) {
    const Mechanism guided = Mechanism::parse(
        std::string(block) + "control go: x = sin(t) by x\nstart x' = 1\nsimulate 0..3\n");
    const Motion motion = run(guided, {.every = 0.1, .tolerance = 1e-12});
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_TRUE(motion.summary.events.empty());
    for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
        const double t = motion.column("t")[i];
        EXPECT_NEAR(motion.column("x")[i], std::sin(t), 1e-10);
        EXPECT_NEAR(motion.column("effort.x")[i], -2.0 * std::sin(t), 1e-8);
        EXPECT_NEAR(motion.column("y")[i], 0.0, 1e-12);
    }
    const Evaluation at = guided.evaluate(motion.summary.final);
    EXPECT_NEAR(at.constraints[0].multiplier, 2.0 * 9.81, 1e-9);
}

/// Drawn along a slope by a rope through P: what the rope lifts, the floor need not carry.
TEST(ControlAndContact, WhatTheEffortLiftsTheFloorNeedNotCarry) {
    const Mechanism drawn = Mechanism::parse(
        std::string(block) + "control go: x = t^2 by P along (2, 1)\nsimulate 0..1\n");
    const Evaluation at = drawn.evaluate({0.5, {0.25, 0.0}, {1.0, 0.0}});
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(at.efforts[0], 2.0, 1e-12) << "2 u = m x'' = 4";
    EXPECT_NEAR(at.constraints[0].multiplier, 2.0 * 9.81 - 2.0, 1e-11);
}

/// Lifted off: with the floor closed nothing would be in reach, with it open all is.
TEST(ControlAndContact, AnEffortOpensAContact) {
    const Mechanism lifted =
        Mechanism::parse(std::string(block) + "control rise: y = t^2 by y\nsimulate 0..1\n");
    const Motion motion = run(lifted, {.every = 0.1, .tolerance = 1e-12});
    ASSERT_TRUE(motion.status) << motion.status.message;
    for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
        EXPECT_NEAR(motion.column("y")[i], std::pow(motion.column("t")[i], 2), 1e-10);
        EXPECT_NEAR(motion.column("effort.y")[i], 2.0 * (9.81 + 2.0), 1e-8);
    }
}

/// A closed floor lets y'' = 0 be met without effort; what asks for more opens it, and then the
/// effort carries the weight too.
TEST(ControlAndContact, AnEffortOpensAContactInMidRun) {
    for (const double rest : {0.5, 1.0}) {
        const std::string late = "max(0, t - " + std::to_string(rest) + ")^3";
        const Mechanism lifted = Mechanism::parse(std::string(block) + "control rise: y = " + late +
                                                  " by y\nsimulate 0..2\n");
        const Motion motion = run(lifted, {.every = 0.05, .tolerance = 1e-11});
        ASSERT_TRUE(motion.status) << motion.status.message;
        for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
            const double t = motion.column("t")[i], since = std::max(0.0, t - rest);
            EXPECT_NEAR(motion.column("y")[i], std::pow(since, 3), 1e-9) << t;
            if (std::abs(t - rest) < 1e-6) continue;
            EXPECT_NEAR(motion.column("effort.y")[i], t < rest ? 0.0 : 2.0 * (9.81 + 6 * since),
                        1e-5)
                << t;
        }
        ASSERT_EQ(motion.summary.events.size(), 1U);
        EXPECT_EQ(motion.summary.events[0].kind, "release");
        EXPECT_NEAR(motion.summary.events[0].t, rest, 1e-7);
    }
}

/// A seesaw on two feet, lifted at one end: only that foot opens.
TEST(ControlAndContact, OnlyTheContactThatIsInTheWayOpens) {
    const Mechanism plank = Mechanism::parse(
        "param m = 3, g = 9.81, l = 0.5\ncoord y, th\nkinetic m*y'^2/2 + m*l^2/6*th'^2\npotential "
        "m*g*y\n"
        "constraint left: y - l*sin(th) >= 0\nconstraint right: y + l*sin(th) >= 0\n"
        "control tip: th = max(0, t - 1)^3 by right_end = y + l*sin(th)\nsimulate 0..1.5\n");
    const Motion motion = run(plank, {.every = 0.05, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    ASSERT_EQ(motion.summary.events.size(), 1U);
    EXPECT_EQ(motion.summary.events[0].name, "right");
    EXPECT_NEAR(motion.column("th").back(), 0.125, 1e-9);
    EXPECT_NEAR(motion.column("y").back(), 0.5 * std::sin(0.125), 1e-9);
    // About the left foot: (m l²/3 + m l² cos²) th'' − m l² sin cos th'² + m g l cos = 2 l cos u.
    const double th = 0.125, v = 0.75, a = 3.0, s = std::sin(th), c = std::cos(th), m = 3, l = 0.5;
    const double moment =
        (m * l * l / 3 + m * l * l * c * c) * a - m * l * l * s * c * v * v + m * 9.81 * l * c;
    EXPECT_NEAR(motion.column("effort.right_end").back(), moment / (2 * l * c), 1e-6);
}

/// Held down, y'' = 9.9 sin(t) + 2 cos(t) is asked for, by the gains: the floor opens where that
/// becomes positive.
TEST(ControlAndContact, WhatMayBeMissedLiftsOffAgainAndAgain) {
    const Mechanism swung = Mechanism::parse(
        std::string(block) + "control swing: y = 0.1*sin(t) by y nearest\nsimulate 0..14\n");
    const Motion motion = run(swung, {.every = 0.1, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    std::vector<double> releases;
    for (const MotionEvent& event : motion.summary.events)
        if (event.kind == "release") releases.push_back(event.t);
    const double turn = 2 * std::acos(-1.0), early = std::atan(2 / 9.9);
    ASSERT_EQ(releases.size(), 2U);
    EXPECT_NEAR(releases[0], turn - early, 1e-7);
    EXPECT_NEAR(releases[1], 2 * turn - early, 1e-7);
}

TEST(ControlAndContact, WhatNoContactCouldLetBeMetIsStillOutOfReach) {
    const Mechanism pressed = Mechanism::parse(
        std::string(block) + "control sink: y = -max(0, t - 1)^3 by y\nsimulate 0..2\n");
    const Motion motion = run(pressed, {.every = 0.1, .tolerance = 1e-11});
    EXPECT_EQ(motion.status.outcome, Outcome::unreachable) << motion.status.message;
    EXPECT_NEAR(motion.summary.final.t, 1.0, 1e-6);
}

}  // namespace
}  // namespace lacon
