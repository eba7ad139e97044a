// Controls: requirements on random mechanisms, by all coordinates or by named actuators, with and
// without weights, gains, limits.

#include <algorithm>

#include "hunt/generate.hpp"

namespace hunt {
namespace {

/// A function of coordinates that is required to be a function of time, near to where it is; its
/// slope never vanishes.
void require(Dice& dice, Model& model, int k, bool one_sided) {
    const int n = model.count(), i = k % n, j = (i + 1) % n;
    const Term x = model.x(i), y = model.x(j);
    Term left = x;
    if (n > 1) left = x + dice.number(0.2, 0.6) * (dice.chance(0.5) ? apply(Op::sin, y) : y);
    if (dice.chance(0.3)) left = left + 0.2 * apply(Op::sin, x);
    Term right = model.c(dice.number(-0.5, 0.5));
    if (dice.chance(0.5))
        right = right + dice.number(0.1, 0.5) * apply(Op::sin, dice.number(0.5, 2.0) * model.t());
    Model::Control control{"r" + std::to_string(k), 0, left.node, right.node, {}, one_sided};
    const double rate = dice.number(1.0, 6.0);
    if (!one_sided && dice.chance(0.25)) {
        control.level = 1;
        control.left = (model.v_of(i) + dice.number(0.1, 0.5) * model.v_of(j)).node;
        control.gain = {rate};
    } else {
        control.gain = {2.0 * rate, Dice::rounded(rate * rate)};
        if (one_sided) control.gain[1] = rate * rate;
        else if (dice.chance(0.5))
            control.gain[1] = Dice::rounded(rate * rate * dice.number(0.4, 1.6));
    }
    model.controls.push_back(control);
}

void add_actuators(Dice& dice, Model& model, int count) {
    const bool weighted = dice.chance(0.5);
    for (int k = 0; k < count; ++k) {
        const int i = k % model.count(), j = (i + 1) % model.count();
        Term node = model.x(i);
        if (model.count() > 1 && dice.chance(0.5))
            node = model.x(i) - dice.number(0.1, 0.6) * model.x(j);
        if (k >= model.count())
            node = dice.number(0.5, 2.0) * model.x(i) + dice.number(0.7, 1.5) * model.x(j);
        model.actuators.push_back(
            {"u" + std::to_string(k), node.node, weighted ? dice.number(0.2, 5.0) : 0.0, 0.0});
    }
}

Case controlled(Dice& dice, Model model) {
    model.end = dice.number(0.5, 3.0);
    Case one{.road = Road::control, .model = std::move(model)};
    one.plan.method = dice.one_of<std::string>({"auto", "taylor", "dop853"});
    one.plan.tolerance = dice.one_of<double>({1e-10, 1e-9, 1e-11});
    if (dice.chance(0.3)) one.plan.wording.shuffle = dice.bits() | 1U;
    one.plan.written_out = dice.chance(0.15);
    return one;
}

Model plant(Dice& dice, int rows, int constraints) {
    return smooth_model(dice, {.coordinates = rows + constraints + dice.whole(0, 2),
                               .constraints = constraints,
                               .time = dice.chance(0.4),
                               .dissipation = dice.chance(0.4)});
}

}  // namespace

Case control_case(Dice& dice) {
    const int rows = dice.whole(1, 3), constraints = dice.chance(0.4) ? 1 : 0;
    Model model = plant(dice, rows, constraints);
    for (int k = 0; k < rows; ++k) require(dice, model, k, false);
    // Gauss's measure of redundant efforts has no single least: as many as coordinates then, at
    // most.
    if (dice.chance(0.6))
        add_actuators(dice, model, std::min(model.count(), rows + dice.whole(0, 2)));
    return controlled(dice, std::move(model));
}

Case keep_away_case(Dice& dice) {
    const int rows = dice.whole(1, 3);
    Model model = plant(dice, rows, 0);
    for (int k = 0; k < rows; ++k) require(dice, model, k, k == 0 || dice.chance(0.5));
    if (dice.chance(0.5))
        add_actuators(dice, model, std::min(model.count(), rows + dice.whole(0, 1)));
    return controlled(dice, std::move(model));
}

Case saturation_case(Dice& dice) {
    const int rows = dice.whole(1, 2);
    Model model = plant(dice, rows, 0);
    for (int k = 0; k < rows; ++k) require(dice, model, k, false);
    add_actuators(dice, model, rows);
    for (auto& actuator : model.actuators) {
        actuator.weight = 1.0;
        actuator.limit = dice.scale(0.5, 30.0);
    }
    return controlled(dice, std::move(model));
}

}  // namespace hunt
