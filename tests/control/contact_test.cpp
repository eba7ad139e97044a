// Controls of what also touches something: contacts push whatever the efforts are.
#include <fmt/format.h>

#include <algorithm>
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

/// P on a rough floor, pushed along it, with a requirement in y.
Mechanism lifted_off(const std::string& push, const std::string& height) {
    return Mechanism::parse(
        "coord x, y\nparticle P at (x, y) mass 2\ngravity (0, -9.81)\n"
        "constraint floor: y >= 0 friction 0.2\nforce x = " +
        push + "\ncontrol lift: y = " + height + " by y\n");
}

/// Without an event of its own: the floor carries nothing from the start on.
TEST(ControlAndContact, WhatBeginsToLiftWithAPowerOfTimeIsNeverHeldByTheFloor) {
    const char* const heights[] = {"0.1*(1 - cos(t))^2", "t^3",        "t^4",        "t^5",
                                   "0.01*t^7",           "t - sin(t)", "t^4*exp(-t)"};
    for (const char* const height : heights)
        for (const double tolerance : {1e-6, 1e-11}) {
            const Motion motion =
                run(lifted_off("1.5", height), {.end = 4.0, .every = 0.5, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << height << ": " << motion.status.message;
            EXPECT_TRUE(motion.summary.events.empty()) << height;
            EXPECT_NEAR(motion.column("x").back(), 0.375 * 16.0, 1e-9) << height;
        }
}

TEST(ControlAndContact, TheFloorIsLeftHoweverShortTheRun) {
    const Motion motion = run(lifted_off("1.5", "0.1*(1 - cos(t))^2"),
                              {.end = 4e-4, .every = 1e-4, .tolerance = 1e-12});
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_NEAR(motion.column("x'").back(), 0.75 * 4e-4, 1e-12);
}

/// It slides by 6 N − μ m g until t = 1, then freely.
TEST(ControlAndContact, WhatBeginsToLiftInMidRunLeavesTheFloorAtThatTime) {
    const char* const heights[] = {"max(t - 1, 0)^3", "0.1*max(t - 1, 0)^4", "max(0, t - 1)^5",
                                   "if(t < 1, 0, (t - 1)^6)", "(t - 1 + abs(t - 1))^4"};
    const double slides = 3.0 - 0.2 * 9.81, way = 0.5 * slides + 2.0 * slides + 6.0;
    for (const char* const height : heights)
        for (const double tolerance : {1e-6, 1e-11}) {
            const Motion motion =
                run(lifted_off("6", height), {.end = 3.0, .every = 0.5, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << height << ": " << motion.status.message;
            ASSERT_EQ(motion.summary.events.size(), 1U) << height;
            EXPECT_EQ(motion.summary.events[0].kind, "release");
            EXPECT_NEAR(motion.summary.events[0].t, 1.0, 1e-12) << height;
            EXPECT_NEAR(motion.column("x").back(), way, 1e-9) << height;
        }
}

/// With no speed, from t = 2 on it slides again.
TEST(ControlAndContact, WhatIsSetDownAtATurnOfItsRequirementRestsOnTheFloor) {
    const double slides = 3.0 - 0.2 * 9.81;
    const double way = slides / 2 + slides + 1.5 + (slides + 3) + slides / 2;
    for (const int power : {3, 4, 5})
        for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
            const std::string height =
                fmt::format("if(t > 1 and t < 2, (t - 1)^{}*(2 - t)^{}, 0)", power, power);
            const Motion motion =
                run(lifted_off("6", height), {.end = 3.0, .every = 0.5, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << height << ": " << motion.status.message;
            EXPECT_NEAR(motion.column("x").back(), way, 100 * tolerance) << height << tolerance;
        }
}

/// Without friction: x'' = t/2 and y = x², a lift that follows from a motion which itself begins
/// without acceleration; and a decision on the way.
TEST(ControlAndContact, WhatIsLiftedByItsWayLeavesTheFloorWhereThatBegins) {
    const auto moved = [](const std::string& text) {
        return run(Mechanism::parse(std::string(block) + text), {.every = 0.1, .tolerance = 1e-11});
    };
    const Motion from_rest = moved("force x = t\ncontrol lift: y = x^2 by y\nsimulate 0..2\n");
    ASSERT_TRUE(from_rest.status) << from_rest.status.message;
    EXPECT_TRUE(from_rest.summary.events.empty());
    const std::vector<double>& t = from_rest.column("t");
    for (std::size_t i = 1; i < t.size(); ++i) {  // the effort carries the weight at once
        const double way = std::pow(t[i], 3) / 12, v = t[i] * t[i] / 4, a = t[i] / 2;
        EXPECT_NEAR(from_rest.column("effort.y")[i], 2 * (9.81 + 2 * v * v + 2 * way * a), 1e-9);
    }
    const Motion later =
        moved("force x = 6\ncontrol lift: y = max(x - 1, 0)^4 by y\nsimulate 0..2\n");
    ASSERT_TRUE(later.status) << later.status.message;
    ASSERT_EQ(later.summary.events.size(), 1U);
    EXPECT_NEAR(later.summary.events[0].t, std::sqrt(2.0 / 3.0), 1e-10);
}

/// One foot is lifted with the third power of time, the other with the fifth.
TEST(ControlAndContact, ContactsThatBeginToLiftTogetherOpenTogether) {
    const Mechanism plank = Mechanism::parse(
        "param m = 3, g = 9.81, l = 0.5\ncoord y, th\nkinetic m*y'^2/2 + m*l^2/6*th'^2\npotential "
        "m*g*y\n"
        "constraint left: y - l*sin(th) >= 0\nconstraint right: y + l*sin(th) >= 0\n"
        "control a: y - l*sin(th) = max(0, t - 1)^3 by y, th\n"
        "control b: y + l*sin(th) = max(0, t - 1)^5 by y, th\nsimulate 0..1.8\n");
    const Motion motion = run(plank, {.every = 0.05, .tolerance = 1e-9});
    ASSERT_TRUE(motion.status) << motion.status.message;
    ASSERT_EQ(motion.summary.events.size(), 2U);
    for (const MotionEvent& event : motion.summary.events) {
        EXPECT_EQ(event.kind, "release");
        EXPECT_NEAR(event.t, 1.0, 1e-12);
    }
    EXPECT_NEAR(motion.column("y").back(), 0.5 * (std::pow(0.8, 3) + std::pow(0.8, 5)), 1e-7);
}

/// A limit below the weight: nothing lifts off, and the run says so.
TEST(ControlAndContact, WhatIsTooWeakToLiftIsOutOfReach) {
    const Mechanism weak = Mechanism::parse(
        std::string(block) + "control rise: y = max(0, t - 1)^4 by y limit 0..19\nsimulate 0..2\n");
    const Motion motion = run(weak, {.every = 0.1, .tolerance = 1e-10});
    EXPECT_EQ(motion.status.outcome, Outcome::unreachable) << motion.status.message;
    EXPECT_TRUE(motion.summary.events.empty());
}

/// On a slope: along it the body slides without friction from t = 1 on.
TEST(ControlAndContact, WhatBeginsToLiftOffASlopeSlidesFreelyFromThenOn) {
    const Mechanism slope = Mechanism::parse(
        "param a = 0.3\ncoord x, y\nparticle P at (x, y) mass 2\ngravity (0, -9.81)\n"
        "constraint floor: y >= a*x friction 0.1\n"
        "control lift: y - a*x = max(t - 1, 0)^4 by y\nsimulate 0..3\n");
    const Motion motion = run(slope, {.every = 0.5, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    // On the slope x'' = −g (a − μ)/(1 + a²); then nothing pushes along x.
    const double slides = -9.81 * (0.3 - 0.1) / 1.09;
    EXPECT_NEAR(motion.column("x").back(), 0.5 * slides + 2.0 * slides, 1e-9);
    EXPECT_NEAR(motion.summary.events.at(0).t, 1.0, 1e-12);
}

/// What presses, asks for nothing or is lifted by a force of its own is no lift of the efforts.
TEST(ControlAndContact, WhatDoesNotLiftKeepsTheFloor) {
    for (const char* const height : {"-0.1*max(t - 1, 0)^4 by y nearest", "-t^4 by y nearest",
                                     "0*t by y", "0*max(t - 1, 0)^2 by y"}) {
        const Mechanism kept = Mechanism::parse(
            "coord x, y\nparticle P at (x, y) mass 2\ngravity (0, -9.81)\n"
            "constraint floor: y >= 0 friction 0.2\nforce x = 6\ncontrol lift: y = " +
            std::string(height) + "\nsimulate 0..4\n");
        const Motion motion = run(kept, {.every = 0.5, .tolerance = 1e-10});
        ASSERT_TRUE(motion.status) << height << ": " << motion.status.message;
        EXPECT_TRUE(motion.summary.events.empty()) << height;
        EXPECT_NEAR(motion.column("x").back(), 8.0 * (3.0 - 0.2 * 9.81), 1e-8) << height;
    }
    const Mechanism drawn = Mechanism::parse(std::string(block) +
                                             "force y = 10*t^2\ncontrol go: x = sin(t) by x\n"
                                             "start x' = 1\nsimulate 0..2\n");
    const Motion motion = run(drawn, {.every = 0.5, .tolerance = 1e-11});
    ASSERT_EQ(motion.summary.events.size(), 1U);
    EXPECT_NEAR(motion.summary.events[0].t, std::sqrt(1.962), 1e-9);
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

/// The floor lets nothing be met; from t = m g/k on the effort k t lifts, and less is missed.
TEST(ControlAndContact, WhatMayBeMissedIsLiftedOnceTheLimitLetsIt) {
    for (const double k : {10.0, 16.0})
        for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
            const Mechanism weak = Mechanism::parse(
                std::string(block) +
                fmt::format("control up: y = 0.5 by y limit 0..{}*t nearest\n", k));
            const double begin = 2 * 9.81 / k, since = 0.2;
            const Motion motion =
                run(weak, {.end = begin + since, .every = 0.05, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << motion.status.message;
            const auto& events = motion.summary.events;
            const auto release = std::find_if(events.begin(), events.end(),
                                              [](const auto& e) { return e.kind == "release"; });
            ASSERT_NE(release, events.end());
            EXPECT_NEAR(release->t, begin, 1e-7);
            EXPECT_NEAR(motion.column("y").back(), k * std::pow(since, 3) / 12,
                        1e-8 + 10 * tolerance);
        }
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
