// Which curves share a panel.
#include "picture/panels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lacon {
namespace {

using Panels = std::vector<std::vector<std::size_t>>;

Panels panels_of_sizes(const std::vector<double>& sizes) {
    std::vector<Extent> extents;
    for (const double size : sizes) extents.push_back(extent_of(std::vector{-size, size / 2}));
    return panels_of(extents);
}

TEST(Panels, CurvesOfOneSizeShareOne) {
    EXPECT_EQ(panels_of_sizes({1.0, 20.0, 0.8}), (Panels{{0, 1, 2}}));
}

TEST(Panels, CurvesOfWildlyDifferentSizeAreApart) {
    EXPECT_EQ(panels_of_sizes({1.0, 1000.0, 2.0, 1e-14}), (Panels{{0, 2}, {1}, {3}}));
    EXPECT_EQ(panels_of_sizes({1.0, 20.0, 0.5}), (Panels{{0, 1}, {2}}))
        << "20 and 0.5 differ by 40";
}

TEST(Panels, CurvesThatAreZeroFitAnywhere) {
    EXPECT_EQ(panels_of_sizes({0.0, 1000.0}), (Panels{{0, 1}}));
}

TEST(Panels, SixCurvesFillOne) {
    EXPECT_EQ(panels_of_sizes(std::vector(8, 1.0)), (Panels{{0, 1, 2, 3, 4, 5}, {6, 7}}));
}

TEST(Axis, LeavesSomeRoomAndTellsTicksApart) {
    const Axis axis = axis_of(extent_of(
        std::vector{100.0, std::nan(""), 100.5, std::numeric_limits<double>::infinity()}));
    EXPECT_DOUBLE_EQ(axis.low, 99.98);
    EXPECT_DOUBLE_EQ(axis.high, 100.52);
    EXPECT_EQ(axis.digits, 6);
    EXPECT_EQ(axis_of(extent_of(std::vector{1.0, 1.0 + 2e-7})).digits, 10);
}

TEST(Axis, WhatIsConstantLiesInTheMiddle) {
    const Axis energy = axis_of(extent_of(std::vector{286.0, 286.0 + 1e-12}));
    EXPECT_NEAR(energy.low, 257.4, 1e-9);
    EXPECT_NEAR(energy.high, 314.6, 1e-9);
    const Axis zero = axis_of(extent_of(std::vector{0.0, 0.0}));
    EXPECT_EQ(zero.low, -1.0);
    EXPECT_EQ(zero.high, 1.0);
}

TEST(Panels, LogarithmicCurvesShareOneOfTheirOwn) {
    const std::vector<double> small{1.0, 2.0}, large{1e3, 1e10};
    EXPECT_EQ(
        panels_of(std::vector{extent_of(small), extent_of(small, true), extent_of(large, true)}),
        (Panels{{0}, {1, 2}}));
}

TEST(Axis, OfPositiveValuesMayBeLogarithmic) {
    const Axis axis = axis_of(extent_of(std::vector{1e-5, 1e5, 0.0, -3.0, std::nan("")}, true));
    EXPECT_TRUE(axis.logarithmic);
    EXPECT_NEAR(std::log10(axis.low), -5.4, 1e-12) << "4 % of ten decades to spare";
    EXPECT_NEAR(std::log10(axis.high), 5.4, 1e-12);
    const Axis constant = axis_of(extent_of(std::vector{4.0, 4.0}, true));
    EXPECT_NEAR(constant.high / constant.low, 10.0, 1e-12);
    EXPECT_NEAR(constant.high * constant.low, 16.0, 1e-12);
}

}  // namespace
}  // namespace lacon
