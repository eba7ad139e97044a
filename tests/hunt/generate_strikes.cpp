// Motions with impacts, flights and landings: bouncing balls, rods and bodies that fall, kinks,
// hills, obstacles just touched.

#include <cmath>

#include "hunt/scene.hpp"

namespace hunt {
namespace {

constexpr double pi = 3.14159265358979323846;

Model particle(Dice& dice, double x, double y) {
    Model model;
    model.add_coordinate("x", x, 0.0);
    model.add_coordinate("y", y, 0.0);
    model.particles.push_back({"p", {model.x(0).node, model.x(1).node}, dice.number(0.5, 3.0)});
    model.gravity = {0.0, -9.81};
    model.conservative = true;
    return model;
}

}  // namespace

Case bounce_case(Dice& dice) {
    Model model;
    const int balls = dice.whole(1, 3);
    double height = 0.0;
    for (int k = 0; k < balls; ++k) {
        height += dice.number(0.3, 1.5);
        const int y = model.add_coordinate("y" + std::to_string(k), Dice::rounded(height),
                                           dice.number(-1.0, 1.0));
        model.particles.push_back(
            {"p" + std::to_string(k), {model.c(0.0).node, model.x(y).node}, dice.number(0.3, 3.0)});
        const Term gap = k == 0 ? model.x(0) : model.x(k) - model.x(k - 1);
        const double elastic = dice.chance(0.3)   ? 1.0
                               : dice.chance(0.3) ? 0.0
                                                  : dice.number(0.3, 0.7);
        model.rows.push_back({"c" + std::to_string(k), 0, gap.node,
                              model.c(k == 0 ? 0.0 : 0.1).node, true, elastic});
    }
    model.gravity = {0.0, -9.81};
    model.conservative = true;
    return contact_motion_of(dice, std::move(model), dice.number(0.5, 2.5));
}

Case falling_case(Dice& dice) {
    Scene scene(dice);
    const double half = dice.number(0.3, 1.5);
    scene.add_body(0.0, 0.0, dice.either_sign(0.2, 0.7) + pi / 2);
    scene.add("floor", scene.on_line(scene.point(0, -half, 0.0), pi / 2, 0.0),
              dice.number(0.05, 1.0));
    scene.move(dice.chance(0.5) ? 0.0 : 1.0, {dice.chance(0.5)});
    scene.model.conservative = true;
    return contact_motion_of(dice, std::move(scene.model), dice.number(0.1, 0.6));
}

Case tumble_case(Dice& dice) {
    Scene scene(dice);
    scene.add_body(0.0, 0.0, dice.number(-1.5, 1.5));
    const int corners = dice.whole(2, 4);
    const bool rough = dice.chance(0.7);
    const double friction = rough ? dice.number(0.05, 0.8) : -1.0,
                 elastic = dice.chance(0.5) ? 0.0 : dice.number(0.3, 0.8);
    std::vector<Vector> points;
    double lowest = 1e9;
    for (int k = 0; k < corners; ++k) {
        const double around = 2.0 * pi * k / corners + dice.number(-0.3, 0.3);
        const double a = Dice::rounded(std::cos(around)), b = Dice::rounded(std::sin(around)),
                     th = scene.model.q[2];
        points.push_back(scene.point(0, a, b));
        lowest = std::min(lowest, a * std::sin(th) + b * std::cos(th));
    }
    scene.model.q[1] = Dice::rounded(dice.number(0.05, 0.5) - lowest);
    for (int k = 0; k < corners; ++k) {  // the floor is y = 0
        const Vector& p = points[static_cast<std::size_t>(k)];
        scene.add("c" + std::to_string(k), {p.y, scene.rate_of(p.x)}, friction, elastic);
    }
    for (double& v : scene.model.v) v = dice.number(-2.0, 2.0);
    scene.model.conservative = true;
    if (!rough) scene.model.conserved.push_back(scene.model.v_of(0).node);
    return contact_motion_of(dice, std::move(scene.model), dice.number(0.3, 1.2));
}

/// Down a ramp onto level ground, or over an edge: it flies off, or goes on along the other side.
Case kink_case(Dice& dice) {
    const double slope = dice.either_sign(0.1, 1.0), speed = dice.number(0.5, 4.0);
    Model model = particle(dice, -dice.number(0.2, 1.0), 0.0);
    const Term x = model.x(0), zero = model.c(0.0);
    const Term height =
        dice.chance(0.5) ? slope * apply(Op::max, -x, zero) : slope * apply(Op::max, x, zero);
    add_curve(model, "ramp", height, dice.chance(0.5) ? dice.number(0.05, 0.5) : -1.0, true);
    start_on_curve(model, speed);
    return contact_motion_of(dice, std::move(model), dice.number(0.5, 1.5));
}

Case hills_case(Dice& dice) {
    Model model = particle(dice, dice.number(-1.0, 1.0), 0.0);
    const Term height = dice.number(0.1, 0.6) *
                        apply(Op::sin, dice.number(1.0, 3.0) * model.x(0) + dice.number(0.0, 3.0));
    add_curve(model, "ground", height, dice.chance(0.6) ? dice.number(0.02, 0.5) : -1.0, true);
    model.rows[0].restitution = dice.chance(0.3) ? dice.number(0.3, 0.8) : 0.0;
    start_on_curve(model, dice.either_sign(0.5, 4.0));
    return contact_motion_of(dice, std::move(model), dice.number(0.5, 2.5));
}

/// A throw whose top is within δ of the top of an obstacle. Below the errors of a run nobody can
/// tell whether it touches, and only the laws are checked.
Case grazing_case(Dice& dice) {
    const double back = dice.number(0.5, 2.0), speed = dice.number(1.0, 4.0), time = back / speed;
    const double beside = dice.either_sign(0.5, 1.0) * dice.scale(1e-12, 1e-1),
                 top = dice.number(0.5, 1.5);
    Model model = particle(dice, -back, 0.0);
    model.q[1] = top + beside - 9.81 * time * time / 2.0;
    model.v = {speed, 9.81 * time};
    const double width = dice.number(0.05, 0.3);
    const Term height = top * apply(Op::exp, -power(model.x(0) / width, 2.0));
    add_curve(model, "obstacle", height, dice.chance(0.5) ? dice.number(0.05, 0.5) : -1.0, true);
    model.rows[0].restitution = dice.chance(0.5) ? dice.number(0.3, 0.9) : 0.0;
    Case one = contact_motion_of(dice, std::move(model), 1.6 * time);
    one.laws_only = std::abs(beside) < 1e-4;
    return one;
}

}  // namespace hunt
