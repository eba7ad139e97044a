// What slides, stops, sticks and is taken along: closed forms of Coulomb's law for particles.

#include <numbers>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

using motions::reference_at;
using motions::Vector;

// ---- a block on an incline (models/incline.lac)

struct Incline {
    Real slope, mu, v0 = 3.0L, g = 9.81, m = 2.0L;
    Real up() const {
        return g * (std::sin(slope) + mu * std::cos(slope));
    }  // deceleration on the way up
    Real down() const {
        return g * (std::sin(slope) - mu * std::cos(slope));
    }  // acceleration on the way down
    Real stop() const { return v0 / up(); }
    Real top() const { return v0 * v0 / (2.0L * up()); }
};

TEST(Incline, TheBlockStopsAndStaysWhereTheSlopeIsBelowTheCoefficientOfRest) {
    for (const double slope :
         {0.1, 0.25, 0.35, 0.38}) {  // the last two hold only by the coefficient of rest: tan > mu
        const Incline one{slope, 0.3};
        const Motion motion = run_contacts(load("incline.lac", {{"slope", slope}}), {.end = 2.0});
        EXPECT_EQ(story(motion), std::vector<std::string>{"stick plane"}) << slope;
        expect_times(event_times(motion, "stick"), {one.stop()});
        const auto x = [&](Real t) {
            return t < one.stop() ? one.v0 * t - 0.5L * one.up() * t * t : one.top();
        };
        EXPECT_LE(worst_error(motion, "x", x), exact);
        EXPECT_LE(
            worst_error(motion, "x'",
                        [&](Real t) { return t < one.stop() ? one.v0 - one.up() * t : 0.0L; }),
            exact);
        EXPECT_LE(worst_error(motion, "y", [](Real) { return 0.0L; }), 1e-15);
        EXPECT_LE(worst_error(motion, "plane.force",
                              [&](Real) { return one.m * one.g * std::cos(Real(slope)); }),
                  1e-12);
        // Force times way.
        const Real lost = one.mu * one.m * one.g * std::cos(Real(slope)) * one.top();
        EXPECT_NEAR(motion.summary.contact.lost.at("plane"), near(lost), exact);
    }
}

TEST(Incline, TheBlockComesBackWhereTheSlopeIsSteeper) {
    for (const double slope : {0.39, 0.5, 1.2}) {
        const Incline one{slope, 0.3};
        const Motion motion = run_contacts(load("incline.lac", {{"slope", slope}}), {.end = 2.0});
        EXPECT_EQ(story(motion), std::vector<std::string>{"slip plane"}) << slope;
        expect_times(event_times(motion, "slip"), {one.stop()});
        const auto x = [&](Real t) {
            const Real after = t - one.stop();
            return after < 0.0L ? one.v0 * t - 0.5L * one.up() * t * t
                                : one.top() - 0.5L * one.down() * after * after;
        };
        EXPECT_LE(worst_error(motion, "x", x), 10 * exact);  // as far as ten metres
        EXPECT_LE(worst_error(motion, "y", [](Real) { return 0.0L; }), 1e-15);
        const Real way = one.top() + (one.top() - x(2.0L));
        EXPECT_NEAR(motion.summary.contact.lost.at("plane"),
                    near(one.mu * one.m * one.g * std::cos(Real(slope)) * way),
                    100 * exact);  // of two hundred joules
    }
}

TEST(Incline, AtRestTheGripIsDecidedByTheCoefficientOfRest) {
    for (const double slope : {0.0, 0.2, 0.35, 0.38, 0.39, 0.5, 1.0}) {
        const Mechanism m = load("incline.lac", {{"slope", slope}});
        const double weight = 2.0 * 9.81, N = weight * std::cos(slope),
                     pull = weight * std::sin(slope);
        const bool sticks = std::tan(slope) <= 0.4;
        const Evaluation at = m.evaluate(state_of(m, {}));
        ASSERT_TRUE(at.status) << at.status.message;
        const ConstraintReport& plane = row(at, "plane");
        EXPECT_EQ(plane.contact, "closed");
        EXPECT_EQ(plane.friction_state, sticks ? "sticks" : "slips") << slope;
        EXPECT_NEAR(plane.multiplier, N, 1e-13 * weight);
        ASSERT_EQ(plane.friction_force.size(), 2u);
        EXPECT_NEAR(plane.friction_force[0], sticks ? pull : 0.3 * N, 1e-13 * weight);
        EXPECT_NEAR(plane.friction_force[1], 0.0, 1e-13 * weight);
        EXPECT_NEAR(at.solution.acceleration[0],
                    sticks ? 0.0 : 0.3 * N / 2.0 - 9.81 * std::sin(slope), 1e-13 * weight);
        EXPECT_NEAR(at.solution.acceleration[1], 0.0, 1e-13 * weight);
        EXPECT_TRUE(at.forces_unique);
        ASSERT_TRUE(at.certificate);
        EXPECT_LE(std::max({at.certificate->primal, at.certificate->dual,
                            at.certificate->complementarity}),
                  1e-12);
    }
}

TEST(Incline, MovingTheForceOpposesTheMotionAndAboveThePlaneThereIsNone) {
    const Mechanism m = load("incline.lac");
    const double N = 2.0 * 9.81 * std::cos(0.5);
    for (const double v : {3.0, -0.7, 1e-3}) {
        const Evaluation at = m.evaluate(state_of(m, {{"x", 0.4}, {"x'", v}}));
        EXPECT_EQ(row(at, "plane").friction_state, "slips");
        EXPECT_NEAR(row(at, "plane").friction_force.at(0), v > 0 ? -0.3 * N : 0.3 * N, 1e-12);
    }
    for (const auto& [y, rate] : {std::pair{0.1, 0.0}, std::pair{0.0, 1.0}}) {
        const Evaluation at = m.evaluate(state_of(m, {{"y", y}, {"x'", 1.0}, {"y'", rate}}));
        EXPECT_EQ(row(at, "plane").contact, "open");
        EXPECT_EQ(row(at, "plane").friction_state, "none");
        EXPECT_EQ(row(at, "plane").multiplier, 0.0);
        EXPECT_NEAR(at.solution.acceleration[1], -9.81 * std::cos(0.5), 1e-13);
    }
}

// ---- spring and mass on a rough floor (models/rough_oscillator.lac)

/// From each turning point x the mass swings about sign(x) d, d = mu m g/k, for half a period pi/w,
/// w² = k/m, to the next: −x + 2 sign(x) d. It sticks at the first with k |x| <= mus m g.
struct Oscillator {
    Real k = 10.0L, m = 1.0L, g = 9.81, mu = 0.1, mus = 0.1, x0 = 1.0L;
    Real d() const { return mu * m * g / k; }
    Real half() const { return std::numbers::pi_v<Real> * std::sqrt(m / k); }
    std::vector<Real> turns() const {
        std::vector<Real> all{x0};
        while (k * std::abs(all.back()) > mus * m * g)
            all.push_back(-all.back() + std::copysign(2.0L * d(), all.back()));
        return all;
    }
    void expect(const Motion& motion) const {
        const std::vector<Real> all = turns();
        std::vector<Real> times;
        for (std::size_t i = 1; i < all.size(); ++i) times.push_back(static_cast<Real>(i) * half());
        std::vector<std::string> expected(times.size(), "slip floor");
        expected.back() = "stick floor";
        EXPECT_EQ(story(motion), expected);
        std::vector<double> found = event_times(motion, "slip");
        for (const double t : event_times(motion, "stick")) found.push_back(t);
        expect_times(found, times);
        const auto x = [&](Real t) {
            const auto n = static_cast<std::size_t>(t / half());
            if (n + 1 >= all.size()) return all.back();
            const Real middle = std::copysign(d(), all[n]);
            return middle + (all[n] - middle) *
                                std::cos(std::sqrt(k / m) * (t - static_cast<Real>(n) * half()));
        };
        EXPECT_LE(worst_error(motion, "x", x), exact);
        EXPECT_NEAR(last(motion, "x"), near(all.back()), exact);
        EXPECT_EQ(last(motion, "x'"), 0.0);
        EXPECT_NEAR(motion.summary.contact.lost.at("floor"),
                    near(0.5L * k * (x0 * x0 - all.back() * all.back())), exact);
    }
};

TEST(RoughOscillator, EveryHalfSwingIsShorterByTheSame) {
    Oscillator{}.expect(run_contacts(load("rough_oscillator.lac"), {.end = 6.0}));
}

TEST(RoughOscillator, ManySwingsKeepTheirTimes) {
    const Motion motion =
        run_contacts(load("rough_oscillator.lac", {{"mu", 0.013}, {"x0", 0.9}}), {.end = 36.0});
    const Oscillator one{.mu = 0.013, .mus = 0.013, .x0 = 0.9};
    EXPECT_GE(one.turns().size(), 30u);
    one.expect(motion);
}

TEST(RoughOscillator, AHigherCoefficientOfRestHoldsItEarlier) {
    const std::string text = R"(param k = 10, mu = 0.1, mus = 0.1, g = 9.81
        coord x, y
        particle block at (x, y) mass 1
        gravity (0, -g)
        potential k*x^2/2
        constraint floor: y >= 0 friction mu static mus
        start x = 1, y = 0)";
    std::vector<std::size_t> halves;
    for (const double mus : {0.1, 0.25, 0.45, 0.7}) {
        const Oscillator one{.mus = mus};
        halves.push_back(one.turns().size() - 1);
        one.expect(
            run_contacts(Mechanism::parse(text, "oscillator", {{"mus", mus}}), {.end = 6.0}));
    }
    EXPECT_EQ(halves, (std::vector<std::size_t>{5, 4, 3, 2}));
}

TEST(RoughOscillator, AtTheStartItStaysWhereTheSpringIsTooWeak) {
    const Motion motion = run_contacts(load("rough_oscillator.lac", {{"x0", 0.09}}), {.end = 3.0});
    EXPECT_TRUE(motion.summary.events.empty());
    EXPECT_LE(worst_error(motion, "x", [](Real) { return Real(0.09); }), 1e-15);
}

// ---- in space

TEST(Puck, StopsStraightAheadAfterItsWay) {
    const Mechanism m = Mechanism::parse(R"(param mu = 0.2, g = 9.81, vx = 3, vy = -1.6
        coord x, y, z
        particle puck at (x, y, z) mass 0.16
        gravity (0, 0, -g)
        constraint ice: z >= 0 friction mu
        start x = 0.5, y = 2, z = 0, x' = vx, y' = vy
        output ice.force)");
    const Motion motion = run_contacts(m, {.end = 3.0});
    const Real v = 3.4L, brake = Real(0.2) * Real(9.81), stop = v / brake;  // hypot(3, 1.6) = 3.4
    EXPECT_EQ(story(motion), std::vector<std::string>{"stick ice"});
    expect_times(event_times(motion, "stick"), {stop});
    const auto way = [&](Real t) {
        return t < stop ? v * t - 0.5L * brake * t * t : v * v / (2.0L * brake);
    };
    EXPECT_LE(worst_error(motion, "x", [&](Real t) { return 0.5L + 3.0L / v * way(t); }), exact);
    EXPECT_LE(worst_error(motion, "y", [&](Real t) { return 2.0L - 1.6L / v * way(t); }), exact);
    EXPECT_LE(worst_error(motion, "z", [](Real) { return 0.0L; }), 1e-15);
    EXPECT_NEAR(motion.summary.contact.lost.at("ice"), 0.5 * 0.16 * near(v * v), exact);
}

TEST(Puck, AcrossASlopeOfItsOwnFrictionItKeepsSpeedAndFallTogether) {
    // With mu = tan(slope) friction takes from the speed v, a second, what gravity gives to the
    // velocity u down the slope: v + u stays v0. In the angle f from the slope, v (1 + cos f) = v0
    // and f' = −g sin(slope) sin f/v.
    const Mechanism m = Mechanism::parse(R"(param slope = 0.4, g = 9.81, v0 = 2
        coord x, y, z
        particle puck at (x, y, z) mass 0.16
        gravity (0, -g*sin(slope), -g*cos(slope))
        constraint plane: z >= 0 friction tan(slope)
        start x = 0, y = 0, z = 0, x' = v0
        output kept = hypot(x', y') - y')");
    const Motion motion = run_contacts(m, {.end = 3.0, .every = 0.05});
    EXPECT_LE(worst_error(motion, "kept", [](Real) { return 2.0L; }), exact);
    const Real pull = Real(9.81) * std::sin(Real(0.4));
    const motions::Slope slope = [&](Real, const Vector& y) {
        const Real v = 2.0L / (1.0L + std::cos(y[0]));
        return Vector{-pull * std::sin(y[0]) / v, v * std::sin(y[0]), -v * std::cos(y[0])};
    };
    std::vector<double> times = motion.column("t");
    const std::vector<Vector> expected =
        reference_at(slope, 0.0L, {0.5L * std::numbers::pi_v<Real>, 0.0L, 0.0L},
                     {times.begin() + 1, times.end()});
    for (std::size_t i = 1; i < times.size(); ++i) {
        EXPECT_NEAR(motion.column("x")[i], near(expected[i - 1][1]), exact);
        EXPECT_NEAR(motion.column("y")[i], near(expected[i - 1][2]), 10 * exact);
    }
}

TEST(Puck, ASingleContactInSpaceHasForcesOfItsOwn) {
    const Mechanism m = Mechanism::parse(R"(coord x, y, z
        particle puck at (x, y, z) mass 2
        gravity (1, 0.5, -9.81)
        constraint plane: z >= 0 friction 0.3)");
    const Evaluation rests = m.evaluate(state_of(m, {}));
    ASSERT_TRUE(rests.status);
    EXPECT_EQ(row(rests, "plane").friction_state, "sticks");
    EXPECT_NEAR(row(rests, "plane").friction_force[0], -2.0, 1e-13);
    EXPECT_NEAR(row(rests, "plane").friction_force[1], -1.0, 1e-13);
    EXPECT_NEAR(row(rests, "plane").multiplier, 19.62, 1e-13);
    EXPECT_TRUE(rests.forces_unique);
}

// ---- belts

TEST(Belt, TakesABlockAlongUntilItKeepsUp) {
    const Mechanism m = Mechanism::parse(R"(param u = 1.5, mu = 0.25, g = 9.81
        coord x, y
        particle block at (x, y) mass 3
        gravity (0, -g)
        constraint belt: y >= 0 friction mu slip x' - u
        start x = 0, y = 0
        output energy)");
    const Motion motion = run_contacts(m, {.end = 2.0});
    const Real u = 1.5L, a = Real(0.25) * Real(9.81), keeps = u / a;
    EXPECT_EQ(story(motion), std::vector<std::string>{"stick belt"});
    expect_times(event_times(motion, "stick"), {keeps});
    EXPECT_LE(worst_error(motion, "x'", [&](Real t) { return std::min(u, a * t); }), exact);
    const auto x = [&](Real t) { return t < keeps ? 0.5L * a * t * t : u * t - 0.5L * u * keeps; };
    EXPECT_LE(worst_error(motion, "x", x), exact);
    // The belt slides u keeps/2 further than the block: force times way becomes heat.
    EXPECT_NEAR(motion.summary.contact.lost.at("belt"), near(3.0L * a * 0.5L * u * keeps), exact);
}

TEST(Belt, AWireThatRisesAndFallsDragsNoBeadAlongItself) {
    // A level wire at height sin(t): it presses with m (g − sin t), and friction of that takes the
    // bead's speed.
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle bead at (x, y) mass 0.3
        gravity (0, -9.81)
        constraint wire: y = sin(t) friction 0.2 on bead
        start x = 0, y ~ 0, x' = 4)");
    const Motion motion = run_contacts(m, {.end = 3.0});
    const auto speed = [](Real t) {
        return 4.0L - Real(0.2) * (Real(9.81) * t + std::cos(t) - 1.0L);
    };
    Real low = 0.0L, high = 3.0L;
    for (int i = 0; i < 80; ++i)
        (speed(0.5L * (low + high)) > 0.0L ? low : high) = 0.5L * (low + high);
    expect_times(event_times(motion, "stick"), {low});
    EXPECT_LE(worst_error(motion, "x'", [&](Real t) { return t < low ? speed(t) : 0.0L; }), exact);
}

TEST(Belt, ABeadThatRestsOnAnIncliningWireSlipsAtItsAngleOfFriction) {
    // A straight wire through the origin turns with the angle w t. The bead at the distance 1
    // sticks until g sin(w t) − w² = mu (g cos(w t)): towards the origin gravity pulls, outwards
    // the turn.
    const Mechanism m = Mechanism::parse(R"(param w = 0.5, mu = 0.3, g = 9.81
        coord x, y
        particle bead at (x, y) mass 0.3
        gravity (0, -g)
        constraint wire: y*cos(w*t) = x*sin(w*t) friction mu on bead
        start x = 1, y = 0, x' = 0, y' = w)");
    const Motion motion = run_contacts(m, {.end = 0.9});
    const auto spare = [](Real t) {
        const Real w = 0.5L, g = 9.81;
        return Real(0.3) * g * std::cos(w * t) - (g * std::sin(w * t) - w * w);
    };
    Real low = 0.0L, high = 0.9L;
    for (int i = 0; i < 80; ++i)
        (spare(0.5L * (low + high)) > 0.0L ? low : high) = 0.5L * (low + high);
    ASSERT_FALSE(event_times(motion, "slip").empty());
    EXPECT_NEAR(event_times(motion, "slip")[0], near(low), exact);
    const auto& t = motion.column("t");
    for (std::size_t i = 0; i < t.size() && t[i] < near(low); ++i)
        EXPECT_NEAR(std::hypot(motion.column("x")[i], motion.column("y")[i]), 1.0, 1e-12);
}

TEST(Belt, AShakenPlateHoldsABlockUpToTheCoefficientOfRest) {
    // The plate moves with A sin(w t). The block rests on it until A w² sin(w t) = mus g; then it
    // slides with x'' = −mu g until its velocity is that of the plate again, where it sticks if
    // that asks for no more than mus g.
    const Real A = 0.1, w = 8.0L, mu = 0.3, mus = 0.4, g = 9.81;
    const Mechanism m = Mechanism::parse(R"(param A = 0.1, w = 8, mu = 0.3, mus = 0.4, g = 9.81
        coord x, y
        particle block at (x, y) mass 2
        gravity (0, -g)
        constraint plate: y >= 0 friction mu static mus slip x' - A*w*cos(w*t)
        start x = 0, y = 0, x' = A*w)");
    const Real slips = std::asin(mus * g / (A * w * w)) / w, v = A * w * std::cos(w * slips);
    const auto ahead = [&](Real t) {
        return v - mu * g * (t - slips) - A * w * std::cos(w * t);
    };  // of the plate
    Real low = slips + 0.05L, high = slips + 0.5L;
    ASSERT_GT(ahead(low), 0.0L);
    ASSERT_LT(ahead(high), 0.0L);
    for (int i = 0; i < 80; ++i)
        (ahead(0.5L * (low + high)) > 0.0L ? low : high) = 0.5L * (low + high);
    const double end = near(low) + 0.01;
    const Motion motion = run_contacts(m, {.end = end, .every = 0.001});
    const bool sticks = std::abs(A * w * w * std::sin(w * low)) <= mus * g;
    EXPECT_EQ(story(motion),
              (std::vector<std::string>{"slip plate", sticks ? "stick plate" : "slip plate"}));
    ASSERT_EQ(motion.summary.events.size(), 2u);
    EXPECT_NEAR(motion.summary.events[0].t, near(slips), exact);
    EXPECT_NEAR(motion.summary.events[1].t, near(low), exact);
    const auto x = [&](Real t) {
        const Real after = t - slips;
        return t < slips ? A * std::sin(w * t)
                         : A * std::sin(w * slips) + v * after - 0.5L * mu * g * after * after;
    };
    const auto& t = motion.column("t");
    for (std::size_t i = 0; i < t.size() && t[i] < near(low); ++i)
        EXPECT_NEAR(motion.column("x")[i], near(x(t[i])), exact) << t[i];
}

// ---- a bead on a parabolic wire that spins (the geometry of models/spinning_wire.lac)

/// In the distance r from the axis, s = sqrt(1 + 4 r²): the wire presses across itself with m (2 w²
/// r² + 2 r'² + g)/s within its plane and m 2 w r' sideways; s² r'' = (w² − 2 g) r − 4 r r'² + s
/// F/m with the friction F along the wire.
struct SpinningWire {
    Real w = 3.0L, m = 0.2, g = 9.81, mu = 0.15;
    Real within(Real r, Real v) const {
        return m * (2.0L * w * w * r * r + 2.0L * v * v + g) / std::sqrt(1.0L + 4.0L * r * r);
    }
    Real sideways(Real v) const { return 2.0L * m * w * std::abs(v); }
    std::vector<Vector> at(const std::function<Real(Real r, Real v)>& friction, Real r, Real v,
                           std::vector<double> times) const {
        const motions::Slope slope = [&](Real, const Vector& y) {
            const Real s2 = 1.0L + 4.0L * y[0] * y[0];
            const Real force = (w * w - 2.0L * g) * y[0] - 4.0L * y[0] * y[1] * y[1] +
                               std::sqrt(s2) * friction(y[0], y[1]) / m;
            return Vector{y[1], force / s2};
        };
        return reference_at(slope, 0.0L, {r, v}, times);
    }
    static Mechanism model(const std::string& constraints) {
        return Mechanism::parse(R"(param w = 3, m = 0.2, g = 9.81, mu = 0.15
            coord x, y, z
            particle bead at (x, y, z) mass m
            gravity (0, 0, -g)
            let r = hypot(x, y)
            )" + constraints + R"(
            start x = 1, y = 0, z = 1, x' ~ -2, y' ~ w, z' ~ -4
            output r, r')");
    }
    void expect(const Mechanism& mechanism,
                const std::function<Real(Real r, Real v)>& friction) const {
        // Before it comes to the axis.
        const Motion motion = run_contacts(mechanism, {.end = 0.3, .every = 0.02});
        const std::vector<double>& t = motion.column("t");
        const auto expected =
            at(friction, motion.column("r")[0], motion.column("r'")[0], {t.begin() + 1, t.end()});
        for (std::size_t i = 1; i < t.size(); ++i) {
            ASSERT_GT(expected[i - 1][0], 0.05L) << "r would turn its sign";
            EXPECT_NEAR(motion.column("r")[i], near(expected[i - 1][0]), exact) << t[i];
            EXPECT_NEAR(motion.column("r'")[i], near(expected[i - 1][1]), 10 * exact) << t[i];
        }
    }
};

TEST(SpinningWire, AsOneWireItRubsWithAllItsForce) {
    const SpinningWire wire;
    const Mechanism m = SpinningWire::model(
        "constraint wire: (z, x*sin(w*t)) = (r^2, y*cos(w*t)) friction mu on bead");
    wire.expect(m, [&](Real r, Real v) {
        return -std::copysign(wire.mu * std::hypot(wire.within(r, v), wire.sideways(v)), v);
    });
}

// Where two constraints hold one bead, they are its wire, and each rubs along it by its own force.

TEST(SpinningWire, TheBowlRubsByTheForceWithinThePlane) {
    const SpinningWire wire;
    const Mechanism m = SpinningWire::model(
        "constraint bowl: z = r^2 friction mu on bead\nconstraint plane: x*sin(w*t) = y*cos(w*t)");
    wire.expect(m, [&](Real r, Real v) { return -std::copysign(wire.mu * wire.within(r, v), v); });
}

TEST(SpinningWire, ThePlaneRubsByTheForceSideways) {
    const SpinningWire wire;
    const Mechanism m = SpinningWire::model(
        "constraint bowl: z = r^2\nconstraint plane: x*sin(w*t) = y*cos(w*t) friction mu on bead");
    wire.expect(m, [&](Real, Real v) { return -std::copysign(wire.mu * wire.sideways(v), v); });
}

TEST(SpinningWire, BothRubEachByItsForce) {
    const SpinningWire wire;
    const Mechanism m = SpinningWire::model(
        "constraint bowl: z = r^2 friction mu on bead\nconstraint plane: x*sin(w*t) = y*cos(w*t) "
        "friction mu on bead");
    wire.expect(m, [&](Real r, Real v) {
        return -std::copysign(wire.mu * (wire.within(r, v) + wire.sideways(v)), v);
    });
}

TEST(SpinningWire, ASlipThatIsGivenRubsAgainstAllOfTheVelocity) {
    // Friction at the bowl, which stands still: the bead slides over it with s r' along the wire
    // and w r around. The row is scaled to a length, so that its multiplier is the force.
    const SpinningWire wire;
    const Mechanism m = SpinningWire::model(
        "constraint bowl: (z - r^2)/sqrt(1 + 4*r^2) = 0 friction mu slip bead'\nconstraint plane: "
        "x*sin(w*t) = y*cos(w*t)");
    wire.expect(m, [&](Real r, Real v) {
        const Real along = std::sqrt(1.0L + 4.0L * r * r) * v;
        return -wire.mu * wire.within(r, v) * along / std::hypot(along, wire.w * r);
    });
}

}  // namespace
}  // namespace lacon::contacts
