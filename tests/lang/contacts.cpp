// One-sided constraints and friction as they are read.
#include "lang/reading.hpp"

/// One-sided constraints, friction and nonideal forces.
namespace lacon {
namespace {

using Sense = ConstraintRow::Sense;
using Rows = std::vector<std::size_t>;

TEST(Contacts, OneSidedConstraintsAreLeftMinusRight) {
    const Model model = read(
        "param e = 0.5\ncoord x, y\nconstraint a: y >= x^2 restitution e*cos(x)\nconstraint b: x' "
        "<= 1\n"
        "constraint c: y = 0\n");
    EXPECT_EQ(text(model, model.constraints[0].value), "y - x^2");
    EXPECT_EQ(model.constraints[0].sense, Sense::at_least);
    EXPECT_EQ(text(model, *model.constraints[0].restitution), "e*cos(x)");
    EXPECT_EQ(text(model, model.constraints[1].value), "x' - 1");
    EXPECT_EQ(model.constraints[1].sense, Sense::at_most);
    EXPECT_FALSE(model.constraints[1].restitution.has_value());
    EXPECT_EQ(model.constraints[2].sense, Sense::equal);
}

TEST(Contacts, EveryRowOfAVectorIsOneSided) {
    const Model model =
        read("coord x, y\nconstraint box[i]: (x, y) <= (i, 2*i) restitution 1/i for i in 1..2\n");
    EXPECT_EQ(names_of(model.constraints),
              (Strings{"box[1].x", "box[1].y", "box[2].x", "box[2].y"}));
    for (const ConstraintRow& row : model.constraints) EXPECT_EQ(row.sense, Sense::at_most);
    EXPECT_EQ(text(model, *model.constraints[3].restitution), "0.5");
}

TEST(Contacts, FrictionActsOnTheParticleWithAllCoordinatesOfTheConstraint) {
    const Model model = read(
        "coord x, y, u, v\nparticle p at (u, v) mass 1\nparticle q at (x, y) mass 1\n"
        "constraint wire: (y, 0*x) = (x^2, v - v) friction 0.1\nconstraint floor: v >= sin(t) "
        "friction 0.2 static 0.3\n");
    ASSERT_EQ(model.frictions.size(), 2u);
    EXPECT_EQ(model.frictions[0].constraint, "wire");
    EXPECT_EQ(model.frictions[0].rows, (Rows{0, 1}));
    EXPECT_EQ(model.frictions[0].particle, 1u);
    EXPECT_EQ(text(model, model.frictions[0].kinetic), "0.1");
    EXPECT_FALSE(model.frictions[0].at_rest.has_value());
    EXPECT_TRUE(model.frictions[0].slip.empty());
    EXPECT_EQ(model.frictions[1].particle, 0u);
    EXPECT_EQ(text(model, *model.frictions[1].at_rest), "0.3");
    EXPECT_EQ(model.source.text(model.frictions[1].span), "friction 0.2 static 0.3");
}

TEST(Contacts, FrictionActsOnTheParticleNamed) {
    const Model model = read(
        "coord x, y[1..2]\nparticle p[i] at (x, y[i]) mass 1 for i in 1..2\n"
        "constraint c[i]: x = i*t friction 1/i on p[3-i] static 2 for i in 1..2\n");
    ASSERT_EQ(model.frictions.size(), 2u);
    EXPECT_EQ(model.frictions[0].particle, 1u);
    EXPECT_EQ(model.frictions[1].particle, 0u);
    EXPECT_EQ(model.frictions[1].constraint, "c[2]");
    EXPECT_EQ(model.frictions[1].rows, (Rows{1}));
    EXPECT_EQ(text(model, model.frictions[1].kinetic), "0.5");
    EXPECT_EQ(text(model, *model.frictions[1].at_rest), "2");
}

TEST(Contacts, FrictionGoesAlongAVelocityOfSliding) {
    const Model model = read(
        "param R = 2\ncoord x, y, th\nconstraint floor: y >= R friction 0.3 slip x' + R*th' "
        "restitution 0.5\n"
        "constraint turn: x' = y*th' friction 0.1 slip (x', y', th')\n");
    ASSERT_EQ(model.frictions.size(), 2u);
    EXPECT_FALSE(model.frictions[0].particle.has_value());
    ASSERT_EQ(model.frictions[0].slip.size(), 1u);
    EXPECT_EQ(text(model, model.frictions[0].slip[0]), "x' + R*th'");
    EXPECT_TRUE(model.constraints[0].restitution.has_value());
    EXPECT_EQ(model.frictions[1].slip.size(), 3u);
}

TEST(Contacts, ModifiersComeInAnyOrder) {
    const Model model = read(
        "coord x\nparticle p at x mass 1\nconstraint a: x >= 0 friction 0.1 restitution 0.5\n"
        "constraint b: x = 0 stabilize 2 3 friction 0.2\nconstraint c: x = 0 friction 0.3 "
        "stabilize 2 (3)\n"
        "constraint d: x' = 0 stabilize 2 friction 0.4 slip x'\n");
    EXPECT_EQ(model.frictions.size(), 4u);
    EXPECT_TRUE(model.constraints[0].restitution.has_value());
    EXPECT_EQ(text(model, *model.constraints[1].stiffness), "3");
    EXPECT_EQ(text(model, *model.constraints[2].stiffness), "3");
    EXPECT_FALSE(model.constraints[3].stiffness.has_value());
}

TEST(Contacts, ModifiersAreFreeForUseAsNames) {
    const Model model = read(
        "param friction = 0.1, on = 1, slip = 2, static = 3\ncoord x\nparticle restitution at x "
        "mass 1\n"
        "constraint a: x = slip friction friction static static on restitution\nconstraint b: x >= "
        "on\n"
        "constraint c: x = 1 stabilize on slip\n");
    EXPECT_EQ(text(model, model.frictions[0].kinetic), "friction");
    EXPECT_EQ(text(model, *model.frictions[0].at_rest), "static");
    EXPECT_EQ(text(model, *model.constraints[2].stiffness), "slip");
}

TEST(Contacts, AWeightStandsAmongTheOtherModifiersOfAnyConstraint) {
    const Model model = read(
        "param weight = 3\nparam k[i] = i for i in 1..2\ncoord x, y\nparticle p at x mass 1\n"
        "constraint a: x >= 0 weight 2*weight friction 0.1 restitution 0.5\n"
        "constraint b: x = 0 stabilize 2 weight weight friction 0.2\nconstraint c: (x, y) = 0 "
        "friction 0.3 slip x' weight 0.5\n"
        "constraint d[i]: y = 0 weight 1/k[i] for i in 1..2\nconstraint e: x = weight\n"
        "constraint f: x = 0 stabilize 2 weight\n");
    const auto weight = [&](std::size_t row) {
        return model.constraints[row].weight ? text(model, *model.constraints[row].weight)
                                             : std::string("none");
    };
    EXPECT_EQ(weight(0), "2*weight");
    EXPECT_EQ(weight(1), "weight");
    EXPECT_FALSE(model.constraints[1].stiffness.has_value());
    EXPECT_EQ(weight(2), "0.5") << "of every row of a vector";
    EXPECT_EQ(weight(3), "0.5");
    EXPECT_EQ(weight(4), "1/k[1]");
    EXPECT_EQ(weight(5), "1/k[2]");
    EXPECT_EQ(weight(6), "none");
    EXPECT_EQ(text(model, *model.constraints[7].stiffness), "weight");
    EXPECT_EQ(model.frictions.size(), 3u);
}

TEST(Contacts, AWeightThatASettingSpoilsIsAnErrorAtItsPlace) {
    const std::string model = "param k = 2\ncoord x\nconstraint c: x = 0 weight 1/k\n";
    EXPECT_EQ(errors_of(model), "");
    EXPECT_EQ(errors_of(model, {{"k", 1e-300}}), "");
    for (const auto& [k, is] : {std::pair{-2.0, "-0.5"}, std::pair{0.0, "inf"}})
        EXPECT_EQ(errors_of(model, {{"k", k}}),
                  std::string(
                      "test.lac:3:28: error: the weight must be positive and finite, but it is ") +
                      is +
                      "\n  constraint c: x = 0 weight 1/k\n                             ^~~\n  "
                      "hint: constraints of small weight take more of a shared force\n");
}

TEST(Contacts, AStaticCoefficientBelowTheKineticOneGivesAWarning) {
    const std::string model =
        "param mu = 0.5\ncoord x\nparticle p at x mass 1\nconstraint c: x = 0 friction mu static "
        "0.4\n";
    EXPECT_NE(
        errors_of(model).find(
            "warning: the coefficient of static friction, 0.4, is below that of sliding, 0.5"),
        std::string::npos);
    EXPECT_EQ(errors_of(model, {{"mu", 0.3}}), "");
    EXPECT_EQ(read(model).frictions.size(), 1u);
}

TEST(Contacts, ValuesThatMoveAreNotHeldAgainstTheirBounds) {
    EXPECT_EQ(errors_of("coord x\nparticle p at x mass 1\nconstraint c: x >= 0 restitution 2*x "
                        "friction x - 1 static -t\n"),
              "");
}

TEST(Contacts, NonidealForcesActOnCoordinatesAndParticles) {
    const Model model = read(
        "coord x, y\nparticle p[i] at (x, i*y) mass 1 for i in 1..2\nconstraint wire: y = x^2\n"
        "nonideal y = -2*y', p[i] = (i*load(wire), 0) for i in 1..2\n");
    EXPECT_TRUE(model.forces.empty() && model.particle_forces.empty());
    ASSERT_EQ(model.nonideal.size(), 2u);
    EXPECT_EQ(model.nonideal[0].coordinate, 1u);
    EXPECT_EQ(text(model, model.nonideal[0].value), "-2*y'");
    ASSERT_EQ(model.particle_nonideal.size(), 2u);
    EXPECT_EQ(model.particle_nonideal[1].particle, 1u);
    EXPECT_EQ(texts(model, model.particle_nonideal[1].value)[0], "2*load(wire)");
}

TEST(Contacts, ALoadIsTheForceOfItsConstraint) {
    const Model model = read(
        "coord x, y\nnonideal x = load(rod[3]) + load(c)*x', y = load(c.y) + load(rod[i]) for i in "
        "1..1\n"
        "constraint c: (x, y) = (1, 2)\nconstraint rod[i]: x*y = i for i in 1..3\n"
        "output rod[3].force, load(rod[i]) for i in 2..2\nevent slack: load(c) - c.force - 1\n");
    ASSERT_EQ(model.observed.size(), 5u);
    for (const Observed& observed : model.observed) EXPECT_EQ(observed.kind, Observed::Kind::force);
    EXPECT_EQ(model.observed[0].rows, (Rows{4}));
    EXPECT_EQ(model.observed[1].rows, (Rows{0, 1}));
    EXPECT_EQ(model.observed[2].rows, (Rows{1}));
    EXPECT_EQ(model.graph.name(model.observed[3].symbol), "load(rod[1])");
    EXPECT_EQ(names_of(model.outputs), (Strings{"rod[3].force", "load(rod[2])"}));
    EXPECT_EQ(model.outputs[0].value, model.observed[0].symbol);
}

TEST(Contacts, FunctionsMayTakeLoads) {
    const Model model = read(
        "coord x\nlet rub(v) = -0.1*load(c)*sign(v)\nconstraint c: x = t\nnonideal x = rub(x')\n");
    EXPECT_EQ(text(model, model.nonideal[0].value), "-load(c)*sign(x')/10");
}

TEST(Contacts, SimulateTakesEveryImpactLaw) {
    for (const std::string_view law : impact_law_names())
        EXPECT_EQ(read("coord x\nsimulate 0..1 impacts " + std::string(law) + " every 0.1\n")
                      .simulation->impacts,
                  law);
    EXPECT_EQ(read("coord x\nsimulate 0..1 impacts \"sequential\"\n").simulation->impacts,
              "sequential");
    EXPECT_EQ(read("coord x\nsimulate 0..1\n").simulation->impacts, "");
}

}  // namespace
}  // namespace lacon
