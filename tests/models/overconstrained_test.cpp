// Mechanisms with more constraints than they need, and one in a singular position: their motion is
// that without the surplus.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

TEST(DoorModel, SwingsFreelyAndItsHingesTogetherCarryIt) {
    const Mechanism m = load("door.lac");
    const double mass = m.parameter("m"), r = m.parameter("w") / 2, c = 0.7, rate = -1.3;
    const State state = state_of(m, {{"x", r * std::cos(c)},
                                     {"y", r * std::sin(c)},
                                     {"c", c},
                                     {"x'", -r * rate * std::sin(c)},
                                     {"y'", r * rate * std::cos(c)},
                                     {"c'", rate}});
    const double inwards = -r * rate * rate;
    const Evaluation at = expect_accelerations(m, state,
                                               {{"x", inwards * std::cos(c)},
                                                {"y", inwards * std::sin(c)},
                                                {"z", 0.0},
                                                {"a", 0.0},
                                                {"b", 0.0},
                                                {"c", 0.0}});
    EXPECT_EQ(at.solution.rank, 5u);
    expect_close(force_on(m, at, "x"), mass * inwards * std::cos(c), 200.0);
    expect_close(force_on(m, at, "y"), mass * inwards * std::sin(c), 200.0);
    expect_close(force_on(m, at, "z"), mass * m.parameter("g"), 200.0);
}

TEST(TableHeldModel, LegsShareTheLoadByLeastNorm) {
    const Mechanism m = load("table_held.lac", {{"px", 0.2}});
    const Evaluation at =
        expect_accelerations(m, m.start().state, {{"z", 0.0}, {"a", 0.0}, {"b", 0.0}});
    const double F = m.parameter("F"), u = m.parameter("px") / m.parameter("d"),
                 v = m.parameter("py") / m.parameter("d");
    expect_multiplier(at, "leg[1]", F / 4 * (1 + u + v));
    expect_multiplier(at, "leg[2]", F / 4 * (1 - u + v));
    expect_multiplier(at, "leg[3]", F / 4 * (1 - u - v));
    expect_multiplier(at, "leg[4]", F / 4 * (1 + u - v));
}

TEST(FourBarSpaceModel, MovesAsInThePlaneWithoutForcesAcrossIt) {
    const Mechanism space = load("four_bar_space.lac");
    const Mechanism plane = Mechanism::parse(
        "coord x1, y1, x2, y2\nparticle B at (x1, y1) mass 1\nparticle C at (x2, y2) mass "
        "2\ngravity (0, -9.81)\n"
        "constraint crank: norm(B) = 1\nconstraint rocker: norm(C - (4, 0)) = 2.5\nconstraint "
        "coupler: norm(C - B) = 3.5\n");
    const State state = space.start().state;
    const Evaluation flat = plane.evaluate({0.0,
                                            {state.q[0], state.q[1], state.q[3], state.q[4]},
                                            {state.v[0], state.v[1], state.v[3], state.v[4]}});
    const auto& a = flat.solution.acceleration;
    const Evaluation at = expect_accelerations(
        space, state,
        {{"x1", a[0]}, {"y1", a[1]}, {"z1", 0.0}, {"x2", a[2]}, {"y2", a[3]}, {"z2", 0.0}});
    EXPECT_EQ(at.solution.rank, 5u);
    for (const char* row : {"crank_plane", "rocker_plane", "coupler_plane"})
        expect_multiplier(at, row, 0.0);
}

TEST(FlatParallelogramModel, BothJointsFallFreely) {
    const Mechanism m = load("flat_parallelogram.lac");
    const double g = m.parameter("g");
    const Evaluation at = expect_accelerations(m, m.start().state,
                                               {{"x1", 0.0}, {"y1", -g}, {"x2", 0.0}, {"y2", -g}});
    EXPECT_EQ(at.solution.rank, 2u);
    for (const char* bar : {"left", "coupler", "right"}) expect_multiplier(at, bar, 0.0);
}

}  // namespace
}  // namespace lacon::models
