#include "two_roads.hpp"

namespace lacon {
namespace {

const std::vector<TestBody> some_bodies = {
    {"b1", "1.1", "(0.1, 0.2, 0.3)", {"0.1", "0.2", "0.15", "0.01", "0.02", "-0.03"}},
    {"b2", "0.9", "(0.3, -0.1, 0.2)", {"0.2", "0.3", "0.25", "0.03", "-0.02", "0.01"}},
    {"b3", "0.5", "(a, 0.1, -0.2)", {"0.05", "0.06", "a/5", "0", "0", "0"}},
    {"b4", "0.4", "(-0.1, 0.2, a/2)", {"0.04", "0.06", "0.05", "0", "0.01", "0"}}};
const std::string gravity = "(0.3, 0.1, -9.81)";

void expect_two_roads_meet(const std::string& joints) {
    const std::string text = "param a = 0.3\n" + joints;
    expect_alike(Mechanism::parse(text + as_bodies(some_bodies, gravity)),
                 Mechanism::parse(text + as_energies(some_bodies, gravity)), 1e-12);
}

TEST(Trees, ChainsOfRevoluteAndPrismaticJointsMoveAsTheirEnergiesSay) {
    expect_two_roads_meet(
        "joint j1: revolute ground to b1 at (0.1, 0.2, 0.5) axis (1, 2, 3)\n"
        "joint j2: prismatic b1 to b2 at (0.3, a, 0.1), (0.1, 0.1, 0.1) axis (0, 1, 1) turned "
        "rpy(0.1, 0.2, 0.3)\n"
        "joint j3: revolute b2 to b3 at (0.3, 0.2, 0.1), (0.1, -0.1, 0.1) axis (a, 1, 0) turned "
        "euler(0.4, 0.2, 0.3)\n"
        "joint w: weld b2 to b4 at (0.1, 0, 0.2) turned rotation((1, 1, 0), 0.4)\n");
}

TEST(Trees, AJointMayCarryItsFirstBody) {
    expect_two_roads_meet(
        "joint j1: revolute ground to b1 axis (0, 1, 0)\n"
        "joint j3: revolute b3 to b1 at (0.3, 0.2, 0.1), (0.1, -0.1, 0.1) axis (a, 1, 0) turned "
        "euler(0.4, 0.2, 0.3)\n"
        "joint j4: cylindrical b2 to b3 at (1, 0, 0) axis (0, 0, 1)\n"
        "joint j5: universal b4 to b2 at (1, 0, 0), (0, a, 1) axis (1, 0, 0), (0, 1, 1)\n");
}

TEST(Trees, JointsOfManyCoordinatesMoveAsTheirEnergiesSay) {
    expect_two_roads_meet(
        "joint j1: screw ground to b1 at (0, 0, 1) axis (1, 0, 1) pitch 0.7\n"
        "joint j2: planar b1 to b2 at (0.2, 0, 0), (0, 0.1, 0) axis (0, 1, 0)\n"
        "joint j3: cylindrical ground to b3 at (0.2, 0, 0), (0, 0.1, 0) axis (0, 1, 1)\n"
        "joint j4: universal b3 to b4 at (0, 0, -1), (0, 0.1, 0) axis (1, 0, 0), (0, 1, a)\n");
}

TEST(Trees, APendulumHasItsClosedForm) {
    const auto arm = Mechanism::parse(
        "param L = 1.2\nbody arm mass 0.7 inertia (0.02, 0.11, 0.09) center (0, 0, -L/2)\n"
        "joint hinge: revolute ground to arm axis (0, 1, 0)\ngravity (0, 0, -9.81)");
    const Evaluation at = arm.evaluate({0.0, {0.5}, {2.0}});
    const double inertia = 0.11 + 0.7 * 0.36;
    EXPECT_NEAR(at.M(0, 0), inertia, 1e-15);
    EXPECT_NEAR(at.Q[0], -0.7 * 9.81 * 0.6 * std::sin(0.5), 1e-14);
    EXPECT_NEAR(at.kinetic, 2 * inertia, 1e-15);
}

}  // namespace
}  // namespace lacon
