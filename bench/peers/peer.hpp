// What the programs of other engines share: their arguments and the lines they print.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

/// What the programs beside this file have in common: the motions, and one line of JSON about how
/// long one took and how it ended.
///
///     peer_NAME METHOD VALUE END chain MASS LENGTH [MASS LENGTH...]
///     peer_NAME METHOD VALUE END four_bar CRANK COUPLER ROCKER GROUND DENSITY ANGLE RATE
///
/// VALUE is the tolerance, or the step of a method without one. Both motions are planar, y is up.
namespace peer {

constexpr double gravity = 9.81;

/// Angles to the x axis of bars that hang on each other, or of crank, coupler and rocker, with
/// their rates.
struct Angles {
    std::vector<double> q, v;
};

struct Task {
    std::string method;
    double value = 0.0, end = 0.0;
    std::vector<double> masses,
        lengths;      // of a chain: beads and rods from the top. It starts level and at rest
    struct FourBar {  // uniform bars, as in models/four_bar.lac
        double crank = 0.0, coupler = 0.0, rocker = 0.0, ground = 0.0, density = 0.0, angle = 0.0,
               rate = 0.0;
    } bars;
    bool is_chain = true;
    Angles start() const;
};

/// Where coupler and rocker stand, given the direction of the crank, and their rates by the
/// crank's.
template <class Real>
struct Closed {
    Real cos_b, sin_b, cos_c, sin_c, b_1, c_1;
};
template <class Real>
Closed<Real> close(const Task::FourBar& bars, Real cos_a, Real sin_a) {
    using std::sqrt;
    const Real l1 = bars.crank, l2 = bars.coupler, l3 = bars.rocker, d = bars.ground;
    const Real x = d - l1 * cos_a, y = -l1 * sin_a,
               r2 = x * x + y * y;  // from the crank's end to the rocker's pivot
    const Real along = (r2 + l2 * l2 - l3 * l3) / (2 * r2),
               across = sqrt(l2 * l2 / r2 - along * along);
    const Real cx = along * x - across * y,
               cy = along * y + across * x;  // the coupler, on the upper of two branches
    Closed<Real> is{cx / l2, cy / l2, (cx - x) / l3, (cy - y) / l3, 0, 0};
    const Real sin_cb = is.sin_c * is.cos_b - is.cos_c * is.sin_b;
    is.b_1 = -l1 * (is.sin_c * cos_a - is.cos_c * sin_a) / (l2 * sin_cb);
    is.c_1 = -l1 * (is.sin_b * cos_a - is.cos_b * sin_a) / (l3 * sin_cb);
    return is;
}

inline Angles Task::start() const {
    if (is_chain) return {std::vector<double>(masses.size()), std::vector<double>(masses.size())};
    const auto at = close(bars, std::cos(bars.angle), std::sin(bars.angle));
    return {{bars.angle, std::atan2(at.sin_b, at.cos_b), std::atan2(at.sin_c, at.cos_c)},
            {bars.rate, at.b_1 * bars.rate, at.c_1 * bars.rate}};
}

/// Hinge angles, each from the bar before, as angles to the x axis; the rocker of a four-bar hangs
/// on the ground.
inline Angles from_hinges(const Task& task, Angles hinges) {
    const std::size_t count = task.is_chain ? hinges.q.size() : 2;
    for (std::size_t i = 1; i < count; ++i) {
        hinges.q[i] += hinges.q[i - 1];
        hinges.v[i] += hinges.v[i - 1];
    }
    return hinges;
}

/// x, y, x', y' of the moving joints: beads, or the ends of crank and rocker.
template <class Real>
std::vector<double> joints(const Task& task, const std::vector<Real>& q,
                           const std::vector<Real>& v) {
    std::vector<double> parts[4];
    Real sum[4] = {};
    const auto hang = [&](Real length, std::size_t i) {
        using std::cos, std::sin;
        sum[0] += length * cos(q[i]);
        sum[1] += length * sin(q[i]);
        sum[2] -= length * sin(q[i]) * v[i];
        sum[3] += length * cos(q[i]) * v[i];
        for (int k = 0; k < 4; ++k) parts[k].push_back(static_cast<double>(sum[k]));
    };
    if (task.is_chain) {
        for (std::size_t i = 0; i < q.size(); ++i) hang(task.lengths[i], i);
    } else {
        hang(task.bars.crank, 0);
        sum[1] = sum[2] = sum[3] = 0;
        sum[0] = task.bars.ground;
        hang(task.bars.rocker, 2);
    }
    for (int k = 1; k < 4; ++k) parts[0].insert(parts[0].end(), parts[k].begin(), parts[k].end());
    return parts[0];
}

inline Task task_of(int argc, char** argv) {
    if (argc < 7)
        std::fprintf(stderr, "usage: %s METHOD VALUE END chain|four_bar NUMBER...\n", argv[0]),
            std::exit(2);
    Task task;
    task.method = argv[1];
    task.value = std::atof(argv[2]);
    task.end = std::atof(argv[3]);
    std::vector<double> numbers;
    for (int i = 5; i < argc; ++i) numbers.push_back(std::atof(argv[i]));
    task.is_chain = std::string(argv[4]) == "chain";
    if (task.is_chain) {
        for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
            task.masses.push_back(numbers[i]);
            task.lengths.push_back(numbers[i + 1]);
        }
    } else {
        numbers.resize(7);
        task.bars = {numbers[0], numbers[1], numbers[2], numbers[3],
                     numbers[4], numbers[5], numbers[6]};
    }
    return task;
}

/// Runs the motion several times and prints the median time with the joints at its end, or why
/// there is none. `make(task)` sets up, which is not timed, and gives the motion as a function from
/// nothing to joints.
template <class Make>
int report(int argc, char** argv, const Make& make) {
    try {
        const Task task = task_of(argc, argv);
        auto motion = make(task);
        std::vector<double> times, state;
        double spent = 0.0;
        while (times.empty() || (times.size() < 51 && spent < 0.1)) {
            const auto begin = std::chrono::steady_clock::now();
            state = motion();
            times.push_back(
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
            spent += times.back();
        }
        std::sort(times.begin(), times.end());
        std::printf(R"({"outcome": "ok", "seconds": %.9g, "state": [)", times[times.size() / 2]);
        for (std::size_t i = 0; i < state.size(); ++i)
            std::printf("%s%.17g", i > 0 ? ", " : "", state[i]);
        std::printf("]}\n");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::printf(R"({"outcome": "failed"})"
                    "\n");
    }
    return 0;
}

}  // namespace peer
