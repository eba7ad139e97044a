// Expressions as trees: how the hunt writes and varies them.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "hunt/real.hpp"

/// Expressions of the oracle: a table of nodes in which equal ones are kept once, their derivatives
/// and their text in the model language. Written apart from the engine; only the language is the
/// same.
namespace hunt {

enum class Op {
    number,
    time,
    coordinate,
    velocity,
    acceleration,  // leaves
    add,
    sub,
    mul,
    div,
    power,
    neg,  // power: to a whole or rational number (`value`)
    sin,
    cos,
    tan,
    asin,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt,  // functions of one argument
    abs,
    sign,
    min,
    max,
    hypot,
    atan2,
    above,   // if(x > y, a, b)
    inside,  // if(x > lo and x < hi, a, b): arguments x, lo, hi, a, b
    spline,  // natural cubic through table `index`, `value` times differentiated
};

struct Node {
    Op op = Op::number;
    double value = 0.0;     // of a number; the exponent; order of derivative of a spline
    int index = 0;          // of a coordinate or table
    std::vector<int> args;  // numbers of nodes, all smaller than its own
    auto operator<=>(const Node&) const = default;
};

/// Points of a measured signal; zero outside (`beyond zero`) with zero values at both ends.
struct Table {
    std::string name;
    std::vector<double> x, y;
};

class Tree {
public:
    int add(Node node);  // simplifies x + 0, x · 1, x · 0 and the like; numbers are never added up
    int number(double value) { return add({Op::number, value, 0, {}}); }
    int make(Op op, std::vector<int> args, double value = 0.0, int index = 0) {
        return add({op, value, index, std::move(args)});
    }
    const Node& operator[](int i) const { return nodes_[static_cast<std::size_t>(i)]; }
    std::size_t size() const { return nodes_.size(); }
    bool is(int i, double value) const {
        return (*this)[i].op == Op::number && (*this)[i].value == value;
    }

    /// ∂(node)/∂(leaf); leaves are nodes of time, coordinates, velocities, accelerations.
    int derivative(int node, int leaf);
    /// With leaves (or any nodes) replaced by others: `by` maps numbers of nodes.
    int replaced(int node, std::map<int, int>& by);
    /// In the model language. Names of coordinates by number; tables by theirs; parts of it may
    /// have names, which are `given`.
    std::string text(int node, const std::vector<std::string>& names,
                     const std::vector<Table>& tables,
                     const std::map<int, std::string>& given = {}) const;
    /// Whether the leaf kind (and index, −1: any) is in it.
    bool contains(int node, Op op, int index = -1) const;

private:
    int rule(int i, int leaf);

    std::vector<Node> nodes_;
    std::map<Node, int> known_;
    std::map<std::pair<int, int>, int> derivatives_;
};

/// A node with its tree, for writing formulas: `0.5*m*(x*x + y*y)`.
struct Term {
    Tree* tree = nullptr;
    int node = 0;
};
inline Term lift(const Term& like, double value) {
    return {like.tree, like.tree->number(value)};
}
inline Term apply(Op op, const Term& x) {
    return {x.tree, x.tree->make(op, {x.node})};
}
inline Term apply(Op op, const Term& x, const Term& y) {
    return {x.tree, x.tree->make(op, {x.node, y.node})};
}
inline Term power(const Term& x, double to) {
    return {x.tree, x.tree->make(Op::power, {x.node}, to)};
}
inline Term operator+(const Term& x, const Term& y) {
    return apply(Op::add, x, y);
}
inline Term operator-(const Term& x, const Term& y) {
    return apply(Op::sub, x, y);
}
inline Term operator*(const Term& x, const Term& y) {
    return apply(Op::mul, x, y);
}
inline Term operator/(const Term& x, const Term& y) {
    return apply(Op::div, x, y);
}
inline Term operator-(const Term& x) {
    return apply(Op::neg, x);
}
inline Term operator+(const Term& x, double y) {
    return x + lift(x, y);
}
inline Term operator-(const Term& x, double y) {
    return x - lift(x, y);
}
inline Term operator*(double x, const Term& y) {
    return lift(y, x) * y;
}
inline Term operator/(const Term& x, double y) {
    return x / lift(x, y);
}

std::string shortest(double value);  ///< the shortest text that reads back to the same number

}  // namespace hunt
