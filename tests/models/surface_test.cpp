// Particles on surfaces and wires, fixed and moving.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

TEST(ParaboloidModel, BowlPushesAlongItsNormal) {
    const Mechanism m = load("paraboloid.lac");
    const double k = m.parameter("k"), mass = m.parameter("m"), g = m.parameter("g");
    for (const auto& [x, y, vx, vy] :
         {std::array{0.4, -0.2, 1.0, 2.0}, std::array{-1.0, 0.5, -3.0, 0.2},
          std::array{0.0, 0.0, 1.5, -0.5}}) {
        const double push =
            mass * (g + 2 * k * (vx * vx + vy * vy)) / (1 + 4 * k * k * (x * x + y * y));
        const State state = state_of(m, {{"x", x},
                                         {"y", y},
                                         {"z", k * (x * x + y * y)},
                                         {"x'", vx},
                                         {"y'", vy},
                                         {"z'", 2 * k * (x * vx + y * vy)}});
        const Evaluation at = expect_accelerations(m, state,
                                                   {{"x", -2 * k * x * push / mass},
                                                    {"y", -2 * k * y * push / mass},
                                                    {"z", push / mass - g}});
        expect_multiplier(at, "surface", push);
    }
}

TEST(ParaboloidModel, StartsOnALevelCircle) {
    const Mechanism m = load("paraboloid.lac");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    expect_accelerations(
        m, start.state,
        {{"x", -0.4 * 2 * m.parameter("k") * m.parameter("g")}, {"y", 0.0}, {"z", 0.0}});
}

/// The bead of the spinning wire at radius r on the wire at time t.
struct WireBead {
    double t, r, r1;  // r1 = r'
    Plane out(double w) const { return {std::cos(w * t), std::sin(w * t)}; }
    Plane side(double w) const { return {-std::sin(w * t), std::cos(w * t)}; }
};

State state_on_wire(const Mechanism& m, const WireBead& bead) {
    const double w = m.parameter("w");
    const Plane out = bead.out(w), side = bead.side(w);
    return state_of(m, {{"t", bead.t},
                        {"x", bead.r * out[0]},
                        {"y", bead.r * out[1]},
                        {"z", bead.r * bead.r},
                        {"x'", bead.r1 * out[0] + bead.r * w * side[0]},
                        {"y'", bead.r1 * out[1] + bead.r * w * side[1]},
                        {"z'", 2 * bead.r * bead.r1}});
}

TEST(SpinningWireModel, BeadObeysTheRadialEquationAndThePlanePushesSideways) {
    const Mechanism m = load("spinning_wire.lac");
    const double w = m.parameter("w"), g = m.parameter("g"), mass = m.parameter("m");
    for (const WireBead& bead :
         {WireBead{0.0, 1.0, 0.0}, WireBead{0.7, 0.3, -2.0}, WireBead{4.1, 1.8, 1.1}}) {
        const auto& [t, r, r1] = bead;
        const double r2 = ((w * w - 2 * g) * r - 4 * r * r1 * r1) / (1 + 4 * r * r);
        const double z2 = 2 * r1 * r1 + 2 * r * r2;
        const Plane out = bead.out(w), side = bead.side(w);
        const Plane across = {(r2 - r * w * w) * out[0] + 2 * r1 * w * side[0],
                              (r2 - r * w * w) * out[1] + 2 * r1 * w * side[1]};
        const Evaluation at = expect_accelerations(m, state_on_wire(m, bead),
                                                   {{"x", across[0]}, {"y", across[1]}, {"z", z2}});
        expect_multiplier(at, "wire", mass * (z2 + g));
        expect_multiplier(at, "plane", -2 * mass * w * r1);  // the row of `plane` is −side
    }
}

TEST(SpinningWireModel, AtTheCriticalRateTheBeadRestsAnywhereOnTheWire) {
    const Mechanism m = load("spinning_wire.lac", {{"w", std::sqrt(2 * 9.81)}});
    for (const double r : {0.2, 0.9, 2.0}) {
        const WireBead bead{0.4, r, 0.0};
        const double w = m.parameter("w");
        const Plane out = bead.out(w);
        expect_accelerations(m, state_on_wire(m, bead),
                             {{"x", -r * w * w * out[0]}, {"y", -r * w * w * out[1]}, {"z", 0.0}});
    }
}

TEST(SpinningHoopModel, BeadObeysTheEquationOfTheHoop) {
    const Mechanism m = load("spinning_hoop.lac");
    const double w = m.parameter("w"), R = m.parameter("R"), g = m.parameter("g");
    for (const auto& [t, theta, rate] :
         {std::array{0.0, 0.1, 0.0}, std::array{1.3, 2.0, -4.0}, std::array{0.2, -1.0, 9.0}}) {
        const double expected = (w * w * std::cos(theta) - g / R) * std::sin(theta);
        expect_accelerations(m, state_of(m, {{"t", t}, {"theta", theta}, {"theta'", rate}}),
                             {{"theta", expected}});
    }
}

TEST(SpinningHoopModel, FastHoopHoldsTheBeadAtTheRaisedRest) {
    const Mechanism m = load("spinning_hoop.lac");
    const double rest =
        std::acos(m.parameter("g") / (squared(m.parameter("w")) * m.parameter("R")));
    for (const double t : {0.0, 0.9})
        expect_accelerations(m, state_of(m, {{"t", t}, {"theta", rest}}), {{"theta", 0.0}});
}

TEST(WedgeModel, BlockAndWedgeSeparateAsTheNormalForceDrivesThem) {
    for (const Settings& settings :
         {Settings{}, Settings{{"M", 0.5}, {"m", 2.0}, {"slope", 1.1}}}) {
        const Mechanism m = load("wedge.lac", settings);
        const double M = m.parameter("M"), mass = m.parameter("m"), slope = m.parameter("slope"),
                     g = m.parameter("g");
        const double normal =
            M * mass * g * std::cos(slope) / (M + mass * squared(std::sin(slope)));
        for (const auto& [X, x, X1, x1] :
             {std::array{0.0, 0.0, 0.0, 0.0}, std::array{-0.3, 0.5, -1.0, 2.0}}) {
            const State state = state_of(m, {{"X", X},
                                             {"x", x},
                                             {"y", m.parameter("h") - (x - X) * std::tan(slope)},
                                             {"X'", X1},
                                             {"x'", x1},
                                             {"y'", -(x1 - X1) * std::tan(slope)}});
            const Evaluation at =
                expect_accelerations(m, state,
                                     {{"X", -normal * std::sin(slope) / M},
                                      {"x", normal * std::sin(slope) / mass},
                                      {"y", normal * std::cos(slope) / mass - g}});
            expect_multiplier(at, "incline", normal * std::cos(slope));
        }
    }
}

}  // namespace
}  // namespace lacon::models
