// Linkages that come near a singular position and miss it: their constraints have two branches that
// do not touch, and the motion turns from the course of one to that of the other. The true motion
// is that of the linkage with one degree of freedom, integrated independently along the curve of
// its positions. Where rounding decides on the branch, the run stops and says so.
#include <fmt/format.h>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using Real = long double;

/// Two coordinates a, b on a curve f(a, b) = 0 with kinetic energy (A a'² + B b'²)/2.
struct Curve {
    std::function<Vector(const Vector&)> slopes;  // of f
    std::function<Real(const Vector&)> potential;
    Real A, B;
};

/// Both coordinates at the times of a motion's rows, from a state and rates of its own.
std::vector<Vector> follow(const Curve& curve, const Vector& start, const Vector& rates,
                           const Motion& motion) {
    const Vector f0 = curve.slopes(start);
    const Real energy = curve.potential(start) +
                        0.5L * (curve.A * rates[0] * rates[0] + curve.B * rates[1] * rates[1]);
    const Real side = f0[1] * rates[0] - f0[0] * rates[1] < 0.0L ? -1.0L : 1.0L;
    const Slope course = [=](Real, const Vector& y) {
        const Vector f = curve.slopes(y);
        const Real inertia = curve.A * f[1] * f[1] + curve.B * f[0] * f[0];
        const Real speed = side * std::sqrt(2.0L * (energy - curve.potential(y)) / inertia);
        return Vector{speed * f[1], -speed * f[0]};
    };
    return reference_at(course, 0.0L, start, motion.column("t"));
}

/// A four-bar with pivots `ground` apart; unit masses at the joints, gravity downwards.
struct Bars {
    double ground, crank, coupler, rocker;
    double crank_angle = -0.8, rocker_angle = -0.8;  // at the start, near there
    double rate = 7.0;
};

/// As text, with names that end in `tail`; the plane of motion is tilted by z = slope y where that
/// is not zero.
std::string bars_text(const Bars& bars, const std::string& tail = "", double slope = 0.0) {
    std::string text = slope == 0.0 ? R"(
        coord x1@, y1@, x2@, y2@
        particle B@ at (x1@, y1@) mass 1
        particle C@ at (x2@, y2@) mass 1
        let D@ = ($g, 0)
)"
                                    : R"(
        coord x1@, y1@, z1@, x2@, y2@, z2@
        particle B@ at (x1@, y1@, z1@) mass 1
        particle C@ at (x2@, y2@, z2@) mass 1
        let D@ = ($g, 0, 0)
        constraint plane1@: z1@ = $k*y1@
        constraint plane2@: z2@ = $k*y2@
        start z1@ = $k*$e*$a*sin($u), z2@ ~ $k*$e*$c*sin($w)
)";
    text += R"(
        constraint crank@: norm(B@) = $a
        constraint rocker@: norm(C@ - D@) = $c
        constraint coupler@: norm(C@ - B@) = $b
        start x1@ = $a*cos($u), y1@ = $e*$a*sin($u), x2@ ~ $g + $c*cos($w), y2@ ~ $e*$c*sin($w)
        start x1@' = -$s*$a*sin($u), y1@' = $e*$s*$a*cos($u)
)";
    const auto put = [&](const std::string& what, const std::string& by) {
        for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
            text.replace(at, what.size(), by);
    };
    put("@", tail);
    const double values[] = {bars.ground,
                             bars.crank,
                             bars.coupler,
                             bars.rocker,
                             bars.crank_angle,
                             bars.rocker_angle,
                             bars.rate,
                             slope,
                             1.0 / std::hypot(1.0, slope)};
    for (std::size_t i = 0; i < std::size(values); ++i)
        put(std::string("$") + "gabcuwske"[i], fmt::format("({})", values[i]));
    return text;
}
Mechanism four_bar(const Bars& bars, const std::string& more = "gravity (0, -9.81)") {
    return Mechanism::parse(bars_text(bars) + more);
}

/// Largest distance of the rows from the true motion. `lift`: heights of the columns over those of
/// the plane.
double error_of(const Motion& motion, const Bars& bars, const std::string& tail = "",
                double lift = 1.0, double g = 9.81) {
    const auto at = [&](const std::string& column, std::size_t i) {
        const std::string name =
            column.back() == '\'' ? column.substr(0, 2) + tail + "'" : column + tail;
        return static_cast<Real>(motion.column(name)[i]) / (column[0] == 'y' ? lift : 1.0);
    };
    const Real d = bars.ground, a = bars.crank, c = bars.rocker, pull = g;
    const Curve curve{
        [=](const Vector& y) {
            const Real dx = d + c * std::cos(y[1]) - a * std::cos(y[0]);
            const Real dy = c * std::sin(y[1]) - a * std::sin(y[0]);
            return Vector{a * (dx * std::sin(y[0]) - dy * std::cos(y[0])),
                          c * (dy * std::cos(y[1]) - dx * std::sin(y[1]))};
        },
        [=](const Vector& y) { return pull * (a * std::sin(y[0]) + c * std::sin(y[1])); }, a * a,
        c * c};
    const Vector start{std::atan2(at("y1", 0), at("x1", 0)),
                       std::atan2(at("y2", 0), at("x2", 0) - d)};
    const Vector rates{(at("x1", 0) * at("y1'", 0) - at("y1", 0) * at("x1'", 0)) / (a * a),
                       ((at("x2", 0) - d) * at("y2'", 0) - at("y2", 0) * at("x2'", 0)) / (c * c)};
    const std::vector<Vector> exact = follow(curve, start, rates, motion);
    Real worst = 0.0L;
    for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::max({worst, std::abs(at("x1", i) - a * std::cos(exact[i][0])),
                          std::abs(at("y1", i) - a * std::sin(exact[i][0])),
                          std::abs(at("x2", i) - d - c * std::cos(exact[i][1])),
                          std::abs(at("y2", i) - c * std::sin(exact[i][1]))});
    return near(worst);
}

Bars almost_parallelogram(double eps, double length = 1.0, double ground = 2.0) {
    return {ground, length, ground, length + eps};
}

void expect_missed(const Motion& motion, double energy, const std::string& what) {
    EXPECT_TRUE(event_times(motion, "rank").empty()) << what;
    EXPECT_LE(energy_error(motion), energy) << what;
}

TEST(NearMiss, AFourBarThatIsNotQuiteAParallelogramKeepsToItsBranch) {
    for (const double eps : {1e-3, 1e-6, -1e-8, 1e-9, -1e-11, 1e-12, -1e-13})
        for (const double tolerance : {1e-6, 1e-10, 1e-13}) {
            const Bars bars = almost_parallelogram(eps);
            const Motion motion =
                run_well(four_bar(bars), {.end = 0.8, .every = 0.05, .tolerance = tolerance});
            const std::string what = fmt::format("{} at {}", eps, tolerance);
            EXPECT_LE(error_of(motion, bars), 1e4 * tolerance + 1e-7) << what;
            expect_missed(motion, 100.0 * tolerance + 1e-9, what);
        }
}

TEST(NearMiss, EveryMethodFollowsTheTurn) {
    for (const char* method : {"taylor", "dop853", "dopri5", "gauss", "adams", "bdf"})
        for (const bool interpret : {false, true})
            for (const double eps : {1e-4, 1e-9}) {
                const Bars bars = almost_parallelogram(eps, 1.2, 1.7);
                const Motion motion = run_well(four_bar(bars), {.end = 1.0,
                                                                .every = 0.05,
                                                                .tolerance = 1e-9,
                                                                .method = method,
                                                                .step = 0.002,
                                                                .interpret = interpret});
                const std::string what = fmt::format("{} {} {}", method, interpret, eps);
                EXPECT_LE(error_of(motion, bars), 1e-4) << what;
                expect_missed(motion, 1e-4, what);
            }
}

TEST(NearMiss, AKiteThatDoesNotQuiteFoldTurnsBeforeItDoes) {
    for (const double eps : {1e-4, 1e-8, -1e-9, 1e-11})
        for (const double tolerance : {1e-7, 1e-11}) {
            const Bars bars{1.0, 1.0, 0.6, 0.6 + eps, 0.5, 0.5 + 2.0, 6.0};
            const Motion motion =
                run_well(four_bar(bars), {.end = 1.5, .every = 0.05, .tolerance = tolerance});
            const std::string what = fmt::format("{} at {}", eps, tolerance);
            EXPECT_LE(error_of(motion, bars), 1e4 * tolerance + 1e-7) << what;
            expect_missed(motion, 100.0 * tolerance + 1e-9, what);
        }
}

TEST(NearMiss, ASliderCrankWithAlmostEqualArmsDoesNotUnfoldAsItFolded) {
    for (const double eps : {1e-4, -1e-6, 1e-9, -1e-9, 1e-12}) {
        const Mechanism m = Mechanism::parse(fmt::format(R"(param r = 1 + ({})
            coord x1, y1, x2
            particle pin at (x1, y1) mass 1
            particle slider at (x2, 0) mass 0.5
            gravity (0, -9.81)
            constraint crank: x1^2 + y1^2 = 1
            constraint rod: (x2 - x1)^2 + y1^2 = r^2
            start x1 = cos(0.3), y1 = sin(0.3), x2 ~ 2*cos(0.3), y1' = 5*cos(0.3))",
                                                         eps));
        const Motion motion = run_well(m, {.end = 2.0, .every = 0.05});
        const Real r = 1.0L + static_cast<Real>(eps);
        const Curve curve{[](const Vector& y) {
                              return Vector{y[1] * std::sin(y[0]), y[1] - std::cos(y[0])};
                          },
                          [](const Vector& y) { return 9.81L * std::sin(y[0]); }, 1.0L, 0.5L};
        const Real angle = 0.3L,
                   x = std::cos(angle) + std::sqrt(r * r - std::sin(angle) * std::sin(angle));
        const std::vector<Vector> exact =
            follow(curve, {angle, x}, {5.0L, static_cast<Real>(motion.column("x2'")[0])}, motion);
        for (std::size_t i = 0; i < exact.size(); ++i) {
            ASSERT_NEAR(motion.column("x2")[i], near(exact[i][1]), 1e-6)
                << eps << " at " << motion.column("t")[i];
            ASSERT_NEAR(motion.column("y1")[i], near(std::sin(exact[i][0])), 1e-6)
                << eps << " at " << motion.column("t")[i];
        }
        expect_missed(motion, 1e-9, fmt::format("{}", eps));
    }
}

TEST(NearMiss, InSpaceItIsTheSame) {
    for (const double eps : {1e-6, -1e-10}) {
        const Bars bars = almost_parallelogram(eps);
        const Mechanism m =
            Mechanism::parse(bars_text(bars, "", 0.75) + "gravity (0, -9.81*0.8, -9.81*0.6)");
        const Motion motion = run_well(m, {.end = 1.5, .every = 0.05});
        EXPECT_LE(error_of(motion, bars, "", 0.8), 1e-6) << eps;
        expect_missed(motion, 1e-8, fmt::format("{}", eps));
    }
}

TEST(NearMiss, TwoLinkagesInOneModelMissEachTheirOwn) {
    const Bars one = almost_parallelogram(1e-9), other{1.5, 0.8, 1.5, 0.8 - 1e-7, -1.0, -1.0, 6.0};
    const Mechanism m =
        Mechanism::parse(bars_text(one, "a") + bars_text(other, "b") + "gravity (0, -9.81)");
    for (const double tolerance : {1e-8, 1e-11}) {
        const Motion motion = run_well(m, {.end = 1.5, .every = 0.05, .tolerance = tolerance});
        EXPECT_LE(error_of(motion, one, "a"), 1e4 * tolerance + 1e-7) << tolerance;
        EXPECT_LE(error_of(motion, other, "b"), 1e4 * tolerance + 1e-7) << tolerance;
        expect_missed(motion, 100.0 * tolerance + 1e-9, fmt::format("{}", tolerance));
    }
}

TEST(NearMiss, ADrivenCrankKeepsTheRockerOnItsSide) {
    for (const double eps : {1e-3, 1e-6, 1e-9, 1e-12})
        for (const char* method : {"taylor", "dop853"}) {
            const Mechanism m = Mechanism::parse(fmt::format(R"(param c = 1 + {}
                coord x1, y1, x2, y2
                particle B at (x1, y1) mass 1
                particle C at (x2, y2) mass 2
                constraint drive: x1*cos(2*t) = -y1*sin(2*t)
                constraint left: norm(B) = 1
                constraint right: norm(C - (2, 0)) = c
                constraint coupler: norm(C - B) = 2
                start x1 ~ 0, y1 ~ -1, x2 ~ 2, y2 ~ -1)",
                                                             eps));
            const Motion motion = run_well(m, {.end = 4.0, .every = 0.05, .method = method});
            const Real c = 1.0L + static_cast<Real>(eps);
            const auto rocker =
                [&](Real t) {  // C lies always on the same side of the line from B to the pivot
                    const Real x = std::sin(2.0L * t), y = -std::cos(2.0L * t),
                               r = std::hypot(2.0L - x, y);
                    const Real along = (r * r + 4.0L - c * c) / (2.0L * r),
                               off = std::sqrt(4.0L - along * along);
                    return x + (along * (2.0L - x) - off * y) / r;
                };
            const auto mirrored = [&](Real t) {
                const Real x = std::sin(2.0L * t), y = -std::cos(2.0L * t),
                           r = std::hypot(2.0L - x, y);
                const Real along = (r * r + 4.0L - c * c) / (2.0L * r),
                           off = std::sqrt(4.0L - along * along);
                return x + (along * (2.0L - x) + off * y) / r;
            };
            const bool first = std::abs(near(rocker(0.0L)) - motion.column("x2")[0]) < 1e-3;
            EXPECT_LE(
                first ? worst_error(motion, "x2", rocker) : worst_error(motion, "x2", mirrored),
                1e-7)
                << eps << method;
            expect_missed(motion, INFINITY, fmt::format("{} {}", eps, method));
        }
}

TEST(NearMiss, WhereRoundingForbidsTheDecisionTheRunStopsAndSaysWhy) {
    for (const double eps : {2e-14, -1.5e-14}) {
        const Motion motion = run(four_bar(almost_parallelogram(eps)), {.end = 1.5, .every = 0.05});
        EXPECT_EQ(name_of(motion.status.outcome), "lost_rank") << eps;
        EXPECT_EQ(motion.status.names, (std::vector<std::string>{"crank", "rocker", "coupler"}))
            << eps;
        for (const char* part : {"at t = 0.", "smallest singular value", "rounding"})
            EXPECT_NE(motion.status.message.find(part), std::string::npos) << motion.status.message;
        EXPECT_TRUE(event_times(motion, "rank").empty()) << eps;
    }
}

TEST(NearMiss, WhatIsAParallelogramButForRoundingIsOne) {
    for (const double length : {1.0, 0.7, 1.1, 0.3 + 1e-16})
        for (const double ground : {2.0, 1.3, 0.1 + 0.2}) {
            if (length == 0.3 + 1e-16 && ground < 1.0)
                continue;  // a rhombus: other branches meet there too
            const Bars bars{ground, length, ground, length, -0.8, -0.8, 7.0 / std::sqrt(length)};
            const Motion motion = run_well(four_bar(bars), {.end = 1.5, .every = 0.05});
            EXPECT_GE(event_times(motion, "rank").size(), 2U) << length << " " << ground;
            for (std::size_t i = 0; i < motion.column("t").size(); ++i)
                ASSERT_NEAR(motion.column("x2")[i] - motion.column("x1")[i], ground, 1e-9)
                    << length << " " << ground;
            EXPECT_LE(energy_error(motion), 1e-8);
        }
}

TEST(NearMiss, ARowThatVanishesWithoutATurnIsReported) {
    for (const char* method : {"taylor", "dop853", "dopri5"}) {
        const Mechanism m = Mechanism::parse(
            "coord x, y\nparticle p at (x, y) mass 1\nconstraint both: y*(y - x^2) = 0\nstart x = "
            "-1, y = 0, x' = 1");
        const Motion motion =
            run(m, {.end = 2.3, .every = 0.1, .tolerance = 1e-9, .method = method});
        const std::vector<double> times = event_times(motion, "rank");
        ASSERT_GE(times.size(), 1U) << method << motion.status.message;
        EXPECT_NEAR(times[0], 1.0, 1e-6) << method;
        EXPECT_EQ(motion.summary.events[0].constraints, (std::vector<std::string>{"both"}));
        for (const double y : motion.column("y")) EXPECT_NEAR(y, 0.0, 1e-9) << method;
    }
}

}  // namespace
}  // namespace lacon::motions
