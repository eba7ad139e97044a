// Singular positions where they hurt: right before or behind the start, at the very end of a run,
// passed almost at rest. What is told must be the true motion; where rounding would choose the
// branch, the run stops and says so.

#include <fmt/format.h>

#include "linkages.hpp"

namespace lacon::motions {
namespace {

const double quarter = std::acos(0.0);

/// Largest distance of the rows from the true motion.
double error_of(const Motion& motion, const Linkage& linkage) {
    const std::vector<double>& t = motion.column("t");
    const std::vector<Vector> exact = reference_at(linkage.reduced, 0.0L, linkage.start, t);
    double worst = 0.0;
    for (std::size_t i = 0; i < t.size(); ++i)
        worst = std::max(
            worst, near(std::abs(motion.column(linkage.column)[i] - linkage.place(exact[i][0]))));
    return worst;
}

struct Way {
    std::string method;
    double tolerance, error;
};
void PrintTo(const Way& way, std::ostream* out) {
    *out << way.method << " at " << way.tolerance;
}

class SingularEdge : public testing::TestWithParam<Way> {
protected:
    Motion go(const Linkage& linkage, double end) const {
        return run(linkage.mechanism, {.end = end,
                                       .every = end / 40.0,
                                       .tolerance = GetParam().tolerance,
                                       .method = GetParam().method,
                                       .step = 0.004});
    }
    /// True as far as it goes; it may stop where the branch cannot be told.
    void expect_true_or_stopped(const Linkage& linkage, double end, const std::string& what,
                                double rounding = 0.0) const {
        const Motion motion = go(linkage, end);
        EXPECT_LE(error_of(motion, linkage), GetParam().error + rounding) << what;
        if (motion.status) return;
        const bool is_reason = motion.status.outcome == Outcome::lost_rank ||
                               motion.status.outcome == Outcome::no_convergence;
        EXPECT_TRUE(is_reason) << what << motion.status.message;
    }
};
INSTANTIATE_TEST_SUITE_P(Methods, SingularEdge,
                         testing::Values(Way{"taylor", 1e-8, 1e-6}, Way{"taylor", 1e-10, 1e-8},
                                         Way{"taylor", 1e-12, 1e-10}, Way{"taylor", 1e-15, 1e-9},
                                         Way{"dop853", 1e-8, 1e-6}, Way{"dop853", 1e-12, 1e-10},
                                         Way{"dopri5", 1e-8, 1e-6}, Way{"adams", 1e-8, 1e-5},
                                         Way{"bdf", 1e-8, 1e-4}, Way{"rk4", 1e-8, 1e-6},
                                         Way{"gauss", 1e-8, 1e-8}),
                         [](const auto& i) {
                             return fmt::format("{}_{}", i.param.method, i.index);
                         });

TEST_P(SingularEdge, AStartBesideASingularPositionIsTrueOrStops) {
    // At rest this far from the position, rows known to a unit in the last place let the linkage
    // off along its other branch by that unit over the distance. Nearer than 1e-6 runs stop.
    constexpr double unit = 2.2e-16;
    for (const double distance : {1e-2, 1e-3, 1e-5, 1e-6, 1e-7, 1e-9})
        for (const double side : {-1.0, 1.0})
            for (const double rate : {0.0, 1.0, -1.0})
                expect_true_or_stopped(
                    parallelogram(rate, false, 2.0, quarter + side * distance), 3.0,
                    fmt::format("from {} beside, at rate {}", side * distance, rate),
                    unit / std::max(distance, 1e-6));
}

TEST_P(SingularEdge, ACrossingAlmostAtRestIsTrueOrStops) {
    // Gravity along x makes the flat position on the left the top of the hill; the less energy is
    // left there, the slower.
    for (const double left : {1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8}) {
        const double rate = std::sqrt(2.0 * 9.81 * (1.0 - std::cos(1.0)) + left);
        expect_true_or_stopped(parallelogram(rate, false, 2.0, -quarter - 1.0, "(9.81, 0)"), 1.5,
                               fmt::format("{} J left", left));
    }
}

TEST_P(SingularEdge, ATurnNearASingularPositionIsTrueOrStops) {
    // Released this far above or below the flat position, it comes to rest as far from the one on
    // the other side, at t = 1.2.
    for (const double distance : {-0.1, -1e-2, -1e-3, -1e-5, 1e-5, 1e-3, 1e-2, 0.1})
        expect_true_or_stopped(parallelogram(0.0, false, 2.0, quarter + distance), 3.0,
                               fmt::format("turns at {}", distance));
}

TEST_P(SingularEdge, ARunMayEndAtASingularPosition) {
    const Linkage linkage = parallelogram(7.0);
    const double crossing = linkage.crossings(2.0)[2];
    for (const double beyond : {0.0, 1e-2, -1e-2, 1e-3, -1e-3, 1e-6, -1e-6, 1e-9, -1e-9}) {
        const Motion motion = go(linkage, crossing + beyond);
        EXPECT_TRUE(motion.status) << beyond << motion.status.message;
        EXPECT_LE(error_of(motion, linkage), GetParam().error) << beyond;
        const std::size_t found = event_times(motion, "rank").size();
        const bool is_clear = std::abs(beyond) > 1e-5;
        EXPECT_GE(found, is_clear && beyond > 0.0 ? 3U : 2U) << beyond;
        EXPECT_LE(found, is_clear && beyond < 0.0 ? 2U : 3U) << beyond;
    }
}

TEST(SingularEdges, RowsThatAreNearlyDependentThroughoutPassNothing) {
    // a and b together hold x and z; their rows differ by 1e-8 in every state, which is no position
    // to pass.
    for (const double eps : {1e-7, 1e-8, 1e-9}) {
        const Mechanism m = Mechanism::parse(
            "param eps = 1\ncoord x, y, z\nparticle p at (x, y, z) mass 1\ngravity (0, -9.81, "
            "-9.81)\n"
            "constraint a: x = 0\nconstraint b: x + eps*z = 0\nstart x = 0, z = 0",
            "hinge", {{"eps", eps}});
        const Motion motion = run_well(m, {.end = 1.0});
        EXPECT_TRUE(motion.summary.events.empty()) << eps;
        EXPECT_NEAR(last(motion, "y"), -9.81 / 2, 1e-12);
        EXPECT_NEAR(last(motion, "z"), 0.0, 1e-6);
    }
}

TEST(SingularEdges, RowsAtAndBesideACrossingHaveTheTrueVelocity) {
    const Linkage linkage = parallelogram(7.0);
    const double crossing = linkage.crossings(1.0)[0];
    for (const auto& [tolerance, error] :
         {std::pair{1e-8, 1e-5}, std::pair{1e-10, 1e-7}, std::pair{1e-12, 1e-9}})
        for (const double beside : {0.0, 1e-3, 1e-4, 1e-6, 1e-8, -1e-8, -1e-6, -1e-4, -1e-3}) {
            const double every = crossing + beside;  // the first row behind the start
            const Motion motion = run_well(
                linkage.mechanism,
                {.end = 3.0 * every, .every = every, .tolerance = tolerance, .method = "taylor"});
            const Vector exact = reference_at(linkage.reduced, 0.0L, linkage.start, {every})[0];
            EXPECT_NEAR(motion.column("x1'")[1], near(exact[1] * std::cos(exact[0])), error)
                << tolerance << " " << beside;
            EXPECT_NEAR(motion.column("y1'")[1], near(exact[1] * std::sin(exact[0])), error)
                << tolerance << " " << beside;
            EXPECT_NEAR(motion.column("y2'")[1], near(exact[1] * std::sin(exact[0])), error)
                << tolerance << " " << beside;
        }
}

TEST(SingularEdges, MovingStartsAThousandthAwayAreNotRefused) {
    for (const double distance : {1e-2, 1e-3})
        for (const char* method : {"taylor", "dop853", "rk4", "gauss"})
            for (const double tolerance : {1e-8, 1e-12}) {
                const Linkage linkage = parallelogram(1.0, false, 2.0, quarter - distance);
                const Motion motion = run_well(linkage.mechanism, {.end = 3.0,
                                                                   .every = 0.1,
                                                                   .tolerance = tolerance,
                                                                   .method = method,
                                                                   .step = 0.004});
                expect_crossings(motion, linkage, 1e-6, 5);
            }
}

TEST(SingularEdges, TheStopNamesTheConstraintsAndGoesOnWhenTold) {
    const Linkage linkage = parallelogram(0.0, false, 2.0, quarter + 1e-9);
    RunOptions options{.end = 3.0, .every = 0.1, .tolerance = 1e-12, .method = "taylor"};
    const Motion stopped = run(linkage.mechanism, options);
    EXPECT_EQ(name_of(stopped.status.outcome), "lost_rank");
    EXPECT_NE(stopped.status.message.find("rounding would choose"), std::string::npos)
        << stopped.status.message;
    EXPECT_EQ(stopped.status.names, (std::vector<std::string>{"left", "right", "coupler"}));
    options.through_singular = true;
    const Motion gone_on = run_well(linkage.mechanism, options);
    EXPECT_EQ(last(gone_on, "t"), 3.0);
    EXPECT_LE(energy_error(gone_on), 1e-9);
}

// The first state is so near that no other value of the constraints' condition is known yet.
TEST(SingularStart, MethodsWithAHistoryBeginBesideAFlatPositionOnTheirBranch) {
    for (const double beside : {1e-6, 5e-7, 1e-7})
        for (const char* method : {"adams", "bdf", "dop853"}) {
            const Linkage linkage = parallelogram(0.0, false, 2.0, std::acos(0.0) + beside);
            const Motion motion =
                run_well(linkage.mechanism, {.end = 2.0, .tolerance = 1e-9, .method = method});
            EXPECT_NEAR(motion.summary.final.q[2] - 2.0, motion.summary.final.q[0], 1e-9)
                << method << beside;
            EXPECT_LE(motion.summary.worst.energy, 1e-5) << method << beside;
        }
}

}  // namespace
}  // namespace lacon::motions
