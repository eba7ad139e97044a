// Energies and forces are evaluated with dual numbers along the motion, so dh/dt is exact.
// T2 − T0 = (T(q') + T(−q'))/2 − 2 T(0) separates the energy by degrees in q'.
#include "diagnosis/power.hpp"

#include <algorithm>
#include <cmath>

#include "diagnosis/subspace.hpp"
#include "expr/dual.hpp"
#include "mechanics/system/inputs.hpp"
#include "mechanics/system/symbols.hpp"

namespace lacon::diagnosis {

namespace {

/// A state and its rate of change.
struct Moving {
    State at, rate;
};

struct Energy {
    Dual kinetic, potential;
};

Energy energies(const DerivedModel& details, const Moving& m) {
    const System& system = details.system;
    Energy total;
    std::vector<Dual> inputs, slots, outputs;
    for (const Element& element : system.elements) {
        const Shape& shape = system.shapes[element.shape];
        const Program& code = shape.energies_program;
        if (code.output_count() == 0) continue;
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        inputs.clear();
        append_inputs(inputs, shape, leaf, TimeInput::last,
                      InputValues{[&](std::size_t i) { return Dual(m.at.q[i], m.rate.q[i]); },
                                  [&](std::size_t i) { return Dual(m.at.v[i], m.rate.v[i]); },
                                  Dual(m.at.t, m.rate.t),
                                  [&](std::size_t i) { return Dual(details.parameters[i]); }});
        slots.resize(code.slot_count());
        outputs.resize(code.output_count());
        code.run<Dual>(inputs, slots, outputs);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            Dual& sum = shape.energies.entries[o].target == Entry::Target::kinetic
                            ? total.kinetic
                            : total.potential;
            sum = sum + outputs[o];
        }
    }
    return total;
}

std::vector<Dual> values(const DerivedModel& details, const SymbolRoles& roles,
                         const Formula& formula, const Moving& m) {
    const Forms& forms = details.model.forms;
    const Forms::Form& form = forms.form(formula.form);
    const Program code(forms.graph(), form.inputs, form.roots);
    std::vector<Dual> inputs, slots(code.slot_count()), outputs(code.output_count());
    for (const Expr symbol : forms.symbols_of(formula)) {
        const SymbolRole role = roles.of(symbol);
        switch (role.kind) {
            case SymbolRole::Kind::parameter:
                inputs.emplace_back(details.parameters[role.number]);
                break;
            case SymbolRole::Kind::q:
                inputs.emplace_back(m.at.q[role.number], m.rate.q[role.number]);
                break;
            case SymbolRole::Kind::v:
                inputs.emplace_back(m.at.v[role.number], m.rate.v[role.number]);
                break;
            default: inputs.emplace_back(m.at.t, m.rate.t); break;
        }
    }
    for (const double constant : forms.constants_of(formula)) inputs.emplace_back(constant);
    code.run<Dual>(inputs, slots, outputs);
    return outputs;
}

State nothing_moves(std::size_t n) {
    return {0.0, std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
}

std::vector<double> negative(std::vector<double> x) {
    for (double& xi : x) xi = -xi;
    return x;
}

/// Power of the forces that the model states, along the virtual displacement q'.
double applied_power(const DerivedModel& details, const State& state, double& size) {
    const Model& model = details.model;
    const SymbolRoles roles(model);
    const std::size_t n = state.q.size();
    double power = 0.0;
    const auto add = [&](double part) {
        power += part;
        size += std::abs(part);
    };
    Moving still{state, nothing_moves(n)}, along = still, faster = still;
    along.rate.q = state.v;
    faster.rate.v = state.v;
    for (const Force& force : model.forces)
        add(values(details, roles, force.value, still)[0].value * state.v[force.coordinate]);
    for (const ParticleForce& force : model.particle_forces) {
        const Formula& place = model.particles[force.particle].position;
        const std::vector<Dual> f = values(details, roles, force.value, still),
                                r = values(details, roles, place, along);
        for (std::size_t i = 0; i < f.size(); ++i) add(f[i].value * r[i].rate);
    }
    for (const EnergyTerm& term : model.dissipation)
        add(-values(details, roles, term.value, faster)[0].rate);
    return power;
}

}  // namespace

ReportedForces reported_forces(const Evaluation& at) {
    const std::size_t n = at.state.q.size();
    ReportedForces forces{std::vector<double>(n, 0.0), at.c};
    forces.nonideal.resize(n, 0.0);
    for (const ConstraintReport& report : at.constraints)
        for (std::size_t i = 0; i < n; ++i) {
            if (!report.force.empty()) forces.ideal[i] += report.force[i];
            if (report.friction_state == FrictionKind::sticks)
                forces.ideal[i] += report.friction_force[i];
        }
    for (const DryFrictionReport& report : at.frictions)
        if (report.friction_state == FrictionKind::sticks)
            forces.ideal[report.number] += report.force;
    return forces;
}

std::optional<PowerBalance> power_balance(const DerivedModel& details, const Evaluation& at,
                                          std::string& why) {
    if (!details.model.equations.empty()) {
        why = "power balance not checked: the model gives equations, not energies";
        return std::nullopt;
    }
    const State& state = at.state;
    const std::size_t n = state.q.size();
    const Moving forward{state, {1.0, state.v, at.solution.acceleration}};
    Moving backward = forward, still = forward;
    backward.at.v = negative(state.v);
    backward.rate.v = negative(at.solution.acceleration);
    still.at.v.assign(n, 0.0);
    still.rate.v.assign(n, 0.0);
    const Energy ahead = energies(details, forward), back = energies(details, backward),
                 rest = energies(details, still);
    PowerBalance balance;
    // T2 − T0 = (T(q') + T(−q'))/2 − 2 T(0)
    balance.rate =
        (ahead.kinetic.rate + back.kinetic.rate) / 2 - 2 * rest.kinetic.rate + ahead.potential.rate;
    Moving clock{state, nothing_moves(n)};
    clock.rate.t = 1.0;
    const Energy by_time = energies(details, clock);
    balance.explicit_time = by_time.potential.rate - by_time.kinetic.rate;
    const ReportedForces forces = reported_forces(at);
    balance.constraint = inner(forces.ideal, state.v);
    balance.nonideal = inner(forces.nonideal, state.v);
    balance.size = std::abs(ahead.kinetic.rate) + std::abs(ahead.potential.rate) +
                   std::abs(balance.explicit_time);
    // What a steady motion turns over within T: T itself, at the rate at which the coordinates
    // change.
    const double extent = largest(state.q) > 0.0 ? largest(state.q) : 1.0;
    balance.size += std::abs(ahead.kinetic.value) * largest(state.v) / extent;
    balance.applied = applied_power(details, state, balance.size);
    if (!at.control_force.empty()) balance.applied += inner(at.control_force, state.v);
    for (std::size_t i = 0; i < n; ++i) {
        double inertia = 0.0;
        for (std::size_t j = 0; j < n; ++j)
            inertia += std::abs(at.M(i, j) * at.solution.acceleration[j]);
        balance.size += (inertia + std::abs(at.Q[i]) + std::abs(forces.ideal[i]) +
                         std::abs(forces.nonideal[i])) *
                        std::abs(state.v[i]);
    }
    return balance;
}

}  // namespace lacon::diagnosis
