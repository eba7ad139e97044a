// MJCF: turns, classes, joints, equalities, tendons, actuators, keyframes; and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "robot/robots.hpp"

namespace lacon::oracle {

namespace {

constexpr double deg = std::numbers::pi / 180;

const std::string mass = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>";

/// A world with one body.
std::string body(const std::string& content, const std::string& attributes = "name=\"b\"") {
    return "<worldbody><body " + attributes + ">" + mass + content + "</body></worldbody>";
}

Turn turn_of_body(const std::string& attributes, const std::string& settings = {}) {
    const Reading r = mjcf(settings + body("", attributes));
    EXPECT_TRUE(r.robot) << r.said;
    return r.robot ? r.robot->links.front().pose.turn : Turn();
}

void expect_turn(const Turn& turn, const Vector& x, const Vector& z) {
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR((turn * Vector{1, 0, 0})[i], x[i], 1e-15);
        EXPECT_NEAR((turn * Vector{0, 0, 1})[i], z[i], 1e-15);
    }
}

robot::Joint joint_of(const std::string& text, const std::string& settings = {}) {
    const Reading r = mjcf(settings + body(text));
    EXPECT_TRUE(r.robot) << r.said;
    return r.robot ? r.robot->joints.front() : robot::Joint();
}

const std::string two_joints =
    "<worldbody><body name=\"a\">" + mass + "<joint name=\"p\" ref=\"30\"/></body>" +
    "<body name=\"b\" pos=\"1 0 0\">" + mass +
    "<joint name=\"q\" type=\"slide\" ref=\"2\"/></body>" + "</worldbody>";

}  // namespace

TEST(Mjcf, AnglesAreInDegreesUnlessSaidOtherwise) {
    expect_turn(turn_of_body("euler=\"0 0 90\""), {0, 1, 0}, {0, 0, 1});
    expect_turn(turn_of_body("euler=\"0 0 1.5707963267948966\"", "<compiler angle=\"radian\"/>"),
                {0, 1, 0}, {0, 0, 1});
}

TEST(Mjcf, EulerSequenceIsIntrinsicInSmallLettersAndExtrinsicInCapitals) {
    // xyz: the second turn is about the turned y, which is z: x goes to y there.
    expect_turn(turn_of_body("euler=\"90 90 0\""), {0, 1, 0}, {1, 0, 0});
    // XYZ: about the fixed y: x goes to -z.
    expect_turn(turn_of_body("euler=\"90 90 0\"", "<compiler eulerseq=\"XYZ\"/>"), {0, 0, -1},
                {0, -1, 0});
    // zyx: angles in that order, 90 about z and then 90 about the turned y, which is -x.
    expect_turn(turn_of_body("euler=\"90 90 0\"", "<compiler eulerseq=\"zyx\"/>"), {0, 0, -1},
                {0, 1, 0});
}

TEST(Mjcf, OrientationsOfAllKinds) {
    expect_turn(turn_of_body("quat=\"2 0 0 2\""), {0, 1, 0}, {0, 0, 1});
    expect_turn(turn_of_body("axisangle=\"0 0 3 90\""), {0, 1, 0}, {0, 0, 1});
    expect_turn(turn_of_body("xyaxes=\"0 2 0 -3 1 0\""), {0, 1, 0}, {0, 0, 1});
    expect_turn(turn_of_body("zaxis=\"0 0 -2\""), {1, 0, 0}, {0, 0, -1});
    const Turn z = turn_of_body("zaxis=\"2 0 0\"");
    expect_turn(z, {0, 0, -1}, {1, 0, 0});
    EXPECT_TRUE(mjcf(body("", "quat=\"1 0 0 0\" euler=\"0 0 0\"")).says("given twice"));
    EXPECT_TRUE(mjcf(body("", "quat=\"0 0 0 0\"")).says("has no direction"));
}

TEST(Mjcf, ClassBeatsChildclassBeatsMainAndNestedClassesInherit) {
    const std::string defaults =
        "<default><joint damping=\"1\" armature=\"1\" stiffness=\"1\"/><default class=\"limb\">"
        "<joint damping=\"2\" armature=\"2\"/><default class=\"shin\"><joint damping=\"3\"/>"
        "</default></default></default>";
    const auto joint = [&](const std::string& attributes, const std::string& text) {
        const Reading r = mjcf(defaults + body(text, attributes));
        EXPECT_TRUE(r.robot) << r.said;
        const robot::Joint& j = r.robot->joints.front();
        return std::vector<double>{j.damping.a, j.armature, j.stiffness.a};
    };
    EXPECT_EQ(joint("", "<joint/>"), (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(joint("childclass=\"limb\"", "<joint/>"), (std::vector<double>{2, 2, 1}));
    EXPECT_EQ(joint("childclass=\"limb\"", "<joint class=\"shin\"/>"),
              (std::vector<double>{3, 2, 1}));
    EXPECT_EQ(joint("childclass=\"shin\"", "<joint class=\"main\" damping=\"7\"/>"),
              (std::vector<double>{7, 1, 1}));
    EXPECT_TRUE(mjcf(defaults + body("<joint class=\"limp\"/>")).says("did you mean 'limb'?"));
}

TEST(Mjcf, FreejointTakesNoDefaultsAndAFreeJointDoes) {
    const std::string defaults = "<default><joint damping=\"3\"/></default>";
    EXPECT_EQ(joint_of("<freejoint/>", defaults).damping.a, 0);
    EXPECT_EQ(joint_of("<joint type=\"free\"/>", defaults).damping.a, 3);
}

TEST(Mjcf, RangesLimitByThemselvesUnlessAutolimitsIsOff) {
    EXPECT_NEAR(joint_of("<joint range=\"-90 45\"/>").range->high, 45 * deg, 1e-15);
    EXPECT_FALSE(joint_of("<joint range=\"-90 45\" limited=\"false\"/>").range);
    EXPECT_FALSE(joint_of("<joint range=\"-90 45\"/>", "<compiler autolimits=\"false\"/>").range);
    EXPECT_TRUE(
        joint_of("<joint range=\"-9 4\" limited=\"true\"/>", "<compiler autolimits=\"false\"/>")
            .range);
    EXPECT_EQ(joint_of("<joint type=\"slide\" range=\"-9 4\"/>").range->high, 4);
}

TEST(Mjcf, RefIsTheValueAsDrawnAndSpringrefThatOfTheSpring) {
    const robot::Joint j =
        joint_of("<joint ref=\"30\" springref=\"-60\" stiffness=\"4\" frictionloss=\"0.5\"/>");
    EXPECT_NEAR(j.reference, 30 * deg, 1e-15);
    EXPECT_NEAR(j.rest, -60 * deg, 1e-15);
    EXPECT_EQ(j.friction, 0.5);
    EXPECT_EQ(joint_of("<joint type=\"slide\" ref=\"30\"/>").reference, 30);
}

TEST(Mjcf, SeveralJointsOfABodyActInTheirOrderOverMasslessBodies) {
    const Reading r =
        mjcf(body("<joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>"
                  "<joint name=\"h\" axis=\"0 1 0\" pos=\"0 0 1\"/>"));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(r.writes("joint x: prismatic ground to b_1 axis (1, 0, 0)")) << r.model;
    EXPECT_TRUE(r.writes("joint h: continuous b_1 to b at (0, 0, 1), (0, 0, 1) axis (0, 1, 0)"))
        << r.model;
}

TEST(Mjcf, CurvedSpringsAndDampersAreEquations) {
    const Reading r =
        mjcf(body("<joint name=\"j\" type=\"slide\" stiffness=\"2 3 4\" damping=\"1 2 0\" "
                  "springref=\"1\"/>"));
    EXPECT_TRUE(r.writes("potential (j - 1)^2 + (j - 1)^3 + (j - 1)^4")) << r.model;
    EXPECT_TRUE(r.writes("force j = -j' - 2*j'*abs(j')")) << r.model;
}

TEST(Mjcf, ConnectMeetsWhereItIsDrawn) {
    // The anchor of a at x = 3 is in b, which is drawn at x = 1, at x = 2.
    const Reading r = mjcf(two_joints +
                           "<equality><connect name=\"pin\" body1=\"a\" body2=\"b\" "
                           "anchor=\"3 0 0\"/></equality>");
    EXPECT_TRUE(r.writes("constraint pin: a(3, 0, 0) = b(2, 0, 0)")) << r.model;
}

TEST(Mjcf, WeldHoldsThePoseOfTheSecondInTheFirst) {
    const Reading r = mjcf(two_joints +
                           "<equality><weld name=\"w\" body1=\"a\" body2=\"b\" "
                           "relpose=\"0 1 0 0 0 0 2\"/></equality>");
    EXPECT_TRUE(
        r.writes("joint w: weld a to b at (0, 1, 0) turned quaternion(0, 0, 0, 1) by "
                 "constraints"))
        << r.model;
    EXPECT_TRUE(mjcf(two_joints + "<equality><weld name=\"w\" body1=\"a\" body2=\"b\"/></equality>")
                    .writes("joint w: weld a to b at (1, 0, 0) by constraints"));
}

TEST(Mjcf, JointEqualityIsAPolynomialOfDifferencesFromRef) {
    const Reading r = mjcf(two_joints +
                           "<equality><joint name=\"c\" joint1=\"q\" joint2=\"p\" "
                           "polycoef=\"0.5 2 0 -1 0\"/></equality>");
    EXPECT_TRUE(
        r.writes("constraint c: q - 2 = 0.5 + 2*(p - 0.5235987755982988) - (p - "
                 "0.5235987755982988)^3"))
        << r.model;
    const Reading alone = mjcf(two_joints +
                               "<equality><joint name=\"c\" joint1=\"q\" polycoef=\"0.5 2 0 0 0\"/>"
                               "</equality>");
    EXPECT_TRUE(alone.writes("constraint c: q - 2 = 0.5")) << alone.model;
}

TEST(Mjcf, EqualitiesThatAreNotActiveAreLeftOutAndSaid) {
    const Reading r = mjcf(two_joints +
                           "<equality><joint name=\"c\" joint1=\"q\" joint2=\"p\" "
                           "active=\"false\"/></equality>");
    EXPECT_FALSE(r.writes("constraint"));
    EXPECT_TRUE(r.writes("'c' is not active, and left out")) << r.model;
}

TEST(Mjcf, FixedTendonsHaveSpringsFromTheRestOfTheirJoints) {
    const std::string world = "<worldbody><body>" + mass +
                              "<joint name=\"p\" type=\"slide\" springref=\"2\"/><body>" + mass +
                              "<joint name=\"q\" type=\"slide\"/></body></body></worldbody>";
    const auto tendon = [&](const std::string& attributes) {
        return mjcf(world + "<tendon><fixed name=\"t\" " + attributes +
                    "><joint joint=\"p\" coef=\"0.5\"/><joint joint=\"q\" coef=\"-1\"/></fixed>"
                    "</tendon>")
            .model;
    };
    EXPECT_NE(tendon("stiffness=\"4\" damping=\"3\"")
                  .find("let t = 0.5*p - q  # line 2\npotential 2*(t - 1)^2  # line 2\n"
                        "dissipation 1.5*t'^2"),
              std::string::npos);
    EXPECT_NE(tendon("stiffness=\"4\" springlength=\"0.25\"").find("potential 2*(t - 0.25)^2"),
              std::string::npos);
    EXPECT_NE(tendon("stiffness=\"4\" springlength=\"0 1\"")
                  .find("potential 2*(max(0, t - 1)^2 + max(0, -t)^2)"),
              std::string::npos);
    EXPECT_NE(tendon("range=\"0 2\"").find("constraint t_high: t <= 2"), std::string::npos);
}

TEST(Mjcf, FramesMoveAndTurnWhatIsInThem) {
    const Reading r = mjcf(
        "<worldbody><frame pos=\"1 0 0\" euler=\"0 0 90\"><frame pos=\"1 0 0\"><body name=\"b\">" +
        mass + "<joint axis=\"1 0 0\"/></body></frame></frame></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    const Pose& pose = r.robot->links.front().pose;
    EXPECT_NEAR(pose.place[0], 1, 1e-15);
    EXPECT_NEAR(pose.place[1], 1, 1e-15);
    expect_turn(pose.turn, {0, 1, 0}, {0, 0, 1});
}

TEST(Mjcf, ReplicaGoOnFromEachOtherWithNumbersInTheirNames) {
    const Reading r = mjcf(
        "<worldbody><replicate count=\"3\" sep=\"-\" offset=\"1 0 0\" euler=\"0 0 90\"><body "
        "name=\"b\" pos=\"0 0 1\">" +
        mass + "<joint name=\"j\"/></body></replicate></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    ASSERT_EQ(r.robot->links.size(), 3u);
    EXPECT_EQ(r.robot->joints[2].name, "j-2");
    const Vector& last = r.robot->links[2].pose.place;  // 1 along x, then 1 along y
    EXPECT_NEAR(last[0], 1, 1e-15);
    EXPECT_NEAR(last[1], 1, 1e-15);
    EXPECT_NEAR(last[2], 1, 1e-15);
}

TEST(Mjcf, IncludedFilesAreStrippedOfTheirTopAndReadOnce) {
    const Reading r = mjcf("<include file=\"parts/defaults.xml\"/><worldbody><body>" + mass +
                           "<include file=\"parts/leg.xml\"/></body></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_EQ(r.robot->links.back().name, "foot");  // from a file that leg.xml includes
    EXPECT_EQ(r.robot->joints.front().damping.a, 0.75);
    EXPECT_TRUE(r.writes("# leg.xml, line 2")) << r.model;
    EXPECT_TRUE(mjcf("<include file=\"parts/circle.xml\"/>")
                    .says("included twice, or includes "
                          "itself"));
    EXPECT_TRUE(mjcf("<include file=\"../urdf_test.cpp\"/>").says("outside the model's folder"));
    EXPECT_TRUE(mjcf("<include file=\"parts/none.xml\"/>").says("there is no such file"));
}

TEST(Mjcf, ActuatorsAreForcesOfControls) {
    const auto model = [&](const std::string& text) {
        const Reading r = mjcf(two_joints + "<actuator>" + text + "</actuator>");
        EXPECT_TRUE(r.robot) << r.said;
        return r.model;
    };
    const std::string motor =
        model("<motor name=\"m\" joint=\"p\" gear=\"30\" ctrlrange=\"-1 2\"/>");
    EXPECT_NE(motor.find("param m = 0 in -1..2 "), std::string::npos) << motor;
    EXPECT_NE(motor.find("force p = 30*m"), std::string::npos) << motor;
    EXPECT_NE(model("<position name=\"m\" joint=\"p\" kp=\"20\" kv=\"3\" gear=\"2\"/>")
                  .find("force p = 2*(20*m - 40*p - 6*p')"),
              std::string::npos);
    EXPECT_NE(model("<velocity name=\"m\" joint=\"q\" kv=\"3\"/>").find("force q = (3*m - 3*q')"),
              std::string::npos);
    EXPECT_NE(model("<general name=\"m\" joint=\"q\" biastype=\"affine\" gainprm=\"5\" "
                    "biasprm=\"1 -2 0\" forcerange=\"-3 4\"/>")
                  .find("force q = max(-3, min(4, 5*m + 1 - 2*q))"),
              std::string::npos);
}

TEST(Mjcf, ControlsOutsideTheirRangeAreClampedAndSaid) {
    const Reading r = mjcf(two_joints +
                           "<actuator><motor name=\"m\" joint=\"p\" ctrlrange=\"-1 2\"/>"
                           "</actuator><keyframe><key ctrl=\"5\"/></keyframe>");
    EXPECT_TRUE(r.writes("param m = 2 in -1..2")) << r.model;
    EXPECT_TRUE(r.writes("the control 5 is outside its range and is clamped to 2")) << r.model;
}

TEST(Mjcf, OwnOrientationGoesBeforeThatOfTheClass) {
    const Reading r = mjcf(
        "<default><geom quat=\"0 1 0 0\"/></default><worldbody><body name=\"b\"><joint/>"
        "<geom type=\"box\" size=\"1 2 3\" euler=\"0 90 0\" mass=\"3\"/></body></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_NEAR(r.robot->links[0].inertia.tensor.xx, 4.0 + 1.0, 1e-13);  // z lies along x
    const Reading other = mjcf(
        "<default><geom euler=\"0 90 0\"/></default><worldbody><body name=\"b\"><joint/>"
        "<geom type=\"box\" size=\"1 2 3\" quat=\"1 0 0 0\" mass=\"3\"/></body></worldbody>");
    ASSERT_TRUE(other.robot) << other.said;
    EXPECT_TRUE(other.says("this 'quat' goes before the 'euler' of the class")) << other.said;
    EXPECT_NEAR(other.robot->links[0].inertia.tensor.xx, 4.0 + 9.0, 1e-13);
}

TEST(Mjcf, ShapesStandWithTheirBodiesAndTheGround) {
    const Reading r = mjcf(
        "<worldbody><geom type=\"plane\" size=\"1 1 1\"/><body name=\"b\"><joint/>"
        "<inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/><geom type=\"box\" size=\"1 2 "
        "3\" pos=\"0 0 1\"/><geom size=\"0.1\" contype=\"0\" "
        "conaffinity=\"0\"/></body></worldbody>");
    EXPECT_TRUE(r.writes("body ground shape plane\n") || r.writes("body ground shape plane  #"))
        << r.model;
    EXPECT_TRUE(
        r.writes("body b_body mass 2 inertia (1, 1, 1) shape box (2, 4, 6) at (0, 0, 1),\n"
                 "    sphere 0.1 drawn"))
        << r.model;
}

TEST(Mjcf, ActuatorsThatCannotBeForcesAreTold) {
    const Reading r = mjcf(two_joints +
                           "<actuator>\n<muscle name=\"m\" joint=\"p\"/>\n"
                           "<position name=\"s\" joint=\"p\" dampratio=\"1\"/></actuator>");
    EXPECT_TRUE(r.says("warning: the actuator 'm' is not imported")) << r.said;
    EXPECT_TRUE(r.says("warning: the actuator 's' is not imported")) << r.said;
    EXPECT_TRUE(r.writes("the actuator 'm' is left out")) << r.model;
}

TEST(Mjcf, FirstKeyframeIsTheStart) {
    const Reading r = mjcf(two_joints +
                           "<keyframe><key name=\"home\" qpos=\"0.5 3\" qvel=\"0 1\"/>"
                           "<key name=\"up\"/></keyframe>");
    EXPECT_TRUE(r.writes("start p ~ 0.5")) << r.model;
    EXPECT_TRUE(r.writes("start q ~ 3, q' ~ 1")) << r.model;
    EXPECT_TRUE(r.writes("The keyframe 'up'")) << r.model;
    EXPECT_TRUE(mjcf(two_joints + "<keyframe><key qpos=\"1\"/></keyframe>")
                    .says("'qpos' takes 2 numbers, but there is 1 here"));
}

TEST(Mjcf, GravityIsRead) {
    EXPECT_TRUE(mjcf("<option gravity=\"0 1 -2\"/>" + body("")).writes("gravity (0, 1, -2)"));
    EXPECT_TRUE(mjcf("<option><flag gravity=\"disable\"/></option>" + body(""))
                    .writes("gravity (0, 0, 0)"));
    EXPECT_TRUE(mjcf(body("", "name=\"b\" gravcomp=\"0.5\"")).writes("force b = (0, 0, 4.905)"));
}

TEST(Mjcf, SettingsOfTheSoftSolverAreNamedOnce) {
    const Reading r =
        mjcf(body("<joint solreflimit=\"1 1\"/><geom solref=\"1 1\" margin=\"1\" "
                  "size=\"1\"/>"));
    EXPECT_TRUE(r.says("settings of the soft solver, such as 'solreflimit'")) << r.said;
    EXPECT_EQ(r.said.find("soft solver"), r.said.rfind("soft solver"));
}

TEST(Mjcf, WhatIsNotKnownIsToldWithItsPlace) {
    const Reading r = mjcf(body("\n<joint dampning=\"1\"/>"));
    EXPECT_TRUE(r.says("m.xml:3:18: warning: 'dampning' of <joint> is not known")) << r.said;
    EXPECT_TRUE(r.says("did you mean 'damping'?")) << r.said;
    EXPECT_TRUE(mjcf("<default><joint stifness=\"1\"/></default>" + body(""))
                    .says("did you mean 'stiffness'?"));
    EXPECT_TRUE(mjcf(body("<composite/>")).says("error: <composite> in a body is not supported"));
    EXPECT_TRUE(mjcf(body("<joint type=\"universal\"/>")).says("no joint of type 'universal'"));
    EXPECT_TRUE(
        mjcf(body("<joint axis=\"1 0\"/>")).says("'axis' takes 3 numbers, but there are 2"));
    EXPECT_TRUE(mjcf(body("<body><freejoint/></body>")).says("not a child of the world"));
}

TEST(Mjcf, FixedAndFloatingAreOfUrdf) {
    EXPECT_TRUE(read_text("<mujoco/>", RobotRoot::floating).says("are for URDF"));
}

}  // namespace lacon::oracle
