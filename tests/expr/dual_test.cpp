// Dual numbers against symbolic derivatives.
#include "expr/dual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expr/derivative.hpp"
#include "random_expression.hpp"

namespace lacon {
namespace {

double value_of(const Graph& g, std::span<const Expr> inputs, Expr e, std::span<const double> at) {
    const Program program(g, inputs, {&e, 1});
    std::vector<double> slots(program.slot_count());
    double value = 0.0;
    program.run<double>(at, slots, {&value, 1});
    return value;
}

/// The rate along one input, by dual numbers, beside the symbolic derivative.
void expect_symbolic_rates(Graph& g, std::span<const Expr> inputs, Expr e,
                           std::span<const double> at) {
    const Program program(g, inputs, {&e, 1});
    std::vector<Dual> x(at.begin(), at.end()), slots(program.slot_count());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        x[i].rate = 1.0;
        Dual result;
        program.run<Dual>(x, slots, {&result, 1});
        x[i].rate = 0.0;
        const double expected = value_of(g, inputs, derivative(g, e, inputs[i]), at);
        ASSERT_EQ(result.value, value_of(g, inputs, e, at));
        ASSERT_NEAR(result.rate, expected, 1e-13 * (1.0 + std::abs(expected)))
            << "along input " << i;
    }
}

TEST(Dual, EveryOperationHasItsSymbolicDerivative) {
    constexpr Op unary[] = {Op::sin,  Op::cos,  Op::tan, Op::asin, Op::acos, Op::atan, Op::sinh,
                            Op::cosh, Op::tanh, Op::exp, Op::log,  Op::sqrt, Op::abs,  Op::sign};
    constexpr Op binary[] = {Op::pow, Op::atan2, Op::hypot,     Op::min,
                             Op::max, Op::less,  Op::less_equal};
    const double at[] = {0.7, 0.4}, swapped[] = {0.4, 0.7};
    Graph g;
    const Expr x[] = {g.symbol("x"), g.symbol("y")};
    std::vector<Expr> expressions{
        g.add(g.scale(2.0, x[0]), g.constant(1.0)), g.mul(x[0], x[1]), g.div(x[0], x[1]),
        g.pow(x[0], -5),
        g.select(g.apply(Op::less, x[0], x[1]), g.pow(x[0], 2), g.apply(Op::sin, x[1]))};
    for (const Op op : unary) expressions.push_back(g.apply(op, x[0]));
    for (const Op op : binary) expressions.push_back(g.apply(op, x[0], x[1]));
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        SCOPED_TRACE("expression " + std::to_string(i));
        expect_symbolic_rates(g, x, expressions[i], at);
        expect_symbolic_rates(g, x, expressions[i], swapped);
    }
}

TEST(Dual, RandomExpressionsHaveTheirSymbolicDerivatives) {
    std::mt19937_64 random(23);
    std::uniform_real_distribution<double> uniform(-1.2, 1.2);
    for (int trial = 0; trial < 500; ++trial) {
        Graph g;
        const std::vector<Expr> inputs{g.symbol("x"), g.symbol("y")};
        const Expr e = random_expression(g, inputs, random, 5);
        const double at[] = {uniform(random), uniform(random)};
        SCOPED_TRACE("trial " + std::to_string(trial));
        expect_symbolic_rates(g, inputs, e, at);
    }
}

TEST(Dual, WhatDoesNotMoveHasNoRateWhereASlopeIsInfinite) {
    EXPECT_EQ(sqrt(Dual(0.0)).rate, 0.0);
    EXPECT_EQ(asin(Dual(1.0)).rate, 0.0);
    EXPECT_EQ(pow(Dual(0.0), Dual(0.5)).rate, 0.0);
    EXPECT_EQ(hypot(Dual(0.0), Dual(0.0)).rate, 0.0);
    EXPECT_EQ(atan2(Dual(0.0), Dual(0.0)).rate, 0.0);
    EXPECT_EQ(sqrt(Dual(0.0, 1.0)).rate, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace lacon
