// Reads M_ij = ∂E_i/∂q''_j off the equations E_i and compares it with M_ji at random points.
#include "mechanics/derive/symmetry.hpp"

#include <fmt/format.h>

#include <map>

#include "expr/derivative.hpp"
#include "expr/print.hpp"
#include "expr/traverse.hpp"
#include "mechanics/derive/identity.hpp"

namespace lacon::inline mechanics {

void check_symmetry(Model& model, const SymbolRoles& roles, Diagnostics& diagnostics) {
    Forms forms;
    std::map<std::pair<std::size_t, std::size_t>, Formula> entries;
    std::map<std::size_t, Span> spans;
    const Graph::Mark before = model.graph.mark();
    for (const EquationRow& equation : model.equations) {
        spans[equation.coordinate] = equation.span;
        const Expr value = model.forms.expression(equation.value, model.graph);
        for (const Expr symbol : symbols_in(model.graph, {&value, 1})) {
            const SymbolRole role = roles.of(symbol);
            if (role.kind != SymbolRole::Kind::a) continue;
            entries[{equation.coordinate, role.number}] =
                forms.keep(model.graph, derivative(model.graph, value, symbol));
        }
        model.graph.rollback(before);
    }
    const auto entry = [&](std::size_t i, std::size_t j) {
        const auto found = entries.find({i, j});
        return found == entries.end() ? model.graph.zero()
                                      : forms.expression(found->second, model.graph);
    };
    for (const auto& known : entries) {
        const auto [i, j] = known.first;
        if (j < i && entries.contains({j, i})) continue;
        model.graph.rollback(before);
        const Expr here = entry(i, j), there = entry(j, i);
        if (numerically_equal(model.graph, here, there)) continue;
        const std::string &row = model.coordinates[i].name, &column = model.coordinates[j].name;
        diagnostics.error(
            spans[i],
            fmt::format("the mass matrix is not symmetric: {0}'' has the coefficient {2} in "
                        "equation '{1}', but {1}'' has {3} in "
                        "equation '{0}'",
                        column, row, to_text(model.graph, here), to_text(model.graph, there)),
            "scale or combine the equations so that both coefficients are equal");
    }
    model.graph.rollback(before);
}

}  // namespace lacon::mechanics
