// How strong the constraints are along a motion, against closed forms.
//
// Two rows of unit length at an angle phi have the singular values sqrt(1 ± cos phi): reciprocal
// condition tan(phi/2). The rows left, right and coupler of a parallelogram whose arms stand at
// theta from the vertical have 1 and sqrt(1 ± |sin theta|), whatever the masses: condition (1 +
// |sin theta|)/|cos theta|.
#include <fmt/format.h>

#include "hybrid/hybrid_run.hpp"
#include "linkages.hpp"

namespace lacon::motions {
namespace {

Motion diagnosed(const Mechanism& mechanism, RunOptions options) {
    options.diagnose = true;
    return run_well(mechanism, options);
}

const MotionDiagnosis& diagnosis_of(const Motion& motion) {
    EXPECT_TRUE(motion.summary.diagnosis.has_value());
    return *motion.summary.diagnosis;
}

/// Rows `still` and `turning` on the velocities of x and y, at an angle of `phi(t)` to each other;
/// z moves.
Mechanism turning_row(const std::string& phi) {
    return Mechanism::parse(
        "coord x, y, z\nparticle bead at (x, y, z) mass 1\npotential z^2/2\nlet phi = " + phi + R"(
        constraint still: x' = 0
        constraint turning: cos(phi)*x' + sin(phi)*y' = 0
        start x = 0, y = 0, z = 1)");
}

TEST(Diagnose, ConditionOfAParallelogramIsTheClosedForm) {
    for (const double ratio : {1.0, 2.0, 30.0}) {
        const Motion motion =
            diagnosed(parallelogram(7.0, false, ratio).mechanism, {.end = 2.0, .every = 0.001});
        const auto &x = motion.column("x1"), &y = motion.column("y1"),
                   &condition = motion.column("diagnosis.condition");
        const auto &rank = motion.column("diagnosis.rank"), &gap = motion.column("diagnosis.gap");
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_EQ(rank[i], 3.0) << "no row hits the flat position";
            const double expected = (1.0 + std::abs(x[i])) / std::abs(y[i]);
            EXPECT_NEAR(condition[i] / expected, 1.0, 1e-13 + 2e-14 * expected)
                << i << ": rounding of the state, times the condition";
            EXPECT_NEAR(gap[i] * condition[i] * 1e-10, 1.0, 1e-13);
        }
        const MotionDiagnosis& d = diagnosis_of(motion);
        EXPECT_GE(d.condition_most.value, *std::max_element(condition.begin(), condition.end()));
        EXPECT_NEAR(d.condition_least.value, 1.0, 0.02);
        EXPECT_NEAR(d.gap_least.value * d.condition_most.value * 1e-10, 1.0, 1e-13)
            << "of three directions everywhere";
        EXPECT_EQ(d.weakest, (std::vector<std::string>{"coupler", "left", "right"}));
        EXPECT_GT(d.places, x.size() + 16 * motion.summary.steps)
            << "rows, and 16 places of each step";
    }
}

struct Warned {
    Linkage linkage;
    const char* name;
    double end;
};
void PrintTo(const Warned& warned, std::ostream* out) {
    *out << warned.name;
}
class DiagnoseLinkage : public ::testing::TestWithParam<Warned> {};

TEST_P(DiagnoseLinkage, WarnsBeforeEachSingularPosition) {
    const auto& [linkage, name, end] = GetParam();
    for (const char* method : {"taylor", "dop853"}) {
        const Motion motion =
            diagnosed(linkage.mechanism,
                      {.end = end, .every = end / 10.0, .tolerance = 1e-9, .method = method});
        const std::vector<double> times = event_times(motion, "rank");
        const auto& warnings = diagnosis_of(motion).warnings;
        ASSERT_GE(times.size(), 2u);
        ASSERT_EQ(warnings.size(), times.size()) << method;
        for (std::size_t i = 0; i < times.size(); ++i) {
            EXPECT_LT(warnings[i].t, times[i]);
            EXPECT_GT(warnings[i].t, i > 0 ? times[i - 1] : 0.0);
            EXPECT_EQ(warnings[i].least, (MotionDiagnosis::Place{times[i], 0.0}));
            EXPECT_EQ(warnings[i].outcome, "reached");
            EXPECT_NEAR(warnings[i].reciprocal_condition / warnings[i].usual, 0.1, 1e-9);
            EXPECT_NEAR(warnings[i].estimated_t, times[i], 0.25 * (times[i] - warnings[i].t))
                << "the strength falls like |t - t1|";
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Of, DiagnoseLinkage,
                         ::testing::Values(Warned{parallelogram(7.0), "parallelogram", 3.0},
                                           Warned{parallelogram(7.0, true),
                                                  "redundant parallelogram", 3.0},
                                           Warned{slider_crank(6.0), "slider crank", 3.0},
                                           Warned{kite(6.0), "kite", 3.0}));

/// Also where the motion turns round near a singular position, passes it twice in one approach, or
/// ends there.
TEST(Diagnose, NoSingularPositionIsPassedUnwarned) {
    std::size_t events = 0, missed = 0;
    for (const char* method : {"taylor", "dop853", "gauss"})
        for (int i = 0; i < 24; ++i) {
            const Linkage linkage = i % 3 == 0   ? slider_crank(0.4 * i)
                                    : i % 3 == 1 ? kite(0.4 * i)
                                                 : ladder(2, 0.4 * i);
            RunOptions options{
                .end = 2.0, .every = 2.0, .tolerance = 1e-9, .method = method, .step = 0.002};
            options.diagnose = true;
            const Motion motion = run(linkage.mechanism, options);
            const auto& warnings = diagnosis_of(motion).warnings;
            for (const double t : event_times(motion, "rank")) {
                ++events;
                const auto later = std::find_if(warnings.begin(), warnings.end(),
                                                [&](const auto& w) { return w.t >= t; });
                ASSERT_NE(later, warnings.begin())
                    << method << ' ' << i << ": nothing was said before t = " << t;
                EXPECT_EQ((later - 1)->outcome, "reached") << method << ' ' << i << " t = " << t;
            }
            for (const auto& warning : warnings) {
                missed += warning.outcome == "missed" ? 1 : 0;
                EXPECT_LE(warning.least.value, warning.reciprocal_condition);
                EXPECT_GE(warning.least.t, warning.t);
            }
        }
    EXPECT_GT(events, 100u);
    EXPECT_LT(missed, events);
}

TEST(Diagnose, RankEventsSayHowTheConstraintsDepend) {
    const Motion motion = diagnosed(turning_row("t - 0.93"), {.end = 2.0, .every = 0.1});
    ASSERT_EQ(event_times(motion, "rank").size(), 1u);
    const MotionEvent& event = motion.summary.events[0];
    EXPECT_NEAR(event.t, 0.93, 1e-9);
    ASSERT_EQ(event.sets.size(), 1u);
    EXPECT_EQ(event.sets[0].names, (std::vector<std::string>{"still", "turning"}));
    EXPECT_NEAR(event.sets[0].coefficients[0], 1.0, 1e-6);
    EXPECT_NEAR(event.sets[0].coefficients[1], -1.0, 1e-6);
    const auto& warnings = diagnosis_of(motion).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NEAR(warnings[0].t, 0.93 - 2.0 * std::atan(0.1 * warnings[0].usual), 1e-9);
    EXPECT_EQ(warnings[0].outcome, "reached");
}

TEST(Diagnose, ANearMissIsToldWithTheLeastStrength) {
    const Motion motion = diagnosed(turning_row("0.02 + (t - 0.93)^2"), {.end = 2.0, .every = 0.1});
    EXPECT_TRUE(event_times(motion, "rank").empty());
    const MotionDiagnosis& d = diagnosis_of(motion);
    ASSERT_EQ(d.warnings.size(), 1u);
    const auto& warning = d.warnings[0];
    EXPECT_NEAR(warning.usual, std::tan(0.5 * (0.02 + 0.93 * 0.93)), 1e-13) << "that of the begin";
    EXPECT_NEAR(warning.t, 0.93 - std::sqrt(2.0 * std::atan(0.1 * warning.usual) - 0.02), 1e-9);
    EXPECT_EQ(warning.outcome, "missed");
    EXPECT_NEAR(warning.least.value, std::tan(0.01), 1e-12);
    EXPECT_NEAR(warning.least.t, 0.93, 1e-6);
    EXPECT_EQ(d.condition_most.value, 1.0 / warning.least.value);
    EXPECT_EQ(d.weakest, (std::vector<std::string>{"still", "turning"}));
    EXPECT_EQ(d.undecided, 0u);
}

TEST(Diagnose, AnApproachThatGoesOnAtTheEndIsOpen) {
    const Motion motion = diagnosed(turning_row("0.93 - t"), {.end = 0.9, .every = 0.1});
    const auto& warnings = diagnosis_of(motion).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].outcome, "open");
    EXPECT_NEAR(warnings[0].least.value, std::tan(0.015), 1e-12);
    EXPECT_EQ(warnings[0].least.t, 0.9);
}

TEST(Diagnose, WarnsBeforeADriveComesToTheEndOfItsReach) {
    // Rows (1, 0) and (x, y): at an angle of acos(t).
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle bead at (x, y) mass 1
        constraint ring: x^2 + y^2 = 1
        constraint drive: x = t
        start x ~ 0, y ~ 1)");
    RunOptions options{.end = 2.0, .every = 0.1};
    options.diagnose = true;
    const Motion motion = run(m, options);
    EXPECT_EQ(motion.status.outcome, Outcome::conflict);
    const auto& warnings = diagnosis_of(motion).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NEAR(warnings[0].usual, 1.0, 1e-13);
    EXPECT_NEAR(warnings[0].t, std::cos(2.0 * std::atan(0.1)), 1e-9);
    EXPECT_NE(warnings[0].outcome, "missed");
    EXPECT_LT(warnings[0].least.value, 0.01);
}

TEST(Diagnose, ARowOfEqualitiesHasTheClosedFormOfAChain) {
    // m rows (e_i - e_{i+1})/sqrt(2): singular values sqrt(1 - cos(k pi/(m + 1))), condition
    // cot(pi/(2 (m + 1))).
    for (const int rows : {1, 9, 60, 230}) {
        const Mechanism m = Mechanism::parse(fmt::format(R"(param N = {}
            coord x[1..N+1]
            particle bead[i] at (x[i]) mass 1 for i in 1..N+1
            constraint same[i]: x[i] = x[i+1] for i in 1..N
            start x[i] ~ 0, x[i]' ~ 1 for i in 1..N+1)",
                                                         rows));
        RunOptions options{.end = 1.0, .every = 1.0, .method = "rk4", .step = 0.5};
        options.interpret = true;
        const Motion motion = diagnosed(m, options);
        const double expected = 1.0 / std::tan(std::acos(-1.0) / (2.0 * (rows + 1)));
        const bool estimated = diagnosis_of(motion).estimated;
        EXPECT_EQ(estimated, rows > 200);
        EXPECT_NEAR(last(motion, "diagnosis.condition") / expected, 1.0, estimated ? 0.8 : 1e-12)
            << rows;
    }
}

TEST(Diagnose, ARankThatIsInDoubtIsToldSo) {
    const Motion motion = diagnosed(turning_row("1e-8 + 0*t"), {.end = 1.0, .every = 0.1});
    const MotionDiagnosis& d = diagnosis_of(motion);
    EXPECT_EQ(d.undecided, d.places);
    EXPECT_EQ(d.undecided_first, 0.0);
    EXPECT_NEAR(d.gap_least.value, 50.0, 1e-6) << "tan(phi/2) over the rank tolerance 1e-10";
    EXPECT_TRUE(d.warnings.empty()) << "it is not weaker than it was";
}

TEST(Diagnose, APendulumHasNothingToWarnOf) {
    const Motion motion = diagnosed(load("pendulum.lac"), {.end = 10.0});
    const MotionDiagnosis& d = diagnosis_of(motion);
    EXPECT_TRUE(d.warnings.empty());
    EXPECT_EQ(d.condition_least.value, 1.0);
    EXPECT_EQ(d.condition_most.value, 1.0);
    for (const double rank : motion.column("diagnosis.rank")) ASSERT_EQ(rank, 1.0);
}

TEST(Diagnose, ARowThatVanishesIsWarnedOfByItsLength) {
    // A skate at rest in the middle: its row (x', y' fixed by the direction t - 1) shrinks and
    // turns round.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle bead at (x, y) mass 1
        constraint fading: (t - 1)*x' = 0
        start x = 0, y = 0, y' = 1)");
    const Motion motion = diagnosed(m, {.end = 2.5, .every = 0.1});
    const auto times = event_times(motion, "rank");
    const auto& warnings = diagnosis_of(motion).warnings;
    ASSERT_EQ(times.size(), 1u);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_GE(warnings[0].t,
              0.9 - 1e-9);  // its length is a tenth there; it is looked at some places of each step
    EXPECT_LT(warnings[0].t, 0.95);
    EXPECT_NEAR(warnings[0].estimated_t, 1.0, 1e-9);
    EXPECT_EQ(warnings[0].outcome, "reached");
    EXPECT_EQ(warnings[0].constraints, (std::vector<std::string>{"fading"}));
}

TEST(Diagnose, LeavesTheMotionAsItIs) {
    for (const char* method : {"taylor", "dop853", "dopri5", "gauss", "bdf"})
        for (const double every : {0.01, 0.7})
            for (const Mechanism& m : {parallelogram(7.0).mechanism, load("double_pendulum.lac")}) {
                RunOptions options{
                    .end = 1.5, .every = every, .tolerance = 1e-9, .method = method, .step = 0.005};
                const Motion plain = run_well(m, options), seen = diagnosed(m, options);
                ASSERT_EQ(seen.names.size(), plain.names.size() + 3);
                for (std::size_t i = 0; i < plain.names.size(); ++i) {
                    EXPECT_EQ(seen.names[i], plain.names[i]);
                    EXPECT_TRUE(seen.columns[i] == plain.columns[i])
                        << method << ' ' << plain.names[i];
                }
                EXPECT_EQ(seen.summary.steps, plain.summary.steps);
                EXPECT_EQ(seen.summary.evaluations, plain.summary.evaluations);
                EXPECT_EQ(seen.summary.factorizations, plain.summary.factorizations);
                EXPECT_TRUE(seen.summary.events == plain.summary.events);
                EXPECT_FALSE(plain.summary.diagnosis.has_value());
            }
}

TEST(Diagnose, ColumnsKeepClearOfTheModelsNames) {
    const Mechanism m = Mechanism::parse(R"(coord rank, condition, gap
        particle bead at (rank, condition, gap) mass 1
        constraint diagnosis: rank + gap = 0
        start rank = 1, rank' = 1
        output diagnosis.force)");
    const Motion motion = diagnosed(m, {.end = 1.0, .every = 0.1});
    EXPECT_EQ(motion.names,
              (std::vector<std::string>{"t", "rank", "condition", "gap", "rank'", "condition'",
                                        "gap'", "diagnosis.force", "diagnosis.rank",
                                        "diagnosis.condition", "diagnosis.gap"}));
    EXPECT_EQ(last(motion, "rank"), 2.0);
    EXPECT_EQ(last(motion, "diagnosis.rank"), 1.0);
}

TEST(Diagnose, TheRankFollowsTheContacts) {
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle ball at (x, y) mass 1
        gravity (0, -10)
        constraint floor: y >= 0
        start x = 0, y = 5, x' = 1)");
    const Motion motion = diagnosed(m, {.end = 2.0, .every = 0.125});
    for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
        const double t = motion.column("t")[i], gap = motion.column("diagnosis.gap")[i];
        if (t == 1.0) continue;  // the moment of the impact
        EXPECT_EQ(motion.column("diagnosis.rank")[i], t < 1.0 ? 0.0 : 1.0) << t;
        EXPECT_NEAR(gap, t < 1.0 ? 0.0 : 1e10, 1.0) << "as in check";
        EXPECT_EQ(motion.column("diagnosis.condition")[i], 1.0);
    }
    const MotionDiagnosis& d = diagnosis_of(motion);
    EXPECT_GT(d.places, d.constrained);
    EXPECT_GT(d.constrained, 0u);
    EXPECT_TRUE(d.warnings.empty());
}

TEST(Diagnose, AnApproachEndsWhereOtherConstraintsComeIntoForce) {
    // Rows that would be parallel at t = 1.5; at t = 1.4 the bead, falling along z, meets a floor.
    const Mechanism m = Mechanism::parse(R"(coord x, y, z
        particle bead at (x, y, z) mass 1
        gravity (0, 0, -10)
        constraint still: x' = 0
        constraint turning: cos(1.5 - t)*x' + sin(1.5 - t)*y' = 0
        constraint floor: z >= -9.8
        start x = 0, y = 0, z = 0)");
    const Motion motion = diagnosed(m, {.end = 1.45, .every = 0.05});
    EXPECT_EQ(motion.summary.contact.modes, 2u);
    EXPECT_EQ(last(motion, "diagnosis.rank"), 3.0);
    const auto& warnings = diagnosis_of(motion).warnings;
    ASSERT_EQ(warnings.size(), 1u) << "in the next mode what is usual is weak from the begin on";
    EXPECT_NEAR(warnings[0].usual, std::tan(0.75), 1e-13);
    EXPECT_NEAR(warnings[0].t, 1.5 - 2.0 * std::atan(0.1 * std::tan(0.75)), 1e-9);
    EXPECT_EQ(warnings[0].outcome, "changed");
    EXPECT_NEAR(warnings[0].least.value, std::tan(0.05), 1e-9);
    EXPECT_NEAR(warnings[0].least.t, 1.4, 1e-9);
}

TEST(Diagnose, WithoutConstraintsThereIsNothingToTell) {
    const Motion motion = diagnosed(
        Mechanism::parse("coord x\nparticle bead at (x) mass 1\npotential x^2/2\nstart x = 1"),
        {.end = 1.0, .every = 0.5});
    EXPECT_EQ(diagnosis_of(motion).constrained, 0u);
    EXPECT_EQ(last(motion, "diagnosis.rank"), 0.0);
    EXPECT_EQ(last(motion, "diagnosis.condition"), 1.0);
    EXPECT_EQ(last(motion, "diagnosis.gap"), 0.0);
}

TEST(Diagnose, GoesOnFromASnapshotToTheSameBits) {
    const Mechanism m = parallelogram(7.0).mechanism;
    for (const char* method : {"taylor", "dop853"}) {
        RunOptions options{.end = 2.0, .every = 0.01, .tolerance = 1e-9, .method = method};
        options.diagnose = true;
        const RunPlan plan = plan_run(m.details(), options);
        std::vector<std::vector<double>> whole_rows;
        HybridRun whole(m.details(), plan, {}, [&](std::span<const double> row) {
            whole_rows.emplace_back(row.begin(), row.end());
        });
        ASSERT_TRUE(whole.begin());
        std::vector<Snapshot> snapshots;
        do {
            if (whole.is_resumable()) snapshots.push_back(whole.snapshot());
        } while (whole.step());
        MotionDiagnosis expected = *whole.summary().diagnosis;
        expected.seconds = 0.0;
        EXPECT_GE(expected.warnings.size(), 2u);
        for (std::size_t i = 0; i < snapshots.size(); i += 3) {
            std::vector<std::vector<double>> rows;
            HybridRun later(m.details(), plan, {}, [&](std::span<const double> row) {
                rows.emplace_back(row.begin(), row.end());
            });
            ASSERT_TRUE(later.resume(snapshots[i]));
            while (later.step()) {
            }
            ASSERT_EQ(snapshots[i].rows + rows.size(), whole_rows.size());
            EXPECT_TRUE(
                std::equal(rows.begin(), rows.end(),
                           whole_rows.begin() + static_cast<std::ptrdiff_t>(snapshots[i].rows)));
            MotionDiagnosis found = *later.summary().diagnosis;
            found.seconds = 0.0;
            EXPECT_TRUE(found == expected) << method << ' ' << i;
        }
    }
}

}  // namespace
}  // namespace lacon::motions
