// The models of models/bodies with shapes, against closed forms and references of their own.
#include <cmath>

#include "contact/contact_tests.hpp"

namespace lacon::contacts {
namespace {

double acceleration(const Mechanism& m, const State& state, const std::string& name) {
    const Evaluation at = m.evaluate(state);
    EXPECT_TRUE(at.status) << at.status.message;
    for (std::size_t i = 0; i < m.coordinates().size(); ++i)
        if (m.coordinates()[i] == name) return at.solution.acceleration[i];
    ADD_FAILURE() << "no coordinate " << name;
    return NAN;
}

TEST(ShapeModels, ABowlingBallSlidesUntilItRollsWithFiveSevenths) {
    const Mechanism m = motions::load("bodies/bowling_ball.lac");
    const Motion motion = run_contacts(m, {.end = 3.0, .every = 0.1});
    const Real v0 = m.parameter("v0"), brake = m.parameter("mu") * m.parameter("g");
    const Real rolls = 2 * v0 / (7 * brake);
    expect_times(event_times(motion, "stick"), {rolls});
    const auto speed = [&](Real t) { return t < rolls ? v0 - brake * t : 5 * v0 / 7; };
    EXPECT_LE(worst_error(motion, "speed", speed), exact * 8);
    const Real slid = 12 * v0 * v0 / (49 * brake);
    EXPECT_NEAR(last(motion, "way"), near(slid + 5 * v0 / 7 * (3 - rolls)), 20 * exact);
}

TEST(ShapeModels, ABallOnATurntableGoesAroundACircle) {
    const Mechanism m = motions::load("bodies/turntable.lac");
    const Motion motion = run_contacts(m, {.end = 8.0, .every = 0.1});
    const Real w = 2 * Real(m.parameter("Omega")) / 7, r = m.parameter("v") / w;
    EXPECT_LE(worst_error(motion, "x",
                          [&](Real t) { return m.parameter("d") - r + r * std::cos(w * t); }),
              exact);
    EXPECT_LE(worst_error(motion, "y", [&](Real t) { return r * std::sin(w * t); }), exact);
}

TEST(ShapeModels, ATippeTopTurnsOverAndKeepsJellettsIntegral) {
    const Mechanism m = motions::load("bodies/tippe_top.lac");
    const Motion motion = run_contacts(m, {.end = 2.0, .every = 0.05});
    const Real C = m.parameter("C"), R = m.parameter("R"), d = m.parameter("d"),
               n0 = m.parameter("n0");
    // At first the spin is upright: C n0 (R − d cos(lean)).
    const Real jellett = C * n0 * (R - d * std::cos(Real(m.parameter("lean"))));
    EXPECT_LE(worst_error(motion, "jellett", [&](Real) { return jellett; }), exact * near(jellett));
    EXPECT_GT(last(motion, "turned"), 2.8);
    const double turned_over = near(n0 * (R - d) / (R + d));
    EXPECT_NEAR(last(motion, "spin"), turned_over, 0.01 * turned_over);  // it still wobbles
}

using Three = std::array<Real, 3>;

Three cross(const Three& a, const Three& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Real dot(const Three& a, const Three& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// By Cramer's rule, the columns being those of a symmetric matrix.
Three solve(const std::array<Three, 3>& K, const Three& y) {
    const Real det = dot(K[0], cross(K[1], K[2]));
    return {dot(y, cross(K[1], K[2])) / det, dot(K[0], cross(y, K[2])) / det,
            dot(K[0], cross(K[1], y)) / det};
}

/// A stone that rolls, in its own axes: its angular velocity w, and u, which points up.
struct Stone {
    Real m, g;
    Three D;                 // half axes
    std::array<Three, 3> I;  // about its centre

    struct Rates {
        Three w, u;
    };
    Rates rates(const Three& w, const Three& u) const {
        const Three du = cross(u, w);
        Real size = 0, growth = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            size += D[i] * D[i] * u[i] * u[i];
            growth += D[i] * D[i] * u[i] * du[i];
        }
        size = std::sqrt(size);
        Three p, dp, y;
        for (std::size_t i = 0; i < 3; ++i) {
            p[i] = -D[i] * D[i] * u[i] / size;
            dp[i] = -D[i] * D[i] * (du[i] / size - u[i] * growth / (size * size * size));
        }
        const Three v = cross(p, w), a = cross(w, v), b = cross(w, dp);
        std::array<Three, 3> K = I;
        const Three spin{dot(I[0], w), dot(I[1], w), dot(I[2], w)}, gyro = cross(w, spin);
        Three force;
        for (std::size_t i = 0; i < 3; ++i) {
            force[i] = m * (a[i] - b[i] + g * u[i]);
            for (std::size_t k = 0; k < 3; ++k) K[i][k] += m * ((i == k) * dot(p, p) - p[i] * p[k]);
        }
        const Three torque = cross(p, force);
        for (std::size_t i = 0; i < 3; ++i) y[i] = torque[i] - gyro[i];
        return {solve(K, y), du};
    }
    /// The spin about the vertical after a time, by the classical rule of Runge and Kutta.
    Real spin(Three w, Three u, Real time, int steps) const {
        const Real h = time / steps;
        const auto ahead = [](const Three& x, Real by, const Three& rate) {
            return Three{x[0] + by * rate[0], x[1] + by * rate[1], x[2] + by * rate[2]};
        };
        for (int n = 0; n < steps; ++n) {
            const Rates a = rates(w, u);
            const Rates b = rates(ahead(w, h / 2, a.w), ahead(u, h / 2, a.u));
            const Rates c = rates(ahead(w, h / 2, b.w), ahead(u, h / 2, b.u));
            const Rates d = rates(ahead(w, h, c.w), ahead(u, h, c.u));
            for (std::size_t i = 0; i < 3; ++i) {
                w[i] += h / 6 * (a.w[i] + 2 * b.w[i] + 2 * c.w[i] + d.w[i]);
                u[i] += h / 6 * (a.u[i] + 2 * b.u[i] + 2 * c.u[i] + d.u[i]);
            }
        }
        return dot(w, u);
    }
};

TEST(ShapeModels, ARattlebackTurnsItsSpinAround) {
    const Mechanism m = motions::load("bodies/rattleback.lac");
    const Motion motion = run_contacts(m, {.end = 4.0, .every = 0.5});
    const auto p = [&](const char* name) { return Real(m.parameter(name)); };
    const Stone stone{p("m"),
                      p("g"),
                      {p("a"), p("b"), p("c")},
                      {{{5e-5, p("skew"), 0}, {p("skew"), 4e-4, 0}, {0, 0, 4.2e-4}}}};
    const Three w{p("push"), 0, p("n0")};
    const Real before = stone.spin(w, {0, 0, 1}, 2, 20000);
    const Real after = stone.spin(w, {0, 0, 1}, 4, 40000);
    EXPECT_LT(near(before * after), 0);
    // The reference is good to 1e-9: half as many steps change it by 16 times that.
    EXPECT_NEAR(last(motion, "spin"), near(after), 1e-7);
    EXPECT_LE(worst_error(motion, "energy", [&](Real) { return last(motion, "energy"); }), exact);
}

TEST(ShapeModels, ACradleOfShapesThrowsTheLastBallUp) {
    const Mechanism m = motions::load("bodies/shaped_cradle.lac");
    const Motion motion = run_contacts(m, {.end = 0.9, .every = 0.05});
    const Real L = m.parameter("L"), R = m.parameter("R"), lean = m.parameter("lean");
    const Real k = L + 2 * R * R / (5 * L);
    const Real quarter =
        std::sqrt(k / Real(m.parameter("g"))) * std::comp_ellint_1(std::sin(lean / 2));
    expect_times(event_times(motion, "impact"), {quarter, 3 * quarter});
    const Motion up = run_contacts(m, {.end = near(2 * quarter), .every = 0.05});
    EXPECT_NEAR(last(up, "pin[N]"), near(lean), exact);
    EXPECT_NEAR(last(up, "pin[1]"), 0, exact);
}

TEST(ShapeModels, AGyroscopeInGimbalsPrecessesWithASteadyTilt) {
    const Mechanism m = motions::load("bodies/gimbals.lac");
    const Motion motion = motions::run_well(m, {.end = 3.0, .every = 0.1, .tolerance = 1e-12});
    EXPECT_LE(worst_error(motion, "tilt", [&](Real) { return m.parameter("lean"); }), exact);
    const auto p = [&](const char* name) { return Real(m.parameter(name)); };
    const Real f = 0.7L, W = -1.3L, spin = 80, s = std::sin(f), c = std::cos(f);
    const Real A = p("A") + p("m") * p("l") * p("l"), n = spin + W * c;
    const Real expected = ((A + p("I2") - p("I3")) * s * c * W * W - p("C") * n * W * s +
                           p("m") * p("g") * p("l") * s) /
                          (A + p("I1"));
    const State state =
        state_of(m, {{"tilt", f}, {"yaw", 2.0L}, {"yaw'", W}, {"spin'", spin}, {"tilt'", 0.4L}});
    EXPECT_NEAR(acceleration(m, state, "tilt"), near(expected), exact * near(std::abs(expected)));
}

TEST(ShapeModels, AQuadrupedComesToRestLevelOnItsSprings) {
    const Mechanism m = motions::load("bodies/quadruped.lac");
    const Motion motion = run_contacts(m, {.end = 3.0, .every = 0.1});
    const double weight = (m.parameter("M") + 4 * m.parameter("mf")) * m.parameter("g");
    const double rest = m.parameter("r") + m.parameter("L") -
                        m.parameter("M") * m.parameter("g") / (4 * m.parameter("k"));
    EXPECT_NEAR(last(motion, "height"), rest, 1e-8);
    EXPECT_NEAR(last(motion, "foot_on_ground[1].multiplier"), weight / 4, 1e-5 * weight);
}

}  // namespace
}  // namespace lacon::contacts
