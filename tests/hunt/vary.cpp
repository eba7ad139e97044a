// The same motion, said otherwise: other units, time reversed, constraints said once more.

#include <algorithm>
#include <map>

#include "hunt/case.hpp"
#include "hunt/equations.hpp"

namespace hunt {
namespace {

std::map<int, int> in_units_map(const Model& model, const Units& units) {
    std::map<int, int> by;
    const auto times = [](double factor, const Term& leaf) {
        return factor == 1.0 ? leaf.node : (factor * leaf).node;
    };
    for (int i = 0; i < model.count(); ++i) {
        const double length =
            units.length.empty() ? 1.0 : units.length[static_cast<std::size_t>(i)];
        by[model.x(i).node] = times(length, model.x(i));
        by[model.v_of(i).node] = times(length / units.time, model.v_of(i));
        by[model.a_of(i).node] = times(length / (units.time * units.time), model.a_of(i));
    }
    const Term t = model.t();
    by[t.node] =
        units.origin == 0.0 ? times(units.time, t) : (model.c(units.origin) + units.time * t).node;
    return by;
}

}  // namespace

Model in_units(const Model& model, const Units& units) {
    Model other = model;
    std::map<int, int> by = in_units_map(model, units);
    Tree& tree = *other.tree;
    const auto scaled = [&](int node, double factor) {
        const Term term{&tree, tree.replaced(node, by)};
        return factor == 1.0 ? term.node : (factor * term).node;
    };
    const double c = units.energy, rate = units.time;
    for (auto& particle : other.particles) {
        for (int& node : particle.at) node = tree.replaced(node, by);
        particle.mass *= c / (rate * rate);
    }
    for (double& g : other.gravity) g *= rate * rate;
    for (auto& energy : other.energies)
        energy.node = scaled(energy.node, energy.kind == Kind::dissipation ? c * rate : c);
    for (auto& force : other.forces)
        force.node = scaled(
            force.node,
            c * (units.length.empty() ? 1.0
                                      : units.length[static_cast<std::size_t>(force.coordinate)]));
    for (auto& row : other.rows)
        row.left = scaled(row.left, 1.0), row.right = scaled(row.right, 1.0);
    for (std::size_t i = 0; i < other.q.size(); ++i) {
        const double length = units.length.empty() ? 1.0 : units.length[i];
        other.q[i] /= length;
        other.v[i] *= rate / length;
    }
    for (double& time : other.breaks) time = (time - units.origin) / rate;
    other.begin = (model.begin - units.origin) / rate;
    other.end = (model.end - units.origin) / rate;
    if (rate < 0.0) std::swap(other.begin, other.end);
    return other;
}

/// Each constraint may come once more: multiplied by a number, added to another one, or as its own
/// time derivative.
Model repeated(const Model& model, std::uint64_t seed) {
    if (seed == 0) return model;
    Model other = model;
    Dice dice(seed);
    Tree& tree = *other.tree;
    int copies = 0;
    const std::size_t m = model.rows.size();
    for (std::size_t r = 0; r < m; ++r) {
        const Model::Row row = model.rows[r];
        if (row.one_sided || dice.chance(0.4)) continue;
        Term left{&tree, row.left}, right{&tree, row.right};
        int level = row.level;
        const int way = dice.whole(0, 2);
        const Model::Row& next = model.rows[dice.bits() % m];
        const double factor = dice.number(0.5, 3.0);
        if (way == 1 && next.level == row.level && !next.one_sided) {
            left = left + factor * Term{&tree, next.left};
            right = right + factor * Term{&tree, next.right};
        } else if (way == 2 && row.level == 0) {
            const Term phi = left - right;
            left = Term{&tree, tree.derivative(phi.node, other.t().node)};
            for (int i = 0; i < other.count(); ++i)
                left =
                    left + Term{&tree, tree.derivative(phi.node, other.x(i).node)} * other.v_of(i);
            right = other.c(0.0);
            level = 1;
        } else {
            left = factor * left;
            right = factor * right;
        }
        other.require("again" + std::to_string(++copies), left, right, level);
    }
    return other;
}

/// Energies and forces become Σ M_ij q_j'' = Q_i.
Model written_out(const Model& model) {
    Model other = model;
    other.particles.clear();
    other.gravity.clear();
    other.energies.clear();
    other.forces.clear();
    const Derived derived = derive(model);
    for (int i = 0; i < model.count(); ++i) {
        Term left = model.c(0.0);
        for (int j = 0; j < model.count(); ++j)
            left = left + Term{model.tree.get(),
                               derived.M[static_cast<std::size_t>(i * model.count() + j)]} *
                              model.a_of(j);
        other.equations.push_back({i, left.node, derived.Q[static_cast<std::size_t>(i)]});
    }
    return other;
}

Model varied(const Case& one) {
    if (!one.model.text.empty()) return one.model;
    const Model model = in_units(repeated(one.model, one.plan.repeat), one.plan.units);
    return one.plan.written_out ? written_out(model) : model;
}

std::string command_of(const Case& one) {
    if (one.road == Road::state || one.road == Road::contact_state)
        return "lacon eval model.lac --json --at t=" + shortest(one.t);
    if (one.road == Road::start) return "lacon check model.lac --json";
    std::string line = "lacon run model.lac --json --tol " + shortest(one.plan.tolerance);
    if (one.plan.method != "auto") line += " --method " + one.plan.method;
    if (one.plan.solver != "auto") line += " --solver " + one.plan.solver;
    if (one.plan.interpret) line += " --interpret";
    if (one.plan.ensemble) line += "   # as one of several members of run_ensemble";
    if (one.plan.back) line += "   # and back again";
    return line;
}

Verdict check(const Case& one) {
    switch (one.road) {
        case Road::state: return check_state(one);
        case Road::start: return check_start(one);
        case Road::contact_state: return check_contact_state(one);
        case Road::contact_motion: return check_contact_motion(one);
        case Road::control: return check_control(one);
        default: return check_motion(one);
    }
}

}  // namespace hunt
