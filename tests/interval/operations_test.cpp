// Enclosures of the arithmetic operations.
#include <gtest/gtest.h>

#include "interval/directed.hpp"
#include "interval/interval.hpp"
#include "numbers.hpp"

namespace lacon {
namespace {

/// [x] ∘ [y] of points against numbers with far more digits.
void expect_tight(Interval (*operation)(const Interval&, const Interval&), WideFunction2 exact,
                  double x, double y) {
    const Wide truth = computed(exact, x, y);
    const Interval found = operation(x, y);
    if (!found.is_defined()) {
        EXPECT_TRUE(mpfr_cmpabs(truth.number, Wide(0x1.fffffffffffffp+1023).number) > 0 ||
                    mpfr_nan_p(truth.number))
            << x << " and " << y;
        return;
    }
    EXPECT_TRUE(truth.is_in(found)) << x << " and " << y;
    EXPECT_LE(steps_between(found), 2) << x << " and " << y;
}

TEST(Operations, PointsGiveTwoNeighboursAroundTheTruth) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 20000; ++trial) {
        const double x = any_double(random),
                     y = trial % 3 == 0 ? x * (1.0 + 1e-15 * (trial % 7)) : any_double(random);
        if (!std::isfinite(y)) continue;
        expect_tight([](const Interval& a, const Interval& b) { return a + b; }, mpfr_add, x, y);
        expect_tight([](const Interval& a, const Interval& b) { return a - b; }, mpfr_sub, x, y);
        expect_tight([](const Interval& a, const Interval& b) { return a * b; }, mpfr_mul, x, y);
        if (y != 0.0)
            expect_tight([](const Interval& a, const Interval& b) { return a / b; }, mpfr_div, x,
                         y);
        expect_tight([](const Interval& a, const Interval& b) { return hypot(a, b); }, mpfr_hypot,
                     x, y);
        expect_tight([](const Interval& a, const Interval&) { return sqrt(abs(a)); },
                     [](mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr, mpfr_rnd_t d) {
                         mpfr_abs(r, a, d);
                         return mpfr_sqrt(r, r, d);
                     },
                     x, y);
    }
}

TEST(Operations, WhatIsExactStaysAPoint) {
    EXPECT_TRUE((Interval(3.0) + Interval(0.25)).is_point());
    EXPECT_TRUE((Interval(3.0) * Interval(0.25)).is_point());
    EXPECT_TRUE((Interval(3.0) / Interval(0.25)).is_point());
    EXPECT_TRUE((Interval(1.0) * Interval(0.1)).is_point());
    EXPECT_TRUE((Interval(0.0) * Interval(1e-310)).is_point());
    EXPECT_TRUE(sqrt(Interval(2.25)).is_point());
    EXPECT_TRUE(whole_power(Interval(3.0), 5).is_point());
    EXPECT_EQ((Interval(0.1) + Interval(0.2)).width(), 0x1p-54);
}

TEST(Operations, BoxesOfAllSignsContainAllProductsAndQuotients) {
    std::mt19937_64 random(2);
    for (int trial = 0; trial < 20000; ++trial) {
        const Interval a = some_interval(random), b = some_interval(random);
        const double x = inside(a, random), y = inside(b, random);
        EXPECT_TRUE((a * b).contains(x * y));
        EXPECT_TRUE((a + b).contains(x + y));
        EXPECT_TRUE((a - b).contains(x - y));
        EXPECT_EQ((a / b).is_defined(), !b.contains_zero());
        EXPECT_TRUE(b.contains_zero() || (a / b).contains(x / y));
        for (const int k : {2, 3, 4, 7})
            EXPECT_TRUE(widened(whole_power(a, k)).contains(std::pow(x, k)));
        EXPECT_TRUE(least(a, b).contains(std::min(x, y)));
        EXPECT_TRUE(greatest(a, b).contains(std::max(x, y)));
        EXPECT_TRUE(abs(a).contains(std::abs(x)));
        EXPECT_TRUE(widened(hypot(a, b)).contains(std::hypot(x, y)));
    }
}

TEST(Operations, EvenPowersKnowThatTheyAreNotNegative) {
    const Interval square = whole_power(Interval(-1.0, 2.0), 2);
    EXPECT_EQ(square.low, 0.0);
    EXPECT_EQ(square.high, 4.0);
    EXPECT_EQ(whole_power(Interval(-2.0, 1.0), 3).low, -8.0);
    EXPECT_EQ(pow(Interval(-2.0, -1.0), Interval(-2.0)).low, 0.25);
    EXPECT_FALSE(pow(Interval(-2.0, 1.0), Interval(-2.0)).is_defined());
}

TEST(Operations, WhatOverflowsOrLeavesTheDomainIsUndefined) {
    EXPECT_FALSE((Interval(1e200) * Interval(1e200)).is_defined());
    EXPECT_FALSE((Interval(1.7e308) + Interval(1.7e308)).is_defined());
    EXPECT_FALSE((Interval(1.0) / Interval(-1.0, 1.0)).is_defined());
    EXPECT_FALSE((Interval(0.0) * Interval::undefined()).is_defined());
    EXPECT_FALSE(sqrt(Interval(-1e-300, 1.0)).is_defined());
    EXPECT_FALSE(log(Interval(0.0, 1.0)).is_defined());
    EXPECT_FALSE(asin(Interval(0.5, 1.0000001)).is_defined());
    EXPECT_FALSE(exp(Interval(0.0, 1000.0)).is_defined());
    EXPECT_FALSE(tan(Interval(1.5, 1.6)).is_defined());
    EXPECT_FALSE(pow(Interval(-1.0, 1.0), Interval(0.5)).is_defined());
    EXPECT_FALSE(Interval(std::numeric_limits<double>::infinity()).is_defined());
}

TEST(Operations, MiddleAndRadiusEncloseTheInterval) {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 5000; ++trial) {
        const double a = any_double(random), b = any_double(random);
        const Interval x(std::min(a, b), std::max(a, b));
        if (!x.is_defined() || x.radius() > directed::largest) continue;
        EXPECT_TRUE(x.contains(x.mid()));
        EXPECT_LE(directed::add_down(x.mid(), -x.radius()), x.low);
        EXPECT_GE(directed::add_up(x.mid(), x.radius()), x.high);
    }
}

}  // namespace
}  // namespace lacon
