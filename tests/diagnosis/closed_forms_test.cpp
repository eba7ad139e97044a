// What a diagnosis must say where statics and kinematics say it by hand.

#include <cmath>

#include "diagnosis_tests.hpp"

namespace lacon {
namespace {

using Names = std::vector<std::string>;

TEST(DiagnosisOfModels, ADoorOnTwoFullHingesHasRankFiveAndNoUniqueHinge) {
    const Diagnosis d = diagnose(Mechanism::load(model_path("door.lac")));
    ASSERT_TRUE(d.status) << d.status.message;
    EXPECT_EQ(d.rank->rows, 10u);
    EXPECT_EQ(d.rank->rank, 5u);
    EXPECT_EQ(d.rank->degrees_of_freedom, 1u);
    EXPECT_TRUE(d.rank->decided);
    EXPECT_EQ(d.dependent.size(), 5u);
    for (const Dependency& set : d.dependent) {
        EXPECT_EQ(set.persistence, Persistence::structural) << set.text;
        EXPECT_EQ(set.verdict, Verdict::consistent) << set.text;
    }
    expect_values(set_of(d, {"lower.z", "upper.z"}).coefficients, {1, -1}, 1e-10);
    expect_values(set_of(d, {"lower_axis.x", "upper_axis.x"}).coefficients, {1, -1}, 1e-10);
    expect_values(set_of(d, {"lower_axis.y", "upper_axis.y"}).coefficients, {1, -1}, 1e-10);
    // upper − lower = 2 h up, h = 0.8
    expect_values(set_of(d, {"lower.x", "lower_axis.x", "upper.x"}).coefficients,
                  {0.625, 1, -0.625}, 1e-10);
    expect_values(set_of(d, {"lower.y", "lower_axis.y", "upper.y"}).coefficients,
                  {0.625, 1, -0.625}, 1e-10);
    EXPECT_FALSE(d.singular);
    for (const char* name : {"lower", "upper", "lower_axis", "upper_axis"})
        EXPECT_FALSE(reaction_of(d, name).unique) << name;
}

TEST(DiagnosisOfModels, ATableHeldByFourLegsHasFourForcesThatAreNotUnique) {
    const Diagnosis d = diagnose(Mechanism::load(model_path("table_held.lac")));
    const Dependency set = set_of(d, {"leg[1]", "leg[2]", "leg[3]", "leg[4]"});
    expect_values(set.coefficients, {1, -1, 1, -1});
    EXPECT_EQ(set.persistence, Persistence::structural);
    for (const Reaction& leg : d.reactions) EXPECT_FALSE(leg.unique) << leg.name;
    ASSERT_EQ(d.null_forces.size(), 1u);
    expect_values(d.null_forces[0].coefficients, {1, -1, 1, -1});
}

TEST(DiagnosisOfModels,
     ATableThatStandsHasForcesThatAreNotUniqueThoughItsRowsInForceAreIndependent) {
    const Diagnosis d = diagnose(Mechanism::load(model_path("table.lac")));
    EXPECT_EQ(d.rank->rank, 3u);
    EXPECT_EQ(d.reactions.size(), 4u);
    for (const Reaction& leg : d.reactions) EXPECT_FALSE(leg.unique) << leg.name;
    ASSERT_EQ(d.null_forces.size(), 1u);
    expect_values(d.null_forces[0].coefficients, {1, -1, 1, -1});
}

TEST(DiagnosisOfModels, APlanarLoopInSpaceHasUniqueForcesInThePlaneOnly) {
    const Diagnosis d = diagnose(Mechanism::load(model_path("four_bar_space.lac")));
    EXPECT_EQ(d.rank->rank, 5u);
    const Dependency set = set_of(d, {"crank_plane", "rocker_plane", "coupler_plane"});
    expect_values(set.coefficients, {1, -1, 1});
    EXPECT_EQ(set.persistence, Persistence::structural);
    for (const char* name : {"crank", "rocker", "coupler"})
        EXPECT_TRUE(reaction_of(d, name).unique) << name;
    for (const char* name : {"crank_plane", "rocker_plane", "coupler_plane"})
        EXPECT_FALSE(reaction_of(d, name).unique) << name;
}

TEST(DiagnosisOfModels, AParallelogramInItsFlatPositionHasTwoBranchesAndTwoFreedDirections) {
    const Diagnosis d = diagnose(Mechanism::load(model_path("flat_parallelogram.lac")));
    const Dependency set = set_of(d, {"left", "coupler", "right"});
    expect_values(set.coefficients, {1, 1, -1});
    EXPECT_EQ(set.persistence, Persistence::momentary);
    EXPECT_EQ(set.dependent_in, 0u);
    ASSERT_TRUE(d.singular);
    EXPECT_EQ(d.rank->rank, 2u);
    EXPECT_EQ(d.singular->generic_rank, 3u);
    ASSERT_EQ(d.singular->freed.size(), 2u);
    expect_values(d.singular->freed[0], {0, 1, 0, 0}, 1e-4);
    expect_values(d.singular->freed[1], {0, 0, 0, 1}, 1e-4);
    ASSERT_EQ(d.singular->branches.size(), 2u);
    auto branches = d.singular->branches;
    std::sort(branches.begin(), branches.end());
    expect_values(branches[0].at(0), {0, -1.0 / 3, 0, 1},
                  1e-3);  // (s − d) : (s + d) with s = 1, d = 2
    expect_values(branches[1].at(0), {0, 1, 0, 1}, 1e-3);
    for (const Reaction& bar : d.reactions) EXPECT_FALSE(bar.unique) << bar.name;
}

TEST(DiagnosisOfModels, ARedundantLinkLastsThroughTheFlatPositionAndTheOtherDependencyDoesNot) {
    const Mechanism m = Mechanism::load(model_path("parallelogram.lac"));
    const Diagnosis d = diagnose(m, {0.0, {1, 0, 3, 0}, {0, 0, 0, 0}});
    EXPECT_EQ(d.rank->rank, 2u);
    ASSERT_TRUE(d.singular);
    EXPECT_EQ(d.singular->generic_rank, 3u);
    EXPECT_EQ(set_of(d, {"left", "right", "middle"}).persistence, Persistence::structural);
    EXPECT_EQ(std::count_if(
                  d.dependent.begin(), d.dependent.end(),
                  [](const Dependency& set) { return set.persistence == Persistence::momentary; }),
              1);
    // the middle link leaves the parallelogram's branch only: what else moves here is freed
    ASSERT_EQ(d.singular->freed.size(), 1u);
    expect_values(d.singular->freed[0], {0, 1, 0, -1}, 1e-3);
    EXPECT_TRUE(d.singular->branches.empty());
}

TEST(DiagnosisOfModels, AConstraintSaidThreeTimesIsOneStatement) {
    const Mechanism m = Mechanism::load(model_path("pendulum_three_ways.lac"));
    const Diagnosis d = diagnose(m);
    EXPECT_EQ(d.rank->rank, 1u);
    EXPECT_EQ(d.dependent.size(), 2u);
    for (const Dependency& set : d.dependent) {
        EXPECT_EQ(set.names.size(), 2u);
        EXPECT_EQ(set.persistence, Persistence::structural) << set.text;
    }
    // rows 2 (x, y), (x, y)/L, (x, y) with L = 2
    expect_values(set_of(d, {"squared", "length"}).coefficients, {0.25, -1}, 1e-11);
}

TEST(DiagnosisOfForces, AVectorConstraintMayHaveAUniqueForceThoughItsMultipliersAreNot) {
    const Diagnosis d =
        diagnose(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\ngravity (0, "
                                  "-9.81)\nconstraint twice: (y, 2*y) = (0, 0)\n"));
    const Reaction& twice = reaction_of(d, "twice");
    EXPECT_TRUE(twice.unique);
    EXPECT_EQ(twice.row_unique, (std::vector<bool>{false, false}));
}

TEST(DiagnosisOfForces, ABeamOnThreeSupportsHasAUniquePullAlongItOnly) {
    // y + s a is the height at s; statics: two equations for the three vertical forces, one for the
    // horizontal one
    const Diagnosis d = diagnose(
        Mechanism::parse("coord x, y, a\nkinetic (x'^2 + y'^2 + a'^2/12)/2\npotential 9.81*y + x\n"
                         "constraint pin: (x, y - a) = (0, 0)\nconstraint mid: y = 0\nconstraint "
                         "roller: y + a = 0\n"));
    const Reaction& pin = reaction_of(d, "pin");
    EXPECT_FALSE(pin.unique);
    EXPECT_EQ(pin.row_unique, (std::vector<bool>{true, false}));
    EXPECT_FALSE(reaction_of(d, "mid").unique);
    EXPECT_FALSE(reaction_of(d, "roller").unique);
    expect_values(set_of(d, {"pin.y", "mid", "roller"}).coefficients, {0.5, -1, 0.5});
}

TEST(DiagnosisOfConflicts, AccelerationsThatContradictSayWhatIsAskedAndWhatIsFixed) {
    const Diagnosis d =
        diagnose(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint pin: x'' = "
                                  "1\nconstraint rail: y'' = 0.5\n"
                                  "constraint rod: x'' + y'' = 2\n"));
    EXPECT_EQ(d.status.outcome, Outcome::conflict);
    const Dependency set = set_of(d, {"pin", "rail", "rod"});
    EXPECT_EQ(set.verdict, Verdict::conflict);
    EXPECT_DOUBLE_EQ(*set.asked, 2.0);
    EXPECT_DOUBLE_EQ(*set.fixed, 1.5);
    EXPECT_TRUE(set.text.starts_with(
        "'rod' requires 2 where 'pin' and 'rail' already fix 1.5 (as accelerations)"))
        << set.text;
    EXPECT_TRUE(d.reactions.empty());
}

TEST(DiagnosisOfConflicts, PositionsThatContradictSayWhatIsAskedInTheUsersTerms) {
    const Diagnosis d =
        diagnose(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: norm(p) "
                                  "= 1\nconstraint b: norm(p) + 1 "
                                  "= 2.5\nstart x ~ 1, y ~ 1\n"));
    EXPECT_EQ(d.status.outcome, Outcome::conflict);
    const Dependency set = set_of(d, {"a", "b"});
    EXPECT_EQ(set.level, Level::position);
    EXPECT_DOUBLE_EQ(*set.asked, 2.5);
    EXPECT_NEAR(*set.fixed, 2.0, 1e-9);
    EXPECT_EQ(set.text, "'b' requires 2.5 where 'a' already fixes 2");
}

TEST(DiagnosisOfConflicts, CirclesThatDoNotMeetSayHowNearTheOthersAllow) {
    const Diagnosis d = diagnose(
        Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: norm(p) = 1\n"
                         "constraint b: norm(p - (3, 0)) = 1\nstart x ~ 1.4, y ~ 0.1\n"));
    EXPECT_EQ(d.status.outcome, Outcome::conflict) << d.status.message;
    const Dependency set = set_of(d, {"a", "b"});
    EXPECT_DOUBLE_EQ(*set.asked, 1.0);
    EXPECT_NE(set.text.find("where 'a' allows nothing nearer than"), std::string::npos) << set.text;
}

TEST(DiagnosisOfRank, CoordinatesThatNothingFixesAreNamed) {
    const Diagnosis d = diagnose(
        Mechanism::parse("coord x, u\nkinetic x'^2/2\nconstraint held: x = 1\nstart x ~ 1\n"));
    EXPECT_EQ(d.status.outcome, Outcome::undetermined);
    EXPECT_EQ(d.undetermined, Names{"u"});
}

TEST(DiagnosisOfRank, ARankNearItsToleranceIsUndecided) {
    const Diagnosis d =
        diagnose(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = "
                                  "0\nconstraint b: x + 3e-10*y = 0\n"));
    EXPECT_FALSE(d.rank->decided);
    EXPECT_NE(d.rank->scaling.find("rows of unit length"), std::string::npos);
}

TEST(DiagnosisOfRank, SingularValuesStandOnBothSidesOfTheGap) {
    const Diagnosis d =
        diagnose(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = "
                                  "0\nconstraint b: 2*x = 0\nconstraint c: y = 0\n"));
    EXPECT_EQ(d.rank->rank, 2u);
    EXPECT_NEAR(*d.rank->smallest_kept, std::sqrt(0.5), 1e-12);  // of rows x, x, y: √2, 1, 0
    EXPECT_LE(*d.rank->largest_dropped, 1e-15);
    EXPECT_EQ(d.rank->tolerance, SolveOptions{}.rank_tol);
}

}  // namespace
}  // namespace lacon
