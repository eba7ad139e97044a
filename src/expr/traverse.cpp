// Traversals keep their own stack, so the depth of an expression is limited by memory alone.
#include "expr/traverse.hpp"

#include <algorithm>
#include <stdexcept>

namespace lacon::inline expr {

std::span<const Expr> Traversal::postorder(const Graph& graph, std::span<const Expr> roots) {
    order_.clear();
    place_.clear();
    for (const Expr root : roots) {
        if (!place_.insert(root, 0)) continue;
        path_.emplace_back(root, 0);
        while (!path_.empty()) {
            auto& [node, done] = path_.back();
            const auto args = graph.args(node);
            if (graph.is_symbol(node) || done == args.size()) {
                place_[node] = static_cast<std::uint32_t>(order_.size());
                order_.push_back(node);
                path_.pop_back();
                continue;
            }
            const Expr next = args[done++].expr;
            if (place_.insert(next, 0)) path_.emplace_back(next, 0);
        }
    }
    return order_;
}

std::vector<Expr> postorder(const Graph& graph, std::span<const Expr> roots) {
    Traversal traversal;
    const std::span<const Expr> order = traversal.postorder(graph, roots);
    return {order.begin(), order.end()};
}

std::vector<Expr> symbols_in(const Graph& graph, std::span<const Expr> roots) {
    std::vector<Expr> symbols = postorder(graph, roots);
    std::erase_if(symbols, [&](Expr e) { return !graph.is_symbol(e); });
    return symbols;
}

bool depends_on(const Graph& graph, Expr root, std::span<const Expr> symbols) {
    const std::vector<Expr> used = symbols_in(graph, {&root, 1});
    return std::any_of(used.begin(), used.end(), [&](Expr e) {
        return std::find(symbols.begin(), symbols.end(), e) != symbols.end();
    });
}

std::vector<Expr> substitute(const Graph& from, Graph& to, std::span<const Expr> roots,
                             const ExprMap<Expr>& replacements) {
    const bool same_graph = &from == &to;
    ExprMap<Expr> built;
    std::vector<Arg> args;
    for (const Expr e : postorder(from, roots)) {
        Expr made = e;
        const Op op = from.op(e);
        if (op == Op::symbol) {
            if (const Expr* other = replacements.find(e)) made = *other;
            else if (!same_graph)
                throw std::logic_error("substitute: symbol '" + from.name(e) +
                                       "' has no replacement");
        } else if (op == Op::constant) {
            if (!same_graph) made = to.constant(from.value(e));
        } else {
            args.assign(from.args(e).begin(), from.args(e).end());
            bool changed = !same_graph;
            for (Arg& arg : args) {
                const Expr replaced = built.at(arg.expr);
                changed = changed || replaced != arg.expr;
                arg.expr = replaced;
            }
            if (changed) made = to.rebuilt(from, e, args);
        }
        built.insert(e, made);
    }
    std::vector<Expr> results;
    results.reserve(roots.size());
    for (const Expr root : roots) results.push_back(built.at(root));
    return results;
}

Expr substitute(Graph& graph, Expr root, const ExprMap<Expr>& replacements) {
    return substitute(graph, graph, {&root, 1}, replacements)[0];
}

}  // namespace lacon::expr
