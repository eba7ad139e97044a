// The start follows what is pulled, as near as the constraints let it come.
#include "live/drag.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline.hpp"
#include "runs.hpp"

namespace lacon {
namespace {

struct Pulled {
    Pulled(const std::string& text, const Drag& drag)
        : details(build(SourceText("test.lac", text)).details),
          values(dragged(*details, {}, drag)),
          start(find_start(*details, start_overrides(*details, values), {})) {}

    std::shared_ptr<const DerivedModel> details;
    std::vector<LiveRequest::StartValue> values;
    Start start;
};

Drag item(std::size_t number, std::array<double, 3> to) {
    return {.item = number, .body = {}, .to = to};
}

// Values are rounded to 7 digits, and a point is near enough within 1e-5 of its way.
constexpr double near = 2e-5;

const char* const hanging =
    "coord x, y\nparticle P at (x, y) mass 1\ngravity (0, -9.81)\n"
    "constraint rod: norm(P) = 2\nstart x = 2, y = 0\n";

TEST(Drag, APendulumComesToTheNearestPointOfItsCircle) {
    const Pulled pulled(hanging, item(0, {-3.0, -4.0, 0.0}));
    ASSERT_TRUE(pulled.start.status);
    EXPECT_NEAR(pulled.start.state.q[0], -1.2, 1e-3);  // rests where a round gains a thousandth
    EXPECT_NEAR(pulled.start.state.q[1], -1.6, 1e-3);
    EXPECT_LT(pulled.start.position_residual, 1e-12);
}

TEST(Drag, AnAngleTurnsToIt) {
    const Pulled pulled(
        "coord a\nparticle P at (sin(a), -cos(a)) mass 1\nstart a = 0.1, a' = 0.5\n",
        item(0, {std::sin(2.5), -std::cos(2.5), 0.0}));
    EXPECT_NEAR(pulled.start.state.q[0], 2.5, near);
    EXPECT_DOUBLE_EQ(pulled.start.state.v[0], 0.5);
}

TEST(Drag, TheTipOfTwoRodsReachesWhatIsInReach) {
    const std::string text =
        "coord x, y, u, v\nparticle P at (x, y) mass 1\nparticle R at (u, v) mass 3\n"
        "constraint a: norm(P) = 1\nconstraint b: norm(R - P) = 1\n"
        "start x = 1, y = 0, u = 2, v = 0\n";
    const Pulled pulled(text, item(1, {0.3, -1.1, 0.0}));
    ASSERT_TRUE(pulled.start.status);
    EXPECT_NEAR(pulled.start.state.q[2], 0.3, near);
    EXPECT_NEAR(pulled.start.state.q[3], -1.1, near);
    EXPECT_LT(pulled.start.position_residual, 1e-12);
}

// Body 0 is the ground.
TEST(Drag, ABodyFollowsThePointThatWasTaken) {
    const Pulled pulled("body plank planar mass 1 inertia 1\njoint hinge: pin ground to plank\n",
                        {.item = {}, .body = 1, .local = {2.0, 0.0, 0.0}, .to = {0.0, 2.0, 0.0}});
    const double angle = pulled.start.state.q[0];
    EXPECT_NEAR(std::cos(angle), 0.0, near);
    EXPECT_NEAR(std::sin(angle), 1.0, near);
}

TEST(Drag, ValuesTheModelGuessesAnywayAreNotListed) {
    const Pulled pulled("coord x, y, z\nparticle P at (x, y, z) mass 1\nstart x ~ 1\n",
                        item(0, {1.0, 3.0, 0.0}));
    ASSERT_EQ(pulled.values.size(), 1u);
    EXPECT_EQ(pulled.values[0].name, "y");
    EXPECT_DOUBLE_EQ(pulled.values[0].value, 3.0);
}

TEST(Drag, WhatIsNotThereIsRefused) {
    EXPECT_THROW(Pulled(hanging, item(99, {})), LiveError);
    EXPECT_THROW(Pulled(hanging, Drag{}), LiveError);
}

}  // namespace
}  // namespace lacon
