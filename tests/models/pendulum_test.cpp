// Pendulums: one bob, one rod, in several coordinates and under several forms of the same
// constraint.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

/// A bob on a circle of radius L, theta from the downward vertical: where it is, its velocity and
/// acceleration.
struct Swing {
    double L, theta, rate, growth;  // growth = theta''

    Plane place() const { return {L * std::sin(theta), -L * std::cos(theta)}; }
    Plane velocity() const { return {L * rate * std::cos(theta), L * rate * std::sin(theta)}; }
    Plane acceleration() const {
        return {L * (growth * std::cos(theta) - rate * rate * std::sin(theta)),
                L * (growth * std::sin(theta) + rate * rate * std::cos(theta))};
    }
};

const std::vector<std::pair<double, double>> swings = {
    {0.3, 0.0}, {1.0, 2.5}, {-2.2, -1.3}, {3.0, 7.0}, {0.0, -4.0}};

Swing free_swing(const Mechanism& m, double theta, double rate) {
    const double L = m.parameter("L");
    return {L, theta, rate, -m.parameter("g") / L * std::sin(theta)};
}

double pull_of_rod(const Mechanism& m, const Swing& s) {
    return m.parameter("m") * (s.L * s.rate * s.rate + m.parameter("g") * std::cos(s.theta));
}

State state_of_swing(const Mechanism& m, const Swing& s) {
    return state_of(m, {{"x", s.place()[0]},
                        {"y", s.place()[1]},
                        {"x'", s.velocity()[0]},
                        {"y'", s.velocity()[1]}});
}

Values accelerations_of(const Swing& s) {
    return {{"x", s.acceleration()[0]}, {"y", s.acceleration()[1]}};
}

TEST(PendulumModel, RodPullsWithWeightAndCentripetalForce) {
    for (const Settings& settings : {Settings{}, Settings{{"L", 1.7}, {"m", 0.4}, {"g", 3.7}}}) {
        const Mechanism m = load("pendulum.lac", settings);
        for (const auto& [theta, rate] : swings) {
            const Swing s = free_swing(m, theta, rate);
            const Evaluation at =
                expect_accelerations(m, state_of_swing(m, s), accelerations_of(s));
            expect_multiplier(at, "rod", -pull_of_rod(m, s) / (2.0 * s.L));
        }
    }
}

TEST(PendulumModel, StartsOnTheRodAtTheGivenAbscissa) {
    const Mechanism m = load("pendulum.lac");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    expect_close(start.state.q[0], std::sin(1.0));
    expect_close(start.state.q[1], -std::cos(1.0));
}

TEST(PendulumThreeWaysModel, ThreeFormsOfOneRodActAsOne) {
    const Mechanism m = load("pendulum_three_ways.lac");
    for (const auto& [theta, rate] : swings) {
        const Swing s = free_swing(m, theta, rate);
        const Evaluation at = expect_accelerations(m, state_of_swing(m, s), accelerations_of(s));
        EXPECT_EQ(at.solution.rank, 1U);
        for (const ConstraintReport& row : at.constraints) EXPECT_TRUE(row.redundant) << row.name;
        const double pull = pull_of_rod(m, s);
        expect_close(force_on(m, at, "x"), -pull * std::sin(theta), pull);
        expect_close(force_on(m, at, "y"), pull * std::cos(theta), pull);
    }
}

TEST(PendulumThreeWaysModel, MultipliersAreTheOnesOfLeastNorm) {
    const Mechanism m = load("pendulum_three_ways.lac");
    for (const auto& [theta, rate] : swings) {
        const Swing s = free_swing(m, theta, rate);
        const Evaluation at = m.evaluate(state_of_swing(m, s));
        const double share = -pull_of_rod(m, s) / s.L / (5.0 + 1.0 / squared(s.L));
        expect_multiplier(at, "squared", 2.0 * share);
        expect_multiplier(at, "length", share / s.L);
        expect_multiplier(at, "rate", share);
    }
}

TEST(PendulumAngleModel, AngleObeysThePendulumEquation) {
    const Mechanism m = load("pendulum_angle.lac");
    for (const auto& [theta, rate] : swings) {
        const Evaluation at = expect_accelerations(
            m, state_of(m, {{"theta", theta}, {"theta'", rate}}),
            {{"theta", -m.parameter("g") / m.parameter("L") * std::sin(theta)}});
        expect_close(at.kinetic, 0.5 * m.parameter("m") * squared(m.parameter("L") * rate));
        expect_close(at.potential,
                     -m.parameter("m") * m.parameter("g") * m.parameter("L") * std::cos(theta),
                     10.0);
    }
}

TEST(SphericalPendulumModel, StringPullsAsSpeedAndHeightAsk) {
    const Mechanism m = load("spherical_pendulum.lac");
    const double L = m.parameter("L"), g = m.parameter("g"), mass = m.parameter("m");
    for (const auto& [polar, azimuth, polar_rate, azimuth_rate] :
         {std::array{0.7, 0.2, 1.5, -2.0}, std::array{1.9, 2.5, -0.6, 3.0},
          std::array{2.8, -1.0, 0.0, 0.0}}) {
        // polar is measured from the downward vertical
        const Space r = {L * std::sin(polar) * std::cos(azimuth),
                         L * std::sin(polar) * std::sin(azimuth), -L * std::cos(polar)};
        const Space v = {L * (std::cos(polar) * std::cos(azimuth) * polar_rate -
                              std::sin(polar) * std::sin(azimuth) * azimuth_rate),
                         L * (std::cos(polar) * std::sin(azimuth) * polar_rate +
                              std::sin(polar) * std::cos(azimuth) * azimuth_rate),
                         L * std::sin(polar) * polar_rate};
        const double speed_squared =
            squared(L) * (squared(polar_rate) + squared(std::sin(polar) * azimuth_rate));
        const double pull = mass * (speed_squared - g * r[2]) / L;
        const double k = pull / (mass * L);
        const State state = state_of(
            m, {{"x", r[0]}, {"y", r[1]}, {"z", r[2]}, {"x'", v[0]}, {"y'", v[1]}, {"z'", v[2]}});
        const Evaluation at = expect_accelerations(
            m, state, {{"x", -k * r[0]}, {"y", -k * r[1]}, {"z", -g - k * r[2]}});
        expect_multiplier(at, "string", -pull);
    }
}

TEST(SphericalPendulumModel, StartsOnAConeAtConstantHeight) {
    const Mechanism m = load("spherical_pendulum.lac");
    const double L = m.parameter("L"), g = m.parameter("g"), tilt = m.parameter("tilt");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    const double toward_axis = -g * std::tan(tilt);  // −omega² L sin(tilt)
    const Evaluation at =
        expect_accelerations(m, start.state, {{"x", toward_axis}, {"y", 0.0}, {"z", 0.0}});
    expect_close(start.state.q[2], -L * std::cos(tilt));
    expect_multiplier(at, "string", -m.parameter("m") * g / std::cos(tilt));
}

TEST(KapitzaPendulumModel, ShakenPivotAddsItsAccelerationToGravity) {
    const Mechanism m = load("kapitza_pendulum.lac");
    const double L = m.parameter("L"), h = m.parameter("h"), W = m.parameter("W"),
                 g = m.parameter("g"), mass = m.parameter("m");
    for (const auto& [t, theta, rate] :
         {std::array{0.0, 3.0, 1.0}, std::array{0.013, -0.4, -6.0}, std::array{0.5, 2.0, 0.0}}) {
        const double Y = h * std::cos(W * t), Y1 = -h * W * std::sin(W * t),
                     Y2 = -h * W * W * std::cos(W * t);
        const Swing s{L, theta, rate, -(g + Y2) * std::sin(theta) / L};
        const auto [x, y] = s.place();
        const auto [vx, vy] = s.velocity();
        const State state =
            state_of(m, {{"t", t}, {"x", x}, {"y", y + Y}, {"x'", vx}, {"y'", vy + Y1}});
        const Evaluation at = expect_accelerations(
            m, state, {{"x", s.acceleration()[0]}, {"y", s.acceleration()[1] + Y2}});
        expect_multiplier(at, "rod", -mass * (L * rate * rate + (g + Y2) * std::cos(theta)));
    }
}

TEST(StabilizedPendulumModel, BrokenRodIsDrawnBackAsDemanded) {
    const Mechanism m = load("stabilized_pendulum.lac");
    const double L = m.parameter("L"), g = m.parameter("g"), A = m.parameter("A"),
                 B = m.parameter("B");
    for (const auto& [x, y, vx, vy] :
         {std::array{1.0, 0.0, 0.0, 2.0}, std::array{0.9, -0.7, 0.5, 0.1},
          std::array{-0.2, -0.8, -3.0, 1.0}}) {
        const double phi = 0.5 * (x * x + y * y - L * L), phi_rate = x * vx + y * vy;
        const double k = (g * y - vx * vx - vy * vy - A * phi_rate - B * phi) / (x * x + y * y);
        const Evaluation at = expect_accelerations_off_constraint(
            m, state_of(m, {{"x", x}, {"y", y}, {"x'", vx}, {"y'", vy}}),
            {{"x", k * x}, {"y", k * y - g}});
        expect_close(constraint_of(at, "rod").residual, phi);
        expect_close(constraint_of(at, "rod").velocity_residual, phi_rate);
    }
}

}  // namespace
}  // namespace lacon::models
