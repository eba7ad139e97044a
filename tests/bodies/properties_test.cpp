// Properties of joints: springs, motors, friction, ranges and mimics, in trees and in loops; and
// what is said where forces are not unique or nothing gives an acceleration.
#include "two_roads.hpp"

namespace lacon {
namespace {

/// An arm that turns about z, held by a hinge of the tree or by one that is made of constraints.
Mechanism arm(const std::string& properties, bool loop, const Settings& settings = {}) {
    return Mechanism::parse(
        "param m = 2\nbody arm mass m inertia (1, 1, 0.5*m/2) center (0.5, 0, 0)\n"
        "joint hinge: revolute ground to arm " +
            properties + (loop ? " by constraints" : "") + "\n" +
            (loop ? "start arm_qw = cos(0.2), arm_qz = sin(0.2), arm_qw' = -0.5*sin(0.2), "
                    "arm_qz' = 0.5*cos(0.2), hinge ~ 0.1\n"
                  : "start hinge = 0.4, hinge' = 1\n") +
            "let e = arm.omega'\noutput e, q = hinge, T = hinge.torque",
        "arm", settings);
}

TEST(Properties, ActInLoopsAsInTrees) {
    // (I + m/4) q'' = τ with I + m/4 = 1
    const std::pair<std::string, double> cases[] = {
        {"stiffness 3 rest 0.1", -3 * 0.3}, {"damping 2", -2.0}, {"motor torque 5", 5.0}};
    for (const auto& [property, torque] : cases)
        for (const bool loop : {false, true}) {
            const auto m = arm(property, loop);
            EXPECT_NEAR(at_start(m, "q"), 0.4, 1e-12) << property;
            EXPECT_NEAR(at_start(m, "e.z"), torque, 1e-11) << property;
            EXPECT_NEAR(at_start(m, "T.z"), torque, 1e-11) << property;
        }
}

TEST(Properties, FrictionOfALoopSlidesWithItsBound) {
    EXPECT_NEAR(at_start(arm("friction 0.3", true), "e.z"), -0.3, 1e-11);
}

TEST(Properties, MotorsOfALoopGiveItsMotion) {
    EXPECT_NEAR(at_start(arm("motor angle 0.4 + t + t^2", true), "T.z"), 2.0, 1e-11);
    EXPECT_NEAR(at_start(arm("motor speed 1 + 3*t", true), "T.z"), 3.0, 1e-11);
}

TEST(Properties, FollowParametersThatAreSet) {
    EXPECT_NEAR(at_start(arm("motor torque 5", false, {{"m", 4.0}}), "e.z"), 2.5, 1e-12);
}

TEST(Properties, AMimicMayFollowAMimic) {
    // I (1 + 4 + 36) q'' = τ: the second turns twice, the third six times as fast as the first
    const auto m = Mechanism::parse(
        "body b[i] mass 1 inertia (1, 1, 0.5) for i in 1..3\n"
        "joint c: revolute ground to b[3] mimic b2 ratio 3 offset 0.1\n"
        "joint b2: revolute ground to b[2] mimic a ratio 2\n"
        "joint a: revolute ground to b[1] motor torque 4\nstart a = 0.2\noutput e = c'', c = c");
    EXPECT_NEAR(at_start(m, "e"), 6 * 4 / (0.5 * 41), 1e-12);
    EXPECT_NEAR(at_start(m, "c"), 3 * 0.4 + 0.1, 1e-12);
}

TEST(Assembly, DoesNotEndHalfATurnAway) {
    const std::string arms = "body a mass 1 inertia (1, 1, 1)\nbody b mass 1 inertia (1, 1, 1)\n";
    const std::string weld = arms +
                             "joint A: revolute ground to a\njoint B: revolute ground to b at (1, "
                             "0, 0)\njoint W: weld a to b at (1, 0, 0) by constraints\noutput A, "
                             "B\nstart A = 0, B ~ ";
    for (const char* far : {"0.1", "1.5", "3", "-3.1", "pi"})
        EXPECT_NEAR(std::sin(at_start(Mechanism::parse(weld + far), "B") / 2), 0.0, 1e-12) << far;
    const std::string plane =
        "body a planar mass 1 inertia 1\njoint W: weld ground to a by constraints\n"
        "output a = a_angle\nstart a_angle ~ 3";
    EXPECT_NEAR(at_start(Mechanism::parse(plane), "a"), 0.0, 1e-12);
    for (const char* kind : {"revolute ground to a by constraints", "parallel ground to a",
                             "cylindrical ground to a by constraints"}) {
        const auto m = Mechanism::parse(
            arms + "joint J: " + kind +
            "\nstart a.rotation ~ rotation((1, 0, 0), 3)\noutput up = a.direction(0, 0, 1)");
        EXPECT_NEAR(at_start(m, "up.z"), 1.0, 1e-12) << kind;
    }
}

TEST(Undetermined, NamesTheBodyThatLacksInertia) {
    const auto m = Mechanism::parse(
        "body arm mass 2 center (0, 0, -0.5)\nbody tip\n"
        "joint hinge: revolute ground to arm\njoint slot: prismatic arm to tip\noutput hinge");
    const Evaluation at = m.evaluate(m.start().state);
    EXPECT_EQ(at.status.outcome, Outcome::undetermined);
    for (const char* part : {"'arm' and what it carries have no inertia about the axis of 'hinge'",
                             "'tip' has no mass to slide in 'slot'", "an 'armature'"})
        EXPECT_NE(at.status.message.find(part), std::string::npos) << at.status.message;
}

TEST(Reactions, OfPointsThatMeetAcrossToRounding) {
    // 0.1 + 0.2 is not 0.3: the row across the slide holds but for 6e-17, and nothing moves it.
    const auto m = Mechanism::parse(
        "body bar mass 3\njoint S: prismatic ground to bar axis (1, 0, 0)\n"
        "constraint stop: bar(0, 0.3, 0) = (1, 0.1 + 0.2, 0)\noutput S");
    EXPECT_NEAR(at_start(m, "S"), 1.0, 1e-15);
    EXPECT_THROW(
        Mechanism::parse("body bar mass 3\njoint S: prismatic ground to bar axis (1, 0, 0)\n"
                         "constraint stop: bar(0, 0.3, 0) = (1, 0.31, 0)\noutput S"),
        ModelError);
}

TEST(Reactions, OfPointsArePhysical) {
    // A bar on two pins: each carries half of its weight.
    const auto m = Mechanism::parse(
        "body bar planar mass 3 inertia 1\ngravity (0, -9.81)\n"
        "constraint left: bar(-1, 0) = (-1, 0)\nconstraint right: dot(bar(1, 0), (0, 1)) = 0\n"
        "output F = left.reaction, R = right.reaction");
    EXPECT_NEAR(at_start(m, "F.y"), 3 * 9.81 / 2, 1e-12);
    EXPECT_NEAR(at_start(m, "F.x"), 0.0, 1e-12);
    EXPECT_NEAR(at_start(m, "R"), 3 * 9.81 / 2, 1e-12);
}

}  // namespace
}  // namespace lacon
