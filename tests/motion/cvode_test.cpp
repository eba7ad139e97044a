// Adams and backward differentiation where their beginnings are hard: coordinates of 1e11, zeros
// among them, and steep ramps.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

class Multistep : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Multistep, testing::Values("adams", "bdf"),
                         [](const auto& i) { return i.param; });

/// Rest until the ramp begins, then x'' + x = F(t) with F from 0 to `top` within `rise`: the end of
/// the motion.
double after_ramp(double top, double begin, double rise, double end) {
    // The response to a ramp of slope s from b on is s ((t − b) − sin(t − b)); a second one takes
    // the slope back.
    const auto part = [](double t) { return t - std::sin(t); };
    return top / rise * (part(end - begin) - part(end - begin - rise));
}

TEST_P(Multistep, PlanetsInMetresAndSecondsGoRound) {
    // A circle and an ellipse about a fixed sun, begun where a coordinate is zero and fast.
    const Mechanism m = Mechanism::parse(R"(param GM = 1.32712440018e20, a = 1.496e11
        coord x, y, u, v
        particle earth at (x, y) mass 5.97e24
        particle probe at (u, v) mass 800
        potential -GM*5.97e24/hypot(x, y) - GM*800/hypot(u, v)
        start x = a, y = 0, x' = 0, y' = sqrt(GM/a), u = 0, v = -2*a, u' = sqrt(GM/a/2), v' = 0)");
    const double period = 2.0 * M_PI * std::sqrt(std::pow(1.496e11, 3) / 1.32712440018e20);
    const Motion motion =
        run_well(m, {.end = period, .every = period, .tolerance = 1e-10, .method = GetParam()});
    EXPECT_NEAR(last(motion, "x") / 1.496e11, 1.0, 3e-7);
    EXPECT_NEAR(last(motion, "y") / 1.496e11, 0.0, 3e-7);
    EXPECT_NEAR(std::hypot(last(motion, "u"), last(motion, "v")) / 2.992e11, 1.0, 3e-7);
}

TEST_P(Multistep, RestInLargeUnitsIsNoReasonToStop) {
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1e20
        potential 0.5*1e8*((x - 3e12)^2 + y^2)
        start x = 3e12, y = 0, x' = 0, y' = 4e4)");  // w = 1e-6
    const Motion motion =
        run_well(m, {.end = 5e6, .every = 5e6, .tolerance = 1e-10, .method = GetParam()});
    EXPECT_NEAR(last(motion, "y"), 4e10 * std::sin(5.0), 1e-6 * 4e10);
}

TEST_P(Multistep, AFastStraightMotionBegins) {
    for (const double speed : {4e5, 3e7, 1e10}) {
        const Mechanism m = Mechanism::parse(
            fmt::format("coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -2)\n"
                        "start x' = {}, y = 1.5",
                        speed));
        const Motion motion =
            run_well(m, {.end = 3000.0, .every = 3000.0, .tolerance = 1e-10, .method = GetParam()});
        EXPECT_NEAR(last(motion, "x") / speed, 3000.0, 1e-6) << speed;
        EXPECT_NEAR(last(motion, "y"), 1.5 - 9e6, 1e-2) << speed;
    }
}

TEST_P(Multistep, OscillationsOfAnySizeBeginAtRest) {
    for (const double size : {1e9, 1e11, 4e12, 1e15})
        for (const double w : {1.0, 0.03, 7.0}) {
            const Mechanism m = Mechanism::parse(
                fmt::format("coord x\nparticle p at (x) mass 1\npotential 0.5*({}*x)^2\n"
                            "start x = {}",
                            w, size));
            const double end = 10.0 / w;
            const Motion motion =
                run_well(m, {.end = end, .every = end, .tolerance = 1e-10, .method = GetParam()});
            EXPECT_NEAR(last(motion, "x") / size, std::cos(10.0), 1e-7) << size << ", " << w;
        }
}

TEST(Radau, BeginsAtRestInLargeUnits) {
    for (const double size : {1e11, 3e12, 1e15}) {
        const Mechanism m = Mechanism::parse(fmt::format(
            "coord x\nparticle p at (x) mass 1\npotential 0.5*x^2\nstart x = {}", size));
        const Motion motion =
            run_well(m, {.end = 10.0, .every = 10.0, .tolerance = 1e-10, .method = "radau"});
        EXPECT_NEAR(last(motion, "x") / size, std::cos(10.0), 1e-8) << size;
    }
}

TEST_P(Multistep, WallsAreNotJumpedInto) {
    // All that comes back from a wall is turned round.
    struct Wall {
        const char* potential;
        double end;
    };
    for (const Wall& wall : {Wall{"3*(tanh((x - 43.2)/1e-4) - tanh((x - 43.22)/1e-4))", 100.0},
                             Wall{"7*(1 + tanh((x - 36.66)/0.00124))", 300.0},
                             Wall{"3.413*(1 + tanh((x - 54.856)/0.0004))", 300.0},
                             Wall{"7.3*(1 + tanh((x - 19.2387)/0.000225))", 200.0}}) {
        const Mechanism m =
            Mechanism::parse(fmt::format("coord x\nparticle p at (x) mass 1\npotential {}\n"
                                         "start x = 0, x' = 1",
                                         wall.potential));
        const Motion motion = run_well(
            m, {.end = wall.end, .every = wall.end, .tolerance = 1e-10, .method = GetParam()});
        EXPECT_NEAR(last(motion, "x'"), -1.0, 1e-6) << wall.potential;
    }
}

TEST_P(Multistep, ABumpOfAMeasuredRoadThrowsBack) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("lacon_bump_" + GetParam());
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "road.csv") << "0,0\n20,0\n40,0\n50,0\n50.05,0.4\n50.1,0\n60,0\n100,0\n";
    for (const double speed : {2.0, 2.4})
        for (const double tolerance : {1e-9, 1e-10}) {
            const Mechanism m = Mechanism::parse(
                fmt::format("coord x, y\ndata road = \"road.csv\" monotone\n"
                            "particle p at (x, y) mass 1\ngravity (0, -10)\n"
                            "constraint c: y = road(x)\nstart x = 1, y ~ 0, x' = {}, y' ~ 0",
                            speed),
                (folder / "m.lac").string());
            const Motion motion = run_well(
                m, {.end = 45.0 * 2.0 / speed, .tolerance = tolerance, .method = GetParam()});
            EXPECT_NEAR(last(motion, "x'"), -speed, 3e-6) << tolerance;
            EXPECT_LT(motion.summary.steps, 20'000U);
        }
}

TEST_P(Multistep, TheFootOfASteepRampIsPassed) {
    for (const double rise : {1e-2, 1e-4, 1e-6}) {
        const std::string T = std::to_string(rise * 1e6) + "e-6";
        for (const std::string F :
             {"100*min(max((t - 1)/T, 0), 1)", "if(t < 1, 0, if(t < 1 + T, 100*(t - 1)/T, 100))"}) {
            const Mechanism m = Mechanism::parse(
                "param T = " + T + "\ncoord x\nparticle p at (x, 0) mass 1\nforce x = -x + " + F +
                "\nstart x = 0, x' = 0\n");
            const Motion motion =
                run_well(m, {.end = 3.0, .every = 3.0, .tolerance = 1e-10, .method = GetParam()});
            EXPECT_NEAR(last(motion, "x"), after_ramp(100.0, 1.0, rise, 3.0), 1e-4)
                << F << " within " << rise;
        }
    }
}

TEST_P(Multistep, ASteepRampOfTanhIsPassed) {
    const Mechanism m = Mechanism::parse(R"(coord x
        particle p at (x, 0) mass 1
        force x = -x + 50*(1 + tanh((t - 1)/1e-4))
        start x = 0, x' = 0)");
    const Motion motion =
        run_well(m, {.end = 3.0, .every = 3.0, .tolerance = 1e-10, .method = GetParam()});
    EXPECT_NEAR(last(motion, "x"), 100.0 * (1.0 - std::cos(2.0)), 1e-4);
}

TEST_P(Multistep, ADecisionThatIsPassedFastIsNoSliding) {
    // A pendulum through a window of 2e-3 rad; the other roads are dop853 and the number of
    // crossings.
    const Mechanism mechanism = Mechanism::parse(
        "coord a, y\nkinetic (a'^2 + y'^2)/2\npotential -9.81*cos(a)\n"
        "force y = 1914*max(0, 1 - ((a + 0.0752)/0.00104)^2)\nstart a = 2.222");
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
        const Motion motion =
            run_well(mechanism, {.end = 8.0, .tolerance = tolerance, .method = GetParam()});
        const Motion other =
            run_well(mechanism, {.end = 8.0, .tolerance = 1e-12, .method = "dop853"});
        EXPECT_EQ(event_times(motion, "switch").size(), event_times(other, "switch").size())
            << tolerance;
        EXPECT_NEAR(last(motion, "y'"), last(other, "y'"), 1e3 * tolerance + 1e-8) << tolerance;
    }
}

TEST_P(Multistep, ATinyToleranceInLargeUnitsIsThatOfRounding) {
    const Motion motion = run_well(
        Mechanism::parse(
            "coord x, y\nparam mu = 3.986004418e14, R = 6.9e6\nparticle s at (x, y) mass 420\n"
            "potential -mu*420/hypot(x, y)\nforce x = -420*5*x', y = -420*5*y'\n"
            "start x = R + 10, y = 0, x' = 0, y' = sqrt(mu/R)"),
        {.end = 30.0, .tolerance = 1e-15, .method = GetParam()});
    EXPECT_GT(motion.summary.rounding.steps, 0U);
}

TEST_P(Multistep, APendulumFarFromTheOriginCostsNoMoreBelowItsRounding) {
    // Its rod turns with the last places of coordinates that are known to 1e-16 of 3e7 and 1e8.
    for (const double far : {3e7, 1e8}) {
        const Mechanism m = Mechanism::parse(
            fmt::format("coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -9.81)\n"
                        "constraint c: (x - {0})^2 + (y - {0})^2 = 1\nstart x ~ {0} + 1, y ~ {0}",
                        far));
        const Mechanism near =
            Mechanism::parse("coord a\nkinetic a'^2/2\npotential 9.81*sin(a)\nstart a = 0");
        const double angle = run_well(near, {.end = 0.4}).summary.final.q[0];
        std::size_t above = 0;
        for (const double tolerance : {1e-9, 1e-11, 1e-13}) {
            const Motion motion =
                run_well(m, {.end = 0.4, .tolerance = tolerance, .method = GetParam()});
            if (above == 0) above = motion.summary.steps;
            EXPECT_LE(motion.summary.steps, std::max<std::size_t>(1000, 2 * above)) << tolerance;
            // A position has a tolerance of its own size.
            EXPECT_NEAR(motion.summary.final.q[0] - far, std::cos(angle),
                        10.0 * (tolerance * far + 1e-5))
                << tolerance;
        }
    }
}

}  // namespace
}  // namespace lacon::motions
