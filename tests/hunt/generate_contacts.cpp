// States with contacts: closed and open ones, resting and sliding ones, more of them than can be
// independent, bodies jammed between walls, rods at which friction presses its own contact.

#include <cmath>

#include "hunt/scene.hpp"

namespace hunt {
namespace {

constexpr double pi = 3.14159265358979323846;

Case at_state(Dice& dice, Model model) {
    Case one{.road = Road::contact_state, .model = std::move(model)};
    if (dice.chance(0.5)) one.plan.wording.shuffle = dice.bits() | 1U;
    if (dice.chance(0.3)) one.plan.wording.names = dice.bits() | 1U;
    one.plan.written_out = dice.chance(0.2);
    return one;
}

void push_at_random(Scene& scene, double size) {
    for (int i = 0; i < scene.model.count(); ++i)
        if (scene.dice.chance(0.6))
            scene.model.push(i, scene.model.c(scene.dice.either_sign(0.1, 1.0) * size));
}

/// One to three bodies, their contacts with lines and with each other.
void add_contacts(Scene& scene, int count, double most_friction) {
    Dice& dice = scene.dice;
    const int bodies = scene.model.count() / 3;
    for (int k = 0; k < count; ++k) {
        const int body = dice.whole(0, bodies - 1);
        const double gap = dice.chance(0.15) ? dice.number(0.1, 0.5) : 0.0;
        const double friction =
            most_friction > 0.0 && dice.chance(0.8) ? dice.number(0.05, most_friction) : -1.0;
        const std::string name = "c" + std::to_string(k);
        if (bodies > 1 && dice.chance(0.3)) {
            const int other = (body + 1) % bodies;
            scene.add(name, scene.discs(body, other, dice.number(0.3, 0.7), gap), friction);
        } else {
            const Vector p = scene.point(body, dice.number(-1.0, 1.0), dice.number(-1.0, 1.0));
            scene.add(name, scene.on_line(p, pi / 2 + dice.number(-1.5, 1.5), gap), friction);
        }
        if (friction >= 0.0 && dice.chance(0.15))
            scene.model.rows.back().at_rest = Dice::rounded(friction * dice.number(1.1, 1.5));
    }
}

Scene bodies(Dice& dice, int most) {
    Scene scene(dice);
    for (int k = dice.whole(1, most); k > 0; --k)
        scene.add_body(dice.number(-2.0, 2.0) + 4.0 * k, dice.number(-2.0, 2.0),
                       dice.number(-1.5, 1.5));
    return scene;
}

}  // namespace

Case contact_state_case(Dice& dice) {
    Scene scene = bodies(dice, 3);
    push_at_random(scene, 20.0);
    const int count = dice.whole(1, 6);
    add_contacts(scene, count, 0.0);
    scene.move(dice.chance(0.3) ? 0.0 : 2.0, std::vector<bool>(6, false));
    return at_state(dice, std::move(scene.model));
}

Case friction_state_case(Dice& dice) {
    Scene scene = bodies(dice, 2);
    push_at_random(scene, 20.0);
    add_contacts(scene, dice.whole(1, 4), dice.one_of<double>({0.5, 1.0, 2.5}));
    std::vector<bool> still;
    for (int k = 0; k < 6; ++k) still.push_back(dice.chance(0.4));
    scene.move(dice.chance(0.3) ? 0.0 : 2.0, still);
    return at_state(dice, std::move(scene.model));
}

/// A body at rest with walls around it: rough ones may hold it whatever pushes, and its forces are
/// not unique.
Case jammed_case(Dice& dice) {
    Scene scene(dice);
    scene.add_body(0.0, 0.0, dice.number(-1.0, 1.0));
    push_at_random(scene, dice.scale(1.0, 1000.0));
    const int count = dice.whole(2, 5);
    for (int k = 0; k < count; ++k) {
        const double around = 2.0 * pi * k / count + dice.number(-0.5, 0.5);
        const Vector p =
            scene.point(0, Dice::rounded(std::cos(around)), Dice::rounded(std::sin(around)));
        const double inward = around + scene.model.q[2] + pi + dice.number(-0.6, 0.6);
        scene.add("c" + std::to_string(k), scene.on_line(p, inward, 0.0),
                  dice.chance(0.8) ? dice.number(0.1, 1.5) : -1.0);
    }
    return at_state(dice, std::move(scene.model));
}

/// Rods whose ends slide or rest on rough lines, with friction strong enough to press its own
/// contact.
Case paradox_case(Dice& dice) {
    Scene scene(dice);
    scene.add_body(0.0, 0.0, dice.number(0.2, 1.5));
    if (dice.chance(0.5)) push_at_random(scene, 30.0);
    const int ends = dice.whole(1, 2);
    for (int k = 0; k < ends; ++k) {
        const double end = k == 0 ? -dice.number(0.5, 1.5) : dice.number(0.5, 1.5);
        scene.add("c" + std::to_string(k),
                  scene.on_line(scene.point(0, end, 0.0), pi / 2 + dice.number(-0.3, 0.3), 0.0),
                  dice.number(0.5, 4.0));
    }
    scene.move(dice.chance(0.3) ? 0.0 : 5.0, std::vector<bool>(2, dice.chance(0.3)));
    return at_state(dice, std::move(scene.model));
}

/// Equations that rub, from both sides: beads on wires, blocks in guides, and slip with a belt.
Case guide_state_case(Dice& dice) {
    Scene scene = bodies(dice, 2);
    push_at_random(scene, 20.0);
    const int count = dice.whole(1, 2);
    add_contacts(scene, count, 1.0);
    for (std::size_t r = 0; r < scene.model.rows.size(); ++r)
        if (scene.is_closed(static_cast<int>(r))) scene.model.rows[r].one_sided = dice.chance(0.3);
    for (auto& row : scene.model.rows)
        if (!row.one_sided && row.rubs()) row.friction = std::min(row.friction, 0.6);
    std::vector<bool> still;
    for (int k = 0; k < 6; ++k) still.push_back(dice.chance(0.4));
    scene.move(2.0, still);
    return at_state(dice, std::move(scene.model));
}

}  // namespace hunt
