// Machines of rigid bodies for bench/bodies.py, as data that every engine builds its own model of.
// All frames are parallel where all angles are 0; gravity is (0, 0, −9.81).
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace robots {

using Vector = std::array<double, 3>;

struct Body {
    int parent;   // −1: the ground
    Vector at;    // place of its joint in the parent's frame, and of its own origin
    Vector axis;  // of its hinge; zero: it floats
    double mass;
    Vector center;
    Vector moments;  // of inertia about the centre, along the axes
};

struct Robot {
    std::vector<Body> bodies;  // parents first

    bool floats() const { return bodies[0].axis == Vector{}; }
    std::size_t hinges() const { return bodies.size() - (floats() ? 1 : 0); }
    /// Angles and rates of its hinges where everything is measured. What floats is at rest.
    static double angle(std::size_t hinge) {
        return 0.3 * std::sin(1.0 + static_cast<double>(hinge));
    }
    static double rate(std::size_t hinge) {
        return 0.5 * std::cos(2.0 * static_cast<double>(hinge));
    }
};

/// Moments of a box of a mass.
inline Vector box(double mass, const Vector& size) {
    const auto moment = [&](std::size_t i, std::size_t j) {
        return mass / 12.0 * (size[i] * size[i] + size[j] * size[j]);
    };
    return {moment(1, 2), moment(0, 2), moment(0, 1)};
}

constexpr Vector x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};

/// Links that hang on each other by hinges along x and y in turn.
inline Robot chain(std::size_t count) {
    Robot robot;
    for (std::size_t i = 0; i < count; ++i) {
        const double length = 0.2;
        const Vector at{0.0, 0.0, i > 0 ? -length : 0.0}, center{0.01, 0.005, -0.5 * length};
        robot.bodies.push_back({static_cast<int>(i) - 1, at, i % 2 == 0 ? y_axis : x_axis, 0.5,
                                center, box(0.5, {0.04, 0.06, length})});
    }
    return robot;
}

/// An arm of seven axes: shoulder, elbow and wrist.
inline Robot arm() {
    const Vector axes[] = {z_axis, y_axis, z_axis, y_axis, z_axis, y_axis, z_axis};
    const double lengths[] = {0.16, 0.18, 0.21, 0.2, 0.19, 0.1, 0.09},
                 masses[] = {3.9, 3.4, 2.9, 2.6, 1.8, 1.4, 0.6},
                 aside[] = {0.0, 0.02, 0.06, -0.06, 0.0, 0.07, 0.0};
    Robot robot;
    for (int i = 0; i < 7; ++i) {
        const double length = lengths[i];
        const Vector at = i > 0 ? Vector{aside[i - 1], 0.0, lengths[i - 1]} : Vector{};
        robot.bodies.push_back({i - 1,
                                at,
                                axes[i],
                                masses[i],
                                {0.5 * aside[i], 0.01, 0.55 * length},
                                box(masses[i], {0.11, 0.1, length})});
    }
    return robot;
}

/// A trunk that floats, with a back of three axes, a neck of two, arms of six and legs of six.
inline Robot humanoid() {
    Robot robot;
    const auto add = [&](int parent, const Vector& at, const Vector& axis, double mass,
                         const Vector& size) {
        const Vector center{0.02 * size[0], 0.03 * size[1], (size[2] < 0 ? 0.5 : 0.45) * size[2]};
        robot.bodies.push_back({parent, at, axis, mass, center, box(mass, size)});
        return static_cast<int>(robot.bodies.size()) - 1;
    };
    const int pelvis = add(-1, {}, {}, 11.0, {0.2, 0.3, 0.18});
    const int low = add(pelvis, {0, 0, 0.12}, z_axis, 2.1, {0.15, 0.2, 0.08});
    const int back = add(low, {0, 0, 0.06}, y_axis, 2.3, {0.15, 0.2, 0.08});
    const int chest = add(back, {0, 0, 0.06}, x_axis, 18.0, {0.22, 0.4, 0.45});
    const int neck = add(chest, {0, 0, 0.46}, z_axis, 0.8, {0.08, 0.08, 0.07});
    add(neck, {0, 0, 0.07}, y_axis, 4.2, {0.18, 0.15, 0.22});
    for (const double side : {1.0, -1.0}) {
        int on = add(chest, {0, 0.21 * side, 0.4}, y_axis, 1.6, {0.1, 0.1, -0.06});
        on = add(on, {0, 0.05 * side, -0.01}, x_axis, 2.2, {0.1, 0.1, -0.2});
        on = add(on, {0, 0, -0.2}, z_axis, 1.7, {0.09, 0.09, -0.12});
        on = add(on, {0, 0, -0.12}, y_axis, 1.3, {0.08, 0.08, -0.14});
        on = add(on, {0, 0, -0.14}, z_axis, 0.9, {0.07, 0.07, -0.12});
        add(on, {0, 0, -0.12}, x_axis, 0.6, {0.05, 0.09, -0.17});
    }
    for (const double side : {1.0, -1.0}) {
        int on = add(pelvis, {0, 0.11 * side, -0.04}, z_axis, 1.4, {0.1, 0.1, -0.05});
        on = add(on, {0, 0, -0.05}, x_axis, 1.8, {0.12, 0.1, -0.06});
        on = add(on, {0, 0, 0}, y_axis, 7.3, {0.14, 0.14, -0.42});
        on = add(on, {0, 0, -0.42}, y_axis, 3.9, {0.11, 0.11, -0.41});
        on = add(on, {0, 0, -0.41}, y_axis, 0.5, {0.07, 0.07, -0.04});
        add(on, {0, 0, 0}, x_axis, 1.3, {0.26, 0.11, -0.08});
    }
    return robot;
}

/// chain:N, arm or humanoid.
inline Robot named(const std::string& name) {
    if (name == "arm") return arm();
    if (name == "humanoid") return humanoid();
    if (name.rfind("chain:", 0) == 0) return chain(std::stoul(name.substr(6)));
    throw std::invalid_argument("chain:N, arm or humanoid");
}

/// The least time of many short batches, in nanoseconds.
inline double best_ns(const std::function<void()>& once) {
    constexpr double batch_seconds = 5e-4;
    constexpr int batches = 200;
    const auto seconds = [&](long count) {
        const auto begin = std::chrono::steady_clock::now();
        for (long i = 0; i < count; ++i) once();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    long count = 1;
    while (seconds(count) < batch_seconds) count *= 2;
    double best = 1e300;
    for (int i = 0; i < batches; ++i)
        best = std::min(best, seconds(count) / static_cast<double>(count));
    return 1e9 * best;
}

/// What a peer prints: times in nanoseconds, and the accelerations of the hinges.
struct Result {
    double forward = NAN, inverse = NAN, mass = NAN;
    std::vector<double> a;

    void print() const {
        std::printf(R"({"forward": %.6g, "inverse": %.6g, "mass": %.6g, "a": [)", forward, inverse,
                    mass);
        for (std::size_t i = 0; i < a.size(); ++i) std::printf("%s%.17g", i > 0 ? ", " : "", a[i]);
        std::printf("]}\n");
    }
};

}  // namespace robots
