// Going on from a snapshot, inside the program; tests/cli has the files.

#include "driver/dense/dense_backend.hpp"
#include "driver/integrate.hpp"
#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

TEST(Resume, RowsNobodyTookBeforeTheSnapshotAreNotMadeUp) {
    const Mechanism m = load("pendulum.lac");
    const RunPlan plan =
        plan_run(m.details(),
                 {.begin = -3.0, .end = 2.0, .every = 0.1, .tolerance = 1e-10, .method = "taylor"});
    Integration silent(m.details(), plan, {}, {}, make_dense_backend(m.details(), plan));
    ASSERT_TRUE(silent.begin());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(silent.step());
    const Snapshot snapshot = silent.snapshot();
    const double from = snapshot.time.now();

    std::vector<double> times;
    Integration heard(
        m.details(), plan, {}, [&](std::span<const double> row) { times.push_back(row[0]); },
        make_dense_backend(m.details(), plan));
    ASSERT_TRUE(heard.resume(snapshot));
    while (heard.step()) {
    }
    ASSERT_FALSE(times.empty());
    EXPECT_GT(times.front(), from);
    EXPECT_LE(times.front(), from + 0.1);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_NEAR(times[i] - times[i - 1], 0.1, 1e-12);
    EXPECT_EQ(times.back(), 2.0);
}

TEST(Resume, TheSummaryHasTheEndOfTheLaterRun) {
    const Mechanism m = load("pendulum.lac");
    RunPlan plan = plan_run(m.details(), {.end = 2.0, .tolerance = 1e-10, .method = "taylor"});
    Integration first(m.details(), plan, {}, {}, make_dense_backend(m.details(), plan));
    ASSERT_TRUE(first.begin());
    ASSERT_TRUE(first.step());
    plan.end = 3.0;
    Integration second(m.details(), plan, {}, {}, make_dense_backend(m.details(), plan));
    ASSERT_TRUE(second.resume(first.snapshot()));
    while (second.step()) {
    }
    EXPECT_EQ(second.summary().end, 3.0);
    EXPECT_EQ(second.summary().final.t, 3.0);
}

/// Also from a step that ended where a decision turned, or an event was.
TEST(Resume, FromEveryStepItIsTheSameRun) {
    const Mechanism m = Mechanism::parse(
        "coord x1, y1, x2, y2\nparticle a at (x1, y1) mass 1\nparticle b at (x2, y2) mass "
        "1\ngravity (0, -9.81)\n"
        "constraint rod1: x1^2 + y1^2 = 1\nconstraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = 1\n"
        "force x1 = 0.1*abs(y2 + 1)\nevent down: x2\nstart x1 = 1, y1 ~ 0, x2 = 2, y2 ~ 0.1");
    const RunPlan plan =
        plan_run(m.details(), {.end = 60.0, .every = 0.5, .tolerance = 1e-9, .method = "taylor"});
    Integration whole(m.details(), plan, {}, {}, make_dense_backend(m.details(), plan));
    std::vector<Snapshot> snapshots;
    ASSERT_TRUE(whole.begin());
    while (whole.step())
        if (whole.is_resumable()) snapshots.push_back(whole.snapshot());
    ASSERT_GT(snapshots.size(), 100U);
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        Integration rest(m.details(), plan, {}, {}, make_dense_backend(m.details(), plan));
        ASSERT_TRUE(rest.resume(snapshots[i]));
        while (rest.step()) {
        }
        EXPECT_EQ(rest.summary().final.q, whole.summary().final.q)
            << i << " at t = " << snapshots[i].time.now();
        EXPECT_EQ(rest.summary().final.v, whole.summary().final.v) << i;
    }
}

}  // namespace
}  // namespace lacon::motions
