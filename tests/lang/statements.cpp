// Every kind of statement, as it is read.
#include "lang/reading.hpp"

namespace lacon {
namespace {

TEST(Statements, ParticlesAreTheirPositions) {
    const Model model = read(
        "coord x, y, s\nparticle b mass 2 at (x, y)\nparticle c at s mass 1\nlet v = dot(b', b') + "
        "b.x + c.x\npotential v\n");
    EXPECT_EQ(names_of(model.particles), (Strings{"b", "c"}));
    EXPECT_EQ(texts(model, model.particles[0].position), (Strings{"x", "y"}));
    EXPECT_EQ(text(model, model.particles[0].mass), "2");
    EXPECT_EQ(model.dimension_of(model.particles[1]), 1u);
    EXPECT_TRUE(same("v", "x'^2 + y'^2 + x + s",
                     "coord x, y, s\nparticle b mass 2 at (x, y)\nparticle c at s mass 1\nlet v = "
                     "dot(b', b') + b.x + c.x\n"));
}

TEST(Statements, EnergiesAddUp) {
    const Model model =
        read("coord x\nkinetic x'^2\npotential x\npotential x^2\ndissipation x'^2/2\n");
    EXPECT_EQ(model.kinetic.size(), 1u);
    EXPECT_EQ(model.potential.size(), 2u);
    EXPECT_EQ(text(model, model.dissipation[0].value), "x'^2/2");
}

TEST(Statements, ForcesActOnCoordinatesAndParticles) {
    const Model model = read(
        "coord x, y\nparticle p[i] at (x, i*y) mass 1 for i in 1..2\nforce y = -y', p[i] = (i, 0) "
        "for i in 1..2\n");
    ASSERT_EQ(model.forces.size(), 2u);
    EXPECT_EQ(model.forces[0].coordinate, 1u);
    ASSERT_EQ(model.particle_forces.size(), 2u);
    EXPECT_EQ(model.particle_forces[1].particle, 1u);
    EXPECT_EQ(texts(model, model.particle_forces[1].value), (Strings{"2", "0"}));
}

TEST(Statements, EquationsAreLeftMinusRight) {
    const Model model = read("coord x\nequation x: 2*x'' = -x\n");
    EXPECT_EQ(text(model, model.equations[0].value), "x + 2*x''");
}

TEST(Statements, ConstraintsAreLeftMinusRight) {
    const Model model = read("coord x, y\nconstraint c: x^2 = y\n");
    EXPECT_EQ(text(model, model.constraints[0].value), "x^2 - y");
}

TEST(Statements, VectorConstraintsGiveARowAComponent) {
    const Model model = read(
        "coord x, y\nconstraint a: (x, y) = (1, 2)\nconstraint b[i]: (x, y, 1*x, 2*y) = 0 for i in "
        "1..1\nconstraint c: 0 = (x, "
        "y)\n");
    EXPECT_EQ(names_of(model.constraints),
              (Strings{"a.x", "a.y", "b[1].x", "b[1].y", "b[1].z", "b[1][4]", "c.x", "c.y"}));
    EXPECT_EQ(text(model, model.constraints[7].value), "-y");
}

TEST(Statements, StabilizeTakesOneValueOrTwo) {
    const Model model = read(
        "coord x\nparam a = 1\nconstraint c: x = 1 stabilize 2*a (a + 1)\nconstraint d: x' = 1 "
        "stabilize sqrt(4)\n"
        "constraint e[i]: x = i stabilize 10 25 for i in 1..2\n");
    EXPECT_EQ(text(model, *model.constraints[0].damping), "2*a");
    EXPECT_EQ(text(model, *model.constraints[0].stiffness), "a + 1");
    EXPECT_EQ(text(model, *model.constraints[1].damping), "2");
    EXPECT_FALSE(model.constraints[1].stiffness.has_value());
    EXPECT_EQ(text(model, *model.constraints[3].stiffness), "25");
}

TEST(Statements, AConstraintThatIsAlwaysTrueIsKeptWithAWarning) {
    const SourceText source("test.lac", "coord x\nconstraint c: x = x\n");
    const Parsed parsed = parse_model(source);
    ASSERT_TRUE(parsed.model.has_value());
    EXPECT_EQ(parsed.model->constraints.size(), 1u);
    EXPECT_EQ(parsed.diagnostics.all().size(), 1u);
}

TEST(Statements, StartsAreFixedOrGuessed) {
    const Model model = read(
        "param a = 2\ncoord x, y[1..2]\nstart x = a, x' ~ 1, y[i] = i*x + t for i in 1..1\nstart "
        "y[2]' = y[1]^2\n");
    ASSERT_EQ(model.start.size(), 4u);
    EXPECT_FALSE(model.start[0].guess);
    EXPECT_TRUE(model.start[1].guess && model.start[1].velocity);
    EXPECT_EQ(text(model, model.start[2].value), "t + x");
    EXPECT_EQ(model.start[3].coordinate, 2u);
}

TEST(Statements, SimulateHasModifiersInAnyOrder) {
    const Model model =
        read("param T = 2\ncoord x\nsimulate 0..2*T tolerance 1e-9 method rk4 every T/100\n");
    ASSERT_TRUE(model.simulation.has_value());
    EXPECT_EQ(text(model, model.simulation->end), "2*T");
    EXPECT_EQ(text(model, *model.simulation->every), "T/100");
    EXPECT_EQ(model.simulation->method, "rk4");
    EXPECT_EQ(read("coord x\nsimulate 0..1 method \"dop853\"\n").simulation->method, "dop853");
}

TEST(Statements, SimulateTakesEveryMethod) {
    for (const std::string_view method : method_names())
        EXPECT_EQ(
            read("coord x\nsimulate 0..1 method " + std::string(method) + "\n").simulation->method,
            method);
    EXPECT_EQ(method_names().front(), "auto");
}

TEST(Statements, EventsAreValuesOrEquations) {
    const Model model = read(
        "coord x, y\nconstraint rod: x^2 + y^2 = 1\nevent low: y\nevent hit: x^2 = 1 stop\n"
        "event slack: rod.force - 2\nevent drop: energy = y''\nevent tick: sin(t)\n");
    EXPECT_EQ(names_of(model.events), (Strings{"low", "hit", "slack", "drop", "tick"}));
    EXPECT_EQ(text(model, model.events[0].value), "y");
    EXPECT_FALSE(model.events[0].stop);
    EXPECT_EQ(text(model, model.events[1].value), "x^2 - 1");
    EXPECT_TRUE(model.events[1].stop);
    EXPECT_EQ(model.observed.size(), 2u);
    EXPECT_EQ(model.source.text(model.events[1].span), "hit");
}

TEST(Statements, EventsFormFamilies) {
    const Model model = read(
        "param N = 3\ncoord x[1..N]\nevent hit[i]: x[i] = i stop for i in 1..N if i != 2\nevent "
        "hit[9]: t = 1\n");
    EXPECT_EQ(names_of(model.events), (Strings{"hit[1]", "hit[3]", "hit[9]"}));
    EXPECT_EQ(text(model, model.events[1].value), "x[3] - 3");
    EXPECT_TRUE(model.events[1].stop);
    EXPECT_FALSE(model.events[2].stop);
}

TEST(Statements, StopIsAKeywordOnlyBehindAnEvent) {
    const Model model =
        read("coord stop\nevent e: stop stop\nevent f: stop\nevent g: 2*stop = stop stop\n");
    EXPECT_TRUE(model.events[0].stop);
    EXPECT_FALSE(model.events[1].stop);
    EXPECT_EQ(text(model, model.events[2].value), "stop");
    EXPECT_TRUE(model.events[2].stop);
}

TEST(Statements, OutputsGoByNameOrCanonicalText) {
    const std::string let =
        "coord x[1..2]\nlet P[i] = (i*x[i], 2) for i in 1..2\nlet q[1] = x[1]\n";
    const auto columns = [&](const std::string& output) {
        return names_of(read(let + "output " + output + "\n").outputs);
    };
    EXPECT_EQ(columns("x[i] ^ 2, i * x[i],P[i - 1 + 1].x for i in 1..2"),
              (Strings{"x[1]^2", "1*x[1]", "P[1].x", "x[2]^2", "2*x[2]", "P[2].x"}));
    EXPECT_EQ(columns("r=x[1]/ 2, s[i+1] = x[i]+1 for i in 1..1"), (Strings{"r", "s[2]"}));
    EXPECT_EQ(columns("P[1], v = P[2]"), (Strings{"P[1].x", "P[1].y", "v.x", "v.y"}));
    EXPECT_EQ(columns("( x[1]+x[2] ) , sum(x[ k ]*i for k in i .. 2) for i in 1..1"),
              (Strings{"(x[1] + x[2])", "sum(x[k]*1 for k in 1..2)"}));
    EXPECT_EQ(columns("q[-i]*i for i in -1..-1"), (Strings{"q[1]*(-1)"}));
}

TEST(Statements, OutputsObserveTheComputation) {
    const Model model = read(
        "coord x, y\nconstraint c: (x, y) = (1, 2)\nconstraint rod[i]: x*y = i for i in 1..3\n"
        "output energy, 2*energy, kinetic + potential, c.force, c.y.multiplier, c.x.residual, "
        "rod[3].force, rod[i].multiplier "
        "for i in 1..1\n");
    ASSERT_EQ(model.observed.size(), 8u);
    EXPECT_EQ(model.observed[0].kind, Observed::Kind::energy);
    EXPECT_EQ(model.observed[3].rows, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(model.observed[4].rows, (std::vector<std::size_t>{1}));
    EXPECT_EQ(model.observed[6].rows, (std::vector<std::size_t>{4}));
    EXPECT_EQ(model.outputs.back().name, "rod[1].multiplier");
}

TEST(Statements, OutputsOfTheStateAreNotRepeated) {
    const Model model = read("coord x\noutput t, x, x', x''\noutput x, x = x\n");
    EXPECT_EQ(names_of(model.outputs), (Strings{"x''"}));
    EXPECT_EQ(names_of(model.state_outputs), (Strings{"t", "x", "x'"}));
}

TEST(Statements, TheSameOutputTwiceIsOne) {
    EXPECT_EQ(
        names_of(
            read("coord x\noutput x^2, energy, r = 2*x\noutput x^2, r = x*2, energy\n").outputs),
        (Strings{"x^2", "energy", "r"}));
}

TEST(Statements, DrawingsShowPointsLinesAndCircles) {
    const Model model = read(
        "coord x, y\nparticle b[i] at (x, i*y) mass 1 for i in 1..2\n"
        "draw b[i] trail for i in 1..2\ndraw line (0, 0) to b[1], circle b[2] radius 0.1\ndraw "
        "point (1, 2) trail, b[2] + (0, "
        "1)\n");
    ASSERT_EQ(model.drawings.size(), 6u);
    EXPECT_EQ(model.drawings[1].name, "b[2]");
    EXPECT_TRUE(model.drawings[1].trail);
    EXPECT_EQ(model.drawings[2].kind, Drawing::Kind::line);
    EXPECT_EQ(texts(model, model.drawings[2].value), (Strings{"0", "0", "x", "y"}));
    EXPECT_EQ(texts(model, model.drawings[3].value), (Strings{"x", "2*y", "0.1"}));
    EXPECT_EQ(model.drawings[4].name, "");
    EXPECT_TRUE(model.drawings[4].trail);
    EXPECT_EQ(texts(model, model.drawings[5].value), (Strings{"x", "2*y + 1"}));
}

TEST(Statements, ColorsOfDrawingsAreKnown) {
    const std::string head = "coord x\nparticle b at (x, 0) mass 1\n";
    EXPECT_EQ(read(head + "draw b color \"teal\"\n").drawings[0].color, "teal");
    EXPECT_NE(errors_of(head + "draw b color \"orang\"\n").find("did you mean \"orange\"?"),
              std::string::npos);
    EXPECT_NE(errors_of(head + "draw b color \"#12345\"\n").find("there is no color '#12345'"),
              std::string::npos);
    EXPECT_NE(errors_of(head + "draw b color red\n").find("a color is a text in quotes"),
              std::string::npos);
}

}  // namespace
}  // namespace lacon
