// Files that are no robots, names in models, and that a model moves as its description.
#include <gtest/gtest.h>

#include <random>

#include "robot/robots.hpp"

namespace lacon::oracle {

namespace {

std::string massive(double m) {
    return "<inertial pos=\"0.1 0.02 -0.1\" mass=\"" + std::to_string(m) +
           "\" fullinertia=\"0.02 0.03 0.025 0.001 -0.002 0.003\"/>";
}

/// All kinds of joints, springs, closures and couplings.
const std::string machine =
    "<compiler angle=\"radian\"/><worldbody><body name=\"a\" pos=\"0 0 1\" euler=\"0.3 0.2 "
    "-0.4\">" +
    massive(2) +
    "<joint name=\"x\" type=\"slide\" axis=\"1 0.2 0\" ref=\"0.3\" stiffness=\"9\"/>"
    "<joint name=\"h\" axis=\"0 1 1\" pos=\"0.1 0 0.2\" ref=\"0.4\" armature=\"0.1\" "
    "damping=\"0.2\"/>"
    "<body name=\"b\" pos=\"0.4 0 0\" euler=\"0 0.5 0\">" +
    massive(1) +
    "<joint name=\"ball\" type=\"ball\" pos=\"0 0 0.1\" stiffness=\"3\" damping=\"0.1\" "
    "armature=\"0.05\"/><body name=\"c\" pos=\"0 0 -0.3\" quat=\"1 1 0 0.5\">" +
    massive(0.5) +
    "<joint name=\"k\" ref=\"-0.2\" stiffness=\"1 2 3\" damping=\"0.1 0.2 "
    "0.3\"/></body></body></body>"
    "<body name=\"free\" pos=\"1 0 1\" euler=\"0.1 0.2 0.3\">" +
    massive(1.5) +
    "<joint type=\"free\" name=\"f\" damping=\"0.3\"/></body></worldbody>"
    "<tendon><fixed name=\"t\" stiffness=\"4\" damping=\"0.2\"><joint joint=\"x\" coef=\"2\"/>"
    "<joint joint=\"k\" coef=\"-0.5\"/></fixed></tendon>";

/// As much of the robot as the oracle computes: no curved springs and dampers.
Robot plain(Robot robot) {
    for (robot::Joint& joint : robot.joints)
        joint.damping.b = joint.damping.c = joint.stiffness.b = joint.stiffness.c = 0;
    return smooth(std::move(robot));
}

void expect_same_motion(const Robot& robot) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const State state = some_state(robot, seed);
        const Column ours = program_acceleration(robot, state);
        const Column theirs = motion_of(robot, state).acceleration;
        ASSERT_EQ(ours.size(), theirs.size());
        // Rounding, by the condition of M: some hundred.
        EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), 1e-12L * theirs.cwiseAbs().maxCoeff());
    }
}

}  // namespace

TEST(RobotText, ModelMovesAsTheDescription) {
    const Reading r = mjcf(machine);
    ASSERT_TRUE(r.robot) << r.said;
    expect_same_motion(plain(*r.robot));
}

TEST(RobotText, BallSpringIsTheSameOnBothSidesOfItsSeries) {
    const Reading r =
        mjcf("<worldbody><body name=\"b\"><joint name=\"j\" type=\"ball\" stiffness=\"2\"/>" +
             massive(1) + "</body></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    // sin(θ/2)² = 0.01 at 0.2003 rad; also a turn of more than half, and none.
    for (const double angle : {0.0, 1e-9, 0.15, 0.2, 0.2007, 2.0, 4.0}) {
        const Turn p = turn_about({1, 2, -2}, angle);
        const State state{{{p.w, p.x, p.y, p.z}}, {{0, 0, 0}}};
        const Column ours = program_acceleration(*r.robot, state);
        const Column theirs = motion_of(*r.robot, state).acceleration;
        ASSERT_EQ(ours.size(), 3) << angle;
        EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), 1e-12L * theirs.cwiseAbs().maxCoeff())
            << angle;
    }
}

TEST(RobotText, NamesAreLettersDigitsAndUnderscoresOfOnePartEach) {
    const Reading r = mjcf("<worldbody><body name=\"left-hip\">" + massive(1) +
                           "<joint name=\"left-hip\"/><body name=\"2.hand\">" + massive(1) +
                           "<joint name=\"left_hip\"/></body></body></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(r.writes("joint left_hip: continuous ground to left_hip_body")) << r.model;
    EXPECT_TRUE(r.writes("joint left_hip_joint: continuous left_hip_body to _2_hand")) << r.model;
}

TEST(RobotText, ReservedWordsAreNoNamesAndPrefixesStandBeforeAll) {
    const Reading r = mjcf("<worldbody><body name=\"body\">" + massive(1) +
                           "<joint name=\"t\"/></body></worldbody>");
    ASSERT_TRUE(r.robot);
    WriteOptions options;
    options.is_reserved = [](std::string_view word) { return word == "t" || word == "body"; };
    EXPECT_NE(write_model(*r.robot, options)
                  .text.find("joint t_joint: continuous ground to "
                             "body_body"),
              std::string::npos);
    options.prefix = "left_";
    EXPECT_NE(write_model(*r.robot, options)
                  .text.find("joint left_t: continuous ground to "
                             "left_body"),
              std::string::npos);
}

TEST(RobotText, EveryStatementKnowsTheElementItWasMadeFrom) {
    const Reading r = urdf("<link name=\"a\"/>");
    ASSERT_TRUE(r.robot);
    const ModelText made = write_model(*r.robot, WriteOptions());
    ASSERT_FALSE(made.origins.empty());
    for (const MadeFrom& origin : made.origins) EXPECT_EQ(origin.file->text(origin.place), "link");
}

TEST(RobotText, BrokenXmlIsReportedWithLineAndColumn) {
    const Reading r = read_text("<robot>\n  <link name=\"a\"/>\n</robots>\n");
    EXPECT_FALSE(r.robot);
    EXPECT_TRUE(r.says("robot:3:3: error: this closing element does not match")) << r.said;
    EXPECT_TRUE(read_text("").says("the file has no element")) << read_text("").said;
    EXPECT_TRUE(read_text("coord x").says("the file has no element"));
    EXPECT_TRUE(read_text("<robot><link name=/></robot>").says("error"));
    EXPECT_TRUE(read_text("<sdf/>").says("SDF is not read"));
    EXPECT_TRUE(read_text("<robot name=\"a\" name=\"b\"/>").says("given twice"));
    EXPECT_TRUE(read_text(std::string("<robot\0/>", 9)).says("NUL"));
}

TEST(RobotText, ByteOrderMarkShiftsNoPlace) {
    const Reading r = read_text("\xEF\xBB\xBF<robot>\n<link/></robot>");
    EXPECT_TRUE(r.says(":2:2: error: this link has no name")) << r.said;
}

TEST(RobotText, EntitiesOfDocumentTypesAreRefused) {
    const Reading r = read_text(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE robot [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n"
        "<robot><link name=\"&b;\"/></robot>");
    EXPECT_TRUE(r.says(":2:1: error: document types are not read")) << r.said;
    EXPECT_TRUE(
        read_text("<robot><link name=\"&b;\"/></robot>").says("an entity that XML does not"));
    EXPECT_TRUE(read_text("<robot><link name=\"a&amp;b\"/></robot>").robot);
}

TEST(RobotText, NumbersThatAreNoneAreRefused) {
    const auto mass = [](const std::string& value) {
        return urdf("<link name=\"a\"><inertial><mass value=\"" + value +
                    "\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>");
    };
    EXPECT_TRUE(mass("+1.5e0").robot);
    EXPECT_TRUE(mass("1e400").says("out of the range of numbers"));
    EXPECT_TRUE(mass("1e200").says("too large"));
    EXPECT_TRUE(mass("nan").says("too large") || mass("nan").says("not a number"));
    EXPECT_FALSE(mass("inf").robot);
    EXPECT_TRUE(mass("1,5").says("'1,5' is not a number"));
    EXPECT_TRUE(mass("").says("takes 1 number, but there are 0 here"));
    EXPECT_TRUE(mass("-1").says("cannot be negative"));
}

TEST(RobotText, DepthAndRepetitionsAreLimited) {
    std::string deep;
    for (int i = 0; i < 2000; ++i) deep += "<body>";
    for (int i = 0; i < 2000; ++i) deep += "</body>";
    EXPECT_TRUE(mjcf("<worldbody>" + deep + "</worldbody>").says("more than 1000 deep"));
    std::string copies = "<body/>";
    for (int i = 0; i < 8; ++i) copies = "<replicate count=\"1000\">" + copies + "</replicate>";
    EXPECT_TRUE(mjcf("<worldbody>" + copies + "</worldbody>").says("more than 400000 parts"));
}

/// Texts with some bytes changed, taken out or doubled: each is read or refused.
TEST(RobotText, SpoiledFilesAreReadOrRefused) {
    const std::string texts[] = {
        "<mujoco model=\"m\">" + machine +
            "<equality><connect body1=\"a\" anchor=\"0 0 1\"/><weld body1=\"b\" body2=\"free\"/>"
            "<joint joint1=\"x\" joint2=\"k\" polycoef=\"0 1 2 3 4\"/></equality><actuator><motor "
            "joint=\"x\" gear=\"2\"/></actuator></mujoco>",
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><origin rpy=\"1 2 3\"/>"
        "<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link><joint "
        "name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><limit lower=\"-1\" "
        "upper=\"1\"/><mimic joint=\"j\"/></joint></robot>"};
    std::mt19937 random(1);
    const std::string bytes = "<>/=\"'& \t\n-0.9eax&;![]\x01\x80";
    int refused = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string text = texts[round % 2];
        for (auto change = random() % 6; change < 6; ++change) {
            const std::size_t at = random() % text.size(), size = random() % 12;
            switch (random() % 3) {
                case 0: text[at] = bytes[random() % bytes.size()]; break;
                case 1: text.erase(at, size); break;
                default: text.insert(at, text.substr(random() % text.size(), size));
            }
        }
        const Reading r = read_text(text);
        if (!r.robot) {
            ++refused;
            EXPECT_TRUE(r.says("error: ")) << text;
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_LT(refused, 1500);
}

}  // namespace lacon::oracle
