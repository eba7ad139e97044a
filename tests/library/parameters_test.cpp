// Values of parameters changed without reading the model again; names and their numbers; errors of
// a text with their places.
#include <gtest/gtest.h>

#include <cmath>

#include "lacon/ensemble.hpp"
#include "lacon/simulation.hpp"

namespace lacon {
namespace {

const char* const pendulum =
    "param l = 1, m = 2, g = 9.81, w = sqrt(g/l), N = 2\n"
    "coord x, y, z[1..N]\nparticle bob at (x, y) mass m\ngravity (0, -g)\n"
    "kinetic z[i]'^2*m*(1 + 0.1*i)/2 for i in 1..N\npotential w^2*z[i]^2/2 for i in 1..N\n"
    "constraint rod: x^2 + y^2 = l^2 weight m\nstart x = l*sin(0.3), y ~ -l, z[1] = w\n"
    "simulate 0..w every w/4\noutput energy\n";

void expect_same_motion(const Mechanism& a, const Mechanism& b) {
    const Motion one = run(a), other = run(b);
    ASSERT_TRUE(one.status) << one.status.message;
    EXPECT_EQ(one.columns, other.columns);
    const Evaluation x = a.evaluate(a.start().state), y = b.evaluate(b.start().state);
    EXPECT_EQ(x.M, y.M);
    EXPECT_EQ(x.A, y.A);
    EXPECT_EQ(x.Q, y.Q);
    EXPECT_EQ(x.b, y.b);
    EXPECT_EQ(x.solution.multipliers, y.solution.multipliers);
}

TEST(WithParameters, IsTheMechanismLoadedWithTheseValuesToTheBit) {
    const auto mechanism = Mechanism::parse(pendulum);
    const Settings values{{"l", 1.7}, {"m", 0.3}};
    const auto changed = mechanism.with_parameters(values);
    expect_same_motion(changed, Mechanism::parse(pendulum, "model", values));
    EXPECT_EQ(mechanism.parameter("l"), 1.0);
    EXPECT_EQ(changed.parameter("l"), 1.7);
}

TEST(WithParameters, WhatFollowsFromOthersFollowsUnlessItWasGiven) {
    const auto mechanism = Mechanism::parse(pendulum);
    EXPECT_EQ(mechanism.with_parameters({{"l", 4.0}}).parameter("w"), std::sqrt(9.81 / 4.0));
    const auto given = Mechanism::parse(pendulum, "model", {{"w", 3.0}});
    EXPECT_EQ(given.with_parameters({{"l", 4.0}}).parameter("w"), 3.0);
    EXPECT_EQ(mechanism.with_parameters({{"w", 5.0}}).with_parameters({{"l", 4.0}}).parameter("w"),
              5.0);
}

TEST(WithParameters, OneThatShapesTheModelIsRefusedByName) {
    const auto mechanism = Mechanism::parse(pendulum);
    EXPECT_NO_THROW(mechanism.with_parameters({{"N", 2.0}}));
    try {
        mechanism.with_parameters({{"N", 3.0}});
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "the parameter 'N' determines the structure of the model (families, loops or "
                     "indices depend on it) and cannot be changed; reload the model with N = 3");
    }
}

TEST(WithParameters, OneThatShapesTheModelThroughAnotherIsRefusedToo) {
    for (const char* text :
         {"param K = 1, N = 2*K\ncoord x[1..N]\nkinetic x[i]'^2 for i in 1..N\n",
          "param K = 2\nlet N = K\ncoord x[1..N]\nkinetic x[i]'^2 for i in 1..N\n",
          "param K = 2\nparam a[i] = i for i in 1..K\ncoord x\nkinetic a[1]*x'^2\n"})
        EXPECT_THROW(Mechanism::parse(text).with_parameters({{"K", 3.0}}), std::invalid_argument)
            << text;
}

TEST(WithParameters, NamesAndValuesThatMakeNoSenseAreRefused) {
    const auto mechanism = Mechanism::parse(pendulum);
    try {
        mechanism.with_parameters({{"L", 1.0}});
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "there is no parameter 'L'; did you mean 'l'?");
    }
    EXPECT_THROW(mechanism.with_parameters({{"l", NAN}}), std::invalid_argument);
    EXPECT_THROW(mechanism.with_parameters({{"m", -1.0}}), std::invalid_argument);  // the weight
    const auto ball = Mechanism::parse(
        "param e = 0.5, mu = 0.1\ncoord x, y\nparticle p at (x, y) mass 1\n"
        "constraint floor: y >= 0 restitution e friction mu\n");
    EXPECT_NO_THROW(ball.with_parameters({{"e", 1.0}, {"mu", 0.0}}));
    EXPECT_THROW(ball.with_parameters({{"e", 1.5}}), std::invalid_argument);
    EXPECT_THROW(ball.with_parameters({{"mu", -0.1}}), std::invalid_argument);
}

TEST(WithParameters, ControlsComputeWithThem) {
    const char* const text =
        "param k = 2, m = 1\ncoord x\nkinetic m*x'^2/2\npotential k*x^2/2\n"
        "control c: x = sin(t) by x\nstart x = 0, x' = 1\nsimulate 0..2\n";
    const auto changed = Mechanism::parse(text).with_parameters({{"k", 5.0}, {"m", 3.0}});
    const auto loaded = Mechanism::parse(text, "model", {{"k", 5.0}, {"m", 3.0}});
    EXPECT_EQ(run(changed).columns, run(loaded).columns);
    EXPECT_EQ(inverse_dynamics(changed).columns, inverse_dynamics(loaded).columns);
}

TEST(WithParameters, MembersOfAnEnsembleAreMadeWithoutReadingTheModelAgain) {
    const auto mechanism =
        Mechanism::parse("param k = 1\ncoord q\nkinetic q'^2/2\npotential k*q^2/2\nstart q = 1\n");
    std::vector<Member> members;
    for (int i = 1; i <= 9; ++i)
        members.push_back({mechanism.with_parameters({{"k", static_cast<double>(i)}})});
    const EnsembleMotion all = run_ensemble(members, {.end = 2.0, .tolerance = 1e-12});
    for (int i = 1; i <= 9; ++i) {
        const MemberMotion& one = all.members[static_cast<std::size_t>(i - 1)];
        EXPECT_TRUE(one.in_lanes);
        EXPECT_NEAR(one.final.q[0], std::cos(2.0 * std::sqrt(i)), 1e-10);
    }
}

TEST(Names, HaveTheNumbersOfTheirPlaces) {
    const auto mechanism = Mechanism::parse(pendulum);
    EXPECT_EQ(mechanism.coordinate_index("z[2]"), 3U);
    EXPECT_EQ(mechanism.constraint_index("rod"), 0U);
    EXPECT_EQ(mechanism.parameter_index("g"), 2U);
    EXPECT_EQ(mechanism.coordinate_index("z[3]"), std::nullopt);
    EXPECT_EQ(mechanism.parameters().size(), 5U);
}

TEST(Names, OfEnumerationsGoBothWays) {
    EXPECT_EQ(name_of(MethodKind::dop853), "dop853");
    EXPECT_EQ(named<MethodKind>("gauss"), MethodKind::gauss);
    EXPECT_EQ(named<EventKind>("switch"), EventKind::branch_switch);
    EXPECT_EQ(named<Solver>("auto"), Solver::automatic);
    EXPECT_EQ(named<ImpactLaw>("random"), std::nullopt);
    for (std::size_t i = 0; i < names_of<EventKind>().size(); ++i) {
        const auto kind = static_cast<EventKind>(i);
        EXPECT_EQ(named<EventKind>(name_of(kind)), kind);
    }
    EXPECT_EQ(name_of(EventKind::saturation), "saturation");
    EXPECT_EQ(name_of(MethodKind::gauss), "gauss");
    EXPECT_EQ(name_of(CodeTarget::avx512), "avx512");
    EXPECT_EQ(name_of(ContactKind::closing), "closing");
    EXPECT_EQ(name_of(FrictionKind::slips), "slips");
    EXPECT_EQ(name_of(LimitSide::free), "free");
    EXPECT_EQ(name_of(RequirementState::missed), "missed");
    EXPECT_EQ(name_of(ApproachEnd::changed), "changed");
}

TEST(Names, AnOptionTakesTheValueOrItsName) {
    const RunOptions options{.method = "taylor", .solver = Solver::dense};
    EXPECT_EQ(options.method, MethodKind::taylor);
    EXPECT_EQ(options.solver, "dense");
    try {
        const RunOptions wrong{.method = "tailor"};
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "there is no method 'tailor'; did you mean 'taylor'? Methods: auto, taylor, "
                     "dop853, dopri5, radau, rk4, bdf, adams, gauss");
    }
}

TEST(ModelError, HasTheDiagnosticsWithLineColumnAndHint) {
    try {
        Mechanism::parse("coord x\nkinetic x'^2/2\nparticle p at (x, yy) mass 1\nforce x = 1 +\n",
                         "wrong.lac");
        FAIL();
    } catch (const ModelError& error) {
        ASSERT_EQ(error.diagnostics.size(), 2U);
        const ModelDiagnostic& first = error.diagnostics[0];
        EXPECT_TRUE(first.is_error);
        EXPECT_EQ(first.file, "wrong.lac");
        EXPECT_EQ(first.line, 3U);
        EXPECT_EQ(first.column, 19U);
        EXPECT_EQ(error.diagnostics[1].line, 4U);
        EXPECT_NE(std::string(error.what()).find(first.message), std::string::npos);
    }
}

}  // namespace
}  // namespace lacon
