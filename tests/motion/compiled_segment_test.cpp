// Segments of compiled steps: what they leave as it is. (That every crossing of a singular
// position is still found, and every closed form still met, is in the other tests of these
// methods.)

#include <filesystem>

#include "driver/dense/dense_backend.hpp"
#include "driver/integrate.hpp"
#include "linkages.hpp"
#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

struct Finished {
    MotionSummary summary;
    std::vector<double> rows;
};

Finished finish(Integration& run, const std::vector<double>& rows) {
    while (run.step()) {
    }
    EXPECT_TRUE(run.status()) << run.status().message;
    return {run.summary(), rows};
}

/// A chain that swings freely, and a linkage that passes singular positions between its stretches.
std::vector<std::pair<Mechanism, double>> subjects() {
    return {{load("chain.lac", {{"N", 3.0}}), 3.0},
            {parallelogram(8.0, true, 2.0, 0.0).mechanism, 2.0}};
}

TEST(CompiledSegment, GoesOnFromAnySnapshotToTheSameBits) {
    for (const auto& [mechanism, end] : subjects())
        for (const char* method : {"dop853", "dopri5", "taylor"}) {
            const RunPlan plan =
                plan_run(mechanism.details(),
                         {.end = end, .every = 0.1, .tolerance = 1e-9, .method = method});
            std::vector<double> rows;
            const auto sink = [&](std::span<const double> row) {
                rows.insert(rows.end(), row.begin(), row.end());
            };
            Integration whole(mechanism.details(), plan, {}, sink,
                              make_dense_backend(mechanism.details(), plan));
            ASSERT_TRUE(whole.begin());
            std::vector<Snapshot> snapshots;
            std::vector<std::size_t> known;
            do {
                if (!whole.is_resumable()) continue;
                snapshots.push_back(whole.snapshot());
                known.push_back(rows.size());
            } while (whole.step());
            const std::vector<double> all = rows;
            const MotionSummary expected = whole.summary();
            const std::size_t in_segments = static_cast<std::size_t>(
                std::count_if(snapshots.begin(), snapshots.end(),
                              [](const Snapshot& s) { return s.in_compiled_segment; }));
            EXPECT_GE(in_segments, snapshots.size() / 3) << method << " of " << snapshots.size();
            for (std::size_t i = 0; i < snapshots.size(); i += 7) {
                rows.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(known[i]));
                Integration later(mechanism.details(), plan, {}, sink,
                                  make_dense_backend(mechanism.details(), plan));
                ASSERT_TRUE(later.resume(snapshots[i]));
                const Finished done = finish(later, rows);
                EXPECT_EQ(done.summary.final.q, expected.final.q)
                    << method << " from step " << snapshots[i].summary.steps;
                EXPECT_EQ(done.summary.final.v, expected.final.v);
                EXPECT_EQ(done.summary.steps, expected.steps);
                EXPECT_EQ(done.summary.rejected, expected.rejected);
                EXPECT_EQ(done.summary.evaluations, expected.evaluations);
                EXPECT_EQ(done.summary.energy_last, expected.energy_last);
                EXPECT_EQ(rows, all);
            }
        }
}

/// Bricard's linkage: six hinges along the edges of a cube, so that two of six rows depend on the
/// others wherever it is, and the weakest of the others is a tenth of the strongest.
constexpr const char* bricard = R"(
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
)";

TEST(CompiledSegment, ALinkageThatIsWeakWhereverItIsRunsCompiled) {
    const auto linkage = Mechanism::parse(bricard);
    const RunPlan plan = plan_run(linkage.details(), {.end = 0.5, .method = "taylor"});
    Integration run(
        linkage.details(), plan, {}, [](std::span<const double>) {},
        make_dense_backend(linkage.details(), plan));
    ASSERT_TRUE(run.begin());
    while (run.step()) EXPECT_TRUE(run.snapshot().in_compiled_segment) << run.steps();
    EXPECT_TRUE(run.status()) << run.status().message;
    EXPECT_GE(run.steps(), 3);
}

TEST(CompiledSegment, RowsDoNotTouchTheMotionAndAreOnIt) {
    for (const auto& [mechanism, end] : subjects()) {
        const auto at = [&, &m = mechanism, &e = end](double every) {
            return run_well(m, {.end = e, .every = every, .tolerance = 1e-9, .method = "dop853"});
        };
        const Motion coarse = at(end), fine = at(0.003);
        EXPECT_EQ(coarse.summary.final.q, fine.summary.final.q);
        EXPECT_EQ(coarse.summary.steps, fine.summary.steps);
        EXPECT_EQ(coarse.summary.evaluations, fine.summary.evaluations)
            << "rows are no work of the motion";
        EXPECT_LE(fine.summary.worst.position, 1e-12);
        EXPECT_LE(fine.summary.worst.velocity, 1e-12);
        const Motion exact = run_well(
            mechanism, {.end = end, .every = 0.003, .tolerance = 1e-14, .method = "taylor"});
        for (std::size_t c = 1; c <= mechanism.coordinates().size(); ++c)
            for (std::size_t r = 0; r < fine.columns[c].size(); ++r)
                ASSERT_NEAR(fine.columns[c][r], exact.columns[c][r], 1e-5)
                    << fine.names[c] << " at " << fine.columns[0][r];
    }
}

TEST(CompiledSegment, CompiledAndInterpretedRunsAgreeToTheTolerance) {
    for (const auto& [mechanism, end] : subjects())
        for (const char* method : {"dop853", "dopri5", "taylor"}) {
            RunOptions options{.end = end, .every = end, .tolerance = 1e-10, .method = method};
            const Motion compiled = run_well(mechanism, options);
            options.interpret = true;
            const Motion interpreted = run_well(mechanism, options);
            EXPECT_NE(compiled.summary.code.tier, "interpreter") << compiled.summary.code.why;
            EXPECT_TRUE(compiled.summary.code.whole_steps) << compiled.summary.code.why;
            EXPECT_EQ(interpreted.summary.code.tier, "interpreter");
            for (std::size_t i = 0; i < mechanism.coordinates().size(); ++i)
                EXPECT_NEAR(compiled.summary.final.q[i], interpreted.summary.final.q[i], 1e-6)
                    << method;
            EXPECT_EQ(compiled.summary.events.size(), interpreted.summary.events.size());
        }
}

/// A ball on a soft floor, nearly every step of which has something in it, and a double pendulum
/// with drag.
std::vector<Mechanism> eventful() {
    return {Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        gravity (0, -9.81)
        potential 400*max(0, -y)^2
        force p = -0.02*p'
        event top: y'
        event wall: x = 3
        start x = 0, y = 1, x' = 1)"),
            Mechanism::parse(R"(coord x1, y1, x2, y2
        particle a at (x1, y1) mass 1
        particle b at (x2, y2) mass 2
        gravity (0, -9.81)
        force x2 = -0.1*abs(x2')*x2'
        constraint upper: x1^2 + y1^2 = 1
        constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = 1
        event below: x2 - x1
        start x1 = 1, y1 = 0, x2 = 2, y2 = 0)")};
}

TEST(CompiledSegment, EventsAndDecisionsInterruptItAndAreFoundAllTheSame) {
    for (const Mechanism& mechanism : eventful()) {
        RunOptions options{.end = 3.0, .every = 0.05, .tolerance = 1e-12, .method = "taylor"};
        const Motion compiled = run_well(mechanism, options);
        options.interpret = true;
        const Motion interpreted = run_well(mechanism, options);
        EXPECT_TRUE(compiled.summary.code.whole_steps) << compiled.summary.code.why;
        ASSERT_EQ(compiled.summary.events.size(), interpreted.summary.events.size());
        EXPECT_GE(compiled.summary.events.size(), 4u);
        for (std::size_t i = 0; i < compiled.summary.events.size(); ++i) {
            EXPECT_EQ(compiled.summary.events[i].kind, interpreted.summary.events[i].kind);
            EXPECT_EQ(compiled.summary.events[i].name, interpreted.summary.events[i].name);
            EXPECT_NEAR(compiled.summary.events[i].t, interpreted.summary.events[i].t, 1e-8);
        }
        for (std::size_t c = 0; c < compiled.columns.size(); ++c)
            for (std::size_t r = 0; r < compiled.columns[c].size(); ++r)
                ASSERT_NEAR(compiled.columns[c][r], interpreted.columns[c][r], 1e-7)
                    << compiled.names[c] << " row " << r;
    }
}

TEST(CompiledSegment, GoesOnBetweenEventsFromAnySnapshotToTheSameBits) {
    for (const Mechanism& mechanism : eventful()) {
        const RunPlan plan =
            plan_run(mechanism.details(),
                     {.end = 3.0, .every = 3.0, .tolerance = 1e-11, .method = "taylor"});
        Integration whole(mechanism.details(), plan, {}, {},
                          make_dense_backend(mechanism.details(), plan));
        ASSERT_TRUE(whole.begin());
        std::vector<Snapshot> snapshots;
        std::size_t in_segments = 0;
        do {
            snapshots.push_back(whole.snapshot());
            in_segments += snapshots.back().in_compiled_segment ? 1 : 0;
        } while (whole.step());
        EXPECT_GE(in_segments, mechanism.coordinates().size() == 4 ? snapshots.size() / 2 : 1)
            << snapshots.size();
        for (std::size_t i = 0; i < snapshots.size(); i += 5) {
            Integration later(mechanism.details(), plan, {}, {},
                              make_dense_backend(mechanism.details(), plan));
            ASSERT_TRUE(later.resume(snapshots[i]));
            const Finished done = finish(later, {});
            EXPECT_EQ(done.summary.final.q, whole.summary().final.q) << i;
            EXPECT_TRUE(done.summary.events == whole.summary().events) << i;
        }
    }
}

TEST(CompiledSegment, RowsOfAllModelsAreTheSameCompiledAndInterpreted) {
    std::size_t compiled_runs = 0, columns = 0;
    for (const auto& entry : std::filesystem::directory_iterator(LACON_SOURCE_DIR "/models")) {
        if (entry.path().extension() != ".lac") continue;
        const Mechanism mechanism = Mechanism::load(entry.path());
        for (const char* method : {"dop853", "taylor"}) {
            RunOptions options{.end = 0.21, .every = 0.01, .tolerance = 1e-12, .method = method};
            const Motion compiled = run(mechanism, options);
            options.interpret = true;
            const Motion interpreted = run(mechanism, options);
            compiled_runs += compiled.summary.code.whole_steps ? 1 : 0;
            ASSERT_EQ(compiled.status.outcome, interpreted.status.outcome)
                << entry.path() << " " << method;
            ASSERT_EQ(compiled.columns[0].size(), interpreted.columns[0].size())
                << entry.path() << " " << method;
            for (std::size_t c = 0; c < compiled.columns.size(); ++c, ++columns) {
                double size = 1.0;
                for (const double x : interpreted.columns[c])
                    if (std::isfinite(x)) size = std::max(size, std::abs(x));
                for (std::size_t r = 0; r < compiled.columns[c].size(); ++r) {
                    const double x = compiled.columns[c][r], y = interpreted.columns[c][r];
                    if (std::isnan(y)) {
                        EXPECT_TRUE(std::isnan(x));
                    } else {
                        ASSERT_NEAR(x, y, 1e-9 * size) << entry.path() << " " << method << " "
                                                       << compiled.names[c] << " row " << r;
                    }
                }
            }
        }
    }
    EXPECT_GE(compiled_runs, 40u);
    EXPECT_GE(columns, 400u);
}

TEST(CompiledSegment, RowsThatCannotBeCompiledAreSaidAndTheSame) {
    // Single forces of dependent constraints are a convention, which the interpreter keeps to.
    const Mechanism twice = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        gravity (0, -9.81)
        constraint a: x^2 + y^2 = 1
        constraint b: 2*x^2 + 2*y^2 = 2
        output a.force
        start x = 1, y = 0)");
    RunOptions options{.end = 1.0, .every = 0.1, .tolerance = 1e-12, .method = "taylor"};
    const Motion compiled = run_well(twice, options);
    EXPECT_TRUE(compiled.summary.code.whole_steps);
    EXPECT_EQ(compiled.summary.code.why,
              "rows are interpreted: multipliers of dependent constraints are not unique");
    options.interpret = true;
    const Motion interpreted = run_well(twice, options);
    for (std::size_t r = 0; r < compiled.columns[0].size(); ++r)
        EXPECT_NEAR(compiled.column("a.force")[r], interpreted.column("a.force")[r], 1e-9) << r;
}

TEST(CompiledSegment, AModelTooLargeForWholeStepsSaysSo) {
    const Motion motion =
        run_well(load("chain.lac", {{"N", 45.0}}),
                 {.end = 0.01, .every = 0.01, .tolerance = 1e-6, .method = "dopri5"});
    EXPECT_FALSE(motion.summary.code.whole_steps);
    EXPECT_EQ(motion.summary.code.why,
              "steps are not compiled as a whole: 135 coordinates and constraints: a straight-line "
              "step takes at most 120");
}

}  // namespace
}  // namespace lacon::motions
