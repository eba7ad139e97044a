// Cases at one state: smooth, redundant, semidefinite, with light coordinates, and with rows that
// are almost parallel.

#include <algorithm>

#include "hunt/generate.hpp"

namespace hunt {
namespace {

Case at_state(Dice& dice, Model model) {
    Case one{.road = Road::state, .model = std::move(model)};
    one.t = dice.number(0.0, 3.0);
    if (dice.chance(0.5)) one.plan.wording.shuffle = dice.bits() | 1U;
    if (dice.chance(0.3)) one.plan.wording.names = dice.bits() | 1U;
    one.plan.written_out = dice.chance(0.2);
    return one;
}

Wishes random_wishes(Dice& dice, int constraints) {
    return {.coordinates = std::max(constraints + 1, dice.whole(1, 6)),
            .constraints = constraints,
            .time = dice.chance(0.5),
            .dissipation = dice.chance(0.5),
            .velocity_rows = dice.chance(0.4),
            .acceleration_rows = dice.chance(0.3)};
}

/// Coordinates with mass, each with a partner that a row holds to it; `partner_mass` may be 0.
Model held_model(Dice& dice, const std::function<double()>& partner_mass) {
    Model model;
    const int pairs = dice.whole(1, 3);
    for (int k = 0; k < pairs; ++k) {
        const int x = model.add_coordinate("x" + std::to_string(k), dice.number(-1.0, 1.0),
                                           dice.number(-1.0, 1.0));
        const int y = model.add_coordinate("y" + std::to_string(k), dice.number(-1.0, 1.0),
                                           dice.number(-1.0, 1.0));
        model.add(Kind::kinetic, dice.number(0.5, 2.0) * power(model.v_of(x), 2.0));
        if (const double mass = partner_mass(); mass != 0.0)
            model.add(Kind::kinetic, (0.5 * mass) * power(model.v_of(y), 2.0));
        model.add(Kind::potential, dice.number(0.5, 3.0) *
                                       power(model.x(y) - dice.number(0.2, 1.0) * model.x(x), 2.0));
        model.push(y, dice.scale(0.1, 1000.0) * random_function(dice, model.x(x) + model.x(y)));
        if (k > 0 && dice.chance(0.5))
            model.add(Kind::potential, random_function(dice, model.x(y) - model.x(y - 2)));
        const Term held =
            dice.chance(0.5)
                ? model.x(y) - dice.number(0.3, 1.5) * random_function(dice, model.x(x))
                : apply(Op::hypot, model.x(x) + 2.5, model.x(y) + dice.either_sign(1.5, 2.5));
        model.require("hold" + std::to_string(k), held, model.c(dice.number(0.5, 2.0)));
    }
    return model;
}

}  // namespace

Case state_case(Dice& dice) {
    Case one = at_state(dice, smooth_model(dice, random_wishes(dice, dice.whole(0, 3))));
    one.by_norms = true;
    return one;
}

Case redundant_case(Dice& dice) {
    Case one = at_state(dice, smooth_model(dice, random_wishes(dice, dice.whole(1, 3))));
    one.plan.repeat = dice.bits() | 1U;
    one.by_norms = true;
    return one;
}

Case semidefinite_case(Dice& dice) {
    return at_state(
        dice, held_model(dice, [&] { return dice.chance(0.7) ? 0.0 : dice.number(0.1, 1.0); }));
}

Case light_case(Dice& dice) {
    return at_state(dice, held_model(dice, [&] { return dice.scale(1e-24, 1e-3); }));
}

Case weak_case(Dice& dice) {
    Wishes wishes = random_wishes(dice, 1);
    wishes.coordinates = std::max(3, wishes.coordinates);
    wishes.velocity_rows = wishes.acceleration_rows = false;
    Case one = at_state(dice, smooth_model(dice, wishes));
    one.by_norms = true;
    Model& model = one.model;
    const Model::Row row = model.rows[0];
    const double near = dice.scale(1e-7, 1e-2);
    const Term left{model.tree.get(), row.left};
    int apart = 0;  // a coordinate that the row does not have: at most two are in it
    while (model.tree->contains(row.left, Op::coordinate, apart)) ++apart;
    const Term other =
        model.x(apart) - dice.number(0.5, 2.0) * model.x(dice.whole(0, model.count() - 1));
    model.require("almost", dice.number(0.5, 2.0) * left + near * other,
                  model.c(dice.number(-1.0, 1.0)));
    return one;
}

/// Constraints that hold at some state, and a guess away from it; some values are held.
Case start_case(Dice& dice) {
    const int rows = dice.whole(1, 4);
    const Wishes wishes{.coordinates = rows + dice.whole(0, 2),
                        .constraints = rows};  // at rest all velocities are met
    Case one{.road = Road::start, .model = smooth_model(dice, wishes)};
    Model& model = one.model;
    if (dice.chance(0.5)) one.plan.wording.shuffle = dice.bits() | 1U;
    if (dice.chance(0.3)) one.plan.repeat = dice.bits() | 1U;
    const double away = dice.scale(0.01, 2.0);
    model.held.assign(model.names.size(), false);
    int free = model.count() - rows;  // so many may be held
    for (std::size_t i = 0; i < model.q.size(); ++i) {
        if (free > 0 && dice.chance(0.3)) {
            model.held[i] = true;
            --free;
        } else {
            model.q[i] += dice.either_sign(0.3, 1.0) * away;
        }
    }
    return one;
}

}  // namespace hunt
