// Symbolic derivatives against textbook rules and differences.
#include "expr/derivative.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <map>

#include "expr/program.hpp"
#include "expr/traverse.hpp"
#include "random_expression.hpp"

namespace lacon {
namespace {

std::vector<double> values_at(const Graph& g, std::span<const Expr> symbols,
                              std::span<const Expr> roots, std::span<const double> x) {
    const Program program(g, symbols, roots);
    std::vector<double> slots(program.slot_count()), out(roots.size());
    program.run<double>(x, slots, out);
    return out;
}

/// Richardson's extrapolation of central differences: the second road to a derivative.
double difference_quotient(const Graph& g, std::span<const Expr> symbols, Expr e,
                           std::vector<double> x, std::size_t i) {
    const auto central = [&](double h) {
        std::vector<double> up = x, down = x;
        up[i] += h;
        down[i] -= h;
        return (values_at(g, symbols, {&e, 1}, up)[0] - values_at(g, symbols, {&e, 1}, down)[0]) /
               (2.0 * h);
    };
    const double h = 1e-3;
    return (64.0 * central(h / 4) - 20.0 * central(h / 2) + central(h)) / 45.0;
}

TEST(Derivative, EveryFunctionHasItsTextbookDerivative) {
    const std::map<Op, double (*)(double)> expected = {
        {Op::sin, [](double x) { return std::cos(x); }},
        {Op::cos, [](double x) { return -std::sin(x); }},
        {Op::tan, [](double x) { return 1 / (std::cos(x) * std::cos(x)); }},
        {Op::asin, [](double x) { return 1 / std::sqrt(1 - x * x); }},
        {Op::acos, [](double x) { return -1 / std::sqrt(1 - x * x); }},
        {Op::atan, [](double x) { return 1 / (1 + x * x); }},
        {Op::sinh, [](double x) { return std::cosh(x); }},
        {Op::cosh, [](double x) { return std::sinh(x); }},
        {Op::tanh, [](double x) { return 1 / (std::cosh(x) * std::cosh(x)); }},
        {Op::exp, [](double x) { return std::exp(x); }},
        {Op::log, [](double x) { return 1 / x; }},
        {Op::sqrt, [](double x) { return 0.5 / std::sqrt(x); }},
        {Op::abs, [](double) { return 1.0; }},
        {Op::sign, [](double) { return 0.0; }},
    };
    for (const auto& [op, slope] : expected) {
        Graph g;
        const Expr x = g.symbol("x");
        const Expr d = derivative(g, g.apply(op, x), x);
        for (const double at : {0.2, 0.7}) {
            const double value = values_at(g, {&x, 1}, {&d, 1}, {&at, 1})[0];
            EXPECT_NEAR(value, slope(at), 1e-14 * std::abs(slope(at)))
                << function_name(op) << " at " << at;
        }
    }
}

TEST(Derivative, GeneralPowersFollowTheLogarithmicRule) {
    Graph g;
    const Expr x = g.symbol("x"), y = g.symbol("y");
    const Expr both[] = {x, y};
    const Expr p = g.pow(x, y);
    const std::vector<Expr> d = gradient(g, p, both);
    const std::vector<double> at{1.3, 0.7};
    const auto value = values_at(g, both, d, at);
    EXPECT_NEAR(value[0], 0.7 * std::pow(1.3, -0.3), 1e-15);
    EXPECT_NEAR(value[1], std::pow(1.3, 0.7) * std::log(1.3), 1e-15);
}

TEST(Derivative, ForwardReverseAndDifferencesAgreeOnRandomExpressions) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1.2, 1.2);
    for (int trial = 0; trial < 400; ++trial) {
        Graph g;
        const std::vector<Expr> symbols{g.symbol("x"), g.symbol("y"), g.symbol("z")};
        const Expr e = random_expression(g, symbols, random, 5);
        const std::vector<Expr> reverse = gradient(g, e, symbols);
        std::vector<double> x(3);
        for (double& v : x) v = uniform(random);
        const std::vector<double> by_reverse = values_at(g, symbols, reverse, x);
        for (std::size_t i = 0; i < 3; ++i) {
            const Expr forward = derivative(g, e, symbols[i]);
            const double by_forward = values_at(g, symbols, {&forward, 1}, x)[0];
            const double scale = 1.0 + std::abs(by_forward);
            ASSERT_NEAR(by_reverse[i], by_forward, 1e-11 * scale) << "trial " << trial;
            ASSERT_NEAR(difference_quotient(g, symbols, e, x, i), by_forward, 2e-6 * scale)
                << "trial " << trial;
        }
    }
}

TEST(Derivative, TotalTimeDerivativeIsTheSumOverAllRates) {
    Graph g;
    const Expr x = g.symbol("x"), v = g.symbol("x'"), t = g.symbol("t");
    const Seed seeds[] = {{x, v}, {t, g.one()}};
    const Expr e = g.mul(g.apply(Op::sin, x), t);
    EXPECT_EQ(directional(g, e, seeds),
              g.add(g.apply(Op::sin, x), g.mul(g.mul(t, v), g.apply(Op::cos, x))));
}

TEST(Derivative, ChoicesAreDifferentiatedBranchByBranch) {
    Graph g;
    const Expr x = g.symbol("x");
    const Expr zero = g.zero();
    // The branch that is not taken is not finite at x = 0 and must not spoil the other.
    const Expr e = g.select(g.apply(Op::less, zero, x), g.apply(Op::log, x), g.scale(3.0, x));
    const Expr forward = derivative(g, e, x);
    const Expr reverse = gradient(g, e, {&x, 1})[0];
    for (const double at : {0.0, -1.0}) {
        EXPECT_EQ(values_at(g, {&x, 1}, {&forward, 1}, {&at, 1})[0], 3.0);
        EXPECT_EQ(values_at(g, {&x, 1}, {&reverse, 1}, {&at, 1})[0], 3.0);
    }
}

/// What overflows far away divides something: the derivatives are numbers there, as the values are.
TEST(Derivative, WhatDividesByAGrowingExponentialHasOneFarAwayToo) {
    struct Case {
        std::function<Expr(Graph&, Expr)> make;
        std::function<long double(long double)> slope, curvature;
    };
    const auto e = [](long double x) { return std::exp(x); };
    const auto c = [](long double x) { return std::cosh(x); };
    const auto s = [](long double x) { return std::sinh(x); };
    const auto over = [](Graph& g, Expr number, Expr u) { return g.div(number, u); };
    const auto exp = [](Graph& g, Expr x) { return g.apply(Op::exp, x); };
    const std::vector<Case> cases = {
        {[&](Graph& g, Expr x) {
             return over(g, g.one(), g.add(g.constant(2), g.scale(3, exp(g, x))));
         },
         [&](long double x) { return -3 * e(x) / std::pow(2 + 3 * e(x), 2.0L); },
         [&](long double x) { return -3 * e(x) * (2 - 3 * e(x)) / std::pow(2 + 3 * e(x), 3.0L); }},
        {[&](Graph& g, Expr x) { return over(g, exp(g, x), g.add(g.one(), exp(g, x))); },
         [&](long double x) { return e(x) / std::pow(1 + e(x), 2.0L); },
         [&](long double x) { return e(x) * (1 - e(x)) / std::pow(1 + e(x), 3.0L); }},
        {[&](Graph& g, Expr x) { return g.pow(g.apply(Op::cosh, x), -2); },
         [&](long double x) { return -2 * s(x) / std::pow(c(x), 3.0L); },
         [&](long double x) { return 4 / std::pow(c(x), 2.0L) - 6 / std::pow(c(x), 4.0L); }},
        {[&](Graph& g, Expr x) {
             return over(g, g.one(), g.add(g.constant(2), g.apply(Op::cosh, x)));
         },
         [&](long double x) { return -s(x) / std::pow(2 + c(x), 2.0L); },
         [&](long double x) { return (c(x) * c(x) - 2 * c(x) - 2) / std::pow(2 + c(x), 3.0L); }},
        {[&](Graph& g, Expr x) {
             return over(g, g.one(), g.apply(Op::sqrt, g.add(g.one(), exp(g, x))));
         },
         [&](long double x) { return -e(x) / 2 / std::pow(1 + e(x), 1.5L); },
         [&](long double x) { return e(x) * (e(x) / 4 - 0.5L) / std::pow(1 + e(x), 2.5L); }},
        {[&](Graph& g, Expr x) { return g.pow(g.add(g.one(), exp(g, x)), g.constant(-1.7)); },
         [&](long double x) { return -1.7L * e(x) / std::pow(1 + e(x), 2.7L); },
         [&](long double x) { return 1.7L * e(x) * (1.7L * e(x) - 1) / std::pow(1 + e(x), 3.7L); }},
        {[&](Graph& g, Expr x) { return g.apply(Op::log, g.add(g.one(), exp(g, x))); },
         [&](long double x) { return 1 / (1 + e(-x)); },
         [&](long double x) { return e(x) / std::pow(1 + e(x), 2.0L); }},
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        Graph g;
        const Expr x = g.symbol("x"), f = cases[i].make(g, x);
        const Expr forward = derivative(g, f, x), reverse = gradient(g, f, {&x, 1})[0];
        const std::vector<Expr> all = {forward, reverse, derivative(g, forward, x),
                                       gradient(g, reverse, {&x, 1})[0]};
        for (const double size : {0.7, 30.0, 300.0, 400.0, 720.0, 2000.0})
            for (const double at : {-size, size}) {
                const std::vector<double> found = values_at(g, {&x, 1}, all, {&at, 1});
                const auto slope = static_cast<double>(cases[i].slope(at)),
                           curvature = static_cast<double>(cases[i].curvature(at));
                // Some roundings of numbers of the size of the terms, which are at most 1.
                for (const std::size_t k : {0, 1})
                    EXPECT_NEAR(found[k], slope, 1e-15) << "case " << i << " at " << at;
                for (const std::size_t k : {2, 3})
                    EXPECT_NEAR(found[k], curvature, 2e-15) << "case " << i << " at " << at;
            }
    }
}

TEST(Derivative, DeepChainsDoNotOverflowTheStack) {
    Graph g;
    const Expr x = g.symbol("x");
    Expr e = x;
    for (int i = 0; i < 200'000; ++i) e = g.apply(Op::atan, e);
    const Expr d = derivative(g, e, x);
    const double zero = 0.0;
    EXPECT_EQ(values_at(g, {&x, 1}, {&d, 1}, {&zero, 1})[0], 1.0);
    EXPECT_TRUE(depends_on(g, e, {&x, 1}));
}

}  // namespace
}  // namespace lacon
