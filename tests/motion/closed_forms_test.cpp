// Motions with a closed form, at tolerance 1e-12: Taylor within 1e-10 of it at every row (the tail
// of the list says what the Runge–Kutta pair reaches), at positions and velocities alike.

#include <numbers>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using Real = long double;

struct Accuracy {
    std::string method;
    double error;
};
void PrintTo(const Accuracy& a, std::ostream* out) {
    *out << a.method;
}

class ClosedForm : public testing::TestWithParam<Accuracy> {
protected:
    Motion go(const Mechanism& m, double end) const {
        return run_well(
            m, {.end = end, .every = end / 200.0, .tolerance = 1e-12, .method = GetParam().method});
    }
    void expect(const Motion& motion, const std::string& column,
                const std::function<Real(Real)>& exact, double size = 1.0) const {
        EXPECT_LE(worst_error(motion, column, exact) / size, GetParam().error) << column;
    }
};
INSTANTIATE_TEST_SUITE_P(Methods, ClosedForm,
                         testing::Values(Accuracy{"taylor", 1e-10}, Accuracy{"dop853", 1e-10}),
                         [](const auto& i) { return i.param.method; });

TEST_P(ClosedForm, PendulumSwingsByEllipticFunctions) {
    const Mechanism m = load("pendulum.lac");
    const Real w = std::sqrt(Real(m.parameter("g")) / m.parameter("L"));
    const Motion motion = go(m, 20.0);
    const auto theta = [&](Real t) { return pendulum_angle(1.0L, w, t); };
    expect(motion, "x", [&](Real t) { return std::sin(theta(t)); });
    expect(motion, "y", [&](Real t) { return -std::cos(theta(t)); });
    const Real k = std::sin(0.5L);
    const auto rate = [&](Real t) {
        return 2.0L * k * w * jacobi(w * t + quarter_period(k), k).cn;
    };
    expect(
        motion, "x'", [&](Real t) { return rate(t) * std::cos(theta(t)); }, 10.0);
    expect(
        motion, "y'", [&](Real t) { return rate(t) * std::sin(theta(t)); }, 10.0);
}

TEST_P(ClosedForm, AngleAndRodAreOnePendulum) {
    const Mechanism m = load("pendulum_angle.lac", {{"L", 0.5}});
    const Real w = std::sqrt(Real(m.parameter("g")) / m.parameter("L"));
    expect(go(m, 20.0), "theta", [&](Real t) { return pendulum_angle(1.0L, w, t); });
}

TEST_P(ClosedForm, SphericalPendulumRisesAndFallsByEllipticFunctions) {
    const Mechanism m = Mechanism::parse(R"(coord x, y, z
        particle bob at (x, y, z) mass 0.8
        gravity (0, 0, -9.81)
        constraint string: x^2 + y^2 + z^2 = 2.25
        start x = 0.9, y = 0, z ~ -1, x' = 0, y' = 3.1, z' ~ 0)");
    // L² z'² = 2 (e − g z)(L² − z²) − l² = 2 g (z − z1)(z − z2)(z − z3), from the lowest point z1
    // on.
    const Real g = 9.81L, L2 = 2.25L, z1 = -1.2L, e = 0.5L * 3.1L * 3.1L + g * z1;
    const Real p = z1 - e / g, q = p * z1 - L2, root = std::sqrt(0.25L * p * p - q);
    const Real z2 = -0.5L * p - root, z3 = -0.5L * p + root;
    ASSERT_GT(z2, z1);
    const Real k = std::sqrt((z2 - z1) / (z3 - z1)), w = std::sqrt(0.5L * g * (z3 - z1) / L2);
    const Motion motion = go(m, 10.0);
    expect(motion, "z", [&](Real t) {
        const Real sn = jacobi(w * t, k).sn;
        return z1 + (z2 - z1) * sn * sn;
    });
    expect(motion, "z'", [&](Real t) {
        const Jacobi at = jacobi(w * t, k);
        return 2.0L * (z2 - z1) * w * at.sn * at.cn * at.dn;
    });
}

TEST_P(ClosedForm, HeavyTopPrecessesSteadily) {
    const Mechanism m = load("heavy_top.lac");
    const Real A = m.parameter("A"), C = m.parameter("C"), w3 = m.parameter("w3"),
               tilt = m.parameter("tilt");
    const Real weight = Real(m.parameter("m")) * m.parameter("g") * m.parameter("h"), spin = C * w3;
    const Real precession = (spin - std::sqrt(spin * spin - 4.0L * A * std::cos(tilt) * weight)) /
                            (2.0L * A * std::cos(tilt));
    const Motion motion = go(m, 5.0);
    expect(motion, "θ", [&](Real) { return tilt; });
    expect(motion, "φ", [&](Real t) { return precession * t; });
    expect(
        motion, "ψ", [&](Real t) { return (w3 - precession * std::cos(tilt)) * t; }, 400.0);
}

TEST_P(ClosedForm, RollingDiskRunsRoundItsCircle) {
    const Mechanism m = load("rolling_disk.lac");
    const Real R = m.parameter("R"), lean = m.parameter("lean"), omega = m.parameter("Omega"),
               g = m.parameter("g");
    const Real across = 0.25L * R * R, along = 0.5L * R * R;  // moments of inertia of a unit mass
    const Real spin = (across * omega * omega * std::sin(lean) - g * R) * std::cos(lean) /
                      ((along + R * R) * omega * std::sin(lean));
    const Motion motion = go(m, 10.0);
    expect(motion, "theta", [&](Real) { return lean; });
    expect(motion, "z", [&](Real) { return R * std::sin(lean); });
    expect(
        motion, "psi", [&](Real t) { return omega * t; }, 20.0);
    expect(
        motion, "phi", [&](Real t) { return (spin - omega * std::cos(lean)) * t; }, 20.0);
    expect(motion, "x", [&](Real t) { return -R * spin / omega * std::sin(omega * t); });
    expect(motion, "y", [&](Real t) { return R * spin / omega * (std::cos(omega * t) - 1.0L); });
}

TEST_P(ClosedForm, ChaplyginSleighSettlesIntoForwardMotion) {
    const Mechanism m = load("chaplygin_sleigh.lac");
    const Real a = m.parameter("a"), mass = m.parameter("m"), I = m.parameter("J") + mass * a * a;
    const Real v0 = -1.0L, w0 = 0.5L, V = std::sqrt(v0 * v0 + I / mass * w0 * w0);
    const Real rate = a * mass * V / I, shift = std::atanh(v0 / V);
    const auto gudermann = [](Real u) { return 2.0L * std::atan(std::tanh(0.5L * u)); };
    const auto heading = [&](Real t) {
        return std::sqrt(I / (mass * a * a)) * (gudermann(rate * t + shift) - gudermann(shift));
    };
    const Motion motion = go(m, 20.0);
    expect(motion, "v", [&](Real t) { return V * std::tanh(rate * t + shift); });
    expect(motion, "theta'",
           [&](Real t) { return V * std::sqrt(mass / I) / std::cosh(rate * t + shift); });
    expect(motion, "theta", heading);
    const Slope place = [&](Real t, const Vector&) {
        const Real v = V * std::tanh(rate * t + shift), theta = heading(t);
        return Vector{v * std::cos(theta), v * std::sin(theta)};
    };
    const Vector end = reference_at(place, 0.0L, {0.0L, 0.0L}, {20.0})[0];
    EXPECT_NEAR(last(motion, "x"), near(end[0]), 20.0 * GetParam().error);
    EXPECT_NEAR(last(motion, "y"), near(end[1]), 20.0 * GetParam().error);
}

TEST_P(ClosedForm, SkateDriftsAlongItsCycloid) {
    const Mechanism m = load("skate.lac");
    const Real w = m.parameter("w"),
               s = Real(m.parameter("g")) * std::sin(Real(m.parameter("slope")));
    const Motion motion = go(m, 10.0);
    expect(
        motion, "theta", [&](Real t) { return w * t; }, 15.0);
    expect(motion, "x",
           [&](Real t) { return 0.5L * s / (w * w) * std::sin(w * t) * std::sin(w * t); });
    expect(
        motion, "y",
        [&](Real t) { return 0.5L * s / (w * w) * (w * t - 0.5L * std::sin(2.0L * w * t)); }, 10.0);
}

TEST_P(ClosedForm, AppellHamelParticleClimbsAlongALine) {
    const Mechanism m = load("appell_hamel.lac");
    const Real k = m.parameter("k"), slowing = k * m.parameter("g") / (1.0L + k * k);
    const auto path = [&](Real t) {
        return 5.0L * t - 0.5L * slowing * t * t;
    };  // stops at t = 1.0618
    const Motion motion = go(m, 1.06);
    expect(motion, "x", [&](Real t) { return 0.8L * path(t); });
    expect(motion, "y", [&](Real t) { return 0.6L * path(t); });
    expect(motion, "z", [&](Real t) { return k * path(t); });
}

TEST_P(ClosedForm, FirstExampleOfP2HasLogarithmsForItsMotion) {
    const Mechanism m = load("nonholonomic_particle.lac");
    const auto z = [](Real t) { return 0.5L + 0.25L * t; };
    const Real C = std::sqrt(1.25L);  // x' sqrt(1 + z²) is conserved
    const Motion motion = go(m, 20.0);
    expect(motion, "z", z);
    expect(motion, "x", [&](Real t) { return 4.0L * C * (std::asinh(z(t)) - std::asinh(0.5L)); });
    expect(
        motion, "y",
        [&](Real t) { return 4.0L * C * (std::hypot(1.0L, z(t)) - std::hypot(1.0L, 0.5L)); }, 10.0);
}

TEST_P(ClosedForm, SecondExampleOfP2FollowsItsPrintedEquation) {
    const Mechanism m = load("guided_particle.lac");
    const Real mass = m.parameter("m"), X = m.parameter("X"), Y = m.parameter("Y"),
               a = m.parameter("a");
    const Slope printed = [&](Real t, const Vector& s) {  // x, y, x', y'
        const Real d = 1.0L + t * t, guide = (s[3] + a * std::cos(t)) / d;
        return Vector{s[2], s[3], (t * t * X + t * Y) / (d * mass) + guide,
                      (t * X + Y) / (d * mass) - t * guide};
    };
    const Motion motion = go(m, 10.0);
    const std::vector<double>& t = motion.column("t");
    const std::vector<Vector> exact = reference_at(printed, 0.0L, {0.0L, 0.0L, 0.0L, 1.0L}, t);
    const double size = std::max(1.0, static_cast<double>(std::abs(exact.back()[0])));
    for (std::size_t i = 0; i < t.size(); ++i) {
        EXPECT_NEAR(motion.column("x")[i], near(exact[i][0]), size * GetParam().error);
        EXPECT_NEAR(motion.column("y")[i], near(exact[i][1]), size * GetParam().error);
        EXPECT_NEAR(motion.column("y'")[i], near(exact[i][3]), size * GetParam().error);
    }
}

TEST(ClosedFormEnd, AppellHamelParticleIsNotCarriedThroughItsStopInSilence) {
    // At rest the rule says nothing: its row vanishes. The smooth way on is straight back; it is
    // taken, and told.
    const Mechanism m = load("appell_hamel.lac");
    const double slowing = 0.75 * 9.81 / 1.5625, stop = 5.0 / slowing;
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf", "rk4", "gauss"}) {
        RunOptions options{
            .end = 2.0, .every = 0.01, .tolerance = 1e-10, .method = method, .step = 0.01};
        const Motion motion = run_well(m, options);
        EXPECT_NEAR(last(motion, "x"), 0.8 * (10.0 - 2.0 * slowing), 1e-7) << method;
        ASSERT_EQ(motion.summary.events.size(), 1U) << method;
        const MotionEvent& event = motion.summary.events[0];
        EXPECT_EQ(event.kind, "rank");
        EXPECT_EQ(event.name, "steepness");
        EXPECT_NEAR(event.t, stop, 1e-7) << method;
        EXPECT_EQ(event.rank_before, 1U);
        EXPECT_EQ(event.rank_after, 0U);
        options.strict = true;
        const Motion stopped = run(m, options);
        EXPECT_EQ(name_of(stopped.status.outcome), "lost_rank") << method;
        EXPECT_NEAR(stopped.summary.final.t, stop, 1e-7) << method;
    }
}

}  // namespace
}  // namespace lacon::motions
