// Dry friction with a fixed bound, against closed forms: what rests, slides, stops and begins.

#include <fmt/format.h>

#include <numbers>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

using Stories = std::vector<std::string>;

constexpr Real pi = std::numbers::pi_v<Real>;

Mechanism dry(const std::string& text) {
    return Mechanism::parse(text);
}

const std::string oscillator = R"(
param m = 1, k = 4, F = 0.5, x0 = 1.1
coord x
kinetic m*x'^2/2
potential k*x^2/2
friction x = F
start x = x0
simulate 0..10 every 0.01
)";

/// Half swings about ±F/k, each with an amplitude that is smaller by 2 F/k.
struct HalfSwings {
    Real m, k, F, x0;
    Real length() const { return pi * std::sqrt(m / k); }
    Real d() const { return F / k; }
    int count() const {
        int n = 0;
        for (Real size = std::abs(x0); size > d(); size = std::abs(size - 2 * d())) ++n;
        return n;
    }
    Real turn(int n) const { return (n % 2 == 0 ? 1.0L : -1.0L) * (x0 - 2 * n * d()); }
    Real x(Real t) const {
        const int n = static_cast<int>(t / length());
        if (n >= count()) return turn(count());
        const Real middle = n % 2 == 0 ? d() : -d();
        return middle + (turn(n) - middle) * std::cos(std::sqrt(k / m) * (t - n * length()));
    }
};

TEST(DryFriction, AMassOnASpringStopsAfterAsManyHalfSwingsAsItsStretchAllows) {
    for (const auto& [m, k, F, x0] :
         {std::tuple{1.0, 4.0, 0.5, 1.1}, std::tuple{2.0, 7.0, 1.3, 2.0},
          std::tuple{0.3, 1.0, 0.05, 0.72}}) {
        const HalfSwings swings{m, k, F, x0};
        const Motion motion = run_contacts(
            Mechanism::parse(oscillator, "model", {{"m", m}, {"k", k}, {"F", F}, {"x0", x0}}),
            {.end = 20.0});
        Stories expected(static_cast<std::size_t>(swings.count()), "slip friction x");
        expected.back() = "stick friction x";
        EXPECT_EQ(story(motion), expected);
        std::vector<Real> times;
        for (int n = 1; n < swings.count(); ++n) times.push_back(n * swings.length());
        expect_times(event_times(motion, "slip"), times);
        expect_times(event_times(motion, "stick"), {swings.count() * swings.length()});
        EXPECT_LE(worst_error(motion, "x", [&](Real t) { return swings.x(t); }), exact);
        const Real rest = swings.turn(swings.count()), lost = k * (x0 * x0 - rest * rest) / 2;
        EXPECT_NEAR(motion.summary.contact.lost.at("friction x"), near(lost), 10 * exact);
    }
}

TEST(DryFriction, WithinItsBoundItRestsFromTheBeginning) {
    const Motion motion =
        run_contacts(Mechanism::parse(oscillator, "model", {{"x0", 0.1249}}), {.end = 5.0});
    EXPECT_TRUE(story(motion).empty());
    EXPECT_EQ(worst_error(motion, "x", [](Real) { return Real(0.1249); }), 0.0);
}

TEST(DryFriction, UnderAGrowingForceItSlipsWithTheThirdPowerOfTime) {
    for (const auto& [m, F] : {std::pair{1.0, 1.0}, std::pair{2.5, 0.3}, std::pair{0.1, 2.7}})
        for (const char* sign : {"", "-"}) {
            const Motion motion = run_contacts(
                dry(fmt::format("param m = {}\ncoord x\nkinetic m*x'^2/2\nforce x = {}t\n"
                                "friction x = {}\nsimulate 0..4\n",
                                m, sign, F)),
                {});
            EXPECT_EQ(story(motion), Stories{"slip friction x"});
            expect_times(event_times(motion, "slip"), {Real(F)});
            const Real along = *sign ? -1 : 1;
            EXPECT_LE(worst_error(motion, "x",
                                  [&](Real t) {
                                      const Real since = std::max(t - Real(F), 0.0L);
                                      return along * since * since * since / (6 * Real(m));
                                  }),
                      exact * 100);  // of a hundred metres
        }
}

TEST(DryFriction, TwoMassesMirrorEachOther) {
    // Each has half the spring, which is twice as stiff.
    const Motion motion = run_contacts(dry("coord x, y\nkinetic x'^2/2 + y'^2/2\n"
                                           "potential 2*(x - y)^2/2\nfriction x = 0.5, y = 0.5\n"
                                           "start x = 1.1, y = -1.1\nsimulate 0..10 every 0.01\n"),
                                       {});
    const HalfSwings swings{1.0L, 4.0L, 0.5L, 1.1};
    EXPECT_EQ(event_times(motion, "stick").size(), 2u);
    EXPECT_LE(worst_error(motion, "x", [&](Real t) { return swings.x(t); }), exact);
    EXPECT_LE(worst_error(motion, "y", [&](Real t) { return -swings.x(t); }), exact);
}

TEST(DryFriction, EachSwingOfAPendulumLosesTheBoundTimesItsAngle) {
    const Motion motion = run_contacts(dry("param m = 2, L = 1.5, g = 9.81, F = 0.7\ncoord th\n"
                                           "kinetic m*L^2*th'^2/2\npotential -m*g*L*cos(th)\n"
                                           "friction th = F\nstart th = 1.2\nsimulate 0..40\n"),
                                       {});
    // From one turning point to the next, each on the other side.
    constexpr Real weight = 2.0L * 9.81L * 1.5L, F = 0.7L;
    Real from = 1.2L, way = 0.0L;
    std::size_t swings = 0;
    for (; weight * std::sin(from) > F; ++swings) {
        const auto left = [&](Real to) {  // of the energy, at the angle `to` on the other side
            return weight * (std::cos(to) - std::cos(from)) - F * (from + to);
        };
        Real low = 0.0L, high = from;  // positive at the bottom, negative at the same height
        for (int i = 0; i < 80; ++i) (left((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
        way += from + high;
        from = high;
    }
    ASSERT_GE(swings, 20u);
    EXPECT_EQ(motion.summary.events.size(), swings);
    EXPECT_EQ(event_times(motion, "stick").size(), 1u);
    EXPECT_NEAR(std::abs(last(motion, "th")), near(from), exact);
    EXPECT_NEAR(motion.summary.contact.lost.at("friction th"), near(F * way), exact);
}

TEST(DryFriction, OfADrivenCoordinateTheDriveCarriesIt) {
    const Motion motion = run_contacts(
        dry("param F = 3\ncoord x\nkinetic x'^2/2\nconstraint drive: x = sin(t)\nfriction x = F\n"
            "start x ~ 0, x' ~ 1\nsimulate 0..7\noutput drive.multiplier\n"),
        {});
    EXPECT_EQ(story(motion), (Stories{"slip friction x", "slip friction x"}));
    expect_times(event_times(motion, "slip"), {pi / 2, 3 * pi / 2});
    const auto drive = [](Real t) { return -std::sin(t) + (std::cos(t) > 0 ? 3.0L : -3.0L); };
    EXPECT_LE(worst_between(motion, "drive.multiplier", drive, event_times(motion, "slip")), exact);
}

TEST(DryFriction, ABrakeAndAConveyorSlipOneAfterTheOther) {
    // The brake holds the belt up to 25 N; the block on it goes along up to mu g = 4 m/s².
    const Motion motion =
        run_contacts(dry("coord b, x, y\nkinetic 5*b'^2/2 + 2*(x'^2 + y'^2)/2\npotential 20*y\n"
                         "force b = 15*t\nconstraint belt: y >= 0 friction 0.4 slip x' - b'\n"
                         "friction b = 25\nsimulate 0..5\n"),
                     {});
    EXPECT_EQ(story(motion), (Stories{"slip friction b", "slip belt"}));
    const Real brake = 25.0L / 15, belt = (25.0L + 28.0L) / 15;
    expect_times(event_times(motion, "slip"), {brake, belt});
    const auto together = [&](Real t) { return 7.5L * (t - brake) * (t - brake) / 7; };
    const auto belts = [&](Real t) {
        if (t < brake) return 0.0L;
        if (t < belt) return together(t);
        return together(belt) + ((7.5L * t * t - 33 * t) - (7.5L * belt * belt - 33 * belt)) / 5;
    };
    const auto blocks = [&](Real t) {
        return t < belt ? belts(t) : together(belt) + 4 * (t - belt);
    };
    EXPECT_LE(worst_error(motion, "b'", belts), exact);
    EXPECT_LE(worst_error(motion, "x'", blocks), exact);
}

TEST(DryFriction, BoundsOfTiedCoordinatesAddUp) {
    const Mechanism tied =
        dry("coord x, y\nkinetic x'^2/2 + y'^2/2\nconstraint tie: x = y\nforce x = t\n"
            "friction x = 2, y = 3\nsimulate 0..8\n");
    const Evaluation at = tied.evaluate(State{4.5, {0.0, 0.0}, {0.0, 0.0}});
    EXPECT_FALSE(at.forces_unique);
    EXPECT_EQ(at.solution.acceleration, (std::vector{0.0, 0.0}));
    for (const DryFrictionReport& one : at.frictions) {
        EXPECT_EQ(one.friction_state, "sticks");
        EXPECT_LE(std::abs(one.force), one.bound * (1.0 + 1e-12));
    }
    EXPECT_NEAR(at.frictions[0].force + at.frictions[1].force, -4.5, 1e-12);
    // Where no share of the forces does any more is found by halving (docs/contact.md).
    const Motion motion = motions::run_well(tied, {});
    EXPECT_LE(motion.summary.contact.certificate.dual, 1e-11);
    EXPECT_EQ(story(motion), (Stories{"slip friction x", "slip friction y"}));
    expect_times(event_times(motion, "slip"), {5.0L, 5.0L});
    const auto x = [](Real t) { return t < 5 ? 0.0L : (t - 5) * (t - 5) * (t - 5) / 12; };
    EXPECT_LE(worst_error(motion, "x", x), exact);
    EXPECT_LE(worst_error(motion, "y", x), exact);
}

TEST(DryFriction, ABoundThatFallsBelowTheLoadLetsGo) {
    const Motion motion = run_contacts(dry("coord x\nkinetic x'^2/2\nforce x = 1\n"
                                           "friction x = 3 - t\nsimulate 0..2.5\n"),
                                       {});
    EXPECT_EQ(story(motion), Stories{"slip friction x"});
    expect_times(event_times(motion, "slip"), {2.0L});
    const auto x = [](Real t) { return t < 2 ? 0.0L : (t - 2) * (t - 2) * (t - 2) / 6; };
    EXPECT_LE(worst_error(motion, "x", x), exact);
}

TEST(DryFriction, ABoundThatJumpsLetsGoWhereItDoes) {
    for (const char* bound : {"if(t < 1.3, 2, 0.5)", "0.5 static if(t < 1.3, 2, 0.7)"})
        for (const double tolerance : {1e-7, 1e-9, 1e-12}) {
            const Motion motion =
                run_contacts(dry(fmt::format("coord x\nkinetic x'^2/2\nforce x = 1\n"
                                             "friction x = {}\nsimulate 0..4\n",
                                             bound)),
                             {.tolerance = tolerance});
            EXPECT_EQ(story(motion), (Stories{"switch t < 1.3", "slip friction x"})) << bound;
            expect_times(event_times(motion, "slip"), {Real(1.3)});
            const auto x = [](Real t) {
                return t < 1.3 ? 0.0L : (t - Real(1.3)) * (t - Real(1.3)) / 4;
            };
            EXPECT_LE(worst_error(motion, "x", x), exact);
        }
}

TEST(DryFriction, ABoundBelowZeroCountsAsZero) {
    const Motion motion = run_contacts(dry("coord x\nkinetic x'^2/2\nfriction x = 1 - t\n"
                                           "start x' = 2\nsimulate 0..4\n"),
                                       {});
    const auto v = [](Real t) { return t < 1 ? 2 - t + t * t / 2 : 1.5L; };
    EXPECT_LE(worst_error(motion, "x'", v), exact);
}

TEST(DryFriction, WithABoundOfZeroTheRunHasTheSameBits) {
    const std::string text =
        "param F = 0\ncoord x\nkinetic x'^2/2\npotential x^4/4\n"
        "start x = 1\nsimulate 0..20\n";
    const Motion without = motions::run_well(dry(text), {}),
                 with = motions::run_well(dry(text + "friction x = F\n"), {});
    EXPECT_EQ(with.summary.final.q, without.summary.final.q);
    EXPECT_EQ(with.summary.final.v, without.summary.final.v);
    EXPECT_EQ(with.column("x"), without.column("x"));
    EXPECT_TRUE(with.summary.events.empty());
}

TEST(DryFriction, AGreaterBoundAtRestMakesStickSlip) {
    const Motion motion = run_contacts(load("dry_friction.lac"), {});
    const Real v = 0.3, w = std::sqrt(10.0L), slip = (2 * pi - 2 * std::atan(0.1L * w / v)) / w;
    const Real stick = 0.2L / v;  // from x = 0.1 to 0.3
    std::vector<Real> slips, sticks;
    for (Real t = 3.0L / 10 / v; t < 10; t += slip + stick) {
        slips.push_back(t);
        if (t + slip < 10) sticks.push_back(t + slip);
    }
    expect_times(event_times(motion, "slip"), slips);
    expect_times(event_times(motion, "stick"), sticks);
    EXPECT_EQ(motion.summary.events.size(), slips.size() + sticks.size());
}

TEST(DryFriction, TakesNoPartInAnImpact) {
    const Motion motion = run_contacts(
        dry("coord x, y\nkinetic x'^2/2 + y'^2/2\nconstraint wall: y - x >= 0 restitution 0.5\n"
            "friction x = 1, y = 2\nstart x = -1, x' = 3, y = 0\nsimulate 0..5\n"),
        {});
    const Real v = std::sqrt(7.0L), hit = 3 - v;
    expect_times(event_times(motion, "impact"), {hit});
    expect_times(event_times(motion, "stick"), {hit + 0.25L * v, hit + 0.375L * v});
    EXPECT_NEAR(motion.summary.contact.lost.at("wall"), near(7 * 0.1875L), exact);
    EXPECT_NEAR(last(motion, "y"), near(0.5625L * 7 / 4), exact);
}

TEST(DryFriction, AControlWorksAgainstIt) {
    const Motion motion =
        run_contacts(dry("param F = 2\ncoord x\nkinetic 3*x'^2/2\nfriction x = F\n"
                         "control track: x = sin(t) by x gain 20 100\n"
                         "start x = 0, x' = 1\nsimulate 0..7\n"),
                     {});
    EXPECT_LE(worst_error(motion, "x", [](Real t) { return std::sin(t); }), exact);
    const auto effort = [](Real t) { return -3 * std::sin(t) + (std::cos(t) > 0 ? 2.0L : -2.0L); };
    EXPECT_LE(worst_between(motion, "effort.x", effort, event_times(motion, "slip")), 10 * exact);
}

TEST(DryFriction, EventsDoNotDependOnTheTolerance) {
    const std::string models[] = {
        "coord x, y\nkinetic x'^2/2 + y'^2\npotential 2*(x - y)^2\nfriction x = 0.5, y = 0.3\n"
        "start x = 1.1\nsimulate 0..20\n",
        "coord x, y\nkinetic x'^2/2 + y'^2\npotential 2*(x - y)^2\nfriction x = 0.5, y = 0.3\n"
        "force x = 3*sin(t/2), y = cos(2*t)\nsimulate 0..20\n",
        "coord q[1..4]\nkinetic q[i]'^2/2 for i in 1..4\n"
        "potential 5*(q[i+1] - q[i])^2 for i in 1..3\nfriction q[i] = i/4 static i/3 for i in "
        "1..4\n"
        "force q[1] = 4*sin(t), q[4] = t/4\nsimulate 0..12\n"};
    for (const std::string& text : models) {
        const Motion finest = run_contacts(dry(text), {});
        EXPECT_GE(finest.summary.events.size(), 5u);
        for (const double tolerance : {1e-9, 1e-7}) {
            const Motion motion = run_contacts(dry(text), {.tolerance = tolerance});
            ASSERT_EQ(story(motion), story(finest)) << tolerance;
            for (std::size_t i = 0; i < finest.summary.events.size(); ++i)
                EXPECT_NEAR(motion.summary.events[i].t, finest.summary.events[i].t,
                            1e3 * tolerance);
        }
    }
}

TEST(DryFriction, IsTheLimitOfSteepCurves) {
    const std::string model =
        "coord x, y\nkinetic x'^2/2 + y'^2\npotential 2*(x - y)^2\n"
        "force x = 3*sin(t/2)\nsimulate 0..10\n";
    const Motion dry_motion =
        run_contacts(dry(model + "friction x = 0.5, y = 0.3\n"), {.tolerance = 1e-9});
    double before = INFINITY;
    for (const double steep : {1e-2, 1e-3, 1e-4}) {
        const Motion smooth = motions::run_well(
            dry(model + fmt::format("force x = -0.5*tanh(x'/{0}), y = -0.3*tanh(y'/{0})\n", steep)),
            {.tolerance = 1e-8});
        const double apart = std::abs(last(smooth, "x") - last(dry_motion, "x"));
        EXPECT_LE(apart, 20.0 * steep);  // they creep at up to this speed where they should rest
        EXPECT_LT(apart, before);
        before = apart;
    }
}

TEST(DryFriction, IsReportedAtAState) {
    const Mechanism m =
        dry("coord x, y\nkinetic x'^2/2 + y'^2/2\nforce x = 1, y = 5\n"
            "friction x = 2, y = 3 static 4\n");
    const Evaluation rest = m.evaluate(State{0.0, {0.0, 0.0}, {0.0, 0.0}});
    ASSERT_EQ(rest.frictions.size(), 2u);
    EXPECT_EQ(rest.frictions[0].name, "friction x");
    EXPECT_EQ(rest.frictions[0].friction_state, "sticks");
    EXPECT_EQ(rest.frictions[0].force, -1.0);
    EXPECT_EQ(rest.frictions[1].friction_state, "slips");
    EXPECT_EQ(rest.frictions[1].force, -3.0);
    EXPECT_EQ(rest.frictions[1].bound, 3.0);
    EXPECT_EQ(rest.solution.acceleration, (std::vector{0.0, 2.0}));
    ASSERT_TRUE(rest.certificate);
    EXPECT_LE(rest.certificate->dual, 1e-14);
    const Evaluation moving = m.evaluate(State{0.0, {0.0, 0.0}, {-1.0, 1e-3}});
    EXPECT_EQ(moving.frictions[0].force, 2.0);
    EXPECT_EQ(moving.nonideal_power, -2.0 - 3e-3);
    EXPECT_EQ(moving.solution.acceleration, (std::vector{3.0, 2.0}));
}

TEST(DryFriction, LeavesItsWordFreeAsAName) {
    const Mechanism m =
        dry("param friction = 0.5\ncoord x\nkinetic x'^2/2\nforce x = (2 -\n"
            "friction*x +\nfriction)\nfriction x = friction\n");
    EXPECT_EQ(m.evaluate(State{0.0, {1.0}, {0.0}}).solution.acceleration[0], 1.5);
    EXPECT_THROW(dry("coord x\nkinetic x'^2/2\nlet f(a) = a*friction\n"), ModelError);
}

TEST(DryFriction, NewParametersMayStartItAndMustNotBeNegative) {
    const Mechanism m = Mechanism::parse(oscillator, "model", {{"F", 0.0}});
    EXPECT_TRUE(story(motions::run_well(m, {.end = 3.0})).empty());
    EXPECT_EQ(story(run_contacts(m.with_parameters({{"F", 10.0}}), {.end = 3.0})), Stories{});
    EXPECT_EQ(last(run_contacts(m.with_parameters({{"F", 10.0}}), {.end = 3.0}), "x"), 1.1);
    EXPECT_THROW(m.with_parameters({{"F", -1.0}}), std::invalid_argument);
}

}  // namespace
}  // namespace lacon::contacts
