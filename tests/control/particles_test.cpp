// Particles that are steered, guided, and kept from where they must not be.

#include "control_tests.hpp"

namespace lacon::controls {
namespace {

// ---- P2, example 2

TEST(P2Example, EffortIsThePrintedControlForce) {
    const Mechanism m = load("control/p2_example.lac");
    const double mass = m.parameter("m"), X = m.parameter("X"), Y = m.parameter("Y"),
                 a = m.parameter("a");
    Random random(1);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 10), vy = random(-3, 3), vx = a * std::sin(t) + t * vy;
        const Evaluation at = evaluate_well(
            m,
            state_of(
                m, {{"t", t}, {"x", random(-2, 2)}, {"y", random(-2, 2)}, {"x'", vx}, {"y'", vy}}));
        const double push = mass * (vy + a * std::cos(t));
        const std::vector<double> expected = {(-X + t * Y + push) / (1 + t * t),
                                              (t * X - t * t * Y - t * push) / (1 + t * t)};
        // The error of the state is all rounding of x', and enters with the gain.
        const double scale =
            mass * m.parameter("k") * std::abs(vx) + std::abs(push) + std::abs(X) + std::abs(Y);
        expect_forces(at.control_force, expected, scale, "Q'");
        expect_forces(control_of(at, "guide").force, expected, scale, "force of guide");
        expect_close(control_of(at, "guide").power, expected[0] * vx + expected[1] * vy,
                     scale * (std::abs(vx) + std::abs(vy)));
    }
}

TEST(P2Example, OffTheRequirementTheGainEntersAsInUdwadia2003) {
    const Mechanism m = load("control/p2_example.lac");
    const double mass = m.parameter("m"), X = m.parameter("X"), Y = m.parameter("Y"),
                 a = m.parameter("a"), k = m.parameter("k");
    Random random(2);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 5), vx = random(-3, 3), vy = random(-3, 3),
                     error = vx - t * vy - a * std::sin(t);
        const Evaluation at = evaluate_well(m, state_of(m, {{"t", t}, {"x'", vx}, {"y'", vy}}));
        const double push = mass * (vy + a * std::cos(t) - k * error);
        expect_forces(
            at.control_force,
            {(-X + t * Y + push) / (1 + t * t), (t * X - t * t * Y - t * push) / (1 + t * t)},
            std::abs(push), "Q'");
        expect_close(control_of(at, "guide").rows.at(0).error, error);
    }
}

TEST(P2Example, AWrongStartAtTheLevelOfVelocitiesDecaysExponentially) {
    const Mechanism m = load("control/p2_example.lac");
    const double off = m.parameter("off"), k = m.parameter("k");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    // Errors of single steps decay at the rate k too: what is left is of the size of one of them,
    // times the terms of φ (t y').
    EXPECT_LE(motions::worst_error(motion, "guide.error",
                                   [&](long double t) {
                                       return std::abs(off * std::exp(-k * static_cast<double>(t)));
                                   }),
              1e-10);
}

// ---- Kepler

struct Orbit {
    double h, p, e, mass, mu;
    explicit Orbit(const Mechanism& m)
        : h(m.parameter("h")),
          p(m.parameter("p")),
          e(m.parameter("e")),
          mass(m.parameter("m")),
          mu(h * h / p) {}
    /// At the angle ν from the pericentre.
    State at(const Mechanism& m, double nu) const {
        const double r = p / (1 + e * std::cos(nu)), out = h / p * e * std::sin(nu), turn = h / r;
        return state_of(m, {{"x", r * std::cos(nu)},
                            {"y", r * std::sin(nu)},
                            {"x'", out * std::cos(nu) - turn * std::sin(nu)},
                            {"y'", out * std::sin(nu) + turn * std::cos(nu)}});
    }
};

void expect_inverse_square(const Mechanism& m, const State& state, double mu, double mass) {
    const double x = state.q[0], y = state.q[1], r = std::hypot(x, y),
                 pull = mass * mu / (r * r * r);
    // What cancels in the two rows is a few times the pull; errors of the state come in with the
    // gains, up to 100.
    const double scale = 100.0 * mass * r;
    expect_forces(evaluate_well(m, state).control_force, {-pull * x, -pull * y}, scale, "effort");
}

TEST(Kepler, OnTheOrbitTheEffortIsInverseSquare) {
    for (const Settings& settings :
         {Settings{}, Settings{{"e", 0.0}}, Settings{{"e", 0.9}, {"h", 0.7}, {"p", 2.0}}}) {
        const Mechanism m = load("control/kepler.lac", settings);
        const Orbit orbit(m);
        for (int i = 0; i < 24; ++i)
            expect_inverse_square(m, orbit.at(m, i * 0.26), orbit.mu, orbit.mass);
    }
}

TEST(Kepler, OffTheOrbitBothRowsAreEnteredByTheDefaultGains) {
    const Mechanism m = load("control/kepler.lac");
    const Orbit orbit(m);
    Random random(3);
    for (int i = 0; i < 20; ++i) {
        const double x = random(0.3, 2), y = random(-2, 2), vx = random(-2, 2), vy = random(-2, 2),
                     r = std::hypot(x, y);
        const double out = (x * vx + y * vy) / r, bend = (vx * vx + vy * vy - out * out) / r;
        const double areas = -10 * (x * vy - y * vx - orbit.h);
        const double conic = -bend - 20 * (out + orbit.e * vx) - 100 * (r - orbit.p + orbit.e * x);
        // -y x'' + x y'' = areas,  (x/r + e) x'' + y/r y'' = conic
        const double determinant = -y * y / r - x * (x / r + orbit.e);
        const double ax = (areas * y / r - x * conic) / determinant;
        const double ay = (-y * conic - (x / r + orbit.e) * areas) / determinant;
        const Evaluation at =
            evaluate_well(m, state_of(m, {{"x", x}, {"y", y}, {"x'", vx}, {"y'", vy}}));
        const double scale = std::hypot(areas, conic) * std::hypot(r, 2.0) / std::abs(determinant);
        expect_forces(at.solution.acceleration, {ax, ay}, scale, "q''");
    }
}

TEST(Kepler, AtTheLevelOfVelocitiesAnyConicIsKept) {
    const Mechanism m = Mechanism::parse(
        text_with("kepler.lac", "control conic: r = p - e*x", "control conic: r' = -e*x'"));
    Random random(4);
    const Orbit orbit(m);
    for (int i = 0; i < 10; ++i) {
        Orbit other = orbit;
        other.p = random(0.5, 3.0);
        expect_inverse_square(m, other.at(m, random(-3, 3)), orbit.h * orbit.h / other.p,
                              orbit.mass);
    }
}

TEST(Kepler, TheMotionObeysKeplersEquation) {
    const Mechanism m = load("control/kepler.lac");
    const Orbit orbit(m);
    const double a = orbit.p / (1 - orbit.e * orbit.e);
    const Motion motion = motions::run_well(m, {.tolerance = 1e-13});
    const auto& times = motion.column("t");
    for (std::size_t i = 0; i < times.size(); ++i) {
        // Across the orbit errors decay, along it they add up: some hundred steps of 1e-13 each.
        const Plane expected = kepler_position(a, orbit.e, orbit.mu, times[i]);
        ASSERT_NEAR(motion.column("x")[i], expected[0], 1e-10) << "t = " << times[i];
        ASSERT_NEAR(motion.column("y")[i], expected[1], 1e-10) << "t = " << times[i];
        const double force = std::hypot(motion.column("effort.x")[i], motion.column("effort.y")[i]);
        ASSERT_NEAR(squared(motion.column("r")[i]) * force / orbit.mass, orbit.mu, 1e-9)
            << "t = " << times[i];
    }
}

// ---- guided

struct Target {
    Plane c, c1, c2;  // where it is, its velocity and its acceleration
};

Target figure_eight(const Mechanism& m, double t) {
    const double a = m.parameter("a"), b = m.parameter("b"), w = m.parameter("w"),
                 uneven = m.parameter("uneven");
    const double s = w * t - uneven * std::sin(w * t), s1 = w - uneven * w * std::cos(w * t),
                 s2 = uneven * w * w * std::sin(w * t);
    const Plane slope = {a * std::cos(s), 2 * b * std::cos(2 * s)},
                bend = {-a * std::sin(s), -4 * b * std::sin(2 * s)};
    return {{a * std::sin(s), b * std::sin(2 * s)},
            {slope[0] * s1, slope[1] * s1},
            {bend[0] * s1 * s1 + slope[0] * s2, bend[1] * s1 * s1 + slope[1] * s2}};
}

TEST(Guided, EffortIsThatOfTheTargetLessGravity) {
    const Mechanism m = load("control/guided.lac");
    const double mass = m.parameter("m"), g = m.parameter("g");
    Random random(5);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 9), x = random(-1, 1), y = random(-1, 1), vx = random(-2, 2),
                     vy = random(-2, 2);
        const Target target = figure_eight(m, t);
        const double ax = target.c2[0] - 20 * (vx - target.c1[0]) - 100 * (x - target.c[0]);
        const double ay = target.c2[1] - 20 * (vy - target.c1[1]) - 100 * (y - target.c[1]);
        const Evaluation at =
            evaluate_well(m, state_of(m, {{"t", t}, {"x", x}, {"y", y}, {"x'", vx}, {"y'", vy}}));
        expect_forces(at.control_force, {mass * ax, mass * (ay + g)}, std::abs(ax) + std::abs(ay),
                      "effort");
        expect_close(control_of(at, "guide").cost, mass * (ax * ax + squared(ay + g)),
                     ax * ax + ay * ay + g * g);
    }
}

TEST(Guided, AWrongStartAtTheLevelOfPositionsIsCriticallyDamped) {
    const Mechanism m = load("control/guided.lac");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    const Target first = figure_eight(m, 0);
    for (const std::size_t k : {0U, 1U}) {
        const std::string name = k == 0 ? "x" : "y";
        const double e0 = (k == 0 ? -0.3 : 0.5) - first.c[k], v0 = -first.c1[k];
        // Steps err by 1e-12, and their errors decay within a tenth of a second.
        EXPECT_LE(motions::worst_error(motion, name,
                                       [&](long double at) {
                                           const double t = static_cast<double>(at);
                                           return figure_eight(m, t).c[k] + entry(e0, v0, 10, t);
                                       }),
                  1e-10)
            << name;
    }
}

TEST(Guided, AnyCurveIsRunAtAnySpeed) {
    const Mechanism m = Mechanism::parse(R"(
        coord x, y
        particle P at (x, y) mass 0.7
        gravity (0, -9.81)
        control path: y = sin(x)
        control speed: hypot(x', y') = 2 + cos(t)
    )");
    Random random(6);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 6), x = random(-4, 4), V = 2 + std::cos(t), V1 = -std::sin(t);
        const double slope = std::cos(x), length = std::hypot(1.0, slope),
                     bend = -std::sin(x) / (length * length * length);
        const Plane T = {1 / length, slope / length}, N = {-slope / length, 1 / length};
        const State state = state_of(
            m, {{"t", t}, {"x", x}, {"y", std::sin(x)}, {"x'", V * T[0]}, {"y'", V * T[1]}});
        const std::vector<double> expected = {0.7 * (V1 * T[0] + V * V * bend * N[0]),
                                              0.7 * (V1 * T[1] + V * V * bend * N[1] + 9.81)};
        expect_forces(evaluate_well(m, state).control_force, expected, 100.0, "effort");
    }
}

// ---- keep out

TEST(KeepOut, OnlyWhatIsMissingIsAddedAndOnlyAcrossThePace) {
    const Mechanism m = load("control/keep_out.lac");
    const double mass = m.parameter("m"), R = m.parameter("R"), v = m.parameter("v"),
                 w = m.parameter("w"), k = m.parameter("k"), c = m.parameter("c");
    Random random(7);
    int idle = 0, bound = 0;
    for (int i = 0; i < 60; ++i) {
        const double angle = random(0.3, 2.8), r = random(R, 2 * R), t = random(0, 12),
                     vx = random(-1, 1), vy = random(-1, 1);
        const double x = r * std::cos(angle), y = r * std::sin(angle), nx = x / r, ny = y / r,
                     out = nx * vx + ny * vy;
        const double ax = -20 * (vx - v) - 100 * (x - v * t + 3), spring = -(k * y + c * vy) / mass;
        const double least =
            -(vx * vx + vy * vy - out * out) / r - 2 * w * out - w * w * (r - R) - nx * ax;
        const double ay = std::max(spring, least / ny);
        const Evaluation at =
            evaluate_well(m, state_of(m, {{"t", t}, {"x", x}, {"y", y}, {"x'", vx}, {"y'", vy}}));
        expect_forces(at.solution.acceleration, {ax, ay}, (std::abs(ax) + std::abs(least)) / ny,
                      "q''");
        const bool binds = least / ny > spring;
        EXPECT_EQ(control_of(at, "clear").rows.at(0).state, binds ? "bound" : "idle");
        if (!binds) expect_close(effort_of(m, at, "y"), 0.0, std::abs(spring));
        (binds ? bound : idle)++;
    }
    EXPECT_GE(std::min(idle, bound), 10) << "both cases must occur";
}

TEST(KeepOut, ThePathTouchesTheDiscAndNeverEntersIt) {
    const Mechanism m = load("control/keep_out.lac");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    double least = 1.0, off_pace = 0.0;
    for (const double gap : motion.column("gap")) least = std::min(least, gap);
    for (const double error : motion.column("pace.error")) off_pace = std::max(off_pace, error);
    EXPECT_GE(least, 0.0);
    EXPECT_LE(least, 1e-3) << "it should come near";
    EXPECT_LE(off_pace, 1e-10);
}

// ---- out of reach

TEST(OutOfReach, TheBeadIsAcceleratedAsTheShadowIs) {
    const Mechanism m = load("control/out_of_reach.lac");
    const double mass = m.parameter("m"), g = m.parameter("g"), slope = m.parameter("slope"),
                 R = m.parameter("R"), w = m.parameter("w");
    const Plane along = {std::cos(slope), std::sin(slope)}, across = {-along[1], along[0]};
    Random random(8);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 8), s = random(-1, 1), v = random(-2, 2), turn = w * t;
        const Plane c = {R * std::cos(turn), R * std::sin(turn)}, c1 = {-w * c[1], w * c[0]};
        Plane demand;
        for (const std::size_t j : {0U, 1U})
            demand[j] = -w * w * c[j] - 20 * (v * along[j] - c1[j]) - 100 * (s * along[j] - c[j]);
        const double s2 = models::dot(demand, along), effort = mass * (s2 + g * along[1]);
        const Evaluation at = evaluate_well(m, state_of(m, {{"t", t},
                                                            {"x", s * along[0]},
                                                            {"y", s * along[1]},
                                                            {"x'", v * along[0]},
                                                            {"y'", v * along[1]}}));
        const double scale = std::abs(demand[0]) + std::abs(demand[1]);
        expect_forces(at.solution.acceleration, {s2 * along[0], s2 * along[1]}, scale, "q''");
        expect_forces(at.control_force, {effort * along[0], effort * along[1]}, scale, "effort");
        const double missed = -models::dot(demand, across);
        const auto& rows = control_of(at, "follow").rows;
        ASSERT_EQ(rows.size(), 2U);
        for (const std::size_t j : {0U, 1U})
            expect_close(rows[j].missed, missed * across[j], scale, "missed");
    }
}

TEST(OutOfReach, TheMotionIsTheShadowAndTheRailHolds) {
    const Mechanism m = load("control/out_of_reach.lac");
    const double slope = m.parameter("slope"), R = m.parameter("R"), w = m.parameter("w");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    const double e0 = 0.2 / std::cos(slope) - R * std::cos(slope), v0 = -R * w * std::sin(slope);
    EXPECT_LE(motions::worst_error(motion, "along",
                                   [&](long double at) {
                                       const double t = static_cast<double>(at);
                                       return R * std::cos(w * t - slope) + entry(e0, v0, 10, t);
                                   }),
              1e-10);
    EXPECT_LE(motion.summary.worst.position, 1e-14)
        << "the rail is a fact, projected after every step";
    EXPECT_LE(motion.summary.worst.velocity, 1e-14);
}

TEST(OutOfReach, WithoutNearestTheRunStopsAndNamesTheControl) {
    const Mechanism m = Mechanism::parse(text_with("out_of_reach.lac", " nearest\n", "\n"));
    const Motion motion = run(m);
    EXPECT_EQ(name_of(motion.status.outcome), "unreachable");
    EXPECT_NE(motion.status.message.find("follow"), std::string::npos) << motion.status.message;
}

}  // namespace
}  // namespace lacon::controls
