// Singular positions within a step of the sparse way.
#include "large_tests.hpp"

namespace lacon::large_tests {
namespace {

/// Parallelogram linkages that fall from the angles s + i d and pass their flat position, where a,
/// b and c depend on each other, beside pendulums; 120 rows in 180 coordinates. `more` is added.
std::string linkages(double d, const std::string& more = "", int count = 30) {
    return "param N = " + std::to_string(count) + ", s = 0.7, g = 9.81, d = " + std::to_string(d) +
           "\ncoord x[1..N], y[1..N], u[1..N], w[1..N], px[1..N], py[1..N]\n"
           "particle left[i] at (x[i], y[i]) mass 1 for i in 1..N\n"
           "particle right[i] at (u[i], w[i]) mass 1 for i in 1..N\n"
           "particle bob[i] at (px[i], py[i]) mass 1 for i in 1..N\ngravity (0, -g)\n"
           "constraint a[i]: norm((x[i], y[i])) = 1 for i in 1..N\n"
           "constraint b[i]: norm((u[i] - 2, w[i])) = 1 for i in 1..N\n"
           "constraint c[i]: norm((u[i] - x[i], w[i] - y[i])) = 2 for i in 1..N\n"
           "constraint rod[i]: norm((px[i], py[i])) = 1 for i in 1..N\n"
           "start x[i] = cos(s + d*i), y[i] = sin(s + d*i), u[i] = 2 + cos(s + d*i), w[i] = sin(s "
           "+ d*i) for i in 1..N\n"
           "start px[i] = cos(0.1*i), py[i] = sin(0.1*i) for i in 1..N\nsimulate 0..1 every "
           "0.1\noutput energy\n" +
           more;
}

/// When a linkage that falls from angle s is flat: it moves as a pendulum does, θ'² = 2 g (sin s −
/// sin θ). By Simpson's rule in z, θ = s − z², which takes the root at the begin away.
double time_of_fall(double s) {
    constexpr int n = 2000;
    const double g = 9.81, h = std::sqrt(s) / n;
    const auto f = [&](double z) {
        return z == 0.0 ? 2.0 / std::sqrt(2.0 * g * std::cos(s))
                        : 2.0 * z / std::sqrt(2.0 * g * (std::sin(s) - std::sin(s - z * z)));
    };
    double sum = f(0.0) + f(n * h);
    for (int i = 1; i < n; ++i) sum += (i % 2 ? 4.0 : 2.0) * f(i * h);
    return sum * h / 3.0;
}

RunOptions sparse() {
    RunOptions options;
    options.solver = "sparse";
    return options;
}

// Rounding of 1e-13 across the constraints moves the place by its root.
constexpr double close = 2e-6;

TEST(LargeSingularCrossing, OneWithinAStepEndsTheRunAndIsTold) {
    const Motion motion = run(Mechanism::parse(linkages(0.0)), sparse());
    EXPECT_EQ(name_of(motion.status.outcome), "lost_rank");
    EXPECT_NE(motion.status.message.find("singular position at t = 0.41612"), std::string::npos)
        << motion.status.message;
    ASSERT_EQ(motion.summary.events.size(), 1U);
    const MotionEvent& event = motion.summary.events[0];
    EXPECT_EQ(event.kind, "rank");
    EXPECT_NEAR(event.t, time_of_fall(0.7), close);
    EXPECT_EQ(event.rank_before, 120U);
    EXPECT_EQ(event.rank_after, 90U);
    EXPECT_FALSE(event.passed);
    ASSERT_EQ(event.sets.size(), 30U);
    EXPECT_EQ(event.sets[0].names, (std::vector<std::string>{"a[1]", "b[1]", "c[1]"}));
    EXPECT_EQ(motion.summary.final.t, event.t);
}

/// `cells` four-bars in a row that share their posts and swing as one pendulum does, from the angle
/// 0.8 at the rate 7.
std::string ladder(int cells) {
    return "param N = " + std::to_string(cells) +
           "\ncoord x[0..N], y[0..N]\nlet P[i] = (x[i], y[i]) for i in 0..N\n"
           "particle pin[i] at P[i] mass 1 + i/10 for i in 0..N\ngravity (0, -9.81)\n"
           "constraint arm[i]: norm(P[i] - (i, 0)) = 1 for i in 0..N\n"
           "constraint rung[i]: norm(P[i] - P[i-1]) = 1 for i in 1..N\n"
           "start x[i] ~ i + sin(0.8), y[i] ~ -cos(0.8), x[i]' ~ 7*cos(0.8), y[i]' ~ 7*sin(0.8) "
           "for i in 0..N\n"
           "event early: x[0] = 0.9\nevent late: y[0] = 0.5\n";
}

TEST(LargeSingularCrossing, IsLeftToTheDenseSolveWhereTheSolverIsAuto) {
    RunOptions options{.end = 0.25, .every = 0.01};
    const Motion motion = run(Mechanism::parse(ladder(30)), options);
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_NE(motion.summary.solve.find("sparse"), std::string::npos);
    EXPECT_GE(motion.summary.handovers, 1u);
    EXPECT_NE(motion.summary.solve.find("dense backend used near"), std::string::npos)
        << motion.summary.solve;
    const Motion single = run(Mechanism::parse(ladder(1)), options);  // the same motion
    ASSERT_EQ(motion.columns[0].size(), single.columns[0].size());
    for (std::size_t i = 0; i < motion.columns[0].size(); ++i) {
        EXPECT_NEAR(motion.column("t")[i], single.column("t")[i], 1e-8);
        EXPECT_NEAR(motion.column("y[30]")[i], single.column("y[1]")[i], 1e-8);
    }
    const std::size_t count = single.summary.events.size();
    ASSERT_EQ(motion.summary.events.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(motion.summary.events[i].kind, single.summary.events[i].kind);
        EXPECT_NEAR(motion.summary.events[i].t, single.summary.events[i].t, 1e-8);
    }
    ASSERT_EQ(motion.summary.events[1].kind, "rank");
    EXPECT_EQ(motion.summary.events[1].rank_before, 61U);
    EXPECT_EQ(motion.summary.events[1].rank_after, 31U);
    EXPECT_TRUE(motion.summary.events[1].passed);
    EXPECT_LE(motion.summary.worst.energy, 1e-8 * motion.summary.energy_scale);
}

TEST(LargeSingularCrossing, IsHandedOverWellBeforeItWhateverTheNumberOfCells) {
    // Posts that hang from rest positions and swing as one pendulum does; N decides how near the
    // last sparse steps come to the flat position.
    for (const int count : {35, 42}) {
        const auto posts = [](int n) {
            return "param N = " + std::to_string(n) +
                   "\ncoord x[1..N], y[1..N]\nlet P[i] = (x[i], y[i]) for i in 1..N\n"
                   "particle p[i] at P[i] mass 1 for i in 1..N\ngravity (0, -9.81)\n"
                   "constraint leg[i]: norm(P[i] - (i, 0)) = 1 for i in 1..N\n"
                   "constraint bar[i]: norm(P[i+1] - P[i]) = 1 for i in 1..N-1\n"
                   "start x[i] ~ i + 0.1, y[i] ~ -1 for i in 1..N\n"
                   "start x[i]' ~ 7 for i in 1..N\n";
        };
        const RunOptions options{.end = 0.3, .every = 0.01};
        const Motion motion = run(Mechanism::parse(posts(count)), options);
        ASSERT_TRUE(motion.status) << count << motion.status.message;
        EXPECT_LE(motion.summary.worst.energy, 1e-11 * motion.summary.energy_scale) << count;
        const Motion single = run(Mechanism::parse(posts(2)), options);
        ASSERT_EQ(motion.columns[0].size(), single.columns[0].size());
        for (std::size_t i = 0; i < single.columns[0].size(); ++i)
            EXPECT_NEAR(motion.column("y[1]")[i], single.column("y[1]")[i], 1e-9);
        ASSERT_EQ(motion.summary.events.size(), 1U) << count;
        EXPECT_NEAR(motion.summary.events[0].t, single.summary.events[0].t, 1e-8) << count;
        EXPECT_TRUE(motion.summary.events[0].passed) << count;
    }
}

TEST(LargeSingularCrossing, EndsTheRunWhereDenseStepsWouldTakeTooLong) {
    RunOptions options{.end = 0.25, .every = 0.01};
    const Motion motion = run(Mechanism::parse(ladder(400)), options);
    EXPECT_EQ(name_of(motion.status.outcome), "lost_rank");
    EXPECT_NE(motion.status.message.find("does not cross"), std::string::npos)
        << motion.status.message;
}

TEST(LargeSingularCrossing, IsWhereTheDenseRunHasIt) {
    RunOptions options = sparse();
    options.through_singular = true;
    const Motion large = run(Mechanism::parse(linkages(0.0)), options);
    ASSERT_TRUE(large.status) << large.status.message;
    options = {};
    const Motion one = run(Mechanism::parse(linkages(0.0, "", 1)), options);
    ASSERT_TRUE(one.status) << one.status.message;
    ASSERT_EQ(large.summary.events.size(), 1U);
    ASSERT_EQ(one.summary.events.size(), 1U);
    EXPECT_TRUE(large.summary.events[0].passed);
    EXPECT_NEAR(large.summary.events[0].t, one.summary.events[0].t, close);
    EXPECT_EQ(one.summary.events[0].rank_before - one.summary.events[0].rank_after, 1U);
    EXPECT_LE(large.summary.worst.energy, 1e-10 * large.summary.energy_scale);
}

TEST(LargeSingularCrossing, ThoseOfThirtyLinkagesAtThirtyTimesAreAllTold) {
    RunOptions options = sparse();
    options.through_singular = true;
    options.end = 0.6;
    const Motion motion = run(Mechanism::parse(linkages(0.01)), options);
    ASSERT_EQ(motion.summary.events.size(), 30U);
    for (int i = 1; i <= 30; ++i) {
        const MotionEvent& event = motion.summary.events[static_cast<std::size_t>(i - 1)];
        EXPECT_NEAR(event.t, time_of_fall(0.7 + 0.01 * i), close);
        const std::string name = "c[" + std::to_string(i) + "]";
        EXPECT_NE(std::find(event.constraints.begin(), event.constraints.end(), name),
                  event.constraints.end())
            << name;
    }
}

TEST(LargeSingularCrossing, IsSeenBesideRowsThatDependOnOthersThroughout) {
    const std::string again = "constraint again[i]: x[i]^2 + y[i]^2 = 1 for i in 1..N\n";
    const Motion motion = run(Mechanism::parse(linkages(0.0, again)), sparse());
    EXPECT_EQ(name_of(motion.status.outcome), "lost_rank");
    ASSERT_EQ(motion.summary.events.size(), 1U);
    EXPECT_NEAR(motion.summary.events[0].t, time_of_fall(0.7), close);
    EXPECT_EQ(motion.summary.events[0].rank_before, 120U);
    EXPECT_EQ(motion.summary.events[0].sets.size(), 30U);
}

TEST(LargeSingularCrossing, IsSeenWhereTheMassMatrixIsFull) {
    const std::string arm =
        "param K = 20\ncoord h[1..K]\nlet P[0] = (0, 0)\nlet P[i] = P[i-1] + 0.1*(sin(h[i]), "
        "-cos(h[i])) for i in 1..K\n"
        "particle bead[i] at P[i] mass 1 for i in 1..K\nstart h[i] = 0.01*i for i in 1..K\n";
    const Motion motion = run(Mechanism::parse(linkages(0.0, arm)), sparse());
    EXPECT_NE(motion.summary.solve.find("[M Aᵀ; A 0]"), std::string::npos) << motion.summary.solve;
    EXPECT_EQ(name_of(motion.status.outcome), "lost_rank");
    ASSERT_EQ(motion.summary.events.size(), 1U);
    EXPECT_NEAR(motion.summary.events[0].t, time_of_fall(0.7), close);
}

// On the x-axis y (y − x²) has the row (0, −x²): it vanishes at x = 0 and comes back as it was.
TEST(LargeSingularCrossing, IsSeenWhereARowVanishesAndDoesNotTurn) {
    const std::string text =
        "param N = 40\ncoord x[1..N], y[1..N]\n"
        "particle p[i] at (x[i], y[i]) mass 1 for i in 1..N\n"
        "constraint c[i]: y[i]*(y[i] - (x[i] - 0.01*i)^2) = 0 for i in 1..N\n"
        "start x[i] = -0.8, x[i]' = 1 for i in 1..N\nsimulate 0..3 every 0.5\n";
    RunOptions options = sparse();
    const Motion first = run(Mechanism::parse(text), options);
    EXPECT_EQ(name_of(first.status.outcome), "lost_rank");
    EXPECT_NEAR(first.summary.final.t, 0.81, 1e-7);
    options.through_singular = true;
    const Motion all = run(Mechanism::parse(text), options);
    ASSERT_TRUE(all.status) << all.status.message;
    ASSERT_EQ(all.summary.events.size(), 40U);
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_NEAR(all.summary.events[i].t, 0.81 + 0.01 * static_cast<double>(i), 1e-7);
        EXPECT_EQ(all.summary.events[i].name, "c[" + std::to_string(i + 1) + "]");
        EXPECT_EQ(all.summary.events[i].rank_after, 39U);
    }
}

TEST(LargeSingularCrossing, ChainsAndNetsHaveNone) {
    for (const std::string& text : {chain(300), chain(300, 6), net(6)}) {
        const Motion motion = run(Mechanism::parse(text), sparse());
        EXPECT_TRUE(motion.status) << motion.status.message;
        EXPECT_TRUE(motion.summary.events.empty());
    }
}

}  // namespace
}  // namespace lacon::large_tests
