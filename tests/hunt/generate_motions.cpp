// Motions without anything narrow: smooth, constrained, there and back, in other units, with
// decisions, between walls.

#include <algorithm>
#include <cmath>

#include "hunt/generate.hpp"

namespace hunt {
namespace {

Case motion_of(Dice& dice, Model model, double longest) {
    model.end = dice.number(0.5, longest);
    Case one{.model = std::move(model)};
    one.plan = random_plan(dice, one.model);
    return one;
}

}  // namespace

Case motion_case(Dice& dice) {
    const bool quiet = dice.chance(0.5);
    return motion_of(dice,
                     smooth_model(dice, {.coordinates = dice.whole(1, 4),
                                         .time = !quiet && dice.chance(0.7),
                                         .dissipation = !quiet}),
                     6.0);
}

Case constrained_case(Dice& dice) {
    const int rows = dice.whole(1, 2);
    return motion_of(dice,
                     smooth_model(dice, {.coordinates = rows + dice.whole(1, 2),
                                         .constraints = rows,
                                         .time = dice.chance(0.4),
                                         .dissipation = dice.chance(0.3),
                                         .velocity_rows = dice.chance(0.3),
                                         .acceleration_rows = dice.chance(0.2)}),
                     4.0);
}

Case reversed_case(Dice& dice) {
    const int rows = dice.whole(0, 1);
    Case one = motion_of(dice,
                         smooth_model(dice, {.coordinates = rows + dice.whole(1, 2),
                                             .constraints = rows,
                                             .time = dice.chance(0.5)}),
                         4.0);
    one.plan.back = true;
    one.plan.repeat = 0;
    return one;
}

Case units_case(Dice& dice) {
    const int rows = dice.whole(0, 1);
    Case one = motion_of(dice,
                         smooth_model(dice, {.coordinates = rows + dice.whole(1, 2),
                                             .constraints = rows,
                                             .time = dice.chance(0.5),
                                             .dissipation = dice.chance(0.5)}),
                         4.0);
    Units& units = one.plan.units;
    for (int i = 0; i < one.model.count(); ++i)
        units.length.push_back(std::pow(10.0, dice.whole(-9, 3)));
    units.time = std::pow(10.0, dice.whole(-6, 3));
    units.energy = std::pow(10.0, dice.whole(-6, 6));
    if (one.plan.method == "gauss") one.plan.method = "auto";
    return one;
}

Case switching_case(Dice& dice) {
    Model model =
        smooth_model(dice, {.coordinates = dice.whole(1, 3), .dissipation = dice.chance(0.5)});
    for (int k = dice.whole(1, 2); k > 0; --k) {
        const int i = dice.whole(0, model.count() - 1);
        const Term x = model.x(i) - dice.number(-0.5, 0.5), zero = model.c(0.0);
        const double size = dice.number(0.5, 4.0);
        switch (dice.whole(0, 4)) {
            case 0: model.add(Kind::potential, size * power(apply(Op::max, x, zero), 2.0)); break;
            case 1: model.add(Kind::potential, size * apply(Op::abs, x)); break;
            case 2:
                model.add(Kind::potential, -(size * apply(Op::min, x, dice.number(0.2, 1.0) * x)));
                break;
            case 3:
                model.push(i, {model.tree.get(),
                               model.tree->make(Op::above, {x.node, zero.node, model.c(size).node,
                                                            model.c(-0.5).node})});
                model.conservative = false;
                break;
            default:
                model.push(i, dice.number(0.1, 0.5) * apply(Op::abs, model.v_of(i)));
                model.conservative = false;
        }
    }
    return motion_of(dice, std::move(model), 4.0);
}

Case walls_case(Dice& dice) {
    Model model =
        smooth_model(dice, {.coordinates = dice.whole(1, 3), .dissipation = dice.chance(0.3)});
    const double elastic = dice.number(0.5, 1.0);
    const Term x = model.x(0);
    model.v[0] = dice.either_sign(1.0, 4.0);
    model.rows.push_back({"low", 0, x.node, model.c(-dice.number(1.05, 1.5)).node, true, elastic});
    if (dice.chance(0.5))
        model.rows.push_back(
            {"high", 0, (-x).node, model.c(-dice.number(1.05, 1.5)).node, true, elastic});
    model.narrow.push_back({(power(x, 2.0) - 1.2).node, 1.0});
    model.conservative = false;
    Case one = motion_of(dice, std::move(model), 3.0);
    one.plan.repeat = 0;
    one.plan.solver = "auto";
    one.plan.method = dice.one_of<std::string>(
        {"auto", "taylor", "dop853", "dopri5"});  // those that contacts allow
    return one;
}

Case events_case(Dice& dice) {
    Model model =
        smooth_model(dice, {.coordinates = dice.whole(1, 3), .dissipation = dice.chance(0.5)});
    const int n = model.count();
    for (int k = dice.whole(1, 3); k > 0; --k) {
        const Term x = model.x(dice.whole(0, n - 1)), v = model.v_of(dice.whole(0, n - 1));
        const std::vector<Term> choices{
            x - dice.number(-0.6, 0.6), v, x * v - dice.number(-0.3, 0.3),
            apply(Op::sin, dice.number(2.0, 9.0) * x), x - dice.number(0.1, 0.5) * model.t()};
        model.events.push_back({"e" + std::to_string(k), dice.one_of(choices).node});
    }
    Case one = motion_of(dice, std::move(model), 5.0);
    one.plan.ensemble = false;
    if (one.plan.method == "gauss") one.plan.method = "auto";
    return one;
}

/// An angle that is wrapped: its jump at the cut is no event.
Case wrapped_case(Dice& dice) {
    Model model;
    const double radius = dice.number(0.5, 2.0), angle = dice.number(-3.0, 3.0),
                 rate = dice.either_sign(1.0, 4.0);
    const int x =
        model.add_coordinate("x", radius * std::cos(angle), -radius * std::sin(angle) * rate);
    const int y =
        model.add_coordinate("y", radius * std::sin(angle), radius * std::cos(angle) * rate);
    model.particles.push_back({"bob", {model.x(x).node, model.x(y).node}, 1.0});
    model.gravity = {0.0, dice.number(-2.0, 0.0)};
    model.require("rod", apply(Op::hypot, model.x(x), model.x(y)), model.c(radius));
    const Term turned = apply(Op::atan2, dice.chance(0.5) ? model.x(x) : -model.x(x),
                              dice.chance(0.5) ? model.x(y) : -model.x(y));
    model.events.push_back({"turn", (turned - dice.number(-2.0, 2.0)).node});
    Case one = motion_of(dice, std::move(model), 4.0);
    one.plan.ensemble = false;
    one.plan.solver = "auto";  // the sparse solve refuses events that jump
    one.plan.repeat = 0;
    one.plan.written_out = false;
    if (one.plan.method == "gauss") one.plan.method = "auto";
    return one;
}

}  // namespace hunt
