#include "two_roads.hpp"

namespace lacon {
namespace {

double number(const Mechanism& m, const State& s, const std::string& output) {
    const Evaluation at = m.evaluate(s);
    for (const auto& one : at.outputs)
        if (one.first == output) return one.second;
    ADD_FAILURE() << "no output " << output;
    return NAN;
}

TEST(Joints, AHingeCarriesWhatNewtonAsks) {
    // m (c'' − g) of a pendulum of length L = 1 with its centre at the end.
    const auto m = Mechanism::parse(
        "body bob mass 2 inertia (0.1, 0.2, 0.3) center (0, 0, -1)\n"
        "joint hinge: revolute ground to bob axis (0, 1, 0) damping 0.5\ngravity (0, 0, -9.81)\n"
        "output F = hinge.force, T = hinge.torque, L = hinge.local_force");
    ASSERT_EQ(m.coordinates().size(), 6u);
    State s{0.0, std::vector<double>(6, 0.0), std::vector<double>(6, 0.0)};
    s.q[0] = 0.7;
    s.v[0] = 1.3;
    const Evaluation at = m.evaluate(s);
    ASSERT_TRUE(at.status) << at.status.message;
    const double e = at.solution.acceleration[0], w = s.v[0];
    EXPECT_NEAR(e, (-2 * g * std::sin(0.7) - 0.5 * w) / (0.2 + 2.0), 1e-12);
    // c = −(sin, 0, cos): c'' = −e (cos, 0, −sin) + w² (sin, 0, cos)
    const double x = -e * std::cos(0.7) + w * w * std::sin(0.7),
                 z = e * std::sin(0.7) + w * w * std::cos(0.7);
    EXPECT_NEAR(number(m, s, "F.x"), 2 * x, 1e-12);
    EXPECT_NEAR(number(m, s, "F.y"), 0.0, 1e-12);
    EXPECT_NEAR(number(m, s, "F.z"), 2 * (z + g), 1e-12);
    EXPECT_NEAR(number(m, s, "T.y"), -0.5 * w, 1e-12);
    EXPECT_NEAR(number(m, s, "L.z"), 2 * (z + g), 1e-12);
}

TEST(Joints, TheReactionsOfAJointThatClosesALoopAreThoseOfATreeJoint) {
    const std::string bodies =
        "body bob mass 2 inertia (0.1, 0.2, 0.3) center (0.1, 0.2, -1)\ngravity (0, 0, -9.81)\n";
    const auto tree =
        Mechanism::parse(bodies +
                         "joint hinge: revolute ground to bob at (0, 0, 1) axis (0, 1, 0)\n"
                         "output F = hinge.force, T = hinge.torque\nstart hinge = 0.6, hinge' = 1");
    const auto rows = Mechanism::parse(
        bodies +
        "joint hinge: revolute ground to bob at (0, 0, 1) axis (0, 1, 0) by constraints\n"
        "output F = hinge.force, T = hinge.torque\n"
        "start bob.rotation = rotation((0, 1, 0), 0.6), bob.omega = (0, 1, 0)\n"
        "start bob.position = (0, 0, 1)");
    const Start a = tree.start(), b = rows.start();
    ASSERT_TRUE(a.status) << a.status.message;
    ASSERT_TRUE(b.status) << b.status.message;
    for (const char* name : {"F.x", "F.y", "F.z", "T.x", "T.y", "T.z"})
        EXPECT_NEAR(number(tree, a.state, name), number(rows, b.state, name), 1e-10) << name;
}

TEST(Joints, AFreeBodyTurnsAsEulersEquationsSay) {
    const auto top = Mechanism::parse(
        "body top mass 2 inertia (1, 2, 3)\n"
        "start top.rotation = rpy(0.3, 0.2, 0.1), top.omega = (0.4, 0.5, 0.6)\n"
        "let w = (dot(top.omega, top.direction(1, 0, 0)), dot(top.omega, top.direction(0, 1, 0)), "
        "dot(top.omega, top.direction(0, 0, 1)))\noutput w, e = w'");
    const State s = top.start().state;
    const double x = number(top, s, "w.x"), y = number(top, s, "w.y"), z = number(top, s, "w.z");
    EXPECT_NEAR(number(top, s, "e.x"), (2.0 - 3.0) * y * z / 1.0, 1e-12);
    EXPECT_NEAR(number(top, s, "e.y"), (3.0 - 1.0) * z * x / 2.0, 1e-12);
    EXPECT_NEAR(number(top, s, "e.z"), (1.0 - 2.0) * x * y / 3.0, 1e-12);
}

}  // namespace
}  // namespace lacon
