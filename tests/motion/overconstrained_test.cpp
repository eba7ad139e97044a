// Linkages whose constraints depend on each other wherever they are met, and only there. Stages of
// steps err off these states, where a rank by the tolerance alone would count rows that depend.

#include <fmt/format.h>

#include <algorithm>

#include "driver/dense/dense_backend.hpp"
#include "driver/integrate.hpp"
#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

/// Six hinges along the edges of a cube: six rows of rank 4.
constexpr const char* six_hinges = R"(
gravity (0, -9.81, 0)
body a mass 1 inertia (0.01, 0.1, 0.1) center (0.5, 0, 0)
body b mass 1 inertia (0.1, 0.01, 0.1) center (0, -0.5, 0)
body c mass 1 inertia (0.1, 0.1, 0.01) center (0, 0, 0.5)
body d mass 1 inertia (0.01, 0.1, 0.1) center (-0.5, 0, 0)
body e mass 1 inertia (0.1, 0.01, 0.1) center (0, 0.5, 0)
joint j1: revolute ground to a axis (0, 1, 0)
joint j2: revolute a to b at (1, 0, 0) axis (0, 0, 1)
joint j3: revolute b to c at (0, -1, 0) axis (1, 0, 0)
joint j4: revolute c to d at (0, 0, 1) axis (0, 1, 0)
joint j5: revolute d to e at (-1, 0, 0) axis (0, 0, 1)
constraint foot: e(0, 1, 0) = ground(0, 0, 1)
constraint hinge: e(0.3, 1, 0) = ground(0.3, 0, 1)
output shown = j1
)";

/// Four skew hinges, twists and lengths of opposite links alike, sin(alpha)/a = sin(beta)/b: then
/// tan(A/2) tan(B/2) = sin((beta + alpha)/2)/sin((beta − alpha)/2) and C = −A. Five rows of rank 2.
constexpr const char* bennett = R"(
param a = 1, alpha = 0.6, beta = 1.2, turn = 0.7
param b = a*sin(beta)/sin(alpha), k = sin((beta + alpha)/2)/sin((beta - alpha)/2)
body one mass 1 inertia (0.01, 0.1, 0.1) center (a/2, 0, 0)
body two mass 2 inertia (0.01, 0.3, 0.3) center (b/2, 0, 0)
body three mass 1 inertia (0.01, 0.1, 0.1) center (a/2, 0, 0)
gravity (0, -9.81, 0)
joint A: revolute ground to one
joint B: revolute one to two at (a, 0, 0) axis (0, -sin(alpha), cos(alpha))
    turned rotation((1, 0, 0), alpha)
joint C: revolute two to three at (b, 0, 0) axis (0, -sin(beta), cos(beta))
    turned rotation((1, 0, 0), beta)
joint D: revolute three to ground at (a, 0, 0), (-b, 0, 0) axis (0, -sin(alpha), cos(alpha))
    turned rotation((1, 0, 0), alpha + beta)
start A = turn, B = 2*atan(k/tan(turn/2)), C = -turn
output shown = A, product = tan(A/2)*tan(B/2)/k
)";

/// Two legs of three parallel hinges, in planes across each other, lead a platform on a straight
/// line. Five rows of rank 4.
constexpr const char* sarrus = R"(
param L = 0.5, th = 1
body a1 mass 1 inertia (0.001, L^2/12, L^2/12) center (L/2, 0, 0)
body a2 mass 1 inertia (0.001, L^2/12, L^2/12) center (L/2, 0, 0)
body b1 mass 1 inertia (L^2/12, 0.001, L^2/12) center (0, L/2, 0)
body b2 mass 1 inertia (L^2/12, 0.001, L^2/12) center (0, L/2, 0)
body top mass 2 inertia (0.1, 0.1, 0.1)
gravity (0, 0, -9.81)
joint A1: revolute ground to a1 at (1, 0, 0) axis (0, -1, 0)
joint A2: revolute a1 to a2 at (L, 0, 0) axis (0, -1, 0)
joint A3: revolute a2 to top at (L, 0, 0), (1, 0, 0) axis (0, -1, 0)
joint B1: revolute ground to b1 at (0, 1, 0) axis (1, 0, 0)
joint B2: revolute b1 to b2 at (0, L, 0) axis (1, 0, 0)
joint B3: revolute b2 to top at (0, L, 0), (0, 1, 0) axis (1, 0, 0)
start A1 = th, A2 = pi - 2*th, A3 = th - pi, B1 = th, B2 = pi - 2*th
output shown = A1, z = top.center.z, x = top.center.x, y = top.center.y
)";

/// A parallelogram of three free bodies in space, by unit quaternions: 23 rows of rank 20.
constexpr const char* free_bodies = R"(
param f = -1
body crank mass 1 inertia (0.01, 0.1, 0.1) center (0.5, 0, 0)
body rod mass 2 inertia (0.01, 0.7, 0.7) center (1, 0, 0)
body rocker mass 1 inertia (0.01, 0.1, 0.1) center (0.5, 0, 0)
gravity (0, -9.81, 0)
joint A: revolute ground to crank by constraints
joint B: revolute crank to rod at (1, 0, 0) by constraints
joint C: revolute rod to rocker at (2, 0, 0), (1, 0, 0) by constraints
joint D: revolute rocker to ground at (0, 0, 0), (2, 0, 0) by constraints
start crank.rotation = rotation((0, 0, 1), f), rocker.rotation = rotation((0, 0, 1), f)
start crank.position = (0, 0, 0), rod.position = (cos(f), sin(f), 0)
start rocker.position = (2, 0, 0), rod.rotation = rotation((0, 0, 1), 0)
output shown = rod.origin.x
)";

struct Overconstrained {
    const char* name;
    const char* text;
    std::size_t rank;
    double end;
};
void PrintTo(const Overconstrained& linkage, std::ostream* out) {
    *out << linkage.name;
}

struct Attempt {
    const char* method;
    double tolerance, error;
    std::size_t most_steps;
};

class Overconstraint : public testing::TestWithParam<Overconstrained> {};
INSTANTIATE_TEST_SUITE_P(Linkages, Overconstraint,
                         testing::Values(Overconstrained{"Bricard", six_hinges, 4, 0.5},
                                         Overconstrained{"Bennett", bennett, 2, 0.5},
                                         Overconstrained{"Sarrus", sarrus, 4, 0.25},
                                         Overconstrained{"FreeBodies", free_bodies, 20, 0.5}),
                         [](const auto& i) { return std::string(i.param.name); });

/// Errors are some hundred local ones; steps are those of ordinary linkages.
TEST_P(Overconstraint, HasOneMotionByEveryMethod) {
    const Overconstrained& linkage = GetParam();
    const Mechanism mechanism = Mechanism::parse(linkage.text);
    const double exact = last(
        run_well(
            mechanism,
            {.end = linkage.end, .every = linkage.end, .tolerance = 1e-13, .method = "taylor"}),
        "shown");
    for (const Attempt& by :
         {Attempt{"taylor", 1e-6, 1e-5, 40}, Attempt{"taylor", 1e-10, 1e-8, 60},
          Attempt{"dop853", 1e-6, 1e-4, 60}, Attempt{"dop853", 1e-10, 1e-8, 200},
          Attempt{"dopri5", 1e-6, 1e-4, 100}, Attempt{"dopri5", 1e-9, 1e-6, 400},
          Attempt{"radau", 1e-6, 1e-4, 100}, Attempt{"radau", 1e-9, 1e-6, 300},
          Attempt{"adams", 1e-6, 1e-3, 300}, Attempt{"adams", 1e-9, 1e-5, 600},
          Attempt{"bdf", 1e-6, 1e-2, 600}}) {
        SCOPED_TRACE(fmt::format("{} {}", by.method, by.tolerance));
        const Motion motion = run_well(mechanism, {.end = linkage.end,
                                                   .every = linkage.end,
                                                   .tolerance = by.tolerance,
                                                   .method = by.method});
        EXPECT_NEAR(last(motion, "shown"), exact, by.error);
        EXPECT_LE(energy_error(motion), by.error);
        EXPECT_LE(motion.summary.worst.position, 1e-12);
        EXPECT_EQ(event_times(motion, "rank").size(), 0U);
        EXPECT_EQ(motion.summary.rank_min, linkage.rank);
        EXPECT_EQ(motion.summary.rank_max, linkage.rank);
        EXPECT_LE(motion.summary.steps, by.most_steps);
    }
}

TEST(Overconstrained, BennettsLinkageKeepsTheProductOfItsHalfAngles) {
    const Motion motion =
        run_well(Mechanism::parse(bennett),
                 {.end = 0.5, .every = 0.05, .tolerance = 1e-8, .method = "dop853"});
    for (const double product : motion.column("product")) EXPECT_NEAR(product, 1.0, 1e-11);
}

/// With knees at (1 + L cos θ, 0, L sin θ) the platform is at z = 2 L sin θ; one angle has one
/// effective inertia I(θ), and I θ'' + I' θ'²/2 = −8 g L cos θ for these masses.
TEST(Overconstrained, SarrusLinkageFallsOnAStraightLineByItsEffectiveInertia) {
    const long double L = 0.5L, g = 9.81L;
    const Slope reduced = [&](long double, const Vector& y) {
        const long double s = std::sin(y[0]), c = std::cos(y[0]);
        const long double inertia =
            L * L * (8 * c * c + 2 * (1 / 6.0L + 0.25L + 0.25L * s * s + 2.25L * c * c));
        const long double half_slope = -12 * L * L * s * c;
        return Vector{y[1], (-half_slope * y[1] * y[1] - 8 * g * L * c) / inertia};
    };
    const double end = 0.25;
    const Vector exact = reference_at(reduced, 0.0L, {1.0L, 0.0L}, {end}).front();
    const Mechanism mechanism = Mechanism::parse(sarrus);
    for (const char* method : {"taylor", "dop853", "radau"}) {
        const Motion motion =
            run_well(mechanism, {.end = end, .every = 0.01, .tolerance = 1e-10, .method = method});
        EXPECT_NEAR(last(motion, "z"), near(2 * L * std::sin(exact[0])), 1e-8) << method;
        for (const char* across : {"x", "y"})
            for (const double off : motion.column(across)) EXPECT_NEAR(off, 0.0, 1e-12) << method;
    }
}

TEST(Overconstrained, StepsByRungeKuttaAreCompiled) {
    for (const char* text : {six_hinges, bennett}) {
        const Mechanism mechanism = Mechanism::parse(text);
        const RunPlan plan =
            plan_run(mechanism.details(), {.end = 0.3, .tolerance = 1e-8, .method = "dop853"});
        Integration run(
            mechanism.details(), plan, {}, [](std::span<const double>) {},
            make_dense_backend(mechanism.details(), plan));
        ASSERT_TRUE(run.begin());
        while (run.step()) EXPECT_TRUE(run.snapshot().in_compiled_segment) << run.steps();
        EXPECT_TRUE(run.status()) << run.status().message;
    }
}

/// A flat parallelogram has a smaller rank at its start than around it: that one does not last, and
/// the run says that the branch is open.
TEST(Overconstrained, ASingularStartIsNoneOfTheseLinkages) {
    const Mechanism flat = Mechanism::parse(
        "coord p, q, r\nlet P = (cos(p), sin(p))\nlet Q = P + (2*cos(q), 2*sin(q))\n"
        "particle one at P mass 1\nparticle two at Q mass 1\n"
        "constraint foot: Q - (cos(r), sin(r)) = (2, 0)\nstart p' = 1, r' = 1\nkinetic r'^2\n");
    const Motion motion = run(flat, {.end = 1.0, .tolerance = 1e-8, .method = "dop853"});
    EXPECT_EQ(motion.status.outcome, Outcome::lost_rank) << motion.status.message;
}

}  // namespace
}  // namespace lacon::motions
