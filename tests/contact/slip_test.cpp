// The velocity of sliding written as the whole velocity of the point of contact: its part along the
// constraint does not slide.

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

/// Largest difference of any column between two motions of one model with other velocities of
/// sliding.
double apart(const std::string& text, const std::string& one, const std::string& other,
             const Settings& settings = {}) {
    const auto moved = [&](const std::string& slip) {
        return run_contacts(Mechanism::parse(text + " slip " + slip + "\n", "model.lac", settings),
                            {.end = 1.0, .every = 0.05});
    };
    const Motion a = moved(one), b = moved(other);
    EXPECT_EQ(story(a), story(b));
    EXPECT_EQ(a.names, b.names);
    double worst = 0.0;
    for (std::size_t c = 0; c < a.columns.size(); ++c) {
        EXPECT_EQ(a.columns[c].size(), b.columns[c].size());
        for (std::size_t i = 0; i < std::min(a.columns[c].size(), b.columns[c].size()); ++i)
            worst = std::max(worst, std::abs(a.columns[c][i] - b.columns[c][i]));
    }
    return worst;
}

const std::string block = R"(param F = 6.68, v0 = 0, mu = 0.3
coord x, y
particle p at (x, y) mass 2
gravity (0, -9.81)
force p = (F, 0)
start x' = v0
constraint floor: y >= 0 friction mu)";

TEST(WholeSlip, ABlockOnAFloorMovesByTheClosedForm) {
    for (const double force : {0.0, 5.8, 6.68, 9.0}) {
        const Mechanism m =
            Mechanism::parse(block + " slip (x', y')\n", "block.lac", {{"F", force}});
        const Real pull = force / 2.0L - 0.3L * 9.81L, expected = pull > 0.0L ? pull : 0.0L;
        const Evaluation at = m.evaluate(m.start().state);
        EXPECT_NEAR(at.solution.acceleration[0], near(expected), 1e-14);
        EXPECT_NEAR(row(at, "floor").multiplier, 2.0 * 9.81, 1e-13);
        const Motion motion = run_contacts(m, {.end = 1.0, .every = 0.1});
        EXPECT_LE(worst_error(motion, "x", [&](Real t) { return expected * t * t / 2.0L; }), 1e-12);
    }
}

TEST(WholeSlip, ABlockMovesAsWithTheVelocityAlongTheFloor) {
    for (const double speed : {0.0, 1.0, -2.0}) {
        EXPECT_LE(apart(block, "(x', y')", "x'", {{"v0", speed}}), 1e-12);
        EXPECT_LE(apart(block, "(x', y', 0)", "x'", {{"v0", speed}}), 1e-12);
        EXPECT_LE(apart(block, "(0.6*x' - 0.8*y', 0.8*x' + 0.6*y')", "x'", {{"v0", speed}}), 1e-12);
    }
}

TEST(WholeSlip, SoOnAnInclineAndForAGapThatIsNoLength) {
    const std::string incline = R"(param a = 0.5, mu = 0.3, v0 = 1
coord x, y
particle p at (x, y) mass 2
gravity (0, -9.81)
start x = 0, y = 0, x' = v0*cos(a), y' = v0*sin(a)
)";
    const std::string length = "constraint plane: y*cos(a) - x*sin(a) >= 0 friction mu";
    const std::string other = "constraint plane: 7*y*cos(a) - 7*x*sin(a) >= 0 friction mu";
    for (const double mu : {0.1, 0.3, 0.7}) {
        const Settings settings{{"mu", mu}};
        EXPECT_LE(apart(incline + length, "(x', y')", "x'*cos(a) + y'*sin(a)", settings), 1e-12);
        EXPECT_LE(apart(incline + other, "(x', y')",
                        "(x'*sin(a) - y'*cos(a), x'*cos(a) + y'*sin(a))", settings),
                  1e-12);
        const auto at = [&](const std::string& row) {
            const Mechanism m =
                Mechanism::parse(incline + row + " slip (x', y')\n", "plane.lac", settings);
            return m.evaluate(m.start().state).solution.acceleration[0];
        };
        EXPECT_NEAR(at(length), at(other), 1e-13);
    }
}

TEST(WholeSlip, ADiskAndASphereSlideUntilTheyRoll) {
    const std::string disk = R"(param R = 0.4, mu = 0.2
coord x, y, th
kinetic (x'^2 + y'^2)/2 + R^2/4*th'^2
potential 9.81*y
start y = R, x' = 2, th' = 3
constraint floor: y >= R friction mu)";
    EXPECT_LE(apart(disk, "(x' + R*th', y')", "x' + R*th'"), 1e-12);
    // Its angular velocity is (a', b', c'): for a sphere the energy does not depend on how it is
    // turned.
    const std::string sphere = R"(param R = 0.4, mu = 0.1
coord x, y, z, a, b, c
kinetic (x'^2 + y'^2 + z'^2)/2 + R^2/5*(a'^2 + b'^2 + c'^2)
potential 9.81*z
start z = R, x' = 2, y' = -0.5, a' = 4, b' = 1, c' = 2
constraint floor: z >= R friction mu)";
    EXPECT_LE(apart(sphere, "(x' - R*b', y' + R*a', z')", "(x' - R*b', y' + R*a')"), 1e-12);
}

TEST(WholeSlip, AParticleInABowlMovesAsWithoutSlip) {
    const std::string bowl = R"(coord x, y, z
particle p at (x, y, z) mass 1
gravity (0, 0, -9.81)
start x = 0.8, y = 0, z = -0.6, y' = 1.5
)";
    const auto end = [&](const std::string& constraint) {
        const Motion motion =
            run_contacts(Mechanism::parse(bowl + constraint), {.end = 1.0, .every = 0.1});
        return std::vector<double>{last(motion, "x"), last(motion, "y"), last(motion, "z")};
    };
    const std::vector<double> own = end("constraint bowl: 1 - x^2 - y^2 - z^2 >= 0 friction 0.2\n");
    const std::vector<double> slip =
        end("constraint bowl: 1 - x^2 - y^2 - z^2 >= 0 friction 0.2 slip (x', y', z')\n");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(own[i], slip[i], 1e-11);
}

TEST(WholeSlip, WhatIsNothingButTheRateOfTheConstraintIsRefused) {
    try {
        (void)Mechanism::parse(
            "coord x, y\nkinetic x'^2 + y'^2\nconstraint floor: y >= 0 friction 0.3 slip 2*y'\n");
        FAIL();
    } catch (const std::exception& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find(":3:26: error: the slip of 'floor' is the rate of the constraint "
                            "itself, which leaves no sliding"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find("hint: give the velocity along the surface"), std::string::npos)
            << text;
    }
}

// ---- decisions within the velocity of sliding

/// A block is thrown over a belt that runs back, but for a short piece on which it runs ahead.
class Belt : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Tolerances, Belt, testing::Values(1e-5, 1e-8, 1e-12));

TEST_P(Belt, APieceOfItDrivesTheBlock) {
    for (const auto& [mu, width] : {std::pair{0.3, 0.2}, {0.2, 1.0}, {0.4, 0.003}}) {
        const Mechanism thrown = Mechanism::parse(
            "param mu = 0.3, w = 1\ncoord x, y\nparticle p at (x, y) mass 1\n"
            "gravity (0, -10)\nconstraint b: y >= 0 friction mu "
            "slip x' - if(x < 5, -1, if(x < 5 + w, 30, -1))\nstart x' = 10",
            "block", {{"mu", mu}, {"w", width}});
        const Motion motion =
            motions::run_well(thrown, {.end = 1.5, .every = 0.1, .tolerance = GetParam()});
        const Real a = 10.0L * Real(mu), v1 = std::sqrt(100.0L - 10.0L * a);
        const Real v2 = std::sqrt(v1 * v1 + 2.0L * a * Real(width));
        const Real left = 1.5L - (10.0L - v1) / a - (v2 - v1) / a;
        EXPECT_NEAR(last(motion, "x'"), near(v2 - a * left), 1e-9 + 10.0 * GetParam()) << mu;
    }
}

TEST_P(Belt, AShortRunOfItDrivesTheBlock) {
    for (const auto& [begins, lasts] : {std::pair{1.3, 0.05}, {0.7, 0.003}, {1.9, 0.0004}}) {
        for (const char* slip : {"x' - u", "(x' - u, z')"}) {
            const Mechanism thrown = Mechanism::parse(
                std::string("param t0 = 1, d = 1\ncoord x, y, z\nparticle p at (x, y, z) mass 2\n"
                            "gravity (0, -10, 0)\n"
                            "let u = if(t < t0, -1, if(t < t0 + d, 30, -1))\n"
                            "constraint b: y >= 0 friction 0.3 slip ") +
                    slip + "\nstart x' = 10",
                "block", {{"t0", begins}, {"d", lasts}});
            const Motion motion =
                motions::run_well(thrown, {.end = 2.0, .every = 0.1, .tolerance = GetParam()});
            EXPECT_NEAR(last(motion, "x'"), 4.0 + 6.0 * lasts, 1e-9 + 10.0 * GetParam())
                << slip << ' ' << lasts;
        }
    }
}

}  // namespace
}  // namespace lacon::contacts
