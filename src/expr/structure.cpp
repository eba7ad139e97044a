// Reads the structure of expressions into a key, and rebuilds expressions with other leaves. Nodes
// are rebuilt in the order they were made, so that sums keep the order of their terms.
#include "expr/structure.hpp"

#include <algorithm>

namespace lacon::inline expr {

/// The constants stand in the order in which `with_leaves` meets them: that of the nodes, of a sum
/// its own term before the factors.
void read_structure(const Graph& graph, std::span<const Expr> roots, Structure& out) {
    out.constants.clear();
    out.symbols.clear();
    for (const Expr e : out.traversal.postorder(graph, roots)) {
        const Op op = graph.op(e);
        out.key.push_back(static_cast<std::uint64_t>(op));
        if (op == Op::symbol) {
            out.symbols.push_back(e);
            continue;
        }
        if (op == Op::constant || op == Op::add) out.constants.push_back(graph.value(e));
        else out.key.push_back(std::bit_cast<std::uint64_t>(graph.value(e)));
        out.key.push_back(graph.args(e).size());
        for (const Arg& arg : graph.args(e)) {
            out.key.push_back(out.traversal.place_of(arg.expr));
            if (op == Op::add) out.constants.push_back(arg.k);
            else out.key.push_back(std::bit_cast<std::uint64_t>(arg.k));
            // An exponent decides what a power is.
            if (op == Op::pow && graph.is_constant(arg.expr))
                out.key.push_back(std::bit_cast<std::uint64_t>(graph.value(arg.expr)));
        }
    }
    for (const Expr root : roots) out.key.push_back(out.traversal.place_of(root));
}

std::vector<Expr> with_leaves(const Graph& from, Graph& to, std::span<const Expr> roots,
                              const Leaves& leaves, const std::vector<bool>& is_leaf) {
    struct Node {
        Expr expr;
        std::size_t symbol, constant;  // its place among the symbols; of its first constant
    };
    std::vector<std::size_t> leaf_of(is_leaf.size());
    for (std::size_t i = 0, next = 0; i < is_leaf.size(); ++i) leaf_of[i] = is_leaf[i] ? next++ : 0;
    std::vector<Node> nodes;
    std::size_t symbol = 0, constant = 0;
    for (const Expr e : postorder(from, roots)) {
        nodes.push_back({e, symbol, constant});
        const Op op = from.op(e);
        symbol += op == Op::symbol ? 1 : 0;
        constant += op == Op::constant ? 1 : op == Op::add ? 1 + from.args(e).size() : 0;
    }
    // In the order in which they were made, which that of terms in sums follows.
    std::sort(nodes.begin(), nodes.end(),
              [](const Node& a, const Node& b) { return a.expr < b.expr; });
    ExprMap<Expr> built;
    std::vector<Arg> args;
    for (const Node& node : nodes) {
        const auto leaf = [&](std::size_t i) {
            return leaves.constants[leaf_of[node.constant + i]];
        };
        const auto has_leaf = [&](std::size_t i) { return is_leaf[node.constant + i]; };
        const Op op = from.op(node.expr);
        args.assign(from.args(node.expr).begin(), from.args(node.expr).end());
        for (Arg& arg : args) arg.expr = built.at(arg.expr);
        if (op == Op::symbol) {
            built.insert(node.expr, leaves.symbols[node.symbol]);
        } else if (op == Op::constant) {
            built.insert(node.expr, has_leaf(0) ? leaf(0) : to.constant(from.value(node.expr)));
        } else if (op == Op::add) {
            for (std::size_t i = 0; i < args.size(); ++i)
                if (has_leaf(i + 1)) args[i] = {to.mul(leaf(i + 1), args[i].expr), 1.0};
            if (has_leaf(0)) args.push_back({leaf(0), 1.0});
            built.insert(node.expr, to.sum(args, has_leaf(0) ? 0.0 : from.value(node.expr)));
        } else {
            built.insert(node.expr, to.rebuilt(from, node.expr, args));
        }
    }
    std::vector<Expr> made;
    for (const Expr root : roots) made.push_back(built.at(root));
    return made;
}

std::size_t StructureHash::operator()(const std::vector<std::uint64_t>& key) const {
    std::uint64_t hash = key.size();
    for (const std::uint64_t x : key) {
        hash = (hash ^ x) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
}

}  // namespace lacon::expr
