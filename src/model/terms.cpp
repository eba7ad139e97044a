// Opens sums, and sums times a factor without coordinates, and groups the terms by the coordinates
// they use. Each group is one term of the result.
#include "model/terms.hpp"

#include <algorithm>
#include <map>

namespace lacon::inline model {

bool is_long_sum(const Graph& graph, Expr e) {
    constexpr std::size_t many = 64;
    const auto is_long = [&](Expr sum) {
        return graph.op(sum) == Op::add && graph.args(sum).size() > many;
    };
    const auto has_long = [&](Expr product) {
        const std::span<const Arg> factors = graph.args(product);
        return graph.op(product) == Op::mul &&
               std::any_of(factors.begin(), factors.end(),
                           [&](const Arg& factor) { return is_long(factor.expr); });
    };
    if (is_long(e) || has_long(e)) return true;
    const std::span<const Arg> terms = graph.args(e);
    return graph.op(e) == Op::add && std::any_of(terms.begin(), terms.end(), [&](const Arg& term) {
               return is_long(term.expr) || has_long(term.expr);
           });
}

namespace {

/// A sum inside a product whose other factors have no coordinates: its place among the factors, or
/// −1.
std::ptrdiff_t separable_factor(const Graph& graph, std::span<const Arg> factors,
                                const CoordinatesOf& coordinates_of) {
    std::ptrdiff_t found = -1;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        if (coordinates_of(factors[i].expr).empty()) continue;
        if (found >= 0 || factors[i].k != 1.0 || graph.op(factors[i].expr) != Op::add) return -1;
        found = static_cast<std::ptrdiff_t>(i);
    }
    return found;
}

}  // namespace

std::vector<Expr> separate_terms(Graph& graph, Expr e, const CoordinatesOf& coordinates_of) {
    std::map<std::vector<std::size_t>, std::vector<Arg>> groups;
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
            if (const std::ptrdiff_t at = separable_factor(graph, factors, coordinates_of);
                at >= 0) {
                const Expr sum = factors[static_cast<std::size_t>(at)].expr;
                factors.erase(factors.begin() + at);
                open_terms(sum, k, graph.product(factors));
                continue;
            }
        }
        groups[coordinates_of(term)].push_back({term, k});
    }
    std::vector<Expr> separated;
    for (const auto& [coordinates, terms] : groups)
        if (const Expr group = graph.sum(terms); !graph.is_zero(group)) separated.push_back(group);
    return separated;
}

}  // namespace lacon::model
