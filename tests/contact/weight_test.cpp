// Weights of contacts that depend on each other: the shares at a state, in a run, and beside
// two-sided constraints.

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

/// Rows over (z, a, b): (1, ±d, ±d), so the size of a leg's force is √1.5 of its multiplier.
const std::string table = R"(
    param F = 100, px = 0.1, py = 0.05, w1 = 4, w3 = 2
    coord z, a, b
    kinetic F/9.81*(z'^2 + (a'^2 + b'^2)/12)/2
    potential F*(z + px*a + py*b)
    let height(sx, sy) = z + (sx*a + sy*b)/2
    constraint leg[1]: height(1, 1) >= 0 weight w1
    constraint leg[2]: height(-1, 1) >= 0
    constraint leg[3]: height(-1, -1) >= 0 weight w3
    constraint leg[4]: height(1, -1) >= 0
    simulate 0..0.2 every 0.05
    output leg[i].force for i in 1..4
)";

/// Of the least norm 32.5, 22.5, 17.5, 27.5, less c (1, −1, 1, −1).
std::vector<double> shares(double c) {
    return {32.5 - c, 22.5 + c, 17.5 - c, 27.5 + c};
}

TEST(Weight, LegsThatOnlyPushShareByTheirWeights) {
    const double c = (4 * 32.5 - 22.5 + 2 * 17.5 - 27.5) / 8;
    const Mechanism m = Mechanism::parse(table);
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_FALSE(at.forces_unique);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(at.constraints[i].multiplier, shares(c)[i], 1e-12) << i + 1;
    EXPECT_EQ(at.constraints[0].weight, 4.0);
    EXPECT_FALSE(at.constraints[1].weight.has_value());
    const Motion motion = run_contacts(m, {});
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_LE(worst_error(motion, "leg[" + std::to_string(i + 1) + "].force",
                              [&](Real) { return shares(c)[i] * std::sqrt(1.5L); }),
                  1e-10)
            << i + 1;
}

TEST(Weight, NoLegIsMadeToPull) {
    const Mechanism m = Mechanism::parse(table, "table", {{"w1", 1e4}, {"w3", 1.0}});
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(at.constraints[i].multiplier, shares(17.5)[i], 1e-11) << i + 1;
}

TEST(Weight, TheMotionIsThatOfAnyWeights) {
    // Dropped askew, the table lands leg by leg and comes to rest on all four.
    std::string text = table;
    text.replace(text.find("simulate 0..0.2"), 15,
                 "start z = 0.1, a = 0.05, b = -0.03\n    simulate 0..1");
    const Motion x = run_contacts(Mechanism::parse(text), {}),
                 y = run_contacts(Mechanism::parse(text, "table", {{"w1", 0.01}, {"w3", 50.0}}),
                                  {});
    EXPECT_EQ(story(x), story(y));
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(x.summary.final.q[i], y.summary.final.q[i], exact);
}

TEST(Weight, TwoSidedConstraintsBesideAContactShareByTheirs) {
    // A block on two struts of weights 1 and 3 at one place, pushed sideways against a wall.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 2
        gravity (0, -10)
        force x = -6
        constraint first: y = 0
        constraint second: y = 0 weight 3
        constraint wall: x >= 0 weight 7
        simulate 0..0.1 every 0.05
        output first.force, second.force, wall.force)");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    const double expected[] = {15.0, 5.0, 6.0};
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(at.constraints[i].multiplier, expected[i], 1e-12) << i;
    const Motion motion = run_contacts(m, {});
    const char* names[] = {"first.force", "second.force", "wall.force"};
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LE(worst_error(motion, names[i], [&](Real) { return expected[i]; }), 1e-11)
            << names[i];
}

TEST(Weight, NonidealForcesLeaveTheWeightsInForce) {
    // A bead on a wire said twice, braked by a load of another constraint: the wire's shares are 3
    // : 1.
    const Mechanism m = Mechanism::parse(R"(coord x, y, u
        particle p at (x, y) mass 2
        particle r at (u, 0) mass 1
        gravity (0, -10)
        force u = 5
        constraint wire: y = 0
        constraint again: y = 0 weight 3
        constraint stop: u = 0
        nonideal x = -load(stop)*x'
        start x' = 1)");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(at.solution.acceleration[0], -2.5, 1e-13);
    const double expected[] = {15.0, 5.0, -5.0};
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(at.constraints[i].multiplier, expected[i], 1e-12) << i;
}

TEST(Weight, ALoadThatIsNotUniqueIsRefusedWithWeightsToo) {
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 2
        gravity (0, -10)
        constraint wire: y = 0
        constraint again: y = 0 weight 3
        nonideal x = -load(wire)*x'
        start x' = 1)");
    const Evaluation at = m.evaluate(m.start().state);
    EXPECT_EQ(at.status.outcome, Outcome::undetermined);
    EXPECT_NE(at.status.message.find("the load of 'wire' is not unique"), std::string::npos)
        << at.status.message;
}

}  // namespace
}  // namespace lacon::contacts
