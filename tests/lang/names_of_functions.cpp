// floor, mod, deg and load: functions and a number whose names stay free.
#include "reading.hpp"

namespace lacon {
namespace {

TEST(Floor, OfNumbersIsANumber) {
    EXPECT_EQ(value_of("x*floor(2.7)"), "2*x");
    EXPECT_EQ(value_of("x*floor(-0.1)"), "-x");
    EXPECT_EQ(value_of("x*mod(7, 3)"), "x");
    EXPECT_EQ(value_of("x*mod(-1, 3)"), "2*x");
    EXPECT_EQ(value_of("x*mod(5, -3)"), "-x");
}

TEST(Floor, MayBoundARange) {
    EXPECT_EQ(read("param N = 7\ncoord x[1..floor(N/2)]\nkinetic x[1]'^2\n").coordinates.size(),
              3u);
    EXPECT_EQ(
        read("param N = 7\ncoord x[i] for i in 1..mod(N, 4)\nkinetic x[1]'^2\n").coordinates.size(),
        3u);
}

TEST(Floor, OfWhatMovesIsKept) {
    EXPECT_EQ(value_of("floor(x)"), "floor(x)");
    EXPECT_EQ(value_of("floor(floor(x))"), "floor(x)");
    EXPECT_TRUE(same("mod(x, m)", "x - m*floor(x/m)"));
}

TEST(Floor, HasNoSlopeBetweenItsJumps) {
    Graph g;
    const Expr x = g.symbol("x");
    const Model model =
        read("coord x\nkinetic x'^2\nlet r = mod(x, 2)\nforce x = r' + floor(x)'\n");
    EXPECT_EQ(text(model, model.forces[0].value), "x'");
    EXPECT_EQ(to_latex(g, g.apply(Op::floor, x)), "\\left\\lfloor x \\right\\rfloor");
}

TEST(Deg, IsADegree) {
    EXPECT_TRUE(same("x*180*deg", "x*pi"));
    EXPECT_TRUE(same("sin(90*deg)*x", "x"));
}

TEST(FreeWords, MayNameWhatAModelHas) {
    for (const std::string word : {"load", "floor", "mod", "deg"}) {
        EXPECT_TRUE(same(word + "*x", "3*x",
                         "param " + word + "_ = 3\ncoord x, y, z\nlet " + word + " = 3\n"))
            << word;
        EXPECT_EQ(read("coord " + word + "\nkinetic " + word + "'^2\n").coordinates[0].name, word);
        EXPECT_EQ(read("coord x\nkinetic x'^2\nconstraint " + word + ": x = 0\noutput " + word +
                       ".force\n")
                      .outputs[0]
                      .name,
                  word + ".force");
    }
}

TEST(FreeWords, LeaveTheFunctionsWhatTheyAre) {
    const Model model = read(
        "coord x\nkinetic x'^2\nconstraint floor: x >= 0\nconstraint load: x <= 2\n"
        "force x = floor(x)\noutput load(load), load(floor)\n");
    EXPECT_EQ(text(model, model.forces[0].value), "floor(x)");
    EXPECT_EQ(model.outputs[0].name, "load(load)");
    EXPECT_EQ(model.observed.size(), 2u);
}

TEST(Reaction, GivesAColumnForEachComponent) {
    const Model model = read(
        "coord x, y\nparticle P at (x, y) mass 1\nconstraint pin: P = (0, 0)\nconstraint rod[i]: "
        "norm(P) = i for i in 1..2\n"
        "output pin.reaction, rod[2].reaction, carried = pin.reaction, rod[*].reaction\n");
    std::vector<std::string> names;
    for (const Output& output : model.outputs) names.push_back(output.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"pin.reaction.x", "pin.reaction.y", "rod[2].reaction",
                                        "carried.x", "carried.y", "rod[1].reaction"}));
}

TEST(Event, HasADirectionWhereItIsGiven) {
    const Model model = read(
        "coord x\nkinetic x'^2\nevent a: x\nevent b: x = 1 rising\nevent c: x falling stop\nevent "
        "d: x stop rising\n");
    const int directions[] = {0, 1, -1, 1};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(model.events[i].direction, directions[i]) << i;
    EXPECT_TRUE(model.events[2].stop && model.events[3].stop && !model.events[1].stop);
}

}  // namespace
}  // namespace lacon
