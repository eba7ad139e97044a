// Satellites, buildings, chaos: controls of larger systems, and what holds for all of them.

#include <algorithm>

#include "control_tests.hpp"

namespace lacon::controls {
namespace {

// ---- formation

struct Path {
    Space r, r1, r2;  // of the deputy
};

/// The prescribed path by hand: in the frame of the chief, which turns by θ' = h/R² and θ'' = −2 R'
/// θ'/R, as the chief's orbit is free.
Path path_of_deputy(const Mechanism& m, double t, const Plane& R, const Plane& V) {
    const double mu = m.parameter("μ"), a = m.parameter("a"), d = m.parameter("d"),
                 n = std::sqrt(mu / (a * a * a));
    const double distance = std::hypot(R[0], R[1]), out1 = models::dot(R, V) / distance;
    const double turn = (R[0] * V[1] - R[1] * V[0]) / squared(distance),
                 turn1 = -2 * out1 * turn / distance;
    const double c = d * std::cos(n * t), s = d * std::sin(n * t), high = std::sqrt(3.0) / 2;
    const Plane ex = {R[0] / distance, R[1] / distance}, ey = {-ex[1], ex[0]};
    const double u = c / 2, u1 = -n * s / 2, u2 = -n * n * c / 2, w = -s, w1 = -n * c,
                 w2 = n * n * s;
    const double pull = -mu / (distance * distance * distance);
    Path path;
    for (const std::size_t j : {0U, 1U}) {
        path.r[j] = R[j] + u * ex[j] + w * ey[j];
        path.r1[j] = V[j] + (u1 - turn * w) * ex[j] + (w1 + turn * u) * ey[j];
        path.r2[j] = pull * R[j] + (u2 - turn1 * w - 2 * turn * w1 - turn * turn * u) * ex[j] +
                     (w2 + turn1 * u + 2 * turn * u1 - turn * turn * w) * ey[j];
    }
    path.r[2] = high * c;
    path.r1[2] = -high * n * s;
    path.r2[2] = -high * n * n * c;
    return path;
}

TEST(Formation, ThrustIsTheExactAccelerationOnThePrescribedPath) {
    const Mechanism m = load("control/formation.lac");
    const double mu = m.parameter("μ"), mass = m.parameter("md");
    Random random(31);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 6000), angle = random(-3, 3), distance = random(6800, 9000),
                     speed = random(6, 8);
        const Plane R = {distance * std::cos(angle), distance * std::sin(angle)};
        const Plane V = {-speed * std::sin(angle + 0.1), speed * std::cos(angle + 0.1)};
        const Path path = path_of_deputy(m, t, R, V);
        const Evaluation at =
            evaluate_well(m, State{.t = t,
                                   .q = {R[0], R[1], path.r[0], path.r[1], path.r[2]},
                                   .v = {V[0], V[1], path.r1[0], path.r1[1], path.r1[2]}});
        const double length = std::hypot(path.r[0], path.r[1], path.r[2]),
                     pull = mu / (length * length * length);
        std::vector<double> thrust = {0, 0};  // nothing acts on the chief
        for (std::size_t j = 0; j < 3; ++j)
            thrust.push_back(mass * (path.r2[j] + pull * path.r[j]));
        // The thrust is what is left of the gravity on the deputy, 0.8 kN, and rounding is relative
        // to that.
        expect_forces(at.control_force, thrust, mass * pull * length, "thrust");
        const double most = std::hypot(thrust[2], thrust[3], thrust[4]);
        EXPECT_GT(most, 1e-6);
    }
}

TEST(Formation, TheDeputyComesIntoItsRingAndTheChiefKeepsItsOrbit) {
    const Mechanism m = load("control/formation.lac");
    const double off = m.parameter("off"), k = m.parameter("k"), a = m.parameter("a"),
                 e = m.parameter("e");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-13});
    // Steps err by 1e-13 of 7200 km; what is accumulated along the orbit does not matter beside the
    // chief.
    EXPECT_LE(motions::worst_error(
                  motion, "keep.error",
                  [&](long double t) { return entry(off, 0, k, static_cast<double>(t)); }),
              1e-7);
    const auto& times = motion.column("t");
    for (std::size_t i = 0; i < times.size(); i += 50) {
        const Plane expected = kepler_position(a, e, m.parameter("μ"), times[i]);
        ASSERT_NEAR(motion.column("X")[i], expected[0], 1e-6) << "t = " << times[i];
        ASSERT_NEAR(motion.column("Y")[i], expected[1], 1e-6) << "t = " << times[i];
    }
    EXPECT_NEAR(motions::last(motion, "distance"), m.parameter("d"), 1e-7);
}

// ---- synchronization

TEST(Synchronization, EffortIsWhatTheSecondNeedsToMoveAsTheFirst) {
    const Mechanism m = load("control/synchronization.lac");
    const double dx = m.parameter("dx"), dy = m.parameter("dy"), w = m.parameter("w");
    Random random(32);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 60), x = random(-2, 2), y = random(-2, 2), vx = random(-2, 2),
                     vy = random(-2, 2);
        const double drive = m.parameter("f") * std::cos(m.parameter("Ω") * t);
        const double first = drive - dx * vx + x - x * x * x,
                     second = drive - dy * vy + y - y * y * y;
        const double required = first - 2 * w * (vy - vx) - w * w * (y - x);
        const Evaluation at =
            evaluate_well(m, state_of(m, {{"t", t}, {"x", x}, {"y", y}, {"x'", vx}, {"y'", vy}}));
        expect_forces(at.solution.acceleration, {first, required}, 10, "q''");
        expect_forces(at.control_force, {0.0, required - second}, 10, "effort");
    }
}

TEST(Synchronization, TheErrorIsCriticallyDampedWhateverTheChaos) {
    const Mechanism m = load("control/synchronization.lac");
    const double w = m.parameter("w");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-13});
    EXPECT_LE(motions::worst_error(
                  motion, "gap",
                  [&](long double t) { return entry(-2, 0.5, w, static_cast<double>(t)); }),
              1e-10);
}

TEST(Synchronization, TheFirstMovesAsIfAlone) {
    const Mechanism m = load("control/synchronization.lac");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-14});
    const auto alone = motions::reference_at(
        [](long double t, const motions::Vector& y) {
            return motions::Vector{y[1],
                                   0.3L * std::cos(t) - 0.2L * y[1] + y[0] - y[0] * y[0] * y[0]};
        },
        0.0L, {1.0L, 0.0L}, motion.column("t"));
    // Nearby motions part by a factor e about every 6 s: 1e-14 grows to some 1e-10 within a minute.
    for (std::size_t i = 0; i < alone.size(); ++i)
        ASSERT_NEAR(motion.column("x")[i], motions::near(alone[i][0]), 1e-8) << "row " << i;
}

// ---- building

TEST(Building, EffortsAreTheLeastThatKeepTheDrifts) {
    const Mechanism m = load("control/building.lac");
    const std::size_t n = m.coordinates().size();
    const double mass = m.parameter("m"), bound = m.parameter("bound"), w = m.parameter("w");
    Random random(33);
    for (int i = 0; i < 10; ++i) {
        State state{.t = random(5, 15), .q = std::vector<double>(n), .v = std::vector<double>(n)};
        for (std::size_t j = 0; j < n; ++j) {
            state.q[j] = (j > 0 ? state.q[j - 1] : 0.0) + random(-bound, bound);
            state.v[j] = (j > 0 ? state.v[j - 1] : 0.0) + random(-0.2, 0.2);
        }
        const Evaluation at = evaluate_well(m, state);
        ASSERT_EQ(at.efforts.size(), n);
        const auto drift_of = [](const std::vector<double>& x, std::size_t j) {
            return x[j] - (j > 0 ? x[j - 1] : 0.0);
        };
        // What the cost falls by where one drift may be accelerated more: N u = (rates of the
        // drifts by the efforts)ᵀ λ, with λ of the sign that a bound can have, and 0 where it
        // leaves room. That is sufficient, as the programme is convex.
        const auto& a = at.solution.acceleration;
        std::vector<double> price(
            n);  // λ: the struts' own tridiagonal matrix, solved by elimination
        std::vector<double> diagonal(n), right = at.efforts;
        for (std::size_t j = 0; j < n; ++j) {
            diagonal[j] = (j > 0 ? 2.0 : 1.0) / mass;
            if (j == 0) continue;
            const double factor = -1.0 / mass / diagonal[j - 1];
            diagonal[j] -= factor * (-1.0 / mass);
            right[j] -= factor * right[j - 1];
        }
        for (std::size_t j = n; j-- > 0;)
            price[j] = (right[j] + (j + 1 < n ? price[j + 1] / mass : 0.0)) / diagonal[j];
        double largest = 0.0;
        for (const double p : price) largest = std::max(largest, std::abs(p));
        for (std::size_t j = 0; j < n; ++j) {
            const double s = drift_of(state.q, j), s1 = drift_of(state.v, j), s2 = drift_of(a, j);
            const double most = -2 * w * s1 + w * w * (bound - s),
                         least = -2 * w * s1 - w * w * (bound + s);
            EXPECT_LE(s2, most + 1e-9) << "storey " << j + 1;
            EXPECT_GE(s2, least - 1e-9) << "storey " << j + 1;
            const double border = price[j] < -1e-9 * largest  ? most
                                  : price[j] > 1e-9 * largest ? least
                                                              : s2;
            EXPECT_NEAR(s2, border, 1e-9) << "storey " << j + 1;
        }
    }
}

double largest_drift(const Motion& motion, std::size_t storeys) {
    double largest = 0.0;
    for (std::size_t i = 0; i < motion.column("t").size(); ++i)
        for (std::size_t j = 1; j <= storeys; ++j) {
            const double below = j > 1 ? motion.column("x[" + std::to_string(j - 1) + "]")[i] : 0.0;
            largest = std::max(largest,
                               std::abs(motion.column("x[" + std::to_string(j) + "]")[i] - below));
        }
    return largest;
}

TEST(Building, DriftsStayWithinTheBoundAndWouldNotWithoutTheStruts) {
    const Mechanism held = load("control/building.lac"),
                    free = load("control/building.lac", {{"bound", 1.0}});
    const double bound = held.parameter("bound");
    const Motion with = motions::run_well(held, {.end = 7.0, .every = 0.04}),
                 without = motions::run_well(free, {.end = 7.0, .every = 0.04});
    // The requirement holds the bound exactly; steps of a local error of 1e-8 m, drawn in at the
    // rate w, leave less than a thousandth of a millimetre.
    EXPECT_LE(largest_drift(with, 10), bound + 1e-6);
    EXPECT_GE(largest_drift(with, 10), 0.9 * bound);
    EXPECT_GE(largest_drift(without, 10), 2 * bound);
    for (std::size_t j = 1; j <= 10; ++j)
        for (const double effort : without.column("effort.strut[" + std::to_string(j) + "]"))
            ASSERT_EQ(effort, 0.0);
}

// ---- any control

TEST(AnyControl, WithoutActuatorsNamedItIsAConstraintWithTheSameGains) {
    const std::string text = R"(
        coord a, b, z
        kinetic (2 + cos(a - b))*a'^2/2 + b'^2/2 + a'*b'*sin(z)/3 + (1 + a^2)*z'^2/2
        potential a*b + cos(z)
    )";
    const Mechanism controlled =
        Mechanism::parse(text + "control one: a*b + z = sin(t)\ncontrol two: a' + z*b' = 1\n");
    const Mechanism held = Mechanism::parse(text +
                                            "constraint one: a*b + z = sin(t) stabilize 20 "
                                            "100\nconstraint two: a' + z*b' = 1 stabilize 10\n");
    Random random(34);
    for (int i = 0; i < 20; ++i) {
        State state{.t = random(0, 5), .q = {}, .v = {}};
        for (int j = 0; j < 3; ++j) {
            state.q.push_back(random(-1, 1));
            state.v.push_back(random(-1, 1));
        }
        const Evaluation one = evaluate_well(controlled, state), two = held.evaluate(state);
        ASSERT_TRUE(two.status) << two.status.message;
        double scale = 100;  // gains times errors
        for (const double f : two.solution.constraint_force) scale = std::max(scale, std::abs(f));
        expect_forces(one.control_force, two.solution.constraint_force, 10 * scale, "force");
        expect_forces(one.solution.acceleration, two.solution.acceleration, 10 * scale, "q''");
    }
}

TEST(AnyControl, ConstraintsHoldWhateverTheEffort) {
    const Mechanism m = Mechanism::parse(R"(
        param l = 1
        coord x1, y1, x2, y2
        particle P at (x1, y1) mass 1
        particle S at (x2, y2) mass 2
        gravity (0, -9.81)
        constraint upper: norm(P) = l
        constraint lower: norm(S - P) = l
        control turn: atan2(x1, -y1) = sin(t) by atan2(x1, -y1)
        start x1 = 0.2, y1 ~ -1, x2 = 0.2, y2 ~ -2
        simulate 0..10 every 0.02
    )");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    EXPECT_LE(motion.summary.worst.position, 1e-12);
    EXPECT_LE(motion.summary.worst.velocity, 1e-12);
    const double e0 = std::asin(0.2), v0 = -1.0;
    EXPECT_LE(motions::worst_error(motion, "turn.error",
                                   [&](long double t) {
                                       return std::abs(entry(e0, v0, 10, static_cast<double>(t)));
                                   }),
              1e-10);
}

}  // namespace
}  // namespace lacon::controls
