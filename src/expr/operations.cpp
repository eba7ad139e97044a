// What each operation is on plain numbers, and what it is called in the language.
#include <algorithm>
#include <cmath>

#include "expr/graph.hpp"
#include "expr/program.hpp"

namespace lacon::inline expr {

double apply_to_numbers(Op op, std::span<const double> x) {
    switch (x.size()) {
        case 1: return apply_unary(op, x[0]);
        case 2: return apply_binary(op, x[0], x[1]);
        default: return x[0] != 0.0 ? x[1] : x[2];
    }
}

std::string_view function_name(Op op) {
    switch (op) {
        case Op::sin: return "sin";
        case Op::cos: return "cos";
        case Op::tan: return "tan";
        case Op::asin: return "asin";
        case Op::acos: return "acos";
        case Op::atan: return "atan";
        case Op::sinh: return "sinh";
        case Op::cosh: return "cosh";
        case Op::tanh: return "tanh";
        case Op::exp: return "exp";
        case Op::log: return "log";
        case Op::sqrt: return "sqrt";
        case Op::abs: return "abs";
        case Op::sign: return "sign";
        case Op::floor: return "floor";
        case Op::atan2: return "atan2";
        case Op::hypot: return "hypot";
        case Op::min: return "min";
        case Op::max: return "max";
        case Op::select: return "if";
        default: return {};
    }
}

}  // namespace lacon::expr
