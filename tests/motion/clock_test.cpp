// Time in two doubles.
#include "methods/clock.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lacon {
namespace {

TEST(Clock, ManyStepsAreExactToTheLastDigit) {
    // 0.1 as a double is not a tenth: the exact sum is n times that double, rounded once.
    constexpr int count = 10'000'000;
    Clock clock;
    double plain = 0.0;
    for (int i = 0; i < count; ++i) {
        clock = clock.after(0.1);
        plain += 0.1;
    }
    EXPECT_EQ(clock.now(), 0.1 * count);
    EXPECT_NEAR(clock.lo, std::fma(0.1, count, -0.1 * count), 1e-16);
    EXPECT_GT(std::abs(plain - 0.1 * count), 1e-5);  // what one double makes of it
}

TEST(Clock, AStepTooSmallForADoubleCounts) {
    Clock clock{1e9, 0.0};
    for (int i = 0; i < 1'000'000; ++i) clock = clock.after(1e-9);
    EXPECT_EQ(clock.now(), 1e9 + 1e-3);
    EXPECT_NEAR(clock.since({1e9, 0.0}), 1e-3, 1e-16);
}

TEST(Clock, BackAndForthIsWhereItBegan) {
    const Clock begin{0.3, 1e-18};
    const Clock back = begin.after(1234.567).after(-1234.567);
    EXPECT_EQ(back.now(), begin.now());
    EXPECT_NEAR(back.since(begin), 0.0, 1e-28);
    EXPECT_EQ(begin.after(1234.567).since(begin), 1234.567);
}

}  // namespace
}  // namespace lacon
