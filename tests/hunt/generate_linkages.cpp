// Mechanisms that can be said in two ways: chains and parallelograms in Cartesian coordinates for
// the engine, in angles for the oracle. Families, and four-bars that almost have a singular
// position.

#include <cmath>
#include <numbers>

#include "hunt/generate.hpp"

namespace hunt {
namespace {

struct Chain {
    std::vector<double> length = {}, mass = {}, angle = {}, rate = {};
    double g = 9.81, spring = 0.0;
};

Chain random_chain(Dice& dice, int links) {
    Chain chain{.g = dice.number(1.0, 10.0),
                .spring = dice.chance(0.5) ? dice.number(0.5, 5.0) : 0.0};
    for (int i = 0; i < links; ++i) {
        chain.length.push_back(dice.number(0.4, 1.5));
        chain.mass.push_back(dice.number(0.3, 2.0));
        chain.angle.push_back(dice.number(-1.5, 1.5));
        chain.rate.push_back(dice.number(-1.0, 1.0));
    }
    return chain;
}

/// The spring ties the end of the chain to the point (1, 0.5).
Term spring_of(const Chain& chain, const Term& x, const Term& y) {
    return 0.5 * chain.spring * (power(x - 1.0, 2.0) + power(y - 0.5, 2.0));
}

Model in_angles(const Chain& chain, std::vector<Term>& places) {
    Model model;
    for (std::size_t i = 0; i < chain.length.size(); ++i)
        model.add_coordinate("th" + std::to_string(i + 1), chain.angle[i], chain.rate[i]);
    Term x = model.c(0.0), y = model.c(0.0);
    for (std::size_t i = 0; i < chain.length.size(); ++i) {
        const Term angle = model.x(static_cast<int>(i));
        x = x + chain.length[i] * apply(Op::sin, angle);
        y = y - chain.length[i] * apply(Op::cos, angle);
        model.particles.push_back({"P" + std::to_string(i + 1), {x.node, y.node}, chain.mass[i]});
        places.push_back(x);
        places.push_back(y);
    }
    model.gravity = {0.0, -chain.g};
    if (chain.spring != 0.0) model.add(Kind::potential, spring_of(chain, x, y));
    model.conservative = true;
    return model;
}

Model in_places(const Chain& chain) {
    Model model;
    double x = 0.0, y = 0.0, vx = 0.0, vy = 0.0;
    for (std::size_t i = 0; i < chain.length.size(); ++i) {
        const double s = std::sin(chain.angle[i]), c = std::cos(chain.angle[i]),
                     l = chain.length[i];
        const int k = model.add_coordinate("x" + std::to_string(i + 1), x += l * s,
                                           vx += l * c * chain.rate[i]);
        model.add_coordinate("y" + std::to_string(i + 1), y -= l * c, vy += l * s * chain.rate[i]);
        const Term dx = i == 0 ? model.x(k) : model.x(k) - model.x(k - 2),
                   dy = i == 0 ? model.x(k + 1) : model.x(k + 1) - model.x(k - 1);
        model.particles.push_back(
            {"P" + std::to_string(i + 1), {model.x(k).node, model.x(k + 1).node}, chain.mass[i]});
        model.require("rod" + std::to_string(i + 1), apply(Op::hypot, dx, dy), model.c(l));
    }
    const int last = model.count() - 2;
    model.gravity = {0.0, -chain.g};
    if (chain.spring != 0.0)
        model.add(Kind::potential, spring_of(chain, model.x(last), model.x(last + 1)));
    model.conservative = true;
    return model;
}

void set_end(Case& one, double end) {
    one.model.end = end;
    for (Model& model : one.second) model.end = end;
}

std::string numbers(const std::vector<double>& values) {
    std::string all;
    for (const double value : values) all += (all.empty() ? "" : ", ") + shortest(value);
    return all;
}

}  // namespace

Case chain_case(Dice& dice) {
    const Chain chain = random_chain(dice, dice.whole(1, 3));
    std::vector<Term> places;
    Case one{.model = in_places(chain)};
    one.second.push_back(in_angles(chain, places));
    for (std::size_t k = 0; k < places.size(); ++k)
        one.pairs.push_back({one.model.x(static_cast<int>(k)).node, places[k].node});
    set_end(one, dice.number(0.5, 3.0));
    one.plan = random_plan(dice, one.model);
    return one;
}

/// A parallelogram turns over its flat positions, where its rows depend on each other: the coupler
/// only translates.
Case crossing_case(Dice& dice) {
    const double crank = dice.number(0.5, 2.0), ground = dice.number(0.6, 3.0),
                 m1 = dice.number(0.5, 2.0), m2 = dice.number(0.5, 2.0);
    const double g = dice.number(0.0, 5.0), angle = dice.number(0.5, 2.5);
    const double rate = std::sqrt(2.5 * g / crank) + dice.number(1.0, 3.0);
    const double x = crank * std::cos(angle), y = crank * std::sin(angle);
    Case one;
    Model& model = one.model;
    model.add_coordinate("x1", x, -y * rate);
    model.add_coordinate("y1", y, x * rate);
    model.add_coordinate("x2", ground + x, -y * rate);
    model.add_coordinate("y2", y, x * rate);
    model.particles.push_back({"A", {model.x(0).node, model.x(1).node}, m1});
    model.particles.push_back({"B", {model.x(2).node, model.x(3).node}, m2});
    model.gravity = {0.0, -g};
    model.require("crank", apply(Op::hypot, model.x(0), model.x(1)), model.c(crank));
    model.require("coupler", apply(Op::hypot, model.x(2) - model.x(0), model.x(3) - model.x(1)),
                  model.c(ground));
    model.require("rocker", apply(Op::hypot, model.x(2) - ground, model.x(3)), model.c(crank));
    model.conservative = true;
    Model other;
    const int th = other.add_coordinate("th", angle, rate);
    const Term px = crank * apply(Op::cos, other.x(th)), py = crank * apply(Op::sin, other.x(th));
    other.particles.push_back({"A", {px.node, py.node}, m1});
    other.particles.push_back({"B", {(px + ground).node, py.node}, m2});
    other.gravity = model.gravity;
    one.pairs = {{model.x(0).node, px.node},
                 {model.x(1).node, py.node},
                 {model.x(2).node, (px + ground).node},
                 {model.x(3).node, py.node}};
    one.second.push_back(other);
    set_end(one, Dice::rounded(dice.number(0.5, 2.0) * std::numbers::pi / rate * 2.0));
    one.plan.method = dice.one_of<std::string>({"auto", "taylor", "dop853"});
    one.plan.interpret = dice.chance(0.5);
    return one;
}

/// A four-bar whose rocker is longer than its crank by little: no singular position, but almost.
Case near_miss_case(Dice& dice) {
    Case one;
    Model& model = one.model;
    const double more = dice.scale(1e-9, 1e-2) * (dice.chance(0.8) ? 1.0 : -1.0),
                 crank = dice.number(0.5, 1.5);
    const double ground = crank * dice.number(1.3, 3.0), angle = dice.number(0.7, 2.3),
                 rate = dice.either_sign(1.0, 4.0);
    const double x = crank * std::cos(angle), y = crank * std::sin(angle);
    model.add_coordinate("x1", x, -y * rate);
    model.add_coordinate("y1", y, x * rate);
    model.add_coordinate("x2", ground + x, -y * rate);
    model.add_coordinate("y2", y, x * rate);
    model.particles.push_back({"A", {model.x(0).node, model.x(1).node}, dice.number(0.5, 2.0)});
    model.particles.push_back({"B", {model.x(2).node, model.x(3).node}, dice.number(0.5, 2.0)});
    model.require("crank", apply(Op::hypot, model.x(0), model.x(1)), model.c(crank));
    model.require("coupler", apply(Op::hypot, model.x(2) - model.x(0), model.x(3) - model.x(1)),
                  model.c(ground));
    model.require("rocker", apply(Op::hypot, model.x(2) - ground, model.x(3)),
                  model.c(crank + more));
    model.conservative = true;
    model.end = Dice::rounded(dice.number(0.7, 1.6) * std::numbers::pi / std::abs(rate));
    one.weakest = 1e-40;
    one.plan.method = dice.one_of<std::string>({"auto", "auto", "taylor", "dop853"});
    one.plan.tolerance = dice.one_of<double>({1e-10, 1e-8, 1e-12});
    return one;
}

/// A row of masses on springs, written as families, some held to their neighbours: dense and
/// sparse.
Case family_case(Dice& dice) {
    Case one;
    Model& model = one.model;
    const int N = 2 * dice.whole(2, 10);
    const double k = dice.number(1.0, 10.0), cubic = dice.number(0.0, 2.0),
                 more = dice.number(0.0, 0.3), tie = dice.number(0.2, 1.2);
    const double amplitude = dice.number(0.2, 1.0), damping = dice.number(0.0, 0.3);
    std::vector<Term> x;
    for (int i = 1; i <= N; ++i) {
        model.add_coordinate("x[" + std::to_string(i) + "]", 0.0,
                             Dice::rounded(amplitude * std::sin(i), 15));
        x.push_back(model.x(i - 1));
        const Term mass = model.c(1.0) + more * model.c(static_cast<double>(i));
        model.add(Kind::kinetic, 0.5 * (mass * power(model.v_of(i - 1), 2.0)));
        if (damping != 0.0)
            model.add(Kind::dissipation, 0.5 * damping * power(model.v_of(i - 1), 2.0));
    }
    for (int i = 1; i < N; ++i) {
        const Term stretch = model.x(i) - model.x(i - 1);
        model.add(Kind::potential,
                  0.5 * k * power(stretch, 2.0) + 0.25 * cubic * power(stretch, 4.0));
    }
    for (int i = 1; i <= N / 2; ++i)
        model.require("tie[" + std::to_string(i) + "]", model.x(2 * i - 1),
                      tie * apply(Op::sin, model.x(2 * i - 2)));
    for (int i = 0; i < N; i += 2)
        model.v[static_cast<std::size_t>(i + 1)] = tie * model.v[static_cast<std::size_t>(i)];
    model.end = dice.number(0.5, 2.0);
    std::string starts;
    for (int i = 0; i < N; ++i)
        starts += "start " + model.names[static_cast<std::size_t>(i)] + "' ~ " +
                  numbers({model.v[static_cast<std::size_t>(i)]}) + "\n";
    model.text =
        "param N = " + std::to_string(N) + "\ncoord x[1..N]\nkinetic 0.5*(1 + " + shortest(more) +
        "*i)*x[i]'^2 for i in 1..N\n" +
        (damping != 0.0 ? "dissipation 0.5*" + shortest(damping) + "*x[i]'^2 for i in 1..N\n"
                        : "") +
        "potential 0.5*" + shortest(k) + "*(x[i+1] - x[i])^2 + 0.25*" + shortest(cubic) +
        "*(x[i+1] - x[i])^4 for i in 1..N-1\nconstraint tie[i]: x[2*i] = " + shortest(tie) +
        "*sin(x[2*i-1]) for i in 1..N/2\n" + starts + "simulate 0.." + shortest(model.end) + "\n";
    model.conservative = damping == 0.0;
    one.plan.solver = dice.one_of<std::string>({"auto", "dense", "sparse"});
    one.plan.interpret = dice.chance(0.7);
    return one;
}

}  // namespace hunt
