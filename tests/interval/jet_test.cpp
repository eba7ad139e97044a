// Enclosures of values and rates together.
#include "interval/jet.hpp"

#include <gtest/gtest.h>

namespace lacon {
namespace {

Jet x_in(double low, double high) {
    return Jet::input({low, high}, 0, 2);
}
Jet y_in(double low, double high) {
    return Jet::input({low, high}, 1, 2);
}
void expect_ends(const Interval& found, double low, double high) {
    EXPECT_DOUBLE_EQ(found.low, low);
    EXPECT_DOUBLE_EQ(found.high, high);
}

TEST(Jet, SlopesTakeTheirSharpForms) {
    expect_ends(whole_power(x_in(-1.0, 2.0), 2).rates[0], -2.0, 4.0);
    expect_ends(whole_power(x_in(-1.0, 2.0), 3).rates[0], 0.0, 12.0);
    expect_ends(sqrt(x_in(1.0, 4.0)).rates[0], 0.25, 0.5);
    expect_ends(tanh(x_in(-1.0, 1.0)).rates[0], 1.0 - std::pow(std::tanh(1.0), 2), 1.0);
    expect_ends(tan(x_in(0.0, 1.0)).rates[0], 1.0, 1.0 + std::pow(std::tan(1.0), 2));
    expect_ends(hypot(x_in(3.0, 4.0), y_in(3.0, 4.0)).rates[0], 0.6, 0.8);
    expect_ends(pow(x_in(1.0, 4.0), Jet(1.5)).rates[0], 1.5, 3.0);
}

TEST(Jet, AtABendTheRatesAreThoseOfBothSides) {
    expect_ends(abs(x_in(-1.0, 2.0)).rates[0], -1.0, 1.0);
    const Jet lesser = least(x_in(0.0, 2.0), Jet(3.0) * y_in(0.0, 1.0));
    expect_ends(lesser.rates[0], 0.0, 1.0);
    expect_ends(lesser.rates[1], 0.0, 3.0);
    expect_ends(hypot(x_in(-1.0, 1.0), y_in(-1.0, 1.0)).rates[1], -1.0, 1.0);
}

TEST(Jet, AnUnboundedSlopeLeavesTheValueAsItIs) {
    const Jet root = sqrt(x_in(0.0, 4.0));
    expect_ends(root.value, 0.0, 2.0);
    EXPECT_FALSE(root.rates[0].is_defined());
    expect_ends(root.rates[1], 0.0, 0.0);
    EXPECT_FALSE(asin(x_in(0.0, 1.0)).rates[0].is_defined());
    EXPECT_FALSE(sign_of(x_in(-1.0, 1.0)).rates[0].is_defined());
    const Jet across = atan2(y_in(-1.0, 1.0), x_in(-2.0, -1.0));
    EXPECT_TRUE(across.value.is_defined());
    EXPECT_FALSE(across.rates[1].is_defined());
}

TEST(Jet, AChoiceHasRatesAlongDirectionsItDoesNotDependOn) {
    const Jet x = x_in(-1.0, 1.0), y = y_in(1.0, 2.0);
    const Jet chosen = choose(when_less(x, Jet(0.0)), y, Jet(5.0) * y);
    EXPECT_FALSE(chosen.rates[0].is_defined());
    expect_ends(chosen.rates[1], 1.0, 5.0);
    EXPECT_EQ(chosen.value.smoothness, Smoothness::broken);
    const Jet decided = choose(when_less(x, Jet(2.0)), y, sqrt(x));
    expect_ends(decided.rates[0], 0.0, 0.0);
    expect_ends(decided.rates[1], 1.0, 1.0);
    EXPECT_EQ(decided.value.smoothness, Smoothness::smooth);
}

}  // namespace
}  // namespace lacon
