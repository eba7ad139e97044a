// Bodies with corners and ends: they slide, tip, fall and come to rest.
#include "contact/contact_tests.hpp"

namespace lacon::contacts {
namespace {

double total(const Evaluation& at, const std::string& contact, int count) {
    double sum = 0;
    for (int i = 1; i <= count; ++i)
        sum += row(at, contact + "[" + std::to_string(i) + "]").multiplier;
    return sum;
}

const std::string block = R"(
    param slope = 0.5, mu = 0.3, b = 0.4, h = 1
    gravity (0, -10)
    body crate planar shape rectangle (b, h) density 7
    body ground shape line turned -slope
    contact crate with ground friction mu
    start crate_x = h/2*sin(slope), crate_y = h/2*cos(slope), crate_angle = -slope
    start crate_x' = 0, crate_y' = 0, crate_angle' = 0)";

double acceleration(const Mechanism& m, const Evaluation& at, const std::string& name) {
    const auto& names = m.coordinates();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return at.solution.acceleration[i];
    ADD_FAILURE() << "no coordinate " << name;
    return NAN;
}

TEST(Resting, ABlockSlidesOrTipsAsItsShapeAndFrictionSay) {
    // Wide and smooth: slides with g (sin − μ cos).
    const Mechanism wide = Mechanism::parse(block, "block", {{"b", 1.0}});
    const Evaluation slides = wide.evaluate(wide.start().state);
    ASSERT_TRUE(slides.status) << slides.status.message;
    const double s = std::sin(0.5), c = std::cos(0.5);
    EXPECT_NEAR(acceleration(wide, slides, "crate_x"), 10 * (s - 0.3 * c) * c, exact);
    EXPECT_NEAR(acceleration(wide, slides, "crate_angle"), 0, exact);
    EXPECT_NEAR(total(slides, "crate_on_ground", 4), 70 * c, 70 * exact);
    // Slender and rough: tips about its lower corner with 3 g (h sin − b cos)/(2 (b² + h²)).
    const Mechanism slender = Mechanism::parse(block, "block", {{"mu", 2.0}});
    const Evaluation tips = slender.evaluate(slender.start().state);
    ASSERT_TRUE(tips.status) << tips.status.message;
    EXPECT_NEAR(acceleration(slender, tips, "crate_angle"), -1.5 * 10 * (s - 0.4 * c) / (0.16 + 1),
                exact);
    EXPECT_EQ(row(tips, "crate_on_ground[2]").friction_state, "sticks");
    EXPECT_EQ(row(tips, "crate_on_ground[1]").contact, "open");
}

/// On a smooth floor the centre falls straight down: with f the angle from upright, y = (h cos f +
/// b sin f)/2, m g (y0 − y) = m y'²/2 + I f'²/2 with I = m (b² + h²)/12.
TEST(Resting, ARodFallsOnItsSmoothEnd) {
    const Motion motion = run_contacts(Mechanism::parse(R"(
        param b = 0.1, h = 2
        gravity (0, -10)
        body rod planar shape rectangle (b, h) density 1
        body ground shape line
        contact rod with ground
        start rod_angle = -0.3, rod_x = 0, rod_y = h/2*cos(0.3) + b/2*sin(0.3)
        event low: rod_angle = -1.2 stop
        output f = -rod_angle, rate = -rod_angle', at = rod_x)"),
                                       {.end = 3.0, .every = 0.1});
    const Real b = 0.1L, h = 2.0L, f = 1.2L;
    const auto y = [&](Real angle) { return (h * std::cos(angle) + b * std::sin(angle)) / 2; };
    const Real slope = (b * std::cos(f) - h * std::sin(f)) / 2;
    const Real square = 20.0L * (y(0.3L) - y(f)) / (slope * slope + (b * b + h * h) / 12);
    EXPECT_NEAR(last(motion, "rate"), near(std::sqrt(square)), exact);
    EXPECT_NEAR(last(motion, "at"), 0, exact);
}

TEST(Resting, ABoxDroppedOnItsCornerComesToRestUnderItsWeight) {
    const Mechanism m = motions::load("bodies/resting_box.lac");
    const Motion motion = run_contacts(m, {.end = 3.0, .every = 0.1});
    const double weight = m.parameter("mass") * m.parameter("g");
    EXPECT_NEAR(last(motion, "press"), weight, 1e-9 * weight);
    EXPECT_NEAR(last(motion, "height"), 0.15, exact);
    for (const double v : motion.summary.final.v) EXPECT_NEAR(v, 0, 1e-9);
}

TEST(Resting, ACapsuleComesToRestFlat) {
    const Mechanism m = Mechanism::parse(R"(
        gravity (0, 0, -10)
        body pill shape capsule 0.1, 0.6 mass 3
        body ground shape plane
        contact pill with ground
        start pill_z = 0.8, pill_qw = cos(0.6), pill_qx = 0, pill_qy = sin(0.6), pill_qz = 0
        output height = pill.center.z, lean = pill.direction(0, 0, 1).z
        output press = pill_on_ground[1].multiplier + pill_on_ground[2].multiplier)");
    const Motion motion = run_contacts(m, {.end = 3.0, .every = 0.1});
    EXPECT_NEAR(last(motion, "height"), 0.1, exact);
    EXPECT_NEAR(last(motion, "lean"), 0, exact);
    EXPECT_NEAR(last(motion, "press"), 30, 30 * exact);
}

/// About its edge f'² = 3 g/(b² + h²) (U(lean) − U(f)) with U(f) = h cos f + b sin f; with f = lean
/// + s² the time is the integral of 2 s/f', which is smooth.
TEST(Resting, TheFirstDominoReachesTheSecondInTime) {
    const Mechanism m = motions::load("bodies/dominoes.lac");
    const Motion motion = run_contacts(m, {.end = 0.06, .every = 0.01});
    const Real b = m.parameter("b"), h = m.parameter("h"), r = m.parameter("r"),
               lean = m.parameter("lean"), g = m.parameter("g"), gap = m.parameter("gap");
    const auto way = [&](Real f) { return (h - r) * std::sin(f) + r * (1 - std::cos(f)) - gap; };
    Real low = lean, high = 1.0L;
    for (int i = 0; i < 100; ++i) (way((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
    const auto slowness = [&](Real s) {
        // U(lean) − U(lean + x) with x = s², without cancellation
        const Real half = s * s / 2, sinc = half == 0 ? 1 : std::sin(half) / half;
        const Real drop = sinc * (h * std::sin(lean + half) - b * std::cos(lean + half));
        return 2 / std::sqrt(3 * g / (b * b + h * h) * drop);
    };
    const std::vector<double> impacts = event_times(motion, "impact");
    ASSERT_FALSE(impacts.empty());
    EXPECT_NEAR(impacts[0], near(integral(slowness, 0.0L, std::sqrt(low - lean))), exact);
}

TEST(Resting, ACoinThatLiesStandsOnThePointsOfItsRim) {
    const Mechanism m = Mechanism::parse(R"(
        gravity (0, 0, -10)
        body coin shape cylinder 0.2, 0.02 mass 1
        body ground shape plane
        contact coin with ground points 6
        start coin_z = 0.01, coin_qw = 1, coin_qx = 0, coin_qy = 0)");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(total(at, "coin_on_ground", 12), 10, 10 * exact);
    EXPECT_FALSE(at.forces_unique);
}

TEST(Resting, ACoinThatLiesFlatOnItsRimIsSaidToBeSingular) {
    const Mechanism m = Mechanism::parse(R"(
        gravity (0, 0, -10)
        body coin shape cylinder 0.2, 0.02 mass 1
        body ground shape plane
        contact coin with ground
        start coin_z = 0.01, coin_qw = 1, coin_qx = 0, coin_qy = 0)");
    const Evaluation at = m.evaluate(m.start().state);
    EXPECT_EQ(name_of(at.status.outcome), "undefined");
}

TEST(Resting, BallsInABoxTouchTheFloorAndEachOther) {
    // Three balls over each other, a little askew: pairs of a family.
    const Mechanism m = Mechanism::parse(R"(
        gravity (0, 0, -10)
        body ball[i] shape sphere 0.1*i density 1000 for i in 1..3
        body ground shape plane
        contact ball[i] with ground for i in 1..3
        contact ball[i] with ball[j] restitution 0.5 for i in 1..3, j in i+1..3
        start ball_x[i] = i, ball_y[i] = 0, ball_z[i] = 0.1*i for i in 1..3
        output ball_on_ground[3].force, ball_on_ball[1,2].force)");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(row(at, "ball_on_ground[2]").multiplier, 10 * 4.0 / 3 * std::acos(-1.0) * 8, 1e-9);
    EXPECT_EQ(row(at, "ball_on_ball[1,3]").contact, "open");
}

/// Two planes of one ground, and a slope that moves: a wedge on a floor.
TEST(Resting, ABallPushesAWedgeAside) {
    // Smooth: the wedge goes with a = g sin cos m/(M + m sin²).
    const Mechanism m = Mechanism::parse(R"(
        param s = 0.5
        gravity (0, 0, -10)
        body wedge mass 4 inertia (1, 1, 1) shape plane turned rotation((0, 1, 0), s)
        joint rail: prismatic ground to wedge axis (1, 0, 0)
        body ball shape sphere 0.1 mass 2
        contact ball with wedge
        start ball_x = 0.1*sin(s), ball_y = 0, ball_z = 0.1*cos(s), rail = 0
        start ball_x' = 0, ball_y' = 0, ball_z' = 0, rail' = 0)");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    const double s = std::sin(0.5), c = std::cos(0.5);
    EXPECT_NEAR(acceleration(m, at, "rail"), -10 * s * c * 2 / (4 + 2 * s * s), exact);
}

}  // namespace
}  // namespace lacon::contacts
