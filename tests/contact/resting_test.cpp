// What rests, what cannot, and what has no room: stacks, tables, walls that close, and bounds on
// velocities.

#include <algorithm>
#include <numbers>
#include <set>

#include "cli/program.hpp"
#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

// ---- models/stack.lac

TEST(Stack, NothingMovesInAHundredSeconds) {
    const Mechanism m = load("stack.lac");
    const Motion motion = run_contacts(m, {.end = 100.0});
    EXPECT_TRUE(motion.summary.events.empty());
    EXPECT_FALSE(motion.summary.contact.forces_unique);
    for (const std::string& name : m.coordinates()) {
        const double first = motion.column(name)[0];
        EXPECT_LE(worst_error(motion, name, [&](Real) { return first; }), 1e-15) << name;
        EXPECT_LE(worst_error(motion, name + "'", [](Real) { return 0.0L; }), 1e-15) << name;
    }
    const Real weight = 4.0L * Real(9.81);
    for (const char* side : {"left[1].force", "right[1].force"})
        EXPECT_EQ(motion.column(side).size(), motion.column("t").size());
    // left[1].force is over all coordinates: at the corner (−w/2, −h/2) of block 1 the multiplier N
    // gives (N, −N w/2) on y, th.
    for (const char* side : {"left[1].force", "right[1].force"})
        EXPECT_LE(
            worst_error(motion, side, [&](Real) { return 0.5L * weight * std::hypot(1.0L, 0.5L); }),
            1e-12)
            << side;
}

TEST(Stack, EveryContactCarriesHalfOfWhatIsAbove) {
    for (const double blocks : {1.0, 2.0, 4.0, 7.0}) {
        const Mechanism m = load("stack.lac", {{"N", blocks}});
        const Evaluation at = m.evaluate(m.start().state);
        ASSERT_TRUE(at.status) << at.status.message;
        const auto N = static_cast<int>(blocks);
        for (int i = 1; i <= N; ++i)
            for (const char* side : {"left", "right"}) {
                const ConstraintReport& contact =
                    row(at, std::string(side) + "[" + std::to_string(i) + "]");
                EXPECT_EQ(contact.contact, "closed") << contact.name;
                EXPECT_EQ(contact.grip, "sticks") << contact.name;
                EXPECT_NEAR(contact.multiplier, (N - i + 1) * 9.81 / 2, 1e-12 * N) << contact.name;
                for (const double f : contact.friction_force)
                    EXPECT_NEAR(f, 0.0, 1e-12 * N) << contact.name;
            }
        // The two tangential forces of a layer pull against each other as they like.
        EXPECT_FALSE(at.forces_unique);
        for (const double a : at.solution.acceleration) EXPECT_NEAR(a, 0.0, 1e-12 * N);
    }
}

TEST(Stack, OnASlopeItStaysBelowTheAngleOfFriction) {
    // Gravity turned by an angle with tan = 0.2 is below mu = 0.5 and within the feet: it stays.
    // Beyond mu (0.6) it slips; a stack of two blocks of width 1 and height 0.5 does not tip over
    // before tan = 1.
    for (const auto& [slope, stays] :
         {std::pair{0.2, true}, std::pair{0.49, true}, std::pair{0.6, false}}) {
        const Mechanism m = Mechanism::parse(R"(param k = 0.2
            coord x, y, th
            kinetic (x'^2 + y'^2)/2 + 1.25/12*th'^2/2
            force x = k*9.81, y = -9.81
            let left = (x - cos(th)/2 + sin(th)/4, y - sin(th)/2 - cos(th)/4)
            let right = (x + cos(th)/2 + sin(th)/4, y + sin(th)/2 - cos(th)/4)
            constraint left_foot: left.y >= 0 friction 0.5 slip left.x'
            constraint right_foot: right.y >= 0 friction 0.5 slip right.x'
            start y = 0.25)",
                                             "block", {{"k", slope}});
        const Evaluation at = m.evaluate(m.start().state);
        ASSERT_TRUE(at.status) << at.status.message;
        const double k = slope, F = stays ? k * 9.81 : 0.5 * 9.81;  // friction in all
        // About the middle: (N_r − N_l)/2 = F/4.
        EXPECT_NEAR(row(at, "right_foot").multiplier, 9.81 / 2 + F / 4, 1e-12);
        EXPECT_NEAR(row(at, "left_foot").multiplier, 9.81 / 2 - F / 4, 1e-12);
        EXPECT_NEAR(at.solution.acceleration[0], stays ? 0.0 : (k - 0.5) * 9.81, 1e-12);
        EXPECT_NEAR(at.solution.acceleration[2], 0.0, 1e-12);
        for (const char* foot : {"left_foot", "right_foot"})
            EXPECT_EQ(row(at, foot).grip, stays ? "sticks" : "slips") << slope;
        EXPECT_EQ(at.forces_unique, !stays) << slope;
        const Motion motion = run_contacts(m, {.end = 2.0});
        EXPECT_LE(worst_error(motion, "x",
                              [&](Real t) {
                                  return stays ? 0.0L : 0.5L * (k - 0.5L) * Real(9.81) * t * t;
                              }),
                  exact);
    }
}

// ---- models/table.lac

TEST(Table, TheLegsShareByLeastNorm) {
    for (const auto& [px, py] : {std::pair{0.1, 0.05}, std::pair{0.0, 0.0}, std::pair{-0.2, 0.25},
                                 std::pair{0.3, -0.15}}) {
        const Mechanism m = load("table.lac", {{"px", px}, {"py", py}});
        const Evaluation at = m.evaluate(m.start().state);
        ASSERT_TRUE(at.status) << at.status.message;
        EXPECT_FALSE(at.forces_unique);
        const double signs[][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
        int idle = 0;
        for (int i = 0; i < 4; ++i) {
            const ConstraintReport& leg = row(at, "leg[" + std::to_string(i + 1) + "]");
            EXPECT_NEAR(leg.multiplier,
                        25.0 * (1.0 + signs[i][0] * px / 0.5 + signs[i][1] * py / 0.5), 1e-12)
                << i + 1;
            EXPECT_NE(leg.contact, "open");
            if (leg.contact == "idle") ++idle;
        }
        EXPECT_EQ(idle, 1) << "three legs hold the table";
        for (const double a : at.solution.acceleration) EXPECT_NEAR(a, 0.0, 1e-12);
    }
}

TEST(Table, ALegThatWouldHaveToPullHasNoForce) {
    // Load at (0.4, 0.4), legs at ±0.5: the formula of least norm would pull leg 3. All that push:
    // f + s (1, −1, 1, −1) with f = F (0.8, 0.1, 0, 0.1), 0 ≤ s ≤ F/10; the least of them is f.
    const Mechanism m = load("table.lac", {{"px", 0.4}, {"py", 0.4}});
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    const double expected[] = {80.0, 10.0, 0.0, 10.0};
    for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(row(at, "leg[" + std::to_string(i + 1) + "]").multiplier, expected[i], 1e-12)
            << i + 1;
    EXPECT_FALSE(at.forces_unique);
}

TEST(Table, BeyondItsLegsItTipsOverTwoOfThem) {
    // Load at (0.6, 0): legs 1 and 4 at x = 0.5 carry it; about them the table turns with F 0.1
    // over the moment of inertia.
    const Mechanism m = load("table.lac", {{"px", 0.6}, {"py", 0.0}});
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    // z + d a = 0, M_z = F/g, M_a = M_z d²/3: f d − F px = M_a a'', f − F = M_z z'' = −M_z d a''.
    const double mass = 100.0 / 9.81, d = 0.5,
                 turn = 100.0 * (d - 0.6) / (mass * d * d * (1.0 + 1.0 / 3.0));
    EXPECT_NEAR(at.solution.acceleration[1], turn, 1e-12 * std::abs(turn) + 1e-13);
    EXPECT_NEAR(at.solution.acceleration[0], -d * turn, 1e-12);
    const double each = (100.0 - mass * d * turn) / 2;
    for (const char* leg : {"leg[1]", "leg[4]"}) EXPECT_NEAR(row(at, leg).multiplier, each, 1e-11);
    for (const char* leg : {"leg[2]", "leg[3]"}) {
        EXPECT_EQ(row(at, leg).contact, "open");
        EXPECT_EQ(row(at, leg).multiplier, 0.0);
    }
    EXPECT_TRUE(at.forces_unique);
}

TEST(Table, ARunGivesTheSameForcesAndRests) {
    const Motion motion = run_contacts(load("table.lac"), {.end = 1.0});
    EXPECT_FALSE(motion.summary.contact.forces_unique);
    // Over (z, a, b) the row of a leg is (1, ±d, ±d).
    const double expected[] = {32.5, 22.5, 17.5, 27.5};
    for (int i = 0; i < 4; ++i) {
        const std::string name = "leg[" + std::to_string(i + 1) + "].force";
        EXPECT_LE(worst_error(motion, name, [&](Real) { return expected[i] * std::sqrt(1.5L); }),
                  1e-11)
            << name;
    }
    for (const char* coordinate : {"z", "a", "b"})
        EXPECT_LE(worst_error(motion, coordinate, [](Real) { return 0.0L; }), 1e-15);
}

TEST(Table, DroppedAskewItComesToRestWithTheSameShares) {
    const Mechanism dropped = Mechanism::parse(
        R"(param F = 100, d = 0.5, px = 0.1, py = 0.05
        coord z, a, b
        kinetic F/9.81*(z'^2 + d^2*(a'^2 + b'^2)/3)/2
        potential F*(z + px*a + py*b)
        let height(sx, sy) = z + sx*d*a + sy*d*b
        constraint leg[1]: height(1, 1) >= 0
        constraint leg[2]: height(-1, 1) >= 0
        constraint leg[3]: height(-1, -1) >= 0
        constraint leg[4]: height(1, -1) >= 0
        start z = 0.1, a = 0.05, b = 0.02
        output leg[i].force for i in 1..4)",
        "dropped");
    const Motion motion = run_contacts(dropped, {.end = 1.0});
    EXPECT_FALSE(motion.summary.contact.forces_unique);
    const double expected[] = {32.5, 22.5, 17.5, 27.5};
    for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(last(motion, "leg[" + std::to_string(i + 1) + "].force"),
                    expected[i] * std::sqrt(1.5), 1e-9)
            << i + 1;
}

// ---- no room

const std::string closing = R"(coord x
    particle p at (x, 0) mass 1
    constraint left: x >= t restitution 0.5
    constraint right: x <= 2 - t restitution 0.5
    start x = 0.6
    simulate 0..2 every 0.1)";

TEST(Wedged, WallsThatCloseOnAParticleAreNamed) {
    const Motion motion = run(Mechanism::parse(closing), {.tolerance = 1e-12});
    EXPECT_EQ(motion.status.outcome, Outcome::conflict) << motion.status.message;
    const std::set<std::string> names(motion.status.names.begin(), motion.status.names.end());
    EXPECT_EQ(names, (std::set<std::string>{"left", "right"}));
    for (const char* name : {"'left'", "'right'"})
        EXPECT_NE(motion.status.message.find(name), std::string::npos) << motion.status.message;
    EXPECT_NEAR(motion.summary.final.t, 1.0,
                1e-6);  // where both walls are at 1; before, it goes to and fro
    EXPECT_NEAR(motion.summary.final.q[0], 1.0, 1e-6);
}

TEST(Wedged, WithoutBouncesTheTimeIsThatOfTheWalls) {
    std::string text = closing;
    for (std::size_t at; (at = text.find(" restitution 0.5")) != std::string::npos;)
        text.erase(at, 16);
    const Motion motion = run(Mechanism::parse(text), {.tolerance = 1e-12});
    EXPECT_EQ(motion.status.outcome, Outcome::conflict) << motion.status.message;
    EXPECT_EQ(std::set<std::string>(motion.status.names.begin(), motion.status.names.end()),
              (std::set<std::string>{"left", "right"}));
    EXPECT_NEAR(motion.summary.final.t, 1.0, exact);
    EXPECT_NEAR(motion.summary.final.q[0], 1.0, exact);
    ASSERT_FALSE(event_times(motion, "impact").empty());
    EXPECT_NEAR(event_times(motion, "impact", "left").at(0), 0.6, 1e-13);
}

TEST(Wedged, TheProgramSaysSoWithStatusOne) {
    const Folder folder;
    folder.write("p.lac", closing);
    const Finished done = folder.run("run p.lac --json --tol 1e-12");
    EXPECT_EQ(done.status, 1) << done.err;
    EXPECT_EQ(done.json()["status"], "conflict");
    const std::vector<std::string> names = done.json()["conflict"];
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()),
              (std::set<std::string>{"left", "right"}));
}

TEST(Wedged, NoPlaceToStartIsNamed) {
    for (const char* start : {"start x ~ 0.5", "start x = 0.5", "start x ~ 3"}) {
        const Mechanism m =
            Mechanism::parse(std::string("coord x\nparticle p at (x, 0) mass 1\nconstraint above: "
                                         "x >= 1\nconstraint below: x <= 0\n") +
                             start);
        const Start found = m.start();
        EXPECT_TRUE(found.status.outcome == Outcome::conflict ||
                    found.status.outcome == Outcome::no_start)
            << name_of(found.status.outcome) << start;
        EXPECT_TRUE(found.status.message.find("'above'") != std::string::npos ||
                    found.status.message.find("'below'") != std::string::npos)
            << found.status.message;
        const Motion motion = run(m, {.end = 1.0});
        EXPECT_EQ(motion.status.outcome, found.status.outcome);
        EXPECT_EQ(motion.status.message, found.status.message);
    }
}

TEST(Wedged, ARowOfContactsThatPressAgainstEachOtherIsAConflictAtOnce) {
    // Both walls touch, and both come nearer: no velocity will do.
    const Mechanism m = Mechanism::parse(R"(coord x
        particle p at (x, 0) mass 1
        constraint left: x >= t
        constraint right: x <= -t
        start x = 0)");
    const Motion motion = run(m, {.end = 1.0});
    EXPECT_EQ(motion.status.outcome, Outcome::conflict) << motion.status.message;
    EXPECT_EQ(motion.status.names.size(), 2u);
}

// ---- bounds on velocities

TEST(SpeedLimit, HoldsTheVelocityWhileTheForcePushesAndLetsItGoAfter) {
    // x'' = F cos t from rest: x' = F sin t until it is vmax; held until the force turns at pi/2;
    // then vmax + F (sin t − 1).
    const Mechanism m = Mechanism::parse(R"(param F = 3, vmax = 1.2
        coord x
        particle cart at (x, 0) mass 1
        force x = F*cos(t)
        constraint limit: x' <= vmax
        start x = 0
        output limit.force, limit.multiplier)");
    const Motion motion = run_contacts(m, {.end = 3.0, .every = 0.01});
    const Real F = 3.0L, vmax = 1.2, held = std::asin(vmax / F),
               free = 0.5L * std::numbers::pi_v<Real>;
    EXPECT_EQ(story(motion), (std::vector<std::string>{"contact limit", "release limit"}));
    expect_times(event_times(motion, "contact"), {held});
    expect_times(event_times(motion, "release"), {free});
    const auto speed = [&](Real t) {
        return t < held ? F * std::sin(t) : t < free ? vmax : vmax + F * (std::sin(t) - 1.0L);
    };
    EXPECT_LE(worst_error(motion, "x'", speed), exact);
    const auto force = [&](Real t) { return t > held && t < free ? F * std::cos(t) : 0.0L; };
    const std::vector<double> changes{near(held), near(free)};
    EXPECT_LE(worst_between(motion, "limit.force", force, changes), exact);
    EXPECT_LE(worst_between(
                  motion, "limit.multiplier", [&](Real t) { return -force(t); }, changes),
              exact);
}

TEST(SpeedLimit, AtAStateItActsOnlyWhereTheForcePushes) {
    const Mechanism m = Mechanism::parse(R"(param F = 3
        coord x
        particle cart at (x, 0) mass 2
        force x = F
        constraint limit: x' <= 1.2)");
    const Evaluation below = m.evaluate(state_of(m, {{"x'", 1.0}}));
    EXPECT_EQ(row(below, "limit").contact, "open");
    EXPECT_NEAR(below.solution.acceleration[0], 1.5, 1e-15);
    const Evaluation at = m.evaluate(state_of(m, {{"x'", 1.2}}));
    EXPECT_EQ(row(at, "limit").contact, "closed");
    EXPECT_NEAR(row(at, "limit").multiplier, -3.0, 1e-14);
    EXPECT_NEAR(at.solution.acceleration[0], 0.0, 1e-15);
    const Mechanism back = Mechanism::parse(
        "coord x\nparticle cart at (x, 0) mass 2\nforce x = -3\nconstraint limit: x' <= 1.2");
    EXPECT_EQ(row(back.evaluate(state_of(back, {{"x'", 1.2}})), "limit").contact, "open");
}

// A rod between two rough walls: it is held, whatever its weight, where the line between its ends
// lies within both cones, although to fall without touching them would be a motion too.
TEST(JammedRod, ItIsHeldUpToItsAngleAndFallsBeyond) {
    for (const double angle : {0.1, 0.43, 0.8}) {
        for (const double share : {0.5, 0.98, 1.02, 4.0}) {
            const Mechanism m =
                Mechanism::parse(R"(param a = 0.3, mu = 1, L = 1.3
coord x, y, th
kinetic (x'^2 + y'^2)/2 + L^2/24*th'^2
potential 9.81*y
constraint left: x - L/2*cos(th) >= 0 friction mu slip y' - L/2*cos(th)*th'
constraint right: x + L/2*cos(th) <= L*cos(a) friction mu slip y' + L/2*cos(th)*th'
start th = a, x = L/2*cos(a)
)",
                                 "rod.lac", {{"a", angle}, {"mu", share * std::tan(angle)}});
            const Motion motion = run_contacts(m, {.end = 0.5, .every = 0.1});
            const Real fallen = share > 1.0 ? 0.0L : 9.81L / 8.0L;
            EXPECT_NEAR(last(motion, "y"), near(-fallen), 1e-12) << angle << " " << share;
            EXPECT_EQ(row(m.evaluate(m.start().state), "left").grip,
                      share > 1.0 ? "sticks" : "slips");
        }
    }
}

}  // namespace
}  // namespace lacon::contacts
