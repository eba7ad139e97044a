// Closed loops of bars, each with one degree of freedom: reduced by hand to one effective inertia.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

Plane direction(double angle) {
    return {std::cos(angle), std::sin(angle)};
}
Plane normal(double angle) {
    return {-std::sin(angle), std::cos(angle)};
}

/// A one-parameter mechanism: ½ inertia s'² of kinetic energy, its derivative by s, and the force
/// along s.
struct Reduced {
    double inertia = 0.0, half_slope = 0.0, force = 0.0;  // half_slope = ½ d(inertia)/ds

    void add(double mass, double first, double second) {  // a coordinate with derivatives by s
        inertia += mass * first * first;
        half_slope += mass * first * second;
    }
    double acceleration(double rate) const { return (force - half_slope * rate * rate) / inertia; }
};

struct SliderCrank {
    double theta, phi, x;
    double phi1, phi2, x1, x2;  // derivatives by theta
    Reduced reduced;

    SliderCrank(const Mechanism& m, double angle) : theta(angle) {
        const double r = m.parameter("r"), l = m.parameter("l"), mr = m.parameter("mr");
        const double S = std::sin(theta), C = std::cos(theta);
        phi = std::asin(r / l * S);
        const double s = std::sin(phi), c = std::cos(phi);
        x = r * C + l * c;
        phi1 = r * C / (l * c);
        phi2 = (l * s * phi1 * phi1 - r * S) / (l * c);
        x1 = -r * S - l * s * phi1;
        x2 = -r * C - l * c * phi1 * phi1 - l * s * phi2;
        reduced.add(m.parameter("J"), 1.0, 0.0);
        reduced.add(m.parameter("ms"), x1, x2);
        reduced.add(mr * l * l / 12, phi1, phi2);
        // the middle of the rod lies half-way between pin and slider in x, and at half the pin's
        // height
        reduced.add(mr, (x1 - r * S) / 2, (x2 - r * C) / 2);
        reduced.add(mr, r * C / 2, -r * S / 2);
        reduced.force = m.parameter("tau");
    }
};

TEST(SliderCrankModel, CrankTurnsByTheEffectiveInertia) {
    const Mechanism m = load("slider_crank.lac");
    for (const auto& [theta, rate] :
         {Plane{0.5, 10.0}, Plane{2.0, -30.0}, Plane{-1.1, 0.0}, Plane{4.0, 5.0}}) {
        const SliderCrank s(m, theta);
        const double growth = s.reduced.acceleration(rate);
        const State state = state_of(m, {{"theta", theta},
                                         {"phi", s.phi},
                                         {"x", s.x},
                                         {"theta'", rate},
                                         {"phi'", s.phi1 * rate},
                                         {"x'", s.x1 * rate}});
        const Evaluation at = expect_accelerations(m, state,
                                                   {{"theta", growth},
                                                    {"phi", s.phi1 * growth + s.phi2 * rate * rate},
                                                    {"x", s.x1 * growth + s.x2 * rate * rate}});
        // only the slider feels the row closure.x with a unit factor: it is −(force along x)
        expect_multiplier(at, "closure.x",
                          -m.parameter("ms") * (s.x1 * growth + s.x2 * rate * rate));
    }
}

struct FourBar {
    double a, b, c;
    double b1, c1, b2, c2;  // derivatives by a
    Reduced reduced;

    FourBar(const Mechanism& m, double angle) : a(angle) {
        const double l1 = m.parameter("l1"), l2 = m.parameter("l2"), l3 = m.parameter("l3"),
                     d = m.parameter("d");
        // from the crank's pin to the far pivot; the triangle (coupler, rocker, diagonal) stands
        // above it
        const double dx = d - l1 * std::cos(a), dy = -l1 * std::sin(a), f = std::hypot(dx, dy),
                     base = std::atan2(dy, dx);
        b = base + std::acos((l2 * l2 + f * f - l3 * l3) / (2 * l2 * f));
        c = std::atan2(l1 * std::sin(a) + l2 * std::sin(b),
                       l1 * std::cos(a) + l2 * std::cos(b) - d);
        b1 = -l1 * std::sin(c - a) / (l2 * std::sin(c - b));
        c1 = l1 * std::sin(b - a) / (l3 * std::sin(b - c));
        const double sine = std::sin(c - b), cosine = std::cos(c - b);
        b2 = -l1 / l2 * (std::cos(c - a) * (c1 - 1) * sine - std::sin(c - a) * cosine * (c1 - b1)) /
             (sine * sine);
        c2 = -l1 / l3 * (std::cos(b - a) * (b1 - 1) * sine - std::sin(b - a) * cosine * (c1 - b1)) /
             (sine * sine);
        reduce(m);
    }

    void reduce(const Mechanism& m) {
        const double l1 = m.parameter("l1"), l2 = m.parameter("l2"), l3 = m.parameter("l3");
        const double rho = m.parameter("rho"), g = m.parameter("g"), coupler = rho * l2;
        reduced.add(rho * l1 * l1 * l1 / 3, 1.0, 0.0);
        reduced.add(rho * l2 * l2 * l2 / 12, b1, b2);
        reduced.add(rho * l3 * l3 * l3 / 3, c1, c2);
        Plane first{};
        for (std::size_t k = 0; k < 2; ++k) {
            first[k] = l1 * normal(a)[k] + l2 / 2 * normal(b)[k] * b1;
            const double second =
                -l1 * direction(a)[k] + l2 / 2 * (normal(b)[k] * b2 - direction(b)[k] * b1 * b1);
            reduced.add(coupler, first[k], second);
        }
        reduced.force = -g * (rho * l1 * l1 / 2 * std::cos(a) + coupler * first[1] +
                              rho * l3 * l3 / 2 * std::cos(c) * c1);
    }
};

TEST(FourBarModel, CrankTurnsByTheEffectiveInertiaAndPotential) {
    const Mechanism m = load("four_bar.lac");
    for (const auto& [a, rate] :
         {Plane{1.0, 6.0}, Plane{2.6, -2.0}, Plane{-0.8, 0.0}, Plane{5.0, 9.0}}) {
        const FourBar f(m, a);
        const double growth = f.reduced.acceleration(rate);
        const State state = state_of(m, {{"a", a},
                                         {"b", f.b},
                                         {"c", f.c},
                                         {"a'", rate},
                                         {"b'", f.b1 * rate},
                                         {"c'", f.c1 * rate}});
        expect_accelerations(m, state,
                             {{"a", growth},
                              {"b", f.b1 * growth + f.b2 * rate * rate},
                              {"c", f.c1 * growth + f.c2 * rate * rate}});
    }
}

TEST(FourBarModel, StartClosesTheLoopOnTheUpperSide) {
    const Mechanism m = load("four_bar.lac");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    const FourBar f(m, 1.0);
    expect_close(start.state.q[1], f.b);
    expect_close(start.state.q[2], f.c);
    expect_close(start.state.v[1], 6.0 * f.b1);
    expect_close(start.state.v[2], 6.0 * f.c1);
}

Evaluation expect_coupler_swings(const Mechanism& m, double theta, double rate) {
    const double s = m.parameter("s"), d = m.parameter("d"),
                 growth = -m.parameter("g") / s * std::sin(theta);
    const double S = std::sin(theta), C = std::cos(theta);
    const State state = state_of(m, {{"x1", s * S},
                                     {"y1", -s * C},
                                     {"x2", d + s * S},
                                     {"y2", -s * C},
                                     {"x1'", s * rate * C},
                                     {"y1'", s * rate * S},
                                     {"x2'", s * rate * C},
                                     {"y2'", s * rate * S}});
    const double ax = s * (growth * C - rate * rate * S), ay = s * (growth * S + rate * rate * C);
    return expect_accelerations(m, state, {{"x1", ax}, {"y1", ay}, {"x2", ax}, {"y2", ay}});
}

TEST(ParallelogramModel, CouplerSwingsAsAPendulumWhateverTheRedundantLink) {
    const Mechanism m = load("parallelogram.lac");
    for (const auto& [theta, rate] :
         {Plane{0.8, 0.0}, Plane{-0.3, 2.5}, Plane{1.4, -4.0}, Plane{2.5, 1.0}}) {
        const Evaluation at = expect_coupler_swings(m, theta, rate);
        EXPECT_EQ(at.solution.rank, 3U);
        for (const char* link : {"left", "right", "middle"})
            EXPECT_TRUE(constraint_of(at, link).redundant) << link;
        EXPECT_FALSE(constraint_of(at, "coupler").redundant);
    }
}

TEST(ParallelogramModel, LinksShareTheLoadInTheWayOfLeastNorm) {
    const Mechanism m = load("parallelogram.lac");
    const double theta = 0.7, rate = 1.5, s = m.parameter("s");
    const Evaluation at = expect_coupler_swings(m, theta, rate);
    const double pull =
        s * rate * rate + m.parameter("g") * std::cos(theta);  // of all links, per mass
    const double left = m.parameter("m1") * pull, right = m.parameter("m2") * pull;
    // left + middle/2 and right + middle/2 are given; least squares put this much into the middle
    const double middle = (left + right) / 3;
    expect_multiplier(at, "middle", -middle);
    expect_multiplier(at, "left", -(left - middle / 2));
    expect_multiplier(at, "right", -(right - middle / 2));
    expect_multiplier(at, "coupler", 0.0);
}

TEST(ParallelogramModel, FlatPositionLosesOneMoreRank) {
    const Mechanism m = load("parallelogram.lac");
    const double s = m.parameter("s"), d = m.parameter("d");
    const Evaluation at = m.evaluate(state_of(m, {{"x1", s}, {"x2", d + s}}));
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_EQ(at.solution.rank, 2U);
}

TEST(ScotchYokeModel, MotorGivesTheTorqueOfSpringAndInertia) {
    const Mechanism m = load("scotch_yoke.lac");
    const double r = m.parameter("r"), w = m.parameter("w"), mass = m.parameter("m"),
                 k = m.parameter("k");
    for (const double t : {0.0, 0.2, 1.0, 4.7}) {
        const double C = std::cos(w * t), S = std::sin(w * t);
        const State state = state_of(
            m, {{"t", t}, {"theta", w * t}, {"x", r * C}, {"theta'", w}, {"x'", -r * w * S}});
        const Evaluation at =
            expect_accelerations(m, state, {{"theta", 0.0}, {"x", -r * w * w * C}});
        expect_multiplier(at, "slot", (k - mass * w * w) * r * C);
        expect_multiplier(at, "motor", -(k - mass * w * w) * r * r * S * C);
    }
}

TEST(ScotchYokeModel, TunedSpringLeavesTheMotorIdle) {
    const Mechanism m = load("scotch_yoke.lac", {{"k", 50.0}});  // m w² = 50
    const double r = m.parameter("r"), w = m.parameter("w"), t = 0.3;
    const State state = state_of(m, {{"t", t},
                                     {"theta", w * t},
                                     {"x", r * std::cos(w * t)},
                                     {"theta'", w},
                                     {"x'", -r * w * std::sin(w * t)}});
    const Evaluation at = m.evaluate(state);
    expect_multiplier(at, "motor", 0.0);
    expect_multiplier(at, "slot", 0.0);
}

// ---- the car axis: its answer at t = 3 is checked by tests/motion/roads_test.cpp

TEST(CarAxisModel, WheelsAccelerateByTheTwoMultipliersOfItsTestSet) {
    const Mechanism m = load("car_axis.lac");
    const double k = m.parameter("M") * squared(m.parameter("eps")) / 2, L0 = m.parameter("L0"),
                 r = m.parameter("r");
    const double w = m.parameter("w"), g = m.parameter("g");
    for (const auto& [t, s, tilt] :
         {Space{0.0, 0.5, 0.0}, Space{0.3, 0.6, -0.2}, Space{1.7, 0.45, 0.3}}) {
        // left = s (−yb, xb), right = left + (cos(tilt), sin(tilt)), with velocities that keep both
        // rows
        const double yb = r * std::sin(w * t), yb1 = r * w * std::cos(w * t), yb2 = -w * w * yb;
        const double xb = std::sqrt(1 - yb * yb), xb1 = -yb * yb1 / xb,
                     xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
        const Plane foot = {xb, yb}, left = {-s * yb, s * xb},
                    bar = {std::cos(tilt), std::sin(tilt)};
        const double along = -(left[0] * xb1 + left[1] * yb1);
        const Plane vl = {along * xb - 0.7 * yb, along * yb + 0.7 * xb},
                    turn = {-0.4 * bar[1], 0.4 * bar[0]};
        const State state = state_of(m, {{"t", t},
                                         {"xl", left[0]},
                                         {"yl", left[1]},
                                         {"xr", left[0] + bar[0]},
                                         {"yr", left[1] + bar[1]},
                                         {"xl'", vl[0]},
                                         {"yl'", vl[1]},
                                         {"xr'", vl[0] + turn[0]},
                                         {"yr'", vl[1] + turn[1]}});
        const Plane spring = {left[0] + bar[0] - xb, left[1] + bar[1] - yb};
        const double pull_l = (L0 / s - 1) / k,
                     pull_r = (L0 / std::hypot(spring[0], spring[1]) - 1) / k;
        const Plane fl = {pull_l * left[0], pull_l * left[1] - g},
                    fr = {pull_r * spring[0], pull_r * spring[1] - g};
        // foot·left'' = b1 and bar·(right'' − left'') = b2, two equations for the multipliers
        const double b1 = -(2 * (vl[0] * xb1 + vl[1] * yb1) + left[0] * xb2 + left[1] * yb2),
                     b2 = -0.4 * 0.4;
        const double r1 = k * (b1 - dot(foot, fl)),
                     r2 = k * (b2 - dot(bar, {fr[0] - fl[0], fr[1] - fl[1]}));
        const double cross = -dot(foot, bar), det = 2.0 - cross * cross;
        const double push = (2.0 * r1 - cross * r2) / det, pull = (r2 - cross * r1) / det;
        const Evaluation at = expect_accelerations(m, state,
                                                   {{"xl", fl[0] + (push * xb - pull * bar[0]) / k},
                                                    {"yl", fl[1] + (push * yb - pull * bar[1]) / k},
                                                    {"xr", fr[0] + pull * bar[0] / k},
                                                    {"yr", fr[1] + pull * bar[1] / k}});
        expect_multiplier(at, "square", push);
        expect_multiplier(at, "axis", pull / 2);  // of the squared length
    }
}

}  // namespace
}  // namespace lacon::models
