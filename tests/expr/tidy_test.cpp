// Tidied expressions: simpler, with the same values.
#include "expr/tidy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/print.hpp"
#include "expr/program.hpp"
#include "random_expression.hpp"

namespace lacon {
namespace {

struct TidyTest : testing::Test {
    Graph g;
    Expr a = g.symbol("a"), b = g.symbol("b"), k = g.symbol("k");
    Expr sin(Expr e) { return g.apply(Op::sin, e); }
    Expr cos(Expr e) { return g.apply(Op::cos, e); }
    std::string tidied(Expr e) { return to_text(g, tidy(g, e)); }
};

TEST_F(TidyTest, ProductsOfWavesBecomeWavesOfSums) {
    EXPECT_EQ(tidied(g.add(g.mul(cos(a), cos(b)), g.mul(sin(a), sin(b)))), "cos(a - b)");
    EXPECT_EQ(tidied(g.sub(g.mul(cos(a), cos(b)), g.mul(sin(a), sin(b)))), "cos(a + b)");
    EXPECT_EQ(tidied(g.add(g.mul(sin(a), cos(b)), g.mul(cos(a), sin(b)))), "sin(a + b)");
    EXPECT_EQ(tidied(g.sub(g.mul(cos(a), sin(b)), g.mul(sin(a), cos(b)))), "-sin(a - b)");
}

TEST_F(TidyTest, TermsThatCancelAfterMultiplyingOutVanish) {
    EXPECT_EQ(tidied(g.sub(g.mul(k, g.add(a, b)), g.mul(k, a))), "b*k");
    EXPECT_EQ(tidied(g.mul(k, g.add(g.div(a, k), g.div(b, k)))), "a + b");
}

TEST_F(TidyTest, CommonFactorsComeToTheFront) {
    EXPECT_EQ(tidied(g.add(g.mul(g.pow(k, 2), a), g.mul(g.pow(k, 2), b))), "k^2*(a + b)");
}

TEST_F(TidyTest, KeepsTheValueOfRandomExpressions) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform(-1.2, 1.2);
    for (int trial = 0; trial < 300; ++trial) {
        Graph h;
        const std::vector<Expr> symbols{h.symbol("x"), h.symbol("y"), h.symbol("z")};
        const Expr e = random_expression(h, symbols, random, 5);
        const Expr both[] = {e, tidy(h, e)};
        const Program program(h, symbols, both);
        std::vector<double> x(3), slots(program.slot_count()), out(2);
        for (double& v : x) v = uniform(random);
        program.run<double>(x, slots, out);
        ASSERT_NEAR(out[0], out[1], 1e-10 * (1.0 + std::abs(out[0])))
            << "trial " << trial << ": " << to_text(h, e);
    }
}

}  // namespace
}  // namespace lacon
