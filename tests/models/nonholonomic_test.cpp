// Constraints on velocities and accelerations: skates, sleighs, cars, and rules that no geometry
// explains.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

TEST(SkateModel, SpunSkateFollowsTheCycloid) {
    const Mechanism m = load("skate.lac");
    const double w = m.parameter("w"), s = m.parameter("g") * std::sin(m.parameter("slope")),
                 mass = m.parameter("m");
    for (const double t : {0.0, 0.3, 1.0, 2.5, 7.9}) {
        const double S = std::sin(w * t), C = std::cos(w * t);
        const State state = state_of(m, {{"t", t},
                                         {"x", s / (2 * w * w) * S * S},
                                         {"y", s / (2 * w * w) * (w * t - S * C)},
                                         {"theta", w * t},
                                         {"x'", s / w * S * C},
                                         {"y'", s / w * S * S},
                                         {"theta'", w}});
        const Evaluation at = expect_accelerations(
            m, state, {{"x", s * (C * C - S * S)}, {"y", 2 * s * S * C}, {"theta", 0.0}});
        expect_multiplier(at, "edge", 2 * mass * s * S);
    }
}

TEST(SkateModel, StartsAtRestWithItsSpin) {
    const Mechanism m = load("skate.lac");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    expect_accelerations(
        m, start.state,
        {{"x", m.parameter("g") * std::sin(m.parameter("slope"))}, {"y", 0.0}, {"theta", 0.0}});
}

TEST(ChaplyginSleighModel, SpeedAndSpinObeyChaplyginsEquations) {
    for (const Settings& settings : {Settings{}, Settings{{"m", 3.0}, {"J", 0.7}, {"a", 1.1}}}) {
        const Mechanism m = load("chaplygin_sleigh.lac", settings);
        const double mass = m.parameter("m"), J = m.parameter("J"), a = m.parameter("a");
        for (const auto& [theta, v, w] :
             {std::array{0.0, -1.0, 0.5}, std::array{2.1, 1.4, -3.0}, std::array{-0.7, 0.0, 2.0}}) {
            const double c = std::cos(theta), s = std::sin(theta), inertia = J + mass * a * a;
            const double v1 = a * w * w, w1 = -mass * a * v * w / inertia;
            const State state = state_of(m, {{"x", 0.3},
                                             {"y", -1.0},
                                             {"theta", theta},
                                             {"x'", v * c},
                                             {"y'", v * s},
                                             {"theta'", w}});
            const Evaluation at = expect_accelerations(
                m, state, {{"x", v1 * c - v * w * s}, {"y", v1 * s + v * w * c}, {"theta", w1}});
            expect_multiplier(at, "knife", mass * J * v * w / inertia);
        }
    }
}

/// The car at speed v, time t, heading theta: everything else follows.
void expect_car_obeys_its_equation(const Mechanism& m, double t, double theta, double v) {
    const double L = m.parameter("L"), mass = m.parameter("m"), d0 = m.parameter("d0"),
                 w = m.parameter("w");
    const double k = (m.parameter("J") + mass * squared(m.parameter("a"))) / (L * L);
    const double delta = d0 * std::sin(w * t), delta1 = d0 * w * std::cos(w * t),
                 delta2 = -d0 * w * w * std::sin(w * t);
    const double tangent = std::tan(delta), secant_squared = 1 + tangent * tangent;
    const double turn = v * tangent / L;
    const double v1 = (m.parameter("F") - k * v * tangent * secant_squared * delta1) /
                      (mass + k * tangent * tangent);
    const double turn1 = (v1 * tangent + v * secant_squared * delta1) / L;
    const double c = std::cos(theta), s = std::sin(theta);
    const State state = state_of(m, {{"t", t},
                                     {"x", 5.0},
                                     {"y", 2.0},
                                     {"theta", theta},
                                     {"delta", delta},
                                     {"x'", v * c},
                                     {"y'", v * s},
                                     {"theta'", turn},
                                     {"delta'", delta1}});
    const Evaluation at = expect_accelerations(m, state,
                                               {{"x", v1 * c - v * turn * s},
                                                {"y", v1 * s + v * turn * c},
                                                {"theta", turn1},
                                                {"delta", delta2}});
    expect_multiplier(at, "steering", m.parameter("Js") * delta2);
    EXPECT_EQ(at.solution.rank, 3U);
}

TEST(CarModel, SpeedObeysTheEquationOfTheCar) {
    const Mechanism m = load("car.lac");
    for (const auto& [t, theta, v] :
         {std::array{0.0, 0.0, 8.0}, std::array{1.0, 0.5, 12.0}, std::array{2.7, -2.0, -3.0}}) {
        expect_car_obeys_its_equation(m, t, theta, v);
    }
}

TEST(CarModel, StartTurnsTheWheelsTogether) {
    const Mechanism m = load("car.lac");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    const State expected =
        state_of(m, {{"x'", 8.0}, {"delta'", m.parameter("d0") * m.parameter("w")}});
    for (std::size_t i = 0; i < 4; ++i) {
        expect_close(start.state.q[i], expected.q[i]);
        expect_close(start.state.v[i], expected.v[i]);
    }
}

TEST(AppellHamelModel, ParticleClimbsStraightAndSlowsAtAConstantRate) {
    for (const Settings& settings : {Settings{}, Settings{{"k", 2.0}, {"m", 0.3}}}) {
        const Mechanism m = load("appell_hamel.lac", settings);
        const double k = m.parameter("k"), g = m.parameter("g"), mass = m.parameter("m");
        for (const auto& [vx, vy] : {Plane{4.0, 3.0}, Plane{-0.5, 0.2}, Plane{0.0, 7.0}}) {
            const double u = std::hypot(vx, vy), loss = -k * g / (1 + k * k);
            const State state = state_of(
                m, {{"x", 1.0}, {"y", 2.0}, {"z", 3.0}, {"x'", vx}, {"y'", vy}, {"z'", k * u}});
            const Evaluation at = expect_accelerations(
                m, state, {{"x", loss * vx / u}, {"y", loss * vy / u}, {"z", k * loss}});
            expect_multiplier(at, "steepness", mass * g / (2 * k * u * (1 + k * k)));
        }
    }
}

TEST(AppellHamelModel, StartFindsTheSteepnessFromAGuess) {
    const Mechanism m = load("appell_hamel.lac");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    EXPECT_EQ(start.state.v[0], 4.0);
    EXPECT_EQ(start.state.v[1], 3.0);
    expect_close(start.state.v[2], 5.0 * m.parameter("k"));
}

TEST(ConstantPowerModel, MotorPushesAlongTheVelocity) {
    const Mechanism m = load("constant_power.lac");
    const double mass = m.parameter("m"), P = m.parameter("P"), g = m.parameter("g");
    for (const auto& [vx, vy] : {Plane{2.0, 3.0}, Plane{-1.0, 0.4}, Plane{0.0, -6.0}}) {
        const double k = (P / mass + g * vy) / (vx * vx + vy * vy);
        const Evaluation at = expect_accelerations(m, state_of(m, {{"x'", vx}, {"y'", vy}}),
                                                   {{"x", k * vx}, {"y", k * vy - g}});
        EXPECT_EQ(constraint_of(at, "power").level, Level::acceleration);
        // the row is m v, so the multiplier is the force per momentum
        expect_multiplier(at, "power", k);
        const auto& a = at.solution.acceleration;
        expect_close(mass * (vx * a[0] + vy * a[1]), P, mass * g * std::abs(vy));
    }
}

}  // namespace
}  // namespace lacon::models
