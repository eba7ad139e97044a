// A bead on a rough ring (models/rough_ring.lac), as `friction` and as `nonideal` say it. The ring
// presses with N = m v²/R, so m v' = −mu N: v = v0/(1 + mu v0 t/R), and the way is (R/mu) log(1 +
// mu v0 t/R).

#include "contact_tests.hpp"
#include "lacon/reference.hpp"

namespace lacon::contacts {
namespace {

const std::string by_hand = R"(param R = 2, m = 0.5, mu = 0.3, v0 = 3
    coord x, y
    particle bead at (x, y) mass m
    constraint ring: x^2 + y^2 = R^2
    nonideal x = -mu*load(ring)*x'/hypot(x', y'), y = -mu*load(ring)*y'/hypot(x', y')
    start x = R, y = 0, x' = 0, y' = v0
    output speed = hypot(x', y'), ring.force, energy)";

struct Ring {
    Real R = 2.0L, m = 0.5L, mu = 0.3L, v0 = 3.0L;
    Real speed(Real t) const { return v0 / (1.0L + mu * v0 * t / R); }
    Real angle(Real t) const { return std::log(1.0L + mu * v0 * t / R) / mu; }
    void expect(const Motion& motion) const {
        EXPECT_LE(worst_error(motion, "speed", [&](Real t) { return speed(t); }), exact);
        EXPECT_LE(worst_error(motion, "x", [&](Real t) { return R * std::cos(angle(t)); }), exact);
        EXPECT_LE(worst_error(motion, "y", [&](Real t) { return R * std::sin(angle(t)); }), exact);
        EXPECT_LE(
            worst_error(motion, "ring.force", [&](Real t) { return m * speed(t) * speed(t) / R; }),
            exact);
        Real lost = 0.0L;
        for (const auto& [name, energy] : motion.summary.contact.lost) lost += energy;
        const Real end = speed(motion.summary.final.t);
        EXPECT_NEAR(near(lost), near(0.5L * m * (v0 * v0 - end * end)), exact);
        EXPECT_NEAR(near(lost), motion.summary.energy_first - motion.summary.energy_last, exact);
    }
};

TEST(RoughRing, TheBeadSlowsAsOneOverTime) {
    const Motion motion = run_contacts(load("rough_ring.lac"), {.end = 10.0});
    Ring{}.expect(motion);
    EXPECT_TRUE(motion.summary.events.empty());
    EXPECT_EQ(motion.summary.contact.lost.size(), 1u);
    EXPECT_TRUE(motion.summary.contact.lost.contains("ring"));
    EXPECT_EQ(motion.summary.contact.law, "");
}

TEST(RoughRing, TheCoefficientTheRadiusAndTheSpeedAreThoseGiven) {
    const Settings settings{{"R", 0.7}, {"m", 3.0}, {"mu", 1.1}, {"v0", 2.0}};
    Ring{0.7, 3.0L, 1.1, 2.0L}.expect(run_contacts(load("rough_ring.lac", settings), {.end = 5.0}));
}

TEST(RoughRing, RungeAndKuttaComeToTheSame) {
    Ring{}.expect(run_contacts(load("rough_ring.lac"), {.end = 10.0, .method = "dop853"}));
}

TEST(RoughRing, FrictionByLoadIsTheSameMotion) {
    const Motion motion = motions::run_well(Mechanism::parse(by_hand),
                                            {.end = 10.0, .every = 0.02, .tolerance = 1e-12});
    Ring{}.expect(motion);
    const Motion friction = run_contacts(load("rough_ring.lac"), {.end = 10.0, .every = 0.02});
    for (const char* column : {"x", "y", "x'", "y'", "ring.force"}) {
        const auto &one = motion.column(column), &two = friction.column(column);
        ASSERT_EQ(one.size(), two.size());
        for (std::size_t i = 0; i < one.size(); ++i)
            EXPECT_NEAR(one[i], two[i], exact) << column << " row " << i;
    }
}

TEST(RoughRing, FromInsideItIsTheSameMotion) {
    // A wall that only pushes inwards presses the same; in space the bead runs around a great
    // circle. The gap R² − x² − y² is no length, so the multiplier is N/(2 R).
    const Ring ring;
    const std::string values = "param R = 2, m = 0.5, mu = 0.3, v0 = 3\n";
    const Motion plane = run_contacts(Mechanism::parse(values + R"(coord x, y
        particle bead at (x, y) mass m
        constraint ring: x^2 + y^2 <= R^2 friction mu
        start x = R, y = 0, x' = 0, y' = v0
        output speed = hypot(x', y'), ring.force)"),
                                      {.end = 10.0});
    ring.expect(plane);
    EXPECT_TRUE(plane.summary.events.empty());
    const Motion space = run_contacts(Mechanism::parse(values + R"(coord x, y, z
        particle bead at (x, y, z) mass m
        constraint ball: x^2 + y^2 + z^2 <= R^2 friction mu
        start x = R, y = 0, z = 0, x' = 0, y' = 0.6*v0, z' = 0.8*v0
        output speed = hypot(x', y', z'), along = 0.6*y + 0.8*z, across = 0.8*y - 0.6*z)"),
                                      {.end = 10.0});
    EXPECT_LE(worst_error(space, "speed", [&](Real t) { return ring.speed(t); }), exact);
    EXPECT_LE(worst_error(space, "x", [&](Real t) { return ring.R * std::cos(ring.angle(t)); }),
              exact);
    EXPECT_LE(worst_error(space, "along", [&](Real t) { return ring.R * std::sin(ring.angle(t)); }),
              exact);
    EXPECT_LE(worst_error(space, "across", [](Real) { return 0.0L; }), exact);
}

/// At an angle on the ring, with a speed along it.
State on_ring(const Mechanism& m, Real angle, Real speed) {
    const Real R = m.parameter("R");
    return state_of(m, {{"x", R * std::cos(angle)},
                        {"y", R * std::sin(angle)},
                        {"x'", -speed * std::sin(angle)},
                        {"y'", speed * std::cos(angle)}});
}

TEST(RoughRing, TheForcesAreThoseOfTheFifthPaper) {
    for (const bool friction : {true, false}) {
        const Mechanism m = friction ? load("rough_ring.lac") : Mechanism::parse(by_hand);
        const double R = m.parameter("R"), mass = m.parameter("m"), mu = m.parameter("mu");
        for (const double angle : {0.0, 0.4, 2.0, -1.3})
            for (const double v : {3.0, -0.5, 12.0}) {
                const State state = on_ring(m, angle, v);
                const Evaluation at = m.evaluate(state);
                ASSERT_TRUE(at.status) << at.status.message;
                const double N = mass * v * v / R, turn = v > 0 ? 1.0 : -1.0;
                const double c[] = {mu * N * turn * std::sin(angle),
                                    -mu * N * turn * std::cos(angle)};
                const double scale =
                    1e-14 *
                    std::max(1.0, N);  // both are a dozen operations on numbers of this size
                ASSERT_EQ(at.c.size(), 2u);
                const auto p5 = reference::acceleration_p5({at.M, at.Q, at.A, at.b}, at.c);
                const auto force = reference::nonideal_force_p5({at.M, at.Q, at.A, at.b}, at.c);
                for (std::size_t i = 0; i < 2; ++i) {
                    EXPECT_NEAR(at.c[i], c[i], 10 * scale);
                    EXPECT_NEAR(at.solution.nonideal_force[i], c[i],
                                10 * scale);  // it lies along the ring already
                    EXPECT_NEAR(at.solution.nonideal_force[i], force[i], 10 * scale);
                    EXPECT_NEAR(at.solution.acceleration[i], p5[i], 100 * scale);
                    const double ideal = -N * (i == 0 ? std::cos(angle) : std::sin(angle));
                    EXPECT_NEAR(at.solution.constraint_force[i], ideal, 10 * scale);
                    EXPECT_NEAR(at.solution.acceleration[i], (ideal + c[i]) / mass, 100 * scale);
                }
                EXPECT_NEAR(at.nonideal_power, -mu * N * std::abs(v), 10 * scale * std::abs(v));
                if (friction) {
                    EXPECT_EQ(row(at, "ring").friction_state, "slips");
                    for (std::size_t i = 0; i < 2; ++i)
                        EXPECT_NEAR(row(at, "ring").friction_force[i], c[i], 10 * scale);
                }
                // P5 31: M^{1/2} q'' in two orthogonal parts, here towards the middle and along the
                // ring.
                ASSERT_EQ(at.required.size(), 2u);
                const double product = at.required[0] * at.free[0] + at.required[1] * at.free[1];
                EXPECT_NEAR(product, 0.0, 100 * scale * N);
                EXPECT_NEAR(std::hypot(at.required[0], at.required[1]), N / std::sqrt(mass),
                            100 * scale);
                EXPECT_NEAR(std::hypot(at.free[0], at.free[1]), mu * N / std::sqrt(mass),
                            100 * scale);
            }
    }
}

TEST(Nonideal, OnlyItsPartAlongTheConstraintMovesAnything) {
    // c = (−0.5, 0.2) on a ring: what points along the ring, (c·t) t, is the force of P5 43, the
    // rest the ring answers.
    const Mechanism m = Mechanism::parse(R"(param R = 2, m = 0.5
        coord x, y
        particle bead at (x, y) mass m
        gravity (0, -9.81)
        constraint ring: x^2 + y^2 = R^2
        nonideal x = -0.5, y = 0.2)");
    for (const double angle : {0.0, 0.4, 2.0, -1.3}) {
        const State state = on_ring(m, angle, 1.5);
        const Evaluation at = m.evaluate(state);
        ASSERT_TRUE(at.status) << at.status.message;
        const double n[] = {std::cos(angle), std::sin(angle)}, t[] = {-n[1], n[0]};
        const double along = -0.5 * t[0] + 0.2 * t[1], across = -0.5 * n[0] + 0.2 * n[1];
        const double ideal = -0.5 * 1.5 * 1.5 / 2.0 + 0.5 * 9.81 * n[1];  // along n
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_NEAR(at.c[i], i == 0 ? -0.5 : 0.2, 0.0);
            EXPECT_NEAR(at.solution.nonideal_force[i], along * t[i], 1e-14);
            EXPECT_NEAR(at.solution.constraint_force[i], ideal * n[i], 1e-13);
            EXPECT_NEAR(row(at, "ring").force[i], (ideal - across) * n[i], 1e-13);
            EXPECT_NEAR(at.solution.acceleration[i],
                        reference::acceleration_p5({at.M, at.Q, at.A, at.b}, at.c)[i], 1e-13);
        }
        EXPECT_NEAR(at.nonideal_power, 1.5 * along, 1e-14);
        // Extended Gauss (P5 34): no other acceleration that the ring allows is nearer.
        const reference::Problem problem{at.M, at.Q, at.A, at.b};
        const double least = reference::gaussian_p5(problem, at.c, at.solution.acceleration);
        for (const double step : {-1.0, -1e-3, 1e-3, 1.0}) {
            const std::vector<double> other{at.solution.acceleration[0] + step * t[0],
                                            at.solution.acceleration[1] + step * t[1]};
            EXPECT_GT(reference::gaussian_p5(problem, at.c, other), least);
        }
    }
}

TEST(Nonideal, ALoadThatIsNotUniqueIsNoLoad) {
    // Two rings that say the same share the force as they like: the friction of one of them is
    // anybody's guess.
    const std::string twice = R"(param R = 2
        coord x, y
        particle bead at (x, y) mass 0.5
        constraint ring: x^2 + y^2 = R^2
        constraint again: 2*x^2 + 2*y^2 = 2*R^2
        start x = R, y = 0, x' = 0, y' = 3
        )";
    const std::string friction =
        "nonideal x = -0.3*load(ring)*x'/hypot(x', y'), y = -0.3*load(ring)*y'/hypot(x', y')";
    const Mechanism m = Mechanism::parse(twice + friction);
    const Evaluation at = m.evaluate(m.start().state);
    EXPECT_EQ(at.status.outcome, Outcome::undetermined);
    EXPECT_NE(at.status.message.find("the load of 'ring' is not unique"), std::string::npos)
        << at.status.message;
    EXPECT_NE(at.status.message.find("'again'"), std::string::npos) << at.status.message;
    EXPECT_TRUE(at.solution.acceleration.empty());
    const Motion motion = run(m, {.end = 1.0});
    EXPECT_EQ(motion.status.outcome, Outcome::undetermined) << motion.status.message;
    // A force that asks for no load has no such trouble.
    const Mechanism steady = Mechanism::parse(twice + "nonideal x = -0.3*x', y = -0.3*y'");
    const Evaluation fine = steady.evaluate(steady.start().state);
    ASSERT_TRUE(fine.status) << fine.status.message;
    EXPECT_NEAR(fine.solution.acceleration[1], -0.3 * 3.0 / 0.5, 1e-13);
    EXPECT_NEAR(fine.solution.acceleration[0], -9.0 / 2.0, 1e-13);
}

}  // namespace
}  // namespace lacon::contacts
