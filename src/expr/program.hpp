// The interpreter. It is a template over the number type, so the same program runs on doubles, dual
// numbers, intervals, lanes and code in the making (kernel::Value).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "expr/curve.hpp"
#include "expr/graph.hpp"

namespace lacon::inline expr {

/// The interpreter: expressions as a list of instructions, run over any number type that has the
/// functions of <cmath>. It is the oracle for compiled code. Built once; `run` changes nothing but
/// the workspace it is given.
class Program {
public:
    Program() = default;
    /// `inputs` are symbols; every symbol in `outputs` must be among them.
    Program(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs);

    std::size_t input_count() const { return input_count_; }
    std::size_t output_count() const { return outputs_.size(); }
    std::size_t slot_count() const { return slot_count_; }
    std::size_t instruction_count() const { return instructions_.size(); }

    bool operator==(const Program&) const = default;

    /// `slots` is workspace of slot_count() numbers; the contents do not matter.
    template <class T>
    void run(std::span<const T> inputs, std::span<T> slots, std::span<T> outputs) const;

private:
    struct Instruction {
        Op op;
        std::uint32_t first, count;  // into operands_
        std::uint32_t target;        // slot
        double value;  // constant term of an `add`, value of a constant; of `data` the order
        std::uint32_t curve = 0;  // of `data`
        bool operator==(const Instruction&) const = default;
    };
    struct Operand {
        std::uint32_t slot;
        double k;
        bool operator==(const Operand&) const = default;
    };

    template <class T>
    T compute(const Instruction& in, std::span<const T> slots) const;

    std::vector<Instruction> instructions_;
    std::vector<Operand> operands_;
    std::vector<std::shared_ptr<const Curve>> curves_;
    std::vector<std::uint32_t> outputs_;
    std::size_t input_count_ = 0;
    std::size_t slot_count_ = 0;
};

/// base^k for a whole k ≥ 1, by squaring. A number type for which x * x says less than x² brings
/// its own.
template <class T>
T whole_power(T base, std::int64_t k) {
    T result = base;
    bool started = false;
    for (; k > 0; k >>= 1, base = base * base) {
        if (!(k & 1)) continue;
        result = started ? result * base : base;
        started = true;
    }
    return result;
}

inline double sign_of(double x) {
    return std::isnan(x) ? x : static_cast<double>((x > 0.0) - (x < 0.0));
}

// Decisions as numbers, 1 or 0. A number type that is not known while the program runs (code in the
// making) brings its own.
template <class T>
T when_less(const T& x, const T& y) {
    return T(x < y ? 1.0 : 0.0);
}
template <class T>
T when_less_equal(const T& x, const T& y) {
    return T(x <= y ? 1.0 : 0.0);
}
template <class T>
T when_equal(const T& x, const T& y) {
    return T(x == y ? 1.0 : 0.0);
}
template <class T>
T when_both(const T& x, const T& y) {
    return T(x != T(0.0) && y != T(0.0) ? 1.0 : 0.0);
}
template <class T>
T when_either(const T& x, const T& y) {
    return T(x != T(0.0) || y != T(0.0) ? 1.0 : 0.0);
}
template <class T>
T when_not(const T& x) {
    return T(x == T(0.0) ? 1.0 : 0.0);
}
template <class T>
T choose(const T& condition, const T& then, const T& otherwise) {
    return condition != T(0.0) ? then : otherwise;
}

// The lesser and the greater of two. A number type that can say more than a choice does brings its
// own.
template <class T>
T least(const T& x, const T& y) {
    return choose(when_less_equal(x, y), x, y);
}
template <class T>
T greatest(const T& x, const T& y) {
    return choose(when_less_equal(x, y), y, x);
}

// A measured signal at x, its derivative of an order. A number type that has no table to look in
// does not get by.
template <class T>
T curve_at(const Curve& curve, unsigned, const T&) {
    throw std::runtime_error("data '" + curve.name() + "' is not compiled");
}
inline double curve_at(const Curve& curve, unsigned order, double x) {
    return curve.at(order, x);
}

template <class T>
T apply_unary(Op op, const T& x) {
    using std::abs, std::acos, std::asin, std::atan, std::cos, std::cosh, std::exp, std::floor,
        std::log, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
    switch (op) {
        case Op::sin: return sin(x);
        case Op::cos: return cos(x);
        case Op::tan: return tan(x);
        case Op::asin: return asin(x);
        case Op::acos: return acos(x);
        case Op::atan: return atan(x);
        case Op::sinh: return sinh(x);
        case Op::cosh: return cosh(x);
        case Op::tanh: return tanh(x);
        case Op::exp: return exp(x);
        case Op::log: return log(x);
        case Op::sqrt: return sqrt(x);
        case Op::abs: return abs(x);
        case Op::sign: return sign_of(x);
        case Op::floor: return floor(x);
        case Op::logic_not: return when_not(x);
        default: return T(std::numeric_limits<double>::quiet_NaN());
    }
}

template <class T>
T apply_binary(Op op, const T& x, const T& y) {
    using std::atan2, std::hypot, std::pow;
    switch (op) {
        case Op::pow: return pow(x, y);
        case Op::atan2: return atan2(x, y);
        case Op::hypot: return hypot(x, y);
        case Op::min: return least(x, y);
        case Op::max: return greatest(x, y);
        case Op::less: return when_less(x, y);
        case Op::less_equal: return when_less_equal(x, y);
        case Op::equal: return when_equal(x, y);
        case Op::logic_and: return when_both(x, y);
        case Op::logic_or: return when_either(x, y);
        default: return T(std::numeric_limits<double>::quiet_NaN());
    }
}

template <class T>
T Program::compute(const Instruction& in, std::span<const T> slots) const {
    const Operand* arg = operands_.data() + in.first;
    switch (in.op) {
        case Op::constant: return T(in.value);
        case Op::add: {
            T total(in.value);
            for (std::uint32_t i = 0; i < in.count; ++i)
                total = total + T(arg[i].k) * slots[arg[i].slot];
            return total;
        }
        case Op::mul: {
            T above(1.0), below(1.0);
            for (std::uint32_t i = 0; i < in.count; ++i) {
                const auto k = static_cast<std::int64_t>(arg[i].k);
                const T power = whole_power(slots[arg[i].slot], k < 0 ? -k : k);
                if (k > 0) above = above * power;
                else below = below * power;
            }
            return above / below;
        }
        case Op::select: return choose(slots[arg[0].slot], slots[arg[1].slot], slots[arg[2].slot]);
        case Op::data:
            return curve_at(*curves_[in.curve], static_cast<unsigned>(in.value),
                            slots[arg[0].slot]);
        default:
            if (in.count == 1) return apply_unary(in.op, slots[arg[0].slot]);
            return apply_binary(in.op, slots[arg[0].slot], slots[arg[1].slot]);
    }
}

template <class T>
void Program::run(std::span<const T> inputs, std::span<T> slots, std::span<T> outputs) const {
    std::copy(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(input_count_),
              slots.begin());
    for (const Instruction& in : instructions_) slots[in.target] = compute<T>(in, slots);
    for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = slots[outputs_[i]];
}

}  // namespace lacon::expr
