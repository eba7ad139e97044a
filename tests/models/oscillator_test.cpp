// Oscillators, pulleys, and a moving frame.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

TEST(CoupledOscillatorsModel, CartsFollowTheirTwoModes) {
    for (const Settings& settings : {Settings{}, Settings{{"b", 2.0}, {"kc", 50.0}}}) {
        const Mechanism m = load("coupled_oscillators.lac", settings);
        const double mass = m.parameter("m"), A = m.parameter("A");
        const double p = std::sqrt(m.parameter("k") / mass);
        const double r =
            std::sqrt((m.parameter("k") + 2 * m.parameter("kc")) / (mass + 2 * m.parameter("b")));
        for (const double t : {0.0, 0.7, 12.3}) {
            const double mean = A / 2 * std::cos(p * t), half = A / 2 * std::cos(r * t);
            const double mean1 = -A / 2 * p * std::sin(p * t), half1 = -A / 2 * r * std::sin(r * t);
            const State state = state_of(m, {{"t", t},
                                             {"x1", mean + half},
                                             {"x2", mean - half},
                                             {"x1'", mean1 + half1},
                                             {"x2'", mean1 - half1}});
            expect_accelerations(
                m, state,
                {{"x1", -p * p * mean - r * r * half}, {"x2", -p * p * mean + r * r * half}});
        }
    }
}

TEST(CoupledOscillatorsModel, MassMatrixIsReadOffTheEquations) {
    const Mechanism m = load("coupled_oscillators.lac");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    const double mass = m.parameter("m"), b = m.parameter("b");
    expect_close(at.M(0, 0), mass + b);
    expect_close(at.M(0, 1), -b);
    expect_close(at.M(1, 0), -b);
    expect_close(at.M(1, 1), mass + b);
}

TEST(DampedOscillatorModel, CartFollowsTheDyingOscillation) {
    const Mechanism m = load("damped_oscillator.lac");
    const double mass = m.parameter("m"), A = m.parameter("A"), s = m.parameter("c") / (2 * mass);
    const double w = std::sqrt(m.parameter("k") / mass - s * s);
    for (const double t : {0.0, 0.4, 3.0, 9.0}) {
        const double decay = A * std::exp(-s * t), C = std::cos(w * t), S = std::sin(w * t);
        const double x = decay * (C + s / w * S), v = -decay * (w + s * s / w) * S;
        const double growth = -s * v - decay * (w * w + s * s) * C;
        expect_accelerations(m, state_of(m, {{"t", t}, {"x", x}, {"x'", v}}), {{"x", growth}});
    }
}

TEST(CompoundAtwoodModel, StringsPullAndMassesMoveThoughThePulleyHasNoMass) {
    for (const Settings& settings : {Settings{}, Settings{{"m1", 1.0}, {"m2", 0.4}, {"m3", 2.5}}}) {
        const Mechanism m = load("compound_atwood.lac", settings);
        const double m1 = m.parameter("m1"), m2 = m.parameter("m2"), m3 = m.parameter("m3"),
                     g = m.parameter("g");
        const double pull = 2 * g / (1 / m1 + 1 / (4 * m2) + 1 / (4 * m3));
        const double y1 = -2.0, y2 = -5.0, yp = -y1 - m.parameter("upper_length"),
                     y3 = 2 * yp - y2 - m.parameter("lower_length");
        const State state = state_of(m, {{"y1", y1},
                                         {"y2", y2},
                                         {"y3", y3},
                                         {"yp", yp},
                                         {"y1'", 0.7},
                                         {"y2'", -0.3},
                                         {"y3'", -1.1},
                                         {"yp'", -0.7}});
        const Evaluation at = expect_accelerations(m, state,
                                                   {{"y1", pull / m1 - g},
                                                    {"y2", pull / (2 * m2) - g},
                                                    {"y3", pull / (2 * m3) - g},
                                                    {"yp", g - pull / m1}});
        expect_multiplier(at, "upper", -pull);
        expect_multiplier(at, "lower", -pull / 2);
        EXPECT_EQ(at.M(3, 3), 0.0);
        EXPECT_TRUE(at.solution.a.empty()) << "a free acceleration M⁻¹ Q does not exist here";
    }
}

TEST(RotatingFrameModel, LinearTermsOfTheKineticEnergyGiveCoriolisAndCentrifugalForce) {
    const Mechanism m = load("rotating_frame.lac");
    const double w = m.parameter("w"), stiffness = m.parameter("k") / m.parameter("m");
    for (const auto& [u, v, u1, v1] :
         {std::array{1.0, 0.0, 0.0, -0.7}, std::array{-0.4, 2.0, 3.0, 1.0},
          std::array{0.0, 0.0, 1.0, 2.0}}) {
        const State state = state_of(m, {{"t", 0.6}, {"u", u}, {"v", v}, {"u'", u1}, {"v'", v1}});
        expect_accelerations(m, state,
                             {{"u", 2 * w * v1 + (w * w - stiffness) * u},
                              {"v", -2 * w * u1 + (w * w - stiffness) * v}});
    }
}

TEST(RotatingFrameModel, PuckRunsOnAnEllipseOfTheGround) {
    const Mechanism m = load("rotating_frame.lac");
    const double w = m.parameter("w"), p = std::sqrt(m.parameter("k") / m.parameter("m"));
    for (const double t : {0.0, 0.5, 3.3}) {
        // on the ground (x, y) = (cos pt, ½ sin pt); here with velocity and acceleration, then
        // turned by −w t
        const double x = std::cos(p * t), y = 0.5 * std::sin(p * t), x1 = -p * std::sin(p * t),
                     y1 = 0.5 * p * std::cos(p * t);
        const double C = std::cos(w * t), S = std::sin(w * t);
        const double u = C * x + S * y, v = -S * x + C * y, along = C * x1 + S * y1,
                     across = -S * x1 + C * y1;
        const double u1 = along + w * v, v1 = across - w * u;
        const State state = state_of(m, {{"t", t}, {"u", u}, {"v", v}, {"u'", u1}, {"v'", v1}});
        expect_accelerations(
            m, state,
            {{"u", -p * p * u + w * across + w * v1}, {"v", -p * p * v - w * along - w * u1}});
    }
}

}  // namespace
}  // namespace lacon::models
