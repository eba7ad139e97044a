// Stores the nodes of a graph in one array and finds equal ones by an open-addressing hash table.
// Rolling back removes nodes in reverse order, which leaves the table as it was. Simplification
// is in simplify.cpp.
#include "expr/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "expr/curve.hpp"

namespace lacon::inline expr {

namespace {

constexpr std::size_t initial_table = 1024;

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
    h ^= x + 0x9E3779B97F4A7C15ull + (h << 12) + (h >> 4);
    h *= 0xFF51AFD7ED558CCDull;
    return h ^ (h >> 32);
}

std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

}  // namespace

Graph::Graph(std::size_t node_limit) : table_(initial_table, 0), limit_(node_limit) {
    zero_ = constant(0.0);
    one_ = constant(1.0);
}

Expr Graph::intern(Op op, std::span<const Arg> args, double value) {
    std::uint64_t mixed = mix(static_cast<std::uint64_t>(op), bits(value));
    for (const Arg& arg : args) mixed = mix(mix(mixed, arg.expr.id), bits(arg.k));
    const auto hash = static_cast<std::uint32_t>(mixed);

    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    for (; table_[slot] != 0; slot = (slot + 1) & mask) {
        const Expr found{table_[slot] - 1};
        const Node& node = nodes_[found.id];
        if (node.hash != hash || node.op != op || bits(node.value) != bits(value)) continue;
        const std::span<const Arg> other = this->args(found);
        if (std::equal(args.begin(), args.end(), other.begin(), other.end())) return found;
    }
    if (nodes_.size() >= limit_ || args_.size() + args.size() > 4 * limit_)
        throw GraphFull(fmt::format("the expressions grow beyond {} nodes", limit_));

    const Expr created{static_cast<std::uint32_t>(nodes_.size())};
    nodes_.push_back({op, static_cast<std::uint32_t>(args_.size()),
                      static_cast<std::uint32_t>(args.size()), hash, value});
    args_.insert(args_.end(), args.begin(), args.end());
    table_[slot] = created.id + 1;
    if (2 * ++hashed_ > table_.size()) rehash(2 * table_.size());
    return created;
}

void Graph::rehash(std::size_t table_size) {
    table_.assign(table_size, 0);
    const std::size_t mask = table_.size() - 1;
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
        if (nodes_[id].op == Op::symbol) continue;
        std::size_t slot = nodes_[id].hash & mask;
        while (table_[slot] != 0) slot = (slot + 1) & mask;
        table_[slot] = id + 1;
    }
}

/// In the reverse order of their making entries leave the table as they found it.
void Graph::rollback(const Mark& mark) {
    if (mark.symbols != symbol_count())
        throw std::logic_error("Graph: symbols cannot be forgotten");
    const std::size_t mask = table_.size() - 1;
    while (nodes_.size() > mark.nodes) {
        std::size_t slot = nodes_.back().hash & mask;
        while (table_[slot] != nodes_.size()) slot = (slot + 1) & mask;
        table_[slot] = 0;
        --hashed_;
        nodes_.pop_back();
    }
    args_.resize(mark.args);
}

void Graph::shrink() {
    const auto fit = [](auto& list, std::size_t spare) {
        std::remove_reference_t<decltype(list)> tight;
        tight.reserve(list.size() + spare);
        tight.insert(tight.end(), list.begin(), list.end());
        list.swap(tight);
    };
    // So that what is made and forgotten again does not double them.
    constexpr std::size_t spare = 4096;
    fit(nodes_, spare);
    fit(args_, spare);
    fit(letters_, 0);
    fit(name_begins_, 0);
    rehash(std::max(initial_table, std::bit_ceil(2 * (hashed_ + spare))));
    table_.shrink_to_fit();
}

Expr Graph::constant(double value) {
    return intern(Op::constant, {}, value == 0.0 ? 0.0 : value);
}

Expr Graph::symbol(std::string_view name) {
    constexpr std::size_t most_letters = ~std::uint32_t{0};
    if (nodes_.size() >= limit_ || letters_.size() + name.size() > most_letters)
        throw GraphFull(fmt::format("the expressions grow beyond {} nodes", limit_));
    const Expr created{static_cast<std::uint32_t>(nodes_.size())};
    nodes_.push_back({Op::symbol, static_cast<std::uint32_t>(symbol_count()), 0, 0, 0.0});
    letters_ += name;
    name_begins_.push_back(static_cast<std::uint32_t>(letters_.size()));
    return created;
}

Expr Graph::add(Expr a, Expr b) {
    const Arg terms[] = {{a, 1.0}, {b, 1.0}};
    return sum(terms);
}

Expr Graph::sub(Expr a, Expr b) {
    const Arg terms[] = {{a, 1.0}, {b, -1.0}};
    return sum(terms);
}

Expr Graph::scale(double k, Expr a) {
    const Arg term{a, k};
    return sum({&term, 1});
}

Expr Graph::mul(Expr a, Expr b) {
    const Arg factors[] = {{a, 1.0}, {b, 1.0}};
    return product(factors);
}

Expr Graph::div(Expr a, Expr b) {
    const Arg factors[] = {{a, 1.0}, {b, -1.0}};
    return product(factors);
}

Expr Graph::pow(Expr base, int exponent) {
    const Arg factor{base, static_cast<double>(exponent)};
    return product({&factor, 1});
}

Expr Graph::pow(Expr base, Expr exponent) {
    if (is_constant(exponent)) {
        const double k = value(exponent);
        if (is_constant(base)) return constant(std::pow(value(base), k));
        if (k == std::floor(k) && std::abs(k) <= 1e6) return pow(base, static_cast<int>(k));
        if (k == 0.5) return apply(Op::sqrt, base);
        if (k == -0.5) return pow(apply(Op::sqrt, base), -1);
    }
    if (base == one_) return one_;
    const Arg args[] = {{base, 1.0}, {exponent, 1.0}};
    return intern(Op::pow, args, 0.0);
}

Expr Graph::apply(Op op, Expr a, Expr b) {
    const Expr operands[] = {a, b};
    return apply(op, operands);
}

Expr Graph::select(Expr condition, Expr then, Expr otherwise) {
    const Expr operands[] = {condition, then, otherwise};
    return apply(Op::select, operands);
}

Expr Graph::data(const std::shared_ptr<const Curve>& curve, unsigned order, Expr x) {
    static_assert(Curve::degree == 3, "order and curve share the node's value");
    if (order > Curve::degree) return zero_;
    if (is_constant(x)) return constant(curve->at(order, value(x)));
    const auto found = std::find(curves_.begin(), curves_.end(), curve);
    const auto number = static_cast<double>(found - curves_.begin());
    if (found == curves_.end()) curves_.push_back(curve);
    const Arg arg{x, 1.0};
    return intern(Op::data, {&arg, 1}, 4.0 * number + order);
}

Expr Graph::rebuilt(const Graph& from, Expr node, std::span<const Arg> operands) {
    const Op op = from.op(node);
    if (op == Op::constant) return constant(from.value(node));
    if (op == Op::add) return sum(operands, from.value(node));
    if (op == Op::mul) return product(operands);
    if (op == Op::data)
        return data(std::shared_ptr(from.curve(node)), from.curve_order(node), operands[0].expr);
    std::vector<Expr> plain;
    for (const Arg& arg : operands) plain.push_back(arg.expr);
    return apply(op, plain);
}

Expr Graph::apply(Op op, std::span<const Expr> operands) {
    switch (op) {
        case Op::add: return add(operands[0], operands[1]);
        case Op::mul: return mul(operands[0], operands[1]);
        case Op::pow: return pow(operands[0], operands[1]);
        default: return apply_function(op, operands);
    }
}

}  // namespace lacon::expr
