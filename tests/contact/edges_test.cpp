// The borders between modes: where something begins to slip without speed, where a surface has a
// kink, where a contact is left without force.

#include <array>
#include <cmath>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

constexpr double g = 9.81;

/// A block on a floor, pulled by the force t in a direction. It moves as (t − t₀)³/6m from where t₀
/// = μ m g on.
class Onset : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Tolerances, Onset, testing::Values(1e-5, 1e-7, 1e-9, 1e-11, 1e-13));

TEST_P(Onset, ABlockMovesWhereItIsPulled) {
    for (int k = 0; k < 9; ++k) {
        const double angle = 0.7 * k + 0.05, mu = 0.2 + 0.07 * k, m = 0.5 + 0.3 * k;
        const Mechanism block = Mechanism::parse(
            "param a = 0, mu = 0.3, m = 1\ncoord x, y, z\nparticle P at (x, y, z) mass m\ngravity "
            "(0, 0, -9.81)\n"
            "constraint floor: z >= 0 friction mu\nforce P = t*(cos(a), sin(a), 0)",
            "block", {{"a", angle}, {"mu", mu}, {"m", m}});
        const Motion motion =
            motions::run_well(block, {.end = 30.0, .every = 1.0, .tolerance = GetParam()});
        const double begins = mu * m * g, way = std::pow(30.0 - begins, 3) / (6.0 * m);
        EXPECT_EQ(story(motion), std::vector<std::string>{"slip floor"}) << k;
        EXPECT_NEAR(motion.summary.events[0].t, begins, 1e-12 * begins);
        EXPECT_NEAR(last(motion, "x"), way * std::cos(angle), 10.0 * GetParam() * way) << k;
        EXPECT_NEAR(last(motion, "y"), way * std::sin(angle), 10.0 * GetParam() * way) << k;
    }
}

TEST_P(Onset, AnUpperBlockBeginsToSlip) {
    const Mechanism blocks = Mechanism::parse(
        "coord x1, x2, y1, y2\nparticle A at (x1, y1) mass 2\nparticle B at (x2, y2) mass "
        "1\ngravity (0, -9.81)\n"
        "constraint ground: y1 >= 0 friction 0.5\nconstraint top: y2 - y1 >= 1 friction 0.3 slip "
        "x2' - x1'\n"
        "force x2 = t\nstart y1 = 0, y2 = 1");
    const Motion motion =
        motions::run_well(blocks, {.end = 20.0, .every = 1.0, .tolerance = GetParam()});
    EXPECT_EQ(story(motion), std::vector<std::string>{"slip top"});
    const double way = std::pow(20.0 - 0.3 * g, 3) / 6.0;
    EXPECT_NEAR(last(motion, "x2"), way, 10.0 * GetParam() * way);
    EXPECT_NEAR(last(motion, "x1"), 0.0, 1e-12);
}

/// On a shaken table a block slips twice in every swing, by little: each time it sticks again, at
/// one time for every tolerance.
TEST_P(Onset, AShakenBlockSlipsAndSticks) {
    for (const double mu : {0.3, 0.35, 0.36}) {
        const Mechanism table = Mechanism::parse(
            "param mu = 0.36\ncoord x, y\nparticle b at (x, y) mass 1.7\ngravity (0, -9.81)\n"
            "constraint table: y >= 0 friction mu slip x' - 0.6*cos(6*t)\nstart x' = 0.6",
            "table", {{"mu", mu}});
        const Motion motion =
            motions::run_well(table, {.end = 1.0, .every = 0.1, .tolerance = GetParam()});
        EXPECT_EQ(story(motion), (std::vector<std::string>{"slip table", "stick table",
                                                           "slip table", "stick table"}))
            << mu;
        const Real first = std::asin(Real(mu) * Real(g) / 3.6L) / 6.0L,
                   half = 3.14159265358979323846L / 6.0L;
        expect_times(event_times(motion, "slip"), {first, first + half}, 1e-9);
        const double stop = event_times(motion, "stick")[0],
                     since = stop - static_cast<double>(first);
        const double speed = 0.6 * std::cos(6.0 * static_cast<double>(first)) - mu * g * since;
        EXPECT_NEAR(speed, 0.6 * std::cos(6.0 * stop), 10.0 * GetParam()) << mu;
    }
}

/// The pull turns, so the direction of sliding turns too, at first without bound on how fast it
/// could.
TEST(Onset, ATurningPullGivesOneMotionByAllMethods) {
    const Mechanism block = Mechanism::parse(
        "coord x, y, z\nparticle P at (x, y, z) mass 1.3\ngravity (0, 0, -9.81)\nconstraint floor: "
        "z >= 0 friction 0.4\n"
        "force P = t*(cos(0.7*t), sin(0.7*t), 0)");
    const Motion fine = motions::run_well(block, {.end = 12.0, .every = 1.0, .tolerance = 1e-13});
    for (const char* method : {"dop853", "dopri5", "radau"})
        for (const double tolerance : {1e-7, 1e-10}) {
            const Motion motion = motions::run_well(
                block, {.end = 12.0, .every = 1.0, .tolerance = tolerance, .method = method});
            EXPECT_EQ(story(motion), std::vector<std::string>{"slip floor"}) << method;
            const double error = (method == std::string("dopri5") ? 2000.0 : 300.0) * tolerance;
            EXPECT_NEAR(last(motion, "x"), last(fine, "x"), error) << method << ' ' << tolerance;
            EXPECT_NEAR(last(motion, "y"), last(fine, "y"), error) << method << ' ' << tolerance;
            EXPECT_LT(motion.summary.steps, 4000U) << method << ' ' << tolerance;
        }
}

TEST(Kinks, AFloorThatStopsLetsItsBodyFlyOn) {
    struct Stop {
        double at, speed, e;
    };
    for (const auto& [at, speed, e] : {Stop{1.0, 1.0, 0.5}, Stop{0.7, 2.5, 0.8}}) {
        const Mechanism ball = Mechanism::parse(
            "param T = 1, v = 1, e = 0.5\ncoord y\nparticle b at (0, y) mass 1\ngravity (0, "
            "-9.81)\n"
            "constraint floor: y >= v*min(t, T) restitution e\nstart y = 0, y' = v",
            "ball", {{"T", at}, {"v", speed}, {"e", e}});
        const double flight = 2.0 * speed / g;
        const Motion motion =
            run_contacts(ball, {.end = at + flight * (1.0 + 0.9 * e), .every = 0.01});
        EXPECT_EQ(story(motion),
                  (std::vector<std::string>{"switch min(t, T)", "release floor", "impact floor"}));
        expect_times(event_times(motion, "impact"), {Real(at) + 2.0L * speed / Real(g)});
        const double tau = 0.9 * e * flight;
        EXPECT_NEAR(last(motion, "y"), speed * at + e * speed * tau - g / 2.0 * tau * tau, exact);
    }
}

TEST(Kinks, ARampThatEndsLetsItsBodyFly) {
    for (const double slope : {0.5, 1.5}) {
        const Mechanism body = Mechanism::parse(
            "param k = 0.5\ncoord x, y\nparticle b at (x, y) mass 2\ngravity (0, -9.81)\n"
            "constraint ramp: y >= if(x < 0, 0, -k*x)\nstart x = -1, y = 0, x' = 3",
            "ramp", {{"k", slope}});
        const Motion motion = run_contacts(body, {.end = 2.0, .every = 0.1});
        const double flight = 2.0 * slope * 3.0 / g;  // until 4.905 τ² = k 3 τ
        expect_times(event_times(motion, "release"), {1.0L / 3.0L});
        expect_times(event_times(motion, "impact"), {1.0L / 3.0L + flight});
    }
}

/// A rope lets a weight down until its winch stops; then it holds, with an impact.
TEST(Kinks, AWinchThatStopsHoldsItsWeight) {
    const Mechanism weight = Mechanism::parse(
        "coord y\nparticle w at (0, y) mass 3\ngravity (0, -9.81)\nconstraint rope: y >= -2*min(t, "
        "1.5)\nstart y = 0, y' = -2");
    const Motion motion = run_contacts(weight, {.end = 3.0, .every = 0.1});
    EXPECT_EQ(story(motion), (std::vector<std::string>{"switch min(t, 1.5)", "impact rope"}));
    EXPECT_NEAR(last(motion, "y"), -3.0, exact);
}

TEST(Kinks, AFloorThatJumpsAwayLetsItsBodyFall) {
    for (const char* gap : {"y >= if(x < 1, 0, -2)", "y >= -3*floor(x)", "y >= if(t < 1, 0, -1)"}) {
        const Mechanism body = Mechanism::parse(
            "coord x, y\nparticle b at (x, y) mass 1\ngravity (0, -9.81)\nconstraint floor: " +
            std::string(gap) + "\nstart x = 0, y = 0, x' = 1");
        const Motion motion = motions::run_well(body, {.end = 1.4, .every = 0.1});
        EXPECT_NEAR(last(motion, "y"), -g / 2.0 * 0.16, 1e-9) << gap;
        expect_times(event_times(motion, "release"), {1.0L}, 1e-9);
    }
}

TEST(Kinks, AFloorThatJumpsUpEndsTheRun) {
    const Motion motion = run(
        Mechanism::parse("coord x, y\nparticle b at (x, y) mass 1\ngravity (0, -9.81)\n"
                         "constraint floor: y >= if(x < 1, 0, 0.5)\nstart x = 0, y = 0, x' = 1"),
        {.end = 2.0});
    EXPECT_EQ(motion.status.outcome, Outcome::undefined);
    EXPECT_NE(motion.status.message.find("'floor' jumps from 0 to -0.5 at t = 1"),
              std::string::npos)
        << motion.status.message;
}

/// A belt that suddenly runs: what stuck to it slides until it has caught up, after v/(μ g).
TEST(Kinks, ABeltThatStartsSlipsUnderItsBlock) {
    const Mechanism block = Mechanism::parse(
        "coord x, y\nparticle b at (x, y) mass 1\ngravity (0, -9.81)\n"
        "constraint belt: y >= 0 friction 0.3 slip x' - if(t < 1, 0, 2)\nstart x = 0, y = 0");
    const Motion motion = run_contacts(block, {.end = 3.0, .every = 0.1});
    const double caught = 2.0 / (0.3 * g);
    EXPECT_EQ(story(motion), (std::vector<std::string>{"switch t < 1", "slip belt", "stick belt"}));
    expect_times(event_times(motion, "stick"), {1.0L + 2.0L / (0.3L * Real(g))});
    EXPECT_NEAR(last(motion, "x"), 0.15 * g * caught * caught + 2.0 * (2.0 - caught), exact);
}

/// Along a straight wall without a force: the contact stays, and nothing happens.
TEST(Grazing, AWallThatIsFollowedWithoutForceStays) {
    for (const char* method : {"auto", "dop853", "dopri5"}) {
        const Mechanism body = Mechanism::parse(
            "coord x, y\nparticle b at (x, y) mass 1\nconstraint wall: y >= 1e3*(x - 17.3)\nstart "
            "x = 0, y = 0, x' = 1");
        const Motion motion =
            motions::run_well(body, {.end = 100.0, .every = 1.0, .method = method});
        EXPECT_EQ(story(motion), (std::vector<std::string>{"impact wall", "contact wall"}))
            << method;
        EXPECT_LE(motion.summary.contact.modes, 2U) << method;
    }
}

/// A wall that curves away from a body in free flight: it is let go, and no gap of a contact in
/// force is more than rounding.
TEST(Grazing, AWallThatCurvesAwayIsLeft) {
    for (const double tolerance : {1e-5, 1e-8, 1e-12}) {
        const Mechanism body = Mechanism::parse(
            "coord x, y\nparticle b at (x, y) mass 1\nconstraint wall: x >= -y^4\nstart x = 0, y = "
            "0, y' = 1");
        const Motion motion =
            motions::run_well(body, {.end = 2.0, .every = 0.1, .tolerance = tolerance});
        EXPECT_EQ(story(motion), std::vector<std::string>{"release wall"}) << tolerance;
        EXPECT_LE(motion.summary.contact.certificate.primal, 1e-9) << tolerance;
    }
}

/// From a smooth half-cylinder that is free on a smooth floor a body slides off at c = cos α with
/// m/(M + m) c³ − 3 c + 2 c₀ = 0. There the cylinder moves uniformly, so that the body turns with R
/// ω² = g c.
TEST(Release, ABodySlidesOffAHillThatGivesWay) {
    for (const double tolerance : {1e-6, 1e-8, 1e-9, 1e-10, 1e-12})
        for (const double mass : {0.6, 2.0, 9.0})
            for (const double angle : {0.2, 0.25, 0.3, 0.45}) {
                const Mechanism hill = Mechanism::parse(
                    "param M = 2, a = 0.2\ncoord X, x, y\nkinetic M*X'^2/2 + (x'^2 + "
                    "y'^2)/2\npotential 9.81*y\n"
                    "constraint top: hypot(x - X, y) >= 1.5\nstart X = 0, x = 1.5*sin(a), y = "
                    "1.5*cos(a)",
                    "hill", {{"M", mass}, {"a", angle}});
                const Motion motion =
                    motions::run_well(hill, {.end = 1.3, .every = 0.1, .tolerance = tolerance});
                EXPECT_EQ(story(motion), std::vector<std::string>{"release top"})
                    << tolerance << ' ' << mass << ' ' << angle;
                const double part = 1.0 / (1.0 + mass);
                double c = std::cos(angle);
                for (int round = 0; round < 50; ++round)
                    c -= (part * c * c * c - 3.0 * c + 2.0 * std::cos(angle)) /
                         (3.0 * part * c * c - 3.0);
                EXPECT_NEAR(last(motion, "X'"), -part * c * std::sqrt(1.5 * g * c),
                            1e2 * tolerance);
            }
}

/// A floor that suddenly falls faster than its body: it is left at the kink, with the velocity that
/// the body had.
TEST(Kinks, AFloorThatFallsAwayTakesNothingAlong) {
    for (const double k : {6.0, 300.0, 6e4, 1e7})
        for (const double at : {0.7, 1.0, 40.0})
            for (const double tolerance : {1e-6, 1e-10}) {
                const Mechanism body = Mechanism::parse(
                    "param k = 6, T = 1\ncoord y\nparticle b at (0, y) mass 2\ngravity (0, -9.81)\n"
                    "constraint floor: y >= -k*max(0, t - T)^2",
                    "body", {{"k", k}, {"T", at}});
                const Motion motion = motions::run_well(
                    body, {.end = at + 1.0, .every = 0.1, .tolerance = tolerance});
                EXPECT_NEAR(last(motion, "y'"), -g, 1e-12 * at) << k << ' ' << at;
                expect_times(event_times(motion, "release"), {Real(at)}, 1e-12 * at);
            }
}

/// At the end of a mode forces are known beside the tolerance: the certificate says so, and is
/// never infinite.
TEST(Release, TheCertificateIsOneOfForcesThatAre) {
    for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-9})
        for (const double mu : {0.3, 0.6, 0.9}) {
            const Mechanism disk = Mechanism::parse(
                "param R = 1, r = 0.3, mu = 0.6\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + "
                "0.5*r^2*th'^2/2\n"
                "potential 9.81*y\nlet d = hypot(x, y)\n"
                "constraint c: d >= R + r friction mu slip (x'*y - y'*x)/d + r*th'\n"
                "start x = (R + r)*sin(0.1), y = (R + r)*cos(0.1)",
                "disk", {{"mu", mu}});
            const Motion motion =
                motions::run_well(disk, {.end = 1.5, .every = 0.05, .tolerance = tolerance});
            EXPECT_EQ(story(motion), (std::vector<std::string>{"slip c", "release c"}))
                << tolerance << ' ' << mu;
            EXPECT_LT(motion.summary.contact.certificate.dual, tolerance) << tolerance << ' ' << mu;
        }
}

// ---- two walls at once

/// Pulled along a corner with the force t: at least until floor and wall hold all they can within
/// their cones, each rubbing against the push of the other, at t = p P_y + q P_z (the prices of y
/// and z: q² = μ_z² (1 + p²), p² = μ_y² (1 + q²)).
TEST(Corner, ABlockSlipsWhereBothConesAreFull) {
    const std::vector<std::array<double, 4>> corners{
        {0.25, 0.25, 10.0, 6.0}, {0.6, 0.6, 10.0, 10.0}, {0.3, 0.5, 7.0, 9.0}};
    for (const auto& [floor, wall, Pz, Py] : corners) {
        const Mechanism m = Mechanism::parse(
            "param f = 0, w = 0, Pz = 0, Py = 0\ncoord x, y, z\nparticle p at (x, y, z) mass 1\n"
            "constraint floor: z >= 0 friction f\nconstraint wall: y >= 0 friction w\n"
            "force x = t, y = -Py, z = -Pz",
            "corner", {{"f", floor}, {"w", wall}, {"Pz", Pz}, {"Py", Py}});
        const double both = 1.0 - floor * floor * wall * wall;
        const double slips = wall * std::sqrt((1.0 + floor * floor) / both) * Py +
                             floor * std::sqrt((1.0 + wall * wall) / both) * Pz;
        const Motion motion = run_contacts(m, {.end = 20.0, .every = 1.0});
        EXPECT_EQ(story(motion), (std::vector<std::string>{"slip floor", "slip wall"}));
        EXPECT_NEAR(motion.summary.events[0].t, slips, 1e-8 * slips);
        const double rubs = floor * Pz + wall * Py, T = 20.0 - slips;
        EXPECT_NEAR(last(motion, "x"), T * T * (T / 6.0 + 0.5 * (slips - rubs)), 1e-6);
    }
}

TEST(Corner, ABlockSticksInAGroove) {
    for (const double slope :
         {0.3, 0.6, 0.9}) {  // of each side; 0.9 of what its cones hold along it
        const Mechanism m = Mechanism::parse(
            "param a = 0, mu = 0.3\ncoord x, y, z\nparticle p at (x, y, z) mass 2\n"
            "gravity (0, 0, -9.81)\nconstraint left: z*cos(a) - y*sin(a) >= 0 friction mu\n"
            "constraint right: z*cos(a) + y*sin(a) >= 0 friction mu\n"
            "force x = 0.9*mu*2*9.81/cos(a)*sin(t), y = 0.4*cos(3*t)",
            "groove", {{"a", slope}});
        const Motion motion = run_contacts(m, {.end = 7.0, .every = 0.5});
        EXPECT_TRUE(motion.summary.events.empty()) << slope;
        for (const char* name : {"x", "y", "z"})
            EXPECT_LE(worst_error(motion, name, [](Real) { return 0.0L; }), 1e-12) << slope;
    }
}

// ---- a contact that touches without force at first

/// Pressed by a force that grows from zero, as k t, k sin t or k t²: it stays.
TEST(FirstForce, ABodyThatIsPressedEverHarderStays) {
    for (const char* force : {"-t", "-40*t", "-0.001*t", "-3*sin(t)", "-100*t^2", "-t^3"})
        for (const char* law : {"", " restitution 0.5", " friction 0.3 slip x' + 1"}) {
            const Mechanism m = Mechanism::parse(
                std::string("coord x, y\nkinetic x'^2/2 + y'^2/2\n") + "constraint f: y >= 0" +
                law + "\nforce y = " + force + "\nconstraint fixed: x = 0");
            const Motion motion = motions::run_well(m, {.end = 2.0, .every = 0.25});
            EXPECT_TRUE(motion.summary.events.empty()) << force << law;
            EXPECT_LE(worst_error(motion, "y", [](Real) { return 0.0L; }), 1e-11) << force << law;
        }
}

TEST(FirstForce, ARopeThatIsPulledEverHarderHolds) {
    const Mechanism m = Mechanism::parse(
        "coord y\nkinetic y'^2/2\nconstraint rope: y <= 1\nforce y = 5*t\nstart y = 1");
    const Motion motion = motions::run_well(m, {.end = 2.0, .every = 0.25});
    EXPECT_TRUE(motion.summary.events.empty());
    EXPECT_LE(worst_error(motion, "y", [](Real) { return 1.0L; }), 1e-11);
}

/// r'' = ω² r along the arm, so r = cosh ω t; it pushes with 2 ω² sinh ω t, from zero on.
TEST(FirstForce, ATurningArmPushesABead) {
    for (const double w : {0.5, 2.0, 3.0}) {
        const Mechanism m = Mechanism::parse(
            "param w = 2\ncoord x, y\nparticle p at (x, y) mass 1\n"
            "constraint push: y*cos(w*t) - x*sin(w*t) >= 0\nstart x = 1, y' = w",
            "arm", {{"w", w}});
        const Motion motion = motions::run_well(m, {.end = 1.0, .every = 0.1});
        const Real W = w, size = std::cosh(W);
        EXPECT_LE(
            worst_error(motion, "x", [&](Real t) { return std::cosh(W * t) * std::cos(W * t); }),
            1e-9 * near(size));
        EXPECT_LE(
            worst_error(motion, "y", [&](Real t) { return std::cosh(W * t) * std::sin(W * t); }),
            1e-9 * near(size));
    }
}

// ---- a start on a kink

TEST(KinkAtStart, ABodyMovesAlongTheFaceItBeginsOn) {
    const auto height = [](const std::string& constraint, const std::string& start, double end) {
        const Mechanism m = Mechanism::parse(
            "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -10)\nconstraint a: " +
            constraint + "\nstart " + start);
        const Motion motion = run_contacts(m, {.end = end, .every = 0.1});
        EXPECT_TRUE(motion.summary.events.empty()) << constraint;
        return last(motion, "y");
    };
    EXPECT_NEAR(height("y >= abs(t)", "y' = 1", 1.0), 1.0, 1e-12);
    EXPECT_NEAR(height("y >= 2*abs(t)", "y' = 2", 1.0), 2.0, 1e-12);
    EXPECT_NEAR(height("y >= max(0, t)", "y' = 1", 1.0), 1.0, 1e-12);
    EXPECT_NEAR(height("y >= 0.3*abs(sin(3*t))", "y' = 0.9", 0.5), 0.3 * std::sin(1.5), 1e-12);
    // Up a slope of 45° with speed u: the way along each axis is u t − g t²/4.
    EXPECT_NEAR(height("y >= abs(x)", "x' = 1, y' = 1", 0.3), 0.3 - 2.5 * 0.09, 1e-12);
    EXPECT_NEAR(height("y >= abs(x)", "x' = -1, y' = 1", 0.3), 0.3 - 2.5 * 0.09, 1e-12);
}

TEST(KinkAtStart, ABodyThatLeavesTheKinkFlies) {
    const Mechanism m = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -10)\nconstraint a: y >= abs(x)\n"
        "start x' = 1, y' = 3");
    const Motion motion = run_contacts(m, {.end = 0.3, .every = 0.1});
    EXPECT_NEAR(last(motion, "y"), 3.0 * 0.3 - 5.0 * 0.09, 1e-12);
}

/// One constraint has one force: with both faces the body rests, with one the reason is given.
TEST(RestInAKink, OneConstraintSaysWhyAndTwoHold) {
    const std::string body = "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -10)\n";
    for (const auto& [kink, x] :
         {std::pair{"y >= abs(x)", 0.0}, {"y >= abs(x)", -0.5}, {"y >= 2*abs(x)", 0.25}}) {
        const double slope = std::string(kink) == "y >= abs(x)" ? 1.0 : 2.0;
        const Mechanism one = Mechanism::parse(
            body + "param x0 = 0, k = 1\nconstraint a: " + kink + "\nstart x = x0, y = k*abs(x0)",
            "kink", {{"x0", x}, {"k", slope}});
        const Motion motion = run(one, {.end = 2.0});
        EXPECT_EQ(motion.status.outcome, Outcome::no_convergence);
        EXPECT_NE(motion.status.message.find("stays in a kink of constraint 'a'"),
                  std::string::npos)
            << motion.status.message;
        EXPECT_LE(motion.summary.events.size(), 10u);
    }
    const Mechanism two = Mechanism::parse(
        body + "constraint a: y >= x\nconstraint b: y >= -x\nstart x = -0.5, y = 0.5");
    const Motion motion = run_contacts(two, {.end = 2.0});
    EXPECT_NEAR(last(motion, "y"), 0.0, 1e-12);
}

// ---- a limit that falls beside friction

/// Pushed along with x' = 1 against friction R = μ m g until the limit A − B t has fallen to R, at
/// t₀; from there on x'' = −B (t − t₀)/m. For every tolerance the effort stays at its limit.
TEST(FallingLimit, AnEffortThatHasReachedItsLimitStaysThere) {
    for (const double tolerance : {1e-6, 1e-7, 1e-9})
        for (const auto& [m, mu, B] : {std::array{2.0, 0.4, 5.0}, {3.0, 0.25, 4.0}}) {
            const Mechanism pushed = Mechanism::parse(
                "param m = 2, mu = 0.4, B = 5\ncoord x, y\nparticle p at (x, y) mass m\n"
                "gravity (0, -10)\nconstraint f: y >= 0 friction mu\n"
                "control go: x = t by x limit -(20 - B*t)..(20 - B*t)\nstart x' = 1",
                "pushed", {{"m", m}, {"mu", mu}, {"B", B}});
            const double falls = (20.0 - mu * m * 10.0) / B, later = 0.6;
            const Motion motion =
                motions::run_well(pushed, {.end = falls + later, .tolerance = tolerance});
            EXPECT_EQ(motion.summary.events.size(), 1u) << tolerance;
            EXPECT_NEAR(last(motion, "x'"), 1.0 - B * later * later / (2.0 * m), 100.0 * tolerance);
            EXPECT_NEAR(last(motion, "x"), falls + later - B * std::pow(later, 3) / (6.0 * m),
                        100.0 * tolerance);
        }
}

/// What friction holds and the limits cannot move is named with both.
TEST(FallingLimit, ALimitTooWeakForFrictionIsNamed) {
    const Mechanism m = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 2\ngravity (0, -10)\n"
        "constraint f: y >= 0 friction 0.4\ncontrol go: x = t by x limit -5..5");
    const Status status = run(m, {.end = 1.0}).status;
    EXPECT_EQ(status.outcome, Outcome::unreachable);
    EXPECT_NE(status.message.find("'f' sticks, and within the limits of 'x' (-5 .. 5) they "
                                  "cannot move 'go'"),
              std::string::npos)
        << status.message;
}

/// A table on three legs, at (0, 0), (1, 0) and (0, 1), most of its weight on the first.
const char* const table_on_three_legs =
    "param mu = 0.3, m0 = 1, m1 = 4, m2 = 1, m3 = 1\ncoord x, y, z, a, b, c\n"
    "let R1 = (cos(b)*cos(c), -cos(b)*sin(c), sin(b))\n"
    "let R2 = (cos(a)*sin(c) + sin(a)*sin(b)*cos(c), cos(a)*cos(c) - sin(a)*sin(b)*sin(c), "
    "-sin(a)*cos(b))\n"
    "let R3 = (sin(a)*sin(c) - cos(a)*sin(b)*cos(c), sin(a)*cos(c) + cos(a)*sin(b)*sin(c), "
    "cos(a)*cos(b))\n"
    "let pt(u, v, w) = (x + u*R1.x + v*R1.y + w*R1.z, y + u*R2.x + v*R2.y + w*R2.z, "
    "z + u*R3.x + v*R3.y + w*R3.z)\n"
    "particle p0 at pt(1, 0, 0.5) mass m0\nparticle p1 at pt(0, 0, 0.5) mass m1\n"
    "particle p2 at pt(0, 1, 0.5) mass m2\nparticle p3 at pt(0.2, 0.2, 0.8) mass m3\n"
    "gravity (0, 0, -9.81)\nlet f0 = pt(1, 0, 0)\nlet f2 = pt(0, 1, 0)\n"
    "constraint leg0: f0.z >= 0 friction mu slip (f0'.x, f0'.y)\n"
    "constraint leg1: z >= 0 friction mu slip (x', y')\n"
    "constraint leg2: f2.z >= 0 friction mu slip (f2'.x, f2'.y)\n";

/// It is pulled by t at p0, to y. By the moments about leg1, N0 and N2 are g (m0 + m3/5) + t c/2
/// and g (m2 + m3/5) + t/2 less what accelerations add; it turns about leg1 from where t = μ (N0 +
/// N2) on. Until then all three hold, in many ways, and there they slip at no rate.
TEST_P(Onset, ATableTurnsAboutALegThatHolds) {
    for (const auto& [mu, m0, m1, m2, m3] :
         {std::array{0.3, 1.0, 4.0, 1.0, 1.0}, {0.25, 0.7, 6.0, 1.5, 0.5}}) {
        const Mechanism table =
            Mechanism::parse(std::string(table_on_three_legs) + "force p0 = t*(0, 1, 0)", "table",
                             {{"mu", mu}, {"m0", m0}, {"m1", m1}, {"m2", m2}, {"m3", m3}});
        const double pull = 1.0 - 0.5 * mu, begins = mu * g * (m0 + m2 + 0.4 * m3) / pull,
                     since = 0.1;
        const Motion motion = motions::run_well(
            table, {.end = begins + since, .every = since, .tolerance = GetParam()});
        EXPECT_EQ(story(motion), (std::vector<std::string>{"slip leg0", "slip leg2"}));
        for (const double t : event_times(motion, "slip"))
            EXPECT_NEAR(t, begins, 1e-10 * begins);  // forces are judged to 1e-10 of the largest
        const double J = m0 + m2 + 0.08 * m3 + 0.5 * mu * (m2 - m0);
        const double turned = 1.0 - 0.5 * mu * begins * since * since / (20.0 * J);
        const double angle = pull * std::pow(since, 3) / (6.0 * J) * turned;
        EXPECT_NEAR(last(motion, "c"), angle, 5e-5 * angle);  // to the next power of time
        EXPECT_NEAR(last(motion, "x"), 0.0, 1e-12);
    }
}

/// A floor that rises between two moments, with rates whose sum is zero but for rounding outside of
/// them: a body at rest on it has no speed that such a rate could be compared with.
TEST(Kinks, ABodyRestsOnAFloorWhoseRatesCancel) {
    const Mechanism body = Mechanism::parse(
        "coord y\nparticle p at (0, y) mass 2\ngravity (0, -9.81)\n"
        "constraint floor: y >= 0.99 + 0.22*(abs(t - 1.5) + t - 1.5) - 0.22*(abs(t - 1.7) + t - "
        "1.7) + 0.9*(abs(t - 1.88) + t - 1.88)\nstart y = 0.99");
    for (const char* method : {"taylor", "dopri5"}) {
        const Motion motion = motions::run_well(
            body, {.end = 2.0, .every = 1.0, .tolerance = 1e-9, .method = method});
        const double speed = 0.44,
                     lands = 1.7 + speed / g + speed / g;  // y = v t - g t²/2 from 1.7
        EXPECT_NEAR(last(motion, "y"), 0.99 + 0.44 * 0.2 + 1.8 * 0.12, 1e-9) << method;
        const std::vector<double> impacts = event_times(motion, "impact");
        ASSERT_EQ(impacts.size(), 3u) << method;
        EXPECT_NEAR(impacts[0], 1.5, 1e-12);
        EXPECT_NEAR(impacts[1], lands, 1e-9);
        EXPECT_NEAR(impacts[2], 1.88, 1e-12);
    }
}

/// A body falls along a wall, and is drawn off it by a force that grows from zero at t = 1: the gap
/// grows from there on, however long it is no more than rounding.
TEST(IdleContact, IsLeftWhereItsGapBeginsToGrow) {
    for (const char* method : {"taylor", "dop853", "dopri5"})
        for (const int power : {1, 2, 3, 4, 6}) {
            const Mechanism body = Mechanism::parse(
                "param k = 1\ncoord x, y\nparticle p at (x, y) mass 1\ngravity (0, -1)\n"
                "constraint wall: x >= 0\nforce x = max(0, t - 1)^k",
                "body", {{"k", power}});
            const Motion motion = motions::run_well(
                body, {.end = 4.0, .every = 1.0, .tolerance = 1e-9, .method = method});
            const std::vector<double> times = event_times(motion, "release");
            ASSERT_EQ(times.size(), 1u) << method << power;
            EXPECT_NEAR(times[0], 1.0, 1e-14) << method << power;
            EXPECT_NEAR(last(motion, "x"), std::pow(3.0, power + 2) / ((power + 1) * (power + 2)),
                        1e-6);
        }
}

/// A force that grows like exp(r t) has no beginning: the contact is left when the gap's
/// acceleration is more than 1e-12, and before the gap is 1e-9.
TEST(IdleContact, WithoutABeginningIsLeftWhereItsGapIsRounding) {
    const Mechanism body = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -1)\nconstraint wall: x >= 0\n"
        "force x = 1e-3*exp(300*(t - 3))");
    const double least = 3.0 + std::log(1e-12 / 1e-3) / 300.0,
                 most = 3.0 + std::log(1e-9 * 300.0 * 300.0 / 1e-3) / 300.0;
    for (const char* method : {"taylor", "dop853", "dopri5"})
        for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
            const Motion motion = motions::run_well(
                body, {.end = 3.1, .every = 1.0, .tolerance = tolerance, .method = method});
            const std::vector<double> times = event_times(motion, "release");
            ASSERT_EQ(times.size(), 1u) << method << tolerance;
            EXPECT_GE(times[0], least - 1e-6) << method << tolerance;
            EXPECT_LE(times[0], most) << method << tolerance;
        }
}

/// A floor that moves fast is known no better than the time: at t = 5 its height of exp(−(t−c)²/w²)
/// at w = 1e-4 to 1e-11. What it carries leaves it where it is fastest, at √(2/e)/w.
TEST(RisingFloor, ThrowsWhatItCarriesAtItsHighestSpeed) {
    for (const double at : {3.7, 5.0, 42.4})
        for (const double width : {2e-2, 1e-3, 1e-4, 3e-5})
            for (const char* method : {"taylor", "dop853", "radau"}) {
                const Mechanism lift = Mechanism::parse(
                    "param c = 1, w = 1\ncoord y\nparticle p at (y) mass 1\n"
                    "constraint o: y >= exp(-((t - c)/w)^2) restitution 0\nstart y = 0.4",
                    "lift", {{"c", at}, {"w", width}});
                const Motion motion =
                    motions::run_well(lift, {.end = 2.0 * at, .every = at, .method = method});
                const std::vector<double> left = event_times(motion, "release");
                ASSERT_EQ(left.size(), 1u) << at << " " << width << " " << method;
                const double speed = std::sqrt(2.0 / std::exp(1.0)) / width,
                             leaves = at - width / std::sqrt(2.0);
                EXPECT_NEAR(left[0], leaves, 1e-4 * width) << at << " " << method;
                EXPECT_NEAR(motion.summary.final.v[0] / speed, 1.0, 1e-7) << at << " " << method;
                EXPECT_NEAR(
                    motion.summary.final.q[0] / (speed * (2.0 * at - leaves) + std::exp(-0.5)), 1.0,
                    1e-7)
                    << at << " " << width << " " << method;
            }
}

}  // namespace
}  // namespace lacon::contacts
