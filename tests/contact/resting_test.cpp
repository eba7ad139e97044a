// What rests, what cannot, and what has no room: stacks, tables, walls that close, and bounds on
// velocities.

#include <algorithm>
#include <cmath>
#include <functional>
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
                EXPECT_EQ(contact.friction_state, "sticks") << contact.name;
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
            EXPECT_EQ(row(at, foot).friction_state, stays ? "sticks" : "slips") << slope;
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
            EXPECT_EQ(row(m.evaluate(m.start().state), "left").friction_state,
                      share > 1.0 ? "sticks" : "slips");
        }
    }
}

// ---- contacts that depend on each other: single forces are not unique, so there is none to watch

/// The laws know forces to 1e-10 of the largest, and so the moments at which they change.
constexpr double known = 1e-8;

Motion run_shared(const Mechanism& mechanism, double end) {
    return motions::run_well(mechanism, {.end = end, .tolerance = 1e-12});
}

TEST(DependentContacts, AFloorSaidTwiceLetsGoWhereItsForceIsZero) {
    for (const auto& [force, rate, end] :
         {std::tuple{20.0, 1.0, 6.0}, {3.0, 0.7, 11.0}, {50.0, 6.0, 2.5}, {2.0, 80.0, 1.0}}) {
        const Mechanism twice = Mechanism::parse(
            "param F = 1, w = 1\ncoord x\nkinetic x'^2/2\nconstraint a: x >= 0\n"
            "constraint b: 2*x >= 0\nforce x = -F*cos(w*t)",
            "twice", {{"F", force}, {"w", rate}});
        const Motion motion = run_shared(twice, end);
        const Real begins = 0.5L * std::numbers::pi_v<Real> / Real(rate);
        expect_times(event_times(motion, "release"), {begins, begins}, known);
        const Real phase = Real(rate) * Real(end);
        const Real way = Real(force) / (Real(rate) * Real(rate)) *
                         (std::cos(phase) + phase - 0.5L * std::numbers::pi_v<Real>);
        EXPECT_NEAR(last(motion, "x"), near(way), 1e-9 * std::max(1.0, near(way))) << force;
    }
}

/// The force is above zero for a short time and by little: by `over` of its size.
TEST(DependentContacts, AForceThatIsHardlyBelowZeroLetsGoAndOneThatIsHardlyAboveDoesNot) {
    for (const double over : {1e-2, 1e-4, 1e-6, -1e-6, -1e-4}) {
        const Mechanism twice = Mechanism::parse(
            "param over = 0\ncoord x\nkinetic x'^2/2\nconstraint a: x >= 0\n"
            "constraint b: 3*x >= 0\nforce x = 7*((1 + over)*sin(t) - 1)",
            "twice", {{"over", over}});
        const Motion motion = run_shared(twice, 3.0);
        const std::vector<double> times = event_times(motion, "release");
        ASSERT_EQ(times.empty(), over < 0.0) << over;
        if (times.empty()) continue;
        EXPECT_NEAR(times[0], std::asin(1.0 / (1.0 + over)), 1e-6) << over;
    }
}

TEST(DependentContacts, ABodyOnTwoRoughFeetSlipsWhereThePullIsTheirFriction) {
    for (const auto& [mu, pull, half] :
         {std::tuple{0.4, 20.0, 1.0}, {0.25, 9.0, 0.3}, {0.6, 40.0, 2.0}}) {
        const Mechanism body = Mechanism::parse(
            "param mu = 0.4, F = 1, h = 1\ncoord x, y, a\nkinetic (x'^2 + y'^2)/2 + a'^2/6\n"
            "potential 10*y\nconstraint l: y - h*sin(a) >= 0 friction mu slip (x - h*cos(a))'\n"
            "constraint r: y + h*sin(a) >= 0 friction mu slip (x + h*cos(a))'\n"
            "force x = F*sin(t)",
            "body", {{"mu", mu}, {"F", pull}, {"h", half}});
        const Motion motion = run_shared(body, 2.5);
        const Real F = pull, brake = 10.0L * Real(mu), t0 = std::asin(brake / F), T = 2.5L;
        expect_times(event_times(motion, "slip"), {t0, t0}, known);
        const Real way = F * ((T - t0) * std::cos(t0) - std::sin(T) + std::sin(t0)) -
                         0.5L * brake * (T - t0) * (T - t0);
        EXPECT_NEAR(last(motion, "x"), near(way), 1e-9 * near(way)) << mu;
    }
}

/// A block on a rough floor is pushed against a wall, and then pulled off it.
struct Pulled {
    const char* force;
    Real begins, end;
    std::function<Real(Real)> value;
};

TEST(DependentContacts, ABlockAtAWallSlipsWhereItIsPulledOff) {
    const Pulled all[] = {
        {"20*cos(t)", std::acos(-0.2L), 3.0L, [](Real t) { return 20.0L * std::cos(t); }},
        {"9*cos(3*t)", std::acos(-4.0L / 9.0L) / 3.0L, 1.2L,
         [](Real t) { return 9.0L * std::cos(3.0L * t); }},
        {"20 - 40*if(t > 5 and t < 6, 1, 0)", 5.0L, 5.8L, [](Real) { return -20.0L; }},
        {"6 - 13*if(t > 2.3 and t < 2.301, 1, 0)", 2.3L, 2.3008L, [](Real) { return -7.0L; }},
        {"20*(1 - 2*exp(-((t - 5)/0.3)^2))", 5.0L - 0.3L * std::sqrt(-std::log(0.6L)), 5.1L,
         [](Real t) { return 20.0L * (1.0L - 2.0L * std::exp(-(t - 5.0L) * (t - 5.0L) / 0.09L)); }},
    };
    for (const Pulled& one : all) {
        const Mechanism block = Mechanism::parse(
            std::string("coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -10)\n"
                        "constraint f: y >= 0 friction 0.4\nconstraint b: x <= 0\nforce x = ") +
            one.force);
        const Motion motion = run_shared(block, near(one.end));
        const Real speed =
            integral([&](Real t) { return one.value(t) + 4.0L; }, one.begins, one.end);
        expect_times(event_times(motion, "slip"), {one.begins}, known);
        EXPECT_NEAR(last(motion, "x'"), near(speed), 1e-9) << one.force;
    }
}

/// In space the wall takes what presses against it, and friction what is left, in a round cone.
TEST(DependentContacts, ABlockAtAWallIsHeldByARoundConeUntilItsBorder) {
    for (const auto& [mu, aside] : {std::pair{0.4, 3.9}, {0.3, 1.7}, {0.55, 5.4}}) {
        const Mechanism block = Mechanism::parse(
            "param mu = 0.4, B = 1\ncoord x, y, z\nparticle p at (x, y, z) mass 1\n"
            "gravity (0, 0, -10)\nconstraint f: z >= 0 friction mu\nconstraint w: x <= 0\n"
            "force p = (20*cos(t), B*sin(2*t), 0)",
            "block", {{"mu", mu}, {"B", aside}});
        const Motion motion = run_shared(block, 1.9);
        Real held = 0.5L * std::numbers::pi_v<Real>, slips = 1.9L;
        while (slips - held > 1e-15L) {
            const Real middle = 0.5L * (held + slips);
            const Real pull =
                std::hypot(20.0L * std::cos(middle), Real(aside) * std::sin(2.0L * middle));
            (pull < 10.0L * Real(mu) ? held : slips) = middle;
        }
        expect_times(event_times(motion, "slip"), {slips}, known);
    }
}

TEST(DependentContacts, ATableOnFourLegsTipsWhereTheMomentIsItsWeight) {
    for (const auto& [mass, moment] : {std::pair{2.0, 30.0}, {0.5, 5.2}, {3.0, -90.0}}) {
        const Mechanism table = Mechanism::parse(
            "param m = 1, F = 1\ncoord z, a, b\nkinetic m*z'^2/2 + 0.35*(a'^2 + b'^2)\n"
            "potential 10*m*z\nconstraint l1: z + a + b >= 0\nconstraint l2: z - a + b >= 0\n"
            "constraint l3: z - a - b >= 0\nconstraint l4: z + a - b >= 0\n"
            "force a = F*sin(t)",
            "table", {{"m", mass}, {"F", moment}});
        const Motion motion = run_shared(table, 1.7);
        const Real F = std::abs(moment), weight = 10.0L * Real(mass), T = 1.7L;
        const Real t0 = std::asin(weight / F);
        expect_times(event_times(motion, "release"), {t0, t0}, known);
        const Real way = (F * ((T - t0) * std::cos(t0) - std::sin(T) + std::sin(t0)) -
                          0.5L * weight * (T - t0) * (T - t0)) /
                         (Real(mass) + 0.7L);
        EXPECT_NEAR(last(motion, "z"), near(way), 1e-9) << mass;
    }
}

TEST(DependentContacts, ALidIsLiftedByAForceThatPassesBy) {
    for (const auto& [lift, width] : {std::pair{20.0, 1.0}, {11.0, 0.4}, {35.0, 0.02}}) {
        const Mechanism lid = Mechanism::parse(
            "param F = 1, w = 1\ncoord z, a, s\nkinetic z'^2/2 + s'^2/2 + a'^2/6\n"
            "potential 10*z\nconstraint one: z + a >= 0\nconstraint two: z - a >= 0\n"
            "constraint three: z >= 0\nforce z = F*exp(-((s - 5)/w)^2)\nstart s' = 1",
            "lid", {{"F", lift}, {"w", width}});
        const Real F = lift, w = width, t0 = 5.0L - w * std::sqrt(std::log(F / 10.0L));
        const Motion motion = run_shared(lid, near(5.0L + 0.3L * w));
        const Real speed = integral(
            [&](Real t) { return F * std::exp(-(t - 5.0L) * (t - 5.0L) / (w * w)) - 10.0L; }, t0,
            5.0L + 0.3L * w);
        expect_times(event_times(motion, "release"), {t0, t0, t0}, known);
        EXPECT_NEAR(last(motion, "z'"), near(speed), 1e-9) << lift;
    }
}

}  // namespace
}  // namespace lacon::contacts
