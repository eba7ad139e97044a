// The expression graph: equal expressions are one node, like terms meet.
#include "expr/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/print.hpp"

namespace lacon {
namespace {

struct GraphTest : testing::Test {
    Graph g;
    Expr x = g.symbol("x"), y = g.symbol("y"), z = g.symbol("z");

    Expr number(double v) { return g.constant(v); }
    Expr sin(Expr e) { return g.apply(Op::sin, e); }
    Expr cos(Expr e) { return g.apply(Op::cos, e); }
    Expr sqrt(Expr e) { return g.apply(Op::sqrt, e); }
};

TEST_F(GraphTest, EqualExpressionsAreOneNode) {
    EXPECT_EQ(g.add(x, y), g.add(y, x));
    EXPECT_EQ(g.mul(g.mul(x, y), z), g.mul(x, g.mul(z, y)));
    const std::size_t before = g.size();
    g.mul(x, y);
    EXPECT_EQ(g.size(), before);
}

TEST_F(GraphTest, SymbolsOfOneNameDiffer) {
    EXPECT_NE(g.symbol("x"), x);
}

TEST_F(GraphTest, LikeTermsMeet) {
    EXPECT_EQ(g.add(x, x), g.scale(2.0, x));
    EXPECT_EQ(g.sub(g.add(x, y), y), x);
    EXPECT_EQ(g.sub(g.scale(2.0, g.add(x, y)), g.scale(2.0, x)), g.scale(2.0, y));
}

TEST_F(GraphTest, CancellationToRoundingLeavesAStructuralZero) {
    const Arg terms[] = {{x, 0.1}, {x, 0.2}, {x, -0.3}};
    EXPECT_TRUE(g.is_zero(g.sum(terms)));
}

TEST_F(GraphTest, PowersMeetAndCancel) {
    EXPECT_EQ(g.mul(x, x), g.pow(x, 2));
    EXPECT_EQ(g.div(g.mul(x, y), x), y);
    EXPECT_EQ(g.div(x, x), g.one());
    EXPECT_EQ(g.pow(g.mul(x, y), 3), g.mul(g.pow(x, 3), g.pow(y, 3)));
    EXPECT_EQ(g.pow(x, 0), g.one());
}

TEST_F(GraphTest, OppositeDifferencesShareOneForm) {
    EXPECT_EQ(g.pow(g.sub(x, y), 2), g.pow(g.sub(y, x), 2));
    EXPECT_EQ(g.mul(g.sub(x, y), z), g.neg(g.mul(g.sub(y, x), z)));
}

TEST_F(GraphTest, CommonFactorsOfASumLeaveAProduct) {
    const Expr doubled = g.add(g.scale(2.0, x), g.scale(2.0, y));
    EXPECT_EQ(g.mul(g.scale(0.5, z), doubled), g.mul(z, g.add(x, y)));
}

TEST_F(GraphTest, SquaresOfSineAndCosineMakeOne) {
    const Expr squares = g.add(g.pow(sin(x), 2), g.pow(cos(x), 2));
    EXPECT_EQ(squares, g.one());
    const Expr scaled =
        g.add(g.mul(g.mul(y, z), g.pow(sin(x), 2)), g.mul(g.mul(y, z), g.pow(cos(x), 2)));
    EXPECT_EQ(scaled, g.mul(y, z));
    const Expr other = g.add(g.pow(sin(x), 2), g.pow(cos(y), 2));
    EXPECT_NE(other, g.one());
}

TEST_F(GraphTest, OddAndEvenFunctionsDropTheSign) {
    EXPECT_EQ(sin(g.neg(x)), g.neg(sin(x)));
    EXPECT_EQ(cos(g.sub(x, y)), cos(g.sub(y, x)));
}

TEST_F(GraphTest, RootsSimplifyOnlyWhereTheValueStaysTheSame) {
    const Expr squares = g.add(g.pow(x, 2), g.pow(y, 2));
    EXPECT_EQ(g.pow(sqrt(squares), 2), squares);
    EXPECT_EQ(g.mul(sqrt(squares), sqrt(squares)), squares);
    EXPECT_NE(g.pow(sqrt(x), 2), x) << "sqrt(x)^2 is not defined for negative x";
    EXPECT_EQ(sqrt(g.pow(x, 2)), g.apply(Op::abs, x));
}

TEST_F(GraphTest, GrowingExponentialsCancelFromFractions) {
    const Expr up = g.apply(Op::exp, x), down = g.apply(Op::exp, g.neg(x));
    const Expr above = g.add(number(2), g.scale(3, up)), below = g.add(g.scale(2, down), number(3));
    EXPECT_EQ(g.div(up, above), g.pow(below, -1));
    EXPECT_EQ(g.div(down, below), g.pow(above, -1));
    EXPECT_EQ(g.div(g.mul(y, up), g.pow(above, 2)), g.div(g.div(y, above), below));
    const Expr c = g.apply(Op::cosh, x), s = g.apply(Op::sinh, x), t = g.apply(Op::tanh, x);
    EXPECT_EQ(g.div(s, g.pow(c, 2)), g.div(t, c));
    EXPECT_EQ(g.div(s, g.add(number(2), c)), g.div(t, g.add(g.div(number(2), c), number(1))));
    // Where the rest of the sum is no polynomial, it stays.
    const Expr other = g.add(sin(y), up);
    EXPECT_EQ(g.op(g.div(up, other)), Op::mul);
}

TEST_F(GraphTest, ConstantsFold) {
    EXPECT_EQ(g.mul(number(2), number(3)), number(6));
    EXPECT_EQ(sin(number(0.5)), number(std::sin(0.5)));
    EXPECT_EQ(g.pow(number(2), number(0.5)), number(std::sqrt(2.0)));
    EXPECT_EQ(g.select(g.apply(Op::less, number(1), number(2)), x, y), x);
    EXPECT_TRUE(g.is_zero(g.mul(number(0), x)));
}

TEST_F(GraphTest, HalfPowersAreWrittenWithTheRoot) {
    EXPECT_EQ(g.pow(x, number(0.5)), sqrt(x));
    EXPECT_EQ(g.div(x, sqrt(x)), sqrt(x)) << "also where x is 0";
    EXPECT_EQ(sqrt(g.pow(x, 4)), g.pow(x, 2));
    EXPECT_EQ(g.pow(x, number(-0.5)), g.div(g.one(), sqrt(x)));
}

TEST_F(GraphTest, ALimitStopsGrowthWithAnError) {
    Graph small(100);
    Expr e = small.symbol("x");
    EXPECT_THROW(for (int i = 0; i < 200; ++i) e = small.apply(Op::sin, e), GraphFull);
}

TEST_F(GraphTest, LongSumsCostNearLinearTime) {
    std::vector<Arg> terms;
    for (int i = 0; i < 200'000; ++i) terms.push_back({g.symbol("s"), 1.0});
    EXPECT_EQ(g.args(g.sum(terms)).size(), terms.size());
}

}  // namespace
}  // namespace lacon
