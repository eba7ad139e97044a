#include "mechanics/symmetry.hpp"

#include <fmt/format.h>

#include <map>

#include "expr/derivative.hpp"
#include "expr/print.hpp"
#include "expr/traverse.hpp"
#include "mechanics/identity.hpp"

namespace lacon {

void check_symmetry(Model& model, const SymbolRoles& roles, Diagnostics& diagnostics) {
    std::map<std::pair<std::size_t, std::size_t>, Expr> entries;
    std::map<std::size_t, Span> spans;
    for (const EquationRow& equation : model.equations) {
        spans[equation.coordinate] = equation.span;
        for (const Expr symbol : symbols_in(model.graph, {&equation.value, 1})) {
            const SymbolRole role = roles.of(symbol);
            if (role.kind != SymbolRole::Kind::a) continue;
            entries[{equation.coordinate, role.number}] = derivative(model.graph, equation.value, symbol);
        }
    }
    const auto entry = [&](std::size_t i, std::size_t j) {
        const auto found = entries.find({i, j});
        return found == entries.end() ? model.graph.zero() : found->second;
    };
    for (const auto& [place, here] : entries) {
        const auto [i, j] = place;
        const Expr there = entry(j, i);
        const bool counted_already = j < i && entries.contains({j, i});
        if (counted_already || numerically_equal(model.graph, here, there)) continue;
        const std::string &row = model.coordinates[i].name, &column = model.coordinates[j].name;
        diagnostics.error(
            spans[i],
            fmt::format("the mass matrix is not symmetric: {0}'' has the coefficient {2} in equation '{1}', but {1}'' has {3} in "
                        "equation '{0}'",
                        column, row, to_text(model.graph, here), to_text(model.graph, there)),
            "scale or combine the equations so that both coefficients are equal");
    }
}

}  // namespace lacon
