// Linkages through positions at which their constraints lose rank, and the motion could branch. The
// true motion is the smooth one: that of the linkage with one degree of freedom, integrated
// independently.

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "linkages.hpp"

namespace lacon::motions {
namespace {

class Passing : public testing::TestWithParam<Passer> {};
INSTANTIATE_TEST_SUITE_P(
    Methods, Passing,
    testing::Values(Passer{"taylor", 1e-8, 1e-5}, Passer{"taylor", 1e-10, 1e-7},
                    Passer{"taylor", 1e-12, 1e-9}, Passer{"taylor", 1e-13, 1e-9},
                    Passer{"taylor", 1e-15, 1e-9}, Passer{"dop853", 1e-12, 1e-9},
                    Passer{"dop853", 1e-8, 1e-5}, Passer{"dopri5", 1e-9, 1e-5},
                    Passer{"adams", 1e-9, 1e-4}, Passer{"bdf", 1e-8, 1e-3},
                    Passer{"rk4", 1e-9, 1e-6}, Passer{"gauss", 1e-9, 1e-8}),
    [](const auto& i) { return fmt::format("{}_{}", i.param.method, i.index); });

TEST_P(Passing, ParallelogramTurnsThroughItsFlatPositionsForAMinute) {
    const Linkage linkage = parallelogram(7.0);
    const Motion motion = run_well(linkage.mechanism, GetParam().options(60.0));
    const double error = GetParam().error;
    const std::vector<double>& gap1 = motion.column("x1");
    for (std::size_t i = 0; i < gap1.size(); ++i)
        ASSERT_NEAR(motion.column("x2")[i] - gap1[i], 2.0, 1e-9) << "wrong branch";
    EXPECT_LE(energy_error(motion), std::min(error, GetParam().tolerance <= 1e-12 ? 1e-9 : 1.0));
    EXPECT_LE(motion.summary.worst.position, 1e-12);
    expect_follows(motion, linkage, 300.0 * error);
    expect_crossings(motion, linkage, GetParam().tolerance <= 1e-12 ? 1e-9 : 300.0 * error, 80);
}

TEST_P(Passing, EqualArmedSliderCrankUnfoldsAsItFolded) {
    const Linkage linkage = slider_crank(4.0);
    const Motion motion = run_well(linkage.mechanism, GetParam().options(20.0));
    expect_follows(motion, linkage, 300.0 * GetParam().error);
    expect_crossings(motion, linkage, 300.0 * GetParam().error, 10);
    EXPECT_LE(energy_error(motion), GetParam().error);
}

TEST_P(Passing, KiteTurnsItselfOverThroughItsFold) {
    const Linkage linkage = kite(9.0);
    const Motion motion = run_well(linkage.mechanism, GetParam().options(10.0));
    expect_follows(motion, linkage, 300.0 * GetParam().error);
    expect_crossings(motion, linkage, 300.0 * GetParam().error, 10);
    EXPECT_LE(energy_error(motion), GetParam().error);
}

TEST(Singular, LadderOfTenParallelogramsLosesTenRanksAtOnceAndGoesOn) {
    const Linkage linkage = ladder(10, 7.0);
    for (const double tolerance : {1e-9, 1e-12}) {
        const Motion motion =
            run_well(linkage.mechanism,
                     {.end = 10.0, .every = 0.05, .tolerance = tolerance, .method = "taylor"});
        expect_follows(motion, linkage, std::max(1e-8, 1e4 * tolerance));
        expect_crossings(motion, linkage, std::max(1e-9, 1e4 * tolerance), 10);
        EXPECT_LE(energy_error(motion), std::max(1e-9, 100.0 * tolerance));
        for (const MotionEvent& event : motion.summary.events) {
            EXPECT_EQ(event.rank_before, 21U);
            EXPECT_EQ(event.rank_after, 11U);
        }
    }
}

TEST(Singular, CrossingsTellTheRankAndTheConstraintsConcerned) {
    const Motion motion = run_well(parallelogram(7.0).mechanism,
                                   {.end = 2.0, .tolerance = 1e-12, .method = "taylor"});
    ASSERT_FALSE(motion.summary.events.empty());
    const MotionEvent& first = motion.summary.events[0];
    EXPECT_EQ(first.kind, "rank");
    EXPECT_TRUE(first.passed);
    EXPECT_EQ(first.rank_before, 3U);
    EXPECT_EQ(first.rank_after, 2U);
    EXPECT_EQ(first.constraints, (std::vector<std::string>{"left", "right", "coupler"}));
    EXPECT_EQ(motion.summary.rank_first, 3U);
    EXPECT_EQ(motion.summary.rank_min, 2U);
    EXPECT_EQ(motion.summary.rank_max, 3U);
}

TEST(Singular, ARedundantLinkChangesNothing) {
    const Linkage linkage = parallelogram(7.0, true);
    const Motion motion = run_well(
        linkage.mechanism, {.end = 20.0, .every = 0.05, .tolerance = 1e-12, .method = "taylor"});
    expect_follows(motion, linkage, 1e-7);
    expect_crossings(motion, linkage, 1e-9, 25);
}

TEST(Singular, UnequalMassesOverManyPowersOfTenChangeNothing) {
    for (const double ratio : {1e-6, 1e-3, 1e3, 1e6}) {
        const Linkage linkage = parallelogram(7.0, false, ratio);
        const Motion motion =
            run_well(linkage.mechanism,
                     {.end = 10.0, .every = 0.05, .tolerance = 1e-12, .method = "taylor"});
        expect_follows(motion, linkage, 1e-8);
        expect_crossings(motion, linkage, 1e-9, 10);
    }
}

TEST(Singular, AMasslessCoordinateHidesNoCrossing) {
    const std::string flat =
        "coord x1, y1, x2, y2\nparticle a at (x1, y1) mass 1\nparticle b at (x2, y2) mass 1\n"
        "constraint l: norm(a) = 1\nconstraint r: norm(b - (2, 0)) = 1\nconstraint c: norm(b - a) "
        "= 2\n"
        "start x1 = 0, y1 = 1, x2 = 2, y2 = 1, x1' ~ 2, x2' ~ 2\n";
    const RunOptions options{.end = 20.0, .tolerance = 1e-11};
    const Motion bare = run(Mechanism::parse(flat), options);
    const Motion dressed =
        run(Mechanism::parse(flat + "coord u\nconstraint uu: u = x1 + x2\n"), options);
    ASSERT_TRUE(bare.status && dressed.status) << bare.status.message << dressed.status.message;
    ASSERT_GE(bare.summary.events.size(), 10U);
    ASSERT_EQ(bare.summary.events.size(), dressed.summary.events.size());
    for (std::size_t i = 0; i < bare.summary.events.size(); ++i)
        EXPECT_NEAR(bare.summary.events[i].t, dressed.summary.events[i].t, 1e-8);
}

TEST(Singular, CrossingsAndEventsWithinOneStepAreToldInOrder) {
    const Mechanism m = Mechanism::parse(R"(coord x1, y1, x2, y2
        particle a at (x1, y1) mass 1
        particle b at (x2, y2) mass 1
        constraint l: norm(a) = 1
        constraint r: norm(b - (2, 0)) = 1
        constraint c: norm(b - a) = 2
        event above: y1 = 0.05
        event below: y1 = -0.05
        start x1 = 0, y1 = 1, x2 = 2, y2 = 1, x1' ~ 2, x2' ~ 2)");
    const Motion motion = run_well(m, {.end = 3.0, .tolerance = 1e-11, .method = "taylor"});
    std::vector<std::string> names;
    for (const MotionEvent& event : motion.summary.events) names.push_back(event.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"above", "l, r, c", "below", "below", "l, r, c", "above"}));
}

TEST(Singular, StrictStopsAtTheFirstCrossing) {
    const Linkage linkage = parallelogram(7.0);
    for (const char* method : {"taylor", "dop853", "bdf"}) {
        const Motion motion = run(
            linkage.mechanism, {.end = 10.0, .tolerance = 1e-11, .method = method, .strict = true});
        EXPECT_EQ(name_of(motion.status.outcome), "lost_rank") << method << motion.status.message;
        EXPECT_NEAR(motion.summary.final.t, linkage.crossings(1.0)[0], 1e-6) << method;
        EXPECT_EQ(motion.summary.events.size(), 1U);
    }
}

/// A parallelogram whose crank of length r is driven to the angle rate t + phase: no freedom is
/// left, and the coupler of length 2 stays parallel to the ground.
struct Drive {
    double rate, phase, r;
    std::string text(const std::string& more = "") const {
        return fmt::format(R"(coord x1, y1, x2, y2
            let a = {0} * t + {1}
            particle A at (x1, y1) mass 1
            particle B at (x2, y2) mass 1
            gravity (0, -9.81)
            constraint d: A = {2} * (cos(a), sin(a))
            constraint c2: norm(B - A) = 2
            constraint c3: norm(B - (2, 0)) = {2}
            start x1 ~ {3}, y1 ~ {4}, x2 ~ 2 + {3}, y2 ~ {4}
            )",
                           rate, phase, r, r * std::cos(phase), r * std::sin(phase)) +
               more;
    }
    double angle(double t) const { return rate * t + phase; }
};
const Drive drives[] = {{1.0, 1.0, 1.0},  {0.7, 0.9, 1.0}, {1.3, 0.4, 1.0},  {2.1, 0.8, 0.6},
                        {-0.8, 1.2, 1.0}, {1.7, 0.6, 1.4}, {0.9, 1.1, 0.75}, {3.3, 2.0, 1.0}};

TEST(Singular, ADrivenParallelogramTellsEveryFlatPositionAndKeepsItsForm) {
    for (const Drive& drive : drives)
        for (const char* method : {"taylor", "dop853", "dopri5", "adams"}) {
            const Motion motion = run_well(Mechanism::parse(drive.text()),
                                           {.end = 8.0, .every = 0.1, .method = method});
            const std::string which = fmt::format("{} {} {}", method, drive.rate, drive.phase);
            for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
                const double a = drive.angle(motion.column("t")[i]);
                ASSERT_NEAR(motion.column("x2")[i], 2.0 + drive.r * std::cos(a), 1e-9) << which;
                ASSERT_NEAR(motion.column("y2")[i], drive.r * std::sin(a), 1e-9) << which;
            }
            std::vector<double> flat;
            for (int k = -20; k <= 20; ++k)
                if (const double t = (k * std::numbers::pi - drive.phase) / drive.rate;
                    t > 0.0 && t < 8.0)
                    flat.push_back(t);
            std::sort(flat.begin(), flat.end());
            ASSERT_EQ(motion.summary.events.size(), flat.size()) << which;
            for (std::size_t i = 0; i < flat.size(); ++i) {
                EXPECT_NEAR(motion.summary.events[i].t, flat[i], 1e-6) << which;
                EXPECT_TRUE(motion.summary.events[i].passed) << which;
            }
            EXPECT_EQ(motion.summary.rank_min, 3U) << which;
        }
}

TEST(Singular, StrictStopsADrivenParallelogramWhereItLiesFlat) {
    for (const char* method : {"taylor", "dop853"}) {
        const Motion motion =
            run(Mechanism::parse(drives[0].text()), {.end = 8.0, .method = method, .strict = true});
        EXPECT_EQ(name_of(motion.status.outcome), "lost_rank") << method;
        EXPECT_NEAR(motion.summary.final.t, std::numbers::pi - 1.0, 1e-6) << method;
    }
}

TEST(Singular, APendulumOnADrivenParallelogramSwingsAsOnItsMovingSupport) {
    for (const Drive& drive : {drives[0], drives[3], drives[4]}) {
        const std::string bob = "coord th\nstart th = 0.5, th' = 0\nparticle P at ";
        const Mechanism carried =
            Mechanism::parse(drive.text(bob + "B + (sin(th), -cos(th)) mass 0.5\n"));
        const Mechanism alone =
            Mechanism::parse(fmt::format("let a = {} * t + {}\ngravity (0, -9.81)\n{}{} * (cos(a), "
                                         "sin(a)) + (sin(th), -cos(th)) "
                                         "mass 0.5\n",
                                         drive.rate, drive.phase, bob, drive.r));
        const RunOptions options{.end = 8.0, .every = 0.1, .tolerance = 1e-12, .method = "taylor"};
        const Motion motion = run_well(carried, options), other = run_well(alone, options);
        for (std::size_t i = 0; i < other.column("th").size(); ++i)
            ASSERT_NEAR(motion.column("th")[i], other.column("th")[i], 1e-7) << drive.rate;
        EXPECT_GE(motion.summary.events.size(), 2U);
    }
}

TEST(Singular, AStartInASingularPositionStopsUnlessToldToGoOn) {
    const Mechanism m = Mechanism::parse(R"(coord x1, y1, x2, y2
        particle B at (x1, y1) mass 1
        particle C at (x2, y2) mass 2
        gravity (0, -9.81)
        constraint left: norm(B) = 1
        constraint right: norm(C - (2, 0)) = 1
        constraint coupler: norm(C - B) = 2
        start x1 = 1, y1 = 0, x2 = 3, y2 = 0, y1' = 1, y2' = 1)");
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf", "rk4", "gauss"}) {
        RunOptions options{.end = 0.5, .every = 0.01, .tolerance = 1e-9, .method = method};
        const Motion stopped = run(m, options);
        EXPECT_EQ(name_of(stopped.status.outcome), "lost_rank")
            << method << ": " << stopped.status.message;
        EXPECT_LE(stopped.summary.final.t, 1e-3) << method;
        options.through_singular = true;
        const Motion gone_on = run_well(m, options);
        EXPECT_EQ(last(gone_on, "t"), 0.5);
        EXPECT_LE(energy_error(gone_on), 1e-5) << method;
    }
}

TEST(Singular, ADeadEndIsAReasonToStop) {
    // The second rod's far end is pulled away; at t = 1.5 both rods are stretched and nothing can
    // follow.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle P at (x, y) mass 1
        constraint first: norm(P) = 1
        constraint second: norm(P - (0.5 + t, 0)) = 1
        start x ~ 0.25, y ~ 1)");
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf", "rk4", "gauss"}) {
        const Motion motion =
            run(m, {.end = 3.0, .every = 0.01, .tolerance = 1e-9, .method = method});
        EXPECT_EQ(name_of(motion.status.outcome), "conflict")
            << method << ": " << motion.status.message;
        EXPECT_EQ(motion.status.names, (std::vector<std::string>{"first", "second"})) << method;
        EXPECT_NEAR(motion.summary.final.t, 1.5, 0.02) << method << ": " << motion.status.message;
        for (const auto& column : motion.columns)
            for (const double value : column) ASSERT_TRUE(std::isfinite(value)) << method;
    }
}

TEST(Singular, ADriveBeyondReachIsAConflictAndNoCrossing) {
    // y = sqrt(1 - t^2): at t = 1 the velocity has grown without bound, and behind it there is no
    // position. The other branch, y < 0, meets the constraints and is no continuation.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        constraint a: x = t
        constraint b: x^2 + y^2 = 1
        start x ~ 0, y ~ 1)");
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf", "rk4", "gauss"})
        for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
            const Motion motion =
                run(m, {.end = 2.0, .every = 0.01, .tolerance = tolerance, .method = method});
            const std::string what =
                fmt::format("{} at {}: {}", method, tolerance, motion.status.message);
            EXPECT_EQ(name_of(motion.status.outcome), "conflict") << what;
            EXPECT_EQ(motion.status.names, (std::vector<std::string>{"a", "b"})) << what;
            EXPECT_NEAR(motion.summary.final.t, 1.0, 0.01) << what;
            EXPECT_LE(motion.summary.final.t, 1.0) << what;
            EXPECT_TRUE(motion.summary.events.empty()) << what;
            for (const double y : motion.column("y")) ASSERT_GE(y, 0.0) << what;
        }
}

TEST(Singular, ADriveThatSlowsDownAtTheEndOfItsReachPassesIt) {
    // x = sin(t) on the circle: y = cos(t) goes on below, as smoothly as it came.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        constraint a: x = sin(t)
        constraint b: x^2 + y^2 = 1
        start x ~ 0, y ~ 1)");
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf", "rk4", "gauss"}) {
        const Motion motion =
            run_well(m, {.end = 6.0, .every = 0.01, .tolerance = 1e-10, .method = method});
        EXPECT_EQ(event_times(motion, "rank").size(), 2U) << method;
        EXPECT_LE(worst_error(motion, "y", [](long double t) { return std::cos(t); }), 1e-7)
            << method;
    }
}

// A rule that is multiplied by what vanishes on the way says nothing for a moment, and asks for no
// velocity without bound.
TEST(Singular, RulesThatVanishForAMomentArePassedAndTold) {
    for (const std::string factor : {"(t - 0.71)", "(t - 0.71)^2", "(x + 0.29)", "(x + 0.29)^2"})
        for (const char* method : {"taylor", "dop853"}) {
            const Motion motion =
                run(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint c: " +
                                     factor + "*(x' - y) = 0\nstart x = -1, y = 1, x' = 1\n"),
                    {.end = 2.0, .method = method});
            ASSERT_TRUE(motion.status) << factor << method << motion.status.message;
            ASSERT_EQ(motion.summary.events.size(), 1U) << factor << method;
            EXPECT_NEAR(motion.summary.events[0].t, 0.71, 1e-7) << factor << method;
            EXPECT_TRUE(motion.summary.events[0].passed) << factor << method;
            EXPECT_LE(motion.summary.steps, 60U) << factor << method;
        }
}

TEST(Singular, ADrivenLinkageIsLedThroughItsFlatPositions) {
    // The rows agree on the velocities where they depend on each other: a crossing, however like an
    // end of reach.
    const Mechanism m = Mechanism::parse(R"(coord x1, y1, x2, y2
        particle B at (x1, y1) mass 1
        particle C at (x2, y2) mass 2
        constraint drive: x1*cos(2*t) = -y1*sin(2*t)
        constraint left: norm(B) = 1
        constraint right: norm(C - (2, 0)) = 1
        constraint coupler: norm(C - B) = 2
        start x1 ~ 0, y1 ~ -1, x2 ~ 2, y2 ~ -1)");
    for (const char* method : {"taylor", "dop853", "rk4", "gauss"}) {
        const Motion motion =
            run_well(m, {.end = 5.0, .every = 0.01, .tolerance = 1e-10, .method = method});
        EXPECT_EQ(event_times(motion, "rank").size(), 3U) << method;
        EXPECT_LE(
            worst_error(motion, "x2", [](long double t) { return 2.0L + std::sin(2.0L * t); }),
            1e-8)
            << method;
    }
}

}  // namespace
}  // namespace lacon::motions
