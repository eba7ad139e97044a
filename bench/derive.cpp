// How long text → derived equations takes, in process: bench_derive FAMILY SIZE... prints `FAMILY
// SIZE SECONDS` for each size, the best of several runs. `bench_derive motion SIZE` prints the
// accelerations of the pendulum at its start, for a comparison.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "lacon/mechanism.hpp"

namespace {

const std::map<std::string, std::string> families = {
    {"pendulum", R"(
param N = 2
coord q[1..N]
let P[0] = (0, 0)
let P[i] = P[i-1] + (sin(q[i]), -cos(q[i])) for i in 1..N
particle bob[i] at P[i] mass 1 for i in 1..N
gravity (0, -9.81)
start q[i] = i/10, q[i]' = 1/i for i in 1..N
)"},
    {"chain", R"(
param N = 2
coord x[0..N], y[0..N]
particle p[i] at (x[i], y[i]) mass 1 for i in 0..N
gravity (0, -9.81)
constraint pivot: (x[0], y[0]) = (0, 0)
constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 for i in 1..N
start x[i] = i, y[i] = 0 for i in 0..N
)"},
};

lacon::Mechanism derived(const std::string& family, int size) {
    return lacon::Mechanism::parse(families.at(family), family, {{"N", size}});
}

/// Best of at least three runs, and of more while they are short.
double best_seconds(const std::string& family, int size) {
    double best = 1e300, spent = 0.0;
    for (int run = 0; run < 3 || (run < 200 && spent < 0.5); ++run) {
        const auto begin = std::chrono::steady_clock::now();
        const auto mechanism = derived(family, size);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        best = std::min(best, seconds);
        spent += seconds;
    }
    return best;
}

void print_motion(int size) {
    const auto pendulum = derived("pendulum", size);
    const auto at = pendulum.evaluate(pendulum.start().state);
    for (const double value : at.solution.acceleration) std::printf("%.17g ", value);
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return std::fprintf(stderr, "usage: bench_derive pendulum|chain|motion SIZE...\n"), 2;
    const std::string family = argv[1];
    for (int i = 2; i < argc; ++i) {
        const int size = std::atoi(argv[i]);
        if (family == "motion") print_motion(size);
        else std::printf("%s %d %.9f\n", family.c_str(), size, best_seconds(family, size));
        std::fflush(stdout);
    }
}
