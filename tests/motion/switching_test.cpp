// Decisions in the equations (if, abs, sign, min, max): the motion is smooth between two of them,
// and each turn is found.

#include <numbers>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

/// One coordinate of unit mass under this force.
Mechanism pushed(const std::string& force, const std::string& start) {
    return Mechanism::parse("coord x\nparticle p at (x, 0) mass 1\nforce x = " + force +
                            "\nstart " + start);
}

class Switching : public testing::TestWithParam<std::string> {
protected:
    RunOptions options(double end) const {
        return {.end = end,
                .every = end / 100.0,
                .tolerance = 1e-11,
                .method = GetParam(),
                .step = 0.0078125};
    }
    /// What the method reaches on these examples: fixed steps are short enough, backward
    /// differentiation is not accurate.
    double error() const {
        return GetParam() == "rk4"                            ? 3e-6
               : GetParam() == "bdf" || GetParam() == "adams" ? 1e-7
                                                              : 1e-9;
    }
};
INSTANTIATE_TEST_SUITE_P(Methods, Switching,
                         testing::Values("taylor", "dop853", "dopri5", "adams", "bdf", "rk4",
                                         "gauss"),
                         [](const auto& i) { return i.param; });

/// Where a fixed step would have to be shorter than anyone takes it.
class SwitchingOfVariableStep : public Switching {};
INSTANTIATE_TEST_SUITE_P(Methods, SwitchingOfVariableStep,
                         testing::Values("taylor", "dop853", "dopri5", "adams", "bdf"),
                         [](const auto& i) { return i.param; });

void expect_times(const std::vector<double>& found, const std::vector<double>& exact, double error,
                  const std::string& method) {
    ASSERT_EQ(found.size(), exact.size()) << method;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], exact[i], error) << method;
}

TEST_P(Switching, OneSidedSpringThrowsTheBallBackToItsHeight) {
    // Free fall above 0, an oscillation about −g/k below; both arcs and their durations in closed
    // form.
    const double g = 9.81, k = 400.0, h = 0.5, w = std::sqrt(k);
    const double fall = std::sqrt(2.0 * h / g), v = g * fall,
                 contact = 2.0 * (std::numbers::pi - std::atan(v * w / g)) / w;
    const double period = 2.0 * fall + contact;
    const auto height = [&](long double t) -> long double {
        long double s = std::fmod(t, static_cast<long double>(period));
        if (s <= fall) return h - 0.5L * g * s * s;
        s -= fall;
        if (s <= contact) return -g / k + g / k * std::cos(w * s) - v / w * std::sin(w * s);
        s -= contact;
        return v * s - 0.5L * g * s * s;
    };
    const Motion motion = run_well(pushed("-9.81 - if(x < 0, 400*x, 0)", "x = 0.5"), options(10.0));
    EXPECT_LE(worst_error(motion, "x", height), 100.0 * error());
    std::vector<double> turns;
    for (double t = fall; t < 10.0; t += period) {
        turns.push_back(t);
        if (t + contact < 10.0) turns.push_back(t + contact);
    }
    expect_times(event_times(motion, "switch"), turns, 100.0 * error(), GetParam());
}

TEST_P(Switching, ConstantPullTowardsTheOriginGivesParabolas) {
    // By force −sign(x) and by potential |x|: quarter periods of sqrt(2).
    for (const Mechanism& m :
         {pushed("-sign(x)", "x = 1"),
          Mechanism::parse("coord x\nkinetic x'^2/2\npotential abs(x)\nstart x = 1")}) {
        const Motion motion = run_well(m, options(20.0));
        std::vector<double> turns;
        for (double t = std::sqrt(2.0); t < 20.0; t += 2.0 * std::sqrt(2.0)) turns.push_back(t);
        expect_times(event_times(motion, "switch"), turns, error(), GetParam());
        const double quarters = 20.0 / std::sqrt(2.0),
                     s = std::sqrt(2.0) * std::fmod(quarters, 1.0);  // 14 full quarters
        EXPECT_NEAR(last(motion, "x"), -(1.0 - 0.5 * s * s), 10.0 * error());
    }
}

TEST_P(Switching, DecisionsOnTimeTurnExactlyThen) {
    const Motion motion = run_well(pushed("if(t < 1, 1, -1)", "x = 0"), options(3.0));
    const std::vector<double> turns = event_times(motion, "switch");
    ASSERT_EQ(turns.size(), 1U);
    EXPECT_NEAR(turns[0], 1.0, 1e-14);
    EXPECT_NEAR(last(motion, "x"), 0.5 + 2.0 - 2.0, error());
    EXPECT_NEAR(last(motion, "x'"), -1.0, error());
}

TEST_P(Switching, MinAndMaxKeepTheSmallerAndTheLarger) {
    // min(x, 0) is a spring below, max(x, 0) one above, of another stiffness: half periods pi and
    // pi/2.
    const Motion motion =
        run_well(pushed("-min(x, 0) - 4*max(x, 0)", "x = 1"), options(3.0 * std::numbers::pi));
    const double pi = std::numbers::pi;
    const auto place = [&](long double t) -> long double {
        const long double s = std::fmod(t + 0.25L * pi, 1.5L * static_cast<long double>(pi));
        return s < 0.5L * pi ? std::sin(2.0L * s) : -2.0L * std::sin(s - 0.5L * pi);
    };
    EXPECT_LE(worst_error(motion, "x", place), 10.0 * error());
    // each zero of x turns both, at one instant
    expect_times(event_times(motion, "switch", "min(x, 0)"),
                 {0.25 * pi, 1.25 * pi, 1.75 * pi, 2.75 * pi}, 10.0 * error(), GetParam());
    expect_times(event_times(motion, "switch", "max(x, 0)"),
                 {0.25 * pi, 1.25 * pi, 1.75 * pi, 2.75 * pi}, 10.0 * error(), GetParam());
}

TEST_P(Switching, DecisionsWithinDecisionsAreTakenInTurn) {
    // Outside |x| > 1 a constant pull of 2, inside of 1; at x = ±1 the inner decision, at 0 the
    // sign.
    const Motion motion = run_well(pushed("-sign(x)*if(abs(x) > 1, 2, 1)", "x = 2"), options(6.0));
    // from 2 at rest: x = 2 − t² to t = 1 (speed 2), then x = 1 − 2 s − s²/2 ... speed at 0 is
    // sqrt(4 + 2)
    const double inner = std::sqrt(6.0) - 2.0, zero = 1.0 + inner, quarter = zero;
    const double first_turn = 1.0;
    std::vector<double> at_zero, at_one;
    for (double t = zero; t < 6.0; t += 2.0 * quarter) at_zero.push_back(t);
    for (double t = zero; t < 6.0; t += 2.0 * quarter) {
        at_one.push_back(t - inner);
        if (t + inner < 6.0) at_one.push_back(t + inner);
    }
    EXPECT_NEAR(at_one[0], first_turn, 1e-12);
    expect_times(event_times(motion, "switch", "sign(x)"), at_zero, 10.0 * error(), GetParam());
    const std::vector<double> both = event_times(motion, "switch");
    EXPECT_GE(both.size(), at_zero.size() + at_one.size());
    const auto energy = [&](std::size_t i) {
        const double x = std::abs(motion.column("x")[i]), speed = motion.column("x'")[i];
        return 0.5 * speed * speed + (x > 1.0 ? 1.0 + 2.0 * (x - 1.0) : x);
    };
    for (std::size_t i = 0; i < motion.columns[0].size(); ++i)
        EXPECT_NEAR(energy(i), 3.0, 10.0 * error());
}

TEST_P(Switching, AStartOnASurfaceGoesToTheSideItMovesTo) {
    for (const double speed : {1.0, -1.0}) {
        const Motion motion = run_well(
            pushed("-sign(x)", speed > 0.0 ? "x = 0, x' = 1" : "x = 0, x' = -1"), options(1.0));
        EXPECT_TRUE(motion.summary.events.empty()) << motion.summary.events[0].t;
        EXPECT_NEAR(last(motion, "x"), 0.5 * speed, error());
    }
    // At rest on the edge of a one-sided spring, gravity decides.
    const Motion sinking = run_well(pushed("-1 - if(x < 0, 4*x, 0)", "x = 0"), options(1.0));
    EXPECT_NEAR(last(sinking, "x"), -0.25 * (1.0 - std::cos(2.0)), error());
    const Motion rising = run_well(pushed("1 - if(x < 0, 4*x, 0)", "x = 0"), options(1.0));
    EXPECT_NEAR(last(rising, "x"), 0.5, error());
}

TEST_P(Switching, TurnsAtTheBorderOfStepsAreFoundOnce) {
    // The step is a power of two, so that t = 1 and x = 0 fall on borders exactly for the fixed
    // steps.
    const Motion motion =
        run_well(pushed("if(t < 1, 0, 1) + if(x < 0, 0, 1)", "x = -1, x' = 0.5"), options(4.0));
    // free to t = 1 (x = −0.5), then pushed: x = −0.5 + s/2 + s²/2 = 0 at s = (−1 + sqrt(5))/2, and
    // doubly from there
    const double s = 0.5 * (std::sqrt(5.0) - 1.0), speed = 0.5 + s, rest = 3.0 - s;
    expect_times(event_times(motion, "switch"), {1.0, 1.0 + s}, error(), GetParam());
    EXPECT_NEAR(last(motion, "x"), speed * rest + rest * rest, 10.0 * error());
    const Motion exact = run_well(pushed("if(x < 0, 0, 1)", "x = -1, x' = 0.5"), options(4.0));
    expect_times(event_times(exact, "switch"), {2.0}, 1e-12, GetParam());
    EXPECT_NEAR(last(exact, "x"), 1.0 + 2.0, error());
}

TEST_P(Switching, TwoSurfacesCrossedAtOneInstantAreBothTurned) {
    const Mechanism m = Mechanism::parse(R"(coord x, y
        kinetic (x'^2 + y'^2)/2
        potential abs(x) + abs(y)
        start x = 1, y = -1)");
    const Motion motion = run_well(m, options(10.0));
    std::vector<double> turns;  // of sign(x), sign(y): the derivatives of what is written
    for (double t = std::sqrt(2.0); t < 10.0; t += 2.0 * std::sqrt(2.0)) turns.push_back(t);
    expect_times(event_times(motion, "switch", "sign(x)"), turns, error(), GetParam());
    expect_times(event_times(motion, "switch", "sign(y)"), turns, error(), GetParam());
    EXPECT_NEAR(last(motion, "x"), -last(motion, "y"), error());
    EXPECT_LE(energy_error(motion), error());
}

TEST_P(Switching, SlidingAlongASurfaceIsReported) {
    // The band drives with 1, friction opposes with 2: from x' = 1 it comes to rest at t = 1 and
    // neither side lets it go.
    const Motion motion = run(pushed("1 - 2*sign(x')", "x = 0, x' = 1"), options(3.0));
    EXPECT_EQ(name_of(motion.status.outcome), "no_convergence") << motion.status.message;
    EXPECT_NE(motion.status.message.find("chatters at 'sign(x')'"), std::string::npos)
        << motion.status.message;
    EXPECT_NEAR(motion.summary.final.t, 1.0, error());
    EXPECT_NEAR(motion.summary.final.q[0], 0.5, error());
}

TEST_P(Switching, FrictionTurnsWithTheVelocity) {
    // A cart on a spring with dry friction F < k x: each half swing loses 2 F/k and takes pi.
    const Motion motion =
        run_well(pushed("-x - 0.1*sign(x')", "x = 1"), options(2.5 * std::numbers::pi));
    const double pi = std::numbers::pi;
    expect_times(event_times(motion, "switch"), {pi, 2.0 * pi}, 10.0 * error(), GetParam());
    EXPECT_NEAR(last(motion, "x"), 0.1 + 0.5 * std::cos(2.5 * pi), 10.0 * error());
}

/// A bead of mass 1 beside one of mass 3, led by a rod whose law is a decision on time.
Mechanism led(const std::string& path) {
    return Mechanism::parse(
        "coord x, y\nparticle p at (x, 0) mass 1\nparticle q at (0, y) mass 3\nconstraint c: x + y "
        "= " +
        path + "\nstart x ~ 0, y ~ 0");
}

TEST_P(Switching, AConstraintThatAsksForAJumpOfThePositionEndsTheRun) {
    const Motion motion = run(led("if(t < 1, 0, 0.5)"), options(2.0));
    EXPECT_EQ(name_of(motion.status.outcome), "conflict");
    EXPECT_EQ(motion.status.names, std::vector<std::string>{"c"});
    EXPECT_NE(motion.status.message.find("requires a position jump"), std::string::npos)
        << motion.status.message;
    EXPECT_NEAR(motion.summary.final.t, 1.0, 1e-12);
}

TEST(SwitchingJump, AJumpThatFailsLeavesTheStateBeforeIt) {
    // At this tolerance a step by itself ends visibly beside the rod.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        gravity (0, -9.81)
        constraint rod: norm(p) = if(t < 1, 1, 1.5)
        start x = 1, y = 0)");
    const Motion motion = run(m, {.end = 2.0, .tolerance = 1e-4, .method = "dopri5"});
    EXPECT_EQ(name_of(motion.status.outcome), "conflict") << motion.status.message;
    const State& final = motion.summary.final;
    EXPECT_NEAR(final.t, 1.0, 1e-12);
    EXPECT_NEAR(std::hypot(final.q[0], final.q[1]), 1.0, 1e-13);
    EXPECT_NEAR(final.q[0] * final.v[0] + final.q[1] * final.v[1], 0.0, 1e-12);
}

TEST_P(Switching, AConstraintThatAsksForAJumpOfTheVelocityGivesTheLeastImpulse) {
    const Motion motion = run_well(led("max(0, t - 1)"), options(2.0));
    ASSERT_EQ(event_times(motion, "impact").size(), 1U);
    EXPECT_NEAR(event_times(motion, "impact")[0], 1.0, 1e-12);
    EXPECT_NEAR(last(motion, "x'"), 0.75, 1e-9);  // equal impulses: the velocities are as 3 to 1
    EXPECT_NEAR(last(motion, "y'"), 0.25, 1e-9);
}

TEST_P(SwitchingOfVariableStep, AThinRegionWithAStrongForceIsPassedFromItsEdgeOn) {
    // Behind the edge a step may span 1e15 times the depth of the region.
    for (const double force : {100.0, 1000.0, 1e5}) {
        const Mechanism m = Mechanism::parse(
            "coord x, y\nparticle p at (x, y) mass 1\nforce x = if((x - 20)^2 + (y - 1)^2 < "
            "1e-4, " +
            shortest(force) + ", 0)\nstart x' = 1, y = 1.002\n");
        const Motion motion = run_well(m, options(50.0));
        const double speed = std::sqrt(1.0 + 4.0 * force * std::sqrt(1e-4 - 4e-6));
        EXPECT_NEAR(motion.summary.final.v[0], speed, 1e-6 * speed) << force;
        EXPECT_EQ(motion.summary.events.size(), 2U) << force;
    }
}

TEST(SwitchingTaylor, DragFromRestHasNoSeriesAndIsPassedAllTheSame) {
    const Mechanism fall = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -10)\nforce p = "
        "-0.1*norm(p')*p'\nstart x = 0, y = 0");
    const Motion motion = run_well(fall, {.end = 2.0, .tolerance = 1e-11});
    EXPECT_EQ(motion.summary.method, "taylor");
    EXPECT_NEAR(last(motion, "y'"), -10.0 * std::tanh(2.0),
                1e-9);  // terminal speed 10, time constant 1
    EXPECT_NEAR(last(motion, "y"), -10.0 * std::log(std::cosh(2.0)), 1e-9);
}

TEST_P(SwitchingOfVariableStep, ABallBouncesOnAHertzianFloorWithoutLoss) {
    const Mechanism ball = Mechanism::parse(
        "coord y\nparticle p at (0, y) mass 1\ngravity (0, -10)\npotential 400*max(0, "
        "-y)^2.5\nstart y = 0.2\n");
    const Motion motion = run_well(ball, options(0.7));
    EXPECT_LE(energy_error(motion), 1e-5);
    const auto times = event_times(motion, "switch");
    ASSERT_GE(times.size(), 2U);
    EXPECT_NEAR(times[0], 0.2, 10.0 * error());  // sqrt(2 h / g)
}

}  // namespace
}  // namespace lacon::motions
