// Where large runs leave the ordinary way: no series, rank that seems to fall, rows that vanish
// together, ends.
#include "driver/integrate.hpp"
#include "large_tests.hpp"
#include "runs.hpp"

namespace lacon::large_tests {
namespace {

RunOptions until(double end, const char* solver = "sparse") {
    RunOptions options;
    options.end = end;
    options.solver = solver;
    return options;
}

/// 65 particles in the plane, with what is said of them.
Mechanism particles(const std::string& more) {
    return Mechanism::parse(
        "param N = 65\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 for i in "
        "1..N\n" +
        more);
}

TEST(LargeEdges, WhereThereIsNoSeriesAShortStepIsTakenWithoutOne) {
    const char* forces[] = {
        // drag, from rest
        "gravity (0, -9.81)\nforce p[i] = -0.3*norm(p[i]')*p[i]' for i in 1..N\n",
        // springs to be met
        ("start x[i] = i/50, x[i]' = -1 for i in 1..N\n"
         "force x[i] = 10*max(-x[i], 0)^1.5 for i in 1..N\n"),
        "start x[i] = 0, x[i]' = 1 for i in 1..N\nforce x[i] = -sqrt(x[i]) for i in 1..N\n",
    };
    for (const char* force : forces) {
        const Mechanism mechanism = particles(force);
        const Motion sparse = run(mechanism, until(0.6)),
                     dense = run(mechanism, until(0.6, "dense"));
        ASSERT_TRUE(dense.status) << force << dense.status.message;
        ASSERT_TRUE(sparse.status) << force << sparse.status.message;
        EXPECT_LE(largest_difference(sparse.summary.final.q, dense.summary.final.q), 1e-7) << force;
        EXPECT_LE(largest_difference(sparse.summary.final.v, dense.summary.final.v), 1e-7) << force;
    }
    // x'' = −sqrt(x) from x = 0, x' = 1: x'^2/2 + (2/3) x^(3/2) = 1/2.
    const Motion motion = run(particles(forces[2]), until(0.6));
    const double x = motion.summary.final.q[0], v = motion.summary.final.v[0];
    EXPECT_NEAR(0.5 * v * v + 2.0 / 3.0 * std::pow(x, 1.5), 0.5, 1e-8);
}

/// The sparse way, asked for, refuses; the motion by the way that is chosen.
Motion left_to_the_dense_way(const Mechanism& mechanism, double end) {
    EXPECT_THROW(run(mechanism, until(end)), std::invalid_argument);
    Motion motion = run(mechanism, until(end, ""));
    EXPECT_TRUE(motion.status) << motion.status.message;
    EXPECT_TRUE(motion.summary.solve.empty());
    return motion;
}

TEST(LargeEdges, ExponentsThatDecisionsChooseAreLeftToTheDenseWay) {
    const Mechanism mechanism = particles(
        "start x[i] = i/100 for i in 1..N\nforce x[i] = -abs(x[i])^(if(x[i] > 0.2, 2, 3)) for i in "
        "1..N\n");
    left_to_the_dense_way(mechanism, 0.1);
}

TEST(LargeEdges, EventsThatMayJumpAreLeftToTheDenseWay) {
    // The cut of atan2 is no zero: the sparse way would take it for one.
    const Mechanism mechanism = particles(
        "start x[i] = -1, y[i] = 0.1 for i in 1..N\nforce y[i] = -1 for i in 1..N\nevent turn: "
        "atan2(y[1], x[1])\n");
    EXPECT_TRUE(left_to_the_dense_way(mechanism, 1.0).summary.events.empty());
}

TEST(LargeEdges, RowsThatTakeEachOthersPlaceDoNotLoseRank) {
    const Mechanism mechanism = Mechanism::parse(
        "param N = 65\ncoord x[1..N], y[1..N], z[1..N]\nparticle p[i] at (x[i], y[i], z[i]) mass 1 "
        "for i in 1..N\n"
        "gravity (0, 0, -9.81)\nconstraint a[i]: x[i] = 0 for i in 1..N\n"
        "constraint b[i]: cos(t)*x[i] + sin(t)*y[i] = 0 for i in 1..N\n"
        "constraint c[i]: cos(2*t + 0.5)*x[i] + sin(2*t + 0.5)*y[i] = 0 for i in 1..N\n");
    RunOptions options = until(4.0);
    options.begin = 1.0;
    const Motion motion = run(mechanism, options);
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_EQ(motion.summary.rank_min, 130U);
    EXPECT_TRUE(motion.summary.events.empty());
    EXPECT_NEAR(motion.summary.final.q[130], -0.5 * 9.81 * 9.0, 1e-9);
}

TEST(LargeEdges, RowsThatVanishTogetherAreAllTold) {
    const Mechanism mechanism = particles(
        "constraint a[i]: x[i]*y[i] = 0 for i in 1..N\nstart x[i] = -0.53, y[i] = 0, x[i]' = 1, "
        "y[i]' = 0 for i in 1..N\n");
    RunOptions options = until(1.0);
    options.every = 0.1;
    const Motion motion = run(mechanism, options);
    EXPECT_EQ(name_of(motion.status.outcome), "lost_rank");
    ASSERT_EQ(motion.summary.events.size(), 1U);
    EXPECT_EQ(motion.summary.events[0].rank_after, 0U);
    EXPECT_NEAR(motion.summary.events[0].t, 0.53, 1e-9);
    EXPECT_EQ(motion.columns[0].size(), 6U) << "rows up to there";
    EXPECT_NEAR(motion.summary.final.q[0], 0.0, 1e-9);
}

TEST(LargeEdges, AMotionThatEndsIsSaidToEnd) {
    const Mechanism mechanism = particles(
        "start x[i] = 0.899, x[i]' = 1 for i in 1..N\nforce x[i] = -log(1 - x[i]) for i in 1..N\n");
    const Motion motion = run(mechanism, until(1.0));
    EXPECT_EQ(name_of(motion.status.outcome), "no_convergence");
    EXPECT_LT(motion.summary.steps, 2000U);
    EXPECT_EQ(motion.status.message.find("constraints"), std::string::npos)
        << motion.status.message;
}

TEST(LargeEdges, AskedToStopItStopsAmidTheRowsOfAStep) {
    const Mechanism mechanism = particles("start x[i]' = 1 for i in 1..N\n");
    RunOptions options = until(1.0);
    options.every = 1e-6;
    int rows = 0;
    const auto run = make_run(mechanism.details(), plan_run(mechanism.details(), options), {},
                              [&](std::span<const double>) { ++rows; });
    run->stop_when([&] { return rows >= 10; });
    ASSERT_TRUE(run->begin());
    while (run->step()) continue;
    EXPECT_EQ(name_of(run->status().outcome), "interrupted");
    EXPECT_EQ(rows, 10);
}

TEST(LargeEdges, AResumedRunSaysHowItIsCompiledNow) {
    const Mechanism mechanism = Mechanism::parse(chain(80));
    const RunPlan plan = plan_run(mechanism.details(), until(0.5));
    const auto first = make_run(mechanism.details(), plan, {}, {});
    ASSERT_TRUE(first->begin());
    ASSERT_TRUE(first->step());
    Snapshot snapshot = first->snapshot();
    snapshot.summary.code = {};
    const auto second = make_run(mechanism.details(), plan, {}, {});
    ASSERT_TRUE(second->resume(snapshot));
    EXPECT_EQ(second->summary().code.tier, first->summary().code.tier);
}

TEST(LargeEdges, TheRoadOfASingularMassIsTheOneTaken) {
    const Mechanism mechanism = Mechanism::parse(
        "param N = 65\ncoord x[1..N], u[1..N]\nkinetic x[i]'^2/2 for i in 1..N\nconstraint c[i]: "
        "u[i] = x[i]^2 for i in 1..N\n");
    State state{0.0, std::vector<double>(130, 0.0), std::vector<double>(130, 0.0)};
    EXPECT_EQ(evaluated(mechanism, state).solve.find("A M⁻¹ Aᵀ"), std::string::npos);
}

}  // namespace
}  // namespace lacon::large_tests
