// The equations as they are shown: with every force in them, and LaTeX in full.
#include "mechanics/explain/explain.hpp"

#include <gtest/gtest.h>

#include "expr/print.hpp"
#include "expr/program.hpp"
#include "expr/tidy.hpp"
#include "lacon/mechanism.hpp"

namespace lacon {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

std::vector<std::string> accelerations(const std::string& model) {
    const Mechanism m = Mechanism::parse(model);
    SymbolicEquations eq = symbolic_equations(m.details());
    std::vector<std::string> texts;
    if (eq.explicit_acceleration)
        for (const Expr e : *eq.explicit_acceleration)
            texts.push_back(to_text(eq.graph, tidy(eq.graph, e)));
    return texts;
}

using Texts = std::vector<std::string>;

TEST(Explain, AccelerationsHaveContactFrictionAndControlInThem) {
    EXPECT_EQ(accelerations("param m = 2, g = 9.81\ncoord y\nparticle P at (0, y) mass m\ngravity "
                            "(0, -g)\nconstraint floor: y >= 0\n"),
              (Texts{"-(m*g - λ[floor])/m"}));
    EXPECT_EQ(accelerations("param m = 2\ncoord x, y\nparticle P at (x, y) mass m\nforce y = -5\n"
                            "constraint floor: y >= 0 friction 0.3\n"),
              (Texts{"c[x]/m", "(λ[floor] + c[y] - 5)/m"}));
    EXPECT_EQ(accelerations("param m = 2\ncoord x\nparticle P at (x, 0) mass m\nforce x = "
                            "-x\ncontrol drive: x = 1 by x gain 2 1\n"),
              (Texts{"-(x - u[x])/m"}));
}

TEST(Explain, ANonidealForceIsInTheEquationOnce) {
    for (const char* on : {"nonideal x = 4*t", "nonideal P = (4*t, 0)"}) {
        const Mechanism m = Mechanism::parse(
            std::string(
                "coord x, y\nparticle P at (x, y) mass 1\nforce x = 7\nconstraint c: y = x^2\n") +
            on + "\n");
        const SymbolicEquations eq = symbolic_equations(m.details());
        EXPECT_EQ(to_text(eq.graph, eq.Q[0]), "7") << on << ": it is c, and not in Q";
        EXPECT_TRUE(eq.c[0].has_value());
        EXPECT_NE(m.explain(false).find("x'' = c[x] - 2*x*λ[c] + 7"), std::string::npos)
            << m.explain(false);
    }
}

TEST(Explain, SaysWhatTheSymbolsAre) {
    const std::string text = Mechanism::parse(
                                 "coord x, y\nparticle P at (x, y) mass 1\ngravity (0, "
                                 "-10)\nconstraint floor: y >= 0 friction 0.3\n")
                                 .explain(false);
    EXPECT_NE(text.find("with λ[floor]: the force of the one-sided constraint 'floor': at least 0, "
                        "and 0 while it is open"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("with c[x]: friction of 'floor' on 'x'"), std::string::npos) << text;
}

std::string chain(int links) {
    std::string q = "coord th[1.." + std::to_string(links) + "]\n";
    return "param g = 9.81\n" + q +
           "let P[0] = (0, 0)\nlet P[i] = P[i-1] + (sin(th[i]), -cos(th[i])) for i in 1.." +
           std::to_string(links) + "\nparticle bead[i] at P[i] mass 1 for i in 1.." +
           std::to_string(links) + "\ngravity (0, -g)\n";
}

TEST(Latex, OfALargeModelIsInFullAndInLines) {
    const std::string latex = Mechanism::parse(chain(20)).explain(true);
    EXPECT_EQ(latex.find("..."), std::string::npos);
    EXPECT_EQ(latex.find("more"), std::string::npos);
    for (std::size_t begin = 0; begin < latex.size();) {
        const std::size_t end = std::min(latex.find('\n', begin), latex.size());
        EXPECT_LT(end - begin, 700u) << latex.substr(begin, end - begin);
        begin = end + 1;
    }
    EXPECT_EQ(count(latex, "\\begin{align*}"), count(latex, "\\end{align*}"));
    EXPECT_GE(count(latex, "\\qquad"), 20u) << "lines that go on";
    const std::string many =
        Mechanism::parse("coord x[1..100]\nkinetic x[i]'^2 for i in 1..100\n").explain(true);
    EXPECT_EQ(count(many, "\\ddot{x}_{100}"), 1u) << "no equation is left out";
    EXPECT_NE(Mechanism::parse("coord x[1..100]\nkinetic x[i]'^2 for i in 1..100\n")
                  .explain(false)
                  .find("and 40 more"),
              std::string::npos);
}

TEST(Latex, LongPartsGetOneNameEach) {
    Graph g;
    std::vector<Arg> terms;
    for (int i = 0; i < 60; ++i)
        terms.push_back({g.apply(Op::sin, g.symbol("angle" + std::to_string(i))), 1.0});
    const Expr sum = g.sum(terms), x = g.symbol("x");
    LatexLines writer(g);
    const auto first = writer.lines(g.mul(x, g.apply(Op::sqrt, sum))),
               again = writer.lines(g.apply(Op::cos, sum));
    EXPECT_EQ(first, (Texts{"x \\, \\sqrt{S_{1}}"}));
    EXPECT_EQ(again, (Texts{"\\cos\\left(S_{1}\\right)"}));
    ASSERT_EQ(writer.abbreviations().size(), 1u);
    EXPECT_GE(writer.abbreviations()[0].lines.size(), 5u);
    std::string all;
    for (const std::string& line : writer.abbreviations()[0].lines) all += line;
    EXPECT_EQ(count(all, "\\sin"), 60u);
}

TEST(Pi, IsKept) {
    Graph g;
    const Expr x = g.symbol("x");
    const auto both = [&](double k) {
        return Texts{to_text(g, g.scale(k, x)), to_latex(g, g.scale(k, x))};
    };
    EXPECT_EQ(both(M_PI), (Texts{"pi*x", "\\pi \\, x"}));
    EXPECT_EQ(both(2 * M_PI), (Texts{"2*pi*x", "2 \\pi \\, x"}));
    EXPECT_EQ(both(M_PI / 6), (Texts{"pi*x/6", "\\frac{\\pi \\, x}{6}"}));
    EXPECT_EQ(both(-3 * M_PI / 4), (Texts{"-3*pi*x/4", "-\\frac{3 \\pi \\, x}{4}"}));
    EXPECT_EQ(both(100 * M_PI)[1], "100 \\pi \\, x");
    EXPECT_EQ(to_latex(g, g.add(x, g.constant(M_PI / 2))), "x + \\frac{\\pi}{2}");
    EXPECT_EQ(to_latex(g, g.apply(Op::sin, g.constant(0.5))),
              to_latex(g, g.constant(std::sin(0.5))))
        << "no number but those";
    EXPECT_EQ(to_text(g, g.constant(3.1415926535)), "3.1415926535");
}

TEST(Pi, OfATextReadsBackAsTheSameNumber) {
    Graph g;
    for (int p = 1; p <= 50; ++p)
        for (int q = 1; q <= 50; ++q) {
            const double x = p * M_PI / q;
            const std::string text = to_text(g, g.constant(x));
            double above = 1.0, below = 1.0;
            const auto slash = text.find('/'), star = text.find('*');
            if (text.find("pi") == std::string::npos) continue;
            if (star != std::string::npos) above = std::stod(text.substr(0, star));
            if (slash != std::string::npos) below = std::stod(text.substr(slash + 1));
            EXPECT_EQ(above * M_PI / below, x) << text;
        }
}

}  // namespace
}  // namespace lacon
