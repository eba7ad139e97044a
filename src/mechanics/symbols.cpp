#include "mechanics/symbols.hpp"

#include <algorithm>
#include <map>

#include "expr/traverse.hpp"

namespace lacon {

using Kind = SymbolRole::Kind;

SymbolRoles::SymbolRoles(const Model& model) : model_(model), roles_(model.graph.symbol_count()) {
    const auto set = [&](Expr symbol, Kind kind, std::size_t number) {
        roles_[model.graph.symbol_index(symbol)] = {kind, static_cast<std::uint32_t>(number)};
    };
    set(model.time, Kind::time, 0);
    for (std::size_t i = 0; i < model.parameters.size(); ++i) set(model.parameters[i].symbol, Kind::parameter, i);
    for (std::size_t i = 0; i < model.directions.size(); ++i)
        set(model.directions[i], Kind::parameter, model.parameters.size() + i);
    for (std::size_t i = 0; i < model.multipliers.size(); ++i) set(model.multipliers[i], Kind::multiplier, i);
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        set(model.coordinates[i].q, Kind::q, i);
        set(model.coordinates[i].v, Kind::v, i);
        set(model.coordinates[i].a, Kind::a, i);
    }
}

bool SymbolRoles::uses(Expr e, std::initializer_list<Kind> kinds) const {
    const std::vector<Expr> symbols = symbols_in(model_.graph, {&e, 1});
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](Expr s) { return std::find(kinds.begin(), kinds.end(), of(s).kind) != kinds.end(); });
}

std::vector<std::uint32_t> SymbolRoles::coordinates_of(Expr e) const {
    std::vector<std::uint32_t> numbers;
    for (const Expr s : symbols_in(model_.graph, {&e, 1}))
        if (of(s).is_coordinate()) numbers.push_back(of(s).number);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

namespace {

/// A sum inside a product whose other factors have no coordinates: its place among the factors, or −1.
std::ptrdiff_t separable_factor(const Graph& graph, const SymbolRoles& roles, std::span<const Arg> factors) {
    std::ptrdiff_t found = -1;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        if (!roles.uses(factors[i].expr, {Kind::q, Kind::v, Kind::a})) continue;
        if (found >= 0 || factors[i].k != 1.0 || graph.op(factors[i].expr) != Op::add) return -1;
        found = static_cast<std::ptrdiff_t>(i);
    }
    return found;
}

}  // namespace

std::vector<Expr> separate_terms(Graph& graph, const SymbolRoles& roles, Expr e) {
    std::map<std::vector<std::uint32_t>, std::vector<Arg>> groups;
    std::vector<Arg> open{{e, 1.0}};
    const auto open_terms = [&](Expr sum, double k, Expr factor) {
        const std::vector<Arg> terms(graph.args(sum).begin(), graph.args(sum).end());
        for (const Arg& term : terms) open.push_back({graph.mul(factor, term.expr), k * term.k});
        if (graph.value(sum) != 0.0) groups[{}].push_back({factor, k * graph.value(sum)});
    };
    while (!open.empty()) {
        const auto [term, k] = open.back();
        open.pop_back();
        if (graph.op(term) == Op::add) {
            open_terms(term, k, graph.one());
            continue;
        }
        if (graph.op(term) == Op::mul) {
            std::vector<Arg> factors(graph.args(term).begin(), graph.args(term).end());
            if (const std::ptrdiff_t at = separable_factor(graph, roles, factors); at >= 0) {
                const Expr sum = factors[static_cast<std::size_t>(at)].expr;
                factors.erase(factors.begin() + at);
                open_terms(sum, k, graph.product(factors));
                continue;
            }
        }
        groups[roles.coordinates_of(term)].push_back({term, k});
    }
    std::vector<Expr> separated;
    for (const auto& [coordinates, terms] : groups)
        if (const Expr group = graph.sum(terms); !graph.is_zero(group)) separated.push_back(group);
    return separated;
}

}  // namespace lacon
