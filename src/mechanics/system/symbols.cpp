// Keeps the role of each symbol in one table, indexed by symbol number.
#include "mechanics/system/symbols.hpp"

#include <algorithm>

#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

using Kind = SymbolRole::Kind;

SymbolRoles::SymbolRoles(const Model& model) : model_(model), roles_(model.graph.symbol_count()) {
    const auto set = [&](Expr symbol, Kind kind, std::size_t number) {
        roles_[model.graph.symbol_index(symbol)] = {kind, static_cast<std::uint32_t>(number)};
    };
    set(model.time, Kind::time, 0);
    for (std::size_t i = 0; i < model.parameters.size(); ++i)
        set(model.parameters[i].symbol, Kind::parameter, i);
    for (std::size_t i = 0; i < model.directions.size(); ++i)
        set(model.directions[i], Kind::parameter, model.parameters.size() + i);
    for (std::size_t i = 0; i < model.multipliers.size(); ++i)
        set(model.multipliers[i], Kind::multiplier, i);
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        set(model.coordinates[i].q, Kind::q, i);
        set(model.coordinates[i].v, Kind::v, i);
        set(model.coordinates[i].a, Kind::a, i);
    }
}

bool SymbolRoles::uses(Expr e, std::initializer_list<Kind> kinds) const {
    const std::vector<Expr> symbols = symbols_in(model_.graph, {&e, 1});
    return std::any_of(symbols.begin(), symbols.end(), [&](Expr s) {
        return std::find(kinds.begin(), kinds.end(), of(s).kind) != kinds.end();
    });
}

std::vector<std::size_t> SymbolRoles::coordinates_of(Expr e) const {
    std::vector<std::size_t> numbers;
    for (const Expr s : symbols_in(model_.graph, {&e, 1}))
        if (of(s).is_coordinate()) numbers.push_back(of(s).number);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

}  // namespace lacon::mechanics
