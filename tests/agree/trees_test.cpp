// Trees of bodies, eliminated body by body, against their M on interpreted numbers.

#include "agree_tests.hpp"
#include "code/tree_code.hpp"

namespace lacon {
namespace {

const std::string bodies = R"(
body b1 mass 1.1 center (0.1, 0.2, 0.3) inertia (0.1, 0.2, 0.15, 0.01, 0.02, -0.03)
body b2 mass 0.9 center (0.3, -0.1, 0.2) inertia (0.2, 0.3, 0.25, 0.03, -0.02, 0.01)
body b3 mass 0.5 center (0.3, 0.1, -0.2) inertia (0.05, 0.06, 0.06)
body b4 mass 0.4 center (-0.1, 0.2, 0.2) inertia (0.04, 0.06, 0.05, 0, 0.01, 0)
gravity (0.3, 0.1, -9.81)
)";

std::size_t trees_in(const Case& c) {
    const auto found = articulated_elements(c.mechanism.details().system, c.field.smooth);
    return static_cast<std::size_t>(std::count(found.begin(), found.end(), true));
}

/// Away from unit length a quaternion is no rotation, and other roads give other numbers.
State with_unit_quaternions(const Mechanism& m, State s) {
    for (std::size_t i = 0; i < m.coordinates().size(); ++i) {
        if (!m.coordinates()[i].ends_with("w")) continue;
        double square = 0.0;
        for (std::size_t k = i; k < i + 4; ++k) square += s.q[k] * s.q[k];
        for (std::size_t k = i; k < i + 4; ++k) s.q[k] /= std::sqrt(square);
    }
    return s;
}

/// Accelerations of machine code body by body at 20 states, those of M.
void expect_those_of_entries(const std::string& text) {
    const Case c(Mechanism::parse(text));
    ASSERT_GT(trees_in(c), 0u);
    const auto kernel = kernel::compile(c.code, {.cache = false});
    std::vector<double> out(kernel->out_size()), work(kernel->work_size());
    for (const State& near : c.states(20)) {
        const State s = with_unit_quaternions(c.mechanism, near);
        kernel->run(c.inputs(s).data(), out.data(), work.data());
        EXPECT_EQ(out[c.field.n() + c.field.m()], 1.0);
        expect_acceleration(c.mechanism, s, out, text);
    }
}

TEST(BodyByBody, BranchesOfHingesAndSlidesMoveAsTheirMassMatrixSays) {
    expect_those_of_entries(bodies +
                            "joint j1: revolute ground to b1 at (0.1, 0.2, 0.5) axis (1, 2, 3)\n"
                            "joint j2: prismatic b1 to b2 at (0.3, 0.2, 0.1) axis (0, 1, 1)\n"
                            "joint j3: revolute b2 to b3 at (0.3, 0.2, 0.1) axis (0, 1, 0)\n"
                            "joint j4: screw b1 to b4 at (0.1, 0, 0.2) axis (1, 1, 0) pitch 0.7\n");
}

TEST(BodyByBody, JointsOfManyCoordinatesMoveAsTheirMassMatrixSays) {
    expect_those_of_entries(bodies +
                            "joint j1: cylindrical ground to b1 at (0, 0, 1) axis (1, 0, 1)\n"
                            "joint j2: planar b1 to b2 at (0.2, 0, 0) axis (0, 1, 0)\n"
                            "joint j3: universal b2 to b3 axis (1, 0, 0), (0, 1, 0)\n"
                            "joint j4: spherical b2 to b4 at (0.1, 0.2, 0)\n");
}

TEST(BodyByBody, FreeBodiesCarryOthers) {
    expect_those_of_entries(bodies +
                            "joint j2: revolute b1 to b2 at (0.3, 0.2, 0.1) axis (0, 0, 1)\n"
                            "joint j3: revolute b2 to b3 at (0.3, 0.2, 0.1) axis (1, 0, 0)\n"
                            "joint j4: spherical b1 to b4 at (0.1, 0.2, 0)\n");
}

TEST(BodyByBody, ArmaturesLoopsAndForcesGoIntoTheSameElimination) {
    expect_those_of_entries(
        bodies +
        "joint j1: revolute ground to b1 axis (0, 1, 0) armature 0.3\n"
        "joint j2: revolute b1 to b2 at (0.5, 0, 0) axis (0, 1, 0) damping 0.2\n"
        "joint j3: revolute b2 to b3 at (0.5, 0, 0) axis (0, 1, 0) armature 0.1\n"
        "joint j4: revolute b3 to b4 at (0.5, 0, 0) axis (0, 1, 0) stiffness 3\n"
        "constraint tip: b4(0.5, 0, 0).x = 1.2\nconstraint level: b4(0.5, 0, 0).z = 0.4\n"
        "start j1 ~ 0.4, j2 ~ -0.8, j3 ~ -0.3, j4 ~ 0.5, j1' = 1\n");
}

TEST(BodyByBody, CoordinatesThatAnotherEnergyJoinsAreLeftToTheirMassMatrix) {
    const std::string text = bodies +
                             "joint j1: revolute ground to b1 axis (0, 1, 0)\n"
                             "joint j2: revolute b1 to b2 at (0.5, 0, 0) axis (0, 0, 1)\n"
                             "joint j3: revolute b2 to b3 at (0.5, 0, 0) axis (0, 1, 0)\n"
                             "joint j4: revolute b3 to b4 at (0.5, 0, 0) axis (0, 0, 1)\n";
    EXPECT_EQ(trees_in(Case(Mechanism::parse(text))), 1u);
    EXPECT_EQ(trees_in(Case(Mechanism::parse(text + "kinetic j1'*j4'/10\n"))), 0u);
}

TEST(BodyByBody, TheWorkOfAChainGrowsWithItsLength) {
    const auto operations = [](int links) {
        return Case(Mechanism::parse("param N = " + std::to_string(links) + R"(
            body link[i] mass 0.3 inertia (0.004, 0.005, 0.001) center (0, 0, -0.1) for i in 1..N
            joint j[1]: revolute ground to link[1] axis (0, 1, 0)
            joint j[i]: revolute link[i-1] to link[i] at (0, 0, -0.2) axis (1, 0, 0) for i in 2..N
            gravity (0, 0, -9.81))"))
            .code.order()
            .size();
    };
    const std::size_t ten = operations(10), twenty = operations(20), forty = operations(40);
    EXPECT_LE(forty - twenty, 2 * (twenty - ten) + 10);
}

}  // namespace
}  // namespace lacon
