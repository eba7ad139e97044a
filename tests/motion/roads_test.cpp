// Two roads to one motion: the engine beside an integrator that shares nothing with it, on the
// equations as a textbook has them, solved by hand.

#include <array>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using Real = long double;

/// The double pendulum in its angles a, b, by the formulas of models/double_pendulum.lac.
Vector double_pendulum(Real, const Vector& s) {
    const Real L1 = 1.0L, L2 = Real(0.7), m1 = 1.0L, m2 = 1.5L, g = Real(9.81);
    const Real a = s[0], b = s[1], a1 = s[2], b1 = s[3], d = a - b,
               D = 2 * m1 + m2 - m2 * std::cos(2 * d);
    return {a1, b1,
            (-g * (2 * m1 + m2) * std::sin(a) - m2 * g * std::sin(a - 2 * b) -
             2 * m2 * std::sin(d) * (b1 * b1 * L2 + a1 * a1 * L1 * std::cos(d))) /
                (L1 * D),
            2 * std::sin(d) *
                (a1 * a1 * L1 * (m1 + m2) + g * (m1 + m2) * std::cos(a) +
                 b1 * b1 * L2 * m2 * std::cos(d)) /
                (L2 * D)};
}

TEST(Roads, DoublePendulumIsTheSameInAnglesInCartesianCoordinatesAndByHand) {
    // From the level it falls into chaos: by 5 s an error has grown 600 times. At the start only
    // every fourth order of its series is there, which a step size taken from the last two orders
    // does not see.
    const Real quarter = std::acos(0.0L);
    for (const auto& [method, error] : {std::pair{"taylor", 1e-10}, std::pair{"dop853", 1e-10}}) {
        const RunOptions options{.end = 5.0, .every = 0.05, .tolerance = 1e-13, .method = method};
        const Motion angles = run_well(load("double_pendulum_angles.lac"), options);
        const Motion points = run_well(load("double_pendulum.lac"), options);
        const std::vector<double>& t = angles.column("t");
        const std::vector<Vector> exact =
            reference_at(double_pendulum, 0.0L, {quarter, quarter, 0.0L, 0.0L}, t);
        double worst_angle = 0.0, worst_place = 0.0;
        for (std::size_t i = 0; i < t.size(); ++i) {
            const Real x1 = std::sin(exact[i][0]), x2 = x1 + Real(0.7) * std::sin(exact[i][1]);
            worst_angle = std::max(
                worst_angle, static_cast<double>(std::abs(angles.column("b")[i] - exact[i][1])));
            worst_place =
                std::max(worst_place, static_cast<double>(std::abs(points.column("x2")[i] - x2)));
        }
        EXPECT_LE(worst_angle, error) << method;
        EXPECT_LE(worst_place, error) << method;
    }
}

// ---- the car axis problem

/// The multipliers from the two constraints differentiated twice, by Cramer's rule.
Vector car_axis(Real t, const Vector& s) {
    const Real k = 0.5L * 10.0L * Real(0.01) * Real(0.01), L0 = 0.5L, r = Real(0.1), w = 10.0L,
               g = 1.0L;
    const Real yb = r * std::sin(w * t), yb1 = r * w * std::cos(w * t),
               yb2 = -r * w * w * std::sin(w * t);
    const Real xb = std::sqrt(1.0L - yb * yb), xb1 = -yb * yb1 / xb,
               xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
    const Real xl = s[0], yl = s[1], xr = s[2], yr = s[3], dx = xl - xr, dy = yl - yr;
    const Real Ll = std::hypot(xl, yl), Lr = std::hypot(xr - xb, yr - yb);
    const Real fxl = (L0 - Ll) * xl / Ll / k, fyl = (L0 - Ll) * yl / Ll / k - g;
    const Real fxr = (L0 - Lr) * (xr - xb) / Lr / k, fyr = (L0 - Lr) * (yr - yb) / Lr / k - g;
    // (xb xl'' + yb yl'') = b1 and 2 (dx (xl'' − xr'') + dy (yl'' − yr'')) = b2
    const Real b1 = -(2 * s[4] * xb1 + 2 * s[5] * yb1 + xl * xb2 + yl * yb2);
    const Real b2 = -2 * ((s[4] - s[6]) * (s[4] - s[6]) + (s[5] - s[7]) * (s[5] - s[7]));
    const Real a11 = (xb * xb + yb * yb) / k, a12 = 2 * (xb * dx + yb * dy) / k,
               a22 = 8 * (dx * dx + dy * dy) / k;
    const Real r1 = b1 - (xb * fxl + yb * fyl), r2 = b2 - 2 * (dx * (fxl - fxr) + dy * (fyl - fyr));
    const Real det = a11 * a22 - a12 * a12, one = (r1 * a22 - a12 * r2) / det,
               two = (a11 * r2 - a12 * r1) / det;
    return {s[4],
            s[5],
            s[6],
            s[7],
            fxl + (one * xb + 2 * two * dx) / k,
            fyl + (one * yb + 2 * two * dy) / k,
            fxr - 2 * two * dx / k,
            fyr - 2 * two * dy / k};
}

TEST(Roads, CarAxisEndsWhereItsTestSetSays) {
    const std::vector<std::string> names = {"xl", "yl", "xr", "yr", "xl'", "yl'", "xr'", "yr'"};
    const Vector exact =
        reference_at(car_axis, 0.0L, {0.0L, 0.5L, 1.0L, 0.5L, -0.5L, 0.0L, -0.5L, 0.0L}, {3.0})[0];
    const std::array published = {0.04934557842752409, 0.49698946023000811, 1.0417425248854261,
                                  0.37391102726536582};
    for (std::size_t i = 0; i < published.size(); ++i)
        EXPECT_NEAR(near(exact[i]), published[i], 1e-12) << names[i];
    for (const auto& [method, error] : {std::pair{"taylor", 1e-12}, std::pair{"dop853", 1e-11}}) {
        const Motion motion =
            run_well(load("car_axis.lac"), {.tolerance = 1e-14, .method = method});
        for (std::size_t i = 0; i < names.size(); ++i)
            EXPECT_NEAR(last(motion, names[i]), near(exact[i]), error) << method << names[i];
        EXPECT_LE(motion.summary.worst.position, 1e-14);
        EXPECT_LE(motion.summary.worst.velocity, 1e-14);
    }
}

}  // namespace
}  // namespace lacon::motions
