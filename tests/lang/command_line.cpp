// Values that the command line gives: parameters and start values.
#include "lang/reading.hpp"

namespace lacon {
namespace {

const char* const pendulum = "param L = 2\nparam m[i] = i for i in 1..3\ncoord x, y[1..2]\n";

std::optional<double> value(const std::string& text) {
    const Model model = read(pendulum);
    Diagnostics diagnostics;
    return parse_value(SourceText("--set", text), model, diagnostics);
}

TEST(CommandLine, ValuesAreExpressionsOfParameters) {
    EXPECT_DOUBLE_EQ(value("pi/2").value(), 1.5707963267948966);
    EXPECT_DOUBLE_EQ(value("2*L + m[3]^2").value(), 13);
    EXPECT_DOUBLE_EQ(value(" -1e-3 ").value(), -1e-3);
    EXPECT_FALSE(value("x").has_value());
    EXPECT_FALSE(value("t").has_value());
    EXPECT_FALSE(value("2 L").has_value());
    EXPECT_FALSE(value("").has_value());
    EXPECT_FALSE(value("1/0").has_value());
    EXPECT_FALSE(value("m[4]").has_value());
}

TEST(CommandLine, WrongValuesAreToldWithPlaceAndHint) {
    const Model model = read("param length = 2\ncoord x\n");
    const SourceText source("--set", "2*lenght");
    Diagnostics diagnostics;
    EXPECT_FALSE(parse_value(source, model, diagnostics).has_value());
    EXPECT_EQ(render(diagnostics, source),
              "--set:1:3: error: there is nothing named 'lenght'\n"
              "  2*lenght\n"
              "    ^~~~~~\n"
              "  hint: did you mean 'length'?\n");
}

TEST(CommandLine, WhatIsTooMuchOrTooLittleIsTold) {
    const Model model = read(pendulum);
    const SourceText nothing("--set", ""), more("--set", "1, 2"), half("--at", "x=1: 2");
    Diagnostics of_nothing, of_more, of_half;
    EXPECT_FALSE(parse_value(nothing, model, of_nothing).has_value());
    EXPECT_FALSE(parse_value(more, model, of_more).has_value());
    EXPECT_FALSE(parse_assignments(half, model, of_half).has_value());
    EXPECT_EQ(of_nothing.all()[0].message,
              "a value (a number, a name or a bracket) is expected here, but the text ends");
    EXPECT_EQ(of_more.all()[0].message, "the end of the value is expected here, but there is ','");
    EXPECT_EQ(of_half.all()[0].message, "a comma or the end is expected here, but there is ':'");
}

TEST(CommandLine, LoopsAndGuessesOutOfPlaceAreTold) {
    const Model model = read(pendulum);
    const SourceText loop("--at", "y[i]=2 for i in 1..3"), guess("--at", "x~1");
    Diagnostics of_loop, of_guess;
    EXPECT_FALSE(parse_assignments(loop, model, of_loop).has_value());
    EXPECT_EQ(render(of_loop, loop),
              "--at:1:8: error: a 'for' clause is allowed only in a model, not in a value given "
              "from outside\n  y[i]=2 for i in 1..3\n         ^~~\n  hint: set each member "
              "separately: x[1]=2, x[2]=2\n");
    EXPECT_FALSE(parse_assignments(guess, model, of_guess, false).has_value());
    EXPECT_EQ(render(of_guess, guess),
              "--at:1:2: error: a guess '~' is allowed only in 'start'\n  x~1\n   ^\n  hint: write "
              "'='\n");
}

TEST(CommandLine, AssignmentsNameCoordinatesVelocitiesAndTime) {
    const Model model = read(pendulum);
    Diagnostics diagnostics;
    const auto all = parse_assignments(SourceText("--at", "t=1, x = L/2, y[2]' ~ pi/3, y[L-1]=-1"),
                                       model, diagnostics);
    ASSERT_TRUE(all.has_value());
    ASSERT_EQ(all->size(), 4u);
    EXPECT_EQ((*all)[0].name, "t");
    EXPECT_EQ((*all)[1].value, 1);
    EXPECT_EQ((*all)[2].name, "y[2]'");
    EXPECT_TRUE((*all)[2].guess);
    EXPECT_EQ((*all)[3].name, "y[1]");
}

TEST(CommandLine, WrongAssignmentsAreToldWithPlaceAndHint) {
    const Model model = read("coord x, y[1..2]\n");
    const SourceText source("--at", "y[3]=1, x''=2, x=1, x=2, z=1, x' y");
    const SourceText readable("--at", "y[3]=1, x''=2, x=1, x=2, z=1");
    Diagnostics syntax, names;
    EXPECT_FALSE(parse_assignments(source, model, syntax).has_value());
    EXPECT_EQ(render(syntax, source),
              "--at:1:34: error: '=' or '~' is expected here, but there is 'y'\n"
              "  y[3]=1, x''=2, x=1, x=2, z=1, x' y\n"
              "                                   ^\n");
    EXPECT_FALSE(parse_assignments(readable, model, names).has_value());
    EXPECT_EQ(render(names, readable),
              "--at:1:1: error: the model has no coordinate 'y[3]'\n  y[3]=1, x''=2, x=1, x=2, "
              "z=1\n  ^~~~\n  hint: did you mean 'y[1]'?\n--at:1:9: error: accelerations cannot be "
              "given: they follow from the equations\n  y[3]=1, x''=2, x=1, x=2, z=1\n          "
              "^~~\n--at:1:21: error: 'x' is given twice\n  y[3]=1, x''=2, x=1, x=2, z=1\n         "
              "             ^\n--at:1:26: error: the model has no coordinate 'z'\n  y[3]=1, x''=2, "
              "x=1, x=2, z=1\n                           ^\n");
}

}  // namespace
}  // namespace lacon
