// Where an expression is smooth, bent or broken over a box.
#include <gtest/gtest.h>

#include "interval/jet.hpp"

namespace lacon {
namespace {

using enum Smoothness;

Jet moving(double low, double high) {
    return Jet::input({low, high}, 0, 1);
}

TEST(Smoothness, AbsAndMinBendOnlyWhereTheyTurn) {
    EXPECT_EQ(abs(Interval(-1.0, 2.0)).smoothness, lipschitz);
    EXPECT_EQ(abs(Interval(0.0, 2.0)).smoothness, lipschitz);
    EXPECT_EQ(abs(Interval(-3.0, -2.0)).smoothness, smooth);
    EXPECT_EQ(least(Interval(0.0, 2.0), Interval(1.0, 3.0)).smoothness, lipschitz);
    EXPECT_EQ(least(Interval(0.0, 1.0), Interval(1.0, 3.0)).smoothness, lipschitz);
    EXPECT_EQ(greatest(Interval(0.0, 2.0), Interval(1.0, 3.0)).smoothness, lipschitz);
}

TEST(Smoothness, RootsAndArcsHaveUnboundedSlopesAtTheirEnds) {
    EXPECT_EQ(sqrt(Interval(0.0, 1.0)).smoothness, continuous);
    EXPECT_EQ(sqrt(Interval(0.1, 1.0)).smoothness, smooth);
    EXPECT_EQ(asin(Interval(0.0, 1.0)).smoothness, continuous);
    EXPECT_EQ(acos(Interval(-1.0, 0.0)).smoothness, continuous);
    EXPECT_EQ(acos(Interval(-0.9, 0.9)).smoothness, smooth);
    EXPECT_EQ(pow(Interval(0.0, 1.0), Interval(0.5)).smoothness, continuous);
    EXPECT_EQ(pow(Interval(0.0, 1.0), Interval(1.5)).smoothness, lipschitz);
    EXPECT_EQ(pow(Interval(-1.0, 1.0), Interval(3.0)).smoothness, smooth);
    EXPECT_EQ(hypot(Interval(-1.0, 1.0), Interval(0.0, 1.0)).smoothness, lipschitz);
    EXPECT_EQ(hypot(Interval(-1.0, 1.0), Interval(0.5, 1.0)).smoothness, smooth);
}

TEST(Smoothness, FloorJumpsAtWholeNumbersAlone) {
    const Interval within = floor(Interval(2.1, 2.9)), across = floor(Interval(-0.5, 1.5));
    EXPECT_EQ(within.low, 2.0);
    EXPECT_EQ(within.high, 2.0);
    EXPECT_EQ(within.smoothness, smooth);
    EXPECT_EQ(across.low, -1.0);
    EXPECT_EQ(across.high, 1.0);
    EXPECT_EQ(across.smoothness, broken);
    EXPECT_EQ(floor(Interval(1.5, 2.0)).smoothness, broken) << "the border belongs to the box";
    EXPECT_EQ(floor(moving(2.1, 2.9)).value.smoothness, smooth);
    EXPECT_EQ(floor(moving(2.0, 2.9)).value.smoothness, broken) << "left of the box it is 1";
    EXPECT_FALSE(floor(Interval::undefined()).is_defined());
}

TEST(Smoothness, WhatIsNotDecidedIsBroken) {
    const Interval undecided = when_less(Interval(0.0, 2.0), Interval(1.0, 3.0));
    EXPECT_EQ(undecided.low, 0.0);
    EXPECT_EQ(undecided.high, 1.0);
    EXPECT_EQ(undecided.smoothness, broken);
    EXPECT_EQ(sign_of(Interval(-1.0, 1.0)).smoothness, broken);
    EXPECT_EQ(sign_of(Interval(0.0, 1.0)).smoothness, broken);
    EXPECT_EQ(sign_of(Interval(0.5, 1.0)).smoothness, smooth);
    const Interval either = choose(undecided, Interval(1.0, 2.0), Interval(5.0));
    EXPECT_EQ(either.low, 1.0);
    EXPECT_EQ(either.high, 5.0);
    EXPECT_EQ(either.smoothness, broken);
    EXPECT_EQ(when_equal(Interval(-1.0, 1.0), Interval(0.0)).smoothness, broken);
}

TEST(Smoothness, ADecidedComparisonIsAConstantWhateverWasCompared) {
    const Interval decided = when_less(abs(Interval(-1.0, 1.0)), Interval(2.0));
    EXPECT_EQ(decided.low, 1.0);
    EXPECT_EQ(decided.high, 1.0);
    EXPECT_EQ(decided.smoothness, smooth);
    EXPECT_EQ(when_equal(Interval(2.0), Interval(2.0)).low, 1.0);
}

TEST(Smoothness, ADecidedChoiceIsNotSpoiltByTheOtherBranch) {
    const Interval chosen = choose(Interval(1.0), Interval(1.0, 2.0), Interval::undefined());
    EXPECT_EQ(chosen.high, 2.0);
    EXPECT_EQ(chosen.smoothness, smooth);
    EXPECT_FALSE(choose(Interval(0.0, 1.0), Interval(1.0), Interval::undefined()).is_defined());
    EXPECT_FALSE(choose(Interval::undefined(), Interval(1.0), Interval(1.0)).is_defined());
    EXPECT_EQ(when_both(Interval(0.0), Interval::undefined()).high, 0.0);
    EXPECT_EQ(when_either(Interval(1.0), Interval::undefined()).low, 1.0);
    EXPECT_FALSE(when_both(Interval(1.0), Interval::undefined()).is_defined());
}

TEST(Smoothness, TheCutOfAtan2IsAJump) {
    EXPECT_EQ(atan2(Interval(-0.1, 0.1), Interval(-2.0, -1.0)).smoothness, broken);
    EXPECT_TRUE(atan2(Interval(-0.1, 0.1), Interval(-2.0, -1.0)).contains(3.14159));
    EXPECT_EQ(atan2(Interval(-0.1, 0.1), Interval(1.0, 2.0)).smoothness, smooth);
    EXPECT_EQ(atan2(Interval(0.1, 0.2), Interval(-2.0, 2.0)).smoothness, smooth);
    EXPECT_FALSE(atan2(Interval(-0.1, 0.1), Interval(-1.0, 1.0)).is_defined());
}

TEST(Smoothness, TheWorstOperandIsCarriedAlong) {
    const Interval bent = abs(Interval(-1.0, 1.0)), rough = sqrt(Interval(0.0, 1.0)),
                   jump = sign_of(Interval(-1.0, 1.0));
    EXPECT_EQ((bent + rough).smoothness, continuous);
    EXPECT_EQ((jump * rough).smoothness, broken);
    EXPECT_EQ(sin(bent).smoothness, lipschitz);
    EXPECT_EQ((Interval(1.0) / (rough + Interval(1.0))).smoothness, continuous);
    EXPECT_EQ(Interval::undefined().smoothness, broken);
}

TEST(Smoothness, ASinglePointWithRatesShowsWhatLiesBesideIt) {
    EXPECT_EQ(abs(moving(0.0, 0.0)).value.smoothness, lipschitz);
    EXPECT_EQ(abs(moving(0.0, 0.0)).rates[0].low, -1.0);
    EXPECT_EQ(sqrt(moving(0.0, 0.0)).value.smoothness, continuous);
    EXPECT_EQ(asin(moving(1.0, 1.0)).value.smoothness, continuous);
    EXPECT_EQ(sign_of(moving(0.0, 0.0)).value.smoothness, broken);
    EXPECT_EQ(least(moving(1.0, 1.0), Jet(1.0)).value.smoothness, lipschitz);
    EXPECT_EQ(hypot(moving(0.0, 0.0), Jet(0.0)).value.smoothness, lipschitz);
    EXPECT_EQ(sqrt(Jet(0.0)).value.smoothness, smooth);
}

}  // namespace
}  // namespace lacon
