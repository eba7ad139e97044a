// Controls of what also touches something: contacts push whatever the efforts are.
#include <cmath>

#include "control/control_tests.hpp"

namespace lacon {
namespace {

const char* const block = R"(
param m = 2, g = 9.81
coord x, y
particle P at (x, y) mass m
gravity (0, -g)
constraint floor: y >= 0
)";

/// Along the floor: the effort is m x'', and the floor carries the weight.
TEST(ControlAndContact, TheFloorCarriesTheWeightWhileTheEffortGuides) {
    const Mechanism guided = Mechanism::parse(std::string(block) + "control go: x = sin(t) by x\nstart x' = 1\nsimulate 0..3\n");
    const Motion motion = run(guided, {.every = 0.1, .tolerance = 1e-12});
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_TRUE(motion.summary.events.empty());
    for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
        const double t = motion.column("t")[i];
        EXPECT_NEAR(motion.column("x")[i], std::sin(t), 1e-10);
        EXPECT_NEAR(motion.column("effort.x")[i], -2.0 * std::sin(t), 1e-8);
        EXPECT_NEAR(motion.column("y")[i], 0.0, 1e-12);
    }
    const Evaluation at = guided.evaluate(motion.summary.final);
    EXPECT_NEAR(at.constraints[0].multiplier, 2.0 * 9.81, 1e-9);
}

/// Drawn along a slope by a rope through P: what the rope lifts, the floor need not carry.
TEST(ControlAndContact, WhatTheEffortLiftsTheFloorNeedNotCarry) {
    const Mechanism drawn = Mechanism::parse(std::string(block) + "control go: x = t^2 by P along (2, 1)\nsimulate 0..1\n");
    const Evaluation at = drawn.evaluate({0.5, {0.25, 0.0}, {1.0, 0.0}});
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(at.efforts[0], 2.0, 1e-12) << "2 u = m x'' = 4";
    EXPECT_NEAR(at.constraints[0].multiplier, 2.0 * 9.81 - 2.0, 1e-11);
}

/// Lifted off: with the floor closed nothing would be in reach, with it open all is.
TEST(ControlAndContact, AnEffortOpensAContact) {
    const Mechanism lifted = Mechanism::parse(std::string(block) + "control rise: y = t^2 by y\nsimulate 0..1\n");
    const Motion motion = run(lifted, {.every = 0.1, .tolerance = 1e-12});
    ASSERT_TRUE(motion.status) << motion.status.message;
    for (std::size_t i = 0; i < motion.column("t").size(); ++i) {
        EXPECT_NEAR(motion.column("y")[i], std::pow(motion.column("t")[i], 2), 1e-10);
        EXPECT_NEAR(motion.column("effort.y")[i], 2.0 * (9.81 + 2.0), 1e-8);
    }
}

TEST(ControlAndContact, FrictionIsRefused) {
    try {
        Mechanism::parse("coord x, y\nparticle P at (x, y) mass 1\nconstraint floor: y >= 0 friction 0.3\ncontrol go: x = t\n");
        FAIL() << "no error";
    } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find("model:4:9: error: a model with friction or loads cannot have controls yet"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace lacon
