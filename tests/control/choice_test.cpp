// Where several sets of contacts that are closed, stick or slip let all be met, the cheapest is
// taken: what is pressed is braked by friction, what is lifted is free, and both may serve.
#include <fmt/format.h>

#include <cmath>

#include "control/control_tests.hpp"

namespace lacon {
namespace {

constexpr double g = 9.81;

/// Slides at first at `speed`, pulled along the floor, and is lifted or pressed by an effort in y.
Mechanism slider(double mass, double mu, double speed, const std::string& rest) {
    return Mechanism::parse(
        fmt::format("coord x, y\nparticle P at (x, y) mass {}\ngravity (0, -9.81)\n"
                    "constraint floor: y >= 0 friction {}\nstart x' = {}\n{}\n",
                    mass, mu, speed, rest));
}

/// Pressing could brake the way so that it asks for no lift: by m x'²/(μ x), without bound.
TEST(ControlAndCost, WhatSlidesIsLiftedAlongItsWayNotBrakedByPressingIt) {
    for (const int power : {2, 3, 4, 6, 9})
        for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
            const Mechanism mechanism =
                slider(1.5, 0.3, 0.8,
                       fmt::format("force x = 2\ncontrol lift: y = 0.2*x^{} by y weight 1", power));
            const Motion motion =
                run(mechanism, {.end = 1.0, .every = 0.1, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << power << motion.status.message;
            EXPECT_TRUE(motion.summary.events.empty()) << power;
            for (std::size_t i = 1; i < motion.column("t").size(); ++i) {
                const double t = motion.column("t")[i], a = 2 / 1.5, v = 0.8 + a * t,
                             x = (0.8 + v) / 2 * t, n = power;
                const double lift =
                    0.2 * n * (std::pow(x, n - 1) * a + (n - 1) * std::pow(x, n - 2) * v * v);
                EXPECT_NEAR(motion.column("x")[i], x, 1e-10 + 10 * tolerance) << power;
                EXPECT_NEAR(motion.column("effort.y")[i], 1.5 * (g + lift), 1e-7 + 1e3 * tolerance)
                    << power;
            }
        }
}

/// It asks for y'' = x''. Pressed with c t/μ it keeps its speed; lifted, with m g + F.
TEST(ControlAndCost, AModeEndsWhereAnotherOneBecomesCheaper) {
    const double m = 3.0, mu = 0.4, pull = 5.0, weight = m * g;
    const double turn = (1 + mu) * weight / (pull / mu - pull);
    std::vector<double> times;
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
        const Mechanism mechanism =
            slider(m, mu, 4.0,
                   fmt::format("force x = {} + {}*t\ncontrol lift: y'' = x'' by y weight 1",
                               mu * weight, pull));
        const Motion motion = run(mechanism, {.end = 8.0, .every = 0.5, .tolerance = tolerance});
        ASSERT_TRUE(motion.status) << motion.status.message;
        ASSERT_EQ(motion.summary.events.size(), 1U);
        EXPECT_EQ(motion.summary.events[0].kind, "release");
        EXPECT_NEAR(motion.summary.events[0].t, turn, 1e-8);
        const double since = 8.0 - turn, force = mu * weight + pull * turn;
        EXPECT_NEAR(motion.column("y").back(), (force / 2 + pull * since / 6) * since * since / m,
                    1e-5);
    }
}

struct Choice {
    double cost = INFINITY, lift = 0.0;
    void offer(bool lawful, double other, double its_lift) {
        if (lawful && other < cost) *this = {other, its_lift};
    }
};

/// x'' + k y'' = d by efforts in x, and in y at w times the cost, of a body that slides to +x.
TEST(ControlAndCost, TheCheaperOfSlidingAndLiftingIsTaken) {
    controls::Random random(19);
    int lifted = 0, slid = 0;
    for (int trial = 0; trial < 200; ++trial) {
        const double m = random(0.5, 3), mu = random(0.1, 0.8), k = random(-2, 2),
                     d = random(-30, 30), w = random(0.2, 5);
        Choice best;
        const double r = m * d + mu * m * g, push = r / (1 + mu * mu / w);
        best.offer(mu / w * push < m * g, r * push, mu / w * push);
        const double R = m * d + k * m * g, raise = R / (1 + k * k / w);
        best.offer(k / w * raise > m * g, R * raise, k / w * raise);
        if (!std::isfinite(best.cost)) continue;
        const Mechanism mechanism =
            slider(m, mu, 2.0,
                   fmt::format("control c: x'' + ({})*y'' = {} by x, y weight 1, {}", k, d, w));
        const Evaluation at = controls::evaluate_well(mechanism, mechanism.start().state);
        const double y = controls::effort_of(mechanism, at, "y"),
                     x = controls::effort_of(mechanism, at, "x");
        EXPECT_NEAR(y, best.lift, 1e-9 * (1 + std::abs(best.lift))) << trial;
        EXPECT_NEAR(x * x + w * y * y, best.cost, 1e-9 * (1 + best.cost)) << trial;
        ++(best.lift > m * g ? lifted : slid);
    }
    EXPECT_GT(lifted, 20);
    EXPECT_GT(slid, 20);
}

/// Four feet on a table, forces that are not unique: a requirement that contacts have no part in
/// changes nothing about them.
TEST(ControlAndCost, WhatIsDrivenOnATableLeavesItsFeetAlone) {
    const Mechanism table = Mechanism::parse(
        "coord z, p, r, u\nkinetic 5*z'^2/2 + (p'^2 + r'^2)/5\nparticle B at (u, 0, z + u*p) mass "
        "1\n"
        "gravity (0, 0, -9.81)\npotential 5*9.81*z\n"
        "constraint foot[1]: z - p/2 - r/2 >= 0\nconstraint foot[2]: z + p/2 - r/2 >= 0\n"
        "constraint foot[3]: z - p/2 + r/2 >= 0\nconstraint foot[4]: z + p/2 + r/2 >= 0\n"
        "control drive: u = 0.1*sin(3*t) by u\nstart u' = 0.3\n");
    const Motion motion = run(table, {.end = 1.0, .every = 0.25, .tolerance = 1e-9});
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_TRUE(motion.summary.events.empty());
    EXPECT_NEAR(motion.column("effort.u").back(), -0.9 * std::sin(3.0), 1e-7);
}

}  // namespace
}  // namespace lacon
