// Bounces that end while something slides: momenta along the surface and friction keep account of
// each other to the end.

#include <fmt/format.h>

#include <array>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

constexpr std::array<double, 3> settling_tolerances{1e-7, 1e-9, 1e-12};
constexpr double rounding = 1e-12;  // of velocities of order 10 over some thirty impacts

double at(const Motion& motion, std::size_t column) {
    return motion.summary.final.v.at(column);
}

Motion settled(const std::string& text, double end, double tolerance) {
    const Motion motion =
        run(Mechanism::parse(text, "settling"), {.end = end, .tolerance = tolerance});
    EXPECT_TRUE(motion.status) << motion.status.message;
    EXPECT_FALSE(event_times(motion, "settled").empty());
    return motion;
}

class Bouncing : public testing::TestWithParam<std::array<double, 4>> {};

// While a body slides, x' + mu (y' + g t) does not change, whatever the bounces are.
TEST_P(Bouncing, FrictionTakesMuTimesTheWeightOverAllBounces) {
    const auto [e, mu, speed, x] = GetParam();
    const std::string text = fmt::format(R"(coord x, y
        particle b at (x, y) mass 1
        gravity (0, -10)
        constraint f: y >= 0 restitution {} friction {}
        start x = {}, y = 1, x' = {})",
                                         e, mu, x, speed);
    for (const double tolerance : settling_tolerances)
        EXPECT_NEAR(at(settled(text, 4.0, tolerance), 0), speed - mu * 40.0, rounding) << tolerance;
}

INSTANTIATE_TEST_SUITE_P(Contact, Bouncing,
                         testing::Values(std::array{0.5, 0.5, 21.0, 0.0},
                                         std::array{0.5, 0.5, 21.0, 1e4},
                                         std::array{0.7, 0.2, 30.0, 0.0},
                                         std::array{0.3, 0.7, 50.0, 0.0},
                                         std::array{0.1, 0.05, 3.0, -200.0}));

TEST(Settling, OnAnInclineFrictionTakesMuTimesTheNormalWeight) {
    for (const double mu : {0.5, 0.25})
        for (const double tolerance : settling_tolerances) {
            const Motion motion = settled(fmt::format(R"(coord x, y
                particle b at (x, y) mass 2
                gravity (10*sin(0.3), -10*cos(0.3))
                constraint f: y >= 0 restitution 0.6 friction {}
                start y = 1.5, x' = 10)",
                                                      mu),
                                          2.9, tolerance);
            EXPECT_NEAR(at(motion, 0), 10.0 + 29.0 * (std::sin(0.3) - mu * std::cos(0.3)),
                        rounding);
        }
}

// m x' falls by mu m g t and Theta th' by R times as much.
TEST(Settling, ADiskThatSlidesIsBrakedAndTurnedByTheSameImpulse) {
    for (const double tolerance : settling_tolerances) {
        const Motion motion = settled(R"(param R = 0.5
            coord x, y, th
            particle d at (x, y) mass 2
            kinetic 0.25*th'^2/2
            gravity (0, -10)
            constraint f: y >= R restitution 0.5 friction 0.3 slip x' + R*th'
            start y = 1.5, x' = 30, th' = 3)",
                                      2.2, tolerance);
        EXPECT_NEAR(at(motion, 0), 30.0 - 0.3 * 22.0, rounding);
        EXPECT_NEAR(at(motion, 2), 3.0 - 0.5 * 0.3 * 44.0 / 0.25, 10.0 * rounding);
    }
}

TEST(Settling, TwoFeetThatSettleTogetherKeepTheAccountOfBoth) {
    for (const double tolerance : settling_tolerances) {
        const Motion motion = settled(R"(coord x, y, th
            particle b at (x, y) mass 2
            kinetic 0.2*th'^2/2
            gravity (0, -10)
            constraint l: y - 0.4*cos(th) - 0.3*sin(th) >= -0.4 restitution 0.4 friction 0.1 slip x'
            constraint r: y + 0.4*cos(th) + 0.3*sin(th) >= 0.4 restitution 0.4 friction 0.1 slip x'
            start y = 0.5, x' = 10)",
                                      2.9, tolerance);
        EXPECT_NEAR(at(motion, 0), 10.0 - 2.9, rounding);
    }
}

TEST(Settling, OfTwoBlocksOnOneAnotherEachTakesItsOwnFriction) {
    for (const double tolerance : settling_tolerances) {
        const Motion motion = settled(R"(coord x1, y1, x2, y2
            particle a at (x1, y1) mass 2
            particle b at (x2, y2) mass 1
            gravity (0, -10)
            constraint f: y1 >= 0 restitution 0.6 friction 0.2
            constraint g: y2 - y1 >= 1 restitution 0.3 friction 0.4 slip x2' - x1'
            start y1 = 0.5, y2 = 1.7, x1' = 8, x2' = 60)",
                                      2.1, tolerance);
        EXPECT_NEAR(at(motion, 2), 60.0 - 4.0 * 2.1, rounding);
        EXPECT_NEAR(2.0 * at(motion, 0) + at(motion, 2), 76.0 - 6.0 * 2.1, 10.0 * rounding);
    }
}

// The rail of a cart feels the bounces of a ball in it.
TEST(Settling, ATwoSidedConstraintThatRubsFeelsWhatBouncesBesideIt) {
    for (const double e : {0.5, 0.2})
        for (const double tolerance : settling_tolerances) {
            const Motion motion = settled(fmt::format(R"(coord x, Y, y
                particle cart at (x, Y) mass 3
                particle ball at (x, y) mass 2
                gravity (0, -10)
                constraint rail: Y = 0 friction 0.1 slip x'
                constraint f: y - Y >= 0 restitution {}
                start y = 1, x' = 9)",
                                                      e),
                                          3.0, tolerance);
            EXPECT_NEAR(at(motion, 0), 9.0 - 0.1 * 10.0 * 3.0, rounding);
        }
}

// The slide ends within the last bounces, or just before or behind them.
TEST(Settling, WhatComesToRestWithinTheLastBouncesRests) {
    const double end_of_bounces = 3.0 * std::sqrt(0.2);  // of e = 0.5 and a fall from 1 at g = 10
    for (const double off : {-1e-4, -1e-5, -1e-6, -1e-9, 0.0, 1e-9, 1e-6, 1e-5, 1e-4})
        for (const double tolerance : settling_tolerances) {
            const Motion motion = settled(fmt::format(R"(coord x, y
                particle b at (x, y) mass 1
                gravity (0, -10)
                constraint f: y >= 0 restitution 0.5 friction 0.5
                start y = 1, x' = {:.17g})",
                                                      5.0 * (end_of_bounces + off)),
                                          2.0, tolerance);
            EXPECT_EQ(at(motion, 0), 0.0) << off;
            EXPECT_EQ(event_times(motion, "stick", "f").size(), 1u) << off;
        }
}

}  // namespace
}  // namespace lacon::contacts
