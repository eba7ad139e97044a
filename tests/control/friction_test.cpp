// Controls of what rubs: efforts overcome friction, and friction that sticks spares them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/control_tests.hpp"

namespace lacon {
namespace {

std::string rough_block(const std::string& friction, const std::string& rest) {
    return "param m = 2, g = 9.81\ncoord x, y\nparticle P at (x, y) mass m\ngravity (0, "
           "-g)\nconstraint floor: y >= 0 friction " +
           friction + "\n" + rest;
}

std::vector<std::string> kinds(const Motion& motion) {
    std::vector<std::string> kinds;
    for (const MotionEvent& event : motion.summary.events) kinds.push_back(event.kind);
    return kinds;
}

/// What a column should be, row by row, but near `jumps`.
template <class Expected>
void expect_column(const Motion& motion, const std::string& name, double error,
                   const Expected& expected, const std::vector<double>& jumps = {}) {
    for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
        const double t = motion.column("t")[i];
        if (std::any_of(jumps.begin(), jumps.end(),
                        [&](double jump) { return std::abs(t - jump) < 1e-6; }))
            continue;
        ASSERT_NEAR(motion.column(name)[i], expected(t), error) << name << " at t = " << t;
    }
}

TEST(ControlAndFriction, ABlockPulledFromRestTakesInertiaAndFriction) {
    for (const double mu : {0.0, 0.1, 0.3, 1.2})
        for (const double a : {0.5, -4.0}) {
            const Motion motion =
                run(Mechanism::parse(rough_block(
                        std::to_string(mu), "param a = " + std::to_string(a) +
                                                "\ncontrol go: x = a*t^2/2 by x\nsimulate 0..2\n")),
                    {.every = 0.1, .tolerance = 1e-11});
            ASSERT_TRUE(motion.status) << motion.status.message;
            expect_column(motion, "x", 1e-9, [&](double t) { return a * t * t / 2; });
            expect_column(motion, "effort.x", 1e-7,
                          [&](double) { return 2 * a + std::copysign(mu, a) * 2 * 9.81; });
        }
}

TEST(ControlAndFriction, EffortTurnsOverWithTheDirectionOfSliding) {
    const Motion motion =
        run(Mechanism::parse(rough_block(
                "0.3 static 0.5", "control go: x = sin(t) by x\nstart x' = 1\nsimulate 0..7\n")),
            {.every = 0.1, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    const double turn = std::acos(0.0);
    expect_column(motion, "x", 1e-9, [](double t) { return std::sin(t); });
    expect_column(
        motion, "effort.x", 1e-7,
        [](double t) { return -2 * std::sin(t) + std::copysign(0.3 * 2 * 9.81, std::cos(t)); },
        {turn, 3 * turn});
}

TEST(ControlAndFriction, NoEffortIsSpentOnWhatSticksUntilItIsToMove) {
    const Motion motion = run(Mechanism::parse(rough_block(
                                  "0.4", "control go: x = max(0, t - 1)^3 by x\nsimulate 0..2\n")),
                              {.every = 0.05, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    expect_column(motion, "x", 1e-9, [](double t) { return std::pow(std::max(0.0, t - 1), 3); });
    expect_column(motion, "effort.x", 1e-5,
                  [](double t) { return t < 1 ? 0.0 : 2 * (6 * (t - 1) + 0.4 * 9.81); }, {1.0});
    EXPECT_EQ(kinds(motion), std::vector<std::string>{"slip"});
    EXPECT_NEAR(motion.summary.events[0].t, 1.0, 1e-7);
}

/// On a slope that is too steep for friction alone the effort makes up what is lacking.
TEST(ControlAndFriction, OnASteepSlopeTheEffortCarriesWhatFrictionDoesNot) {
    const std::string slope =
        "param m = 2, g = 9.81, al = 0.5\ncoord x, y\nparticle P at (x, y) mass m\n"
        "gravity (g*sin(al), -g*cos(al))\nconstraint floor: y >= 0 friction mu\n";
    for (const double mu : {0.3, 0.7}) {
        const Mechanism held = Mechanism::parse("param mu = " + std::to_string(mu) + "\n" + slope +
                                                "control go: x = 0 by x\n");
        const Evaluation at = held.evaluate({0.0, {0.0, 0.0}, {0.0, 0.0}});
        ASSERT_TRUE(at.status) << at.status.message;
        EXPECT_NEAR(at.efforts[0], -std::max(0.0, 2 * 9.81 * (std::sin(0.5) - mu * std::cos(0.5))),
                    1e-6)
            << mu;
    }
}

/// A bead on the wire y = k x²/2: along it m s'' and the weight, across it what the bend and the
/// weight press.
TEST(ControlAndFriction, ABeadIsDrivenAlongARoughWire) {
    const double m = 0.5, g = 9.81, k = 1.4, mu = 0.2;
    const Motion motion =
        run(Mechanism::parse("coord x, y\nparticle P at (x, y) mass 0.5\ngravity (0, -9.81)\n"
                             "constraint wire: y = 0.7*x^2 friction 0.2\n"
                             "control go: x = 0.3*t + 0.1*t^2 by P along (1, 1.4*x)\n"
                             "start x' = 0.3, y' ~ 0\nsimulate 0..3\n"),
            {.every = 0.1, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    expect_column(motion, "effort.P along (1, 1.4*x)", 1e-6, [&](double t) {
        const double x = 0.3 * t + 0.1 * t * t, v = 0.3 + 0.2 * t, a = 0.2, slope = k * x,
                     stretch = std::sqrt(1 + slope * slope);
        const double ay = k * (v * v + x * a);
        const double along = m * (a + slope * (ay + g)) / stretch,
                     across = m * (ay + g - slope * a) / stretch;
        return (along + mu * std::abs(across)) /
               stretch;  // the effort's force is of length u * stretch
    });
}

/// y = 0.3 x with c_x = −μ·0.7·load: m x'' (1 + 0.09) = u − 0.3 m g + c_x, and the load comes from
/// the row across.
TEST(ControlAndFriction, ForcesThatDependOnLoadsArePaidFor) {
    const double m = 1.3, g = 9.81, s = 0.3, f = 0.25 * 0.7;
    const Mechanism loaded = Mechanism::parse(
        "coord x, y\nparticle P at (x, y) mass 1.3\ngravity (0, -9.81)\n"
        "constraint rail: y = 0.3*x\nnonideal x = -0.25*0.7*load(rail)\n"
        "control go: x = 0.2*t^2 by x\nsimulate 0..2\n");
    const Motion motion = run(loaded, {.every = 0.1, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    // Of the row y − 0.3 x: λ = m (y'' + g), and x has u − 0.3 λ − f·|λ|·√(1 + 0.09).
    const double lambda = m * (s * 0.4 + g),
                 effort = m * 0.4 + s * lambda + f * lambda * std::hypot(1.0, s);
    expect_column(motion, "effort.x", 1e-7, [&](double) { return effort; });
    expect_column(motion, "x", 1e-9, [](double t) { return 0.2 * t * t; });
}

TEST(ControlAndFriction, AControllerThatBelievesInLessFrictionLagsBehind) {
    const std::string text = rough_block("mu",
                                         "param mu = 0.2\ncontrol go: x = sin(t) + t by x gain 20 "
                                         "100\nstart x' = 2\nsimulate 0..3\n");
    const Motion motion =
        run(Mechanism::parse(text, "model", {{"mu", 0.3}}),
            {.every = 0.1, .tolerance = 1e-11, .controller = Mechanism::parse(text)});
    ASSERT_TRUE(motion.status) << motion.status.message;
    // φ'' + 20 φ' + 100 φ = −0.1 g
    EXPECT_NEAR(motion.column("x").back() - std::sin(3.0) - 3.0, -0.1 * 9.81 / 100, 1e-8);
}

struct Saturating {
    double mu, m, low, high, a, w, x, v;  // `low` is what the controller believes of the limit
};

std::string text_of(const Saturating& s) {
    return fmt::format(
        "param L = {}\ncoord x, y\nparticle b at (x, y) mass {}\ngravity (0, -10)\n"
        "constraint fl: y >= 0 friction {}\ncontrol c: x = {}*sin({}*t) by x limit -L..L\n"
        "start x = {}, x' = {}\n",
        s.low, s.m, s.mu, s.a, s.w, s.x, s.v);
}

/// The effort comes to its limit, and what is missed grows from zero.
TEST(ControlAndFriction, AnEffortThatComesToItsLimitStaysThere) {
    for (const Saturating& s : {Saturating{0.281, 0.525, 4.379, 4.379, 1.818, 2.101, -0.097, 0.987},
                                Saturating{0.153, 1.09, 8.19, 8.927, 1.847, 1.946, -0.007, 0.938},
                                Saturating{0.3, 0.8, 5.0, 5.0, 1.5, 2.3, 0.05, 0.7},
                                Saturating{0.22, 0.6, 4.0, 4.5, 1.7, 1.9, -0.05, 1.2}}) {
        const std::string text = text_of(s);
        std::vector<double> ends;
        for (const double tolerance : {1e-9, 1e-11}) {
            const Motion motion = run(Mechanism::parse(text, "block", {{"L", s.high}}),
                                      {.end = s.mu == 0.281 ? 4.0 : 2.0,
                                       .tolerance = tolerance,
                                       .controller = Mechanism::parse(text, "block")});
            ASSERT_TRUE(motion.status) << motion.status.message;
            EXPECT_LT(motion.summary.contact.modes, 40u);
            ends.push_back(motion.summary.final.q[0]);
        }
        if (s.mu == 0.281) {
            EXPECT_NEAR(ends[1], 1.7676161634, 1e-9);  // by another code, event by event
        }
        EXPECT_NEAR(ends[0], ends[1], 1e-7);
    }
}

/// The effort is m x'' + μ m g from the begin of the motion on, however little that asks for at
/// first; also where more is needed to start than to slide.
TEST(ControlAndFriction, WhatBeginsToSlipWithAPowerOfTimeSlipsFromThatTimeOn) {
    const std::pair<const char*, double> ways[] = {
        {"max(0, t - 1)^3", 1.0}, {"max(0, t - 0.7)^6", 0.7}, {"-if(t < 1, 0, (t - 1)^5)", 1.0}};
    for (const char* const friction : {"0.3", "0.3 static 0.5"})
        for (const auto& [way, begin] : ways)
            for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
                const Mechanism block = Mechanism::parse(
                    fmt::format("coord x, y\nparticle P at (x, y) mass 2\ngravity (0, -9.81)\n"
                                "constraint floor: y >= 0 friction {}\ncontrol go: x = {} by x\n",
                                friction, way));
                const Motion motion =
                    run(block, {.end = 2.0, .every = 0.1, .tolerance = tolerance});
                ASSERT_TRUE(motion.status) << way << motion.status.message;
                ASSERT_EQ(motion.summary.events.size(), 1U) << way << friction;
                EXPECT_EQ(motion.summary.events[0].kind, "slip");
                EXPECT_NEAR(motion.summary.events[0].t, begin, 1e-12) << way;
                for (std::size_t i = 0; i < motion.column("t").size(); ++i)
                    if (const double t = motion.column("t")[i]; t > begin + 1e-6) {
                        EXPECT_GE(std::abs(motion.column("effort.x")[i]), 0.3 * 2 * 9.81) << t;
                    }
            }
}

/// Without an event of its own.
TEST(ControlAndFriction, WhatBeginsToMoveAtTheStartIsNeverHeld) {
    for (const int power : {3, 4, 6})
        for (const double tolerance : {1e-6, 1e-12}) {
            const Mechanism block = Mechanism::parse(
                fmt::format("coord x, y\nparticle P at (x, y) mass 2\ngravity (0, -9.81)\n"
                            "constraint floor: y >= 0 friction 0.4\ncontrol go: x = t^{} by x\n",
                            power));
            const Motion motion = run(block, {.end = 1.5, .every = 0.1, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << motion.status.message;
            EXPECT_TRUE(motion.summary.events.empty()) << power;
            EXPECT_NEAR(motion.column("effort.x")[1],
                        0.8 * 9.81 + 2 * power * (power - 1) * std::pow(0.1, power - 2), 1e-6);
        }
}

}  // namespace
}  // namespace lacon
