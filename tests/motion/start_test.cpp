// The search for a start state: the nearest one, conflicts, failures.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "lacon/mechanism.hpp"
#include "lacon/motion.hpp"

namespace lacon {
namespace {

Start start_of(const std::string& text) {
    return Mechanism::parse(text).start();
}

const std::string circle = "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x^2 + y^2 = 1\n";

TEST(Start, GuessesMoveToTheNearestConsistentState) {
    const Start s = start_of(circle + "start x ~ 3, y ~ 4, x' ~ 1, y' ~ 0");
    ASSERT_TRUE(s.status) << s.status.message;
    EXPECT_NEAR(s.state.q[0], 0.6, 1e-12);
    EXPECT_NEAR(s.state.q[1], 0.8, 1e-12);
    // The velocity loses its radial part and nothing else.
    EXPECT_NEAR(s.state.v[0], 0.64, 1e-12);
    EXPECT_NEAR(s.state.v[1], -0.48, 1e-12);
}

TEST(Start, NearestIsMeantInTheMassMetric) {
    // Least 9 x² + y² shift onto x + y = 10: the light coordinate moves nine times as far.
    const Start s = start_of("coord x, y\nkinetic 9*x'^2/2 + y'^2/2\nconstraint c: x + y = 10");
    ASSERT_TRUE(s.status);
    EXPECT_NEAR(s.state.q[0], 1.0, 1e-12);
    EXPECT_NEAR(s.state.q[1], 9.0, 1e-12);
}

TEST(Start, NearestPointOnACurveIsFoundNotJustAnyPoint) {
    // Nearest point of y = x² to (3, 0): 2x³ + x − 3 = 0, so x = 1.
    const Start s = start_of(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: y = x^2\nstart x ~ 3, y ~ 0");
    ASSERT_TRUE(s.status);
    EXPECT_NEAR(s.state.q[0], 1.0, 1e-9);
}

TEST(Start, AGuessOnAnAxisOfSymmetryStillFindsTheNearestPoint) {
    // From (0, 5) the vertex of y = x² is the farthest of its neighbours; nearest are (±√4.5, 4.5).
    const Start s = start_of(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: y = x^2\nstart x ~ 0, y ~ 5");
    ASSERT_TRUE(s.status);
    EXPECT_NEAR(std::abs(s.state.q[0]), std::sqrt(4.5), 1e-8);
    EXPECT_NEAR(s.state.q[1], 4.5, 1e-8);
}

TEST(Start, CirclesThatDoNotMeetConflict) {
    const Start s = start_of(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: norm(p) = 1\nconstraint b: norm(p "
        "- (5, 0)) = 1\nstart x ~ 2, y "
        "~ 0.3");
    EXPECT_EQ(s.status.outcome, Outcome::conflict);
    EXPECT_EQ(s.status.names, (std::vector<std::string>{"a", "b"}));
    EXPECT_NEAR(s.position_residual, 1.5, 1e-3);
}

TEST(Start, ResidualsOfStabilizedConstraintsAreTold) {
    const Start s = start_of(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x^2 + y^2 = 1 stabilize 1 2\nstart "
        "x = 2, y = 0");
    EXPECT_DOUBLE_EQ(s.position_residual, 3.0);
}

TEST(Start, FixedValuesNeverMove) {
    const Start s = start_of(circle + "start x = 0.6, y ~ -2");
    ASSERT_TRUE(s.status);
    EXPECT_EQ(s.state.q[0], 0.6);
    EXPECT_NEAR(s.state.q[1], -0.8, 1e-14);
    ASSERT_EQ(s.moved.size(), 1u);
    EXPECT_EQ(s.moved[0].name, "y");
    EXPECT_NEAR(s.moved[0].by, 1.2, 1e-14);
}

TEST(Start, ASingularGuessIsLeft) {
    const Start s = start_of(circle);  // all guesses 0: no derivative there
    ASSERT_TRUE(s.status) << s.status.message;
    EXPECT_NEAR(std::hypot(s.state.q[0], s.state.q[1]), 1.0, 1e-14);
}

TEST(Start, NonlinearVelocityConstraintsAreMet) {
    const Start s = start_of(
        "coord x, y, z\nparticle p at (x, y, z) mass 1\nconstraint c: z'^2 = x'^2 + y'^2\nstart x' "
        "= 3, y' = 4, z' ~ 1");
    ASSERT_TRUE(s.status);
    EXPECT_NEAR(s.state.v[2], 5.0, 1e-13);
}

TEST(Start, PositionsThatContradictEachOtherAreAConflictWithNames) {
    const Start s = start_of(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint left: x = 0\nconstraint right: x = "
        "1\nconstraint other: y = 2");
    EXPECT_EQ(s.status.outcome, Outcome::conflict);
    EXPECT_EQ(s.status.names, (std::vector<std::string>{"left", "right"}));
}

TEST(Start, FixedValuesThatCannotBeMetAreReportedWithResiduals) {
    const Start s = start_of(circle + "start x = 1, y = 1");
    EXPECT_EQ(s.status.outcome, Outcome::no_start);
    EXPECT_EQ(s.status.names, (std::vector<std::string>{"c"}));
    EXPECT_DOUBLE_EQ(s.position_residual, 1.0);
    EXPECT_EQ(s.status.message,
              "no start state meets the constraints at position level; left unmet: 'c' by 1");
}

TEST(Start, AConstraintWithoutRealSolutionsIsReported) {
    const Start s =
        start_of("coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x^2 + y^2 = -1");
    EXPECT_EQ(s.status.outcome, Outcome::no_start);
    EXPECT_EQ(s.status.names, (std::vector<std::string>{"c"}));
}

TEST(Start, RedundantConstraintsDoNotDisturb) {
    const Start s = start_of(
        circle +
        "constraint d: sqrt(x^2 + y^2) = 1\nconstraint e: 5*x^2 + 5*y^2 = 5\nstart x ~ 2, y ~ 1");
    ASSERT_TRUE(s.status) << s.status.message;
    EXPECT_LT(s.position_residual, 1e-14);
}

TEST(Start, StabilizedConstraintsMayBeEnteredLater) {
    const Start fixed = start_of(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x^2 + y^2 = 1 stabilize 2 1\nstart "
        "x = 2, y = 0");
    EXPECT_TRUE(fixed.status) << fixed.status.message;
    EXPECT_EQ(fixed.state.q[0], 2.0);
    const Start guess = start_of(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x^2 + y^2 = 1 stabilize 2 1\nstart "
        "x ~ 2, y = 0");
    EXPECT_NEAR(guess.state.q[0], 1.0, 1e-13);
}

TEST(Start, BeginsAtTheTimeOfTheSimulation) {
    const Start s =
        start_of("coord x\nparticle p at (x, 0) mass 1\nconstraint c: x = t^2\nsimulate 2..5");
    EXPECT_EQ(s.state.t, 2.0);
    EXPECT_NEAR(s.state.q[0], 4.0, 1e-14);
    EXPECT_NEAR(s.state.v[0], 4.0, 1e-14);
}

TEST(Start, CirclesThatTouchNowhereAreAProvenConflictAtAnyDistance) {
    for (const double gap : {0.05, 1.0, 100.0}) {
        const Start s = start_of("param d = " + std::to_string(2.0 + gap) +
                                 "\ncoord x, y\nparticle p at (x, y) mass 1\nconstraint a: norm(p) "
                                 "= 1\nconstraint b: norm(p - "
                                 "(d, 0)) = 1\nstart x ~ 7, y ~ -3");
        EXPECT_EQ(s.status.outcome, Outcome::conflict) << gap;
        EXPECT_EQ(s.conflicts.size(), 1U) << gap;
    }
}

TEST(Start, WhatIsNotProvenToConflictIsNotCalledAConflict) {
    // cos a + cos b = sin a + sin b = 1.9 has no solution, but intervals over all angles do not
    // show it.
    const Start s = start_of(
        "coord a, b\nkinetic (a'^2 + b'^2)/2\nconstraint cx: cos(a) + cos(b) = 1.9\nconstraint cy: "
        "sin(a) + sin(b) = 1.9\n"
        "start a ~ 30, b ~ 1");
    EXPECT_EQ(s.status.outcome, Outcome::no_start);
    EXPECT_TRUE(s.conflicts.empty());
    EXPECT_NE(s.status.message.find("no start state found at position level after 265 attempts"),
              std::string::npos)
        << s.status.message;
    EXPECT_NE(s.status.message.find("seed 1"), std::string::npos);
}

TEST(Start, LinearConstraintsThatAddUpToSomethingElseConflict) {
    const Start s = start_of(
        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: x + y = 1\nconstraint b: y + "
        "z = 2\n"
        "constraint c: x - z = 3\nconstraint d: x*y = 5");
    EXPECT_EQ(s.status.outcome, Outcome::conflict);
    ASSERT_EQ(s.conflicts.size(), 1U);
    EXPECT_EQ(s.conflicts[0], (std::vector<std::string>{"a", "b", "c"}));
}

/// A platform (x, y, angle) on three legs, built at a known state and guessed elsewhere.
std::string platform(std::mt19937_64& random) {
    const auto draw = [&](double reach) {
        return std::uniform_real_distribution<>(-reach, reach)(random);
    };
    const double x = draw(1.0), y = draw(1.0), angle = draw(3.0);
    const double base[3][2] = {{0.0, 0.0}, {3.0, 0.0}, {1.5, 2.6}},
                 top[3][2] = {{-0.5, -0.3}, {0.5, -0.3}, {0.0, 0.6}};
    std::ostringstream text;
    text.precision(17);
    text << "coord x, y, th\nkinetic (x'^2 + y'^2)/2 + 0.1*th'^2\n";
    for (int i = 0; i < 3; ++i) {
        const double dx =
            x + top[i][0] * std::cos(angle) - top[i][1] * std::sin(angle) - base[i][0];
        const double dy =
            y + top[i][0] * std::sin(angle) + top[i][1] * std::cos(angle) - base[i][1];
        text << "constraint leg" << i << ": (x + (" << top[i][0] << ")*cos(th) - (" << top[i][1]
             << ")*sin(th) - " << base[i][0] << ")^2 + (y + (" << top[i][0] << ")*sin(th) + ("
             << top[i][1] << ")*cos(th) - " << base[i][1] << ")^2 = " << dx * dx + dy * dy << "\n";
    }
    text << "start x ~ " << draw(5.0) << ", y ~ " << draw(5.0) << ", th ~ " << draw(10.0) << "\n";
    return text.str();
}

TEST(Start, PlatformsThatExistAreFoundFromFarGuessesAndTurnByLessThanHalf) {
    std::mt19937_64 random(4);
    for (int trial = 0; trial < 30; ++trial) {
        const Start s = start_of(platform(random));
        ASSERT_TRUE(s.status) << "trial " << trial << ": " << s.status.message;
        for (const Start::Move& move : s.moved) {
            if (move.name != "th") continue;
            EXPECT_LE(std::abs(move.by), 3.1416) << "trial " << trial;
        }
    }
}

TEST(Start, SolutionsBehindFlatPlacesAreFound) {
    // exp(−(x² + y²)/2) x has no slope far out; the cubic crosses its level near the origin.
    for (const double guess : {-6.0, -3.0, 4.0, 6.0}) {
        const Start s = start_of(
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint f: exp(-(x^2 + y^2)/2)*x = "
            "0.3\nconstraint g: y = x^3 "
            "- x\nstart x ~ " +
            std::to_string(guess) + ", y ~ 5");
        EXPECT_TRUE(s.status) << guess << ": " << s.status.message;
    }
}

TEST(Start, AnAngleThatAConstraintCountsIsNotTurnedBack) {
    // A wheel that has rolled: the angle is fixed by the way, whatever turns it takes.
    const Start s = start_of(
        "coord x, th\nkinetic (x'^2 + th'^2)/2\nconstraint roll: x = 0.5*th\nstart x = 20, th ~ 0");
    ASSERT_TRUE(s.status);
    EXPECT_NEAR(s.state.q[1], 40.0, 1e-12);
}

TEST(Start, NoTurnsAreTakenBackFromWhatIsNoAngle) {
    // exp(x) changes by less than 1e-9 when x = -27.6 turns once, and yet x is no angle.
    for (const double c : {1e-12, 3e-9, 2e-40, 1e-300}) {
        const Start s =
            start_of(fmt::format("coord x\nkinetic 0.5*x'^2\nconstraint c: exp(x) = {}\n", c));
        ASSERT_TRUE(s.status) << c << ": " << s.status.message;
        EXPECT_NEAR(s.state.q[0], std::log(c), 1e-14 * std::abs(std::log(c))) << c;
        EXPECT_LE(s.position_residual, 1e-12 * c) << c;
    }
    for (const double c : {20.0, 33.3, 50.0, 300.0}) {
        const Start s = start_of(
            fmt::format("coord x\nkinetic 0.5*x'^2\nconstraint c: log(x) = {}\nstart x ~ 1", c));
        ASSERT_TRUE(s.status) << c << ": " << s.status.message;
        EXPECT_NEAR(s.state.q[0] / std::exp(c), 1.0, 1e-12) << c;
    }
}

TEST(Start, AFlatTermStillCountsInTheResidual) {
    // tanh(1.84 y) and exp(y/1.44) hardly change where y is far below zero.
    const Start s = start_of(R"(coord x, y
        kinetic 0.5*x'^2 + 0.5*y'^2
        constraint c0: tanh(1.84*y) + exp(y/1.44) + x^3 = -686775.0586598929
        constraint c1: cos(x - y)*2.73 = 1.109168077932029)");
    ASSERT_TRUE(s.status) << s.status.message;
    const double x = s.state.q[0], y = s.state.q[1];
    EXPECT_NEAR(x, std::cbrt(-686775.0586598929 - std::tanh(1.84 * y) - std::exp(y / 1.44)), 1e-12);
    EXPECT_NEAR(std::cos(x - y), 1.109168077932029 / 2.73, 1e-9);
}

TEST(Start, ALargeDerivativeExcusesNoResidual) {
    // x = e, x y = c: beside the slope y of the second row, its residual is nothing.
    for (const double e : {1e-9, 3e-8, 1e-7, 1e-11})
        for (const double c : {1.0, 0.37}) {
            const Start s =
                start_of(fmt::format("coord x, y\nkinetic 0.5*x'^2 + 0.5*y'^2\n"
                                     "constraint c0: x*y = {}\nconstraint c1: x = {}\n",
                                     c, e));
            ASSERT_TRUE(s.status) << s.status.message;
            EXPECT_NEAR(s.state.q[1] * e / c, 1.0, 1e-11) << e;
            EXPECT_LE(s.position_residual, 1e-11) << e;
        }
}

TEST(Start, LargeSquaresAreFoundFromSmallGuesses) {
    for (const double r : {1e11, 7e8, 1e6}) {
        const Start s =
            start_of(fmt::format("coord x, y\nkinetic 0.5*x'^2 + 0.5*y'^2\n"
                                 "constraint c: x^2 + y^2 = {}\nconstraint d: x = {}\n"
                                 "start y ~ 1",
                                 r * r, 0.6 * r));
        ASSERT_TRUE(s.status) << s.status.message;
        EXPECT_NEAR(s.state.q[1], 0.8 * r, 1e-12 * r);
    }
}

TEST(Start, WhatIsNearZeroIsFoundThere) {
    struct Case {
        const char* constraint;
        double x;
    };
    for (const auto& [constraint, x] :
         {Case{"log(x) = -50", std::exp(-50.0)}, Case{"log(x) = -600", std::exp(-600.0)},
          Case{"x^0.1 = 1e-3", 1e-30}, Case{"log(x/1e-30) = 2", 1e-30 * std::exp(2.0)}}) {
        const Start s = start_of(
            fmt::format("coord x\nkinetic x'^2/2\nconstraint c: {}\nstart x ~ 1", constraint));
        ASSERT_TRUE(s.status) << constraint << s.status.message;
        EXPECT_NEAR(s.state.q[0] / x, 1.0, 1e-11) << constraint;
    }
}

TEST(Start, ASteepRowHidesNoOther) {
    // Where log(x) is −50 its row is 1e22 long, and beside it the second one says nothing of y.
    for (const double value : {-30.0, -50.0, -200.0}) {
        const Start start = start_of(
            fmt::format("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: log(x) = {}\n"
                        "constraint b: y = log(x)*0.5 + 1\nstart x ~ 1, y ~ 0\n",
                        value));
        ASSERT_TRUE(start.status) << value << start.status.message;
        EXPECT_NEAR(std::log(start.state.q[0]), value, 1e-9 * std::abs(value));
        EXPECT_NEAR(start.state.q[1], 0.5 * value + 1.0, 1e-9 * std::abs(value));
    }
}

TEST(Start, RowsWithinTheRankToleranceAreNamedWhereARunCannotMeetThem) {
    const Motion motion =
        run(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x + y = 1\n"
                             "constraint b: x + (1 + 1e-11)*y = 1\nstart y ~ 1"),
            {.end = 1.0});
    EXPECT_EQ(name_of(motion.status.outcome), "no_convergence");
    for (const char* part : {"'a' and 'b'", "5e-12", "--rank-tol"})
        EXPECT_NE(motion.status.message.find(part), std::string::npos) << motion.status.message;
}

TEST(Start, ACoordinateThatRunsAwayExcusesNoOther) {
    // y/(y^2 + 2.88) falls to nothing far out, where no Newton step comes back from; 0.929
    // and 3.098 meet it.
    const Mechanism m = Mechanism::parse(R"(coord x, y, w
        particle p at (x, y, w) mass 1
        constraint c0: x + 0.2*sin(x) = -0.5287303598516248
        constraint c1: 1.27*w - 1.59*x = -0.018259999999999905
        constraint c2: w - 0.403*y/(y^2 + 2.88) = -0.6690801089481695
        start x ~ -1.023644, y ~ 1.586, w = -0.569)");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    const double y = start.state.q[1];
    EXPECT_LE(std::abs(start.state.q[2] - 0.403 * y / (y * y + 2.88) + 0.6690801089481695), 1e-13)
        << y;
    EXPECT_LE(start.position_residual, 1e-13);
}

}  // namespace
}  // namespace lacon
