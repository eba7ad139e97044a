// Code as it is written: folded, shared, without zeros.
#include <algorithm>

#include "kernel_tests.hpp"

namespace lacon::kernel {
namespace {

struct Writing : testing::Test {
    Code code;
    Value x{code, code.input(0)}, y{code, code.input(1)};
    bool same(const Value& a, const Value& b) { return a.id_in(code) == b.id_in(code); }
};

TEST_F(Writing, ZerosAndOnesOfTheStructureLeaveNoCode) {
    EXPECT_TRUE(same(x * 0.0, 0.0));
    EXPECT_TRUE(same(x + 0.0, x));
    EXPECT_TRUE(same(x * 1.0, x));
    EXPECT_TRUE(same(0.0 - (0.0 - x), x));
    EXPECT_TRUE(same(fma(x, Value(0.0), y), y));
    EXPECT_TRUE(same(Value(0.0) / x, 0.0));
    EXPECT_TRUE(same(choose(Value(1.0), x, y), x));
}

TEST_F(Writing, SignsAreDrawnOutSoThatOppositesAreOneOperation) {
    EXPECT_TRUE(same(x - y, -(y - x)));
    EXPECT_TRUE(same((x - y) * (x - y), (y - x) * (y - x)));
    EXPECT_TRUE(same(x * -2.0, -(x * 2.0)));
    EXPECT_TRUE(same(1.0 + (x - y) * y, 1.0 - (y - x) * y));
    EXPECT_TRUE(same(-x / y, x / -y));
    EXPECT_TRUE(same(abs(x - y), abs(y - x)));
    EXPECT_TRUE(same(-x - y, -(x + y)));
}

TEST_F(Writing, EqualOperationsAreKeptOnce) {
    EXPECT_TRUE(same(x * y, y * x));
    EXPECT_TRUE(same(sin(x + y), sin(y + x)));
    EXPECT_FALSE(same(x - y, y - x));
    EXPECT_FALSE(same((x + y) + 1.0, x + (y + 1.0))) << "sums are not reordered";
}

TEST_F(Writing, NumbersFoldWithoutCode) {
    const Value three = Value(1.0) + 2.0;
    EXPECT_EQ(three.code(), nullptr);
    EXPECT_EQ(three.number(), 3.0);
    EXPECT_EQ(sign_of(Value(-2.0)).number(), -1.0);
}

TEST_F(Writing, TheOrderHasOperandsFirstAndNothingUnneeded) {
    const Value unneeded = exp(x), sum = x + y, product = sum * sum;
    code.outputs = {product.id_in(code), sum.id_in(code)};
    const auto order = code.order();
    EXPECT_EQ(order.size(), 4u);
    EXPECT_EQ(order.back(), product.id_in(code));
    EXPECT_EQ(std::count(order.begin(), order.end(), unneeded.id_in(code)), 0);
}

TEST_F(Writing, ADeepChainDoesNotOverflowTheStack) {
    Value z = x;
    for (int i = 0; i < 300'000; ++i) z = z * y + 1.0;
    code.outputs = {z.id_in(code)};
    EXPECT_EQ(code.order().size(), 2u * 300'000 + 3);
}

}  // namespace
}  // namespace lacon::kernel
