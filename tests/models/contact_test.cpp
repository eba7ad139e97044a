// Friction, walls and floors: accelerations and forces at single states. The motions are in
// tests/contact.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

/// One-sided constraints may be open, so the residuals of the state are no test.
Evaluation expect_open_or_closed(const Mechanism& m, const Values& state,
                                 const Values& accelerations) {
    const Evaluation at = expect_accelerations_off_constraint(m, state_of(m, state), accelerations);
    EXPECT_TRUE(at.certificate);
    if (at.certificate) {
        EXPECT_LE(at.certificate->primal, tolerance);
        EXPECT_LE(at.certificate->dual, tolerance);
        EXPECT_LE(at.certificate->complementarity, tolerance);
    }
    return at;
}

TEST(RoughRingModel, TheRingPressesByTheSpeedAndBrakesByThePress) {
    for (const Settings& settings : {Settings{}, Settings{{"R", 0.5}, {"mu", 1.2}, {"m", 3.0}}}) {
        const Mechanism m = load("rough_ring.lac", settings);
        const double R = m.parameter("R"), mu = m.parameter("mu"), mass = m.parameter("m");
        for (const auto& [angle, v] : {Plane{0.0, 3.0}, Plane{1.1, -0.4}, Plane{-2.5, 7.0}}) {
            const double c = std::cos(angle), s = std::sin(angle), in = v * v / R,
                         back = v > 0 ? mu * in : -mu * in;
            const Evaluation at = expect_accelerations(
                m, state_of(m, {{"x", R * c}, {"y", R * s}, {"x'", -v * s}, {"y'", v * c}}),
                {{"x", -in * c + back * s}, {"y", -in * s - back * c}});
            expect_multiplier(at, "ring",
                              -mass * in / (2 * R));  // of x² + y²: the row has the length 2 R
            EXPECT_EQ(constraint_of(at, "ring").friction_state, "slips");
        }
    }
}

TEST(InclineModel, TheBlockSlidesUpDownOrSticks) {
    for (const Settings& settings : {Settings{}, Settings{{"slope", 0.3}, {"m", 0.7}}}) {
        const Mechanism m = load("incline.lac", settings);
        const double slope = m.parameter("slope"), g = m.parameter("g"), mass = m.parameter("m"),
                     mu = m.parameter("mu");
        const double down = g * std::sin(slope), press = g * std::cos(slope);
        const bool sticks = std::tan(slope) <= m.parameter("mus");
        for (const auto& [v, acceleration, friction_state] :
             {std::tuple{3.0, -down - mu * press, "slips"},
              std::tuple{-1.0, -down + mu * press, "slips"},
              std::tuple{0.0, sticks ? 0.0 : -down + mu * press, sticks ? "sticks" : "slips"}}) {
            const Evaluation at = expect_open_or_closed(m, {{"x", 0.2}, {"x'", v}},
                                                        {{"x", acceleration}, {"y", 0.0}});
            expect_multiplier(at, "plane", mass * press);
            EXPECT_EQ(constraint_of(at, "plane").friction_state, friction_state);
        }
        const Evaluation above =
            expect_open_or_closed(m, {{"y", 0.1}, {"x'", 1.0}}, {{"x", -down}, {"y", -press}});
        EXPECT_EQ(constraint_of(above, "plane").contact, "open");
    }
}

TEST(RoughOscillatorModel, SpringAndFrictionAddUpOrHoldEachOther) {
    const Mechanism m = load("rough_oscillator.lac");
    const double k = m.parameter("k"), mass = m.parameter("m"),
                 brake = m.parameter("mu") * m.parameter("g");
    for (const auto& [x, v] :
         {Plane{1.0, 0.5}, Plane{1.0, -0.5}, Plane{-0.3, 2.0}, Plane{0.0, -1.0}})
        expect_open_or_closed(m, {{"x", x}, {"x'", v}},
                              {{"x", -k / mass * x + (v > 0 ? -brake : brake)}, {"y", 0.0}});
    for (const double x : {0.09, -0.05, 0.0, 0.11, -0.7}) {
        const bool sticks = k * std::abs(x) <= mass * brake;
        const double pull = -k / mass * x;
        const Evaluation at = expect_open_or_closed(
            m, {{"x", x}}, {{"x", sticks ? 0.0 : pull - std::copysign(brake, pull)}, {"y", 0.0}});
        EXPECT_EQ(constraint_of(at, "floor").friction_state, sticks ? "sticks" : "slips") << x;
        expect_multiplier(at, "floor", mass * m.parameter("g"));
    }
}

TEST(DryFrictionModel, TheBeltHoldsTheBlockOrDragsIt) {
    for (const Settings& settings : {Settings{}, Settings{{"F", 1.0}, {"F0", 1.5}, {"m", 0.7}}}) {
        const Mechanism m = load("dry_friction.lac", settings);
        const double k = m.parameter("k"), mass = m.parameter("m"), v = m.parameter("v"),
                     F = m.parameter("F"), F0 = m.parameter("F0");
        for (const auto& [x, slip] :
             {Plane{0.1, 0.0}, Plane{-0.14, 0.0}, Plane{0.31, 0.0}, Plane{-0.5, 0.0},
              Plane{0.25, -0.5}, Plane{0.4, 0.2}, Plane{0.0, -0.01}}) {
            const bool holds = slip == 0.0 && k * std::abs(x) <= F0;
            const double way = slip != 0.0 ? slip : -x;  // against which it rubs
            const double force = holds ? k * x : -std::copysign(F, way),
                         a = holds ? 0.0 : (force - k * x) / mass;
            const Evaluation at = expect_accelerations(
                m, state_of(m, {{"x", x}, {"u", x}, {"x'", v + slip}, {"u'", slip}}),
                {{"x", a}, {"u", a}});
            ASSERT_EQ(at.frictions.size(), 1u);
            EXPECT_EQ(at.frictions[0].friction_state, holds ? "sticks" : "slips")
                << x << " " << slip;
            expect_close(at.frictions[0].force, force);
        }
    }
}

TEST(BouncingBallModel, FallsFreelyAndRestsOnTheFloor) {
    const Mechanism m = load("bouncing_ball.lac");
    const double g = m.parameter("g");
    for (const auto& [y, v] : {Plane{1.0, 0.0}, Plane{0.3, -2.0}, Plane{0.0, 1.0}}) {
        const Evaluation at = expect_open_or_closed(m, {{"y", y}, {"y'", v}}, {{"y", -g}});
        EXPECT_EQ(constraint_of(at, "floor").contact, "open");
    }
    const Evaluation rests = expect_open_or_closed(m, {}, {{"y", 0.0}});
    EXPECT_EQ(constraint_of(rests, "floor").contact, "closed");
    expect_multiplier(rests, "floor", g);
}

TEST(FloorAndCeilingModel, OnlyTheFloorCarries) {
    const Mechanism m = load("floor_and_ceiling.lac");
    const double g = m.parameter("g"), h = m.parameter("h");
    expect_open_or_closed(m, {{"y", 0.5}, {"y'", 3.0}}, {{"y", -g}});
    const Evaluation low = expect_open_or_closed(m, {}, {{"y", 0.0}});
    expect_multiplier(low, "floor", g);
    expect_multiplier(low, "ceiling", 0.0);
    const Evaluation high = expect_open_or_closed(m, {{"y", h}}, {{"y", -g}});  // touches and falls
    expect_multiplier(high, "ceiling", 0.0);
}

TEST(CradleModel, BallsThatTouchWithoutForceStayAsTheyAre) {
    const Mechanism m = load("cradle.lac");
    const Evaluation at =
        expect_open_or_closed(m, {{"x[1]", -2.0}, {"x[2]", 0.0}, {"x[3]", 1.0}, {"x[1]'", 1.0}},
                              {{"x[1]", 0.0}, {"x[2]", 0.0}, {"x[3]", 0.0}});
    EXPECT_EQ(constraint_of(at, "touch[1]").contact, "open");
    EXPECT_NE(constraint_of(at, "touch[2]").contact, "open");
    expect_multiplier(at, "touch[2]", 0.0);
}

TEST(RockingBlockModel, FallsAboutTheCornerThatCarriesIt) {
    const Mechanism m = load("rocking_block.lac");
    const double b = m.parameter("b"), h = m.parameter("h"), g = m.parameter("g"),
                 r = std::hypot(b, h), alpha = std::atan2(b, h);
    for (const auto& [th, w] : {Plane{0.1, 0.0}, Plane{0.05, -0.4}, Plane{0.02, 0.3},
                                Plane{-0.1, 0.0}, Plane{-0.07, 0.5}}) {
        // The middle is at r (±sin f, cos f) from the corner, f = alpha − |th|, and goes round it.
        const double side = th > 0 ? 1.0 : -1.0, f = alpha - std::abs(th),
                     w1 = -side * 0.75 * g / r * std::sin(f);
        const double x = side * r * std::sin(f), y = r * std::cos(f), corner = th > 0 ? -b : b;
        const Evaluation at = expect_open_or_closed(
            m, {{"x", corner + x}, {"y", y}, {"th", th}, {"x'", -w * y}, {"y'", w * x}, {"th'", w}},
            {{"x", -w1 * y - w * w * x}, {"y", w1 * x - w * w * y}, {"th", w1}});
        EXPECT_EQ(constraint_of(at, th > 0 ? "at_left" : "at_right").friction_state, "sticks");
        EXPECT_EQ(constraint_of(at, th > 0 ? "at_right" : "at_left").contact, "open");
        expect_multiplier(at, th > 0 ? "at_left" : "at_right",
                          m.parameter("m") * (g + w1 * x - w * w * y));
    }
}

TEST(PainleveRodModel, TheForceIsThatOfTheComment) {
    const Mechanism m = load("painleve_rod.lac");
    const double l = m.parameter("l"), mass = m.parameter("m"), mu = m.parameter("mu"),
                 g = m.parameter("g");
    for (const auto& [th, w] : {Plane{1.1, 0.0}, Plane{0.4, 2.0}, Plane{1.4, -1.5}}) {
        const double c = std::cos(th), s = std::sin(th);
        const double N = mass * (g - l * w * w * s) / (1 + 3 * c * c - 3 * mu * s * c);
        const double turn = 3 * N / (mass * l) * (mu * s - c);
        const Evaluation at = expect_open_or_closed(
            m,
            {{"x", l * c}, {"y", l * s}, {"th", th}, {"x'", -5.0}, {"y'", l * c * w}, {"th'", w}},
            {{"x", mu * N / mass}, {"y", N / mass - g}, {"th", turn}});
        expect_multiplier(at, "floor", N);
    }
}

TEST(LadderModel, SlidesAtTheWallUntilItWouldHaveToPull) {
    const Mechanism m = load("ladder.lac");
    const double l = m.parameter("l"), g = m.parameter("g"), mass = m.parameter("m"),
                 th0 = m.parameter("th0");
    for (const double th : {1.2, 1.0, 0.7, 0.6, 0.3}) {
        const double c = std::cos(th), s = std::sin(th), square = 1.5 * g / l * (std::sin(th0) - s),
                     w = -std::sqrt(square);
        const bool at_wall = s > 2.0 / 3.0 * std::sin(th0);
        const double floor = at_wall ? mass * (g - l * s * square - 0.75 * g * c * c)
                                     : mass * (g - l * s * square) / (1 + 3 * c * c);
        const double turn = at_wall ? -0.75 * g / l * c : -3 * floor * c / (mass * l),
                     wall = at_wall ? -l * (c * square + s * turn) : 0.0;
        const Evaluation at =
            expect_open_or_closed(m,
                                  {{"x", l * c},
                                   {"y", l * s},
                                   {"th", th},
                                   {"x'", -l * s * w},
                                   {"y'", l * c * w},
                                   {"th'", w}},
                                  {{"x", wall}, {"y", floor / mass - g}, {"th", turn}});
        expect_multiplier(at, "wall", mass * wall);
        expect_multiplier(at, "floor", floor);
    }
}

TEST(RollingSphereModel, RollsWhileFrictionSuffices) {
    const Mechanism m = load("rolling_sphere.lac");
    const double slope = m.parameter("slope"), R = m.parameter("R"), g = m.parameter("g");
    const double down = g * std::sin(slope), press = g * std::cos(slope);
    for (const double x : {0.0, 2.0, 2.5, 3.0}) {
        const double mu = m.parameter("mu0") - m.parameter("k") * x;
        const double friction = std::min(2.0 / 7.0 * down, mu * press);
        const Evaluation at =
            expect_open_or_closed(m, {{"x", x}, {"y", R}, {"x'", 1.0}, {"th'", 1.0 / R}},
                                  {{"x", down - friction}, {"y", 0.0}, {"th", 2.5 * friction / R}});
        EXPECT_EQ(constraint_of(at, "plane").friction_state,
                  2.0 / 7.0 * down <= mu * press ? "sticks" : "slips")
            << x;
    }
}

TEST(StackModel, NothingAccelerates) {
    const Mechanism m = load("stack.lac");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    for (const double a : at.solution.acceleration) expect_close(a, 0.0);
    for (int i = 1; i <= 4; ++i)
        for (const char* side : {"left[", "right["})
            expect_multiplier(at, side + std::to_string(i) + "]",
                              (4 - i + 1) * m.parameter("m") * m.parameter("g") / 2);
}

TEST(TableModel, TheLegsShareTheLoad) {
    for (const auto& [px, py] : {Plane{0.1, 0.05}, Plane{-0.2, 0.1}}) {
        const Mechanism m = load("table.lac", {{"px", px}, {"py", py}});
        const double F = m.parameter("F"), d = m.parameter("d");
        const Evaluation at = expect_open_or_closed(m, {}, {{"z", 0.0}, {"a", 0.0}, {"b", 0.0}});
        EXPECT_FALSE(at.forces_unique);
        expect_multiplier(at, "leg[1]", F / 4 * (1 + px / d + py / d));
        expect_multiplier(at, "leg[2]", F / 4 * (1 - px / d + py / d));
        expect_multiplier(at, "leg[3]", F / 4 * (1 - px / d - py / d));
        expect_multiplier(at, "leg[4]", F / 4 * (1 + px / d - py / d));
    }
}

}  // namespace
}  // namespace lacon::models
