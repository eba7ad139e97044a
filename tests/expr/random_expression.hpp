// Random expressions and states.
#pragma once

#include <random>
#include <span>

#include "expr/graph.hpp"

namespace lacon {

/// A random smooth expression of the given symbols, without singular points for arguments between
/// −1.5 and 1.5.
inline Expr random_expression(Graph& g, std::span<const Expr> symbols, std::mt19937_64& random,
                              int depth) {
    const auto pick = [&](int count) {
        return std::uniform_int_distribution<int>(0, count - 1)(random);
    };
    const auto inner = [&] { return random_expression(g, symbols, random, depth - 1); };
    if (depth == 0 || pick(8) == 0) {
        if (pick(4) == 0)
            return g.constant(std::uniform_real_distribution<double>(-2.0, 2.0)(random));
        return symbols[static_cast<std::size_t>(pick(static_cast<int>(symbols.size())))];
    }
    switch (pick(16)) {
        case 0:
        case 1: return g.add(inner(), inner());
        case 2: return g.sub(inner(), inner());
        case 3:
        case 4: return g.mul(inner(), inner());
        case 5: return g.div(inner(), g.add(g.constant(1.5), g.pow(g.apply(Op::sin, inner()), 2)));
        case 6: return g.pow(g.apply(Op::sin, inner()), 1 + pick(4));
        case 7: return g.apply(Op::sin, inner());
        case 8: return g.apply(Op::cos, inner());
        case 9: return g.apply(Op::atan, inner());
        case 10: return g.apply(Op::exp, g.apply(Op::sin, inner()));
        case 11: return g.apply(Op::sqrt, g.add(g.constant(1.0), g.pow(inner(), 2)));
        case 12:
            return g.apply(Op::hypot, g.add(g.constant(2.0), g.apply(Op::cos, inner())), inner());
        case 13:
            return g.apply(Op::atan2, inner(), g.add(g.constant(2.0), g.apply(Op::cos, inner())));
        case 14: return g.apply(Op::tanh, inner());
        default: return g.apply(Op::log, g.add(g.constant(2.0), g.apply(Op::sin, inner())));
    }
}

}  // namespace lacon
