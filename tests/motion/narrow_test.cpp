// What is narrow beside the motion: pulses, barriers, obstacles, bumps of a road, windows of time.
// Closed forms, and second roads that cannot miss it.

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using std::numbers::pi;

class Narrow : public testing::TestWithParam<std::string> {
protected:
    Motion run_to(const std::string& text, double end) const {
        return run_well(
            Mechanism::parse(text),
            {.end = end, .every = end / 200.0, .tolerance = 1e-11, .method = GetParam()});
    }
    double error() const { return GetParam() == "taylor" || GetParam() == "dop853" ? 1e-8 : 1e-6; }
};
INSTANTIATE_TEST_SUITE_P(Methods, Narrow,
                         testing::Values("taylor", "dop853", "dopri5", "adams", "bdf"),
                         [](const auto& i) { return i.param; });

std::string free_particle(const std::string& rest) {
    return "coord x\nkinetic x'^2/2\n" + rest;
}

TEST_P(Narrow, APulseMayDivideByAnExponentialThatOverflows) {
    const Motion motion = run_to(free_particle("force x = 1/exp(((t - 5.3)/0.02)^2)"), 10.0);
    EXPECT_NEAR(last(motion, "x'"), 0.02 * std::sqrt(pi), error());
    EXPECT_LT(motion.summary.steps, 2'000U);
}

TEST_P(Narrow, APulseInTimeGivesItsImpulse) {
    struct Pulse {
        double at, width, end;
    };
    for (const auto& [at, width, end] :
         {Pulse{60.0, 3.0, 100.0}, Pulse{5.3, 0.05, 10.0}, Pulse{37.7, 1e-3, 50.0}}) {
        const Motion motion = run_to(free_particle("force x = exp(-((t - " + std::to_string(at) +
                                                   ")/" + std::to_string(width) + ")^2)"),
                                     end);
        const double impulse = width * std::sqrt(pi);
        EXPECT_NEAR(last(motion, "x'"), impulse, error() * (1.0 + impulse)) << width;
        EXPECT_NEAR(last(motion, "x"), impulse * (end - at), error() * (1.0 + impulse * end))
            << width;
    }
}

/// ∫ (1/v(x) − 1/v(∞)) dx over a potential V that vanishes fast far away, of what comes with v = 1:
/// the time lost on it, in units of its width. By the trapezoidal rule, which is exact for such
/// integrands.
template <class Potential>
double delay(Potential V) {
    double sum = 0.0;
    constexpr double step = 1.0 / 64.0;
    for (int i = -64 * 45; i <= 64 * 45; ++i) sum += 1.0 / std::sqrt(1.0 - 2.0 * V(i * step)) - 1.0;
    return sum * step;
}

// Logistic steps and bells written with cosh overflow far away, in themselves or in their
// derivatives, and force nothing there.
TEST_P(Narrow, WhatOverflowsFarAwayForcesNothingThere) {
    const auto bell = [](double w) { return 0.2 / std::cosh(w); };
    const auto steep = [](double w) { return 0.3 / std::pow(std::cosh(w), 2); };
    const auto hill = [](double w) { return 0.9 / ((1 + std::exp(w)) * (1 + std::exp(-w))); };
    const std::vector<std::pair<std::string, double>> hills = {
        {"0.2/cosh(900*(x - 1.3))", delay(bell) / 900},
        {"0.3/cosh(700*(x - 1.3))^2", delay(steep) / 700},
        {"0.9*exp(800*(x - 1.3))/(1 + exp(800*(x - 1.3)))^2", delay(hill) / 800},
        {"0.9/((1 + exp(800*(x - 1.3)))*(1 + exp(800*(1.3 - x))))", delay(hill) / 800}};
    for (const auto& [potential, lost] : hills) {
        const Motion motion =
            run_to(free_particle("potential " + potential + "\nstart x' = 1\n"), 3.0);
        EXPECT_NEAR(last(motion, "x'"), 1.0, error()) << potential;
        EXPECT_NEAR(last(motion, "x"), 3.0 - lost, error()) << potential;
    }
    for (const char* step : {"0.42/(1 + exp(-1100*(x - 1.3)))",
                             "0.42*exp(1100*(x - 1.3))/(1 + exp(1100*(x - 1.3)))"}) {
        const Motion motion =
            run_to(free_particle("potential " + std::string(step) + "\nstart x' = 1\n"), 3.0);
        EXPECT_NEAR(last(motion, "x'"), 0.4, error()) << step;  // 1 = v² + 2 ⋅ 0.42
    }
}

TEST_P(Narrow, PeriodicKicksAreAllFelt) {
    const Motion motion = run_to(free_particle("force x = exp(80*(cos(t) - 1))"), 9.0 * pi);
    const double kick = 2.0 * pi * std::exp(-80.0) * std::cyl_bessel_i(0.0, 80.0);
    EXPECT_NEAR(last(motion, "x'"), 4.5 * kick,
                10.0 * error());  // half of one at the start, then 4
}

/// ∫ f dt by the trapezoidal rule on pieces so small that halving them changes nothing.
double integral(double (*f)(double), double end) {
    constexpr int pieces = 4'000'000;
    double sum = 0.5 * (f(0.0) + f(end));
    for (int i = 1; i < pieces; ++i) sum += f(end * i / pieces);
    return sum * end / pieces;
}

TEST_P(Narrow, NothingNestedInTimeIsSteppedOver) {
    struct Force {
        const char* text;
        double (*value)(double);
    };
    for (const Force& force :
         {Force{"exp(-((sin(t) - 0.3)/0.01)^2)",
                [](double t) { return std::exp(-std::pow((std::sin(t) - 0.3) / 0.01, 2)); }},
          Force{"exp(-1e6*(exp(-t/9) - 0.41)^2)",
                [](double t) { return std::exp(-1e6 * std::pow(std::exp(-t / 9.0) - 0.41, 2)); }},
          Force{"1/(1 + (1e4*(sqrt(1 + t) - 3))^2)", [](double t) {
                    return 1.0 / (1.0 + std::pow(1e4 * (std::sqrt(1.0 + t) - 3.0), 2));
                }}}) {
        const Motion motion = run_to(free_particle(std::string("force x = ") + force.text), 20.0);
        EXPECT_NEAR(last(motion, "x'"), integral(force.value, 20.0), 1e-2 * error() + 1e-9)
            << force.text;
    }
}

TEST_P(Narrow, PulsesOfAWaveOfTheStateAreAllFelt) {
    struct Wave {
        double sharp, rate, level, speed;
    };
    for (const auto& [B, w, c, v] : {Wave{15425.8, 0.452, 0.46876, 1.6068},
                                     Wave{7e5, 0.381, 0.0956, 1.93}, Wave{3e4, 1.7, -0.6, 0.9}}) {
        const std::string text = "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y = 30*exp(-" +
                                 std::to_string(B) + "*(sin(" + std::to_string(w) + "*x) - " +
                                 std::to_string(c) + ")^2)\nstart x' = " + std::to_string(v);
        double impulse = 0.0;  // trapezoidal rule: the pulses are some 1e-3 s wide at least
        constexpr int pieces = 2'000'000;
        for (int i = 1; i < pieces; ++i)
            impulse += 30.0 * std::exp(-B * std::pow(std::sin(w * v * 40.0 * i / pieces) - c, 2)) *
                       40.0 / pieces;
        for (const double tolerance : {1e-7, 1e-11}) {
            const Motion motion =
                run_well(Mechanism::parse(text),
                         {.end = 40.0, .tolerance = tolerance, .method = GetParam()});
            EXPECT_NEAR(last(motion, "y'"), impulse, (tolerance > 1e-8 ? 1e-4 : 1e-6) * impulse)
                << B << " " << tolerance;
        }
    }
}

TEST_P(Narrow, RootsOfTimeAreNotSteppedOver) {
    // A tent of height 20/1.7 and width 0.04, made of roots: its area is what is felt.
    const std::string root = "sqrt((1.7*t - 61.72";
    const Motion motion = run_well(
        Mechanism::parse(free_particle("force x = 1e4*(" + root + " + 0.02)^2 + 1e-6) - 2*" + root +
                                       ")^2 + 1e-6) + " + root + " - 0.02)^2 + 1e-6))")),
        {.end = 50.0, .tolerance = 1e-7, .method = GetParam()});
    const auto part = [](double u) {  // ∫ √(u² + e) du
        return 0.5 * (u * std::sqrt(u * u + 1e-6) + 1e-6 * std::asinh(u * 1e3));
    };
    double expected = 0.0;
    for (const double end : {1.0, -1.0}) {  // t = 50 and t = 0
        const double u = end > 0.0 ? 85.0 - 61.72 : -61.72;
        expected += end * (part(u + 0.02) - 2.0 * part(u) + part(u - 0.02)) * 1e4 / 1.7;
    }
    EXPECT_NEAR(last(motion, "x'"), expected, 1e-3 * expected);
}

TEST_P(Narrow, WhatIsZeroToAnyPrecisionCostsNoSteps) {
    for (const std::string force :
         {"exp(-exp(800 - t))", "exp(-exp(12000 - 300*t))", "exp(-cosh(900 + t))"}) {
        const Motion motion = run_well(Mechanism::parse(free_particle("force x = " + force)),
                                       {.end = 1.0, .method = GetParam()});
        EXPECT_EQ(last(motion, "x'"), 0.0) << force;
        EXPECT_LE(motion.summary.steps, 1000U) << force;
    }
}

TEST_P(Narrow, WindowsThatComeAgainAreAllMet) {
    // sin 50 t above 0.9999 lasts 2 acos(0.9999)/50 each time.
    const Motion motion = run_to(free_particle("force x = if(sin(50*t) > 0.9999, 1, 0)"), 20.0);
    const double window = 2.0 * std::acos(0.9999) / 50.0;
    EXPECT_NEAR(last(motion, "x'"), 159.0 * window, 1e-10);
}

TEST_P(Narrow, StepsOfTanhMakeAPulse) {
    const Motion motion =
        run_to(free_particle("force x = tanh(400*(t - 33)) - tanh(400*(t - 33.1))"), 50.0);
    EXPECT_NEAR(last(motion, "x'"), 0.2, error());
}

TEST_P(Narrow, NoEnergyTunnelsThroughABarrier) {
    for (const char* barrier : {"10*exp(-((x - 50)/0.1)^2)", "0.6/(1 + ((x - 20)/0.002)^2)",
                                "3/cosh(9*(x - 31))", "2*(tanh(500*(x - 44)) + 1)"}) {
        const Motion motion = run_to(
            free_particle("potential " + std::string(barrier) + "\nstart x = 0, x' = 1"), 100.0);
        EXPECT_NEAR(last(motion, "x'"), -1.0, 10.0 * error()) << barrier;
        EXPECT_LT(energy_error(motion), 10.0 * error()) << barrier;
    }
}

TEST_P(Narrow, APlateauIsMetAtItsFlanks) {
    // Where 1/(1 + w⁸) is strongest it has no slope: a coarse step sees nothing there.
    for (const char* plateau : {"0.6/(1 + ((x - 40)/0.05)^8)", "0.6/(1 + ((x - 31)/0.003)^6)",
                                "0.6*exp(-((x - 40)/0.05)^8)"})
        for (const double tolerance : {1e-4, 1e-5, 1e-7}) {
            const Mechanism m = Mechanism::parse(
                free_particle("potential " + std::string(plateau) + "\nstart x = 0, x' = 1"));
            const Motion motion = run_well(
                m, {.end = 90.0, .every = 90.0, .tolerance = tolerance, .method = GetParam()});
            EXPECT_NEAR(last(motion, "x'"), -1.0, 0.05) << plateau << ", " << tolerance;
        }
}

TEST_P(Narrow, ALowerBarrierIsPassed) {
    const Motion motion =
        run_to(free_particle("potential 0.4*exp(-((x - 50)/0.1)^2)\nstart x = 0, x' = 1"), 100.0);
    EXPECT_NEAR(last(motion, "x'"), 1.0, 10.0 * error());
    EXPECT_LT(last(motion, "x"), 100.0 - 1e-3);  // it was slowed on the way
}

TEST_P(Narrow, AWindowOfTimeIsNotSteppedOver) {
    const Motion motion =
        run_to(free_particle("force x = if(t > 5.0003 and t < 5.0004, 1e4, 0)"), 10.0);
    EXPECT_NEAR(last(motion, "x'"), 1.0, error());
    const Motion cosine = run_to(free_particle("force x = if(cos(t) > 0.999999, 1, 0)"), 9.0);
    EXPECT_NEAR(last(cosine, "x'"), 3.0 * std::acos(0.999999), error());
}

TEST_P(Narrow, AMovingSupportShakesItsPendulum) {
    const std::string text =
        "coord x, y\nparticle P at (x, y) mass 1\ngravity (0, -9.81)\nlet s = 0.2*exp(-((t - "
        "2.3)/0.02)^2)\n"
        "constraint rod: (x - s)^2 + y^2 = 1\nstart x = 0.5, y ~ -1";
    const Motion motion = run_to(text, 4.0);
    const Motion short_steps =
        run_well(Mechanism::parse(text),
                 {.end = 4.0, .tolerance = 1e-12, .method = "dop853", .max_step = 0.002});
    EXPECT_NEAR(last(motion, "x"), last(short_steps, "x"), 10.0 * error());
    EXPECT_NEAR(last(motion, "y'"), last(short_steps, "y'"), 10.0 * error());
}

class NarrowContact : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, NarrowContact, testing::Values("taylor", "dop853", "dopri5"),
                         [](const auto& i) { return i.param; });

TEST_P(NarrowContact, AThinObstacleIsMet) {
    for (const char* gap :
         {"y >= 2*exp(-((x - 50)/0.1)^2) - 1", "y + 1 >= 3/(1 + ((x - 30)/0.01)^2)"}) {
        const Mechanism mechanism = Mechanism::parse(
            "coord x, y\nparticle P at (x, y) mass 1\nconstraint wall: " + std::string(gap) +
            "\nstart x = 0, y = 0, x' = 1, y' = 0\noutput gap = wall.residual");
        const Motion motion =
            run_well(mechanism, {.end = 100.0, .every = 0.5, .method = GetParam()});
        EXPECT_FALSE(event_times(motion, "impact").empty()) << gap;
        for (const double g : motion.column("gap")) EXPECT_GT(g, -1e-8) << gap;
    }
}

TEST_P(NarrowContact, ADecisionWithinTheGapIsLocated) {
    // Wedges: the edge is met where y = 0 = top - slope*|x - at|, and the run that stops there
    // tells where.
    struct Wedge {
        double at, top, slope;
    };
    for (const auto& [at, top, slope] :
         {Wedge{17.3, 0.3, 1e3}, Wedge{61.9, 0.02, 40.0}, Wedge{5.01, 7.0, 1e5}}) {
        const std::string gap = "y >= " + std::to_string(top) + " - " + std::to_string(slope) +
                                "*abs(x - " + std::to_string(at) + ")";
        const Motion motion = run_well(
            Mechanism::parse(
                "coord x, y\nparticle P at (x, y) mass 1\nconstraint wall: " + gap +
                " restitution 1\nstart x = 0, y = 0, x' = 1, y' = 0\noutput gap = wall.residual"),
            {.end = 100.0, .every = 1.0, .method = GetParam()});
        const std::vector<double> hits = event_times(motion, "impact");
        ASSERT_EQ(hits.size(), 1U) << gap;
        EXPECT_NEAR(hits[0], at - top / slope, 1e-9) << gap;
        for (const double g : motion.column("gap")) EXPECT_GT(g, -1e-8) << gap;
    }
}

TEST_P(NarrowContact, AGapThatADecisionClosesEndsTheRun) {
    for (const char* gap : {"y >= if(x > 17.3 and x < 18, 1, -1)", "y >= floor(x/17.3) - 1",
                            "y >= -sign(17.3 - x)", "y >= atan2(x - 17.3, -1)"}) {
        const Motion motion =
            run(Mechanism::parse("coord x, y\nparticle P at (x, y) mass 1\nconstraint wall: " +
                                 std::string(gap) + "\nstart x = 0, y = 0, x' = 1, y' = 0"),
                {.end = 100.0, .method = GetParam()});
        EXPECT_EQ(motion.status.outcome, Outcome::undefined) << gap;
        EXPECT_NE(motion.status.message.find("'wall' jumps"), std::string::npos)
            << motion.status.message;
        EXPECT_NEAR(motion.summary.final.t, 17.3, 1e-5) << gap;
    }
}

TEST_P(NarrowContact, AParabolaThatIsCutOffIsMet) {
    struct Bump {
        double at, half_width, end;
    };
    for (const auto& [at, half_width, end] :
         {Bump{4.217, 2e-6, 9.0}, Bump{517.9, 2e-4, 800.0}, Bump{8.61, 0.03, 10.0}}) {
        const std::string gap = "y >= max(0, 1 - ((x - " + std::to_string(at) + ")/" +
                                fmt::format("{}", half_width) + ")^2)";
        const Motion motion = run_well(
            Mechanism::parse("coord x, y\nparticle P at (x, y) mass 1\nconstraint wall: " + gap +
                             " restitution 1\nstart x = 0, y = 0.3, x' = 1, y' = 0"),
            {.end = end, .method = GetParam()});
        const std::vector<double> hits = event_times(motion, "impact");
        ASSERT_FALSE(hits.empty()) << gap;
        EXPECT_NEAR(hits[0], at - half_width * std::sqrt(0.7), 1e-9 * at) << gap;
    }
}

TEST(NarrowEvents, ABumpThatIsCutOffHasBothItsZeros) {
    for (const char* method : {"taylor", "dop853", "dopri5", "bdf"})
        for (const double width : {1e-6, 3e-4}) {
            const Motion motion =
                run_well(Mechanism::parse(free_particle(fmt::format(
                             "start x' = 1\nevent e: max(0, 1 - ((x - 6.1)/{})^2) - 0.4", width))),
                         {.end = 10.0, .method = method});
            const std::vector<double> times = event_times(motion, "event", "e");
            ASSERT_EQ(times.size(), 2U) << method << width;
            EXPECT_NEAR(times[0], 6.1 - width * std::sqrt(0.6), 1e-9) << method;
            EXPECT_NEAR(times[1], 6.1 + width * std::sqrt(0.6), 1e-9) << method;
        }
}

TEST(NarrowEvents, SteepZerosAreZeros) {
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"})
        for (const double width : {1e-7, 1e-9, 1e-11})
            for (const char* form :
                 {"(x - 3.7)/hypot(x - 3.7, {0})", "tanh((x - 3.7)/{0})", "atan((t - 3.7)/{0})"}) {
                const Motion motion = run_well(
                    Mechanism::parse(free_particle("start x' = 1\nevent e: " +
                                                   fmt::format(fmt::runtime(form), width))),
                    {.end = 13.0, .method = method});
                const std::vector<double> times = event_times(motion, "event", "e");
                ASSERT_EQ(times.size(), 1U) << method << form << width;
                EXPECT_NEAR(times[0], 3.7, 1e-12) << method << form;
            }
}

TEST(NarrowEvents, WindowsOfEventsByTimeAloneAreEnclosed) {
    const Motion motion = run_well(
        Mechanism::parse(
            "coord x\nequation x: x'' = 0\nevent peak: floor(4*exp(-((t - 33)/1e-4)^2)) - 2.5\n"
            "event step: exp(-((t - 61)/1e-3)^2) = 0.5"),
        {.end = 100.0});
    const std::vector<double> step = event_times(motion, "event", "step");
    ASSERT_EQ(step.size(), 2U);
    EXPECT_NEAR(step[0], 61.0 - 1e-3 * std::sqrt(std::log(2.0)), 1e-12);
    EXPECT_TRUE(event_times(motion, "event", "peak").empty());  // it jumps over 0
}

TEST(NarrowFloor, StepsOfTimeAreAllTaken) {
    for (const char* method : {"taylor", "dop853", "dopri5"}) {
        const Motion motion =
            run_well(Mechanism::parse("coord x\nequation x: x'' = floor(mod(t, 7)/6.9999)"),
                     {.end = 100.0, .method = method});
        EXPECT_NEAR(last(motion, "x'"), 14.0 * 1e-4, 1e-10) << method;
    }
}

TEST(NarrowSignals, KnotsOfARoadUnderAMovingCarAreLocated) {
    const std::string folder = testing::TempDir(), file = folder + "narrow_road.csv";
    std::ofstream road(file);
    road << "x,h\n";
    for (int i = 0; i <= 400; ++i) road << 0.5 * i << ',' << (i == 120 ? 0.5 : 0.0) << '\n';
    road.close();
    const auto car = [&](const std::string& x, const std::string& more) {
        std::ofstream(folder + "narrow_car.lac")
            << "data road = \"narrow_road.csv\" beyond hold\ncoord " << more
            << "y\nkinetic 300*y'^2/2\n"
            << "force y = -20000*(y - road(" << x << ")) - 1000*y'\nsimulate 0..8 every 0.1\n"
            << (more.empty() ? "" : "kinetic x'^2/2\nstart x = 0, x' = 20\n");
        return Mechanism::load(folder + "narrow_car.lac");
    };
    const Motion by_time = run_well(car("20*t", ""), {.tolerance = 1e-12});
    for (const char* method : {"auto", "dop853", "dopri5"}) {
        const Motion by_place = run_well(car("x", "x, "), {.tolerance = 1e-11, .method = method});
        double most = 0.0;
        for (std::size_t i = 0; i < by_time.columns[0].size(); ++i) {
            EXPECT_NEAR(by_place.column("y")[i], by_time.column("y")[i], 1e-8) << method;
            most = std::max(most, std::abs(by_time.column("y")[i]));
        }
        EXPECT_GT(most, 0.01);
    }
}

TEST(MaxStep, NoStepIsLonger) {
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"}) {
        double longest = 0.0;
        const auto on_step = [&](const StepView& step) {
            longest = std::max(longest, step.length);
            return true;
        };
        run(Mechanism::parse("coord x\nequation x: x'' = -x\nstart x = 1"),
            {.end = 10.0, .method = method, .max_step = 0.05}, on_step);
        EXPECT_LE(longest, 0.05 * (1.0 + 1e-12)) << method;
        EXPECT_GT(longest, 0.01) << method;
    }
}

// ---- jumps

Mechanism turning(const std::string& rest) {
    return Mechanism::parse(
        "coord x, y\nparticle P at (x, y) mass 1\nconstraint rod: x^2 + y^2 = 1\n" + rest);
}

TEST(Jumps, TheCutOfAnAngleIsNoEvent) {
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"}) {
        const Motion motion = run_well(
            turning(
                "start x = 1, y = 0, y' = 2\nevent low: atan2(x, -y)\nevent one: atan2(y, x) = 1"),
            {.end = 5.0, .tolerance = 1e-11, .method = method});
        const std::vector<double> low = event_times(motion, "event", "low"),
                                  one = event_times(motion, "event", "one");
        ASSERT_EQ(low.size(), 1U) << method;  // at the bottom, not at the top
        EXPECT_NEAR(low[0], 0.75 * pi, 1e-6) << method;
        ASSERT_EQ(one.size(), 2U) << method;
        EXPECT_NEAR(one[1], 0.5 + pi, 1e-6) << method;
    }
}

TEST(Jumps, SignsWrittenAsQuotientsJumpToo) {
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"})
        for (const char* form :
             {"abs(x - 5)/(x - 5)", "(x - 5)/abs(x - 5)", "sqrt((x - 5)^2)/(x - 5)",
              "min(1, abs(x - 5))/(x - 5)", "abs(t - 7.3)/(t - 7.3)", "exp(1/(x - 5.3)) - 1"}) {
            const Motion motion = run_well(
                Mechanism::parse(free_particle("start x' = 1\nevent e: " + std::string(form))),
                {.end = 20.0, .method = method});
            EXPECT_TRUE(event_times(motion, "event", "e").empty()) << method << form;
        }
}

TEST(Jumps, AStopWaitsForTheZero) {
    const Mechanism pendulum = Mechanism::parse(
        "coord x, y\nparticle P at (x, y) mass 1\ngravity (0, -9.81)\nconstraint rod: x^2 + y^2 = "
        "1\n"
        "event bottom: atan2(x, -y) stop\nstart x = 0.5, y ~ 0.8, x' ~ -4");
    const Motion motion = run_well(pendulum, {.end = 5.0});
    EXPECT_NEAR(motion.summary.final.q[1], -1.0, 1e-9);
}

TEST(Jumps, ADecisionTurnsWhereAnAngleJumps) {
    const Motion motion = run_well(
        turning("start x = 1, y = 0, y' = 2\nforce P = if(atan2(y, x) > 1, 0.5, 0)*(-y, x)"),
        {.end = 3.0, .tolerance = 1e-11});
    const std::vector<double> switches = event_times(motion, "switch");
    ASSERT_EQ(switches.size(), 2U);
    EXPECT_NEAR(switches[0], 0.5, 1e-9);
    const double speed = std::sqrt(4.0 + (pi - 1.0));  // 0.5 over the angle from 1 to π
    EXPECT_NEAR(switches[1], 0.5 + (speed - 2.0) / 0.5, 1e-8);
    EXPECT_NEAR(std::hypot(last(motion, "x'"), last(motion, "y'")), speed, 1e-8);
}

/// x'' = -k θ with θ = x wrapped to (-π, π]: from one cut to the next it is cos and sin of a
/// shifted angle.
TEST(Jumps, AForceThatJumpsAtTheCutOfAnAngleIsLocated) {
    constexpr double k = 0.3, speed = 3.0, w = 0.5477225575051661;  // √k
    const double energy = speed * speed / 2.0,
                 quarter = std::asin(w * pi / speed) / w;  // from θ = 0 to the cut
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"}) {
        const Motion motion = run_well(
            Mechanism::parse(
                "coord x\nkinetic x'^2/2\nforce x = -0.3*atan2(sin(x), cos(x))\nstart x' = 3"),
            {.end = 50.0, .tolerance = 1e-11, .method = method});
        const std::vector<double> cuts = event_times(motion, "switch");
        ASSERT_EQ(cuts.size(), 22U) << method;
        const double error = std::string(method) == "bdf" ? 1e-5 : 1e-7;
        for (std::size_t i = 0; i < cuts.size(); ++i)
            EXPECT_NEAR(cuts[i], quarter * (2.0 * static_cast<double>(i) + 1.0), error) << method;
        const double theta = std::remainder(last(motion, "x"), 2.0 * pi), v = last(motion, "x'");
        EXPECT_NEAR(v * v / 2.0 + k * theta * theta / 2.0, energy, error) << method;
    }
}

TEST(Jumps, AnAngleThatStaysClearOfItsCutNeverSwitches) {
    const Motion motion =
        run_well(Mechanism::parse(
                     "coord x\nkinetic x'^2/2\nforce x = -atan2(sin(x), cos(x))\nstart x' = 2.4"),
                 {.end = 40.0, .tolerance = 1e-12});
    EXPECT_TRUE(motion.summary.events.empty());
    EXPECT_NEAR(last(motion, "x"), 2.4 * std::sin(40.0), 1e-9);
}

TEST(Jumps, AGapThatJumpsIsNoImpact) {
    const Motion motion =
        run(turning("start x = 1, y = 0, y' = 2\nconstraint stop: atan2(y, x) >= -1"),
            {.end = 5.0, .method = "taylor"});
    EXPECT_EQ(motion.status.outcome, Outcome::undefined);
    EXPECT_NE(motion.status.message.find("'stop' jumps from 4.14159 to -2.14159 at t = 1.570796"),
              std::string::npos)
        << motion.status.message;
}

TEST(ManySwitches, ATaylorStepSearchesNoFurtherThanItsCut) {
    const Motion motion =
        run_well(Mechanism::parse("coord x\nequation x: x'' = if(sin(600*t) > 0, 1, -1)"),
                 {.end = 1.0, .tolerance = 1e-11, .method = "taylor"});
    EXPECT_EQ(event_times(motion, "switch").size(), 190U);
    EXPECT_LT(motion.summary.evaluations, 20U * 190U);
}

}  // namespace
}  // namespace lacon::motions
