// Something narrow in a long quiet run: in time (pulses, windows, kicks, ramps, signals) and on the
// path (barriers, roads, thin obstacles). Its effect is never small.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hunt/generate.hpp"

namespace hunt {
namespace {

/// An oscillator or a free particle, at rest or moving; sometimes a second coordinate that follows
/// it.
Model quiet_model(Dice& dice, double span) {
    Model model;
    const bool resting = dice.chance(0.3);
    const double frequency = dice.scale(6.0 / span, 1.0);
    model.add_coordinate("x", resting ? 0.0 : dice.number(-1.0, 1.0),
                         resting ? 0.0 : dice.number(-1.0, 1.0));
    model.add(Kind::kinetic, 0.5 * power(model.v_of(0), 2.0));
    if (dice.chance(0.8))
        model.add(Kind::potential,
                  Dice::rounded(0.5 * frequency * frequency) * power(model.x(0), 2.0));
    if (dice.chance(0.3))
        model.add(Kind::dissipation, dice.scale(0.01, 0.2) * power(model.v_of(0), 2.0));
    if (dice.chance(0.3)) {
        model.add_coordinate("y", 0.0, 0.0);
        model.add(Kind::kinetic, power(model.v_of(1), 2.0));
        model.add(Kind::potential, dice.number(0.1, 1.0) * power(model.x(1) - model.x(0), 2.0));
    }
    model.end = span;
    return model;
}

Case narrow_case(Dice& dice, Model model) {
    Case one{.model = std::move(model)};
    static const std::vector<std::string> methods{"auto",   "auto",  "taylor", "dop853",
                                                  "dopri5", "adams", "bdf"};
    one.plan.method = dice.one_of(methods);
    if (one.plan.method == "bdf" || one.plan.method == "dopri5") one.plan.tolerance = 1e-7;
    one.plan.interpret = dice.chance(0.7);
    one.plan.ensemble = one.plan.method != "adams" && one.plan.method != "bdf" &&
                        one.model.tables.empty() && dice.chance(0.15);
    return one;
}

Term gaussian(const Term& x, double width) {
    return apply(Op::exp, -power(x / width, 2.0));
}

/// A bump of zeros, points and zeros; natural splines through it swing little.
Table bump_table(Dice& dice, const std::string& name, double from, double to, double width) {
    Table table{.name = name, .x = {from}, .y = {0.0}};
    const double centre = dice.number(from + 0.3 * (to - from), from + 0.7 * (to - from)),
                 height = dice.either_sign(0.3, 1.0);
    const auto add = [&](double x, double y) {
        table.x.push_back(Dice::rounded(x, 6));
        table.y.push_back(Dice::rounded(y));
    };
    for (int k = 1; k < 4; ++k) add(from + (centre - 2.0 * width - from) * k / 4.0, 0.0);
    for (int k = -8; k <= 8; ++k)
        add(centre + 0.25 * width * k, std::abs(k) < 8 ? height * std::exp(-0.12 * k * k) : 0.0);
    for (int k = 1; k < 4; ++k)
        add(centre + 2.0 * width + (to - centre - 2.0 * width) * k / 4.0, 0.0);
    add(to, 0.0);
    return table;
}

}  // namespace

Case pulse_case(Dice& dice) {
    const double span = dice.number(10.0, 60.0);
    Model model = quiet_model(dice, span);
    const double width = dice.scale(1e-4, 0.05) * span, centre = dice.number(0.2, 0.8) * span;
    const Term since = model.t() - centre;
    const Term bell = gaussian(since, width);
    switch (dice.whole(0, 2)) {
        case 0: model.push(0, Dice::rounded(dice.either_sign(0.3, 1.0) / width) * bell); break;
        case 1:
            model.add(Kind::potential, Dice::rounded(1.0 / width) * (bell * (model.x(0) - 0.5)));
            break;
        default: {  // a bob held to a support that bumps
            const int y = model.add_coordinate("support", 0.0, 0.0);
            model.add(Kind::kinetic, 0.5 * power(model.v_of(y), 2.0));
            model.add(Kind::potential, dice.number(0.3, 2.0) * power(model.x(y) - model.x(0), 2.0));
            model.require("drive", model.x(y), Dice::rounded(std::min(1.0, 3.0 * width)) * bell);
        }
    }
    model.narrow.push_back({since.node, width});
    return narrow_case(dice, std::move(model));
}

Case window_case(Dice& dice) {
    const double span = dice.number(5.0, 60.0);
    Model model = quiet_model(dice, span);
    const double width = dice.scale(1e-6, 0.03) * span;
    const double a = Dice::rounded(dice.number(0.2, 0.8) * span, 5), b = a + width;
    const Term t = model.t(), size = model.c(Dice::rounded(dice.either_sign(0.3, 1.0) / width));
    const int inside = model.tree->make(
        Op::inside, {t.node, model.c(a).node, model.c(b).node, size.node, model.c(0.0).node});
    model.push(0, {model.tree.get(), inside});
    model.breaks = {a, b};
    return narrow_case(dice, std::move(model));
}

Case kicks_case(Dice& dice) {
    const double span = dice.number(10.0, 40.0), sharp = dice.scale(20.0, 2000.0),
                 rate = dice.number(0.3, 1.5);
    Model model = quiet_model(dice, span);
    const Term phase = rate * model.t() + dice.number(-2.5, 2.5);
    model.push(0, Dice::rounded(dice.number(0.2, 0.5) * std::sqrt(sharp)) *
                      apply(Op::exp, sharp * (apply(Op::cos, phase) - 1.0)));
    model.narrow.push_back({apply(Op::sin, 0.5 * phase).node, 0.7 / std::sqrt(sharp)});
    return narrow_case(dice, std::move(model));
}

Case barrier_case(Dice& dice) {
    Model model;
    const double speed = dice.number(0.5, 3.0), width = dice.scale(0.002, 0.5),
                 far = dice.number(2.0, 8.0);
    model.add_coordinate("x", -far, speed);
    const double energy = 0.5 * speed * speed;
    const double height =
        energy * (dice.chance(0.6) ? dice.number(1.3, 20.0) : dice.either_sign(0.1, 0.8));
    model.add(Kind::kinetic, 0.5 * power(model.v_of(0), 2.0));
    const Term x = model.x(0);
    if (dice.chance(0.5)) {
        model.add(Kind::potential, Dice::rounded(height) * gaussian(x, width));
    } else {  // in the plane, on the way past a post
        model.add_coordinate("y", Dice::rounded(0.3 * width), 0.0);
        model.add(Kind::kinetic, 0.5 * power(model.v_of(1), 2.0));
        model.add(Kind::potential, Dice::rounded(height) *
                                       apply(Op::exp, -((power(x, 2.0) + power(model.x(1), 2.0)) /
                                                        Dice::rounded(width * width))));
    }
    model.narrow.push_back({x.node, width});
    model.end = Dice::rounded(dice.number(1.5, 3.0) * far / speed);
    model.conservative = true;
    return narrow_case(dice, std::move(model));
}

Case ramp_case(Dice& dice) {
    const double span = dice.number(5.0, 30.0), steep = dice.scale(10.0, 1e4);
    Model model = quiet_model(dice, span);
    const bool in_time = dice.chance(0.5);
    if (!in_time) model.v[0] = dice.either_sign(0.5, 1.0);
    const Term at =
        in_time ? model.t() - dice.number(0.2, 0.8) * span : model.x(0) - dice.number(-0.3, 0.3);
    if (in_time) model.push(0, dice.number(0.2, 1.0) * apply(Op::tanh, steep * at));
    else model.push(0, -(dice.number(0.2, 1.0) * apply(Op::tanh, steep * at)));
    model.narrow.push_back({at.node, 1.0 / steep});
    return narrow_case(dice, std::move(model));
}

Case signal_case(Dice& dice) {
    const double span = dice.number(10.0, 60.0), width = dice.scale(1e-3, 0.05) * span;
    Model model = quiet_model(dice, span);
    model.tables.push_back(bump_table(dice, "signal", -1.0, Dice::rounded(1.1 * span), width));
    const Term value{model.tree.get(), model.tree->make(Op::spline, {model.t().node})};
    model.push(0, Dice::rounded(1.0 / width) * value);
    for (const double time : model.tables[0].x)
        if (time > 0.0 && time < span) model.breaks.push_back(time);
    return narrow_case(dice, std::move(model));
}

Case road_case(Dice& dice) {
    Model model;
    const double speed = dice.number(1.0, 20.0), length = speed * dice.number(3.0, 10.0),
                 width = dice.scale(0.05, 2.0);
    const int x = model.add_coordinate("x", 0.0, speed), y = model.add_coordinate("y", 0.0, 0.0);
    model.add(Kind::kinetic, 0.5 * power(model.v_of(x), 2.0) + 0.5 * power(model.v_of(y), 2.0));
    model.tables.push_back(bump_table(dice, "road", -1.0, Dice::rounded(1.1 * length), width));
    const Term height{model.tree.get(), model.tree->make(Op::spline, {model.x(x).node})};
    model.push(y, -(dice.number(5.0, 50.0) * (model.x(y) - height)) -
                      dice.number(0.1, 1.0) * model.v_of(y));
    model.end = Dice::rounded(length / speed);
    double centre = 0.0;
    for (std::size_t k = 0; k < model.tables[0].y.size(); ++k)
        if (model.tables[0].y[k] != 0.0) centre = model.tables[0].x[k];
    model.narrow.push_back({(model.x(x) - centre).node, width});
    return narrow_case(dice, std::move(model));
}

Case thin_wall_case(Dice& dice) {
    Model model;
    const double speed = dice.number(0.5, 3.0), radius = dice.scale(0.003, 0.3),
                 far = dice.number(2.0, 8.0);
    const int x = model.add_coordinate("x", -far, speed),
              y = model.add_coordinate("y", Dice::rounded(dice.number(-0.7, 0.7) * radius), 0.0);
    model.add(Kind::kinetic, 0.5 * power(model.v_of(x), 2.0) + 0.5 * power(model.v_of(y), 2.0));
    const bool post = dice.chance(0.5);
    const Term distance = apply(Op::hypot, model.x(x), model.x(y));
    const Term hump = Dice::rounded(dice.number(2.0, 4.0) * radius) * gaussian(model.x(x), radius);
    const Term left = post ? distance : model.x(y);
    model.rows.push_back({"post", 0, left.node, post ? model.c(radius).node : hump.node, true,
                          dice.number(0.5, 1.0)});
    if (!post) model.q[1] = radius;
    model.narrow.push_back({model.x(x).node, 0.3 * radius});
    model.end = Dice::rounded(dice.number(1.5, 2.5) * far / speed);
    Case one = narrow_case(dice, std::move(model));
    if (one.plan.method == "adams" || one.plan.method == "bdf")
        one.plan.method = "auto";  // they are not for contacts
    return one;
}

}  // namespace hunt
