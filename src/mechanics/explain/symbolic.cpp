// Adds up the elements as expressions over the model's own symbols. For a diagonal M and one row,
// solves for the acceleration:  q'' = a + M⁻¹Aᵀ (b − A a) / (A M⁻¹ Aᵀ)  (P1 5c).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "mechanics/explain/explain.hpp"

namespace lacon::inline mechanics {

namespace {

using Target = Entry::Target;

/// Sums of the elements' contributions, entry by entry.
struct Sums {
    std::vector<std::map<std::size_t, std::vector<Arg>>> M, A;
    std::vector<std::vector<Arg>> Q, b;
};

void scatter(const DerivedModel& details, const Element& element, const std::vector<Expr>& values,
             Sums& sums) {
    const Shape& shape = details.system.shapes[element.shape];
    const std::uint32_t* leaf = details.system.leaves.data() + element.leaves;
    const auto row = static_cast<std::size_t>(element.row);
    for (std::size_t o = 0; o < values.size(); ++o) {
        const Entry entry = shape.dynamics.entries[o];
        const Arg term{values[o], 1.0};
        switch (entry.target) {
            case Target::mass:
                sums.M[leaf[entry.i]][leaf[entry.j]].push_back(term);
                if (entry.i != entry.j) sums.M[leaf[entry.j]][leaf[entry.i]].push_back(term);
                break;
            case Target::mass_single: sums.M[leaf[entry.i]][leaf[entry.j]].push_back(term); break;
            case Target::force: sums.Q[leaf[entry.i]].push_back(term); break;
            case Target::row: sums.A[row][leaf[entry.j]].push_back(term); break;
            case Target::right: sums.b[row].push_back(term); break;
            default: break;
        }
    }
}

/// Makes the expressions of the model's formulas in the order in which the text gave them, so that
/// sums have their terms in it.
void make_all(const Model& model, Graph& graph) {
    std::vector<std::pair<std::uint32_t, const Formula*>> energies, forces, nonideal;
    const auto list = [](auto& order, const auto& parts) {
        for (const auto& part : parts) order.emplace_back(part.span.begin, &part.value);
    };
    const auto make = [&](auto& order) {
        std::stable_sort(order.begin(), order.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& one : order) model.forms.expressions(*one.second, graph);
    };
    for (const Particle& particle : model.particles)
        for (const Formula& formula : {particle.position, particle.mass})
            model.forms.expressions(formula, graph);
    for (const auto* terms : {&model.kinetic, &model.potential, &model.dissipation})
        list(energies, *terms);
    make(energies);
    list(forces, model.forces);
    list(forces, model.particle_forces);
    make(forces);
    for (const EquationRow& row : model.equations) model.forms.expressions(row.value, graph);
    for (const ConstraintRow& row : model.constraints) model.forms.expressions(row.value, graph);
    list(nonideal, model.nonideal);
    list(nonideal, model.particle_nonideal);
    make(nonideal);
}

/// Values of the element's shape over the model's symbols.
std::vector<Expr> globalize(const DerivedModel& details, const Element& element,
                            const std::vector<Expr>& values, Graph& graph) {
    const System& system = details.system;
    const Shape& shape = system.shapes[element.shape];
    const std::uint32_t* leaf = system.leaves.data() + element.leaves;
    ExprMap<Expr> to_global;
    to_global.insert(system.t, details.model.time);
    for (std::size_t i = 0; i < shape.coordinates; ++i) {
        to_global.insert(system.q[i], details.model.coordinates[leaf[i]].q);
        to_global.insert(system.v[i], details.model.coordinates[leaf[i]].v);
    }
    for (std::size_t i = 0; i < shape.parameters; ++i) {
        const std::uint32_t number = leaf[shape.coordinates + i];
        const bool is_parameter = number < details.model.parameters.size();
        to_global.insert(system.p[i], is_parameter ? details.model.parameters[number].symbol
                                                   : graph.constant(details.parameters[number]));
    }
    return substitute(system.graph, graph, values, to_global);
}

std::vector<std::map<std::size_t, Expr>> add_up(
    Graph& graph, const std::vector<std::map<std::size_t, std::vector<Arg>>>& rows) {
    std::vector<std::map<std::size_t, Expr>> result(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const auto& [j, terms] : rows[i])
            if (const Expr entry = graph.sum(terms); !graph.is_zero(entry)) result[i][j] = entry;
    return result;
}

/// The symbols of forces that laws decide. What of c depends on no load was derived as a force of
/// Q, and leaves it here.
void name_forces(const DerivedModel& details, SymbolicEquations& eq) {
    const System& system = details.system;
    for (const std::string& name : details.constraint_names)
        eq.multipliers.push_back(eq.graph.symbol(fmt::format("λ[{}]", name)));
    for (const Actuator& actuator : details.model.actuators)
        eq.efforts.push_back(eq.graph.symbol(fmt::format("u[{}]", actuator.name)));
    eq.c.assign(system.coordinate_count, {});
    const auto c_of = [&](std::size_t i) {
        if (!eq.c[i]) eq.c[i] = eq.graph.symbol(fmt::format("c[{}]", details.coordinate_names[i]));
    };
    for (const NonidealElement& part : system.nonideal) {
        const Shape& shape = system.shapes[part.element.shape];
        const std::uint32_t* leaf = system.leaves.data() + part.element.leaves;
        std::vector<Expr> in_Q;
        if (part.in_force) in_Q = globalize(details, part.element, shape.nonideal.values, eq.graph);
        for (std::size_t i = 0; i < shape.nonideal.values.size(); ++i) {
            c_of(leaf[i]);
            if (part.in_force) eq.Q[leaf[i]] = eq.graph.sub(eq.Q[leaf[i]], in_Q[i]);
        }
    }
    for (const DryFriction& friction : details.model.dry_frictions) c_of(friction.coordinate);
}

/// Q + c + F u, and Aᵀλ of the one-sided rows.
std::vector<Expr> acting_forces(const DerivedModel& details, SymbolicEquations& eq) {
    Graph& g = eq.graph;
    const Model& model = details.model;
    std::vector<Expr> force = eq.Q;
    for (std::size_t i = 0; i < force.size(); ++i)
        if (eq.c[i]) force[i] = g.add(force[i], *eq.c[i]);
    for (std::size_t k = 0; k < eq.efforts.size(); ++k)
        for (const Actuator::Part& part : model.actuators[k].direction)
            force[part.coordinate] =
                g.add(force[part.coordinate], g.mul(part.value, eq.efforts[k]));
    for (std::size_t r = 0; r < eq.A.size(); ++r)
        if (model.constraints[r].sense != ConstraintRow::Sense::equal)
            for (const auto& [j, entry] : eq.A[r])
                force[j] = g.add(force[j], g.mul(entry, eq.multipliers[r]));
    return force;
}

/// P1 5c for one row: q'' = a + M⁻¹Aᵀ (b − A a) / (A M⁻¹ Aᵀ), with a = M⁻¹ times all forces but
/// that of the row.
std::optional<std::vector<Expr>> explicit_form(const DerivedModel& details, SymbolicEquations& eq) {
    Graph& g = eq.graph;
    const std::size_t n = eq.Q.size();
    if (n > 30) return std::nullopt;
    std::optional<std::size_t> equality;
    for (std::size_t r = 0; r < eq.b.size(); ++r) {
        if (details.model.constraints[r].sense != ConstraintRow::Sense::equal) continue;
        if (equality) return std::nullopt;
        equality = r;
    }
    std::vector<Expr> a = acting_forces(details, eq);
    for (std::size_t i = 0; i < n; ++i) {
        if (eq.M[i].size() != 1 || !eq.M[i].contains(i)) return std::nullopt;
        a[i] = g.div(a[i], eq.M[i].at(i));
    }
    if (!equality) return a;
    const std::map<std::size_t, Expr>& row = eq.A[*equality];
    if (row.empty()) return std::nullopt;
    std::vector<Arg> S_terms, e_terms{{eq.b[*equality], 1.0}};
    for (const auto& [j, A_j] : row) {
        S_terms.push_back({g.div(g.pow(A_j, 2), eq.M[j].at(j)), 1.0});
        e_terms.push_back({g.mul(A_j, a[j]), -1.0});
    }
    const Expr lambda = g.div(g.sum(e_terms), g.sum(S_terms));
    for (const auto& [j, A_j] : row) a[j] = g.add(a[j], g.div(g.mul(A_j, lambda), eq.M[j].at(j)));
    return a;
}

}  // namespace

namespace {

/// Whether the element is a tree of bodies whose equations are better left to the recursion: beyond
/// some lines no one reads them.
bool is_long_tree(const System& system, const Element& element) {
    constexpr std::size_t most_operations = 250;
    return system.origins[element.origin].kind == Origin::Kind::tree &&
           postorder(system.graph, system.shapes[element.shape].dynamics.values).size() >
               most_operations;
}

}  // namespace

SymbolicEquations symbolic_equations(const DerivedModel& details, bool in_full) {
    const std::size_t n = details.system.coordinate_count, m = details.system.row_count();
    SymbolicEquations eq{details.model.graph, {}, {}, {}, {}, {}, {}, {}, {}, {}};
    Sums sums{std::vector<std::map<std::size_t, std::vector<Arg>>>(n),
              std::vector<std::map<std::size_t, std::vector<Arg>>>(m),
              std::vector<std::vector<Arg>>(n), std::vector<std::vector<Arg>>(m)};
    make_all(details.model, eq.graph);
    for (const Element& element : details.system.elements) {
        if (!in_full && is_long_tree(details.system, element)) {
            eq.recursive.resize(n, false);
            const Shape& shape = details.system.shapes[element.shape];
            for (std::size_t i = 0; i < shape.coordinates; ++i)
                eq.recursive[details.system.leaves[element.leaves + i]] = true;
            continue;
        }
        const std::vector<Expr>& values = details.system.shapes[element.shape].dynamics.values;
        scatter(details, element, globalize(details, element, values, eq.graph), sums);
    }
    eq.M = add_up(eq.graph, sums.M);
    eq.A = add_up(eq.graph, sums.A);
    for (const auto& terms : sums.Q) eq.Q.push_back(eq.graph.sum(terms));
    for (const auto& terms : sums.b) eq.b.push_back(eq.graph.sum(terms));
    name_forces(details, eq);
    if (!eq.recursive.empty()) return eq;
    eq.explicit_acceleration = explicit_form(details, eq);
    return eq;
}

std::vector<NamedForce> named_forces(const DerivedModel& details, const SymbolicEquations& eq) {
    const Model& model = details.model;
    std::vector<NamedForce> forces;
    for (std::size_t r = 0; r < eq.multipliers.size(); ++r) {
        const ConstraintRow& row = model.constraints[r];
        if (row.sense == ConstraintRow::Sense::equal) continue;
        forces.push_back(
            {eq.graph.name(eq.multipliers[r]),
             fmt::format("the force of the one-sided constraint '{}': {} 0, and 0 while it is open",
                         row.name,
                         row.sense == ConstraintRow::Sense::at_least ? "at least" : "at most")});
    }
    std::vector<std::string> frictions;
    for (const Friction& friction : model.frictions) frictions.push_back(friction.constraint);
    const bool stated = !model.nonideal.empty() || !model.particle_nonideal.empty();
    std::string of_c =
        frictions.empty() ? "" : fmt::format("friction of {}", quoted_list(frictions));
    if (!model.dry_frictions.empty()) of_c += of_c.empty() ? "dry friction" : ", dry friction";
    if (stated) of_c += of_c.empty() ? "'nonideal' forces" : " and 'nonideal' forces";
    for (std::size_t i = 0; i < eq.c.size(); ++i)
        if (eq.c[i])
            forces.push_back({eq.graph.name(*eq.c[i]),
                              fmt::format("{} on '{}'", of_c, details.coordinate_names[i])});
    for (std::size_t k = 0; k < eq.efforts.size(); ++k)
        forces.push_back({eq.graph.name(eq.efforts[k]),
                          fmt::format("the effort of the actuator '{}', the one of least cost",
                                      model.actuators[k].name)});
    return forces;
}

std::string law_of(const DerivedModel& details) {
    const Model& model = details.model;
    const bool ideal = model.frictions.empty() && model.dry_frictions.empty() &&
                       model.nonideal.empty() && model.particle_nonideal.empty();
    return fmt::format("M q'' = Q{}{}{}", details.system.row_count() ? " + A^T λ" : "",
                       ideal ? "" : " + c", model.controls.empty() ? "" : " + F u");
}

}  // namespace lacon::mechanics
