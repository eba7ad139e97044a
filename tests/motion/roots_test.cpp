// Roots of functions on an interval: each is found once.
#include "locate/roots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace lacon {
namespace {

ChebyshevFit fit(const std::function<double(double)>& f, double h, double noise = 0.0) {
    std::vector<double> values;
    for (const double x : ChebyshevFit::nodes(h)) values.push_back(f(x));
    return {values, h, noise};
}

using Roots = std::vector<ChebyshevFit::Root>;

/// All roots of f on (0, h): those expected, in order, each a crossing or a touch.
void expect_roots(const std::function<double(double)>& f, double h, const Roots& expected,
                  double tolerance) {
    const Roots found = fit(f, h).roots();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i].at, expected[i].at, tolerance) << "root " << i;
        EXPECT_EQ(found[i].touches, expected[i].touches) << "root " << i;
    }
}

TEST(Roots, TheFitPassesThroughItsValues) {
    const auto f = [](double x) { return std::exp(-x) * std::cos(3.0 * x); };
    const ChebyshevFit fitted = fit(f, 2.0);
    EXPECT_TRUE(fitted.is_resolved());
    for (const double x : ChebyshevFit::nodes(2.0)) EXPECT_NEAR(fitted.value(x), f(x), 1e-15);
    for (double x = 0.0; x < 2.0; x += 0.01) EXPECT_NEAR(fitted.value(x), f(x), 1e-11);
    EXPECT_EQ(ChebyshevFit::nodes(2.0).front(), 0.0);
    EXPECT_EQ(ChebyshevFit::nodes(2.0).back(), 2.0);
}

TEST(Roots, SaysWhereItsDegreeIsNotEnough) {
    EXPECT_FALSE(fit([](double x) { return std::sin(40.0 * x); }, 1.0).is_resolved());
    EXPECT_FALSE(fit([](double x) { return std::abs(x - 0.3); }, 1.0).is_resolved());
}

TEST(Roots, EveryRootOfAPolynomialIsFoundOnce) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0.02, 0.98);
    for (int trial = 0; trial < 300; ++trial) {
        const double h = std::pow(10.0, trial % 7 - 3);
        std::vector<double> roots;
        while (roots.size() < static_cast<std::size_t>(trial % 7)) {
            const double x = uniform(random);
            if (std::none_of(roots.begin(), roots.end(),
                             [&](double r) { return std::abs(r - x) < 0.02; }))
                roots.push_back(x);
        }
        std::sort(roots.begin(), roots.end());
        Roots expected;
        for (const double r : roots) expected.push_back({r * h, false});
        const auto f = [&](double x) {
            double product = trial % 2 == 0 ? 3.0 : -1e-6;
            for (const double r : roots) product *= x / h - r;
            return product;
        };
        SCOPED_TRACE("trial " + std::to_string(trial));
        expect_roots(f, h, expected, 1e-8 * h);
    }
}

TEST(Roots, OfASineAreTheMultiplesOfPi) {
    const double pi = std::numbers::pi;
    expect_roots([](double x) { return std::sin(x + 1.0); }, 7.0,
                 {{pi - 1.0, false}, {2.0 * pi - 1.0, false}}, 1e-9);
    expect_roots([](double x) { return 2.0 + std::sin(x); }, 6.0, {}, 0.0);
}

TEST(Roots, MultipleRootsTouchOrCross) {
    // A root of multiplicity k is known to the k-th root of what counts as zero.
    expect_roots([](double x) { return (x - 0.3) * (x - 0.3); }, 1.0, {{0.3, true}}, 1e-6);
    expect_roots([](double x) { return std::pow(x - 0.3, 3); }, 1.0, {{0.3, false}}, 2e-4);
    expect_roots([](double x) { return std::pow(x - 0.7, 4); }, 1.0, {{0.7, true}}, 1e-3);
    expect_roots([](double x) { return -std::pow(x - 0.5, 9); }, 1.0, {{0.5, false}}, 0.05);
    expect_roots([](double x) { return std::pow(x - 0.4, 2) * (x - 0.8); }, 1.0,
                 {{0.4, true}, {0.8, false}}, 1e-6);
}

TEST(Roots, AClosePairIsTwoRootsUntilItIsATouch) {
    expect_roots([](double x) { return (x - 0.3) * (x - 0.3 - 1e-4); }, 1.0,
                 {{0.3, false}, {0.3001, false}}, 1e-9);
    expect_roots([](double x) { return (x - 0.3) * (x - 0.3 - 1e-5); }, 1.0,
                 {{0.3, false}, {0.30001, false}}, 1e-8);
    expect_roots([](double x) { return (x - 0.3) * (x - 0.3 - 1e-7); }, 1.0, {{0.3, true}}, 1e-6);
    // What stays above zero by more than its rounding is no root.
    expect_roots([](double x) { return (x - 0.3) * (x - 0.3) + 1e-10; }, 1.0, {}, 0.0);
}

TEST(Roots, AtTheBordersAreLeftToTheNeighbours) {
    expect_roots([](double x) { return x * (x - 0.5); }, 1.0, {{0.5, false}}, 1e-12);
    expect_roots([](double x) { return (x - 1.0) * (x - 0.5); }, 1.0, {{0.5, false}}, 1e-12);
    expect_roots([](double x) { return x * x * (1.0 - x); }, 1.0, {}, 0.0);
    expect_roots([](double x) { return x - 1e-6; }, 1.0, {{1e-6, false}}, 1e-14);
}

TEST(Roots, NothingButNoiseIsNoRoot) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> uniform(-1e-13, 1e-13);
    EXPECT_TRUE(fit([&](double) { return uniform(random); }, 1.0, 1e-12).roots().empty());
    EXPECT_TRUE(fit([&](double) { return 1.0 + uniform(random); }, 1.0).roots().empty());
    EXPECT_TRUE(fit([](double) { return 0.0; }, 1.0).roots().empty());
    // A crossing with noise on it is one crossing still.
    const Roots found =
        fit([&](double x) { return x - 0.5 + uniform(random); }, 1.0, 1e-12).roots();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].at, 0.5, 1e-12);
}

TEST(Roots, ValuesThatAreNotFiniteHaveNone) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {std::nan(""), infinity, -infinity})
        EXPECT_TRUE(fit([&](double x) { return x < 0.3 ? bad : x - 0.5; }, 1.0).roots().empty())
            << bad;
}

TEST(RefineRoot, EndsAtANeighbourOfTheRoot) {
    int calls = 0;
    const auto near = [&](const std::function<double(double)>& f, double a, double b, double root) {
        calls = 0;
        const double x =
            refine_root([&](double at) { return ++calls, f(at); }, a, b, 0.5 * (a + b));
        EXPECT_LE(std::abs(x - root), 2.0 * std::numeric_limits<double>::epsilon() * root) << x;
        EXPECT_LT(calls, 130);
    };
    near([](double x) { return std::cos(x); }, 1.0, 2.0, std::numbers::pi / 2.0);
    near([](double x) { return x * x - 2.0; }, 0.0, 10.0, std::numbers::sqrt2);
    near([](double x) { return std::exp(x) - 1e8; }, 0.0, 100.0, std::log(1e8));
    near([](double x) { return std::cbrt(x - 0.7); }, 0.0, 1.0, 0.7);
    near([](double x) { return x < 0.3 ? -1e-9 : 5.0; }, 0.0, 1.0, 0.3);  // a jump
}

TEST(RefineRoot, WithoutAChangeOfSignKeepsTheGuess) {
    EXPECT_EQ(refine_root([](double x) { return 1.0 + x * x; }, 0.0, 1.0, 0.25), 0.25);
    EXPECT_EQ(refine_root([](double) { return std::nan(""); }, 0.0, 1.0, 0.25), 0.25);
    EXPECT_EQ(refine_root([](double x) { return x; }, 0.0, 1.0, 0.25), 0.0);
}

}  // namespace
}  // namespace lacon
