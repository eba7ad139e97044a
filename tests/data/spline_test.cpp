// Splines through measured points against their textbook definitions.
#include "expr/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace lacon {
namespace {

using Form = Curve::Form;
using Beyond = Curve::Beyond;

const std::vector<double> x{0, 0.5, 1.25, 2, 3.5, 4}, y{1, -0.25, 0.5, 2, 1.5, 1};

Curve curve(Form form, Beyond beyond = Beyond::refuse) {
    return {"c", x, y, form, beyond};
}

/// A place with the value there and its three derivatives.
struct Pin {
    double x, derivatives[4];
};
void expect_pinned(const Curve& curve, std::span<const Pin> pins) {
    for (const Pin& pin : pins)
        for (unsigned order = 0; order < 4; ++order)
            EXPECT_NEAR(curve.at(order, pin.x), pin.derivatives[order],
                        2e-14 * (1.0 + std::abs(pin.derivatives[order])))
                << "derivative " << order << " at " << pin.x;
}

// The numbers of the next three tests are those of scipy 1.10.1: CubicSpline(bc_type='natural'),
// PchipInterpolator, and CubicSpline(bc_type='periodic').
TEST(Spline, NaturalIsTheNaturalCubicSpline) {
    constexpr Pin pins[] = {
        {0.1, {0.684697421981004, -3.0986069651741293, 1.6325644504748977, 16.325644504748993}},
        {0.5, {-0.25, -1.1395296246042514, 8.162822252374493, -9.829639680385952}},
        {1.0, {-0.004196190763354757, 1.713176541534751, 3.248002412181517, -9.829639680385952}},
        {1.9, {1.857536057088296, 1.57260666365144, -2.7764209256746577, -5.487712950399522}},
        {2.75, {2.182878222523745, -0.5565920398009951, -1.5391225689733155, 2.3814262023217245}},
        {3.9, {1.0980244233378564, -0.9818905472636816, 0.04938941655359558, -0.49389416553595566}},
    };
    expect_pinned(curve(Form::natural), pins);
}

TEST(Spline, MonotoneIsTheCurveOfFritschAndButland) {
    constexpr Pin pins[] = {
        {0.1, {0.6204, -3.6479999999999997, 3.84, 26.400000000000002}},
        {0.5, {-0.25, 0.0, 4.444444444444445, -7.1111111111111125}},
        {1.0, {0.1574074074074074, 1.3333333333333333, 0.8888888888888884, -7.1111111111111125}},
        {1.9, {1.9425185185185179, 1.1022222222222222, -9.599999999999998, -28.44444444444445}},
        {2.75,
         {1.8522727272727273, -0.36363636363636354, -0.36363636363636365, 0.3232323232323229}},
        {3.9, {1.117939393939394, -1.1806060606060607, -0.20606060606060783, 6.909090909090903}},
    };
    expect_pinned(curve(Form::monotone), pins);
}

TEST(Spline, RepeatedNaturalIsThePeriodicSpline) {
    constexpr Pin pins[] = {
        {0.1, {0.7592500000000001, -2.656577380952381, -3.8517857142857146, 33.89285714285714}},
        {0.5, {-0.25, -1.4858630952380953, 9.705357142857142, -12.305555555555557}},
        {1.0, {-0.03612764550264563, 1.8286210317460312, 3.552579365079364, -12.305555555555557}},
        {1.9, {1.867158068783069, 1.490763888888889, -3.065277777777778, -5.4484126984127}},
        {2.75, {2.0806361607142856, -0.6376488095238094, -1.1755952380952381, 3.2460317460317456}},
        {3.9, {1.1768214285714287, -1.4628273809523802, -5.541071428571425, -16.999999999999993}},
    };
    expect_pinned(curve(Form::natural, Beyond::repeat), pins);
    const Curve small("c", {0, 1, 3}, std::vector<double>{1, 4, 1}, Form::natural, Beyond::repeat);
    constexpr double values[] = {2.5, 3.3595, 1.1875}, slopes[] = {3.75, -2.595, -1.875},
                     places[] = {0.5, 1.7, 2.5};
    for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(small.at(0, places[i]), values[i], 1e-14);
        EXPECT_NEAR(small.at(1, places[i]), slopes[i], 1e-14);
    }
}

TEST(Spline, StraightLinesAreExact) {
    const std::vector<double> places{-1, 0.5, 1, 4, 4.25};
    std::vector<double> line;
    for (const double p : places) line.push_back(3.0 - 2.0 * p);
    for (const Form form : {Form::natural, Form::monotone})
        for (const Beyond beyond : {Beyond::refuse, Beyond::hold, Beyond::zero}) {
            const Curve c("c", places, line, form, beyond);
            for (double p = -1.0; p < 4.25; p += 0.0625) {
                EXPECT_EQ(c.at(0, p), 3.0 - 2.0 * p);
                EXPECT_EQ(c.at(1, p), -2.0);
                EXPECT_EQ(c.at(2, p), 0.0);
            }
        }
    const Curve pair("c", {0, 2}, std::vector<double>{1, 5}, Form::natural, Beyond::refuse);
    EXPECT_EQ(pair.at(0, 0.5), 2.0);
    EXPECT_EQ(pair.at(1, 2.0), 2.0);
}

TEST(Spline, BeyondItsEndsIsWhatWasAskedFor) {
    for (const double outside : {-0.25, -7.0, 4.25, 11.0}) {
        const Curve refused = curve(Form::natural), held = curve(Form::natural, Beyond::hold),
                    zero = curve(Form::natural, Beyond::zero),
                    repeated = curve(Form::natural, Beyond::repeat);
        EXPECT_FALSE(refused.covers(outside));
        EXPECT_TRUE(std::isnan(refused.at(0, outside)) && std::isnan(refused.at(1, outside)));
        EXPECT_EQ(held.at(0, outside), outside < 0.0 ? y.front() : y.back());
        EXPECT_EQ(held.at(1, outside), 0.0);
        EXPECT_EQ(zero.at(0, outside), 0.0);
        const double inside = outside - 4.0 * std::floor(outside / 4.0);
        for (unsigned order = 0; order < 4; ++order)
            EXPECT_EQ(repeated.at(order, outside), repeated.at(order, inside));
    }
    EXPECT_EQ(curve(Form::natural).at(0, 4.0), 1.0);
    EXPECT_EQ(curve(Form::natural, Beyond::zero).at(0, 4.0), 0.0)
        << "an end belongs to what follows";
    const double nothing = std::nan("");
    for (const Beyond beyond : {Beyond::refuse, Beyond::hold, Beyond::zero, Beyond::repeat})
        EXPECT_TRUE(std::isnan(curve(Form::natural, beyond).at(0, nothing)));
}

TEST(Spline, ConvergesWithTheFourthPowerOfTheSpacing) {
    const auto worst = [](int count) {
        std::vector<double> places, values;
        for (int i = 0; i <= count; ++i) {
            places.push_back(2.0 * std::numbers::pi * i / count);
            values.push_back(i == count ? 0.0 : std::sin(places.back()));
        }
        values.front() = 0.0;
        const Curve c("sine", places, values, Form::natural, Beyond::repeat);
        double error = 0.0;
        for (double p = 0.0; p < 6.28; p += 0.01)
            error = std::max(error, std::abs(c.at(0, p) - std::sin(p)));
        return error;
    };
    EXPECT_NEAR(std::log2(worst(32) / worst(64)), 4.0, 0.05);
}

TEST(Spline, RefusesPointsThatMakeNone) {
    const auto make = [](std::vector<double> places, std::vector<double> values,
                         Beyond beyond = Beyond::refuse) {
        return Curve("c", std::move(places), values, Form::natural, beyond);
    };
    EXPECT_THROW(make({1}, {1}), std::invalid_argument);
    EXPECT_THROW(make({0, 1}, {1}), std::invalid_argument);
    EXPECT_THROW(make({0, 1, 1}, {1, 2, 3}), std::invalid_argument);
    EXPECT_THROW(make({0, std::nan("")}, {1, 2}), std::invalid_argument);
    EXPECT_THROW(make({0, 1}, {1, INFINITY}), std::invalid_argument);
    EXPECT_THROW(make({0, 1}, {1, 2}, Beyond::repeat), std::invalid_argument);
}

}  // namespace
}  // namespace lacon
