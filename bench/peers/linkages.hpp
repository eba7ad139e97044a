// Closed loops in space for bench/loops.py, as data. Every machine starts at rest with all
// coordinates zero and all frames parallel.
#pragma once

#include "robots.hpp"

namespace linkages {

using robots::box;
using robots::Vector;
using robots::x_axis, robots::y_axis, robots::z_axis;

struct Body {
    int parent;  // −1: the ground
    Vector at;   // place of its joint in the parent's frame, and of its own origin
    Vector axis;
    bool slides;  // along its axis; else it turns about it
    double mass;
    Vector center, moments;
};

/// A point of one body that stays on a point of another; a hinge is two of them.
struct Closure {
    int first, second;  // body, −1: the ground
    Vector in_first, in_second;
};

struct Linkage {
    std::vector<Body> bodies;  // parents first
    std::vector<Closure> closures;
    Vector gravity{0.0, 0.0, -9.81};

    int add(int parent, const Vector& at, const Vector& axis, double mass, const Vector& end,
            bool slides = false) {
        const Vector size{std::abs(end[0]) + 0.06, std::abs(end[1]) + 0.05,
                          std::abs(end[2]) + 0.04};
        const Vector center{0.5 * end[0], 0.5 * end[1], 0.5 * end[2]};
        bodies.push_back({parent, at, axis, slides, mass, center, box(mass, size)});
        return static_cast<int>(bodies.size()) - 1;
    }
    void hinge(int first, int second, const Vector& a, const Vector& b, const Vector& axis) {
        closures.push_back({first, second, a, b});
        const auto beside = [&](const Vector& p) {
            return Vector{p[0] + 0.3 * axis[0], p[1] + 0.3 * axis[1], p[2] + 0.3 * axis[2]};
        };
        closures.push_back({first, second, beside(a), beside(b)});
    }
};

/// A planar four-bar in space: of the hinge that closes it two rows are needed.
inline Linkage four_bar() {
    Linkage l;
    const int crank = l.add(-1, {}, y_axis, 1.0, {0.4, 0, 1.0});
    const int rod = l.add(crank, {0.4, 0, 1.0}, y_axis, 2.0, {2.0, 0, 0.3});
    const int rocker = l.add(rod, {2.0, 0, 0.3}, y_axis, 1.5, {0.1, 0, -1.3});
    l.hinge(rocker, -1, {0.1, 0, -1.3}, {2.5, 0, 0}, y_axis);
    return l;
}

/// Bricard's: five rods of 1 m along the edges of a cube and six hinges across them.
inline Linkage bricard() {
    Linkage l;
    l.gravity = {0.0, -9.81, 0.0};
    const Vector edges[] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 1, 0}};
    const Vector axes[] = {y_axis, z_axis, x_axis, y_axis, z_axis};
    int on = -1;
    for (int i = 0; i < 5; ++i)
        on = l.add(on, i > 0 ? edges[i - 1] : Vector{}, axes[i], 1.0, edges[i]);
    l.hinge(on, -1, edges[4], {0, 0, 1}, x_axis);
    return l;
}

/// A crank across the path of its slider; the rod turns every way at the slider.
inline Linkage slider_crank() {
    Linkage l;
    const int crank = l.add(-1, {0, 0.1, 0.12}, x_axis, 0.12, {0, 0.02, 0.08});
    const int cross = l.add(crank, {0, 0.02, 0.08}, y_axis, 0.05, {0.01, 0, 0});
    const int rod = l.add(cross, {}, z_axis, 0.5, {0.2, -0.12, -0.2});
    const int slider = l.add(-1, {0.2, 0, 0}, x_axis, 2.0, {0.02, 0, 0}, true);
    l.closures.push_back({rod, slider, {0.2, -0.12, -0.2}, {}});
    return l;
}

/// A platform on six legs: each turns about two axes at its foot and grows; the platform hangs on
/// the first leg by three hinges and on the others by points.
inline Linkage stewart() {
    Linkage l;
    const auto around = [](double radius, double degrees, double height) {
        const double angle = degrees * 3.14159265358979323846 / 180.0;
        return Vector{radius * std::cos(angle), radius * std::sin(angle), height};
    };
    const double feet[] = {10, 110, 130, 230, 250, 350}, tops[] = {50, 70, 170, 190, 290, 310};
    std::vector<int> legs;
    for (int i = 0; i < 6; ++i) {
        const Vector foot = around(1.0, feet[i], 0.0), top = around(0.6, tops[i], 1.0);
        const Vector leg{top[0] - foot[0], top[1] - foot[1], top[2] - foot[2]};
        const double length = std::sqrt(leg[0] * leg[0] + leg[1] * leg[1] + leg[2] * leg[2]);
        const Vector along{leg[0] / length, leg[1] / length, leg[2] / length};
        const int cross = l.add(-1, foot, x_axis, 0.1, {0.02, 0, 0});
        const int low = l.add(cross, {}, y_axis, 2.0, {leg[0] / 2, leg[1] / 2, leg[2] / 2});
        legs.push_back(l.add(low, leg, along, 1.0, {-leg[0] / 2, -leg[1] / 2, -leg[2] / 2}, true));
    }
    const Vector hung = around(0.6, tops[0], 1.0);
    int on = l.add(legs[0], {}, x_axis, 0.1, {0.02, 0, 0});
    on = l.add(on, {}, y_axis, 0.1, {0, 0.02, 0});
    const int plate = l.add(on, {}, z_axis, 20.0, {-2 * hung[0], -2 * hung[1], 0.0});
    l.gravity = {1.0, 0.5, -2.0};
    for (int i = 1; i < 6; ++i) {
        const Vector top = around(0.6, tops[i], 1.0);
        l.closures.push_back({legs[static_cast<std::size_t>(i)],
                              plate,
                              {},
                              {top[0] - hung[0], top[1] - hung[1], 0.0}});
    }
    return l;
}

inline Linkage named(const std::string& name) {
    if (name == "four_bar") return four_bar();
    if (name == "bricard") return bricard();
    if (name == "slider_crank") return slider_crank();
    if (name == "stewart") return stewart();
    throw std::invalid_argument("four_bar, bricard, slider_crank or stewart");
}

/// Runs a motion several times and prints the median time and the coordinates it ends in.
inline int report(const std::function<std::vector<double>()>& motion) {
    std::vector<double> times, state;
    double spent = 0.0;
    while (times.empty() || (times.size() < 31 && spent < 0.1)) {
        const auto begin = std::chrono::steady_clock::now();
        state = motion();
        times.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        spent += times.back();
    }
    std::sort(times.begin(), times.end());
    std::printf(R"({"outcome": "ok", "seconds": %.9g, "q": [)", times[times.size() / 2]);
    for (std::size_t i = 0; i < state.size(); ++i)
        std::printf("%s%.17g", i > 0 ? ", " : "", state[i]);
    std::printf("]}\n");
    return 0;
}

}  // namespace linkages
