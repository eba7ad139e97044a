// Motions with friction whose modes are known: blocks pulled, carried by a belt and stacked, beads
// on a wire.

#include <cmath>

#include "hunt/scene.hpp"
#include "hunt/tape.hpp"

namespace hunt {

/// A plan that contacts allow, and rows that can be compared.
Case contact_motion_of(Dice& dice, Model model, double end) {
    model.end = Dice::rounded(end);
    Case one{.road = Road::contact_motion, .model = std::move(model)};
    one.plan.method = dice.one_of<std::string>({"auto", "auto", "taylor", "dop853"});
    one.plan.tolerance = dice.one_of<double>({1e-10, 1e-9, 1e-11});
    if (dice.chance(0.3)) one.plan.wording.shuffle = dice.bits() | 1U;
    if (dice.chance(0.3)) one.plan.wording.names = dice.bits() | 1U;
    one.plan.interpret = true;
    return one;
}

/// A particle in the plane on a curve y >= f(x), or held to it.
void add_curve(Model& model, const std::string& name, const Term& height, double friction,
               bool one_sided) {
    Model::Row row{name, 0, model.x(1).node, height.node, one_sided, 0.0};
    if (friction >= 0.0) {
        row.friction = friction;
        row.on = "p";
    }
    model.rows.push_back(row);
}

void start_on_curve(Model& model, double speed) {
    const int height = model.rows[0].right;
    Tape tape(*model.tree, {height, model.tree->derivative(height, model.x(0).node)}, {});
    tape.evaluate({Real(0.0), {Real(model.q[0]), Real(0.0)}, {Real(0.0), Real(0.0)}});
    model.q[1] = tape[0].nearest();
    model.v = {speed, (tape[1] * speed).nearest()};
}

namespace {

Model block(Dice& dice, double friction) {
    Model model;
    model.add_coordinate("x", 0.0, 0.0);
    model.add_coordinate("y", 0.0, 0.0);
    model.particles.push_back({"p", {model.x(0).node, model.x(1).node}, dice.number(0.5, 3.0)});
    model.gravity = {0.0, -9.81};
    add_curve(model, "floor", model.c(0.0), friction, true);
    if (dice.chance(0.5)) model.rows[0].slip = model.v_of(0).node;
    if (dice.chance(0.3)) model.rows[0].at_rest = Dice::rounded(friction * dice.number(1.1, 1.6));
    return model;
}

}  // namespace

/// A force k t at an angle: it slips at k t (cos + μ sin) = μ m g, then x grows with the third
/// power of time.
Case pulled_case(Dice& dice) {
    const double friction = dice.number(0.1, 1.0);
    Model model = block(dice, friction);
    const double angle = dice.number(-0.6, 1.2), k = dice.scale(0.5, 20.0),
                 side = dice.chance(0.5) ? 1.0 : -1.0;
    model.push(0, (side * k * std::cos(angle)) * model.t());
    model.push(1, (k * std::sin(angle)) * model.t());
    const double pull = std::cos(angle) + friction * std::sin(angle);
    const double onset = pull > 0.05 ? friction * 9.81 * model.particles[0].mass / (k * pull) : 1.0;
    return contact_motion_of(dice, std::move(model), std::min(onset * dice.number(1.1, 2.0), 8.0));
}

Case belt_case(Dice& dice) {
    const double friction = dice.number(0.1, 0.8), belt = dice.either_sign(0.2, 2.0);
    Model model = block(dice, friction);
    model.rows[0].slip = (model.v_of(0) - belt).node;
    model.add(Kind::potential, dice.number(1.0, 10.0) * power(model.x(0), 2.0));
    // With one coefficient and no damping a swing comes back to the belt's speed exactly where it
    // left it, and only touches it.
    if (dice.chance(0.3) || model.rows[0].at_rest < 0.0)
        model.add(Kind::dissipation, dice.number(0.05, 0.3) * power(model.v_of(0), 2.0));
    if (dice.chance(0.3))
        model.push(0, dice.number(0.5, 5.0) * apply(Op::sin, dice.number(0.5, 4.0) * model.t()));
    if (dice.chance(0.5)) model.v[0] = belt;
    else model.v[0] = dice.number(-1.0, 1.0);
    return contact_motion_of(dice, std::move(model), dice.number(1.0, 6.0));
}

Case stack_case(Dice& dice) {
    Model model;
    for (const char* number : {"1", "2"}) {
        const int x = model.add_coordinate(std::string("x") + number, 0.0,
                                           dice.chance(0.5) ? 0.0 : dice.number(-2.0, 2.0));
        model.add_coordinate(std::string("y") + number, x == 0 ? 0.0 : 1.0, 0.0);
        model.particles.push_back({std::string("p") + number,
                                   {model.x(x).node, model.x(x + 1).node},
                                   dice.number(0.5, 3.0)});
    }
    model.gravity = {dice.chance(0.3) ? dice.number(-3.0, 3.0) : 0.0, -9.81};
    const bool smooth = dice.chance(0.2);
    Model::Row floor{"floor", 0, model.x(1).node, model.c(0.0).node, true, 0.0};
    Model::Row between{"between", 0, (model.x(3) - model.x(1)).node, model.c(1.0).node, true, 0.0};
    if (!smooth) floor.friction = dice.number(0.05, 0.6), floor.slip = model.v_of(0).node;
    between.friction = dice.number(0.05, 0.9), between.slip = (model.v_of(2) - model.v_of(0)).node;
    model.rows = {floor, between};
    model.conservative = true;
    if (dice.chance(0.7)) {
        const Term force = dice.chance(0.5) ? dice.either_sign(1.0, 20.0) * model.t()
                                            : dice.number(2.0, 30.0) *
                                                  apply(Op::sin, dice.number(0.5, 4.0) * model.t());
        model.push(dice.chance(0.5) ? 0 : 2, force);
        model.conservative = false;
    } else if (smooth && model.gravity[0] == 0.0) {
        model.conserved.push_back(
            (model.particles[0].mass * model.v_of(0) + model.particles[1].mass * model.v_of(2))
                .node);
    }
    return contact_motion_of(dice, std::move(model), dice.number(0.5, 3.0));
}

/// A chain of masses and springs, each with dry friction of its own. The oracle has a particle on a
/// floor beside each, which presses with a force of 1.
Case dry_case(Dice& dice) {
    Model model;
    const int count = dice.chance(0.4) ? 1 : dice.chance(0.6) ? 2 : 3;
    std::vector<int> masses;
    for (int i = 1; i <= count; ++i) {
        const std::string number = std::to_string(i);
        const bool rests = dice.chance(0.5);
        const int x = model.add_coordinate("x" + number, rests ? 0.0 : dice.number(-1.0, 1.0),
                                           rests ? 0.0 : dice.number(-2.0, 2.0));
        const int y = model.add_coordinate("y" + number, 0.0, 0.0);
        masses.push_back(x);
        model.add(Kind::kinetic, dice.number(0.2, 2.0) * power(model.v_of(x), 2.0));
        model.add(Kind::kinetic, 0.5 * power(model.v_of(y), 2.0));
        model.add(Kind::potential, 1.0 * model.x(y));
        Model::Row rub{"rub" + number, 0, model.x(y).node, model.c(0.0).node, true, 0.0};
        rub.friction = dice.scale(0.1, 3.0);
        if (dice.chance(0.3)) rub.at_rest = Dice::rounded(rub.friction * dice.number(1.1, 1.6));
        rub.slip = model.v_of(x).node;
        rub.dry = "x" + number;
        model.rows.push_back(rub);
        if (i > 1)
            model.add(Kind::potential,
                      dice.number(1.0, 20.0) * power(model.x(x) - model.x(masses[0]), 2.0));
        if (dice.chance(0.6))
            model.push(x, dice.chance(0.3) ? dice.number(0.5, 5.0) * model.t()
                                           : dice.number(0.5, 6.0) *
                                                 apply(Op::sin, dice.number(0.5, 3.0) * model.t()));
    }
    if (dice.chance(0.5))
        model.add(Kind::potential, dice.number(0.5, 10.0) * power(model.x(masses[0]), 2.0));
    return contact_motion_of(dice, std::move(model), dice.number(1.0, 5.0));
}

/// Held from both sides, so the load changes its sign on the way.
Case wire_case(Dice& dice) {
    Model model;
    model.add_coordinate("x", dice.number(-1.0, 1.0), 0.0);
    model.add_coordinate("y", 0.0, 0.0);
    model.particles.push_back({"p", {model.x(0).node, model.x(1).node}, dice.number(0.5, 3.0)});
    model.gravity = {0.0, -9.81};
    const Term x = model.x(0);
    const Term height = dice.chance(0.5)
                            ? dice.number(0.2, 1.0) * apply(Op::sin, dice.number(0.5, 2.0) * x)
                            : dice.number(0.2, 0.8) * power(x, 2.0);
    add_curve(model, "wire", height, dice.number(0.05, 0.6), false);
    model.conservative = true;
    start_on_curve(model, dice.chance(0.7) ? dice.number(-4.0, 4.0) : 0.0);
    return contact_motion_of(dice, std::move(model), dice.number(0.5, 3.0));
}

}  // namespace hunt
