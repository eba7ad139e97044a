// Rigid bodies in the plane: a block that rocks, Painlevé's rod, a ladder that leaves its wall, a
// sphere that rolls and slips.

#include "cli/program.hpp"
#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

// ---- the rocking block (models/rocking_block.lac)

/// About a corner, f = alpha − th: f'' = p sin f, p = 3 g/(4 r), so f'² = 2 p (cos f0 − cos f) from
/// rest at f0. Flat at f = alpha.
struct Block {
    Real b = 0.2, h = 1.0L, m = 1.0L, g = 9.81;
    Real r() const { return std::hypot(b, h); }
    Real alpha() const { return std::atan2(b, h); }
    Real p() const { return 0.75L * g / r(); }
    /// From rest at f0 until it is flat; with f = f0 + s² the integrand is smooth: cos f0 − cos f =
    /// 2 sin(f0 + s²/2) sin(s²/2).
    Real fall(Real f0) const {
        const auto rate = [&](Real s) {
            const Real half = 0.5L * s * s, sinc = half == 0.0L ? 1.0L : std::sin(half) / half;
            return 2.0L / std::sqrt(2.0L * p() * std::sin(f0 + half) * sinc);
        };
        return integral(rate, 0.0L, std::sqrt(alpha() - f0));
    }
    Real rate_from(Real f0) const {
        return std::sqrt(2.0L * p() * (std::cos(f0) - std::cos(alpha())));
    }
    Real rest_of(Real rate) const {
        return std::acos(std::cos(alpha()) + rate * rate / (2.0L * p()));
    }
    Real ratio() const { return 1.0L - 1.5L * std::pow(std::sin(alpha()), 2.0L); }
};

class RockingBlock : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(RockingBlock, EveryImpactComesInTimeAndTakesItsPart) {
    const auto [width, tilt] = GetParam();
    const Block block{.b = width};
    Real rate = block.rate_from(block.alpha() - tilt);
    std::vector<Real> times{block.fall(block.alpha() - tilt)};
    std::vector<Real> rates{rate};  // before the first impact, between, after the third
    for (int i = 0; i < 3; ++i) {
        rates.push_back(rate *= block.ratio());
        times.push_back(times.back() + 2.0L * block.fall(block.rest_of(rate)));
    }
    times.pop_back();
    const double end = near(times.back()) + 0.02;
    const Mechanism m = load("rocking_block.lac", {{"b", width}, {"th0", tilt}});
    const Motion motion = run_contacts(m, {.end = end, .every = 0.005});
    expect_times(event_times(motion, "impact"), times);
    // The energy above that of the flat block is 2/3 m r² th'² there.
    const auto energy = [&](Real t) {
        std::size_t i = 0;
        while (i < times.size() && t > times[i]) ++i;
        return block.m * block.g * block.h +
               2.0L / 3.0L * block.m * block.r() * block.r() * rates[i] * rates[i];
    };
    EXPECT_LE(worst_between(motion, "energy", energy, event_times(motion, "impact")), exact);
    const auto &th = motion.column("th"), &t = motion.column("t");
    for (std::size_t i = 0; i < t.size(); ++i) {
        const bool left = t[i] < near(times[0]) - 1e-9 ||
                          (t[i] > near(times[1]) + 1e-9 && t[i] < near(times[2]) - 1e-9);
        const bool right = (t[i] > near(times[0]) + 1e-9 && t[i] < near(times[1]) - 1e-9) ||
                           t[i] > near(times[2]) + 1e-9;
        if (left) {
            EXPECT_GT(th[i], 0.0) << t[i];
        }
        if (right) {
            EXPECT_LT(th[i], 0.0) << t[i];
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Of, RockingBlock,
                         testing::Values(std::pair{0.2, 0.1}, std::pair{0.2, 0.15},
                                         std::pair{0.4, 0.15}));

// ---- Painlevé's rod (models/painleve_rod.lac)

/// The tip on the floor with the speed of sliding s, the rod at th, turning with w.
State rod_state(const Mechanism& m, Real th, Real w, Real s) {
    const Real l = m.parameter("l");
    return state_of(m, {{"x", 0.3L},
                        {"y", l * std::sin(th)},
                        {"th", th},
                        {"x'", s - l * std::sin(th) * w},
                        {"y'", l * std::cos(th) * w},
                        {"th'", w}});
}

/// With friction −mu N sign(s) on the tip, the tip's vertical acceleration is N q/m − p:
/// q = 1 + 3 cos² th + 3 mu sign(s) sin th cos th, p = g − l w² sin th.
struct Rod {
    Real q, p;
    Rod(const Mechanism& m, Real th, Real w, Real s)
        : q(1.0L + 3.0L * std::cos(th) * std::cos(th) +
            std::copysign(3.0L * m.parameter("mu"), s) * std::sin(th) * std::cos(th)),
          p(m.parameter("g") - m.parameter("l") * w * w * std::sin(th)) {}
};

TEST(PainleveRod, BelowTheThresholdTheForceIsUnique) {
    for (const double mu : {0.3, 1.0, 1.3}) {
        const Mechanism m = load("painleve_rod.lac", {{"mu", mu}, {"m", 2.0}, {"l", 0.8}});
        for (const double th : {0.2, 0.6, 0.9, 1.1, 1.2, 1.5, 2.0})
            for (const double w : {0.0, 1.5, -2.5, 3.4, 6.0})
                for (const double s : {-5.0, -0.1, 3.0}) {
                    const Rod rod(m, th, w, s);
                    if (rod.q <= 0.0L) continue;  // th beyond the vertical, s to the other side
                    const State state = rod_state(m, th, w, s);
                    const Evaluation at = m.evaluate(state);
                    ASSERT_TRUE(at.status) << at.status.message;
                    const Real N = std::max(0.0L, 2.0L * rod.p / rod.q);
                    const ConstraintReport& floor = row(at, "floor");
                    EXPECT_EQ(floor.contact, rod.p > 0.0L ? "closed" : "open") << th << " " << w;
                    EXPECT_EQ(floor.friction_state, rod.p > 0.0L ? "slips" : "none")
                        << th << " " << w;
                    // q is as small as 0.05 here, and N as exact as it.
                    EXPECT_NEAR(floor.multiplier, near(N), 1e-12 * std::max(10.0, near(N / rod.q)))
                        << mu << " " << th << " " << w;
                    if (rod.p > 0.0L) {
                        EXPECT_NEAR(floor.friction_force.at(0),
                                    near(-std::copysign(Real(mu), s) * N),
                                    1e-12 * std::max(10.0, near(N / rod.q)));
                    }
                }
    }
}

TEST(PainleveRod, AboveTheThresholdThereIsNoForceOrThereAreTwo) {
    for (const double mu : {1.6, 2.5}) {
        const Mechanism m = load("painleve_rod.lac", {{"mu", mu}});
        int none = 0, several = 0;
        for (const double th : {0.9, 1.0, 1.107, 1.2, 1.25})
            for (const double w : {0.0, 1.0, -2.0, 3.6, -5.0}) {
                const Rod rod(m, th, w, -4.0L);
                if (rod.q >= 0.0L) continue;
                const Evaluation at = m.evaluate(rod_state(m, th, w, -4.0L));
                const Outcome expected = rod.p > 0.0L ? Outcome::no_force : Outcome::several;
                ++(rod.p > 0.0L ? none : several);
                EXPECT_EQ(at.status.outcome, expected)
                    << mu << " " << th << " " << w << ": " << at.status.message;
                EXPECT_NE(at.status.message.find("'floor'"), std::string::npos)
                    << at.status.message;
                EXPECT_NE(at.status.message.find(mu == 1.6 ? "1.6" : "2.5"), std::string::npos)
                    << at.status.message;
                EXPECT_EQ(at.status.names, std::vector<std::string>{"floor"});
                EXPECT_TRUE(at.solution.acceleration.empty());
                EXPECT_TRUE(std::isnan(row(at, "floor").multiplier));
            }
        EXPECT_GE(none, 5);
        EXPECT_GE(several, 4);
    }
}

TEST(PainleveRod, SlidingTheOtherWayThereIsNoParadox) {
    const Mechanism m = load("painleve_rod.lac", {{"mu", 2.5}});
    for (const double th : {0.9, 1.107, 1.25}) {
        const Evaluation at = m.evaluate(rod_state(m, th, 0.5L, 4.0L));
        ASSERT_TRUE(at.status) << at.status.message;
        const Rod rod(m, th, 0.5L, 4.0L);
        EXPECT_NEAR(row(at, "floor").multiplier, near(rod.p / rod.q), 1e-12);
    }
}

TEST(PainleveRod, ARunThatBeginsAboveTheThresholdEndsThere) {
    const Motion motion = run(load("painleve_rod.lac", {{"mu", 2.0}}), {.end = 0.2});
    EXPECT_EQ(motion.status.outcome, Outcome::no_force);
    EXPECT_NE(motion.status.message.find("'floor' (coefficient 2)"), std::string::npos)
        << motion.status.message;
}

const std::string rod_on_patch = R"(param l = 1, m = 1, g = 9.81
    coord x, y, th
    kinetic m*(x'^2 + y'^2)/2 + m*l^2/3*th'^2/2
    potential m*g*y
    let tip = (x - l*cos(th), y - l*sin(th))
    constraint floor: tip.y >= 0 friction if(tip.x > -0.25, 0.5, 2) slip tip.x'
    start th = 1.1, x = l*cos(1.1), y = l*sin(1.1), x' = -5
    simulate 0..0.2 every 0.001)";

TEST(PainleveRod, ARunThatComesToRoughGroundEndsThere) {
    // With mu = 0.5 the tip slides 0.25 m in about 0.05 s; the ground beyond has mu = 2, above the
    // threshold.
    const Motion motion = run(Mechanism::parse(rod_on_patch), {.tolerance = 1e-12});
    EXPECT_EQ(motion.status.outcome, Outcome::no_force) << motion.status.message;
    EXPECT_NE(motion.status.message.find("'floor' (coefficient 2)"), std::string::npos)
        << motion.status.message;
    const State& at = motion.summary.final;
    EXPECT_NEAR(at.q[0] - std::cos(at.q[2]), -0.25, exact);  // of the tip
    for (const auto& column : motion.columns)
        for (const double value : column) EXPECT_TRUE(std::isfinite(value));
}

TEST(PainleveRod, ARunWhoseFrictionGrowsOverTheThresholdEndsThere) {
    // The coefficient grows so fast that the rod hardly moves until q = 0: mu = (1 + 3 cos² th)/(3
    // sin th cos th) = 1.33354.
    std::string text = rod_on_patch;
    const std::string coefficient = "if(tip.x > -0.25, 0.5, 2)";
    text.replace(text.find(coefficient), coefficient.size(), "1 + 1e4*t");
    const Motion motion = run(Mechanism::parse(text), {.tolerance = 1e-12});
    EXPECT_TRUE(motion.status.outcome == Outcome::no_force ||
                motion.status.outcome == Outcome::several)
        << name_of(motion.status.outcome) << ": " << motion.status.message;
    EXPECT_NE(motion.status.message.find("'floor' (coefficient 1.3335"), std::string::npos)
        << motion.status.message;
    EXPECT_NEAR(motion.summary.final.t, 0.33354e-4, 1e-9);
}

TEST(PainleveRod, TheProgramSaysSoWithStatusOne) {
    const Folder folder;
    folder.write("rod.lac", rod_on_patch);
    const Finished done = folder.run("run rod.lac --json --tol 1e-12 --out rod.csv");
    EXPECT_EQ(done.status, 1) << done.err;
    EXPECT_EQ(done.json()["status"], "no_force");
    const std::string message = done.json()["message"];
    EXPECT_NE(message.find("'floor' (coefficient 2)"), std::string::npos) << message;
    const std::string model = "'" LACON_SOURCE_DIR "/models/painleve_rod.lac'";
    const Finished eval = folder.run("eval " + model + " --json --set mu=2");
    EXPECT_EQ(eval.status, 1);
    EXPECT_EQ(eval.json()["status"], "no_force");
    const Finished text = folder.run("run " + model + " --set mu=2 --quiet");
    EXPECT_EQ(text.status, 1);
    EXPECT_NE((text.err + text.out).find("'floor' (coefficient 2)"), std::string::npos)
        << text.err << text.out;
}

TEST(PainleveRod, TowardsTheThresholdEitherItLeavesTheFloorOrTheRunSaysWhy) {
    // As q comes to 0 the force grows without bound and turns the rod the faster, so p falls too:
    // with it the force may come to 0 before q does, or not. Whatever happens, the floor is not
    // crossed and nothing is made up.
    for (const double th0 : {0.5, 0.7, 0.8}) {
        const Motion motion =
            run(load("painleve_rod.lac", {{"mu", 1.5}, {"th0", th0}, {"v0", 30.0}}),
                {.end = 1.0, .tolerance = 1e-12});
        if (!motion.status) {
            EXPECT_TRUE(motion.status.outcome == Outcome::no_force ||
                        motion.status.outcome == Outcome::several)
                << th0 << ": " << name_of(motion.status.outcome) << ": " << motion.status.message;
            EXPECT_NE(motion.status.message.find("'floor'"), std::string::npos)
                << motion.status.message;
        }
        expect_lawful(motion);
    }
}

// ---- the ladder (models/ladder.lac)

struct Ladder {
    Real l = 1.0L, m = 1.0L, th0 = 1.2, g = 9.81;
    Real squared_rate(Real th) const {
        return 1.5L * g / l * (std::sin(th0) - std::sin(th));
    }  // at the wall
    Real off() const { return std::asin(2.0L / 3.0L * std::sin(th0)); }
    /// With th = th0 − s² the integrand of dt = dth/|th'| is smooth: sin th0 − sin th = 2 cos(th0 −
    /// s²/2) sin(s²/2).
    Real time() const {
        const auto rate = [&](Real s) {
            const Real half = 0.5L * s * s, sinc = half == 0.0L ? 1.0L : std::sin(half) / half;
            return 2.0L / std::sqrt(1.5L * g / l * std::cos(th0 - half) * sinc);
        };
        return integral(rate, 0.0L, std::sqrt(th0 - off()));
    }
    Real sideways() const { return l * std::sin(off()) * std::sqrt(squared_rate(off())); }
    /// Off the wall, energy without the part sideways: l² (cos² th + 1/3) th'²/2 + g l sin th.
    Real squared_rate_off(Real th) const {
        const auto weight = [](Real a) { return std::cos(a) * std::cos(a) + 1.0L / 3.0L; };
        const Real first =
            0.5L * l * l * weight(off()) * squared_rate(off()) + g * l * std::sin(off());
        return 2.0L * (first - g * l * std::sin(th)) / (l * l * weight(th));
    }
    Real down() const {
        return time() + integral([&](Real th) { return 1.0L / std::sqrt(squared_rate_off(th)); },
                                 0.0L, off());
    }
};

TEST(Ladder, LeavesTheWallAtTwoThirdsOfItsHeight) {
    for (const double th0 : {1.2, 0.7, 1.45}) {
        const Ladder ladder{.th0 = th0};
        const Motion motion =
            run_contacts(load("ladder.lac", {{"th0", th0}}), {.end = 3.0, .every = 0.01});
        EXPECT_EQ(story(motion), (std::vector<std::string>{"release wall", "event down"})) << th0;
        // The force on the wall comes to zero with a slope of some 10 N/s: its zero is as exact as
        // the force.
        expect_times(event_times(motion, "release", "wall"), {ladder.time()});
        expect_times(event_times(motion, "event", "down"), {ladder.down()});
        const auto &t = motion.column("t"), &th = motion.column("th"), &rate = motion.column("th'");
        for (std::size_t i = 0; i < t.size(); ++i) {
            const bool at_wall = t[i] < near(ladder.time());
            const Real square =
                at_wall ? ladder.squared_rate(th[i]) : ladder.squared_rate_off(th[i]);
            EXPECT_NEAR(rate[i] * rate[i], near(square), 10 * exact) << t[i];
            EXPECT_EQ(at_wall, th[i] > near(ladder.off()));
            if (!at_wall) {
                EXPECT_NEAR(motion.column("x'")[i], near(ladder.sideways()), exact) << t[i];
            }
            // Wall: m x''; floor: m (g + y''), at the wall with th'' = −3 g/(4 l) cos th.
            const Real s = std::sin(Real(th[i])), c = std::cos(Real(th[i])),
                       turn = -0.75L * ladder.g * c;
            const Real wall = at_wall ? -(c * square + s * turn) : 0.0L;
            const Real floor = at_wall ? ladder.g - s * square + c * turn
                                       : (ladder.g - s * square) / (1.0L + 3.0L * c * c);
            // The columns are over all coordinates: the rows are (1, 0, sin th) and (0, 1, −cos
            // th).
            EXPECT_NEAR(motion.column("wall.force")[i], near(wall * std::hypot(1.0L, s)),
                        10 * exact)
                << t[i];
            EXPECT_NEAR(motion.column("floor.force")[i], near(floor * std::hypot(1.0L, c)),
                        10 * exact)
                << t[i];
        }
        EXPECT_LE(motion.summary.worst.energy, exact);
        EXPECT_TRUE(motion.summary.contact.forces_unique);
    }
}

// ---- a particle on a smooth sphere

TEST(SmoothSphere, IsLeftAtTwoThirdsOfTheHeight) {
    // R f'² = 2 g (cos f0 − cos f) + v0²/R; the sphere presses with m (g cos f − R f'²), until cos
    // f = (2 cos f0 + v0²/(g R))/3.
    for (const auto& [f0, v0] : {std::pair{0.1L, 0.0L}, std::pair{1e-3L, 0.0L},
                                 std::pair{0.0L, 0.5L}, std::pair{0.2L, 1.0L}}) {
        const Mechanism m = Mechanism::parse(R"(param R = 2, g = 9.81, f0 = 0.1, v0 = 0
            coord x, y
            particle p at (x, y) mass 0.4
            gravity (0, -g)
            constraint ball: hypot(x, y) >= R
            start x = R*sin(f0), y = R*cos(f0), x' = v0*cos(f0), y' = -v0*sin(f0)
            output ball.force)",
                                             "ball", {{"f0", near(f0)}, {"v0", near(v0)}});
        const Real R = 2.0L, g = 9.81;
        const Real f1 = std::acos((2.0L * std::cos(f0) + v0 * v0 / (g * R)) / 3.0L);
        // With f = f0 + s², cos f0 − cos f = 2 sin(f0 + s²/2) sin(s²/2); from the top with a speed
        // there is no singularity but the substitution does no harm. f0 = 1e-3 makes it steep: s =
        // 1e-2 sinh(u).
        const auto rate = [&](Real u) {
            const Real width = std::sqrt(std::max(f0, 0.02L)), s = width * std::sinh(u),
                       half = 0.5L * s * s;
            const Real square = (4.0L * g * std::sin(f0 + half) * std::sin(half) + v0 * v0 / R) / R;
            return 2.0L * s * width * std::cosh(u) / std::sqrt(square);
        };
        const Real top = std::asinh(std::sqrt(f1 - f0) / std::sqrt(std::max(f0, 0.02L)));
        const Real leaves = integral(rate, 0.0L, top);
        const double end = near(leaves) + 0.3;
        const Motion motion = run_contacts(m, {.end = end, .every = end / 200});
        EXPECT_EQ(story(motion), std::vector<std::string>{"release ball"});
        // From 1e-3 it takes e^7 from the first error to the end.
        const double enough = f0 == 1e-3L ? 100 * exact : exact;
        expect_times(event_times(motion, "release"), {leaves}, enough);
        // Off the ball it falls freely.
        const Real speed = std::sqrt(2.0L * g * R * (std::cos(f0) - std::cos(f1)) + v0 * v0),
                   after = end - leaves;
        EXPECT_NEAR(last(motion, "x"), near(R * std::sin(f1) + speed * std::cos(f1) * after),
                    10 * enough);
        EXPECT_NEAR(
            last(motion, "y"),
            near(R * std::cos(f1) - speed * std::sin(f1) * after - 0.5L * g * after * after),
            10 * enough);
        EXPECT_EQ(last(motion, "ball.force"), 0.0);
        EXPECT_LE(motion.summary.worst.energy, exact);
    }
}

// ---- the sphere that rolls, then slips (models/rolling_sphere.lac)

TEST(RollingSphere, SlipsWhereFrictionIsTooWeakAndThenByHyperbolicFunctions) {
    const Motion motion = run_contacts(load("rolling_sphere.lac"), {.end = 1.5});
    const Real g = 9.81, slope = 0.5L, mu0 = 0.4, k = 0.1, R = 0.1;
    const Real down = g * std::sin(slope), press = g * std::cos(slope);
    const Real a = 5.0L / 7.0L * down, x1 = (mu0 - 2.0L / 7.0L * std::tan(slope)) / k,
               t1 = std::sqrt(2.0L * x1 / a), v1 = a * t1;
    EXPECT_EQ(story(motion), std::vector<std::string>{"slip plane"});
    expect_times(event_times(motion, "slip", "plane"), {t1});
    // Slipping: x'' = w² (x − x_e).
    const Real w = std::sqrt(press * k), xe = (mu0 - std::tan(slope)) / k;
    const auto x = [&](Real t) {
        const Real after = t - t1;
        return after < 0.0L ? 0.5L * a * t * t
                            : xe + (x1 - xe) * std::cosh(w * after) + v1 / w * std::sinh(w * after);
    };
    // R th'' = 5/2 (down − x''), twice integrated from R th = x1, R th' = v1.
    const auto th = [&](Real t) {
        const Real after = t - t1;
        if (after < 0.0L) return 0.5L * a * t * t / R;
        return (x1 + v1 * after + 2.5L * (0.5L * down * after * after - (x(t) - x1 - v1 * after))) /
               R;
    };
    EXPECT_LE(worst_error(motion, "x", x), 10 * exact);
    EXPECT_LE(worst_error(motion, "th", th) * 0.1, 10 * exact);
    EXPECT_LE(worst_error(motion, "y", [&](Real) { return R; }), 1e-15);
    EXPECT_LE(worst_error(motion, "plane.force", [&](Real) { return press; }), 1e-12);
    const auto &t = motion.column("t"), &slip = motion.column("slip");
    for (std::size_t i = 0; i < t.size(); ++i)
        if (t[i] < near(t1)) {
            EXPECT_NEAR(slip[i], 0.0, 1e-13);
        } else if (t[i] > near(t1) + 1e-3) {
            EXPECT_GT(slip[i], 0.0);
        }
}

TEST(RollingSphere, AtRestFrictionIsTwoSeventhsOfThePull) {
    const Mechanism m = load("rolling_sphere.lac");
    const double pull = 9.81 * std::sin(0.5), N = 9.81 * std::cos(0.5);
    for (const double x : {0.0, 1.0, 2.4, 2.5, 3.5}) {
        const Evaluation at = m.evaluate(
            state_of(m, {{"x", x}, {"y", 0.1}, {"th", 10.0L * x}, {"x'", 1.0}, {"th'", 10.0}}));
        ASSERT_TRUE(at.status) << at.status.message;
        const double mu = 0.4 - 0.1 * x;
        const bool rolls = 2.0 / 7.0 * pull <= mu * N;
        EXPECT_EQ(row(at, "plane").friction_state, rolls ? "sticks" : "slips") << x;
        EXPECT_NEAR(row(at, "plane").friction_force.at(0), rolls ? -2.0 / 7.0 * pull : -mu * N,
                    1e-12)
            << x;
        EXPECT_NEAR(at.solution.acceleration[0], rolls ? 5.0 / 7.0 * pull : pull - mu * N, 1e-12)
            << x;
    }
}

TEST(SlidingSphere, RollsWithFiveSeventhsOfItsSpeed) {
    const Mechanism m = Mechanism::parse(R"(param R = 0.1, v0 = 4, mu = 0.2, g = 9.81
        coord x, y, th
        kinetic (x'^2 + y'^2)/2 + 2/5*R^2*th'^2/2
        potential g*y
        constraint floor: y >= R friction mu slip x' - R*th'
        start x = 0, y = R, th = 0, x' = v0
        output slip = x' - R*th', energy)");
    const Real v0 = 4.0L, brake = Real(0.2) * Real(9.81), rolls = 2.0L * v0 / (7.0L * brake);
    const Motion motion = run_contacts(m, {.end = 2.0});
    EXPECT_EQ(story(motion), std::vector<std::string>{"stick floor"});
    expect_times(event_times(motion, "stick", "floor"), {rolls});
    EXPECT_LE(worst_error(motion, "x'",
                          [&](Real t) { return std::max(5.0L / 7.0L * v0, v0 - brake * t); }),
              exact);
    EXPECT_LE(
        worst_error(motion, "slip", [&](Real t) { return std::max(0.0L, v0 - 3.5L * brake * t); }),
        exact);
    EXPECT_NEAR(last(motion, "x"),
                near(v0 * rolls - 0.5L * brake * rolls * rolls + 5.0L / 7.0L * v0 * (2.0L - rolls)),
                exact);
    // Of m v0²/2 two sevenths are lost.
    EXPECT_NEAR(motion.summary.contact.lost.at("floor"), 2.0 / 7.0 * 8.0, exact);
}

}  // namespace
}  // namespace lacon::contacts
