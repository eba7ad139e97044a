// Impacts with closed forms: balls on floors, between floor and ceiling, and in rows.

#include <algorithm>
#include <array>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

// ---- a ball on a floor

const std::string ball_text = R"(param e = 0.8, h = 1, g = 9.81, y0 = 0
    coord y
    particle ball at (0, y) mass 1
    gravity (0, -g)
    constraint floor: y >= y0 restitution e
    start y = y0 + h
    output floor.force, energy)";

/// From the height h the first impact is at t1 = sqrt(2 h/g) with the speed g t1; each later flight
/// lasts e times as long as the one before: impacts at t1 (1 + 2 e + … + 2 e^n), all of them before
/// t1 (1 + e)/(1 − e).
struct Ball {
    Real e, h, g = 9.81;
    Real first() const { return std::sqrt(2.0L * h / g); }
    Real impact(std::size_t n) const {  // n from 0
        Real sum = 1.0L, power = 1.0L;
        for (std::size_t i = 0; i < n; ++i) sum += 2.0L * (power *= e);
        return first() * sum;
    }
    Real rest() const { return first() * (1.0L + e) / (1.0L - e); }
    Real height(Real t) const {
        Real begin = -first(), speed = g * first();  // of the flight that contains t
        for (Real length = 2.0L * first(); t >= begin + length; length *= e) {
            if (length < 1e-12L) return 0.0L;
            begin += length;
            speed *= e;
        }
        return speed * (t - begin) - 0.5L * g * (t - begin) * (t - begin);
    }
};

class Bounces : public testing::TestWithParam<std::array<double, 3>> {};

TEST_P(Bounces, EveryImpactAndTheEndOfAllAreInTime) {
    const auto [e, h, y0] = GetParam();
    const Ball ball{e, h};
    const Mechanism m = Mechanism::parse(ball_text, "ball", {{"e", e}, {"h", h}, {"y0", y0}});
    const double end = near(ball.rest()) + 1.0;
    const Motion motion = run_contacts(m, {.end = end, .every = end / 500.0});
    const std::vector<double> impacts = event_times(motion, "impact", "floor");
    ASSERT_GE(impacts.size(), 5u);
    double worst = 0.0;
    for (std::size_t i = 0; i < impacts.size(); ++i)
        worst = std::max(
            worst, std::abs(impacts[i] - near(ball.impact(i))) / std::max(1.0, near(ball.rest())));
    EXPECT_LE(worst, exact) << "over " << impacts.size() << " impacts";
    const std::vector<double> settled = event_times(motion, "settled", "floor");
    ASSERT_EQ(settled.size(), 1u);
    EXPECT_NEAR(settled[0], near(ball.rest()), exact * std::max(1.0, near(ball.rest())));
    EXPECT_LE(worst_error(motion, "y", [&](Real t) { return Real(y0) + ball.height(t); }),
              exact * std::max(1.0, std::abs(y0) + h));
    EXPECT_NEAR(last(motion, "y"), y0, 1e-14 * std::max(1.0, std::abs(y0)));
    EXPECT_EQ(last(motion, "y'"), 0.0);
    EXPECT_NEAR(last(motion, "floor.force"), 9.81, 1e-13);
    // All of the energy goes into the impacts.
    EXPECT_NEAR(motion.summary.contact.lost.at("floor"), 9.81 * h, exact * std::max(1.0, h));
    EXPECT_EQ(story(motion).back(), "settled floor");
}
INSTANTIATE_TEST_SUITE_P(Of, Bounces,
                         testing::Values(std::array{0.5, 1.0, 0.0}, std::array{0.8, 1.0, 0.0},
                                         std::array{0.95, 1.0, 0.0}, std::array{0.5, 7.0, 0.0},
                                         std::array{0.8, 0.2, 0.0}, std::array{0.95, 3.0, 0.0},
                                         std::array{0.5, 1.0, 2.5}, std::array{0.8, 1.0, -0.3},
                                         std::array{0.95, 2.0, 2.5}, std::array{0.8, 1.0, 10.0}));

TEST(BouncingBall, TheModelBouncesAsItsCommentSays) {
    const Motion motion = run_contacts(load("bouncing_ball.lac"), {.end = 5.0});
    const Ball ball{0.8, 1.0L};
    EXPECT_EQ(event_times(motion, "settled").size(), 1u);
    EXPECT_NEAR(event_times(motion, "settled").at(0), near(ball.rest()), exact);
    EXPECT_EQ(motion.summary.contact.law, "simultaneous");
}

TEST(BouncingBall, WithoutRestitutionItRestsAtOnce) {
    for (const double y0 : {0.0, 2.5}) {
        const Ball ball{0.0L, 1.0L};
        const Motion motion = run_contacts(
            Mechanism::parse(ball_text, "ball", {{"e", 0.0}, {"y0", y0}}), {.end = 2.0});
        EXPECT_EQ(story(motion), (std::vector<std::string>{"impact floor", "contact floor"}));
        for (const MotionEvent& event : motion.summary.events)
            EXPECT_NEAR(event.t, near(ball.first()), exact);
        EXPECT_LE(worst_error(motion, "y",
                              [&](Real t) {
                                  return y0 + std::max(0.0L, 1.0L - 0.5L * Real(9.81) * t * t);
                              }),
                  exact);
        EXPECT_NEAR(last(motion, "floor.force"), 9.81, 1e-13);
        EXPECT_NEAR(motion.summary.contact.lost.at("floor"), 9.81, 1e-12);
    }
}

TEST(BouncingBall, WithFullRestitutionAThousandBouncesKeepTheEnergy) {
    const Ball ball{1.0L, 1.0L};
    const double end = near(ball.impact(1000)) - 0.1;
    const Motion motion = run_contacts(Mechanism::parse(ball_text, "ball", {{"e", 1.0}}),
                                       {.end = end, .every = end / 100});
    const std::vector<double> impacts = event_times(motion, "impact", "floor");
    ASSERT_EQ(impacts.size(), 1000u);
    // An error of speed of one unit in the last place at every impact shifts the last one by
    // 1000²/2 of them: 1e-10.
    for (std::size_t i = 0; i < impacts.size(); ++i)
        EXPECT_NEAR(impacts[i] / near(ball.impact(i)), 1.0, exact) << i;
    EXPECT_LE(motion.summary.worst.energy / 9.81, 1e-12);  // 1000 roundings
    EXPECT_TRUE(event_times(motion, "settled").empty());
    EXPECT_NEAR(motion.summary.contact.lost.at("floor"), 0.0, 1e-12);
}

TEST(BouncingBall, BelowItsFloorItCannotStart) {
    const Mechanism m = Mechanism::parse(
        "coord y\nparticle p at (0, y) mass 1\nconstraint floor: y >= 1\nstart y = 0");
    const Start start = m.start();
    EXPECT_EQ(start.status.outcome, Outcome::no_start) << start.status.message;
    // A guess moves to the floor, and no further.
    const Mechanism guess = Mechanism::parse(
        "coord y\nparticle p at (0, y) mass 1\nconstraint floor: y >= 1\nstart y ~ 0");
    ASSERT_TRUE(guess.start().status) << guess.start().status.message;
    EXPECT_NEAR(guess.start().state.q[0], 1.0, 1e-14);
    const Mechanism above = Mechanism::parse(
        "coord y\nparticle p at (0, y) mass 1\nconstraint floor: y >= 1\nstart y ~ 3");
    EXPECT_EQ(above.start().state.q[0], 3.0);
}

TEST(BouncingBall, AnImpactAtTheStartIsTheFirstEvent) {
    const Mechanism m = Mechanism::parse(R"(coord y
        particle ball at (0, y) mass 1
        gravity (0, -9.81)
        constraint floor: y >= 0 restitution 0.5
        start y = 0, y' = -4)");
    const Motion motion = run_contacts(m, {.end = 0.3, .every = 0.1});
    ASSERT_EQ(story(motion), std::vector<std::string>{"impact floor"});
    EXPECT_EQ(motion.summary.events[0].t, 0.0);
    EXPECT_NEAR(last(motion, "y'"), 2.0 - 9.81 * 0.3, 1e-13);
}

// ---- floor and ceiling (models/floor_and_ceiling.lac)

TEST(FloorAndCeiling, TwentyImpactsAreInTime) {
    const Mechanism m = load("floor_and_ceiling.lac");
    const Real e = 0.9, h = 1.0L, g = 9.81;
    std::vector<Real> times;
    std::vector<std::string> names;
    Real u = 8.0L, now = 0.0L, energy = 0.0L;  // speed upwards at the floor
    while (times.size() < 20) {
        if (u * u > 2.0L * g * h) {  // up to the ceiling, and down again
            const Real up = std::sqrt(u * u - 2.0L * g * h),
                       down = std::sqrt(e * e * up * up + 2.0L * g * h);
            times.push_back(now += (u - up) / g);
            names.push_back("impact ceiling");
            times.push_back(now += (down - e * up) / g);
            u = e * down;
        } else {
            times.push_back(now += 2.0L * u / g);
            u *= e;
        }
        names.push_back("impact floor");
        energy = 0.5L * u * u;
    }
    const double end = near(now) + 0.01;
    const Motion motion = run_contacts(m, {.end = end, .every = end});
    EXPECT_EQ(story(motion), names);
    expect_times(event_times(motion, "impact"), times);
    EXPECT_NEAR(last(motion, "energy"), near(energy), exact);
    const auto& lost = motion.summary.contact.lost;
    EXPECT_NEAR(lost.at("floor") + lost.at("ceiling"), near(32.0L - energy), 10 * exact);
}

// ---- balls in a row (models/cradle.lac)

using Three = std::array<Real, 3>;

Real momentum(const Three& m, const Three& v) {
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
}

/// One impact at the contacts that do not part: of the sets of them that may push, with impulses p
/// ≥ 0, the one whose velocities after part at least as fast as restitution asks, exactly so where
/// it pushes.
Three together(const Three& m, const Three& v, Real e) {
    const Real before[] = {v[1] - v[0], v[2] - v[1]};
    // Parting speeds after: before + G p.
    const Real G[2][2] = {{1.0L / m[0] + 1.0L / m[1], -1.0L / m[1]},
                          {-1.0L / m[1], 1.0L / m[1] + 1.0L / m[2]}};
    const bool in[] = {before[0] <= 1e-15L, before[1] <= 1e-15L};
    for (int set = 0; set < 4; ++set) {
        if ((set % 2 == 1 && !in[0]) || (set / 2 == 1 && !in[1])) continue;
        Real p[2] = {0.0L, 0.0L};
        const Real r[] = {-(1.0L + e) * before[0], -(1.0L + e) * before[1]};
        if (set == 1) p[0] = r[0] / G[0][0];
        if (set == 2) p[1] = r[1] / G[1][1];
        if (set == 3) {
            const Real det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
            p[0] = (r[0] * G[1][1] - G[0][1] * r[1]) / det;
            p[1] = (G[0][0] * r[1] - G[1][0] * r[0]) / det;
        }
        bool meets = p[0] >= 0.0L && p[1] >= 0.0L;
        for (int i = 0; i < 2; ++i)
            meets = meets && (!in[i] || G[i][0] * p[0] + G[i][1] * p[1] >= r[i] - 1e-15L);
        if (meets) return {v[0] - p[0] / m[0], v[1] + (p[0] - p[1]) / m[1], v[2] + p[1] / m[2]};
    }
    ADD_FAILURE() << "no set of contacts";
    return v;
}

/// A contact that parted may be met again at the same moment, by what the first impact has done.
Three simultaneous(const Three& m, Three v, Real e) {
    while (v[1] - v[0] < -1e-9L || v[2] - v[1] < -1e-9L) v = together(m, v, e);
    return v;
}

/// Pair after pair, the fastest approach first.
Three sequential(const Three& m, Three v, Real e) {
    while (true) {
        const Real apart[] = {v[1] - v[0], v[2] - v[1]};
        const int i = apart[0] <= apart[1] ? 0 : 1;
        if (apart[i] >= -1e-9L) return v;
        const Real p = -(1.0L + e) * apart[i] / (1.0L / m[i] + 1.0L / m[i + 1]);
        v[i] -= p / m[i];
        v[i + 1] += p / m[i + 1];
    }
}

Real kinetic(const Three& m, const Three& v) {
    return 0.5L * (m[0] * v[0] * v[0] + m[1] * v[1] * v[1] + m[2] * v[2] * v[2]);
}

/// The velocities right after balls that touch have met, as a run with one impact at its begin
/// gives them.
void expect_row(const Three& m, const Three& v, Real e, const std::string& law,
                const Three& expected) {
    const Mechanism row =
        Mechanism::parse(R"(param e = 1, m1 = 1, m2 = 1, m3 = 1, v1 = 1, v2 = 0, v3 = 0
        coord x[1..3]
        kinetic (m1*x[1]'^2 + m2*x[2]'^2 + m3*x[3]'^2)/2
        constraint touch[i]: x[i+1] - x[i] >= 1 restitution e for i in 1..2
        start x[i] = i for i in 1..3
        start x[1]' = v1, x[2]' = v2, x[3]' = v3
        output energy)",
                         "row",
                         {{"e", near(e)},
                          {"m1", near(m[0])},
                          {"m2", near(m[1])},
                          {"m3", near(m[2])},
                          {"v1", near(v[0])},
                          {"v2", near(v[1])},
                          {"v3", near(v[2])}});
    const Motion motion = run_contacts(row, {.end = 1e-3, .every = 1e-3, .impacts = law});
    EXPECT_EQ(motion.summary.contact.law, law);
    Three after;
    for (std::size_t i = 0; i < 3; ++i) after[i] = motion.summary.final.v[i];
    const std::string what = law + " e = " + std::to_string(near(e)) +
                             " v = " + std::to_string(near(v[0])) + ", " +
                             std::to_string(near(v[1])) + ", " + std::to_string(near(v[2]));
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(near(after[i]), near(expected[i]), 1e-13) << what << ": ball " << i + 1;
    EXPECT_NEAR(near(momentum(m, after)), near(momentum(m, v)), 1e-13) << what;
    Real lost = 0.0L;
    for (const auto& [name, energy] : motion.summary.contact.lost) lost += energy;
    EXPECT_NEAR(near(lost), near(kinetic(m, v) - kinetic(m, expected)), 1e-13) << what;
}

TEST(Cradle, TheTwoLawsGiveTheirTwoAnswers) {
    const Mechanism m = load("cradle.lac");
    // The first ball has 4 R − 2 R = 1 to go at speed 1.
    for (const auto& [law, expected] :
         {std::pair{std::string("simultaneous"), std::array{-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}},
          std::pair{std::string("sequential"), std::array{0.0, 0.0, 1.0}}}) {
        const Motion motion = run_contacts(m, {.end = 3.0, .impacts = law});
        EXPECT_EQ(motion.summary.contact.law, law);
        ASSERT_EQ(event_times(motion, "impact").size(), 1u) << law;
        EXPECT_NEAR(event_times(motion, "impact")[0], 1.0, 1e-13);
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(motion.summary.final.v[i], expected[i], 1e-14) << law << i;
        const std::array met{-1.0, 0.0, 1.0};
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(motion.summary.final.q[i], met[i] + 2.0 * expected[i], 1e-12) << law << i;
        EXPECT_LE(worst_error(motion, "momentum", [](Real) { return 1.0L; }), 1e-14);
        EXPECT_LE(worst_error(motion, "energy", [](Real) { return 0.5L; }), 1e-14);
    }
}

TEST(Cradle, TheLawCanStandInTheModel) {
    const std::string row = R"(coord x[1..3]
        kinetic x[i]'^2/2 for i in 1..3
        constraint touch[i]: x[i+1] - x[i] >= 1 restitution 1 for i in 1..2
        start x[i] = i for i in 1..3
        start x[1]' = 1
        simulate 0..1 impacts sequential)";
    const Motion motion = run_contacts(Mechanism::parse(row), {});
    EXPECT_EQ(motion.summary.contact.law, "sequential");
    EXPECT_NEAR(motion.summary.final.v[2], 1.0, 1e-14);
    EXPECT_EQ(run(Mechanism::parse(row), {.impacts = "simultaneous"}).summary.contact.law,
              "simultaneous");
    EXPECT_THROW(run(Mechanism::parse(row), {.impacts = "random"}), std::invalid_argument);
}

TEST(Cradle, UnequalBallsObeyTheSimultaneousLaw) {
    for (const Three& m : {Three{1.0L, 1.0L, 1.0L}, Three{1.0L, 2.0L, 3.0L},
                           Three{5.0L, 0.2L, 1.0L}, Three{0.1L, 10.0L, 0.3L}})
        for (const Real e : {0.0L, 0.3L, 0.5L, 1.0L})
            for (const Three& v :
                 {Three{1.0L, 0.0L, 0.0L}, Three{1.0L, 0.0L, -1.0L}, Three{2.0L, 1.0L, 0.5L},
                  Three{0.0L, 1.0L, 0.25L}, Three{1.0L, -1.0L, 3.0L}, Three{0.5L, 0.5L, -4.0L}})
                expect_row(m, v, e, "simultaneous", simultaneous(m, v, e));
}

TEST(Cradle, UnequalBallsObeyTheSequentialLaw) {
    for (const Three& m :
         {Three{1.0L, 1.0L, 1.0L}, Three{1.0L, 2.0L, 3.0L}, Three{0.5L, 1.0L, 4.0L}})
        for (const Real e : {0.6L, 0.9L, 1.0L})
            for (const Three& v :
                 {Three{1.0L, 0.0L, 0.0L}, Three{1.0L, 0.0L, -0.75L}, Three{2.0L, 1.0L, 0.5L},
                  Three{0.0L, 1.0L, 0.25L}, Three{1.0L, -1.0L, 3.0L}})
                expect_row(m, v, e, "sequential", sequential(m, v, e));
}

// ---- friction in an impact

TEST(Impact, FrictionTakesMuTimesTheImpulseFromASlidingBall) {
    // A ball that does not turn falls with speed w and slides with u: the floor's impulse is (1 +
    // e) m w, friction takes mu times that from the sliding, and no more than there is.
    for (const double u : {3.0, -3.0, 0.4}) {
        const Mechanism m = Mechanism::parse(R"(param u = 3
            coord x, y
            particle ball at (x, y) mass 0.7
            constraint floor: y >= 0 restitution 0.5 friction 0.25
            start x = 0, y = 0, x' = u, y' = -2)",
                                             "ball", {{"u", u}});
        const Motion motion = run_contacts(m, {.end = 0.1, .every = 0.1});
        const double taken = std::min(std::abs(u), 0.25 * 1.5 * 2.0);
        EXPECT_NEAR(motion.summary.final.v[0], std::copysign(std::abs(u) - taken, u), 1e-14) << u;
        EXPECT_NEAR(motion.summary.final.v[1], 1.0, 1e-14) << u;
        const double left = std::abs(u) - taken;
        EXPECT_NEAR(motion.summary.contact.lost.at("floor"),
                    0.35 * (u * u + 4.0 - left * left - 1.0), 1e-14);
    }
}

TEST(Impact, ARopeThatTightensTakesTheSpeedAlongIt) {
    // Of the velocity at which the rope becomes taut only the part across it stays, and the bob
    // goes around with that.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle bob at (x, y) mass 2
        constraint rope: x^2 + y^2 <= 1
        start x = 0, y = 0.5, x' = 1, y' = 0
        output rope.force)");
    const Motion motion = run_contacts(m, {.end = 3.0});
    // Taut at x = sqrt(3)/2, where the velocity (1, 0) has the part 1/2 across; around with that:
    // force m v²/R = 1/2.
    const Real taut = std::sqrt(0.75L);
    EXPECT_EQ(story(motion), (std::vector<std::string>{"impact rope", "contact rope"}));
    expect_times(event_times(motion, "impact"), {taut});
    const auto angle = [&](Real t) { return std::asin(0.5L) - 0.5L * (t - taut); };
    EXPECT_LE(worst_error(motion, "x", [&](Real t) { return t < taut ? t : std::cos(angle(t)); }),
              exact);
    EXPECT_LE(
        worst_error(motion, "y", [&](Real t) { return t < taut ? 0.5L : std::sin(angle(t)); }),
        exact);
    EXPECT_NEAR(last(motion, "rope.force"), 0.5, 1e-12);
    EXPECT_NEAR(motion.summary.contact.lost.at("rope"), 0.75,
                1e-12);  // m/2 of the radial speed squared
}

}  // namespace
}  // namespace lacon::contacts
