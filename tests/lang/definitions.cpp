// Parameters and definitions, their order and their families.
#include <cmath>

#include "lang/reading.hpp"

namespace lacon {
namespace {

TEST(Definitions, MayStandInAnyOrder) {
    EXPECT_EQ(value_of("a", "let a = b + 1\nlet b = 2*c\ncoord x\nlet c = x\n"), "2*x + 1");
    EXPECT_EQ(read("coord x[1..N]\nparam N = M/2\nparam M = 6\n").coordinates.size(), 3u);
}

TEST(Definitions, ParametersFollowOthersThatAreSet) {
    const Model model =
        read("param a = 2, b = 3*a in 0..100 \"thrice\"\ncoord x[1..a]\n", {{"a", 4.0}});
    EXPECT_EQ(model.parameters[1].value, 12);
    EXPECT_EQ(model.parameters[1].high, 100);
    EXPECT_EQ(model.parameters[1].text, "thrice");
    EXPECT_EQ(model.coordinates.size(), 4u);
}

TEST(Definitions, FamiliesOfParametersCanBeSetByMember) {
    const Model model =
        read("param m[i] = 2*i for i in 1..3\ncoord x\npotential m[2]*x\n", {{"m[2]", 7.0}});
    EXPECT_EQ(names_of(model.parameters), (Strings{"m[1]", "m[2]", "m[3]"}));
    EXPECT_EQ(model.parameters[1].value, 7);
    EXPECT_EQ(text(model, model.potential[0].value), "m[2]*x");
}

TEST(Definitions, UnknownSettingsAreToldWithTheNearestName) {
    const SourceText source("test.lac", "param length = 1\ncoord x\n");
    const Parsed parsed = parse_model(source, {{"lenght", 2.0}, {"q", 1.0}});
    ASSERT_EQ(parsed.unknown_settings.size(), 2u);
    EXPECT_EQ(parsed.unknown_settings[0].nearest, "length");
    EXPECT_FALSE(parsed.unknown_settings[1].nearest.has_value());
    EXPECT_TRUE(parsed.model.has_value());
}

TEST(Definitions, SettingsMayLeaveTheRangeWithAWarning) {
    EXPECT_EQ(errors_of("param mu = 0.1 in 0..1\ncoord x\n", {{"mu", 2.0}}),
              "test.lac:1:7: warning: 'mu' is set to 2, outside its range 0..1\n"
              "  param mu = 0.1 in 0..1\n"
              "        ^~\n");
    EXPECT_EQ(errors_of("param mu = 0.1\ncoord x\n", {{"mu", HUGE_VAL}}),
              "test.lac:1:7: error: 'mu' is set to inf, which is not a finite number\n  param mu = "
              "0.1\n        ^~\n");
}

TEST(Definitions, CoordinatesStandInTheOrderOfTheText) {
    EXPECT_EQ(
        names_of(
            read("coord b, a[1..2]\ncoord x[i], y[i] for i in 0..1\ncoord a[5], c[1..2,0..1]\n")
                .coordinates),
        (Strings{"b", "a[1]", "a[2]", "x[0]", "y[0]", "x[1]", "y[1]", "a[5]", "c[1,0]", "c[1,1]",
                 "c[2,0]", "c[2,1]"}));
}

TEST(Definitions, EachCoordinateHasSymbolsForItsDerivatives) {
    const Model model = read("coord x[-1..-1]\n");
    EXPECT_EQ(model.graph.name(model.coordinates[0].q), "x[-1]");
    EXPECT_EQ(model.graph.name(model.coordinates[0].v), "x[-1]'");
    EXPECT_EQ(model.graph.name(model.coordinates[0].a), "x[-1]''");
}

TEST(Definitions, FamiliesTakeSingleMembersApart) {
    const std::string chain =
        "param N = 3\ncoord a[1..N]\nlet P[0] = (0, 0)\nlet P[i] = P[i-1] + (cos(a[i]), sin(a[i])) "
        "for i in 1..N\n";
    EXPECT_TRUE(same("P[3].x", "cos(a[1]) + cos(a[2]) + cos(a[3])", chain));
    EXPECT_TRUE(same("P[0][1] + P[1][2] + 0*a[1]", "sin(a[1])", chain));
}

TEST(Definitions, RangesMayUseOuterIndicesAndConditions) {
    const std::string text = "coord x[1..3]\npotential x[i]*x[j] for i in 1..3 for j in i+1..3\n";
    EXPECT_EQ(read(text).potential.size(), 3u);
    EXPECT_EQ(read("coord x[1..3]\npotential x[i] for i in 1..3 if i != 2\n").potential.size(), 2u);
    EXPECT_EQ(read("coord x[1..3]\npotential x[i] for i in 1..0\n").potential.size(), 0u);
}

TEST(Definitions, LaterMembersMayBeUsedBeforeTheyAreDefined) {
    EXPECT_EQ(value_of("P[1]", "coord x\nlet P[i] = P[i+1] for i in 1..9\nlet P[10] = x\n"), "x");
}

TEST(Definitions, AFunctionThatIsNeverCalledIsFine) {
    EXPECT_EQ(read("coord x\nlet f(u) = u*x\nlet unused = x^2\n").potential.size(), 0u);
}

TEST(Definitions, TitlesAreTexts) {
    EXPECT_EQ(read("model \"Bead, on a wire # 1\"\ncoord x\n").title, "Bead, on a wire # 1");
}

}  // namespace
}  // namespace lacon
