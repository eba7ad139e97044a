// Builds code: folds constants and structural zeros, draws out signs, and finds equal operations by
// hashing. Sums and products are never reordered; only the two operands of one operation may swap.
#include "kernel/code.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace lacon::kernel {

namespace {

std::uint64_t hash_of(const Node& n) {
    std::uint64_t h =
        static_cast<std::uint64_t>(n.op) * 31 + static_cast<std::uint64_t>(n.function);
    const auto mix = [&h](std::uint64_t x) {
        h = (h ^ x) * 0x9e3779b97f4a7c15ULL;
        h ^= h >> 29;
    };
    mix((std::uint64_t{n.a} << 32) | n.b);
    mix(n.c);
    mix(std::bit_cast<std::uint64_t>(n.value));
    return h;
}

bool same(const Node& x, const Node& y) {
    return x.op == y.op && x.function == y.function && x.a == y.a && x.b == y.b && x.c == y.c &&
           std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

double truth(bool holds) {
    return holds ? 1.0 : 0.0;
}

double call(Function function, double x, double y) {
    switch (function) {
        case Function::tan: return std::tan(x);
        case Function::asin: return std::asin(x);
        case Function::acos: return std::acos(x);
        case Function::atan: return std::atan(x);
        case Function::sinh: return std::sinh(x);
        case Function::cosh: return std::cosh(x);
        case Function::tanh: return std::tanh(x);
        case Function::exp: return std::exp(x);
        case Function::log: return std::log(x);
        case Function::pow: return std::pow(x, y);
        case Function::atan2: return std::atan2(x, y);
        case Function::hypot: return std::hypot(x, y);
        case Function::none: break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double apply(Do op, Function function, double a, double b, double c) {
    switch (op) {
        case Do::add: return a + b;
        case Do::sub: return a - b;
        case Do::mul: return a * b;
        case Do::div: return a / b;
        case Do::fma: return std::fma(a, b, c);
        case Do::neg: return -a;
        case Do::sqrt: return std::sqrt(a);
        case Do::abs: return std::abs(a);
        case Do::less: return truth(a < b);
        case Do::less_equal: return truth(a <= b);
        case Do::equal: return truth(a == b);
        case Do::both: return truth(a != 0.0 && b != 0.0);
        case Do::either: return truth(a != 0.0 || b != 0.0);
        case Do::negate: return truth(a == 0.0);
        case Do::select: return a != 0.0 ? b : c;
        case Do::sin: return std::sin(a);
        case Do::cos: return std::cos(a);
        case Do::call: return call(function, a, b);
        case Do::constant:
        case Do::input:
        case Do::order:
        case Do::coefficient:
        case Do::inner:
        case Do::weighted:
        case Do::item: break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::size_t operand_count(const Node& node) {
    switch (node.op) {
        case Do::constant:
        case Do::input:
        case Do::order:
        case Do::coefficient:
        case Do::inner:
        case Do::weighted:
        case Do::item: return 0;
        case Do::neg:
        case Do::sqrt:
        case Do::abs:
        case Do::negate:
        case Do::sin:
        case Do::cos: return 1;
        case Do::fma:
        case Do::select: return 3;
        case Do::call: return is_binary(node.function) ? 2 : 1;
        default: return 2;
    }
}

Code::Code() : table_(1024, 0) {}

std::uint32_t Code::input(std::uint32_t number) {
    if (number >= input_count) input_count = number + 1;
    return intern({Do::input, Function::none, number, 0, 0, 0.0});
}

std::uint32_t Code::constant(double value) {
    return intern({Do::constant, Function::none, 0, 0, 0, value});
}

std::uint32_t Code::order_number(std::uint32_t shift) {
    return intern({Do::order, Function::none, shift, 0, 0, 0.0});
}

std::uint32_t Code::coefficient(std::uint32_t slot, std::uint32_t shift) {
    return intern({Do::coefficient, Function::none, slot, shift, 0, 0.0});
}

std::uint32_t Code::inner(std::uint32_t forwards, std::uint32_t backwards, std::uint32_t shift) {
    return intern({Do::inner, Function::none, forwards, backwards, shift, 0.0});
}

std::uint32_t Code::weighted(std::uint32_t forwards, std::uint32_t backwards, std::uint32_t shift) {
    return intern({Do::weighted, Function::none, forwards, backwards, shift, 0.0});
}

std::uint32_t Code::item(std::uint32_t number) {
    return intern({Do::item, Function::none, number, 0, 0, 0.0});
}

std::uint32_t Code::make(Node node) {
    const std::size_t count = operand_count(node);
    if (count > 0 && is_constant(node.a) && (count < 2 || is_constant(node.b)) &&
        (count < 3 || is_constant(node.c))) {
        const auto at = [&](std::uint32_t id, std::size_t i) {
            return i < count ? nodes_[id].value : 0.0;
        };
        return constant(apply(node.op, node.function, at(node.a, 0), at(node.b, 1), at(node.c, 2)));
    }
    return fold(node);
}

/// Structural zeros and ones. (0 x is 0 whatever x is: a zero of a matrix is no number that was
/// computed.) Signs are drawn out of products and differences, where they cost nothing: then a and
/// −a are one operation, and the sums take them in again.
std::uint32_t Code::fold(const Node& node) {
    Node n = node;
    const auto is = [this](std::uint32_t id, double x) {
        return is_constant(id) && nodes_[id].value == x;
    };
    const auto is_neg = [this](std::uint32_t id) { return nodes_[id].op == Do::neg; };
    const auto bare = [&](std::uint32_t id) { return is_neg(id) ? nodes_[id].a : id; };
    const auto negated = [this](std::uint32_t id) {
        return make({Do::neg, Function::none, id, 0, 0, 0.0});
    };
    const auto two = [this](Do op, std::uint32_t a, std::uint32_t b) {
        return make({op, Function::none, a, b, 0, 0.0});
    };
    const auto signed_two = [&](Do op) {  // of a product or quotient with a sign in it
        const std::uint32_t result = two(op, bare(n.a), bare(n.b));
        return is_neg(n.a) != is_neg(n.b) ? negated(result) : result;
    };
    switch (n.op) {
        case Do::add:
            if (is(n.a, 0.0)) return n.b;
            if (is(n.b, 0.0)) return n.a;
            if (is_neg(n.b)) return two(Do::sub, n.a, bare(n.b));
            if (is_neg(n.a)) return two(Do::sub, n.b, bare(n.a));
            if (n.a > n.b) std::swap(n.a, n.b);
            break;
        case Do::sub:
            if (is(n.b, 0.0)) return n.a;
            if (is(n.a, 0.0)) return negated(n.b);
            if (is_neg(n.b)) return two(Do::add, n.a, bare(n.b));
            if (is_neg(n.a)) return negated(two(Do::add, bare(n.a), n.b));
            if (n.a > n.b) return negated(two(Do::sub, n.b, n.a));
            break;
        case Do::mul:
            if (is(n.a, 0.0)) return n.a;
            if (is(n.b, 0.0)) return n.b;
            if (is(n.a, 1.0)) return n.b;
            if (is(n.b, 1.0)) return n.a;
            if (is_neg(n.a) || is_neg(n.b)) return signed_two(n.op);
            if (is_constant(n.b)) std::swap(n.a, n.b);
            if (is_constant(n.a) && nodes_[n.a].value < 0.0)
                return negated(two(Do::mul, constant(-nodes_[n.a].value), n.b));
            if (n.a > n.b) std::swap(n.a, n.b);
            break;
        case Do::div:
            if (is(n.a, 0.0)) return n.a;
            if (is(n.b, 1.0)) return n.a;
            if (is_neg(n.a) || is_neg(n.b)) return signed_two(n.op);
            break;
        case Do::fma:
            if (is(n.a, 0.0) || is(n.b, 0.0)) return n.c;
            if (is(n.c, 0.0)) return two(Do::mul, n.a, n.b);
            if (is(n.a, 1.0)) return two(Do::add, n.b, n.c);
            if (is(n.b, 1.0)) return two(Do::add, n.a, n.c);
            if (n.a > n.b) std::swap(n.a, n.b);
            break;
        case Do::neg:
            if (is_neg(n.a)) return bare(n.a);
            break;
        case Do::abs: n.a = bare(n.a); break;
        case Do::equal:
        case Do::both:
        case Do::either:
            if (n.a > n.b) std::swap(n.a, n.b);
            break;
        case Do::select:
            if (is_constant(n.a)) return nodes_[n.a].value != 0.0 ? n.b : n.c;
            if (n.b == n.c) return n.b;
            break;
        default: break;
    }
    return intern(n);
}

std::uint32_t Code::intern(const Node& node) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash_of(node) & mask;
    for (; table_[at] != 0; at = (at + 1) & mask)
        if (same(nodes_[table_[at] - 1], node)) return table_[at] - 1;
    if (nodes_.size() >= most_nodes)
        throw CodeFull("more than " + std::to_string(most_nodes) + " operations");
    nodes_.push_back(node);
    table_[at] = static_cast<std::uint32_t>(nodes_.size());
    if (2 * nodes_.size() > table_.size()) rehash();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void Code::rehash() {
    table_.assign(2 * table_.size(), 0);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        std::size_t at = hash_of(nodes_[i]) & mask;
        while (table_[at] != 0) at = (at + 1) & mask;
        table_[at] = static_cast<std::uint32_t>(i + 1);
    }
}

std::vector<std::uint32_t> Code::roots() const {
    std::vector<std::uint32_t> result = outputs;
    for (const Series::Store& store : series.stores) result.push_back(store.value);
    return result;
}

std::vector<std::uint32_t> Code::order() const {
    std::vector<std::uint32_t> result;
    std::vector<char> state(nodes_.size(), 0);  // 0 new, 1 operands under way, 2 listed
    std::vector<std::uint32_t> stack;
    for (const std::uint32_t output : roots()) {
        stack.push_back(output);
        while (!stack.empty()) {
            const std::uint32_t id = stack.back();
            if (state[id] != 0) {
                stack.pop_back();
                if (state[id] == 1) result.push_back(id);
                state[id] = 2;
                continue;
            }
            state[id] = 1;
            const Node& node = nodes_[id];
            const std::uint32_t operands[3] = {node.a, node.b, node.c};
            for (std::size_t i = operand_count(node); i-- > 0;)
                if (state[operands[i]] == 0) stack.push_back(operands[i]);
        }
    }
    return result;
}

Value Value::write(Do op, const Operands& o, Function f) {
    Code* code = nullptr;
    for (const Value* x : {o.a, o.b, o.c})
        if (x && x->code_) code = x->code_;
    if (!code)
        return {apply(op, f, o.a->number_, o.b ? o.b->number_ : 0.0, o.c ? o.c->number_ : 0.0)};
    const auto id = [&](const Value* x) { return x ? x->id_in(*code) : 0u; };
    return {*code, code->make({op, f, id(o.a), id(o.b), id(o.c), 0.0})};
}

}  // namespace lacon::kernel
