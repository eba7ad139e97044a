// What `verify` states of a motion against what is true.

#include "known_motions.hpp"

namespace lacon::motions {
namespace {

const Verification::Value& value_of(const Verification& v, const std::string& name) {
    for (const auto* values : {&v.final, &v.outputs})
        for (const Verification::Value& value : *values)
            if (value.name == name) return value;
    throw std::out_of_range(name);
}

class Verified : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Verified,
                         testing::Values("taylor", "dop853", "dopri5", "adams", "bdf"),
                         [](const auto& i) { return i.param; });

TEST_P(Verified, StatedErrorsAreWithinAFactorOfTenOfTheTrueOnes) {
    for (const Known& known : known_motions()) {
        const Mechanism m = Mechanism::parse(known.text);
        for (const double tolerance : {1e-5, 1e-8, 1e-11}) {
            const Motion motion = run_well(m, {.end = known.end,
                                               .every = known.end / 200.0,
                                               .tolerance = tolerance,
                                               .method = GetParam(),
                                               .verify = true});
            ASSERT_TRUE(motion.summary.verification);
            for (const auto& [name, exact] : known.values) {
                const Verification::Value& stated = value_of(*motion.summary.verification, name);
                const double error = near(std::abs(last(motion, name) - exact)),
                             rounding = 1e-13 * stated.size;
                EXPECT_LE(stated.error, 10.0 * error + rounding)
                    << known.name << ", " << name << " at " << tolerance;
                EXPECT_GE(10.0 * stated.error + rounding, error)
                    << known.name << ", " << name << " at " << tolerance;
            }
        }
    }
}

TEST(Verify, RoundingIsStatedWhereItIsAllThereIs) {
    for (const Known& known : known_motions()) {
        const Motion motion = run_well(
            Mechanism::parse(known.text),
            {.end = known.end, .every = known.end / 100.0, .tolerance = 1e-15, .verify = true});
        for (const auto& [name, exact] : known.values) {
            const Verification::Value& stated = value_of(*motion.summary.verification, name);
            const double error = near(std::abs(last(motion, name) - exact));
            EXPECT_GE(20.0 * stated.error, error) << known.name << ", " << name;
            EXPECT_LE(stated.error, 1e-10 * stated.size) << known.name << ", " << name;
        }
    }
}

// x'' = (1 − cos(w t)) 1e8 is all cancellation. Taylor steps take the rounding at their begin for
// the whole step.
TEST(Verify, CancellationInAFewLongStepsIsSeen) {
    const Mechanism m =
        Mechanism::parse("coord x\nkinetic x'^2/2\nforce x = (1 - cos(1e-4*t))*1e8\n");
    for (const long double end : {10.0L, 17.3L, 6.1L}) {
        const Motion motion = run_well(m, {.end = static_cast<double>(end), .verify = true});
        const long double w = 1e-4L, half = std::sin(w * end / 2);
        const double exact =  // t²/2 − (1 − cos(w t))/w²
            near(1e8L * (end * end / 2 - 2 * half * half / (w * w)));
        const double error = std::abs(last(motion, "x") - exact),
                     stated = value_of(*motion.summary.verification, "x").error;
        EXPECT_GE(10.0 * stated, error) << near(end);
        EXPECT_LE(stated, 10.0 * error) << near(end);
    }
}

TEST(Verify, TheMotionItselfStaysAsItIs) {
    const Mechanism m = load("double_pendulum.lac");
    const RunOptions options{.end = 3.0, .every = 0.1};
    RunOptions verified = options;
    verified.verify = true;
    const Motion one = run_well(m, options), two = run_well(m, verified);
    EXPECT_EQ(one.columns, two.columns);
    EXPECT_FALSE(one.summary.verification);
}

TEST(Verify, ChaosIsToldWithTheTimeUntilWhichDigitsLast) {
    const Mechanism m = Mechanism::parse(R"(coord x1, y1, x2, y2
        particle a at (x1, y1) mass 1
        particle b at (x2, y2) mass 1
        gravity (0, -9.81)
        constraint one: x1^2 + y1^2 = 1
        constraint two: (x2 - x1)^2 + (y2 - y1)^2 = 1
        start x1 = 1, y1 = 0, x2 = 1, y2 = 1, x1' = 0, y1' = 0, x2' = 0, y2' = 0)");
    const RunOptions rough{.end = 40.0, .every = 0.1, .tolerance = 1e-8, .verify = true};
    RunOptions fine = rough;
    fine.tolerance = 1e-13;
    fine.verify = false;
    const Motion motion = run_well(m, rough), truth = run_well(m, fine);
    const Verification& v = *motion.summary.verification;
    ASSERT_FALSE(v.lasts);
    EXPECT_LT(v.digits, 3.0);
    // Up to that time the motion agrees with a much more accurate one to about so many digits, and
    // not long after.
    double before = 0.0, behind = 0.0;
    const auto& t = motion.column("t");
    for (std::size_t i = 0; i < t.size(); ++i) {
        const double apart = std::abs(motion.column("x2")[i] - truth.column("x2")[i]);
        if (t[i] < v.until - 0.5) before = std::max(before, apart);
        if (t[i] < v.until + 8.0) behind = std::max(behind, apart);
    }
    EXPECT_LE(before, 1e-2);
    EXPECT_GE(behind, 1e-2);
}

TEST(Verify, AHeldStartOnAMovingConstraintIsVerified) {
    // The second run begins some last places later, where the held values do not meet c.
    const Mechanism m = Mechanism::parse(R"(coord x, a
        particle p at (x, 0) mass 2
        kinetic a'^2
        potential 3*x^2
        constraint motor: a = 5*t + 0.3
        constraint slot: x - 0.4*cos(a) = 0
        start x = 0.4*cos(0.3), a = 0.3, a' = 5)");
    for (const char* method : {"taylor", "dop853"}) {
        const Motion motion =
            run_well(m, {.end = 20.0, .every = 1.0, .method = method, .verify = true});
        const Verification& v = *motion.summary.verification;
        EXPECT_EQ(v.trouble, "") << method;
        EXPECT_TRUE(v.lasts) << method << ", " << v.until;
        EXPECT_GE(v.digits, 10.0) << method;
    }
}

TEST(Verify, AStructureAtRestKeepsItsDigits) {
    // Nothing can move; velocities of 1e-44 are what the projection leaves.
    const Motion motion = run_well(Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 3
        gravity (0.3, -9.81)
        constraint a: hypot(x, y) = 1.1
        constraint b: hypot(x - 1.3, y) = 0.9
        start x ~ 0.7, y ~ -0.7)"),
                                   {.end = 4.0, .every = 1.0, .verify = true});
    const Verification& v = *motion.summary.verification;
    EXPECT_TRUE(v.lasts) << v.until;
    EXPECT_GE(v.digits, 12.0);
}

TEST(Verify, TimesOfEventsAreComparedToo) {
    const Mechanism m = Mechanism::parse(
        "param w = 1.3\ncoord x\nparticle p at (x, 0) mass 1\nforce x = -w^2*x\n"
        "start x = 1, x' = 0\nevent zero: x\n");
    const Motion motion = run_well(m, {.end = 20.0, .tolerance = 1e-7, .verify = true});
    const Verification& v = *motion.summary.verification;
    EXPECT_EQ(v.events, motion.summary.events.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < motion.summary.events.size(); ++i)
        worst = std::max(worst, std::abs(motion.summary.events[i].t -
                                         (0.5 + static_cast<double>(i)) * M_PI / 1.3));
    EXPECT_LE(v.event_time_error, 10.0 * worst);
    EXPECT_GE(10.0 * v.event_time_error, worst);
}

TEST(Verify, AMotionThatAnEventStopsIsComparedAtItsEnd) {
    const Mechanism m = Mechanism::parse(
        "coord y\nparticle p at (0, y) mass 1\nforce y = -9.81 - 0.1*y'\nstart y = 10, y' = 0\n"
        "event ground: y stop\n");
    const Motion motion =
        run_well(m, {.end = 20.0, .tolerance = 1e-6, .method = "dop853", .verify = true});
    ASSERT_EQ(motion.summary.verification->final.size(), 2U);
    EXPECT_LT(motion.summary.final.t, 2.0);
    EXPECT_LT(value_of(*motion.summary.verification, "y'").error, 1e-4);
}

TEST(Verify, ImpactsAndOutputsAreVerified) {
    // Three bounces of a ball with restitution 0.8: times and heights in closed form.
    const Mechanism m = Mechanism::parse(
        "coord y\nparticle p at (0, y) mass 1\ngravity (0, -9.81)\n"
        "constraint floor: y >= 0 restitution 0.8\nstart y = 1, y' = 0\noutput energy\n");
    const Motion motion = run_well(m, {.end = 2.0, .every = 0.01, .verify = true});
    const Verification& v = *motion.summary.verification;
    EXPECT_TRUE(v.lasts);
    EXPECT_EQ(v.trouble, "");
    EXPECT_GE(v.digits, 12.0);
    ASSERT_EQ(v.outputs.size(), 1U);
    EXPECT_EQ(v.outputs[0].name, "energy");
}

TEST(Verify, ABilliardThatLosesItsDigitsSaysSo) {
    // Free flight is exact at any tolerance: only rounding parts the two motions, tenfold at each
    // of the hits of the disc.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle P at (x, y) mass 1
        constraint disc: hypot(x, y) >= 0.5 restitution 1
        constraint left: x >= -1 restitution 1
        constraint right: x <= 1 restitution 1
        constraint below: y >= -1 restitution 1
        constraint above: y <= 1 restitution 1
        start x = 0.75, y = 0.125, x' = 0.4375, y' = 0.71875)");
    const Verification some = *run_well(m, {.end = 20.0, .verify = true}).summary.verification;
    EXPECT_GE(value_of(some, "x").error, 1e-10);  // the truth, at 120 digits: 9.8e-10
    EXPECT_LE(value_of(some, "x").error, 1e-8);
    const Verification none = *run_well(m, {.end = 60.0, .verify = true}).summary.verification;
    EXPECT_FALSE(none.lasts);
    EXPECT_LT(none.until, 45.0);
}

TEST(Verify, AFixedStepIsComparedWithAnAccurateMotion) {
    const Known known = known_motions()[0];
    for (const char* method : {"rk4", "gauss"}) {
        const Motion motion = run_well(
            Mechanism::parse(known.text),
            {.end = known.end, .every = 0.2, .method = method, .step = 0.1, .verify = true});
        const Verification::Value& stated = value_of(*motion.summary.verification, "x");
        const double error = near(std::abs(last(motion, "x") - known.values[0].second));
        EXPECT_LE(stated.error, 10.0 * error) << method;
        EXPECT_GE(10.0 * stated.error, error) << method;
    }
}

}  // namespace
}  // namespace lacon::motions
