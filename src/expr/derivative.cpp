// One table of partial derivatives serves both directions. The derivative of if, min and max is
// again a choice; a gradient through such choices is computed forward, symbol by symbol, and so is
// one through what divides by a growing exponential.
#include "expr/derivative.hpp"

#include <algorithm>
#include <memory>

#include "expr/traverse.hpp"

namespace lacon::inline expr {

namespace {

/// Whether u overflows far away where 1/u is still a number: cosh, or a sum with it or exp.
bool is_growing(const Graph& g, Expr u) {
    return g.op(u) == Op::cosh || g.growing_term(u).has_value();
}

/// ∂node/∂(operand i), of an operation that is neither `add` nor a choice between operands. Of a
/// power of what grows without bound it has the factor 1/u, which meets the rate of u
/// (Graph::join_growing).
Expr partial(Graph& g, Expr node, std::size_t i) {
    const Op op = g.op(node);
    const std::vector<Arg> args(g.args(node).begin(), g.args(node).end());
    const Expr u = args[0].expr;
    const Expr one = g.one();
    const auto inverse = [&](Expr e) { return g.pow(e, -1); };
    switch (op) {
        case Op::mul: {
            std::vector<Arg> factors = args;
            factors[i].k -= 1.0;
            return g.scale(args[i].k, g.product(factors));
        }
        case Op::pow: {
            const Expr w = args[1].expr;
            if (i == 0 && is_growing(g, u)) return g.mul(w, g.div(node, u));
            if (i == 0) return g.mul(w, g.pow(u, g.sub(w, one)));
            return g.mul(node, g.apply(Op::log, u));
        }
        case Op::sin: return g.apply(Op::cos, u);
        case Op::cos: return g.neg(g.apply(Op::sin, u));
        case Op::tan: return g.add(one, g.pow(node, 2));
        case Op::asin: return inverse(g.apply(Op::sqrt, g.sub(one, g.pow(u, 2))));
        case Op::acos: return g.neg(inverse(g.apply(Op::sqrt, g.sub(one, g.pow(u, 2)))));
        case Op::atan: return inverse(g.add(one, g.pow(u, 2)));
        case Op::sinh: return g.apply(Op::cosh, u);
        case Op::cosh: return g.apply(Op::sinh, u);
        case Op::tanh: return g.sub(one, g.pow(node, 2));
        case Op::exp: return node;
        case Op::log: return inverse(u);
        case Op::sqrt: return g.scale(0.5, is_growing(g, u) ? g.div(node, u) : inverse(node));
        case Op::abs: return g.apply(Op::sign, u);
        case Op::atan2: {  // u = y, w = x
            const Expr w = args[1].expr;
            const Expr squares = g.add(g.pow(u, 2), g.pow(w, 2));
            return i == 0 ? g.div(w, squares) : g.neg(g.div(u, squares));
        }
        case Op::hypot: return g.div(args[i].expr, node);
        case Op::data: return g.data(std::shared_ptr(g.curve(node)), g.curve_order(node) + 1, u);
        default: return g.zero();  // sign, floor, comparisons, logic: constant between their jumps
    }
}

/// Whether a node has a power, a root or the logarithm of something that grows without bound.
bool divides_by_growing(const Graph& g, Expr node) {
    const std::span<const Arg> args = g.args(node);
    switch (g.op(node)) {
        case Op::mul:
            return std::any_of(args.begin(), args.end(),
                               [&](const Arg& f) { return f.k < 0.0 && is_growing(g, f.expr); });
        case Op::pow:
        case Op::log:
        case Op::sqrt: return is_growing(g, args[0].expr);
        default: return false;
    }
}

/// Σ ∂node/∂arg · rate(arg), by the map of rates (absent: zero).
Expr chain(Graph& g, Expr node, const ExprMap<Expr>& rates) {
    const std::vector<Arg> args(g.args(node).begin(), g.args(node).end());
    const Op op = g.op(node);
    const auto rate = [&](std::size_t i) {
        const Expr* found = rates.find(args[i].expr);
        return found ? *found : g.zero();
    };
    // The derivative of a choice is a choice, never a product with 0 and 1: that would spread a
    // branch that is not finite.
    if (op == Op::min)
        return g.select(g.apply(Op::less_equal, args[0].expr, args[1].expr), rate(0), rate(1));
    if (op == Op::max)
        return g.select(g.apply(Op::less_equal, args[0].expr, args[1].expr), rate(1), rate(0));
    if (op == Op::select) return g.select(args[0].expr, rate(1), rate(2));
    std::vector<Arg> terms;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const Expr d = rate(i);
        if (g.is_zero(d)) continue;
        if (op == Op::add) {
            terms.push_back({d, args[i].k});
        } else if (g.op(d) == Op::add && divides_by_growing(g, node)) {
            // Term by term, so that each meets what divides it.
            const Expr part = partial(g, node, i);
            const std::vector<Arg> rates_of(g.args(d).begin(), g.args(d).end());
            const double constant = g.value(d);
            for (const Arg& term : rates_of) terms.push_back({g.mul(part, term.expr), term.k});
            terms.push_back({part, constant});
        } else {
            terms.push_back({g.mul(partial(g, node, i), d), 1.0});
        }
    }
    return g.sum(terms);
}

}  // namespace

std::vector<Expr> directional(Graph& graph, std::span<const Expr> roots,
                              std::span<const Seed> seeds) {
    ExprMap<Expr> rates;
    for (const Seed& seed : seeds) rates.insert(seed.symbol, seed.rate);
    for (const Expr e : postorder(graph, roots)) {
        if (graph.is_symbol(e) || graph.is_constant(e)) continue;
        const Expr d = chain(graph, e, rates);
        if (!graph.is_zero(d)) rates.insert(e, d);
    }
    std::vector<Expr> results;
    results.reserve(roots.size());
    for (const Expr root : roots) {
        const Expr* found = rates.find(root);
        results.push_back(found ? *found : graph.zero());
    }
    return results;
}

Expr directional(Graph& graph, Expr root, std::span<const Seed> seeds) {
    return directional(graph, std::span(&root, 1), seeds)[0];
}

Expr derivative(Graph& graph, Expr root, Expr symbol) {
    const Seed seed{symbol, graph.one()};
    return directional(graph, root, {&seed, 1});
}

std::vector<Expr> gradient(Graph& graph, Expr root, std::span<const Expr> symbols) {
    const std::vector<Expr> order = postorder(graph, {&root, 1});
    const auto is_forward_only = [&](Expr e) {
        return graph.op(e) == Op::min || graph.op(e) == Op::max || graph.op(e) == Op::select ||
               divides_by_growing(graph, e);
    };
    std::vector<Expr> results;
    if (std::any_of(order.begin(), order.end(), is_forward_only)) {
        // Adjoints reach a branch that is not taken as zeros, and zero times what is not finite
        // spoils the sum; forward does not. Nor does it add up adjoints before they meet a rate
        // that is large where they are small.
        for (const Expr symbol : symbols) results.push_back(derivative(graph, root, symbol));
        return results;
    }
    ExprMap<std::vector<Arg>> adjoint_terms;
    adjoint_terms[root].push_back({graph.one(), 1.0});
    ExprMap<Expr> adjoint;
    for (auto e = order.rbegin(); e != order.rend(); ++e) {
        const std::vector<Arg>* terms = adjoint_terms.find(*e);
        if (!terms || graph.is_constant(*e)) continue;
        const Expr total = graph.sum(*terms);
        if (graph.is_symbol(*e)) {
            adjoint.insert(*e, total);
            continue;
        }
        const std::vector<Arg> args(graph.args(*e).begin(), graph.args(*e).end());
        for (std::size_t i = 0; i < args.size(); ++i) {
            if (graph.op(*e) == Op::add) {
                adjoint_terms[args[i].expr].push_back({total, args[i].k});
                continue;
            }
            const Expr part = graph.mul(total, partial(graph, *e, i));
            if (!graph.is_zero(part)) adjoint_terms[args[i].expr].push_back({part, 1.0});
        }
    }
    for (const Expr symbol : symbols) {
        const Expr* found = adjoint.find(symbol);
        results.push_back(found ? *found : graph.zero());
    }
    return results;
}

}  // namespace lacon::expr
