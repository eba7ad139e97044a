// Models built in C++ are the models of their texts.
#include "lacon/builder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lacon/motion.hpp"

namespace lacon {
namespace {

TEST(Builder, AModelFromCppIsTheModelOfItsText) {
    Builder b("Pendulum");
    b.param("L", 1.5, "length, m")
        .param("g", "2*4.905")
        .coord({"x", "y"})
        .particle("bob", {"x", "y"}, "2");
    b.gravity({"0", "-g"}).constraint("rod", "norm(bob) = L").start("x", 1.5).guess("y", 0.0);
    b.event("lowest", "x", true).output("energy").output("pull", "rod.force");
    const Mechanism built = b.build();
    EXPECT_EQ(built.name(), "Pendulum");
    EXPECT_EQ(built.parameter("g"), 9.81);
    EXPECT_EQ(built.constraints(), std::vector<std::string>{"rod"});
    const Motion motion = run(built, {.end = 10.0, .every = 1.0, .tolerance = 1e-13});
    ASSERT_TRUE(motion.status) << motion.status.message;
    // Let go level, the bob arrives below with v² = 2 g L; the rod then carries three times its
    // weight.
    EXPECT_NEAR(motion.column("x'").back(), -std::sqrt(2 * 9.81 * 1.5), 1e-11);
    EXPECT_NEAR(motion.column("pull").back(), 3 * 2 * 9.81, 1e-10);
    const Motion same =
        run(Mechanism::parse(b.text()), {.end = 10.0, .every = 1.0, .tolerance = 1e-13});
    EXPECT_EQ(motion.columns, same.columns);
}

TEST(Builder, EveryStatementHasItsText) {
    Builder b;
    b.coord({"x[1..2]", "z"})
        .let("r", "hypot(x[1], x[2])")
        .kinetic("x[1]'^2 + x[2]'^2")
        .potential("r^2")
        .dissipation("z'^2");
    b.particle("p", {"z"}, "1")
        .force("z", "-z")
        .force("p", Builder::Texts{"1"})
        .statement("start x[i] = i for i in 1..2");
    b.coord({"w"}).equation("w", "w'' = -w");
    b.constraint("floor", "z >= 0 restitution 0.5 friction 0.1 slip w'")
        .nonideal("w", "-load(floor)")
        .nonideal("p", Builder::Texts{"2"})
        .friction("w", "1")
        .friction("z", "2", "3");
    EXPECT_EQ(b.text(),
              "coord x[1..2], z\nlet r = hypot(x[1], x[2])\nkinetic x[1]'^2 + x[2]'^2\npotential "
              "r^2\ndissipation z'^2\n"
              "particle p at (z) mass 1\nforce z = -z\nforce p = (1)\nstart x[i] = i for i in "
              "1..2\ncoord w\nequation w: w'' = -w\n"
              "constraint floor: z >= 0 restitution 0.5 friction 0.1 slip w'\nnonideal w = "
              "-load(floor)\nnonideal p = (2)\nfriction w = 1\nfriction z = 2 static 3\n");
    EXPECT_EQ(b.build().coordinates().size(), 4u);
}

TEST(Builder, ControlsAreStatementsToo) {
    Builder b;
    b.coord({"w"}).equation("w", "w'' = -w").control("hold", "w = 1 by w gain 4");
    EXPECT_EQ(b.text(), "coord w\nequation w: w'' = -w\ncontrol hold: w = 1 by w gain 4\n");
    const Mechanism held = b.build();
    EXPECT_EQ(held.controls(), std::vector<std::string>{"hold"});
    EXPECT_EQ(held.actuators(), std::vector<std::string>{"w"});
}

TEST(Builder, ErrorsHaveTheirPlaceInTheText) {
    Builder b;
    b.coord({"x"}).particle("p", {"x"}, "m");
    try {
        b.build();
        FAIL() << "no error";
    } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find("model:2:24: error: "), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace lacon
