// How expressions are read: precedence, signs, logic.
#include "lang/reading.hpp"

namespace lacon {
namespace {

TEST(Expressions, PowerBindsTighterThanMinusAndToTheRight) {
    EXPECT_TRUE(same("-x^2", "-(x^2)"));
    EXPECT_TRUE(same("x^2^3", "x^8"));
    EXPECT_TRUE(same("x^-2", "1/(x^2)"));
    EXPECT_TRUE(same("2^-1*x", "x/2"));
}

TEST(Expressions, OperatorsOfOneLevelGoFromTheLeft) {
    EXPECT_TRUE(same("x - y - z", "(x - y) - z"));
    EXPECT_TRUE(same("x/y*z", "(x/y)*z"));
    EXPECT_TRUE(same("x/y/z", "x/(y*z)"));
}

TEST(Expressions, SignsMayBeRepeated) {
    EXPECT_TRUE(same("x - -y", "x + y"));
    EXPECT_TRUE(same("2*-x", "-2*x"));
    EXPECT_TRUE(same("+x", "x"));
}

TEST(Expressions, LogicBindsOrBelowAndBelowNot) {
    EXPECT_EQ(value_of("if(1 < 2 or 1 > 2 and 1 > 3, x, y)"), "x");
    EXPECT_EQ(value_of("if(not 1 > 2 and 2 > 1, x, y)"), "x");
    EXPECT_EQ(value_of("if(1 != 2 and 1 <= 1 and 2 >= 2 and not 1 == 2, x, y)"), "x");
}

TEST(Expressions, UnequalIsNotEqual) {
    EXPECT_TRUE(same("if(x != y, 1, 2)", "if(not x == y, 1, 2)"));
}

TEST(Expressions, OnlyTheChosenBranchOfAKnownConditionIsLookedAt) {
    EXPECT_EQ(value_of("if(1 == 1, x, 1/0)"), "x");
    EXPECT_EQ(value_of("sum(if(i == 1, 0, q[i-1]) for i in 1..3)", "coord q[1..2]\n"),
              "q[1] + q[2]");
}

TEST(Expressions, MinMaxAndHypotTakeManyArguments) {
    EXPECT_TRUE(same("max(x, y, z)", "max(max(x, y), z)"));
    EXPECT_TRUE(same("hypot(3, 4)*x", "5*x"));
    EXPECT_TRUE(same("min(3, 1, 2)*x", "x"));
}

TEST(Expressions, SumsRunOverNestedRanges) {
    EXPECT_TRUE(same("sum(i*x for i in 1..3)", "6*x"));
    EXPECT_TRUE(same("sum(x^(i*j) for i in 1..2, j in i..2)", "x + x^2 + x^4"));
    EXPECT_TRUE(same("sum(x^i for i in 1..2 for j in 1..i)", "x + 2*x^2"));
    EXPECT_TRUE(same("sum(x^i for i in 1..5 if i != 2 and i < 4)", "x + x^3"));
    EXPECT_TRUE(same("sum(x for i in 1..0) + y", "y"));
}

TEST(Expressions, AnEmptySumFitsVectorsOfEverySize) {
    EXPECT_TRUE(same("((x, y) + 2*sum((i, i) for i in 1..0)).y", "y"));
    EXPECT_TRUE(same("norm((x, y) - sum((i, i, i) for i in 1..0)')", "norm((x, y))"));
}

TEST(Expressions, PrimesAreTotalTimeDerivatives) {
    const std::string let =
        "coord x, y\nparam m = 1\nlet r = m*x^2*sin(t)\nlet P = (x*y, x)\nlet f(u) = u^2\n";
    EXPECT_TRUE(same("r'", "2*m*x*x'*sin(t) + m*x^2*cos(t)", let));
    EXPECT_TRUE(same("P'.x", "x'*y + x*y'", let));
    EXPECT_TRUE(same("P.x''", "x''*y + 2*x'*y' + x*y''", let));
    EXPECT_TRUE(same("P'[1]", "P.x'", let));
    EXPECT_TRUE(same("f(x)'", "2*x*x'", let));
    EXPECT_TRUE(same("x + t' + m' + 3*(2)'", "x + 1", let));
}

TEST(Expressions, VectorsAddScaleAndMultiply) {
    EXPECT_TRUE(same("dot((x, y, z), (1, 2, 3))", "x + 2*y + 3*z"));
    EXPECT_TRUE(same("cross((x, y), (z, 2))", "2*x - y*z"));
    EXPECT_TRUE(same("cross((1, 0, 0), (0, x, 0)).z", "x"));
    EXPECT_TRUE(same("norm((3, 4))*x", "5*x"));
    EXPECT_TRUE(same("norm(x)", "abs(x)"));
    EXPECT_TRUE(same("(2*(x, y)/4 - (1, 1)).y", "y/2 - 1"));
    EXPECT_TRUE(same("(-(x, y)).x", "-x"));
    EXPECT_TRUE(same("(1, 2, 3, x, 5)[4]", "x"));
    EXPECT_TRUE(same("if(x > 0, (x, y), (1, 2)).y", "if(x > 0, y, 2)"));
}

TEST(Expressions, FunctionsTakeScalarsAndVectors) {
    const std::string let =
        "coord x, y\nlet f(u, v) = u*v\nlet len2(w) = dot(w, w)\nlet g(u) = f(u, 2) + t\n";
    EXPECT_TRUE(same("f(x, 2)", "2*x", let));
    EXPECT_TRUE(same("f(2, (x, y)).y", "2*y", let));
    EXPECT_TRUE(same("len2((x, y))", "x^2 + y^2", let));
    EXPECT_TRUE(same("g(g(x))", "4*x + 3*t", let));
}

TEST(Expressions, ArgumentsAndLoopIndicesHideOtherNames) {
    EXPECT_TRUE(same("f(3) + sum(y for y in 1..3) + x", "x + 12", "coord x, y\nlet f(x) = 2*x\n"));
    EXPECT_EQ(errors_of("coord x\noutput x for x in 1..3\n"),
              "test.lac:2:14: warning: the loop index 'x' hides a coordinate of that name\n"
              "  output x for x in 1..3\n"
              "               ^\n"
              "  hint: choose another name for the index\n");
}

TEST(Expressions, ParametersStaySymbols) {
    EXPECT_EQ(value_of("m*x"), "m*x");
    EXPECT_EQ(value_of("x[N]", "param N = 2\ncoord x[1..N]\n"), "x[2]");
}

TEST(Expressions, OperationsOnConstantsFold) {
    EXPECT_TRUE(same("cos(pi)*x + exp(0)", "1 - x"));
}

}  // namespace
}  // namespace lacon
