// Going on from a snapshot, inside the program; tests/cli has the files.

#include "motion/integrate.hpp"
#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

TEST(Resume, RowsNobodyTookBeforeTheSnapshotAreNotMadeUp) {
    const Mechanism m = load("pendulum.lac");
    const RunPlan plan = plan_run(m.details(), {.begin = -3.0, .end = 2.0, .every = 0.1, .tolerance = 1e-10, .method = "taylor"});
    Integration silent(m.details(), plan, {}, {});
    ASSERT_TRUE(silent.begin());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(silent.step());
    const Snapshot snapshot = silent.snapshot();
    const double from = snapshot.time.now();

    std::vector<double> times;
    Integration heard(m.details(), plan, {}, [&](std::span<const double> row) { times.push_back(row[0]); });
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
    Integration first(m.details(), plan, {}, {});
    ASSERT_TRUE(first.begin());
    ASSERT_TRUE(first.step());
    plan.end = 3.0;
    Integration second(m.details(), plan, {}, {});
    ASSERT_TRUE(second.resume(first.snapshot()));
    while (second.step()) {
    }
    EXPECT_EQ(second.summary().end, 3.0);
    EXPECT_EQ(second.summary().final.t, 3.0);
}

}  // namespace
}  // namespace lacon::motions
