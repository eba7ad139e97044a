#include <algorithm>

#include "expr/traverse.hpp"
#include "mechanics/explain.hpp"

namespace lacon {

namespace {

using Target = Entry::Target;

/// Sums of the elements' contributions, entry by entry.
struct Sums {
    std::vector<std::map<std::size_t, std::vector<Arg>>> M, A;
    std::vector<std::vector<Arg>> Q, b;
};

void scatter(const SystemDetails& details, const Element& element, const std::vector<Expr>& values, Sums& sums) {
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

/// Makes the expressions of the model's formulas in the order in which the text gave them, so that sums have their terms in it.
void make_all(const Model& model, Graph& graph) {
    std::vector<std::pair<std::uint32_t, const Formula*>> energies, forces, nonideal;
    const auto list = [](auto& order, const auto& parts) {
        for (const auto& part : parts) order.emplace_back(part.span.begin, &part.value);
    };
    const auto make = [&](auto& order) {
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& one : order) model.forms.expressions(*one.second, graph);
    };
    for (const Particle& particle : model.particles)
        for (const Formula& formula : {particle.position, particle.mass}) model.forms.expressions(formula, graph);
    for (const auto* terms : {&model.kinetic, &model.potential, &model.dissipation}) list(energies, *terms);
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

/// The element's numbers over the model's symbols.
std::vector<Expr> globalize(const SystemDetails& details, const Element& element, Graph& graph) {
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
        to_global.insert(system.p[i],
                         is_parameter ? details.model.parameters[number].symbol : graph.constant(details.parameters[number]));
    }
    return substitute(system.graph, graph, shape.dynamics.values, to_global);
}

std::vector<std::map<std::size_t, Expr>> add_up(Graph& graph, const std::vector<std::map<std::size_t, std::vector<Arg>>>& rows) {
    std::vector<std::map<std::size_t, Expr>> result(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const auto& [j, terms] : rows[i])
            if (const Expr entry = graph.sum(terms); !graph.is_zero(entry)) result[i][j] = entry;
    return result;
}

/// P1 5c for one row: q'' = a + M⁻¹Aᵀ (b − A a) / (A M⁻¹ Aᵀ).
std::optional<std::vector<Expr>> explicit_form(SymbolicEquations& eq) {
    Graph& g = eq.graph;
    const std::size_t n = eq.Q.size();
    if (eq.b.size() > 1 || n > 30) return std::nullopt;
    std::vector<Expr> a(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (eq.M[i].size() != 1 || !eq.M[i].contains(i)) return std::nullopt;
        a[i] = g.div(eq.Q[i], eq.M[i].at(i));
    }
    if (eq.b.empty()) return a;
    if (eq.A[0].empty()) return std::nullopt;
    std::vector<Arg> S_terms, e_terms{{eq.b[0], 1.0}};
    for (const auto& [j, A_j] : eq.A[0]) {
        S_terms.push_back({g.div(g.pow(A_j, 2), eq.M[j].at(j)), 1.0});
        e_terms.push_back({g.mul(A_j, a[j]), -1.0});
    }
    const Expr lambda = g.div(g.sum(e_terms), g.sum(S_terms));
    for (const auto& [j, A_j] : eq.A[0]) a[j] = g.add(a[j], g.div(g.mul(A_j, lambda), eq.M[j].at(j)));
    return a;
}

}  // namespace

SymbolicEquations symbolic_equations(const SystemDetails& details) {
    const std::size_t n = details.system.coordinate_count, m = details.system.row_count();
    SymbolicEquations eq{details.model.graph, {}, {}, {}, {}, {}};
    Sums sums{std::vector<std::map<std::size_t, std::vector<Arg>>>(n), std::vector<std::map<std::size_t, std::vector<Arg>>>(m),
              std::vector<std::vector<Arg>>(n), std::vector<std::vector<Arg>>(m)};
    make_all(details.model, eq.graph);
    for (const Element& element : details.system.elements) scatter(details, element, globalize(details, element, eq.graph), sums);
    eq.M = add_up(eq.graph, sums.M);
    eq.A = add_up(eq.graph, sums.A);
    for (const auto& terms : sums.Q) eq.Q.push_back(eq.graph.sum(terms));
    for (const auto& terms : sums.b) eq.b.push_back(eq.graph.sum(terms));
    eq.explicit_acceleration = explicit_form(eq);
    return eq;
}

}  // namespace lacon
