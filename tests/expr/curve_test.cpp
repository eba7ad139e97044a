// Curves: values and derivatives of natural and monotone splines.
#include "expr/curve.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expr/derivative.hpp"
#include "expr/dual.hpp"
#include "expr/print.hpp"
#include "expr/rounded.hpp"
#include "expr/series.hpp"
#include "expr/traverse.hpp"

namespace lacon {
namespace {

using Form = Curve::Form;
using Beyond = Curve::Beyond;

/// The natural spline through (0, 0), (1, 1), (2, 0), (3, 1): 4 m1 + m2 = −12, m1 + 4 m2 = 12, so m
/// = 0, −4, 4, 0.
std::shared_ptr<const Curve> zigzag(Beyond beyond = Beyond::refuse) {
    return std::make_shared<const Curve>("g", std::vector<double>{0, 1, 2, 3},
                                         std::array<double, 4>{0, 1, 0, 1}, Form::natural, beyond);
}

TEST(Curve, NaturalSplineHasTheSecondDerivativesOfItsSystem) {
    const auto g = zigzag();
    EXPECT_NEAR(g->at(2, 0.0), 0.0, 1e-15);
    EXPECT_NEAR(g->at(2, 1.0), -4.0, 1e-14);
    EXPECT_NEAR(g->at(2, 2.0), 4.0, 1e-14);
    EXPECT_NEAR(g->at(2, 3.0), 0.0, 1e-14);
    EXPECT_NEAR(g->at(0, 0.5), 0.75, 1e-15);  // 5/3 u − 2/3 u³
    EXPECT_NEAR(g->at(1, 0.0), 5.0 / 3.0, 1e-15);
    EXPECT_NEAR(g->at(3, 1.5), 8.0, 1e-14);
}

TEST(Curve, NaturalSplineThroughALineIsTheLine) {
    const std::vector<double> x = {-1.0, 0.5, 0.75, 4.0, 9.0};
    std::vector<double> y;
    for (const double a : x) y.push_back(3.0 - 2.0 * a);
    const Curve line("l", x, y, Form::natural, Beyond::refuse);
    for (double a = -1.0; a <= 9.0; a += 0.37) {
        EXPECT_NEAR(line.at(0, a), 3.0 - 2.0 * a, 1e-13);
        EXPECT_NEAR(line.at(1, a), -2.0, 1e-13);
    }
}

TEST(Curve, TwoDerivativesOfTheNaturalSplineAndOneOfTheMonotoneAreContinuous) {
    const std::vector<double> x = {0.0, 0.3, 1.0, 1.7, 4.0};
    const std::vector<double> y = {0.0, 2.0, -1.0, -1.5, 3.0};
    for (const Form form : {Form::natural, Form::monotone}) {
        const Curve curve("c", x, y, form, Beyond::refuse);
        for (const double knot : {0.3, 1.0, 1.7}) {
            const double before = std::nextafter(knot, 0.0);
            for (unsigned order = 0; order <= (form == Form::natural ? 2u : 1u); ++order) {
                EXPECT_TRUE(curve.is_continuous(order));
                EXPECT_NEAR(curve.at(order, before), curve.at(order, knot), 1e-12)
                    << order << " at " << knot;
            }
        }
        EXPECT_FALSE(curve.is_continuous(form == Form::natural ? 3 : 2));
    }
}

TEST(Curve, MonotoneSlopeIsTheWeightedHarmonicMean) {
    const Curve curve("c", {0, 1, 3}, std::array<double, 3>{0, 1, 5}, Form::monotone,
                      Beyond::refuse);
    EXPECT_NEAR(curve.at(1, 1.0), 9.0 / 7.0, 1e-15);  // (5 + 4) / (5/1 + 4/2)
    EXPECT_NEAR(curve.at(1, 0.0), 2.0 / 3.0, 1e-15);  // (4 · 1 − 1 · 2) / 3
}

TEST(Curve, MonotoneNeverLeavesTheRangeOfItsTwoPoints) {
    const std::vector<double> x = {0, 1, 2, 3, 4, 5}, y = {0, 0.01, 5, 5, 4.9, -3};
    const Curve curve("c", x, y, Form::monotone, Beyond::refuse);
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
        for (double u = 0.0; u <= 1.0; u += 1.0 / 64) {
            EXPECT_GE(curve.at(0, x[i] + u), std::min(y[i], y[i + 1]) - 1e-14);
            EXPECT_LE(curve.at(0, x[i] + u), std::max(y[i], y[i + 1]) + 1e-14);
        }
}

TEST(Curve, EndsAreAsDeclared) {
    EXPECT_TRUE(std::isnan(zigzag()->at(0, 3.1)));
    EXPECT_TRUE(std::isnan(zigzag()->at(0, -0.1)));
    EXPECT_EQ(zigzag(Beyond::hold)->at(0, 7.0), 1.0);
    EXPECT_EQ(zigzag(Beyond::hold)->at(1, 7.0), 0.0);
    EXPECT_EQ(zigzag(Beyond::hold)->at(0, -7.0), 0.0);
    EXPECT_EQ(zigzag(Beyond::zero)->at(0, 3.5), 0.0);
    EXPECT_FALSE(zigzag(Beyond::zero)->is_continuous(0));
}

TEST(Curve, RepeatedSplineIsSmoothAcrossThePeriod) {
    const Curve wave("w", {0, 1, 2.5, 4}, std::array<double, 4>{1, -1, 2, 1}, Form::natural,
                     Beyond::repeat);
    for (unsigned order = 0; order <= 2; ++order) {
        EXPECT_NEAR(wave.at(order, 4.0 - 1e-14), wave.at(order, 4.0), 1e-12);
        EXPECT_NEAR(wave.at(order, 8.7), wave.at(order, 0.7), 1e-12);
        EXPECT_NEAR(wave.at(order, -3.3), wave.at(order, 0.7), 1e-12);
    }
    const Curve two("t", {0, 1, 3}, std::array<double, 3>{0, 1, 0}, Form::natural, Beyond::repeat);
    EXPECT_NEAR(two.at(1, 3.0 - 1e-14), two.at(1, 0.0), 1e-12);
    EXPECT_NEAR(two.at(1, 1.0 - 1e-14), two.at(1, 1.0), 1e-12);
}

TEST(Curve, KnotsAroundAreThoseOfTheRightPeriod) {
    const Curve wave("w", {0, 1, 3}, std::array<double, 3>{0, 1, 0}, Form::monotone,
                     Beyond::repeat);
    const auto [below, above] = wave.knots_around(6.5);
    EXPECT_DOUBLE_EQ(below, 6.0);
    EXPECT_DOUBLE_EQ(above, 7.0);
    EXPECT_TRUE(std::isinf(zigzag()->knots_around(5.0).above));
}

TEST(Curve, SymbolicDerivativesPrintAndAgreeWithDualNumbers) {
    Graph graph;
    const Expr x = graph.symbol("x"), t = graph.symbol("t");
    const Expr f = graph.mul(graph.data(zigzag(), 0, graph.mul(x, t)), x);
    EXPECT_EQ(to_text(graph, graph.data(zigzag(), 1, t)), "g'(t)");
    const Expr slope = derivative(graph, f, x);
    EXPECT_EQ(gradient(graph, f, std::array{x})[0], slope);
    const std::array inputs = {x, t};
    const std::array roots = {f, slope};
    const Program program(graph, inputs, roots);
    const std::array<Dual, 2> at = {Dual(0.8, 1.0), Dual(2.0)};
    std::vector<Dual> slots(program.slot_count()), out(2);
    program.run<Dual>(at, slots, out);
    EXPECT_NEAR(out[0].rate, out[1].value, 1e-14);
    EXPECT_NEAR(out[1].value, zigzag()->at(0, 1.6) + 0.8 * 2.0 * zigzag()->at(1, 1.6), 1e-14);
}

TEST(Curve, SubstitutionIntoAnotherGraphKeepsTheSignal) {
    Graph from, to;
    const Expr x = from.symbol("x"), y = to.symbol("y");
    const Expr f = from.data(zigzag(), 2, x);
    ExprMap<Expr> names;
    names.insert(x, y);
    const Expr g = substitute(from, to, std::array{f}, names)[0];
    EXPECT_EQ(to_text(to, g), "g''(y)");
    EXPECT_EQ(to.curve(g), from.curve(f));
}

TEST(Curve, DifferentSignalsAreDifferentExpressions) {
    Graph graph;
    const Expr x = graph.symbol("x");
    const auto one = zigzag(), other = zigzag(Beyond::hold);
    EXPECT_NE(graph.data(one, 0, x), graph.data(other, 0, x));
    EXPECT_EQ(graph.data(one, 0, x), graph.data(one, 0, x));
    EXPECT_TRUE(graph.is_zero(graph.data(one, 4, x)));
}

TEST(Curve, SeriesIsTheTaylorPolynomialOfThePiece) {
    Graph graph;
    const Expr t = graph.symbol("t");
    const Expr f = graph.data(zigzag(), 0,
                              graph.apply(Op::sin, t));  // g(sin t), 0 < sin t < 1: 5/3 s − 2/3 s³
    const std::array inputs = {t};
    const std::array roots = {f};
    const SeriesProgram program(graph, inputs, roots, 0);
    constexpr std::size_t orders = 6;
    std::vector<double> work((program.slot_count() + 1) * orders, 0.0);
    for (std::size_t k = 0; k < orders; ++k) {
        work[k] = k == 0 ? 0.7 : k == 1 ? 1.0 : 0.0;
        program.order(k, work.data(), orders);
    }
    double sum = 0.0;
    for (std::size_t k = orders; k-- > 0;) sum = sum * 1e-3 + work[program.slot(0) * orders + k];
    const double s = std::sin(0.701);
    EXPECT_NEAR(sum, 5.0 / 3.0 * s - 2.0 / 3.0 * s * s * s, 1e-15);
}

TEST(Curve, RoundingErrorIsBounded) {
    const Rounded y = curve_at(*zigzag(), 0, Rounded::input(1.9));
    const long double u = 0.9L, exact = 1.0L - u / 3.0L - 2.0L * u * u + 4.0L / 3.0L * u * u * u;
    EXPECT_LE(std::abs(static_cast<double>(y.value - exact)), y.error);
    EXPECT_LT(y.error, 1e-13);
}

}  // namespace
}  // namespace lacon
