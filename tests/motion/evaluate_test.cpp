// Evaluation at one state: forces, dependent and conflicting rows, degenerate terms.
#include <gtest/gtest.h>

#include <cmath>

#include "lacon/mechanism.hpp"

namespace lacon {
namespace {

TEST(Evaluate, ConstraintForcesAreToldRowByRow) {
    const auto s = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 2\ngravity (0, -10)\nconstraint floor: y = "
        "0\nconstraint wall: x = 0");
    const Evaluation at = s.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    ASSERT_TRUE(at.status);
    EXPECT_EQ(at.constraints[0].name, "floor");
    EXPECT_DOUBLE_EQ(at.constraints[0].force[1], 20.0);
    EXPECT_EQ(at.constraints[0].force[0], 0.0);
    EXPECT_EQ(at.constraints[1].force[1], 0.0);
    EXPECT_DOUBLE_EQ(at.solution.gaussian, 2.0 * 100.0);
}

TEST(Evaluate, EveryMemberOfADependentSetIsMarkedRedundant) {
    const auto s = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = 0\nconstraint b: y = "
        "0\nconstraint c: x + y = 0\nconstraint "
        "d: x - 2*y = 0");
    const Evaluation at = s.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    for (const ConstraintReport& c : at.constraints) EXPECT_TRUE(c.redundant) << c.name;
    const auto t = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = 0\nconstraint b: y = "
        "0\nconstraint c: 2*x = 0");
    const Evaluation only = t.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    EXPECT_TRUE(only.constraints[0].redundant);
    EXPECT_FALSE(only.constraints[1].redundant);
    EXPECT_TRUE(only.constraints[2].redundant);
}

TEST(Evaluate, AConflictAtAccelerationLevelAloneIsFound) {
    // Both hold at position and velocity level; their accelerations differ by 2.
    const auto s = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = 0\nconstraint b: x = "
        "t^2\nconstraint c: y = 0");
    const Evaluation at = s.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    EXPECT_EQ(at.status.outcome, Outcome::conflict);
    EXPECT_EQ(at.status.names, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(at.solution.acceleration.empty());
}

TEST(Evaluate, HighPowersAreSmoothWhereTheyVanish) {
    // Hertz's contact out of contact, and quadratic drag at rest: forces are 0, not 0/0.
    const auto hertz = Mechanism::parse(
        "coord x\nparticle p at (x, 0) mass 1\npotential 100*max(x, 0)^2.5\ngravity (-9.81, 0)");
    EXPECT_DOUBLE_EQ(hertz.evaluate({0.0, {-1.0}, {0.0}}).solution.acceleration.at(0), -9.81);
    const auto drag = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\ndissipation norm(p')^3\npotential norm(p)^3");
    EXPECT_EQ(drag.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}}).solution.acceleration,
              (std::vector<double>{0.0, 0.0}));
}

TEST(Evaluate, ARowThatVanishesButForRoundingIsNoConstraint) {
    // At a = pi/2 the row of `level` is cos(a) = 6e-17 and nothing more: the bead is free there,
    // whatever the row asks for.
    const auto s = Mechanism::parse(
        "coord a, y\nkinetic a'^2/2 + y'^2/2\nforce a = 3\nconstraint level: sin(a) = 1");
    const Evaluation at = s.evaluate({0.0, {std::acos(0.0), 0.0}, {0.0, 0.0}});
    EXPECT_EQ(at.solution.rank, 0u);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_DOUBLE_EQ(at.solution.acceleration[0], 3.0);
    EXPECT_TRUE(at.constraints[0].redundant);
}

TEST(Evaluate, ValuesThatAreNotFiniteNameTheirOrigin) {
    const auto s = Mechanism::parse("coord x\nparticle p at (x, 0) mass 1\npotential log(x)\n");
    const Evaluation at = s.evaluate({0.0, {0.0}, {0.0}});
    EXPECT_EQ(at.status.outcome, Outcome::undefined);
    EXPECT_EQ(at.status.message,
              "the potential energy has no finite value at t = 0, x = 0, x' = 0");
}

TEST(Evaluate, MasslessCoordinatesAreFineWhereConstraintsFixThem) {
    const std::string text = "coord x, s\nkinetic 3*x'^2/2\nforce x = 6\n";
    const Evaluation free = Mechanism::parse(text).evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    EXPECT_EQ(free.status.outcome, Outcome::undetermined);
    EXPECT_EQ(free.status.names, (std::vector<std::string>{"s"}));
    const Evaluation bound =
        Mechanism::parse(text + "constraint c: s = 2*x").evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    ASSERT_TRUE(bound.status) << bound.status.message;
    EXPECT_NEAR(bound.solution.acceleration[0], 2.0, 1e-12);
    EXPECT_NEAR(bound.solution.acceleration[1], 4.0, 1e-12);
}

TEST(Evaluate, NegativeMassIsAnErrorWithTheCoordinate) {
    const Evaluation at = Mechanism::parse("coord x, y\nkinetic x'^2/2 - y'^2/2")
                              .evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
    EXPECT_EQ(at.status.outcome, Outcome::indefinite);
    EXPECT_EQ(at.status.names, (std::vector<std::string>{"y"}));
}

TEST(Evaluate, OutputsKnowForcesAndEnergies) {
    const auto s = Mechanism::parse(
        "param m = 2\ncoord x, y\nparticle p at (x, y) mass m\ngravity (0, -10)\nconstraint floor: "
        "y = 0\noutput energy, "
        "floor.force, twice = 2*floor.multiplier, x''");
    const Evaluation at = s.evaluate({0.0, {1.0, 0.0}, {3.0, 0.0}});
    const std::vector<std::pair<std::string, double>> expected{
        {"energy", 9.0}, {"floor.force", 20.0}, {"twice", 40.0}, {"x''", 0.0}};
    ASSERT_EQ(at.outputs.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(at.outputs[i].first, expected[i].first);
        EXPECT_DOUBLE_EQ(at.outputs[i].second, expected[i].second);
    }
}

TEST(Evaluate, ResidualsAreThoseOfTheStateAsGiven) {
    const auto s =
        Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x^2 + y^2 = 1");
    const Evaluation at = s.evaluate({0.0, {2.0, 0.0}, {3.0, 1.0}});
    EXPECT_DOUBLE_EQ(at.constraints[0].residual, 3.0);
    EXPECT_DOUBLE_EQ(at.constraints[0].velocity_residual, 12.0);
    EXPECT_TRUE(at.status);
}

}  // namespace
}  // namespace lacon
