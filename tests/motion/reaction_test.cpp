// C.reaction: the force that a constraint carries, by closed forms, whichever way the run goes.
#include <algorithm>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

Mechanism parsed(const std::string& text, const Settings& settings = {}) {
    return Mechanism::parse(text, "model", settings);
}

double output(const Mechanism& m, const std::string& name) {
    const Evaluation at = m.evaluate(m.start().state);
    EXPECT_TRUE(at.status) << at.status.message;
    for (const auto& [known, value] : at.outputs)
        if (known == name) return value;
    ADD_FAILURE() << "no output " << name;
    return NAN;
}

/// Two points pinned to each other; a force on the first alone: m1 a = F + λ with a = F/(m1 + m2).
const std::string pinned =
    "param m1 = 2, m2 = 3, fx = 5, fy = -7\ncoord x1, y1, x2, y2\nparticle P at (x1, y1) mass m1\n"
    "particle R at (x2, y2) mass m2\nforce P = (fx, fy)\nconstraint pin: P = R\nsimulate 0..1 "
    "every 0.25\n"
    "output pin.reaction, size = norm(pin.reaction), first = pin.reaction[1], pin.y.reaction, "
    "turned = pin.reaction.y - 1\n";

TEST(Reaction, OfAPinIsTheForceOnTheFirstPoint) {
    for (const Settings& s :
         {Settings{}, Settings{{"m1", 0.3}, {"m2", 11.0}, {"fx", -2.5}, {"fy", 0.5}}}) {
        const Mechanism m = parsed(pinned, s);
        const double m1 = s.empty() ? 2.0 : 0.3, m2 = s.empty() ? 3.0 : 11.0,
                     fx = s.empty() ? 5.0 : -2.5, fy = s.empty() ? -7.0 : 0.5;
        const double x = -fx * m2 / (m1 + m2), y = -fy * m2 / (m1 + m2);
        EXPECT_NEAR(output(m, "pin.reaction.x"), x, 1e-13);
        EXPECT_NEAR(output(m, "pin.reaction.y"), y, 1e-13);
        EXPECT_NEAR(output(m, "size"), std::hypot(x, y), 1e-13);
        EXPECT_NEAR(output(m, "first"), x, 1e-13);
        EXPECT_NEAR(output(m, "pin.y.reaction"), y, 1e-13);
        EXPECT_NEAR(output(m, "turned"), y - 1.0, 1e-13);
    }
}

TEST(Reaction, IsTheSameByEveryWayOfRunning) {
    const Mechanism m = parsed(pinned);
    for (const char* solver : {"dense", "sparse"})
        for (const bool interpret : {false, true}) {
            const Motion motion = run_well(m, {.solver = solver, .interpret = interpret});
            for (const double value : motion.column("pin.reaction.x"))
                EXPECT_NEAR(value, -3.0, 1e-12) << solver;
            for (const double value : motion.column("pin.reaction.y"))
                EXPECT_NEAR(value, 4.2, 1e-12) << solver;
        }
    for (const char* method : {"dop853", "rk4", "gauss", "bdf"})
        EXPECT_NEAR(last(run_well(m, {.method = method, .step = 0.05}), "size"),
                    std::hypot(3.0, 4.2), 1e-10)
            << method;
}

/// A uniform rod hung at its end and let go level: the pin carries m g/4 then, and 5 m g/2 at the
/// bottom.
TEST(Reaction, OfARodHungAtItsEndIsThatOfTheTextbook) {
    const Mechanism m = parsed(
        "param m = 1.7, L = 0.9, g = 9.81\ncoord x, y, th\nparticle middle at (x, y) mass "
        "m\nkinetic 1/2*(m*L^2/12)*th'^2\n"
        "gravity (0, -g)\nlet end = (x, y) - L/2*(sin(th), -cos(th))\nconstraint pin: end = (0, "
        "0)\n"
        "start th = 90*deg, x ~ L/2, y ~ 0\nevent down: th falling stop\nsimulate 0..5 every 0.01 "
        "tolerance 1e-13\n"
        "output pin.reaction, half = pin.reaction.y\nevent half_way: norm(pin.reaction) - m*g\n");
    const double weight = 1.7 * 9.81;
    EXPECT_NEAR(output(m, "pin.reaction.y"), weight / 4.0, 1e-12);
    EXPECT_NEAR(output(m, "pin.reaction.x"), 0.0, 1e-12);
    const Motion motion = run_well(m, {});
    EXPECT_NEAR(last(motion, "th"), 0.0, 1e-12);
    EXPECT_NEAR(last(motion, "pin.reaction.y"), 2.5 * weight, 1e-9);
    // With c = cos(th): along the rod 5/2 m g c, across it m g sin(th)/4. Their size is m g where
    // c² = 15/99.
    const std::vector<double> times = event_times(motion, "event", "half_way");
    ASSERT_EQ(times.size(), 1u);
    const auto& t = motion.column("t");
    const auto row = static_cast<std::size_t>(std::find(t.begin(), t.end(), times[0]) - t.begin());
    ASSERT_LT(row, t.size());
    EXPECT_NEAR(std::pow(std::cos(motion.column("th")[row]), 2), 15.0 / 99.0, 1e-10);
}

TEST(Reaction, OfAFamilyIsThatOfEachMember) {
    const Mechanism m = parsed(
        "param N = 6, l = 0.3, g = 9.81\ncoord x[1..N], y[1..N]\nlet P[0] = (0, 0)\nlet P[i] = "
        "(x[i], y[i]) for i in 1..N\n"
        "particle bead[i] at P[i] mass 0.1*i for i in 1..N\ngravity (0, -g)\n"
        "constraint rod[i]: norm(P[i] - P[i-1]) = l for i in 1..N\nstart x[i] = 0, y[i] = -i*l for "
        "i in 1..N\n"
        "simulate 0..0.1 every 0.05\noutput rod[*].reaction, lowest = rod[N].reaction\n");
    const Motion sparse = run_well(m, {.solver = "sparse"}),
                 dense = run_well(m, {.solver = "dense"});
    for (int i = 1; i <= 6; ++i) {
        double below = 0.0;
        for (int j = i; j <= 6; ++j) below += 0.1 * j * 9.81;
        const std::string name = "rod[" + std::to_string(i) + "].reaction";
        EXPECT_NEAR(output(m, name), -below, 1e-12) << "a rod that pulls";
        EXPECT_NEAR(last(sparse, name), -below, 1e-10);
        EXPECT_NEAR(last(dense, name), -below, 1e-10);
    }
    EXPECT_NEAR(output(m, "lowest"), -0.6 * 9.81, 1e-12);
}

TEST(Reaction, OfDependentConstraintsIsTheShareOfLeastNorm) {
    const Mechanism m = parsed(
        "coord x, y\nparticle P at (x, y) mass 2\ngravity (0, -10)\nconstraint left: P = (0, "
        "0)\nconstraint right: P = (0, 0)\n"
        "simulate 0..1\noutput left.reaction, right.reaction\n");
    EXPECT_NEAR(output(m, "left.reaction.y"), 10.0, 1e-12);
    EXPECT_NEAR(output(m, "right.reaction.y"), 10.0, 1e-12);
}

TEST(Reaction, OfAContactIsTheForceWhileItIsClosedAndNothingInFlight) {
    const Mechanism m = parsed(
        "param mu = 0.2, g = 9.81\ncoord x, y\nparticle P at (x, y) mass 3\ngravity (0, -g)\n"
        "constraint ground: y >= 0 restitution 0 friction mu\nstart x = 0, y = 1, x' = 4, y' = "
        "0\nsimulate 0..3 every 0.01\n"
        "output ground.reaction, energy\n");
    const Motion motion = run_well(m, {});
    const auto &t = motion.column("t"), &force = motion.column("ground.reaction");
    const double landing = std::sqrt(2.0 / 9.81);
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (std::abs(t[i] - landing) < 1e-6) continue;
        EXPECT_NEAR(force[i], t[i] < landing ? 0.0 : 3.0 * 9.81, 1e-9) << t[i];
    }
    EXPECT_EQ(event_times(motion, "stick").size(), 1u)
        << "it slid, then stuck: both modes are in the rows";
}

}  // namespace
}  // namespace lacon::motions
