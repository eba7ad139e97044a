// The two worked examples of P2 (docs/theory.md, 6.1 and 6.2), from the model text to the printed
// result.

#include "lacon/reference.hpp"
#include "models/model_tests.hpp"

namespace lacon::models {
namespace {

// 6.1: a free unit particle with y' = z x'.

const std::vector<std::array<double, 4>> first_states = {  // x, z, x', z'
    {0.0, 0.5, 1.0, 0.25},
    {1.0, 0.0, -2.0, 3.0},
    {-4.0, 2.0, 0.7, -1.1},
    {0.3, -30.0, 5.0, 0.2}};

TEST(WorkedExamples, FirstExampleOfP2GivesItsPrintedAcceleration) {
    const Mechanism m = load("nonholonomic_particle.lac");
    for (const auto& [x, z, vx, vz] : first_states) {
        const State state =
            state_of(m, {{"x", x}, {"y", 2.0}, {"z", z}, {"x'", vx}, {"y'", z * vx}, {"z'", vz}});
        const double k = vz * vx / (1 + z * z);
        const Evaluation at = expect_accelerations(m, state, {{"x", -z * k}, {"y", k}, {"z", 0.0}});
        // free and of unit mass: the constraint force is the acceleration, along the row (−z, 1, 0)
        expect_close(force_on(m, at, "x"), -z * k, k);
        expect_close(force_on(m, at, "y"), k);
        expect_close(force_on(m, at, "z"), 0.0, k);
        expect_multiplier(at, "rule", k);
    }
}

TEST(WorkedExamples, FirstExampleOfP2KeepsItsSpeed) {
    const Mechanism m = load("nonholonomic_particle.lac");
    for (const auto& [x, z, vx, vz] : first_states) {
        const State state =
            state_of(m, {{"x", x}, {"z", z}, {"x'", vx}, {"y'", z * vx}, {"z'", vz}});
        const std::vector<double> a = m.evaluate(state).solution.acceleration;
        ASSERT_EQ(a.size(), 3U);
        expect_close(vx * a[0] + z * vx * a[1] + vz * a[2], 0.0, std::abs(z * vx * a[1]));
    }
}

// 6.2: mass m, force (X, Y), x' − t y' = α(t), here with α = a sin t.

struct SecondExample {
    double m, X, Y, a;
    double t, y, y1;

    double alpha() const { return a * std::sin(t); }
    double alpha_rate() const { return a * std::cos(t); }
    double denominator() const { return 1 + t * t; }
    double guide() const { return m * (y1 + alpha_rate()) / denominator(); }

    Plane mass_times_acceleration() const {
        return {(t * t * X + t * Y) / denominator() + guide(),
                (t * X + Y) / denominator() - t * guide()};
    }
    Plane control_force() const {
        return {(-X + t * Y) / denominator() + guide(),
                (t * X - t * t * Y) / denominator() - t * guide()};
    }
    Settings settings() const { return {{"m", m}, {"X", X}, {"Y", Y}, {"a", a}}; }
    State state(const Mechanism& mechanism) const {
        return state_of(mechanism,
                        {{"t", t}, {"x", -1.0}, {"y", y}, {"x'", t * y1 + alpha()}, {"y'", y1}});
    }
};

const std::vector<SecondExample> second_examples = {{2.0, 1.0, -3.0, 0.5, 0.0, 0.0, 1.0},
                                                    {2.0, 1.0, -3.0, 0.5, 3.7, 1.0, -2.0},
                                                    {0.3, -4.0, 2.5, 1.6, 1.0, 0.2, 0.0},
                                                    {9.0, 0.0, 0.0, 0.0, 20.0, 0.0, 5.0}};

TEST(WorkedExamples, SecondExampleOfP2GivesItsPrintedAcceleration) {
    for (const SecondExample& example : second_examples) {
        const Mechanism m = load("guided_particle.lac", example.settings());
        const Plane ma = example.mass_times_acceleration();
        expect_accelerations(m, example.state(m),
                             {{"x", ma[0] / example.m}, {"y", ma[1] / example.m}});
    }
}

TEST(WorkedExamples, SecondExampleOfP2GivesItsPrintedControlForce) {
    for (const SecondExample& example : second_examples) {
        const Mechanism m = load("guided_particle.lac", example.settings());
        const Evaluation at = m.evaluate(example.state(m));
        ASSERT_TRUE(at.status) << at.status.message;
        const Plane force = example.control_force();
        const double scale = std::hypot(force[0], force[1]);
        expect_close(force_on(m, at, "x"), force[0], scale);
        expect_close(force_on(m, at, "y"), force[1], scale);
    }
}

TEST(WorkedExamples, SecondExampleOfP2AgreesWithTheFormulasAsPrinted) {
    for (const SecondExample& example : second_examples) {
        const Mechanism m = load("guided_particle.lac", example.settings());
        const Evaluation at = m.evaluate(example.state(m));
        const reference::Problem problem{.M = at.M, .Q = at.Q, .A = at.A, .b = at.b};
        const auto force = reference::control_force_p2(problem),
                   acceleration = reference::acceleration_p2(problem);
        for (std::size_t i = 0; i < 2; ++i) {
            const double size = std::hypot(example.control_force()[0], example.control_force()[1]);
            expect_close(force[i], example.control_force()[i], size);
            expect_close(acceleration[i], example.mass_times_acceleration()[i] / example.m,
                         size / example.m);
        }
    }
}

}  // namespace
}  // namespace lacon::models
