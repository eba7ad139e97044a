// The sparse start search against closed forms and the dense search, where guesses are undefined or
// lead to dead ends.
#include "large/start/islands.hpp"
#include "large_tests.hpp"
#include "runs.hpp"

namespace lacon::large_tests {
namespace {

Start start_by(const std::string& solver, const std::string& text) {
    return find_start(Mechanism::parse(text).details(), {}, {}, solver);
}

TEST(LargeStart, LeavesGuessesWhereADerivativeIsNotFinite) {
    const Start start = start_by(
        "sparse",
        "param N = 65\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 for i in 1..N\n"
        "constraint rod[i]: norm(p[i]) = 2 for i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    for (std::size_t i = 0; i < 65; ++i)
        EXPECT_NEAR(std::hypot(start.state.q[i], start.state.q[65 + i]), 2.0, 1e-12);
}

TEST(LargeStart, LeavesAloneWhatIsDefinedWhereSomethingElseIsNot) {
    const Start start = start_by(
        "sparse",
        "param N = 5\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass i for i in 1..N\n"
        "constraint rod[i]: norm(p[i]) = 2 for i in 1..N\nstart x[i] ~ 3*(i-1), y[i] ~ 4*(i-1) for "
        "i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    EXPECT_NEAR(std::hypot(start.state.q[0], start.state.q[5]), 2.0, 1e-12);
    for (std::size_t i = 1; i < 5; ++i) {
        EXPECT_NEAR(start.state.q[i], 1.2, 1e-12);
        EXPECT_NEAR(start.state.q[5 + i], 1.6, 1e-12);
    }
}

TEST(LargeStart, ALargeDerivativeExcusesNoResidual) {
    // Beside the slope y of its row, what x y lacks is nothing.
    const Start start = start_by(
        "sparse",
        "param N = 9\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 for i in 1..N\n"
        "constraint c[i]: x[i]*y[i] = 1 for i in 1..N\n"
        "constraint d[i]: x[i] = 1e-9*i for i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_NEAR(start.state.q[i] / (1e-9 * static_cast<double>(i + 1)), 1.0, 1e-11);
        EXPECT_NEAR(start.state.q[i] * start.state.q[9 + i], 1.0, 1e-11);
    }
}

TEST(LargeStart, TakesManyStepsWhereEachHelps) {
    const Start start =
        start_by("sparse",
                 "param N = 9\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 for i "
                 "in 1..N\nconstraint c[i]: exp(x[i]) = 1e-20^i for i in 1..N\n"
                 "constraint d[i]: y[i]^2 = 1e20*i for i in 1..N\nstart y[i] ~ 1 for i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    for (std::size_t i = 0; i < 9; ++i) {
        const auto k = static_cast<double>(i + 1);
        EXPECT_NEAR(start.state.q[i] / (-20.0 * std::log(10.0) * k), 1.0, 1e-13);
        EXPECT_NEAR(start.state.q[9 + i] / (1e10 * std::sqrt(k)), 1.0, 1e-13);
    }
}

TEST(LargeStart, NeedsNoForceAtTheGuesses) {
    const std::string free =
        "param N = 65\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 for i in 1..N\n"
        "force x[i] = sqrt(y[i] - 1) for i in 1..N\n";
    const Start start = start_by("sparse", free + "constraint c[i]: y[i] = 2 for i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    for (std::size_t i = 0; i < 65; ++i) {
        EXPECT_EQ(start.state.q[i], 0.0);
        EXPECT_DOUBLE_EQ(start.state.q[65 + i], 2.0);
    }
    EXPECT_TRUE(start_by("sparse", free).status);
}

TEST(LargeStart, NamesTheConstraintsThatAreNowhereDefined) {
    const Start start = start_by(
        "sparse",
        "coord x[1..3], y[1..3]\nparticle p[i] at (x[i], y[i]) mass 1 for i in 1..3\n"
        "constraint good[i]: x[i] = 1 for i in 1..3\nconstraint bad: sqrt(-1 - y[2]^2) = y[2]\n");
    EXPECT_EQ(start.status.outcome, Outcome::undefined);
    EXPECT_EQ(start.status.message,
              "'bad' has no finite value, or no finite derivatives, at the initial guess or any "
              "positions tried near it");
    EXPECT_EQ(start.status.names, std::vector<std::string>{"bad"});
}

TEST(LargeStart, SearchesAgainOnlyWhatIsNotMet) {
    // x[1] comes to a dead end at its guess 0, where the row has no derivative; each of the others
    // stays on the side of its own.
    const Start start =
        start_by("sparse",
                 "param N = 400\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 + "
                 "0.1*i for i in 1..N\n"
                 "constraint c[i]: x[i]^2 = 1e-4 for i in 1..N\n"
                 "start x[i] ~ 0.02*sign(i - 200.5)*min(1, i - 1), y[i] = 1000*i for i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    EXPECT_NEAR(std::abs(start.state.q[0]), 0.01, 1e-12);
    for (std::size_t i = 1; i < 400; ++i)
        EXPECT_NEAR(start.state.q[i], i < 200 ? -0.01 : 0.01, 1e-16) << i;
}

TEST(LargeStart, IsTheNearestStateForEachOfManyMembers) {
    // y[i] keeps the sign of its guess: y = ± ((1 − (x − i)⁴)/i)^(1/4).
    const Start start = start_by("sparse",
                                 "param N = 71\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], "
                                 "y[i]) mass 1 + 0.1*i for i in 1..N\n"
                                 "constraint c[i]: (x[i] - i)^4 + i*y[i]^4 = 1 for i in 1..N\n"
                                 "start x[i] = i + 0.1*sin(i), y[i] ~ 0.3*cos(i) for i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    for (int i = 1; i <= 71; ++i) {
        const double y = std::pow((1.0 - std::pow(0.1 * std::sin(i), 4)) / i, 0.25);
        EXPECT_NEAR(start.state.q[static_cast<std::size_t>(70 + i)], std::copysign(y, std::cos(i)),
                    1e-9)
            << i;
    }
}

TEST(LargeStart, ComesToTheNearestPointOfEachOfManyCurves) {
    // There the way from the guess is square to the curve, and no longer than the way to the end of
    // its longer axis.
    constexpr int count = 1000;
    const Start start =
        start_by("sparse",
                 "param N = 1000\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass i for "
                 "i in 1..N\n"
                 "constraint c[i]: x[i]^2 + (y[i]*(1 + 0.005*i))^2 = 1 for i in 1..N\n"
                 "start x[i] ~ 2*cos(i), y[i] ~ 2*sin(i) for i in 1..N\n");
    ASSERT_TRUE(start.status) << start.status.message;
    for (int i = 1; i <= count; ++i) {
        const double x = start.state.q[static_cast<std::size_t>(i - 1)],
                     y = start.state.q[static_cast<std::size_t>(count + i - 1)];
        const double dx = x - 2.0 * std::cos(i), dy = y - 2.0 * std::sin(i), gx = x,
                     gy = y * std::pow(1.0 + 0.005 * i, 2);
        EXPECT_NEAR((dx * gy - dy * gx) / (std::hypot(dx, dy) * std::hypot(gx, gy)), 0.0, 1e-8)
            << i;
        EXPECT_LE(
            std::hypot(dx, dy),
            std::hypot(std::copysign(1.0, std::cos(i)) - 2.0 * std::cos(i), 2.0 * std::sin(i)) +
                1e-9);
    }
}

TEST(LargeStart, ABlockedMemberDoesNotHoldUpTheOthers) {
    const Start start =
        start_by("sparse",
                 "coord x[1..20], y[1..20]\nparticle p[i] at (x[i], y[i]) mass 1 for i in 1..20\n"
                 "constraint c[i]: x[i]^2 + y[i]^2 = 25*(1 - 2*max(0, i - 19)) for i in 1..20\n"
                 "start x[i] ~ 30, y[i] ~ 40 for i in 1..20\n");
    EXPECT_EQ(start.status.outcome, Outcome::no_start);
    EXPECT_EQ(start.status.names, std::vector<std::string>{"c[20]"});
    for (std::size_t i = 0; i < 19; ++i) EXPECT_NEAR(start.state.q[i], 3.0, 1e-9);
}

TEST(LargeStart, IsFoundByTheSolverAskedFor) {
    const std::string text =
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = 1\nconstraint b: x = 2\n";
    EXPECT_NE(
        start_by("sparse", text).status.message.find("no state was found that meets them all"),
        std::string::npos);
    EXPECT_NE(start_by("dense", text).status.message.find("no state meets them all"),
              std::string::npos);
    EXPECT_THROW(start_by("sparse", "coord x\nparticle p at (x, 0) mass 1\nconstraint a: x >= 1\n"),
                 std::invalid_argument);
}

TEST(Islands, AreRowsThatShareValuesWhichMayMove) {
    SparsePattern rows;
    rows.rows = 5;
    rows.cols = 7;
    rows.begin = {0, 2, 4, 6, 7, 9};
    rows.column = {0, 1, 2, 3, 1, 5, 4, 3, 4};  // 0–1, 2–3, 1–5, 4, 3–4
    std::vector<bool> fixed(7, false);
    const std::vector<std::uint32_t> taken{0, 1, 2, 3, 4};
    const Islands all(rows, taken, fixed);
    EXPECT_EQ(all.count, 2U);
    EXPECT_EQ(all.of_row, (std::vector<std::uint32_t>{0, 1, 0, 1, 1}));
    EXPECT_EQ(all.of_value, (std::vector<std::uint32_t>{0, 0, 1, 1, 1, 0, 2}));
    fixed[1] = fixed[4] = true;
    const Islands held(rows, taken, fixed);
    EXPECT_EQ(held.of_row, (std::vector<std::uint32_t>{0, 1, 2, 3, 1}));
    EXPECT_EQ(held.of_value, (std::vector<std::uint32_t>{0, 4, 1, 1, 4, 2, 4}));
}

}  // namespace
}  // namespace lacon::large_tests
