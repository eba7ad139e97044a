// Smooth random models: energies that keep motions bounded, constraints that hold at the start by
// the way their right sides are chosen.

#include "hunt/equations.hpp"
#include "hunt/generate.hpp"

namespace hunt {

Term random_function(Dice& dice, const Term& x) {
    const double k = dice.number(0.4, 2.0);
    switch (dice.whole(0, 9)) {
        case 0: return apply(Op::sin, k * x);
        case 1: return apply(Op::cos, k * x);
        case 2: return apply(Op::tanh, k * x);
        case 3: return apply(Op::exp, -(k * power(x, 2.0)));
        case 4: return apply(Op::sqrt, power(x, 2.0) + k);
        case 5: return apply(Op::atan, k * x);
        case 6: return apply(Op::log, power(x, 2.0) + (1.0 + k));
        case 7: return x / (power(x, 2.0) + (1.0 + k));
        case 8: return power(x, 2.0) / 4.0;
        default: return lift(x, 1.0) / (apply(Op::sin, x) + (1.5 + k));
    }
}

namespace {

/// Σ ½ (m + f(q)²) q'² + a weak coupling: definite whatever q is.
void add_kinetic(Dice& dice, Model& model) {
    const int n = model.count();
    for (int i = 0; i < n; ++i) {
        Term mass = model.c(dice.number(0.5, 3.0));
        if (dice.chance(0.5))
            mass = mass + power(random_function(dice, model.x(dice.whole(0, n - 1))), 2.0);
        model.add(Kind::kinetic, 0.5 * (mass * power(model.v_of(i), 2.0)));
        if (i == 0 || dice.chance(0.5)) continue;
        const Term angle = model.x(i) - model.x(i - 1);
        model.add(Kind::kinetic, dice.number(0.05, 0.3) *
                                     (apply(Op::cos, angle) * (model.v_of(i) * model.v_of(i - 1))));
    }
}

void add_particles(Dice& dice, Model& model) {
    const int n = model.count();
    for (int i = 0; i < n; i += 2) {
        std::vector<int> at{model.x(i).node};
        if (i + 1 < n) at.push_back(model.x(i + 1).node);
        else at.push_back(random_function(dice, model.x(i)).node);
        model.particles.push_back({"p" + std::to_string(i), at, dice.number(0.5, 3.0)});
    }
    if (dice.chance(0.7)) model.gravity = {dice.number(-1.0, 1.0), dice.number(-9.8, -1.0)};
}

void add_potential(Dice& dice, Model& model) {
    const int n = model.count();
    for (int i = 0; i < n; ++i)
        model.add(Kind::potential,
                  dice.number(0.5, 4.0) * power(model.x(i) - dice.number(-0.5, 0.5), 2.0));
    for (int k = dice.whole(0, n); k > 0; --k)
        model.add(
            Kind::potential,
            dice.number(0.2, 1.5) *
                random_function(dice, model.x(dice.whole(0, n - 1)) -
                                          dice.number(0.3, 1.0) * model.x(dice.whole(0, n - 1))));
}

void add_forces(Dice& dice, Model& model, const Wishes& wishes) {
    const int n = model.count();
    if (wishes.dissipation) {
        for (int i = 0; i < n; ++i)
            if (dice.chance(0.6))
                model.add(Kind::dissipation, dice.number(0.05, 0.5) * power(model.v_of(i), 2.0));
        const int i = dice.whole(0, n - 1);
        model.push(i,
                   dice.number(0.1, 1.0) * (random_function(dice, model.x(dice.whole(0, n - 1))) *
                                            model.v_of(dice.whole(0, n - 1))));
    }
    if (!wishes.time) return;
    for (int k = dice.whole(1, 2); k > 0; --k)
        model.push(dice.whole(0, n - 1),
                   dice.number(0.2, 2.0) *
                       apply(Op::sin, dice.number(0.5, 3.0) * model.t() + dice.number(0.0, 3.0)));
}

Term random_row(Dice& dice, Model& model, const Wishes& wishes) {
    const int n = model.count(), i = dice.whole(0, n - 1),
              j = (i + dice.whole(1, std::max(1, n - 1))) % n;
    const Term x = model.x(i), y = model.x(j);
    const Term drive =
        wishes.time && dice.chance(0.5)
            ? dice.number(0.1, 0.5) * apply(Op::sin, dice.number(0.5, 2.0) * model.t())
            : model.c(0.0);
    switch (n == 1 ? 3 : dice.whole(0, 4)) {
        case 0:
            return apply(Op::hypot, x + dice.number(1.5, 3.0), y + dice.number(-1.0, 1.0)) + drive;
        case 1: return y - dice.number(0.3, 1.0) * random_function(dice, x) + drive;
        case 2: return dice.number(0.5, 2.0) * x - dice.number(0.5, 2.0) * y + drive;
        case 3: return x + 0.2 * apply(Op::sin, x) + drive;
        default: return power(x + 2.0, 2.0) + dice.number(0.5, 2.0) * power(y - 1.0, 2.0) + drive;
    }
}

/// The row with its right side such that it holds at the start.
void add_row(Model& model, const std::string& name, const Term& left, int level) {
    Tape tape(*model.tree, {left.node}, model.tables);
    tape.evaluate({Real(model.begin), Reals(model.q.begin(), model.q.end()),
                   Reals(model.v.begin(), model.v.end())});
    model.require(name, left, model.c(tape[0].nearest()), level);
}

void add_rows(Dice& dice, Model& model, const Wishes& wishes) {
    const int n = model.count();
    for (int k = 0; k < wishes.constraints; ++k) {
        const std::string name = "c" + std::to_string(k);
        const int i = dice.whole(0, n - 1), j = (i + 1) % n;
        if (n > 1 && wishes.velocity_rows && dice.chance(0.4)) {
            if (dice.chance(0.5)) {
                model.require(name, model.v_of(j),
                              random_function(dice, model.x(i)) * model.v_of(i), 1);
            } else {
                model.v[static_cast<std::size_t>(i)] = 1.0;
                add_row(model, name, power(model.v_of(i), 2.0) + power(model.v_of(j), 2.0), 1);
            }
        } else if (n > 1 && wishes.acceleration_rows && dice.chance(0.3)) {
            model.require(name, model.a_of(i) + dice.number(0.2, 1.0) * model.a_of(j),
                          -(dice.number(0.5, 2.0) * model.x(i)), 2);
        } else {
            add_row(model, name, random_row(dice, model, wishes), 0);
        }
    }
}

}  // namespace

Model smooth_model(Dice& dice, const Wishes& wishes) {
    static const std::vector<std::string> names{"x", "y", "z", "u", "w", "r", "s", "p"};
    Model model;
    for (int i = 0; i < wishes.coordinates; ++i)
        model.add_coordinate(names[static_cast<std::size_t>(i)], dice.number(-1.0, 1.0),
                             dice.number(-1.0, 1.0));
    if (dice.chance(0.5)) add_kinetic(dice, model);
    else add_particles(dice, model);
    add_potential(dice, model);
    add_forces(dice, model, wishes);
    add_rows(dice, model, wishes);
    model.conservative =
        !wishes.dissipation && !wishes.time && !wishes.acceleration_rows && !wishes.velocity_rows;
    return model;
}

Plan random_plan(Dice& dice, const Model& model) {
    static const std::vector<std::string> methods{"auto",   "taylor", "taylor", "dop853",
                                                  "dopri5", "gauss",  "adams",  "bdf"};
    Plan plan;
    plan.method = dice.one_of(methods);
    plan.tolerance = plan.method == "bdf" || plan.method == "dopri5"
                         ? dice.one_of<double>({1e-6, 1e-8})
                         : dice.one_of<double>({1e-10, 1e-10, 1e-8, 1e-12});
    plan.interpret = dice.chance(0.6);
    if (dice.chance(0.3)) plan.wording.shuffle = dice.bits() | 1U;
    if (dice.chance(0.3)) plan.wording.names = dice.bits() | 1U;
    plan.written_out = dice.chance(0.15) && model.tables.empty();
    if (dice.chance(0.3) && !model.rows.empty() && model.tables.empty())
        plan.repeat = dice.bits() | 1U;
    if (dice.chance(0.15) && plan.method != "gauss" && plan.method != "bdf" &&
        model.tables.empty()) {
        plan.solver = "sparse";
        plan.method = "auto";
    }
    const bool by_lanes = plan.method == "auto" || plan.method == "taylor" ||
                          plan.method == "dop853" || plan.method == "dopri5";
    plan.ensemble = by_lanes && plan.solver == "auto" && dice.chance(0.15);
    return plan;
}

}  // namespace hunt
