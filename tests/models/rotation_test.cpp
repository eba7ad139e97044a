// Rigid bodies in Euler's angles and in a quaternion.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

/// The rolling disk, by its reduced equations (Routh).
struct Disk {
    double m, R, g, It, Ia;
    double psi, theta, psi1, theta1, spin;  // spin about the axle = phi' + psi' cos(theta)

    Disk(const Mechanism& model, double psi_, double theta_, const Space& rates)
        : m(model.parameter("m")),
          R(model.parameter("R")),
          g(model.parameter("g")),
          It(m * R * R / 4),
          Ia(m * R * R / 2),
          psi(psi_),
          theta(theta_),
          psi1(rates[0]),
          theta1(rates[1]),
          spin(rates[2]) {}

    double theta2() const {
        const double s = std::sin(theta), c = std::cos(theta);
        return (It * psi1 * psi1 * s * c - (Ia + m * R * R) * psi1 * s * spin - m * g * R * c) /
               (It + m * R * R);
    }
    double psi2() const {
        return (Ia * spin * theta1 / It - 2 * psi1 * theta1 * std::cos(theta)) / std::sin(theta);
    }
    double spin1() const { return m * R * R * theta1 * psi1 * std::sin(theta) / (Ia + m * R * R); }

    State state(const Mechanism& model) const {
        const double s = std::sin(theta), c = std::cos(theta), S = std::sin(psi), C = std::cos(psi);
        return state_of(model, {{"x", 0.4},
                                {"y", -0.1},
                                {"z", R * s},
                                {"psi", psi},
                                {"theta", theta},
                                {"phi", 1.3},
                                {"x'", -R * spin * C + R * theta1 * s * S},
                                {"y'", -R * spin * S - R * theta1 * s * C},
                                {"z'", R * theta1 * c},
                                {"psi'", psi1},
                                {"theta'", theta1},
                                {"phi'", spin - psi1 * c}});
    }
    Values accelerations() const {
        const double s = std::sin(theta), c = std::cos(theta), S = std::sin(psi), C = std::cos(psi);
        // the centre moves with −R spin along the track and −R theta' sin(theta) across it; both
        // directions turn with psi'
        const double along = -R * spin, along1 = -R * spin1();
        const double across = -R * theta1 * s, across1 = -R * (theta2() * s + theta1 * theta1 * c);
        const double a = along1 - across * psi1, b = across1 + along * psi1;
        return {{"x", a * C - b * S},
                {"y", a * S + b * C},
                {"z", R * (theta2() * c - theta1 * theta1 * s)},
                {"psi", psi2()},
                {"theta", theta2()},
                {"phi", spin1() - psi2() * c + psi1 * theta1 * s}};
    }
};

TEST(RollingDiskModel, AnyStateObeysRouthsEquations) {
    const Mechanism m = load("rolling_disk.lac");
    for (const auto& [psi, theta, rates] :
         {std::tuple{0.0, 1.2, Space{-2.0, 0.5, 6.0}}, std::tuple{2.0, 0.8, Space{1.0, -2.0, -4.0}},
          std::tuple{-1.0, 2.2, Space{3.0, 1.0, 0.0}}}) {
        const Disk disk(m, psi, theta, rates);
        const Evaluation at = expect_accelerations(m, disk.state(m), disk.accelerations());
        expect_close(force_on(m, at, "z"), disk.m * (disk.accelerations()[2].second + disk.g),
                     disk.m * disk.g);
    }
}

TEST(RollingDiskModel, FloorSaysAgainWhatRollingSaysUpward) {
    const Mechanism m = load("rolling_disk.lac");
    const Evaluation at = m.evaluate(Disk(m, 0.3, 1.0, {-2.0, 0.5, 6.0}).state(m));
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_EQ(at.solution.rank, 3U);
    EXPECT_TRUE(constraint_of(at, "floor").redundant);
    EXPECT_TRUE(constraint_of(at, "rolling.z").redundant);
    EXPECT_FALSE(constraint_of(at, "rolling.x").redundant);
    EXPECT_FALSE(constraint_of(at, "rolling.y").redundant);
}

TEST(RollingDiskModel, SteadyPrecessionKeepsEveryEulerRate) {
    for (const double lean : {1.2, 0.5}) {
        for (const double Omega : {-2.0, -7.0}) {
            const Mechanism m = load("rolling_disk.lac", {{"lean", lean}, {"Omega", Omega}});
            const Start start = m.start();
            ASSERT_TRUE(start.status) << start.status.message;
            const Evaluation at = m.evaluate(start.state);
            ASSERT_TRUE(at.status) << at.status.message;
            // gravity tips the disk with m g R/(It + m R²): what is balanced
            const double scale = m.parameter("g") / m.parameter("R");
            for (const char* angle : {"psi", "theta", "phi"})
                expect_close(acceleration_of(m, at, angle), 0.0, scale, angle);
        }
    }
}

TEST(HeavyTopModel, AnglesObeyEulersEquations) {
    const Mechanism m = load("heavy_top.lac");
    const double A = m.parameter("A"), C = m.parameter("C"),
                 weight = m.parameter("m") * m.parameter("g") * m.parameter("h");
    for (const auto& [theta, phi1, theta1, psi1] :
         {std::array{0.6, 1.0, 0.0, 80.0}, std::array{1.3, -2.0, 3.0, 40.0},
          std::array{2.5, 0.7, -1.0, -15.0}}) {
        const double s = std::sin(theta), c = std::cos(theta), w3 = psi1 + phi1 * c;
        const double theta2 = phi1 * phi1 * s * c - C * w3 * phi1 * s / A + weight * s / A;
        const double phi2 = (C * w3 / A - 2 * phi1 * c) * theta1 / s;
        const State state = state_of(
            m, {{"φ", 0.4}, {"θ", theta}, {"ψ", -2.0}, {"φ'", phi1}, {"θ'", theta1}, {"ψ'", psi1}});
        expect_accelerations(m, state,
                             {{"φ", phi2}, {"θ", theta2}, {"ψ", phi1 * theta1 * s - phi2 * c}});
    }
}

TEST(HeavyTopModel, BothRootsOfTheQuadraticPrecessSteadily) {
    const Mechanism m = load("heavy_top.lac");
    const double A = m.parameter("A"), C = m.parameter("C"), tilt = m.parameter("tilt"),
                 w3 = m.parameter("w3");
    const double weight = m.parameter("m") * m.parameter("g") * m.parameter("h"),
                 c = std::cos(tilt);
    const double root = std::sqrt(squared(C * w3) - 4 * A * c * weight);
    for (const double rate : {(C * w3 - root) / (2 * A * c), (C * w3 + root) / (2 * A * c)}) {
        const Evaluation at =
            m.evaluate(state_of(m, {{"θ", tilt}, {"φ'", rate}, {"ψ'", w3 - rate * c}}));
        ASSERT_TRUE(at.status) << at.status.message;
        for (const char* angle : {"φ", "θ", "ψ"})
            expect_close(acceleration_of(m, at, angle), 0.0, C * w3 * rate / A, angle);
    }
}

TEST(HeavyTopModel, StartPrecessesSlowly) {
    const Mechanism m = load("heavy_top.lac");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_LT(at.state.v[0], 1.0);
    expect_close(acceleration_of(m, at, "θ"), 0.0,
                 m.parameter("C") * m.parameter("w3") * at.state.v[0] / m.parameter("A"));
}

using Quaternion = std::array<double, 4>;

Quaternion product(const Quaternion& p, const Quaternion& q) {
    return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}

TEST(QuaternionBodyModel, SpinObeysEulersEquationsThoughTheMassMatrixIsSingular) {
    const Mechanism m = load("quaternion_body.lac");
    const double J1 = m.parameter("J1"), J2 = m.parameter("J2"), J3 = m.parameter("J3");
    const double length = std::sqrt(0.3 * 0.3 + 0.5 * 0.5 + 0.7 * 0.7 + 0.2 * 0.2);
    const Quaternion turned = {0.3 / length, -0.5 / length, 0.7 / length, 0.2 / length};
    for (const Quaternion& e :
         {Quaternion{1.0, 0.0, 0.0, 0.0}, turned, Quaternion{0.0, 0.6, 0.0, 0.8}}) {
        for (const auto& [w1, w2, w3] : {Space{0.01, 3.0, 0.0}, Space{-1.0, 2.0, 4.0}}) {
            const Quaternion w = {0.0, w1, w2, w3};
            const Quaternion growth = {0.0, (J2 - J3) * w2 * w3 / J1, (J3 - J1) * w3 * w1 / J2,
                                       (J1 - J2) * w1 * w2 / J3};
            const Quaternion rate = product(e, w), second = product(e, growth);
            const double w_squared = w1 * w1 + w2 * w2 + w3 * w3,
                         T = 0.5 * (J1 * w1 * w1 + J2 * w2 * w2 + J3 * w3 * w3);
            Values state, expected;
            for (std::size_t i = 0; i < 4; ++i) {
                const std::string name = "e[" + std::to_string(i) + "]";
                state.emplace_back(name, e[i]);
                state.emplace_back(name + "'", rate[i] / 2);
                expected.emplace_back(name, second[i] / 2 - w_squared * e[i] / 4);
            }
            const Evaluation at = expect_accelerations(m, state_of(m, state), expected);
            expect_multiplier(at, "unit", -2 * T);
            expect_close(at.kinetic, T);
        }
    }
}

}  // namespace
}  // namespace lacon::models
