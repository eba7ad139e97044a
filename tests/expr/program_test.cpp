// Programs of expressions against a walk over the tree in longer numbers; bounds on rounding.
#include "expr/program.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/rounded.hpp"
#include "expr/traverse.hpp"
#include "random_expression.hpp"

namespace lacon {
namespace {

/// The tree walk a newcomer would write: the independent road for the interpreter.
long double walk(const Graph& g, Expr e, const ExprMap<double>& value_of) {
    const auto args = g.args(e);
    const auto arg = [&](std::size_t i) { return walk(g, args[i].expr, value_of); };
    switch (g.op(e)) {
        case Op::constant: return g.value(e);
        case Op::symbol: return value_of.at(e);
        case Op::add: {
            long double total = g.value(e);
            for (std::size_t i = 0; i < args.size(); ++i) total += args[i].k * arg(i);
            return total;
        }
        case Op::mul: {
            long double total = 1.0;
            for (std::size_t i = 0; i < args.size(); ++i)
                total *= std::pow(arg(i), static_cast<long double>(args[i].k));
            return total;
        }
        case Op::sin: return std::sin(arg(0));
        case Op::cos: return std::cos(arg(0));
        case Op::atan: return std::atan(arg(0));
        case Op::exp: return std::exp(arg(0));
        case Op::sqrt: return std::sqrt(arg(0));
        case Op::hypot: return std::hypot(arg(0), arg(1));
        case Op::atan2: return std::atan2(arg(0), arg(1));
        case Op::tanh: return std::tanh(arg(0));
        case Op::log: return std::log(arg(0));
        case Op::abs: return std::abs(arg(0));
        default: ADD_FAILURE() << "operation not expected"; return 0.0;
    }
}

TEST(Program, AgreesWithATreeWalkInLongerNumbers) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(-1.2, 1.2);
    for (int trial = 0; trial < 1000; ++trial) {
        Graph g;
        const std::vector<Expr> symbols{g.symbol("x"), g.symbol("y")};
        const Expr e = random_expression(g, symbols, random, 5);
        const double x[] = {uniform(random), uniform(random)};
        ExprMap<double> value_of;
        value_of.insert(symbols[0], x[0]);
        value_of.insert(symbols[1], x[1]);
        const Program program(g, symbols, {&e, 1});
        std::vector<double> slots(program.slot_count());
        double result = 0.0;
        program.run<double>(x, slots, {&result, 1});
        const auto expected = static_cast<double>(walk(g, e, value_of));
        ASSERT_NEAR(result, expected, 1e-11 * (1.0 + std::abs(expected))) << "trial " << trial;
    }
}

TEST(Rounded, BoundsTheErrorAndKeepsTheValue) {
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> uniform(-1.2, 1.2);
    for (int trial = 0; trial < 1000; ++trial) {
        Graph g;
        const std::vector<Expr> symbols{g.symbol("x"), g.symbol("y")};
        const Expr e = random_expression(g, symbols, random, 5);
        const double x[] = {uniform(random), uniform(random)};
        const Rounded inputs[] = {Rounded::input(x[0]), Rounded::input(x[1])};
        ExprMap<double> value_of;
        value_of.insert(symbols[0], x[0]);
        value_of.insert(symbols[1], x[1]);
        const Program program(g, symbols, {&e, 1});
        std::vector<double> slots(program.slot_count());
        std::vector<Rounded> rounded_slots(program.slot_count());
        double plain = 0.0;
        Rounded result;
        program.run<double>(x, slots, {&plain, 1});
        program.run<Rounded>(inputs, rounded_slots, {&result, 1});
        ASSERT_EQ(result.value, plain);
        // Library functions are right to about one unit where the bound counts half of one.
        ASSERT_LE(std::abs(static_cast<double>(walk(g, e, value_of) - plain)), 2.0 * result.error)
            << "trial " << trial;
    }
}

TEST(Rounded, KnowsWhenNothingIsLeftButRounding) {
    EXPECT_TRUE(cos(Rounded::input(std::acos(0.0))).is_rounding());
    EXPECT_FALSE(cos(Rounded::input(1.5)).is_rounding());
    EXPECT_FALSE(Rounded(1e-300).is_rounding());
    EXPECT_TRUE((Rounded::input(0.1) + Rounded::input(0.2) + Rounded(-1.0) * Rounded::input(0.3))
                    .is_rounding());
}

TEST(Program, ComparisonsAndLogicGiveOneOrZero) {
    Graph g;
    const Expr x = g.symbol("x"), y = g.symbol("y");
    const Expr inputs[] = {x, y};
    const Expr outputs[] = {
        g.apply(Op::less, x, y),
        g.apply(Op::less_equal, x, y),
        g.apply(Op::equal, x, y),
        g.apply(Op::logic_not, g.apply(Op::less, x, y)),
        g.apply(Op::min, x, y),
        g.apply(Op::max, x, y),
        g.apply(Op::sign, x),
        g.apply(Op::logic_and, g.apply(Op::less, x, y), g.apply(Op::equal, x, y)),
        g.apply(Op::logic_or, g.apply(Op::less, x, y), g.apply(Op::equal, x, y))};
    const Program program(g, inputs, outputs);
    std::vector<double> slots(program.slot_count()), out(program.output_count());
    const double at[] = {-2.0, 3.0};
    program.run<double>(at, slots, out);
    EXPECT_EQ(out, (std::vector<double>{1, 1, 0, 0, -2, 3, -1, 0, 1}));
}

TEST(Program, WholePowersAreExactWhereProductsAre) {
    EXPECT_EQ(whole_power(3.0, 1), 3.0);
    EXPECT_EQ(whole_power(3.0, 5), 243.0);
    EXPECT_EQ(whole_power(2.0, 100), std::ldexp(1.0, 100));
}

TEST(Substitute, MovesExpressionsBetweenGraphs) {
    Graph from, to;
    const Expr x = from.symbol("x"), p = to.symbol("p");
    const Expr e = from.apply(Op::sin, from.add(from.pow(x, 2), from.one()));
    ExprMap<Expr> map;
    map.insert(x, p);
    EXPECT_EQ(substitute(from, to, {&e, 1}, map)[0],
              to.apply(Op::sin, to.add(to.pow(p, 2), to.one())));
}

}  // namespace
}  // namespace lacon
