// Families as forms: few expressions for many members.
#include <gtest/gtest.h>

#include <random>

#include "reading.hpp"

/// What families have many of as forms with leaves.
namespace lacon {
namespace {

/// Some expression over the symbols, of a kind that depends on `kind` alone, with numbers that
/// depend on `number`.
Expr made(Graph& g, std::span<const Expr> symbols, unsigned kind, double number) {
    std::mt19937 random(kind);
    std::vector<Expr> stock(symbols.begin(), symbols.end());
    const auto any = [&] { return stock[random() % stock.size()]; };
    for (int i = 0; i < 12; ++i) {
        switch (random() % 7) {
            case 0: stock.push_back(g.add(any(), g.scale(number + 0.5, any()))); break;
            case 1: stock.push_back(g.mul(any(), any())); break;
            case 2: stock.push_back(g.apply(Op::sin, g.add(any(), g.constant(number)))); break;
            case 3: stock.push_back(g.pow(any(), static_cast<int>(random() % 4) - 2)); break;
            case 4:
                stock.push_back(g.apply(Op::sqrt, g.add(g.pow(any(), 2), g.pow(any(), 2))));
                break;
            case 5: stock.push_back(g.pow(any(), g.constant(2.5))); break;
            default: stock.push_back(g.apply(Op::max, any(), g.constant(3.0 * number))); break;
        }
    }
    return stock.back();
}

TEST(Forms, GiveBackTheExpressionsTheyKeep) {
    for (unsigned kind = 0; kind < 300; ++kind) {
        Graph graph;
        std::vector<Expr> symbols;
        for (int i = 0; i < 60; ++i) symbols.push_back(graph.symbol("s" + std::to_string(i)));
        Forms forms;
        for (std::size_t member = 0; member < 50; ++member) {
            const Expr e = made(graph, std::span(symbols).subspan(member, 4), kind,
                                1.25 * static_cast<double>(member) - 7.0);
            const Formula kept = forms.keep(graph, e);
            EXPECT_EQ(to_text(graph, forms.expression(kept, graph)), to_text(graph, e))
                << kind << " " << member;
        }
        EXPECT_LE(forms.size(), 45u) << kind;  // of 50 with other numbers
    }
}

TEST(Forms, OfAFamilyAreFewAndItsExpressionsAreForgotten) {
    const auto chain = [](int N) {
        return read(
            "param N = " + std::to_string(N) +
            ", l = 1\ncoord x[1..N], y[1..N]\nlet P[0] = (0, 0)\nlet P[i] = (x[i], y[i]) for i in "
            "1..N\n"
            "constraint link[i]: norm(P[i] - P[i-1]) = l*(1 + i/7) stabilize 3 2 for i in 1..N\n"
            "start x[i] = i*l + sin(i), y[i] = x[i]^2/i for i in 1..N\n");
    };
    const Model small = chain(100), large = chain(300);
    EXPECT_EQ(small.forms.size(), large.forms.size());
    EXPECT_EQ(large.graph.size() - small.graph.size(),
              200u * 6);  // three symbols a coordinate, and nothing else
    EXPECT_EQ(text(large, large.constraints[250].value),
              text(chain(251), chain(251).constraints[250].value));
    EXPECT_EQ(text(large, large.start[401].value), "x[201]^2/201");
}

TEST(Forms, GiveBackSeveralExpressionsTogether) {
    Graph graph;
    const Expr x = graph.symbol("x"), y = graph.symbol("y");
    Forms forms;
    const Expr both[] = {graph.add(x, graph.mul(x, y)), y, graph.constant(2.5),
                         graph.add(x, graph.mul(x, y))};
    const Formula kept = forms.keep(graph, both);
    EXPECT_EQ(forms.count_of(kept), 4u);
    EXPECT_EQ(forms.expressions(kept, graph), std::vector<Expr>(std::begin(both), std::end(both)));
    EXPECT_NE(forms.keep(graph, std::span(both).first(2)).form, kept.form);
}

/// One statement of each kind, for N members.
std::string all_kinds(int N) {
    return "param N = " + std::to_string(N) +
           ", k = 3, c = 0.1\ncoord x[1..N], y[1..N], z[1..N]\n"
           "particle p[i] at (x[i], y[i]) mass k*(1 + 0.1*i) for i in 1..N\ngravity (0, -k)\n"
           "kinetic (i + 0.5)*z[i]'^2/2 for i in 1..N\n"
           "potential k/2*(norm(p[i] - p[i-1]) - 0.1*i)^2 + cos(i*z[i]) for i in 2..N\n"
           "dissipation c/2*(y[i]' - y[i-1]')^2 for i in 2..N\n"
           "force x[i] = -c*x[i]' + sin(i*t), p[i] = (c*i, -c*p[i].y') for i in 1..N\n"
           "equation z[i]: 2*z[i]'' + k*z[i]*x[i] = i for i in 1..N\n"
           "nonideal y[i] = -c*i*y[i]' for i in 1..N\n"
           "draw line p[i-1] to p[i] + (0, i), circle p[i] radius 0.1*i for i in 2..N\ndraw p[*] "
           "trail\n";
}

TEST(Forms, OfEveryKindOfStatementAreFewAndTheirExpressionsAreForgotten) {
    const Model small = read(all_kinds(100)), large = read(all_kinds(300));
    EXPECT_EQ(small.forms.size(), large.forms.size());
    EXPECT_EQ(large.graph.size() - small.graph.size(),
              200u * 9);  // three symbols a coordinate, and nothing else
    EXPECT_EQ(text(large, large.particles[249].mass), "26*k");
    EXPECT_EQ(text(large, large.potential[248].value),
              text(read(all_kinds(250)), read(all_kinds(250)).potential[248].value));
    EXPECT_EQ(text(large, large.dissipation[248].value), "c*(y[249]' - y[250]')^2/2");
    EXPECT_EQ(text(large, large.forces[249].value), "sin(250*t) - c*x[250]'");
    EXPECT_EQ(texts(large, large.particle_forces[249].value), (Strings{"250*c", "-c*y[250]'"}));
    EXPECT_EQ(text(large, large.equations[249].value), "2*z[250]'' + k*x[250]*z[250] - 250");
    EXPECT_EQ(text(large, large.nonideal[249].value), "-250*c*y[250]'");
    EXPECT_EQ(texts(large, large.drawings[2 * 248].value),
              (Strings{"x[249]", "y[249]", "x[250]", "y[250] + 250"}));
}

TEST(Forms, KeepLongSumsByTheirTerms) {
    const auto springs = [](int N) {
        return read("param N = " + std::to_string(N) +
                    ", k = 2\ncoord x[1..N]\npotential 1 + k/2*sum((x[i] - x[i-1])^2 + 0.1*x[i]^4 "
                    "for i in 2..N)\n"
                    "dissipation sum(sum((x[i]' - x[j]')^2 for j in i-2..i-1) for i in 3..N)\n");
    };
    const Model small = springs(200), large = springs(400);
    EXPECT_EQ(small.forms.size(), large.forms.size());
    EXPECT_EQ(large.graph.size() - small.graph.size(), 200u * 3);
    EXPECT_EQ(large.potential.size() - small.potential.size(),
              2 * 200u);  // of pairs, and of single coordinates
    EXPECT_EQ(large.dissipation.size() - small.dissipation.size(), 2 * 200u);
}

TEST(Forms, LeaveExpressionsThatAreKeptAsSuch) {
    const Model model = read(
        "param k = 2\ncoord x[1..40]\n"
        "constraint c[i]: x[i]^2 = i stabilize 3*k (i + 0.5)*k weight 1/(k + i) for i in 1..40\n"
        "constraint d[i]: x[i] >= i restitution 1/(k*i) for i in 1..40\n");
    for (const std::size_t i : {0u, 7u, 39u}) {
        const std::string number = std::to_string(i + 1);
        EXPECT_EQ(text(model, model.constraints[i].value), "x[" + number + "]^2 - " + number);
        EXPECT_EQ(text(model, *model.constraints[i].right), number);
        EXPECT_EQ(text(model, *model.constraints[i].damping), "3*k");
        EXPECT_EQ(text(model, *model.constraints[i].stiffness), number + ".5*k");
        EXPECT_EQ(text(model, *model.constraints[i].weight), "1/(k + " + number + ")");
    }
    EXPECT_EQ(text(model, *model.constraints[79].restitution), "1/(40*k)");
}

/// Definitions that are first needed by a constraint are evaluated there, and must outlive it.
TEST(Forms, LeaveDefinitionsThatConstraintsAskFor) {
    const Model model = read(
        "coord x[1..9]\nlet n[i] = (i, 2*i) for i in 1..9\nlet u[i] = sin(x[i])' for i in 1..9\n"
        "constraint c[i]: x[n[i].x]*u[i]' = n[i].y for i in 1..9\nconstraint d[i]: u[i] = "
        "x[n[i].x] for i in 1..9\n"
        "output u[9]', u[9]\n");
    EXPECT_EQ(text(model, model.constraints[8].value),
              "x[9]*(cos(x[9])*x[9]'' - sin(x[9])*x[9]'^2) - 18");
    EXPECT_EQ(text(model, model.constraints[17].value), "cos(x[9])*x[9]' - x[9]");
    EXPECT_EQ(text(model, model.outputs[1].value), "cos(x[9])*x[9]'");
    EXPECT_EQ(text(model, model.outputs[0].value), "cos(x[9])*x[9]'' - sin(x[9])*x[9]'^2");
}

TEST(Graph, ReturnsToWhereItWas) {
    Graph graph;
    const Expr x = graph.symbol("x"), y = graph.symbol("y");
    const Expr kept = graph.apply(Op::sin, graph.add(x, y));
    const Graph::Mark mark = graph.mark();
    std::vector<std::uint32_t> first;
    for (int round = 0; round < 3; ++round) {
        std::vector<std::uint32_t> ids;
        for (int i = 0; i < 3000; ++i)
            ids.push_back(graph.mul(graph.scale(i + 0.5, x), graph.pow(y, i % 7 + 1)).id);
        EXPECT_EQ(graph.apply(Op::sin, graph.add(x, y)), kept);
        if (round == 0) first = ids;
        EXPECT_EQ(ids, first);  // the same expressions at the same places
        graph.rollback(mark);
        EXPECT_EQ(graph.size(), mark.nodes);
        EXPECT_EQ(graph.apply(Op::sin, graph.add(x, y)), kept);
    }
}

}  // namespace
}  // namespace lacon
