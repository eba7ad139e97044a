// URDF: the rules that importers get wrong, one by one, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "robot/robots.hpp"

namespace lacon::oracle {

namespace {

constexpr const char* base = "<link name=\"base\"/>\n<link name=\"arm\"/>\n";

/// A revolute joint from base to arm, with something in it.
std::string hinge(const std::string& content, const std::string& type = "revolute",
                  const std::string& name = "hinge") {
    return "<joint name=\"" + name + "\" type=\"" + type +
           "\"><parent link=\"base\"/><child link=\"arm\"/>" + content + "</joint>\n";
}

const std::string limit = "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>";

const robot::Joint& first_joint(const Reading& reading) {
    return reading.robot->joints.front();
}

void expect_vector(const Vector& v, const Vector& expected) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(v[i], expected[i], 1e-15);
}

}  // namespace

TEST(Urdf, InertiaIsTurnedFromTheInertialAxesOnBothSides) {
    // A quarter turn about z takes x to y: Ixx and Iyy change places, Ixy its sign.
    const Reading r = urdf(
        "<link name=\"a\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>"
        "<mass value=\"2\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\" ixy=\"0.1\" ixz=\"0.2\" "
        "iyz=\"0.3\"/></inertial></link>");
    ASSERT_TRUE(r.robot) << r.said;
    const Inertia& i = r.robot->links.front().inertia;
    expect_vector(i.center, {1, 2, 3});
    expect_vector({i.tensor.xx, i.tensor.yy, i.tensor.zz}, {2, 1, 2.5});
    expect_vector({i.tensor.xy, i.tensor.xz, i.tensor.yz}, {-0.1, -0.3, 0.2});
}

TEST(Urdf, RollPitchYawIsAboutFixedAxes) {
    // First about x, which takes y to z; then about z, which leaves it there.
    const Reading r =
        urdf(base + hinge("<origin rpy=\"1.5707963267948966 0 1.5707963267948966\"/>" + limit));
    ASSERT_TRUE(r.robot) << r.said;
    expect_vector(r.robot->links[1].pose.turn * Vector{0, 1, 0}, {0, 0, 1});
    expect_vector(r.robot->links[1].pose.turn * Vector{0, 0, 1}, {1, 0, 0});
    EXPECT_TRUE(r.writes("turned rpy(1.5707963267948966, 0, 1.5707963267948966)")) << r.model;
}

TEST(Urdf, MissingOriginIsTheIdentityAndMissingAxisIsX) {
    const Reading r = urdf(base + hinge(limit));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(is_identity(r.robot->links[1].pose));
    EXPECT_EQ(first_joint(r).axis, (Vector{1, 0, 0}));
    EXPECT_TRUE(r.writes("joint hinge: revolute base to arm axis (1, 0, 0) range -1..2"))
        << r.model;
}

TEST(Urdf, AxesNeedNotBeUnitVectors) {
    const Reading r = urdf(base + hinge("<axis xyz=\"0 3 4\"/>" + limit));
    ASSERT_TRUE(r.robot) << r.said;
    expect_vector(first_joint(r).axis, {0, 0.6, 0.8});
    EXPECT_TRUE(urdf(base + hinge("<axis xyz=\"0 0 0\"/>" + limit)).says("has no direction"));
}

TEST(Urdf, InertialWithoutOriginKeepsItsInertia) {
    const Reading r = urdf(
        "<link name=\"a\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\"/>"
        "</inertial></link>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_EQ(r.robot->links.front().inertia.tensor.zz, 2.5);
    EXPECT_TRUE(r.writes("body a mass 2 inertia (1, 2, 2.5)")) << r.model;
}

TEST(Urdf, MimicsFollowWithMultiplierAndOffsetAlsoFollowersAndContinuousJoints) {
    const Reading r = urdf(
        "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>"
        "<joint name=\"second\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>"
        "<mimic joint=\"first\" multiplier=\"-1.5\" offset=\"0.25\"/></joint>"
        "<joint name=\"first\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>"
        "<joint name=\"third\" type=\"prismatic\"><parent link=\"c\"/><child link=\"d\"/>" +
        limit + "<mimic joint=\"second\"/></joint>");
    ASSERT_TRUE(r.robot) << r.said;
    ASSERT_EQ(r.robot->couplings.size(), 2u);
    EXPECT_EQ(r.robot->couplings[0].coefficients, (std::vector<double>{0.25, -1.5}));
    EXPECT_EQ(r.robot->couplings[1].coefficients, (std::vector<double>{0, 1}));
    EXPECT_TRUE(r.writes("mimic first ratio -1.5 offset 0.25")) << r.model;
    EXPECT_TRUE(r.writes("mimic second ")) << r.model;
}

TEST(Urdf, MimicsInACircleAndOfUnknownJointsAreRefused) {
    const std::string links = "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>";
    const auto joint = [](const char* name, const char* child, const char* leader) {
        return std::string("<joint name=\"") + name +
               "\" type=\"continuous\"><parent link=\"a\"/><child link=\"" + child +
               "\"/><mimic joint=\"" + leader + "\"/></joint>";
    };
    EXPECT_TRUE(urdf(links + joint("one", "b", "two") + joint("two", "c", "one"))
                    .says("follows itself by its mimics"));
    EXPECT_TRUE(urdf(links + joint("one", "b", "tow") + joint("two", "c", "two_"))
                    .says("there is no joint 'tow' that moves"));
    EXPECT_TRUE(urdf(links + joint("one", "b", "one") + joint("two", "c", "one"))
                    .says("'one' follows itself"));
}

TEST(Urdf, ContinuousJointsHaveNoRange) {
    const Reading r = urdf(
        base + hinge("<limit lower=\"0\" upper=\"0\" effort=\"3\" velocity=\"4\"/>", "continuous"));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_FALSE(first_joint(r).range);
    EXPECT_EQ(r.said, "");
}

TEST(Urdf, EffortAndVelocityNeedNotBeGiven) {
    const Reading r = urdf(base + hinge("<limit lower=\"-0.5\" upper=\"0.5\"/>", "prismatic"));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_EQ(first_joint(r).range->low, -0.5);
    EXPECT_EQ(r.said, "");
}

TEST(Urdf, LimitsWithoutRoomAreToldAndNotLocked) {
    const Reading r = urdf(base + hinge("<limit effort=\"3\" velocity=\"4\"/>"));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_FALSE(first_joint(r).range);
    EXPECT_TRUE(r.says("warning: the range of 'hinge' is the single value 0")) << r.said;
    EXPECT_TRUE(urdf(base + hinge("<limit lower=\"2\" upper=\"1\"/>")).says("has no room"));
    EXPECT_TRUE(urdf(base + hinge("")).says("has no <limit>: it moves freely"));
}

TEST(Urdf, FixedJointsKeepTheirFramesByName) {
    const Reading r = urdf(base + hinge("<origin xyz=\"1 0 0\"/>", "fixed", "plate"));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(r.writes("body arm  # line 3\njoint plate: weld base to arm at (1, 0, 0)"))
        << r.model;
}

TEST(Urdf, LinksWithoutInertialHaveNoMass) {
    const Reading r = urdf("<link name=\"a\"/>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_EQ(r.robot->links.front().inertia.mass, 0);
}

TEST(Urdf, RootIsWeldedToTheGroundUnlessItFloats) {
    const std::string link =
        "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>"
        "</inertial></link>";
    EXPECT_TRUE(urdf(link).writes("joint a_mount: weld ground to a"));
    const Reading floating = urdf(link, RobotRoot::floating);
    ASSERT_TRUE(floating.robot);
    EXPECT_EQ(floating.robot->joints.front().kind, robot::Joint::Kind::free);
    EXPECT_FALSE(floating.writes("\njoint")) << floating.model;
}

TEST(Urdf, DampingAndFrictionAreRead) {
    const Reading r = urdf(base + hinge("<dynamics damping=\"0.25\" friction=\"0.5\"/>" + limit));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(r.writes("range -1..2 damping 0.25 friction 0.5")) << r.model;
}

TEST(Urdf, ShapesHaveFullSizesAndMeshesAScale) {
    const Reading r = urdf(
        "<link name=\"a\"><collision><geometry><box size=\"1 2 3\"/></geometry></collision>"
        "<collision><geometry><cylinder radius=\"0.5\" length=\"2\"/></geometry></collision>"
        "<visual><geometry><mesh filename=\"package://parts/cube.obj\" scale=\"1 2 "
        "-1\"/></geometry>"
        "</visual></link>");
    ASSERT_TRUE(r.robot) << r.said;
    const auto& shapes = r.robot->links.front().shapes;
    ASSERT_EQ(shapes.size(), 3u);
    EXPECT_EQ(shapes[0].size, (Vector{1, 2, 3}));
    EXPECT_EQ(shapes[1].size, (Vector{0.5, 2, 0}));
    EXPECT_EQ(shapes[2].scale, (Vector{1, 2, -1}));
}

TEST(Urdf, TransmissionsAndUnknownPartsAreTold) {
    const Reading r = urdf(
        "<link name=\"a\"/>\n<transmission name=\"gear\"/>\n<gazebo/>\n<material name=\"m\"/>\n"
        "<spring/>");
    ASSERT_TRUE(r.robot);
    EXPECT_TRUE(r.says(":3:2: warning: <transmission> is not imported")) << r.said;
    EXPECT_TRUE(r.says(":6:2: warning: <spring> is not imported")) << r.said;
    EXPECT_TRUE(r.says(":4:2: warning: <gazebo> is not imported")) << r.said;
    EXPECT_FALSE(r.says("material"));
}

TEST(Urdf, AttributesThatAreNotKnownAreTold) {
    const Reading r = urdf(base + hinge("<limit lower=\"-1\" uper=\"2\"/>"));
    EXPECT_TRUE(r.says("warning: 'uper' of <limit> is not known")) << r.said;
    EXPECT_TRUE(r.says("did you mean 'upper'?")) << r.said;
}

TEST(Urdf, WhatIsLeftOutInManyPlacesIsToldOnce) {
    const std::string gear = "<transmission name=\"g\"/>\n";
    const Reading r = urdf("<link name=\"a\"/>\n" + gear + gear + gear);
    EXPECT_TRUE(r.says(":3:2: warning: <transmission> is not imported (as in 2 more places)"))
        << r.said;
    EXPECT_EQ(r.said.find("warning"), r.said.rfind("warning")) << r.said;
}

TEST(Urdf, InertiasOfNoBodyAreWarnedOfAndNegativeOnesRefused) {
    const auto link = [](const char* izz) {
        return std::string(
                   "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
                   "iyy=\"1\" izz=\"") +
               izz + "\"/></inertial></link>";
    };
    EXPECT_EQ(urdf(link("2")).said, "");
    const Reading r = urdf(link("3"));
    EXPECT_TRUE(r.robot);
    EXPECT_TRUE(r.says("warning: no rigid body has the inertia of 'a'")) << r.said;
    EXPECT_FALSE(urdf(link("-1")).robot);
}

TEST(Urdf, TreesThatAreNoneAreRefused) {
    const auto joint = [](const char* name, const char* parent, const char* child) {
        return std::string("<joint name=\"") + name + "\" type=\"fixed\"><parent link=\"" + parent +
               "\"/><child link=\"" + child + "\"/></joint>";
    };
    const std::string two = "<link name=\"a\"/><link name=\"b\"/>",
                      three = two + "<link name=\"c\"/>";
    EXPECT_TRUE(urdf(two).says("the robot has two roots: neither 'a' nor 'b'"));
    EXPECT_TRUE(urdf(two + joint("j", "a", "b") + joint("k", "b", "a"))
                    .says("go round in a circle: no link is the root"));
    EXPECT_TRUE(urdf(three + joint("j", "b", "c") + joint("k", "c", "b"))
                    .says("the joints go round in a circle"));
    EXPECT_TRUE(urdf(three + joint("j", "a", "c") + joint("k", "b", "c")).says("has two parents"));
    EXPECT_TRUE(urdf(two + joint("j", "a", "bb")).says("there is no link 'bb'"));
    EXPECT_TRUE(urdf(two + "<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>")
                    .says("names no parent link"));
    EXPECT_TRUE(urdf(two + "<link name=\"a\"/>").says("there are two links 'a'"));
    EXPECT_TRUE(urdf("").says("this robot has no link"));
    EXPECT_TRUE(urdf(two + joint("j", "a", "b") + "<xacro:include/>").says("macro of xacro"));
}

TEST(Urdf, FloatingJointsInsideATreeHaveTheirCoordinatesFromTheOrigin) {
    const Reading r = urdf(
        "<link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
        "iyy=\"1\" izz=\"1\"/></inertial></link><joint name=\"j\" type=\"floating\"><parent "
        "link=\"a\"/><child link=\"b\"/><origin xyz=\"1 0 0\" rpy=\"0 0 0.5\"/></joint>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(r.writes("joint b_mount: weld a to b_frame at (1, 0, 0) turned rpy(0, 0, 0.5)"))
        << r.model;
    EXPECT_TRUE(r.writes("joint j: free b_frame to b")) << r.model;
}

}  // namespace lacon::oracle
