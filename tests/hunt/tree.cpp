// Expressions as trees: how the hunt writes and varies them.
#include "hunt/tree.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace hunt {

int Tree::add(Node node) {
    const auto at = [&](std::size_t k) { return node.args[k]; };
    switch (node.op) {
        case Op::add:
            if (is(at(0), 0.0)) return at(1);
            if (is(at(1), 0.0)) return at(0);
            break;
        case Op::sub:
            if (is(at(1), 0.0)) return at(0);
            if (is(at(0), 0.0)) return make(Op::neg, {at(1)});
            break;
        case Op::mul:
            if (is(at(0), 0.0) || is(at(1), 0.0)) return number(0.0);
            if (is(at(0), 1.0)) return at(1);
            if (is(at(1), 1.0)) return at(0);
            break;
        case Op::div:
            if (is(at(0), 0.0)) return number(0.0);
            if (is(at(1), 1.0)) return at(0);
            break;
        case Op::neg:
            if (is(at(0), 0.0)) return at(0);
            if ((*this)[at(0)].op == Op::neg) return (*this)[at(0)].args[0];
            break;
        case Op::power:
            if (node.value == 0.0) return number(1.0);
            if (node.value == 1.0) return at(0);
            break;
        case Op::above:
            if (at(2) == at(3)) return at(2);
            break;
        case Op::inside:
            if (at(3) == at(4)) return at(3);
            break;
        default: break;
    }
    if (node.value == 0.0) node.value = 0.0;  // −0 is 0
    const auto [place, is_new] = known_.try_emplace(node, static_cast<int>(nodes_.size()));
    if (is_new) nodes_.push_back(std::move(node));
    return place->second;
}

int Tree::derivative(int node, int leaf) {
    // Operands have smaller numbers; recursion is as deep as formulas are, which here is little.
    const auto key = std::pair(node, leaf);
    if (const auto found = derivatives_.find(key); found != derivatives_.end())
        return found->second;
    const int result = rule(node, leaf);
    derivatives_[key] = result;
    return result;
}

int Tree::rule(int i, int leaf) {
    if (i == leaf) return number(1.0);
    const Node node = (*this)[i];  // a copy: the table grows
    if (node.args.empty()) return number(0.0);
    std::vector<Term> d;
    for (const int arg : node.args) d.push_back({this, derivative(arg, leaf)});
    const auto arg = [&](std::size_t k) { return Term{this, node.args[k]}; };
    const Term self{this, i}, x = arg(0);
    const auto choose = [&](Op op, std::vector<int> args) { return make(op, std::move(args)); };
    const bool all_zero =
        std::ranges::all_of(d, [&](const Term& one) { return is(one.node, 0.0); });
    if (all_zero) return number(0.0);
    switch (node.op) {
        case Op::add: return (d[0] + d[1]).node;
        case Op::sub: return (d[0] - d[1]).node;
        case Op::mul: return (d[0] * arg(1) + x * d[1]).node;
        case Op::div: return (d[0] / arg(1) - x * d[1] / (arg(1) * arg(1))).node;
        case Op::power: return (node.value * power(x, node.value - 1.0) * d[0]).node;
        case Op::neg: return (-d[0]).node;
        case Op::sin: return (apply(Op::cos, x) * d[0]).node;
        case Op::cos: return (-(apply(Op::sin, x) * d[0])).node;
        case Op::tan: return ((self * self + 1.0) * d[0]).node;
        case Op::asin: return (d[0] / apply(Op::sqrt, lift(x, 1.0) - x * x)).node;
        case Op::atan: return (d[0] / (x * x + 1.0)).node;
        case Op::sinh: return (apply(Op::cosh, x) * d[0]).node;
        case Op::cosh: return (apply(Op::sinh, x) * d[0]).node;
        case Op::tanh: return ((lift(x, 1.0) - self * self) * d[0]).node;
        case Op::exp: return (self * d[0]).node;
        case Op::log: return (d[0] / x).node;
        case Op::sqrt: return (d[0] / (2.0 * self)).node;
        case Op::abs: return choose(Op::above, {x.node, number(0.0), d[0].node, (-d[0]).node});
        case Op::sign: return number(0.0);
        case Op::max: return choose(Op::above, {x.node, node.args[1], d[0].node, d[1].node});
        case Op::min: return choose(Op::above, {x.node, node.args[1], d[1].node, d[0].node});
        case Op::hypot: return ((x * d[0] + arg(1) * d[1]) / self).node;
        case Op::atan2: return ((arg(1) * d[0] - x * d[1]) / (x * x + arg(1) * arg(1))).node;
        case Op::above:
            return choose(Op::above, {node.args[0], node.args[1], d[2].node, d[3].node});
        case Op::inside:
            return choose(Op::inside,
                          {node.args[0], node.args[1], node.args[2], d[3].node, d[4].node});
        case Op::spline:
            return (Term{this, make(Op::spline, {x.node}, node.value + 1.0, node.index)} * d[0])
                .node;
        default: throw std::logic_error("a leaf has no rule");
    }
}

int Tree::replaced(int node, std::map<int, int>& by) {
    if (const auto found = by.find(node); found != by.end()) return found->second;
    Node copy = (*this)[node];
    for (int& arg : copy.args) arg = replaced(arg, by);
    const int result = add(std::move(copy));
    by[node] = result;
    return result;
}

bool Tree::contains(int node, Op op, int index) const {
    std::vector<bool> seen(static_cast<std::size_t>(node) + 1, false);
    seen.back() = true;
    for (int i = node; i >= 0; --i) {
        if (!seen[static_cast<std::size_t>(i)]) continue;
        const Node& one = (*this)[i];
        if (one.op == op && (index < 0 || one.index == index)) return true;
        for (const int arg : one.args) seen[static_cast<std::size_t>(arg)] = true;
    }
    return false;
}

std::string shortest(double value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

namespace {

std::string function_name(Op op) {
    switch (op) {
        case Op::sin: return "sin";
        case Op::cos: return "cos";
        case Op::tan: return "tan";
        case Op::asin: return "asin";
        case Op::atan: return "atan";
        case Op::sinh: return "sinh";
        case Op::cosh: return "cosh";
        case Op::tanh: return "tanh";
        case Op::exp: return "exp";
        case Op::log: return "log";
        case Op::sqrt: return "sqrt";
        case Op::abs: return "abs";
        case Op::sign: return "sign";
        case Op::min: return "min";
        case Op::max: return "max";
        case Op::hypot: return "hypot";
        case Op::atan2: return "atan2";
        default: throw std::logic_error("no function");
    }
}

}  // namespace

std::string Tree::text(int i, const std::vector<std::string>& names,
                       const std::vector<Table>& tables,
                       const std::map<int, std::string>& given) const {
    const Node& node = (*this)[i];
    const auto arg = [&](std::size_t k) {
        const auto name = given.find(node.args[k]);
        return name != given.end() ? name->second : text(node.args[k], names, tables, given);
    };
    const auto bracket = [&](std::size_t k) {
        const Node& one = (*this)[node.args[k]];
        const bool plain =
            (one.args.empty() && !(one.op == Op::number && one.value < 0.0)) || one.op >= Op::sin;
        return plain || given.contains(node.args[k]) ? arg(k) : "(" + arg(k) + ")";
    };
    switch (node.op) {
        case Op::number: return shortest(node.value);
        case Op::time: return "t";
        case Op::coordinate: return names[static_cast<std::size_t>(node.index)];
        case Op::velocity: return names[static_cast<std::size_t>(node.index)] + "'";
        case Op::acceleration: return names[static_cast<std::size_t>(node.index)] + "''";
        case Op::add: return arg(0) + " + " + bracket(1);
        case Op::sub: return arg(0) + " - " + bracket(1);
        case Op::mul: return bracket(0) + "*" + bracket(1);
        case Op::div: return bracket(0) + "/" + bracket(1);
        case Op::neg: return "-" + bracket(0);
        case Op::power:
            return bracket(0) + "^" +
                   (node.value < 0.0 ? "(" + shortest(node.value) + ")" : shortest(node.value));
        case Op::above:
            return "if(" + arg(0) + " > " + arg(1) + ", " + arg(2) + ", " + arg(3) + ")";
        case Op::inside:
            return "if(" + arg(0) + " > " + arg(1) + " and " + arg(0) + " < " + arg(2) + ", " +
                   arg(3) + ", " + arg(4) + ")";
        case Op::spline:
            return tables[static_cast<std::size_t>(node.index)].name + "(" + arg(0) + ")";
        default: break;
    }
    std::string all = arg(0);
    for (std::size_t k = 1; k < node.args.size(); ++k) all += ", " + arg(k);
    return function_name(node.op) + "(" + all + ")";
}

}  // namespace hunt
