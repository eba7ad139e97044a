// Power series of expressions against known and composed series.
#include "expr/series.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/derivative.hpp"
#include "expr/program.hpp"
#include "powers.hpp"
#include "random_expression.hpp"

namespace lacon {
namespace {

constexpr std::size_t top = Powers::top;
using Coefficients = std::vector<double>;  // x_0, x_1, …; what is missing is zero

/// Coefficients of an expression, orders 0 … top, by SeriesProgram.
Coefficients series_of(const Graph& g, std::span<const Expr> inputs,
                       const std::vector<Coefficients>& given, Expr output,
                       std::size_t constants = 0) {
    const SeriesProgram program(g, inputs, {&output, 1}, constants);
    const std::size_t stride = top + 1;
    std::vector<double> work(program.slot_count() * stride,
                             std::nan(""));  // what is read must have been written
    for (std::size_t k = 0; k <= top; ++k) {
        for (std::size_t i = 0; i + constants < given.size() || (k == 0 && i < given.size()); ++i)
            work[i * stride + k] = k < given[i].size() ? given[i][k] : 0.0;
        program.order(k, work.data(), stride);
    }
    Coefficients result(top + 1, 0.0);
    for (std::size_t k = 0; k <= top; ++k)
        if (k == 0 || !program.is_constant(0)) result[k] = work[program.slot(0) * stride + k];
    return result;
}

/// The same by the definition of a power series.
Powers powers_of(const Graph& g, std::span<const Expr> inputs,
                 const std::vector<Coefficients>& given, Expr output) {
    const Program program(g, inputs, {&output, 1});
    std::vector<Powers> x(given.size()), slots(program.slot_count());
    for (std::size_t i = 0; i < given.size(); ++i)
        std::copy(given[i].begin(), given[i].end(), x[i].c.begin());
    Powers result;
    program.run<Powers>(x, slots, {&result, 1});
    return result;
}

void expect_equal(const Coefficients& found, const Powers& expected, double tolerance,
                  const std::string& what) {
    long double size = 1e-300L;  // what a double cannot hold is zero
    for (std::size_t k = 0; k <= top; ++k) {
        size = std::max(size, std::abs(expected.c[k]));
        ASSERT_LE(std::abs(found[k] - expected.c[k]), tolerance * static_cast<double>(size))
            << what << ", order " << k;
    }
}

const Coefficients x{0.6, 0.3, -0.2, 0.05, 0.01, -0.02}, y{0.8, -0.4, 0.1, 0.15, -0.03, 0.02, 0.01};

struct Case {
    const char* name;
    std::function<Expr(Graph&, Expr, Expr)> build;
};

class SeriesOf : public ::testing::TestWithParam<Case> {};

TEST_P(SeriesOf, EqualsTheComposedPowerSeries) {
    Graph g;
    const Expr inputs[] = {g.symbol("x"), g.symbol("y")};
    const Expr e = GetParam().build(g, inputs[0], inputs[1]);
    for (const auto& given : {std::vector{x, y}, std::vector{y, x}}) {
        expect_equal(series_of(g, inputs, given, e), powers_of(g, inputs, given, e), 1e-14,
                     "both vary");
        // One of them at rest: its higher orders are not even read.
        const std::vector<Coefficients> rest{given[0], {given[1][0]}};
        expect_equal(series_of(g, inputs, rest, e, 1), powers_of(g, inputs, rest, e), 1e-14,
                     "the second is constant");
        const Expr swapped[] = {inputs[1], inputs[0]};
        const std::vector<Coefficients> other{given[1], {given[0][0]}};
        expect_equal(series_of(g, swapped, other, e, 1), powers_of(g, swapped, other, e), 1e-14,
                     "the first is constant");
    }
}

Case unary(const char* name, Op op) {
    return {name, [op](Graph& g, Expr a, Expr) { return g.apply(op, a); }};
}
Case binary(const char* name, Op op) {
    return {name, [op](Graph& g, Expr a, Expr b) { return g.apply(op, a, b); }};
}

INSTANTIATE_TEST_SUITE_P(
    Operations, SeriesOf,
    ::testing::
        Values(
            unary("sin", Op::sin), unary("cos", Op::cos), unary("tan", Op::tan),
            unary("asin", Op::asin), unary("acos", Op::acos), unary("atan", Op::atan),
            unary("sinh", Op::sinh), unary("cosh", Op::cosh), unary("tanh", Op::tanh),
            unary("exp", Op::exp), unary("log", Op::log), unary("sqrt", Op::sqrt),
            unary("abs", Op::abs), unary("sign", Op::sign), binary("atan2", Op::atan2),
            binary("hypot", Op::hypot), binary("min", Op::min), binary("max", Op::max),
            binary("less", Op::less), binary("pow", Op::pow),  //
            Case{"linear",
                 [](Graph& g, Expr a, Expr b) {
                     return g.add(g.constant(3.0), g.sub(g.scale(2.0, a), b));
                 }},
            Case{"product", [](Graph& g, Expr a, Expr b) { return g.mul(a, b); }},
            Case{"quotient", [](Graph& g, Expr a, Expr b) { return g.div(a, b); }},
            Case{"inverse", [](Graph& g, Expr a, Expr) { return g.div(g.one(), a); }},
            Case{"fifth_power", [](Graph& g, Expr a, Expr) { return g.pow(a, 5); }},
            Case{"inverse_cube", [](Graph& g, Expr a, Expr b) { return g.div(b, g.pow(a, 3)); }},
            Case{"real_power", [](Graph& g, Expr a, Expr) { return g.pow(a, g.constant(-1.7)); }},
            Case{"constant", [](Graph& g, Expr, Expr) { return g.constant(4.0); }},
            Case{
                "select",
                [](Graph& g, Expr a, Expr b) {
                    return g.select(g.apply(Op::less, a, b), g.apply(Op::sin, a), g.mul(a, b));
                }}),
    [](const auto& one) { return one.param.name; });

TEST(Series, KnownSeriesComeOut) {
    Graph g;
    const Expr t = g.symbol("t");
    const std::vector<Coefficients> time{{0.0, 1.0}};
    const Coefficients tangent = series_of(g, {&t, 1}, time, g.apply(Op::tan, t));
    const Coefficients known{0, 1,           0, 1.0 / 3,         0, 2.0 / 15, 0, 17.0 / 315,
                             0, 62.0 / 2835, 0, 1382.0 / 155925, 0};
    for (std::size_t k = 0; k <= top; ++k) EXPECT_NEAR(tangent[k], known[k], 1e-15) << k;
    // 1/(1 − t − t²): the numbers of Fibonacci, without an error.
    const Coefficients fibonacci =
        series_of(g, {&t, 1}, time, g.div(g.one(), g.sub(g.one(), g.add(t, g.pow(t, 2)))));
    for (std::size_t k = 2; k <= top; ++k)
        EXPECT_EQ(fibonacci[k], fibonacci[k - 1] + fibonacci[k - 2]);
    EXPECT_EQ(fibonacci[top], 233.0);
}

TEST(Series, WholePowersOfWhatVanishesNowAreExact) {
    // Products, no logarithm and no division by x_0: (t + t²)³ = t³ + 3t⁴ + 3t⁵ + t⁶.
    Graph g;
    const Expr a = g.symbol("a");
    const Coefficients cube = series_of(g, {&a, 1}, {{0.0, 1.0, 1.0}}, g.pow(a, 3));
    EXPECT_EQ(cube, (Coefficients{0, 0, 0, 1, 3, 3, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(Series, ExponentsGivenAsParametersAreWholeOrReal) {
    // x^n with the number n known only to the run: for whole n it passes x = 0 and negative x like
    // the product.
    Graph g;
    const Expr inputs[] = {g.symbol("x"), g.symbol("n")};
    const Expr power = g.pow(inputs[0], inputs[1]);
    for (const double start : {0.0, 1e-9, -0.4, 0.7}) {
        const Coefficients base{start, 0.3, -0.2, 0.05, 0.01, -0.02};
        for (const int n : {0, 1, 2, 3, 7, 20, 63}) {
            const std::vector<Coefficients> given{base, {static_cast<double>(n)}};
            const Powers expected =
                powers_of(g, {inputs, 1}, {base}, n == 0 ? g.one() : g.pow(inputs[0], n));
            expect_equal(series_of(g, inputs, given, power, 1), expected, 1e-13,
                         "n = " + std::to_string(n));
        }
    }
    for (const double n : {-3.0, 0.5, 2.5, 64.0}) {
        const Powers expected = powers_of(g, {inputs, 1}, {x}, g.pow(inputs[0], g.constant(n)));
        expect_equal(series_of(g, inputs, {x, {n}}, power, 1), expected, 1e-12,
                     "n = " + std::to_string(n));
    }
}

TEST(Series, RootsOfNothingAreNothing) {
    // Hertz's contact out of contact: 0^1.5, with a base that could vary but does not.
    Graph g;
    const Expr inputs[] = {g.symbol("x"), g.symbol("mode")};
    const Expr base = g.select(inputs[1], inputs[0], g.zero());
    const Coefficients nothing(top + 1, 0.0);
    for (const Expr e : {g.pow(base, g.constant(1.5)), g.apply(Op::sqrt, base),
                         g.apply(Op::hypot, base, g.mul(base, inputs[0]))})
        EXPECT_EQ(series_of(g, inputs, {x, {0.0}}, e, 1), nothing);
}

TEST(Series, AgreesWithRepeatedSymbolicDifferentiation) {
    Graph g;
    const Expr t = g.symbol("t");
    const Expr u = g.add(g.apply(Op::sin, t), g.constant(0.3));
    Expr e = g.mul(g.apply(Op::hypot, u, g.add(g.one(), g.pow(t, 2))),
                   g.apply(Op::atan2, g.apply(Op::cos, t), g.apply(Op::exp, u)));
    const Coefficients found = series_of(g, {&t, 1}, {{0.4, 1.0}}, e);
    double factorial = 1.0;
    for (std::size_t k = 0; k <= 5; ++k) {
        const Program program(g, {&t, 1}, {&e, 1});
        std::vector<double> slots(program.slot_count());
        const double at = 0.4;
        double value = 0.0;
        program.run<double>({&at, 1}, slots, {&value, 1});
        EXPECT_NEAR(found[k], value / factorial, 1e-12) << k;
        e = derivative(g, e, t);
        factorial *= static_cast<double>(k + 1);
    }
}

TEST(Series, RandomExpressionsAgreeWithTheirComposedSeries) {
    std::mt19937_64 random(17);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int trial = 0; trial < 500; ++trial) {
        Graph g;
        const std::vector<Expr> inputs{g.symbol("x"), g.symbol("y"), g.symbol("p")};
        const Expr e = random_expression(g, inputs, random, 4);
        std::vector<Coefficients> given{{}, {}, {uniform(random)}};
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t k = 0; k <= top; ++k)
                given[i].push_back(uniform(random) * std::pow(0.5, static_cast<double>(k)));
        expect_equal(series_of(g, inputs, given, e, 1), powers_of(g, inputs, given, e), 1e-13,
                     "trial " + std::to_string(trial));
    }
}

TEST(Series, TellsWhatDoesNotChangeInTime) {
    Graph g;
    const Expr inputs[] = {g.symbol("x"), g.symbol("p")};
    const Expr outputs[] = {g.apply(Op::sin, inputs[1]), g.mul(inputs[0], inputs[1]),
                            g.apply(Op::sign, inputs[0]), g.constant(2)};
    const SeriesProgram program(g, inputs, outputs, 1);
    EXPECT_TRUE(program.is_constant(0));
    EXPECT_FALSE(program.is_constant(1));
    EXPECT_TRUE(program.is_constant(2));
    EXPECT_TRUE(program.is_constant(3));
}

}  // namespace
}  // namespace lacon
