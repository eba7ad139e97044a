// How expressions are printed as text and LaTeX.
#include "expr/print.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace lacon {
namespace {

struct PrintTest : testing::Test {
    Graph g;
    Expr m = g.symbol("m"), x = g.symbol("x"), v = g.symbol("x'"), theta = g.symbol("theta");
    std::string text(Expr e) { return to_text(g, e); }
    std::string latex(Expr e) { return to_latex(g, e); }
};

TEST_F(PrintTest, KineticEnergyReadsAsInABook) {
    const Expr T = g.scale(0.5, g.mul(m, g.pow(v, 2)));
    EXPECT_EQ(text(T), "m*x'^2/2");
    EXPECT_EQ(latex(T), "\\frac{m \\, {\\dot{x}}^{2}}{2}");
}

TEST_F(PrintTest, SignsAndFractionsArePlacedAsAPersonWould) {
    EXPECT_EQ(text(g.sub(x, m)), "x - m");
    EXPECT_EQ(text(g.neg(x)), "-x");
    EXPECT_EQ(text(g.sub(g.one(), x)), "1 - x");
    EXPECT_EQ(text(g.div(x, g.mul(m, theta))), "x/(m*theta)");
    EXPECT_EQ(text(g.div(g.one(), x)), "1/x");
    EXPECT_EQ(text(g.scale(1.0 / 3.0, x)), "x/3");
    EXPECT_EQ(text(g.scale(2.0 / 3.0, x)), "(2/3)*x");
    EXPECT_EQ(text(g.mul(m, g.add(x, g.one()))), "m*(x + 1)");
    EXPECT_EQ(text(g.pow(g.neg(x), 3)), "-x^3");
}

TEST_F(PrintTest, FormulasShowTheNumbersThatAreMeant) {
    const double pi = std::numbers::pi;
    EXPECT_EQ(latex(g.scale(pi / 7.0, x)), "\\frac{\\pi \\, x}{7}");
    EXPECT_EQ(latex(g.scale(3.0 * pi / 11.0, x)), "\\frac{3 \\pi \\, x}{11}");
    EXPECT_EQ(latex(g.constant(pi / 13.0)), "\\frac{\\pi}{13}");
    EXPECT_EQ(latex(g.scale(6.0 * 9.81, x)), "58.86 \\, x");
    EXPECT_EQ(latex(g.scale(0.1 + 0.2, x)), "0.3 \\, x");
    EXPECT_EQ(latex(g.scale(1.2345678901234567, x)), "1.2345678901234567 \\, x");
}

TEST_F(PrintTest, FunctionsAndChoicesUseTheLanguage) {
    EXPECT_EQ(text(g.mul(m, g.apply(Op::sin, theta))), "m*sin(theta)");
    EXPECT_EQ(text(g.select(g.apply(Op::less, x, m), x, m)), "if(x < m, x, m)");
    EXPECT_EQ(text(g.pow(x, theta)), "x^theta");
    EXPECT_EQ(text(g.pow(x, g.add(theta, m))), "x^(m + theta)");
}

TEST_F(PrintTest, NamesBecomeLatexSymbols) {
    EXPECT_EQ(latex_name("theta1'"), "\\dot{\\theta}_{1}");
    EXPECT_EQ(latex_name("x[2]''"), "\\ddot{x}_{2}");
    EXPECT_EQ(latex_name("mass"), "\\mathrm{mass}");
    EXPECT_EQ(latex_name("m_a"), "m_{a}");
    EXPECT_EQ(latex_name("ω"), "\\omega");
    EXPECT_EQ(latex_name("m_bob_left2[-1,3]'"), "\\dot{m}_{\\mathrm{bob},\\mathrm{left},2,-1,3}");
    EXPECT_EQ(latex_name("λ[c_1]"), "\\lambda_{c,1}");
    EXPECT_EQ(latex_name("λ[rod[3].x]"), "\\lambda_{\\mathrm{rod},3,x}");
    EXPECT_EQ(latex_name("x_theta"), "x_{\\theta}");
    EXPECT_EQ(latex_name("_u1"), "\\__{u,1}");
}

TEST_F(PrintTest, ATextThatWouldExplodeIsCut) {
    Expr e = x;
    for (int i = 0; i < 100; ++i) e = g.apply(Op::sin, g.add(e, g.mul(e, e)));
    EXPECT_LT(text(e).size(), 10 * print_limit);
}

}  // namespace
}  // namespace lacon
