// A pendulum from its equations: the motion, its period, and what the summary says. Compiled and
// run by the tests.
#include <cmath>
#include <cstdio>
#include <lacon/motion.hpp>

int main() {
    const auto pendulum = lacon::Mechanism::parse(R"(
        param L = 1, g = 9.81
        coord x, y
        particle bob at (x, y) mass 1
        gravity (0, -g)
        constraint rod: x^2 + y^2 = L^2
        start x = L*sin(0.1), y ~ -L
        event lowest: x
        output energy
    )");

    double longest = 0.0;
    const lacon::Motion motion =
        lacon::run(pendulum, {.end = 10.0, .every = 0.01, .tolerance = 1e-12},
                   [&](const lacon::StepView& step) {
                       longest = std::max(longest, step.length);
                       return true;  // go on
                   });
    if (!motion.status) {
        std::printf("%s\n", motion.status.message.c_str());
        return 1;
    }
    const auto& events = motion.summary.events;  // the bob passes its lowest point twice a period
    const double period = events[2].t - events[0].t;
    const double small = 2.0 * M_PI * std::sqrt(1.0 / 9.81);
    std::printf("%zu rows, %zu steps of %.2g s at most by %s\n", motion.column("x").size(),
                motion.summary.steps, longest, motion.summary.method.c_str());
    std::printf("period %.12f s; for small swings %.12f s\n", period, small);
    std::printf("energy changed by %.0e of %.3g\n", motion.summary.worst.energy,
                motion.summary.energy_scale);
    // T = small (1 + θ²/16 + 11 θ⁴/3072 + …)
    return std::abs(period - small * (1.0 + 0.01 / 16.0 + 11e-4 / 3072.0)) < 1e-8 ? 0 : 1;
}
