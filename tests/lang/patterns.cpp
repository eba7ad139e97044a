// `x[*]` and other patterns of names.
#include <gtest/gtest.h>

#include "lang/lang.hpp"
#include "reading.hpp"

/// `output x[*]`: all members of a family.
namespace lacon {
namespace {

const std::string net =
    "coord x[1..3], g[1..2,1..3], y\nlet P[i] = (x[i], y) for i in 1..3\nparticle bead[i] at P[i] "
    "mass 1 for i in 1..3\n"
    "constraint link[i]: x[i] = x[i-1] + 1 for i in 2..3\n";

std::string first_error_with_net(const std::string& text) {
    const Parsed parsed = parse_model(SourceText("test.lac", net + text));
    return parsed.diagnostics.all().empty() ? "" : parsed.diagnostics.all().front().message;
}

TEST(Patterns, StandForAllMembersUnderTheirOwnNames) {
    const Model model =
        read(net + "output x[*], x[*]', link[*].force, g[*,3], g[2,*]^2, P[*], 2*P[*].x\n");
    EXPECT_EQ(names_of(model.state_outputs),
              (Strings{"x[1]", "x[2]", "x[3]", "x[1]'", "x[2]'", "x[3]'", "g[1,3]", "g[2,3]"}));
    EXPECT_EQ(names_of(model.outputs),
              (Strings{"link[2].force", "link[3].force", "g[2,1]^2", "g[2,2]^2", "g[2,3]^2",
                       "P[1].x", "P[1].y", "P[2].x", "P[2].y", "P[3].x", "P[3].y", "2*P[1].x",
                       "2*P[2].x", "2*P[3].x"}));
    EXPECT_EQ(to_text(model.graph, model.outputs[2].value), "g[2,1]^2");
}

TEST(Patterns, AreTheColumnsThatAClauseGives) {
    const Model stars = read(net + "output g[*,j]' for j in 1..3\n");
    const Model plain = read(net + "output g[i,j]' for j in 1..3 for i in 1..2\n");
    EXPECT_EQ(names_of(stars.state_outputs), names_of(plain.state_outputs));
    EXPECT_EQ(names_of(read(net + "output g[*,*]\n").state_outputs),
              (Strings{"g[1,1]", "g[1,2]", "g[1,3]", "g[2,1]", "g[2,2]", "g[2,3]"}));
}

TEST(Patterns, DrawAllMembers) {
    const Model model = read(net + "draw bead[*] trail, circle P[*] radius 1\n");
    ASSERT_EQ(model.drawings.size(), 6u);
    EXPECT_EQ(model.drawings[1].name, "bead[2]");
    EXPECT_TRUE(model.drawings[1].trail);
    EXPECT_EQ(texts(model, model.drawings[5].value)[0], model.coordinates[2].name);
}

TEST(Patterns, AreRefusedWhereThereIsNoFamily) {
    EXPECT_EQ(first_error_with_net("output y[*]\n"),
              "'y' is not a family, so it has no members for '*'");
    EXPECT_EQ(first_error_with_net("output P[1][*]\n"),
              "'P[1]' is not a family, so it has no members for '*'");
    EXPECT_EQ(first_error_with_net("output z[*]\n"), "there is nothing named 'z'");
    EXPECT_EQ(first_error_with_net("output g[*]\n"), "'g' has 2 indices, but 1 are given here");
    EXPECT_EQ(first_error_with_net("output g[*,4]\n"),
              "'g' has no member [*,4]; it has 6 members, from [1,1] to [2,3]");
    EXPECT_EQ(first_error_with_net("output x[*] + g[1,*]\n"),
              "only one family of an item can have '*'");
    EXPECT_EQ(first_error_with_net("output a = x[*]\n"),
              "the members of a family cannot all have the same name");
    EXPECT_EQ(first_error_with_net("potential x[*]\n"),
              "a value (a number, a name or a bracket) is expected here, but there is '*'");
}

TEST(Patterns, AndDataClausesKeepTheirForm) {
    const std::string text =
        "constraint rod[k]: x[i] = x[j] + l for k, (i, j, l) in data \"rods.csv\" if i < j\n"
        "output x[*], g[*,3]', sum(x[i] for i in data \"a.csv\")\n";
    Diagnostics diagnostics;
    EXPECT_EQ(format_model(SourceText("test.lac", text), diagnostics), text);
    const std::string loose =
        "constraint rod[k] :x[i]=x[j]+l  for k ,( i,j , l )in data \"rods.csv\" if i<j\n"
        "output x [ * ],g[ *,3 ]' ,sum(x[i]for i in data\"a.csv\")\n";
    EXPECT_EQ(format_model(SourceText("test.lac", loose), diagnostics), text);
}

}  // namespace
}  // namespace lacon
