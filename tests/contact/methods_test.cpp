// Closed forms of contact and friction by every method: at tolerance 1e-10, or the step 1/1000, all
// come within 1e-6.

#include <numbers>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

class ContactMethods : public testing::TestWithParam<const char*> {
protected:
    Motion go(const std::string& file, double end, const Settings& settings = {}) const {
        RunOptions options{.end = end, .every = 0.01, .tolerance = 1e-10, .method = GetParam()};
        if (options.method == "rk4" || options.method == "gauss") options.step = 1e-3;
        return motions::run_well(load(file, settings), options);
    }
    static constexpr double enough = 1e-6;
};
INSTANTIATE_TEST_SUITE_P(Of, ContactMethods,
                         testing::Values("auto", "taylor", "dop853", "dopri5", "rk4", "gauss"),
                         [](const auto& of) { return std::string(of.param); });

TEST(ContactMethod, ThoseOfManyStepsAreRefused) {
    for (const char* method : {"bdf", "adams"})
        for (const char* file : {"bouncing_ball.lac", "rough_ring.lac"}) {
            try {
                run(load(file), {.end = 1.0, .method = method});
                ADD_FAILURE() << method << " takes " << file;
            } catch (const std::invalid_argument& refusal) {
                EXPECT_NE(std::string(refusal.what())
                              .find("use taylor, dop853, dopri5, radau, rk4 or gauss"),
                          std::string::npos);
            }
        }
}

TEST_P(ContactMethods, RingSlowsTheBead) {
    const Motion motion = go("rough_ring.lac", 5.0);
    EXPECT_LE(
        worst_error(motion, "speed", [](Real t) { return 3.0L / (1.0L + Real(0.3) * 1.5L * t); }),
        enough);
}

TEST_P(ContactMethods, InclineLetsTheBlockComeBack) {
    const Motion motion = go("incline.lac", 2.0);
    const Real g = 9.81, s = std::sin(0.5L), c = std::cos(0.5L),
               stop = 3.0L / (g * (s + Real(0.3) * c));
    ASSERT_EQ(story(motion), std::vector<std::string>{"slip plane"});
    EXPECT_NEAR(event_times(motion, "slip")[0], near(stop), enough);
    const Real after = 2.0L - stop;
    EXPECT_NEAR(last(motion, "x"),
                near(1.5L * stop - 0.5L * g * (s - Real(0.3) * c) * after * after), enough);
}

TEST_P(ContactMethods, OscillatorSticksInTheFifthSwing) {
    const Motion motion = go("rough_oscillator.lac", 6.0);
    ASSERT_EQ(event_times(motion, "slip").size(), 4u);
    ASSERT_EQ(event_times(motion, "stick").size(), 1u);
    EXPECT_NEAR(event_times(motion, "stick")[0], 5.0 * std::numbers::pi / std::sqrt(10.0), enough);
    EXPECT_NEAR(last(motion, "x"), -(1.0 - 10.0 * 0.0981), enough);
}

TEST_P(ContactMethods, BallSettlesInTime) {
    const Motion motion = go("bouncing_ball.lac", 5.0);
    EXPECT_GE(event_times(motion, "impact").size(), 40u);
    ASSERT_EQ(event_times(motion, "settled").size(), 1u);
    EXPECT_NEAR(event_times(motion, "settled")[0], 9.0 * std::sqrt(2.0 / 9.81), 10 * enough);
    EXPECT_NEAR(last(motion, "y"), 0.0, 1e-12);
}

TEST_P(ContactMethods, BlockRocks) {
    const Motion motion = go("rocking_block.lac", 1.5);
    const Real r = std::hypot(Real(0.2), 1.0L), alpha = std::atan2(Real(0.2), 1.0L),
               p = 0.75L * Real(9.81) / r;
    const Real first = 2.0L * p * (std::cos(alpha - Real(0.1)) - std::cos(alpha)),
               sine = std::sin(alpha);
    // Rates squared, after two impacts.
    const Real second = first * std::pow(1.0L - 1.5L * sine * sine, 4.0L);
    ASSERT_EQ(event_times(motion, "impact").size(), 2u);
    EXPECT_NEAR(last(motion, "energy"), near(Real(9.81) + 2.0L / 3.0L * r * r * second), enough);
}

TEST_P(ContactMethods, LadderLeavesTheWall) {
    const Motion motion = go("ladder.lac", 1.0);
    ASSERT_EQ(story(motion), (std::vector<std::string>{"release wall", "event down"}));
    // x' from then on: l sin th |th'| with sin th = 2/3 sin th0, th'² = g/(2 l) sin th0.
    const Real sine = std::sin(Real(1.2));
    EXPECT_NEAR(last(motion, "x'"), near(2.0L / 3.0L * sine * std::sqrt(0.5L * Real(9.81) * sine)),
                enough);
}

TEST_P(ContactMethods, SphereRollsThenSlips) {
    const Motion motion = go("rolling_sphere.lac", 1.5);
    const Real g = 9.81, a = 5.0L / 7.0L * g * std::sin(0.5L);
    const Real x1 = (Real(0.4) - 2.0L / 7.0L * std::tan(0.5L)) / Real(0.1),
               t1 = std::sqrt(2.0L * x1 / a);
    ASSERT_EQ(story(motion), std::vector<std::string>{"slip plane"});
    EXPECT_NEAR(event_times(motion, "slip")[0], near(t1), enough);
    const Real w = std::sqrt(g * std::cos(0.5L) * Real(0.1)),
               xe = (Real(0.4) - std::tan(0.5L)) / Real(0.1), after = 1.5L - t1;
    EXPECT_NEAR(last(motion, "x"),
                near(xe + (x1 - xe) * std::cosh(w * after) + a * t1 / w * std::sinh(w * after)),
                enough);
}

TEST_P(ContactMethods, BallHitsFloorAndCeiling) {
    const Motion motion = go("floor_and_ceiling.lac", 0.2);
    const Real g = 9.81, up = std::sqrt(64.0L - 2.0L * g);
    ASSERT_EQ(story(motion), std::vector<std::string>{"impact ceiling"});
    EXPECT_NEAR(event_times(motion, "impact")[0], near((8.0L - up) / g), enough);
}

// ---- at looser tolerances the motion is less exact, but the same

class ContactTolerances : public testing::TestWithParam<std::tuple<const char*, double>> {};
INSTANTIATE_TEST_SUITE_P(Of, ContactTolerances,
                         testing::Combine(testing::Values("auto", "taylor", "dop853", "dopri5"),
                                          testing::Values(1e-4, 1e-6, 1e-8)));

TEST_P(ContactTolerances, TheBlockRocksAsItShould) {
    const auto [method, tolerance] = GetParam();
    const Motion motion =
        motions::run_well(load("rocking_block.lac"),
                          {.end = 1.5, .every = 0.1, .tolerance = tolerance, .method = method});
    const std::vector<std::string> once{"impact at_right",  "release at_left", "contact at_right",
                                        "stick at_right",   "impact at_left",  "contact at_left",
                                        "release at_right", "stick at_left"};
    EXPECT_EQ(story(motion), once);
    // The energy after two impacts, as above: 9.81 + 2/3 r² w², w² = 2 p (cos(alpha − th0) − cos
    // alpha) (1 − 3/2 sin² alpha)⁴.
    const Real r = std::hypot(Real(0.2), 1.0L), alpha = std::atan2(Real(0.2), 1.0L),
               p = 0.75L * Real(9.81) / r;
    const Real first = 2.0L * p * (std::cos(alpha - Real(0.1)) - std::cos(alpha)),
               sine = std::sin(alpha);
    const Real second = first * std::pow(1.0L - 1.5L * sine * sine, 4.0L);
    EXPECT_NEAR(last(motion, "energy"), near(Real(9.81) + 2.0L / 3.0L * r * r * second),
                100 * tolerance);
}

TEST_P(ContactTolerances, TheBallBouncesAsItShould) {
    const auto [method, tolerance] = GetParam();
    const Motion motion =
        motions::run_well(load("bouncing_ball.lac"),
                          {.end = 5.0, .every = 0.1, .tolerance = tolerance, .method = method});
    ASSERT_EQ(event_times(motion, "settled").size(), 1u);
    EXPECT_NEAR(event_times(motion, "settled")[0], 9.0 * std::sqrt(2.0 / 9.81), 100 * tolerance);
    EXPECT_NEAR(last(motion, "y"), 0.0, tolerance);
}

/// A light mass on a stiff damper, and a heavy one between two walls that it hits: events as at a
/// hundredth of the tolerance.
TEST(StiffContacts, AreForRadau) {
    const Mechanism m = Mechanism::parse(
        "coord x, y\nkinetic x'^2/2 + 1e-6*y'^2/2\npotential 50*(x - y)^2\ndissipation "
        "200*y'^2/2\nforce x = 40*sin(3*t)\n"
        "constraint lo: x >= -0.3 restitution 0.5\nconstraint hi: x <= 0.3 restitution 0.5");
    const Motion stiff = motions::run_well(m, {.end = 4.0, .every = 0.1});
    EXPECT_EQ(stiff.summary.method, "radau");
    EXPECT_LT(stiff.summary.steps, 2000U);
    EXPECT_FALSE(event_times(stiff, "impact").empty());
    const Motion fine =
        motions::run_well(m, {.end = 4.0, .every = 0.1, .tolerance = 1e-12, .method = "radau"});
    const std::vector<double> hits = event_times(fine, "impact");
    expect_times(event_times(stiff, "impact"), {hits.begin(), hits.end()}, 1e-7);
}

/// A block slides over a rough floor between two walls, held by a dashpot to a drive. Its speed
/// follows the drive but for friction: u − µ m g/c.
TEST(StiffContacts, BesideSlidingFrictionTheyAreForRadauToo) {
    for (const auto& [c, mu] : {std::pair{1e6, 0.3}, {4e5, 0.15}}) {
        const Mechanism m = Mechanism::parse(
            "param c = 1, mu = 0.3\ncoord x, y\nparticle p at (x, y) mass 1\ngravity (0, -10)\n"
            "constraint f: y >= 0 friction mu\nconstraint l: x >= -5\nconstraint r: x <= 5\n"
            "force x = -c*(x' - 0.5 - t/10)\nstart x' = 0.5, x = -4",
            "block", {{"c", c}, {"mu", mu}});
        const Motion motion = motions::run_well(m, {.end = 4.0, .every = 0.1});
        EXPECT_EQ(motion.summary.method, "radau");
        EXPECT_LT(motion.summary.steps, 500U);
        EXPECT_NEAR(last(motion, "x'"), 0.9 - (10.0 * mu + 0.1) / c, 1e-9);
    }
}

TEST_P(ContactTolerances, TheLadderLeavesItsWallOnce) {
    const auto [method, tolerance] = GetParam();
    const Motion motion = motions::run_well(
        load("ladder.lac"), {.end = 1.0, .every = 0.1, .tolerance = tolerance, .method = method});
    // x' from then on, as above.
    const Real sine = std::sin(Real(1.2));
    EXPECT_NEAR(last(motion, "x'"), near(2.0L / 3.0L * sine * std::sqrt(0.5L * Real(9.81) * sine)),
                100 * tolerance);
    const std::vector<std::string> events = story(motion);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.front(), "release wall");
    EXPECT_EQ(events.back(), "event down");
    EXPECT_EQ(events.size(), 2u);
}

TEST_P(ContactTolerances, TheOscillatorTurnsFourTimes) {
    const auto [method, tolerance] = GetParam();
    const Motion motion =
        motions::run_well(load("rough_oscillator.lac"),
                          {.end = 6.0, .every = 0.1, .tolerance = tolerance, .method = method});
    EXPECT_EQ(event_times(motion, "slip").size(), 4u);
    EXPECT_EQ(event_times(motion, "stick").size(), 1u);
    EXPECT_NEAR(last(motion, "x"), -(1.0 - 10.0 * 0.0981), 100 * tolerance);
}

}  // namespace
}  // namespace lacon::contacts
