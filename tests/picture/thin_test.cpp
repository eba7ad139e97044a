// Fewer points draw the same picture.
#include "picture/thin.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace lacon {
namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();

TEST(Thin, ASmallCurveStaysAsItIsInPiecesBetweenGaps) {
    const std::vector<double> x{0, 1, 2, 3, 4, 5},
        y{missing, 1, 2, missing, std::numeric_limits<double>::infinity(), 3};
    EXPECT_EQ(thinned(x, y), (std::vector<Piece>{{{1, 1}, {2, 2}}, {{5, 3}}}));
}

TEST(Thin, NoSpikeOfAMillionPointsIsLost) {
    constexpr int count = 1'000'000;
    std::vector<double> x, y;
    for (int i = 0; i < count; ++i) {
        x.push_back(i);
        y.push_back(std::sin(i * 1e-5));
    }
    y[123'456] = 50.0;
    y[123'457] = -50.0;
    const auto thin = thinned(x, y);
    ASSERT_EQ(thin.size(), 1u);
    EXPECT_LE(thin[0].size(), points_per_curve + 4);
    const auto has = [&](const Point& p) {
        return std::find(thin[0].begin(), thin[0].end(), p) != thin[0].end();
    };
    EXPECT_TRUE(has({123'456, 50.0}));
    EXPECT_TRUE(has({123'457, -50.0}));
    EXPECT_TRUE(has({0, y[0]}));
    EXPECT_TRUE(has({count - 1, y[count - 1]}));
}

TEST(Thin, GapsOfALargeCurveStay) {
    std::vector<double> x, y;
    for (int i = 0; i < 100'000; ++i) {
        x.push_back(i);
        y.push_back(i > 40'000 && i < 60'000 ? missing : 1.0);
    }
    const auto thin = thinned(x, y);
    ASSERT_EQ(thin.size(), 2u);
    EXPECT_EQ(thin[0].back(), (Point{40'000, 1}));
    EXPECT_EQ(thin[1].front(), (Point{60'000, 1}));
}

TEST(Thin, APathStaysWithinAPixelOfItself) {
    constexpr int count = 300'000;
    std::vector<double> x, y;
    for (int i = 0; i < count; ++i) {
        const double angle = 6 * std::numbers::pi * i / count;
        x.push_back(std::cos(angle));
        y.push_back(std::sin(angle));
    }
    const auto thin = thinned(x, y);
    ASSERT_EQ(thin.size(), 1u);
    EXPECT_LE(thin[0].size(), points_per_path);
    EXPECT_GT(thin[0].size(), 1000u);
    for (std::size_t i = 1; i < thin[0].size(); ++i)
        ASSERT_LT(std::hypot(thin[0][i].x - thin[0][i - 1].x, thin[0][i].y - thin[0][i - 1].y),
                  2.0 * 2.0 / 900.0);
}

}  // namespace
}  // namespace lacon
