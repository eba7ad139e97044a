// Forces that depend on the loads of constraints, with every sign of the loads tried by hand: one
// answer, none or several.

#include <fmt/format.h>

#include <array>
#include <random>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

using Pair = std::array<double, 2>;

/// Two coordinates that are held by the forces F, and one that is free: F = −Q − K |F|, and z'' =
/// |F_1| + |F_2|. In `as_vector` one constraint holds both, and F = −Q − k |F| with the first
/// column of K.
struct Held {
    Pair Q;
    std::array<Pair, 2> K;
    bool as_vector = false;

    Mechanism mechanism() const {
        const std::string rows = as_vector ? "constraint c: (2*x, 2*y) = 0\n"
                                           : "constraint a: 3*x = 0\nconstraint b: y = 0\n";
        const auto c = [&](std::size_t i) {
            return as_vector ? fmt::format("{}*load(c)", K[i][0])
                             : fmt::format("{}*load(a) + {}*load(b)", K[i][0], K[i][1]);
        };
        return Mechanism::parse(
            fmt::format("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce x = {}, y = {}\n{}"
                        "nonideal x = {}, y = {}, z = {}\n",
                        Q[0], Q[1], rows, c(0), c(1), as_vector ? "load(c)" : "load(a) + load(b)"));
    }
};

/// All F, each of the four linear systems solved by Cramer's rule.
std::vector<Pair> by_signs(const Held& held) {
    std::vector<Pair> found;
    for (const double s : {1.0, -1.0})
        for (const double u : {1.0, -1.0}) {
            const double a = 1.0 + held.K[0][0] * s, b = held.K[0][1] * u, c = held.K[1][0] * s,
                         d = 1.0 + held.K[1][1] * u;
            const double det = a * d - b * c;
            const Pair F{(-held.Q[0] * d + held.Q[1] * b) / det,
                         (-held.Q[1] * a + held.Q[0] * c) / det};
            if (F[0] * s > 0.0 && F[1] * u > 0.0) found.push_back(F);
        }
    return found;
}

/// All F of a load of two components, N = |Q + k N|: a quadratic equation.
std::vector<Pair> by_length(const Held& held) {
    const Pair k{held.K[0][0], held.K[1][0]};
    const double a = k[0] * k[0] + k[1] * k[1] - 1.0,
                 b = 2.0 * (held.Q[0] * k[0] + held.Q[1] * k[1]);
    // NaN: none.
    const double root =
        std::sqrt(b * b - 4.0 * a * (held.Q[0] * held.Q[0] + held.Q[1] * held.Q[1]));
    std::vector<Pair> found;
    for (const double N : {(-b + root) / (2.0 * a), (-b - root) / (2.0 * a)})
        if (N > 0.0) found.push_back({-held.Q[0] - k[0] * N, -held.Q[1] - k[1] * N});
    return found;
}

/// What `evaluate` and a run of such a system must say.
void expect_answers(const Held& held, const std::vector<Pair>& lawful) {
    const Mechanism m = held.mechanism();
    const Evaluation at = m.evaluate(m.start().state);
    const Motion motion = run(m, {.end = 0.25, .every = 0.125});
    const Outcome expected = lawful.empty()       ? Outcome::no_force
                             : lawful.size() == 1 ? Outcome::ok
                                                  : Outcome::several;
    EXPECT_EQ(at.status.outcome, expected);
    EXPECT_EQ(motion.status.outcome, expected);
    if (expected != Outcome::ok) {
        EXPECT_FALSE(motion.status.names.empty());
        return;
    }
    const Pair F = lawful[0];
    const double pull = held.as_vector ? std::hypot(F[0], F[1]) : std::abs(F[0]) + std::abs(F[1]);
    EXPECT_NEAR(at.constraints[0].multiplier * (held.as_vector ? 2.0 : 3.0), F[0], 1e-9 * pull);
    EXPECT_NEAR(at.solution.acceleration[2], pull, 1e-9 * pull);
    EXPECT_NEAR(last(motion, "z"), pull / 32.0, 1e-9 * pull);
}

TEST(LoadsOfConstraints, EverySignOfTheLoadsIsTried) {
    std::mt19937_64 random(5);
    std::normal_distribution<> normal;
    std::array<int, 3> count{};
    for (int i = 0; i < 150; ++i) {
        SCOPED_TRACE(i);
        const double strength = i % 3 == 0 ? 0.3 : i % 3 == 1 ? 1.0 : 3.0;
        Held held{{normal(random), normal(random)}, {}, i % 2 == 1};
        for (Pair& row : held.K) row = {strength * normal(random), strength * normal(random)};
        const std::vector<Pair> lawful = held.as_vector ? by_length(held) : by_signs(held);
        expect_answers(held, lawful);
        ++count[std::min<std::size_t>(lawful.size(), 2)];
    }
    EXPECT_GT(*std::min_element(count.begin(), count.end()), 10);
}

// On the wire y = x²/2 the force −μ load along x changes the load by −μ x/√(1 + x²) of itself:
// beyond x = 1/√(μ² − 1) a second load, of the other sign, satisfies the law.
TEST(LoadsOfConstraints, ARunEndsWhereASecondMotionAppears) {
    for (const double mu : {2.0, 3.0, 5.0}) {
        const Mechanism m = Mechanism::parse(
            "param mu = 2\ncoord x, y\nparticle p at (x, y) mass 1\ngravity (0, -1)\nconstraint "
            "wire: y = x^2/2\n"
            "nonideal x = -mu*load(wire)\nstart x = 0, x' = 3, y = 0\n",
            "wire.lac", {{"mu", mu}});
        const Motion motion = run(m, {.end = 2.0});
        EXPECT_EQ(motion.status.outcome, Outcome::several);
        EXPECT_EQ(motion.status.names, std::vector<std::string>{"wire"});
        EXPECT_NEAR(motion.summary.final.q[0], 1.0 / std::sqrt(mu * mu - 1.0), 1e-9);
    }
}

// A block on a floor, pressed by the load of a rod that holds another coordinate. In the rod F = −1
// − k |F|. sign.
TEST(LoadsOfConstraints, WithContactsTheirAnswersAreCountedToo) {
    const auto at = [](double gain) {
        const Mechanism m = Mechanism::parse(
            "param k = 0.5\ncoord x, y, u\nkinetic (x'^2 + y'^2 + u'^2)/2\nforce x = 5, y = -10, u "
            "= 1\n"
            "constraint floor: y >= 0 friction 0.2 slip x'\nconstraint rod: u = 0\nnonideal u = "
            "k*load(rod), y = -load(rod)\n",
            "block.lac", {{"k", gain}});
        return std::pair(m.evaluate(m.start().state), run(m, {.end = 1.0}));
    };
    for (const double gain : {-0.6, 0.5, 0.9, -3.0, 3.0}) {
        SCOPED_TRACE(gain);
        const auto& [evaluation, motion] = at(gain);
        const Outcome expected = gain < -1.0  ? Outcome::several
                                 : gain > 1.0 ? Outcome::no_force
                                              : Outcome::ok;
        EXPECT_EQ(evaluation.status.outcome, expected);
        EXPECT_EQ(motion.status.outcome, expected) << motion.status.message;
        if (expected == Outcome::ok) {
            EXPECT_NEAR(last(motion, "x"), (5.0 - 0.2 * (10.0 + 1.0 / (1.0 - gain))) / 2.0, 1e-12);
        }
    }
}

/// Of the two loads of the wire one makes the floor pull: that is no motion. The numbers are those
/// of the two linear systems.
TEST(LoadsOfConstraints, AnAnswerInWhichAContactPullsIsNone) {
    const Mechanism body = Mechanism::parse(
        "coord x, y, th\nkinetic x'^2 + y'^2 + th'^2\n"
        "constraint floor: 0.5761414604953878*(x - 0.862*cos(th) + 0.805*sin(th)) +\n"
        "  0.817349996940259*(y - 0.862*sin(th) - 0.805*cos(th)) >= -0.9063065098106868\n"
        "constraint wire: x + y - 1.8*cos(th) - sin(th) = -1.9022248525146794 friction 0.6 slip y' "
        "+ th'\n");
    const State state{
        0.0, {0.0, 0.0, 0.9}, {0.7269349385331325, 0.007523357595509816, -0.5630412761182066}};
    const Evaluation at = body.evaluate(state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(at.constraints[0].multiplier, 1.05316822326322, 1e-12);
    EXPECT_NEAR(at.constraints[1].multiplier, -2.13129045541058, 1e-12);
}

TEST(Loads, OfASlipThatBeginsTheOneCountsThatItBeginsWith) {
    // A body in a rough slot, at rest. If it slid already, two loads would balance it: beyond
    // Painlevé's threshold, mu |n·w| > n·n in the metric of the mass. From rest it can begin to
    // slip with one of them only; with the other one it would slip to the other side.
    const Mechanism body = Mechanism::parse(R"(coord x, y, th
        kinetic x'^2 + y'^2 + 0.08*th'^2
        force th = 1
        constraint slot: x - 0.9*cos(th) = -0.9*cos(0.5) friction 0.6 slip y' -
            (0.9*cos(th) + 0.7*sin(th))*th'
        start th = 0.5)");
    const Evaluation at = body.evaluate(body.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    const double s = std::sin(0.5), c = std::cos(0.5), arm = 0.9 * c + 0.7 * s;
    const double n_n = 0.5 + 0.81 * s * s / 0.16, n_w = 0.9 * s * arm / 0.16;
    ASSERT_GT(0.6 * n_w, n_n);
    const double load = 0.9 * s / 0.16 / (n_n + 0.6 * n_w);
    EXPECT_NEAR(at.constraints[0].multiplier, -load, 1e-13);
    EXPECT_EQ(at.constraints[0].friction_state, "slips");
    EXPECT_NEAR(at.solution.acceleration[1], 0.5 * 0.6 * load, 1e-13);
    EXPECT_NEAR(at.solution.acceleration[2], (1.0 - 0.9 * s * load - arm * 0.6 * load) / 0.16,
                1e-12);
}

}  // namespace
}  // namespace lacon::contacts
