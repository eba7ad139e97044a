// Enclosures of the elementary functions: sound, and hardly wider than needed.
#include <gtest/gtest.h>

#include <string>

#include "numbers.hpp"

namespace lacon {
namespace {

struct Named {
    std::string name;
    Interval (*enclose)(const Interval&);
    WideFunction exact;
    double from = -std::numeric_limits<double>::max(),
           to = std::numeric_limits<double>::max();  // the domain
};
const Named functions[] = {
    {"exp", exp, mpfr_exp},           {"log", log, mpfr_log, 1e-320},
    {"sin", sin, mpfr_sin},           {"cos", cos, mpfr_cos},
    {"tan", tan, mpfr_tan},           {"asin", asin, mpfr_asin, -1, 1},
    {"acos", acos, mpfr_acos, -1, 1}, {"atan", atan, mpfr_atan},
    {"sinh", sinh, mpfr_sinh},        {"cosh", cosh, mpfr_cosh},
    {"tanh", tanh, mpfr_tanh},        {"sqrt", sqrt, mpfr_sqrt, 0.0},
};

TEST(Functions, PointsGiveTwoNeighboursAroundTheTruth) {
    std::mt19937_64 random(5);
    for (const Named& f : functions) {
        SCOPED_TRACE(f.name);
        int defined = 0;
        for (int trial = 0; trial < 3000; ++trial) {
            const double x = any_double(random);
            const Interval found = f.enclose(x);
            if (x < f.from || x > f.to) {
                EXPECT_FALSE(found.is_defined()) << x;
                continue;
            }
            const Wide truth = computed(f.exact, x);
            if (std::abs(truth.near()) > 1e308) continue;  // too large for a double
            ++defined;
            ASSERT_TRUE(truth.is_in(found)) << x;
            ASSERT_LE(steps_between(found), 1) << x;
        }
        EXPECT_GT(defined, 500);
    }
}

/// Ends of random size around random places, so that boxes lie within a branch, across an extremum,
/// or across many.
Interval some_box(std::mt19937_64& random, double from, double to) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const double scale = std::pow(10.0, 3.0 * uniform(random)), at = scale * uniform(random);
    const double half = std::pow(10.0, -8.0 + 8.5 * std::abs(uniform(random)));
    return {std::clamp(at - half, from, to), std::clamp(at + half, from, to)};
}

TEST(Functions, BoxesContainTheValuesOfTheirPointsAndHardlyMore) {
    std::mt19937_64 random(6);
    for (const Named& f : functions) {
        SCOPED_TRACE(f.name);
        int defined = 0;
        for (int trial = 0; trial < 500; ++trial) {
            const Interval box = some_box(random, std::max(f.from, -1e4), std::min(f.to, 1e4)),
                           found = f.enclose(box);
            if (!found.is_defined()) continue;
            ++defined;
            double low = std::numeric_limits<double>::infinity(), high = -low, steepest = 0.0,
                   before = 0.0;
            constexpr int count = 40;
            for (int i = 0; i <= count; ++i) {
                const double share = static_cast<double>(i) / count;
                const double x = i == count
                                     ? box.high
                                     : std::min(box.high, box.low + share * (box.high - box.low));
                const Wide truth = computed(f.exact, x);
                ASSERT_TRUE(truth.is_in(found))
                    << x << " in [" << box.low << ", " << box.high << "]";
                if (i > 0) steepest = std::max(steepest, std::abs(truth.near() - before));
                before = truth.near();
                low = std::min(low, truth.near());
                high = std::max(high, truth.near());
            }
            // Between two samples a function hardly goes further than from one to the next.
            const double slack = 2.0 * steepest + 1e-15 * found.magnitude();
            if (f.name == "sin" || f.name == "cos" ? box.high - box.low < 6.0 : true) {
                EXPECT_GE(found.low, low - slack);
                EXPECT_LE(found.high, high + slack);
            }
        }
        EXPECT_GT(defined, 100);
    }
}

TEST(Functions, ExtremaOfSinAndCosAreFoundAlsoFarOut) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int trial = 0; trial < 3000; ++trial) {
        const double at = uniform(random) * std::pow(10.0, static_cast<double>(trial % 16));
        const double half = std::abs(at) * 1e-15 + 2.0 * std::abs(uniform(random));
        const Interval box(at - half, at + half), s = sin(box), c = cos(box);
        for (int i = 0; i < 12; ++i) {
            const double x = inside(box, random);
            ASSERT_TRUE(sin(Wide(x)).is_in(s)) << x;
            ASSERT_TRUE(cos(Wide(x)).is_in(c)) << x;
        }
        // Over a box of width 1.4 neither goes further than 2 sin(0.7) = 1.288….
        EXPECT_LT(half < 0.7 ? std::max(s.width(), c.width()) : 0.0, 1.3) << at;
    }
    EXPECT_EQ(sin(Interval(1.5, 1.6)).high, 1.0);
    EXPECT_EQ(sin(Interval(4.7, 4.8)).low, -1.0);
    EXPECT_EQ(cos(Interval(-0.1, 0.2)).high, 1.0);
    EXPECT_EQ(cos(Interval(3.1, 3.2)).low, -1.0);
    EXPECT_LT(sin(Interval(1.5, 1.57)).high, 1.0);
    EXPECT_EQ(sin(Interval(1e16, 1e16 + 2.0)).low, -1.0);
    EXPECT_EQ(sin(Interval(1e300)).width(), 0x1p-53);
}

TEST(Functions, TanHasNoValueAcrossAPoleAndIsSteepBesideIt) {
    const double pole = 0x1.921fb54442d18p+0;  // the double below π/2
    EXPECT_TRUE(tan(Interval(1.0, pole)).is_defined());
    EXPECT_GT(tan(Interval(1.0, pole)).high, 1e16);
    EXPECT_FALSE(tan(Interval(1.0, directed::above(pole))).is_defined());
    EXPECT_FALSE(tan(Interval(0.0, 100.0)).is_defined());
    EXPECT_TRUE(tan(Interval(directed::above(pole), 4.0)).is_defined());
}

TEST(Functions, PowersAndAnglesOfBoxesAreThoseOfTheirPoints) {
    std::mt19937_64 random(8);
    int powers = 0, angles = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        const Interval x = some_interval(random);
        Interval y = some_interval(random);
        if (trial % 3 == 0) y = Interval(std::round(y.low));
        const double a = inside(x, random), b = inside(y, random);
        const Interval power = pow(x, y), angle = atan2(y, x);
        powers += power.is_defined();
        angles += angle.is_defined();
        EXPECT_TRUE(!power.is_defined() || pow(Wide(a), Wide(b)).is_in(power))
            << a << " to the " << b;
        EXPECT_TRUE(!angle.is_defined() || atan2(Wide(b), Wide(a)).is_in(angle))
            << b << " over " << a;
        EXPECT_TRUE(hypot(Wide(a), Wide(b)).is_in(hypot(x, y)));
        if (!x.is_point() || !y.is_point()) continue;
        EXPECT_TRUE(angle.smoothness == Smoothness::broken || steps_between(angle) <= 1);
        EXPECT_TRUE(!power.is_defined() || steps_between(power) <= 2);
    }
    EXPECT_GT(powers, 1000);
    EXPECT_GT(angles, 3000);
}

}  // namespace
}  // namespace lacon
