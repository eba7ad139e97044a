// How the error of each method falls, on a pendulum in Cartesian coordinates (one constraint,
// projected) against its closed form.

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using Real = long double;

const Real w = std::sqrt(Real(9.81));

double exact_x(Real t) {
    return static_cast<double>(std::sin(pendulum_angle(1.0L, w, t)));
}
double exact_speed(Real t) {
    const Real k = std::sin(0.5L);
    return static_cast<double>(2.0L * k * w * jacobi(w * t + quarter_period(k), k).cn *
                               std::cos(pendulum_angle(1.0L, w, t)));
}

Motion swing(const std::string& method, double end, double every, double tolerance,
             double step = 0.0) {
    RunOptions options{.end = end, .every = every, .tolerance = tolerance, .method = method};
    if (step > 0.0) options.step = step;
    return run_well(load("pendulum.lac"), options);
}

// ---- fixed steps: the slope of the error over the step

struct FixedStep {
    std::string method;
    double order, order_of_rows, order_of_speeds, step;
};
void PrintTo(const FixedStep& f, std::ostream* out) {
    *out << f.method;
}
class FixedStepMethod : public testing::TestWithParam<FixedStep> {};
INSTANTIATE_TEST_SUITE_P(Methods, FixedStepMethod,
                         testing::Values(FixedStep{"rk4", 4.0, 4.0, 4.0, 0.02},
                                         FixedStep{"gauss", 6.0, 6.0, 5.0, 0.1}),
                         [](const auto& i) { return i.param.method; });

double slope(double coarse, double fine) {
    return std::log2(coarse / fine);
}

TEST_P(FixedStepMethod, ErrorAtTheEndFallsByItsOrder) {
    const auto& [method, order, rows, speeds, step] = GetParam();
    std::vector<double> errors;
    for (const double h : {step, step / 2, step / 4})
        errors.push_back(std::abs(last(swing(method, 4.0, 4.0, 1e-10, h), "x") - exact_x(4.0L)));
    EXPECT_NEAR(slope(errors[0], errors[1]), order, 0.4);
    EXPECT_NEAR(slope(errors[1], errors[2]), order, 0.25);
}

TEST_P(FixedStepMethod, RowsWithinStepsHaveTheOrderOfTheInterpolant) {
    const auto& [method, order, rows, speeds, step] = GetParam();
    std::vector<double> places, rates;
    for (const double h : {step, step / 2}) {
        const Motion motion = swing(method, 4.0, h / 7.0, 1e-10, h);
        places.push_back(worst_error(motion, "x", exact_x));
        rates.push_back(worst_error(motion, "x'", exact_speed));
    }
    EXPECT_GE(slope(places[0], places[1]), rows - 0.4);
    EXPECT_GE(slope(rates[0], rates[1]), speeds - 0.4);
}

// ---- chosen steps: the error over the tolerance

struct ChosenStep {
    std::string method;
    double most;  // error at the end of 5 s, in tolerances
};
void PrintTo(const ChosenStep& c, std::ostream* out) {
    *out << c.method;
}
class ChosenStepMethod : public testing::TestWithParam<ChosenStep> {};
INSTANTIATE_TEST_SUITE_P(Methods, ChosenStepMethod,
                         testing::Values(ChosenStep{"taylor", 10.0}, ChosenStep{"dop853", 30.0},
                                         ChosenStep{"dopri5", 100.0}, ChosenStep{"adams", 300.0},
                                         ChosenStep{"bdf", 1000.0}),
                         [](const auto& i) { return i.param.method; });

TEST_P(ChosenStepMethod, ErrorFallsWithTheTolerance) {
    const auto& [method, most] = GetParam();
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        const double error =
            std::abs(last(swing(method, 5.0, 5.0, tolerance), "x") - exact_x(5.0L));
        EXPECT_LE(error, most * tolerance + 2e-13) << tolerance;
    }
}

TEST_P(ChosenStepMethod, RowsWithinStepsAreNotMuchWorseThanTheirEnds) {
    const auto& [method, most] = GetParam();
    for (const double tolerance : {1e-5, 1e-8}) {
        const Motion motion = swing(method, 5.0, 0.0037, tolerance);
        EXPECT_GT(motion.columns[0].size(), 1000U);
        EXPECT_LE(worst_error(motion, "x", exact_x), 3.0 * most * tolerance) << tolerance;
        EXPECT_LE(worst_error(motion, "x'", exact_speed), 20.0 * most * tolerance) << tolerance;
    }
}

// ---- what the rows must not do

class EveryMethod : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         testing::Values("taylor", "dop853", "dopri5", "adams", "bdf", "rk4",
                                         "gauss"),
                         [](const auto& i) { return i.param; });

TEST_P(EveryMethod, RowsHaveNoInfluenceOnTheMotion) {
    for (const char* file : {"double_pendulum.lac", "parallelogram.lac", "spinning_wire.lac"}) {
        std::vector<State> ends;
        std::vector<std::size_t> steps, evaluations;
        for (const double every : {3.0, 0.31, 0.001}) {
            const Motion motion = run_well(load(file), {.end = 3.0,
                                                        .every = every,
                                                        .tolerance = 1e-9,
                                                        .method = GetParam(),
                                                        .step = 0.013});
            ends.push_back(motion.summary.final);
            steps.push_back(motion.summary.steps);
            EXPECT_EQ(last(motion, "t"), 3.0);
        }
        for (std::size_t i = 1; i < ends.size(); ++i) {
            EXPECT_EQ(ends[i].q, ends[0].q) << file;
            EXPECT_EQ(ends[i].v, ends[0].v) << file;
            EXPECT_EQ(steps[i], steps[0]) << file;
        }
    }
}

TEST_P(EveryMethod, RowsStandOnTheGridAndAtTheEnd) {
    const Motion motion = run_well(
        load("pendulum.lac"),
        {.begin = 1.0, .end = 2.05, .every = 0.1, .tolerance = 1e-8, .method = GetParam()});
    const std::vector<double>& t = motion.column("t");
    ASSERT_EQ(t.size(), 12U);
    for (std::size_t i = 0; i < 11; ++i)
        EXPECT_NEAR(t[i], 1.0 + 0.1 * static_cast<double>(i), 4e-16);
    EXPECT_EQ(t[11], 2.05);
}

TEST_P(EveryMethod, TheSameRunGivesTheSameBits) {
    const RunOptions options{
        .end = 2.0, .every = 0.5, .tolerance = 1e-9, .method = GetParam(), .step = 0.01};
    const Motion one = run_well(load("double_pendulum.lac"), options),
                 two = run_well(load("double_pendulum.lac"), options);
    EXPECT_EQ(one.columns, two.columns);
    EXPECT_EQ(one.summary.evaluations, two.summary.evaluations);
}

}  // namespace
}  // namespace lacon::motions
