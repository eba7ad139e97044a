// Parallelograms that pass their flat positions, with their exact motion.
#include "linkages.hpp"

#include <fmt/format.h>

#include <ostream>

namespace lacon::motions {

namespace {

using Real = long double;
const Real g = Real(9.81);

/// A swinging arm: s'' = −pull sin(s − down).
Slope arm(Real down) {
    return [down](Real, const Vector& y) { return Vector{y[1], -g * std::sin(y[0] - down)}; };
}

std::string number(double x) {
    return fmt::format("({})", x);
}

}  // namespace

std::vector<double> Linkage::crossings(double end) const {
    return reference_zeros(reduced, 0.0L, start, end,
                           [this](const Vector& y) { return singular(y[0]); });
}

Linkage parallelogram(double s1, bool redundant, double mass_ratio, double s0,
                      const std::string& gravity) {
    const std::string text =
        fmt::format(R"(param s0 = {}, s1 = {}
        coord x1, y1, x2, y2
        particle B at (x1, y1) mass 1
        particle C at (x2, y2) mass {}
        gravity {}
        constraint left: norm(B) = 1
        constraint right: norm(C - (2, 0)) = 1
        constraint coupler: norm(C - B) = 2
        {}
        start x1 ~ sin(s0), y1 ~ -cos(s0), x2 ~ 2 + sin(s0), y2 ~ -cos(s0)
        start x1' ~ s1*cos(s0), y1' ~ s1*sin(s0), x2' ~ s1*cos(s0), y2' ~ s1*sin(s0))",
                    number(s0), number(s1), mass_ratio, gravity,
                    redundant ? "constraint middle: norm((B + C)/2 - (1, 0)) = 1" : "");
    const Real down = gravity == "(0, -9.81)" ? 0.0L : std::acos(0.0L);  // or towards +x
    return {Mechanism::parse(text),
            arm(down),
            {s0, s1},
            [](Real s) { return std::sin(s); },
            "x1",
            [](Real s) { return std::cos(s); }};
}

Linkage slider_crank(double s1) {
    const std::string text = fmt::format(R"(param s1 = {}
        coord x1, y1, x2
        particle pin at (x1, y1) mass 1
        particle slider at (x2, 0) mass 0.5
        gravity (0, -9.81)
        constraint crank: x1^2 + y1^2 = 1
        constraint rod: (x2 - x1)^2 + y1^2 = 1
        start x1 = cos(0.3), y1 ~ sin(0.3), x2 ~ 2*cos(0.3), y1' = s1*cos(0.3))",
                                         number(s1));
    const Slope reduced = [](Real, const Vector& y) {
        const Real S = std::sin(y[0]), C = std::cos(y[0]), I = 1.0L + 2.0L * S * S;
        return Vector{y[1], -(g * C + 2.0L * S * C * y[1] * y[1]) / I};
    };
    return {Mechanism::parse(text),
            reduced,
            {0.3L, s1},
            [](Real s) { return 2.0L * std::cos(s); },
            "x2",
            [](Real s) { return std::cos(s); }};
}

Linkage kite(double s1) {
    const std::string text = fmt::format(R"(param s1 = {}
        coord x1, y1, x2, y2
        particle B at (x1, y1) mass 0.7
        particle C at (x2, y2) mass 1
        gravity (0, -9.81)
        constraint crank: norm(B) = 1
        constraint coupler: norm(C - B) = 0.6
        constraint rocker: norm(C - (1, 0)) = 0.6
        let f = 2*atan2(0.6*sin(0.5), 1 + 0.6*cos(0.5))
        start x1 ~ cos(f), y1 ~ sin(f), x2 = 1 + 0.6*cos(0.5), y2 ~ 0.6*sin(0.5)
        start x2' = -0.6*s1*sin(0.5))",
                                         number(s1));
    // The crank's angle is twice that of C seen from the pivot: f = 2 arg(C), f_1 = N/D.
    const Slope reduced = [](Real, const Vector& y) {
        const Real c = Real(0.6), S = std::sin(y[0]), C = std::cos(y[0]);
        const Real N = 2 * (c * c + c * C), D = 1 + c * c + 2 * c * C,
                   f = 2 * std::atan2(c * S, 1 + c * C);
        const Real f1 = N / D, f2 = (-2 * c * S * D + 2 * c * S * N) / (D * D), mass = Real(0.7);
        const Real I = c * c + mass * f1 * f1, half = mass * f1 * f2;
        return Vector{y[1], -(half * y[1] * y[1] + g * (c * C + mass * std::cos(f) * f1)) / I};
    };
    return {Mechanism::parse(text),
            reduced,
            {0.5L, s1},
            [](Real s) { return 1 + Real(0.6) * std::cos(s); },
            "x2",
            [](Real s) { return std::sin(s); }};
}

Linkage ladder(int cells, double s1) {
    const std::string text = fmt::format(R"(param N = {}, s1 = {}
        coord x[0..N], y[0..N]
        let P[i] = (x[i], y[i]) for i in 0..N
        particle pin[i] at P[i] mass 1 + i/10 for i in 0..N
        gravity (0, -9.81)
        constraint arm[i]: norm(P[i] - (i, 0)) = 1 for i in 0..N
        constraint rung[i]: norm(P[i] - P[i-1]) = 1 for i in 1..N
        start x[i] ~ i + sin(0.8), y[i] ~ -cos(0.8), x[i]' ~ s1*cos(0.8), y[i]' ~ s1*sin(0.8) for i in 0..N)",
                                         cells, number(s1));
    return {Mechanism::parse(text),
            arm(0.0L),
            {Real(0.8), s1},
            [](Real s) { return std::sin(s); },
            "x[0]",
            [](Real s) { return std::cos(s); }};
}

void PrintTo(const Passer& passer, std::ostream* out) {
    *out << passer.method << " at " << passer.tolerance;
}

void expect_follows(const Motion& motion, const Linkage& linkage, double error) {
    const std::vector<double>& t = motion.column("t");
    const std::vector<Vector> exact = reference_at(linkage.reduced, 0.0L, linkage.start, t);
    Real worst = 0.0L;
    for (std::size_t i = 0; i < t.size(); ++i)
        worst = std::max(worst,
                         std::abs(motion.column(linkage.column)[i] - linkage.place(exact[i][0])));
    EXPECT_LE(static_cast<double>(worst), error)
        << motion.summary.method << " at " << motion.summary.tolerance;
}

void expect_crossings(const Motion& motion, const Linkage& linkage, double error,
                      std::size_t count) {
    const std::vector<double> found = event_times(motion, "rank"),
                              exact = linkage.crossings(motion.summary.final.t);
    ASSERT_EQ(found.size(), exact.size())
        << motion.summary.method << " at " << motion.summary.tolerance;
    EXPECT_GE(found.size(), count);
    double worst = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i)
        worst = std::max(worst, std::abs(found[i] - exact[i]));
    EXPECT_LE(worst, error) << motion.summary.method << " at " << motion.summary.tolerance;
}

}  // namespace lacon::motions
