// What must not drift in long runs: energy and constraints of a chain, and the reversible method
// beside one that is not.

#include <fmt/format.h>

#include <numbers>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr double slow = 0.1;  // a part of the time will do: all of it would take minutes
#else
constexpr double slow = 1.0;
#endif

TEST(LongRuns, ChainKeepsItsEnergyAndItsLinksFor1000Seconds) {
    // Five links, let go level: chaotic, all constraints at work.
    const Motion motion =
        run_well(load("chain.lac", {{"N", 5.0}}),
                 {.end = 1000.0 * slow, .every = 10.0, .tolerance = 1e-15, .method = "taylor"});
    EXPECT_LE(energy_error(motion), 1e-12);
    EXPECT_LE(motion.summary.worst.position, 1e-14);
    EXPECT_LE(motion.summary.worst.velocity, 1e-14);
}

// ---- gauss: the same forwards and backwards

std::string pendulum_from(double x, double y, double vx, double vy) {
    return fmt::format(R"(coord x, y
        particle bob at (x, y) mass 1
        gravity (0, -9.81)
        constraint rod: x^2 + y^2 = 1
        start x ~ {}, y ~ {}, x' ~ {}, y' ~ {})",
                       x, y, vx, vy);
}

TEST(LongRuns, GaussRunsBackToWhereItBegan) {
    const double x = std::sin(1.0), y = -std::cos(1.0);
    for (const double step : {0.02, 0.1}) {
        const RunOptions options{.end = 100.0, .every = 100.0, .method = "gauss", .step = step};
        const State there =
            run_well(Mechanism::parse(pendulum_from(x, y, 0.0, 0.0)), options).summary.final;
        const State back =
            run_well(
                Mechanism::parse(pendulum_from(there.q[0], there.q[1], -there.v[0], -there.v[1])),
                options)
                .summary.final;
        EXPECT_NEAR(back.q[0], x, 1e-11) << step;
        EXPECT_NEAR(back.q[1], y, 1e-11) << step;
        EXPECT_NEAR(back.v[0], 0.0, 1e-11) << step;
        EXPECT_NEAR(back.v[1], 0.0, 1e-11) << step;
    }
}

/// |mean energy of the last tenth − that of the first|, over the energy's scale: what oscillates
/// cancels, what drifts remains. The mean is weighted by a Hann window, sin²: a plain one would
/// keep a part of an oscillation as large as 1/(its periods in the tenth), this one keeps a part of
/// their inverse cube.
double drift_of(const Motion& motion) {
    const std::vector<double>& energy = motion.column("energy");
    const std::size_t part = energy.size() / 10;
    double first = 0.0, end = 0.0, weights = 0.0;
    for (std::size_t i = 0; i < part; ++i) {
        const double s =
            std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(part));
        weights += s * s;
        first += s * s * (energy[i] - energy[0]);
        end += s * s * (energy[energy.size() - 1 - i] - energy[0]);
    }
    return std::abs(end - first) / (weights * motion.summary.energy_scale);
}

TEST(LongRuns, GaussDoesNotDriftIn100000StepsWhereRk4Does) {
    // A row a step: the energy errs with a period of some 20 steps, and rows further apart would
    // see it as a slower one.
    const auto drift = [](const std::string& method, double end) {
        return drift_of(run_well(load("pendulum.lac"),
                                 {.end = end, .every = 0.05, .method = method, .step = 0.05}));
    };
    EXPECT_LE(drift("gauss", 5000.0 * slow), 1e-11);
    EXPECT_GE(drift("rk4", 500.0), 1e-5);
}

TEST(LongRuns, TaylorAtRoundingDriftsAsRoundingDoes) {
    // 1,600 swings; a random walk over about 20,000 steps.
    const Motion motion =
        run_well(load("pendulum.lac"),
                 {.end = 3300.0, .every = 33.0, .tolerance = 1e-15, .method = "taylor"});
    EXPECT_LE(energy_error(motion), 1e-12);
    EXPECT_LE(motion.summary.worst.position, 1e-15);
}

}  // namespace
}  // namespace lacon::motions
