// Choosing columns by names and patterns.
#include "table/column_choice.hpp"

#include <gtest/gtest.h>

namespace lacon {
namespace {

using Names = std::vector<std::string>;

const Names columns{"t",      "x[1]", "x[2]",      "y[1,2]",        "x[1]'",        "x[2]'",
                    "energy", "2*x",  "max(a, b)", "link[1].force", "link[2].force"};

Names chosen(const Names& texts) {
    TableInfo info;
    info.names = columns;
    return ColumnChoice(texts, columns).of(info).names;
}

std::string refused(const Names& texts) {
    try {
        return "chose " + chosen(texts).back();
    } catch (const std::invalid_argument& problem) {
        return problem.what();
    }
}

TEST(ColumnChoice, AStarIsAnyCharactersOrNone) {
    EXPECT_TRUE(matches("x[*]", "x[12]"));
    EXPECT_TRUE(matches("x[*]", "x[]"));
    EXPECT_FALSE(matches("x[*]", "x[1]'"));
    EXPECT_TRUE(matches("*", ""));
    EXPECT_TRUE(matches("**a", "ba"));
    EXPECT_FALSE(matches("", "a"));
    EXPECT_TRUE(matches("a*b*c", "aXbcXbc"));
    EXPECT_FALSE(matches("a*b*c", "aXbcXb"));
    EXPECT_FALSE(matches("a.c", "abc"));  // nothing else is special
    // Backtracking over one star only: no pattern takes exponentially long.
    EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(20'000, 'a')));
}

TEST(ColumnChoice, CommasInBracketsBelongToTheName) {
    EXPECT_EQ(names_by_commas("x[1,2], max(a, b) ,energy"),
              (Names{"x[1,2]", "max(a, b)", "energy"}));
    EXPECT_EQ(names_by_commas("a,,b"), (Names{"a", "", "b"}));
    EXPECT_EQ(names_by_commas(" "), (Names{""}));
}

TEST(ColumnChoice, ColumnsComeInTheOrderOfTheTableEachOnceAndTimeAlways) {
    EXPECT_EQ(chosen({"energy, x[*], x[1]", "x[2]"}), (Names{"t", "x[1]", "x[2]", "energy"}));
    EXPECT_EQ(chosen({"link[*].force"}), (Names{"t", "link[1].force", "link[2].force"}));
    EXPECT_EQ(chosen({"y[1,2],max(a, b)"}), (Names{"t", "y[1,2]", "max(a, b)"}));
    EXPECT_EQ(chosen({"*"}), columns);
    EXPECT_EQ(chosen({}), columns);
}

TEST(ColumnChoice, AColumnsOwnNameIsNoPattern) {
    EXPECT_EQ(chosen({"2*x"}), (Names{"t", "2*x"}));
    EXPECT_EQ(matching_columns("2*x", Names{"2yx", "2*x"}), (std::vector<std::size_t>{1}));
}

TEST(ColumnChoice, ABracketThatIsNotClosedMatchesNothing) {
    for (const char* pattern : {"x[*", "x*]", "link[*.force", "max(a, b", "x[*)", "y[1,*"}) {
        const std::string why = refused({pattern});
        EXPECT_TRUE(why.starts_with("there is no column '" + std::string(pattern) + "'")) << why;
    }
    EXPECT_NE(refused({"x[*"}).find("(did you mean 'x[*]'?)"), std::string::npos)
        << refused({"x[*"});
    EXPECT_EQ(chosen({"*[1]*"}), (Names{"t", "x[1]", "x[1]'", "link[1].force"}));
}

TEST(ColumnChoice, ValuesAreThoseOfTheColumns) {
    ColumnChoice choice(Names{"c, a"}, Names{"a", "b", "c"});
    const std::vector<double> row{1.0, 2.0, 3.0};
    const auto values = choice.of(row);
    EXPECT_EQ(std::vector<double>(values.begin(), values.end()), (std::vector{1.0, 3.0}));
    EXPECT_EQ(ColumnChoice().of(row).data(), row.data());
}

TEST(ColumnChoice, ANameThatNoColumnHasIsRefusedWithTheNearest) {
    EXPECT_TRUE(
        refused({"energi"})
            .starts_with(
                "there is no column 'energi' (did you mean 'energy'?); the columns are 't', "));
    EXPECT_TRUE(
        refused({"lnik[*].force"})
            .starts_with("there is no column 'lnik[*].force' (did you mean 'link[*].force'?); "));
    EXPECT_TRUE(refused({"q*q"}).starts_with("there is no column 'q*q'; "));
    EXPECT_EQ(refused({"x[1],,t"}), "a name is missing in 'x[1],,t'");
}

}  // namespace
}  // namespace lacon
