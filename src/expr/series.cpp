// Recurrences of power series (see any text on Taylor methods, e.g. Jorba & Zou 2005): c = f(a), coefficient k from those below.
#include "expr/series.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>

#include "expr/program.hpp"
#include "expr/traverse.hpp"

namespace lacon {

/// Takes expressions apart into operations that have a recurrence.
class SeriesLowering {
public:
    using Kind = SeriesProgram::Kind;
    explicit SeriesLowering(SeriesProgram& program) : p_(program) {}

    void run(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs, std::size_t constants) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            slot_of_.insert(inputs[i], next_++);
            p_.constant_.push_back(i + constants >= inputs.size());
        }
        for (const Expr e : postorder(graph, outputs)) {
            if (!graph.is_symbol(e)) slot_of_.insert(e, lower(graph, e));
            else if (!slot_of_.contains(e))
                throw std::logic_error("SeriesProgram: symbol '" + graph.name(e) + "' is not an input");
        }
        for (const Expr output : outputs) p_.outputs_.push_back(slot_of_.at(output));
        p_.slot_count_ = next_;
    }

private:
    using Slot = std::uint32_t;
    struct Parts {
        Kind kind;
        Op op = Op::constant;
        double value = 0.0;
        Slot slots = 1;  // how many it fills
    };

    /// The slot of an operation; one that is there already (x² in two products, sin beside cos) is used again.
    Slot emit(const Parts& parts, std::span<const SeriesProgram::Operand> operands) {
        using Bits = std::uint64_t;  // also of numbers: a NaN has no place in their order
        std::vector<Bits> key{static_cast<Bits>(parts.kind), static_cast<Bits>(parts.op), std::bit_cast<Bits>(parts.value)};
        for (const auto& operand : operands) key.insert(key.end(), {Bits{operand.slot}, std::bit_cast<Bits>(operand.k)});
        const auto [found, is_new] = emitted_.try_emplace(std::move(key), next_);
        if (!is_new) return found->second;
        bool constant = true;
        const auto first = static_cast<std::uint32_t>(p_.operands_.size());
        for (const auto& operand : operands) {
            const bool varies = !p_.constant_[operand.slot];
            constant = constant && !varies;
            p_.operands_.push_back({operand.slot, operand.k, varies});
        }
        if (parts.kind == Kind::by_value) constant = true;
        const Slot target = next_;
        next_ += parts.slots;
        p_.constant_.insert(p_.constant_.end(), parts.slots, constant);
        p_.instructions_.push_back(
            {parts.kind, parts.op, first, static_cast<std::uint32_t>(operands.size()), target, parts.value, constant});
        return target;
    }
    Slot emit(const Parts& parts, std::initializer_list<Slot> slots) {
        std::vector<SeriesProgram::Operand> operands;
        for (const Slot s : slots) operands.push_back({s, 1.0});
        return emit(parts, operands);
    }

    Slot constant(double value) { return emit({Kind::constant, Op::constant, value}, {}); }
    Slot multiply(Slot a, Slot b) { return a == b ? emit({Kind::square}, {a}) : emit({Kind::multiply}, {a, b}); }
    Slot linear(double value, std::initializer_list<SeriesProgram::Operand> operands) {
        return emit({Kind::linear, Op::add, value}, std::span(operands.begin(), operands.size()));
    }

    Slot power(Slot base, std::int64_t k) {
        Slot result = base;
        bool started = false;
        for (; k > 0; k >>= 1) {
            if (k & 1) {
                result = started ? multiply(result, base) : base;
                started = true;
            }
            if (k > 1) base = multiply(base, base);
        }
        return result;
    }

    Slot product(std::span<const Arg> args) {
        std::optional<Slot> above, below;
        for (const Arg& arg : args) {
            const auto k = static_cast<std::int64_t>(arg.k);
            const Slot factor = power(slot_of_.at(arg.expr), k < 0 ? -k : k);
            std::optional<Slot>& side = k > 0 ? above : below;
            side = side ? multiply(*side, factor) : factor;
        }
        if (!below) return above ? *above : constant(1.0);
        return emit({Kind::divide}, {above ? *above : constant(1.0), *below});
    }

    Slot lower(const Graph& graph, Expr e) {
        const auto args = graph.args(e);
        const auto arg = [&](std::size_t i) { return slot_of_.at(args[i].expr); };
        switch (graph.op(e)) {
            case Op::constant: return constant(graph.value(e));
            case Op::add: {
                std::vector<SeriesProgram::Operand> operands;
                for (const Arg& a : args) operands.push_back({slot_of_.at(a.expr), a.k});
                return emit({Kind::linear, Op::add, graph.value(e)}, operands);
            }
            case Op::mul: return product(args);
            case Op::pow:
                if (p_.constant_[arg(1)]) return emit({Kind::power, Op::pow, 0.0, 11}, {arg(0), arg(1)});
                return emit({Kind::exp}, {multiply(arg(1), emit({Kind::log}, {arg(0)}))});
            case Op::sin: return emit({Kind::sin_cos, Op::sin, 0.0, 2}, {arg(0)});
            case Op::cos: return emit({Kind::sin_cos, Op::sin, 0.0, 2}, {arg(0)}) + 1;
            case Op::sinh: return emit({Kind::sinh_cosh, Op::sinh, 0.0, 2}, {arg(0)});
            case Op::cosh: return emit({Kind::sinh_cosh, Op::sinh, 0.0, 2}, {arg(0)}) + 1;
            case Op::tan: return emit({Kind::tan, Op::tan, 0.0, 2}, {arg(0)});
            case Op::tanh: return emit({Kind::tanh, Op::tanh, 0.0, 2}, {arg(0)});
            case Op::exp: return emit({Kind::exp}, {arg(0)});
            case Op::log: return emit({Kind::log}, {arg(0)});
            case Op::sqrt: return emit({Kind::sqrt}, {arg(0)});
            case Op::atan: return integral(Op::atan, 1.0, arg(0), linear(1.0, {{multiply(arg(0), arg(0)), 1.0}}));
            case Op::asin: return integral(Op::asin, 1.0, arg(0), root_of_one_less_square(arg(0)));
            case Op::acos: return integral(Op::acos, -1.0, arg(0), root_of_one_less_square(arg(0)));
            case Op::atan2: return emit({Kind::angle}, {arg(0), arg(1), sum_of_squares(arg(0), arg(1))});
            case Op::hypot: return emit({Kind::hypot}, {arg(0), arg(1), sum_of_squares(arg(0), arg(1))});
            case Op::select: return emit({Kind::select}, {arg(0), arg(1), arg(2)});
            case Op::abs: return emit({Kind::chosen, Op::abs}, {arg(0)});
            case Op::min:
            case Op::max: return emit({Kind::chosen, graph.op(e)}, {arg(0), arg(1)});
            default: break;
        }
        if (args.size() == 1) return emit({Kind::by_value, graph.op(e)}, {arg(0)});
        return emit({Kind::by_value, graph.op(e)}, {arg(0), arg(1)});
    }

    Slot integral(Op op, double sign, Slot x, Slot d) { return emit({Kind::quotient_integral, op, sign}, {x, d}); }
    Slot root_of_one_less_square(Slot x) { return emit({Kind::sqrt}, {linear(1.0, {{multiply(x, x), -1.0}})}); }
    Slot sum_of_squares(Slot x, Slot y) { return linear(0.0, {{multiply(x, x), 1.0}, {multiply(y, y), 1.0}}); }

    SeriesProgram& p_;
    ExprMap<Slot> slot_of_;
    std::map<std::vector<std::uint64_t>, Slot> emitted_;
    Slot next_ = 0;
};

SeriesProgram::SeriesProgram(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs,
                             std::size_t constants)
    : input_count_(inputs.size()) {
    SeriesLowering(*this).run(graph, inputs, outputs, constants);
}

namespace {

/// Σ_{j=0..k} a_j b_{k−j}; two sums, so that the additions do not wait for each other.
double convolve(const double* a, const double* b, std::size_t from, std::size_t to, std::size_t k) {
    double even = 0.0, odd = 0.0;
    std::size_t j = from;
    for (; j + 1 <= to; j += 2) {
        even += a[j] * b[k - j];
        odd += a[j + 1] * b[k - j - 1];
    }
    if (j <= to) even += a[j] * b[k - j];
    return even + odd;
}

/// Σ_{j=1..to} j a_j b_{k−j}
double weighted(const double* a, const double* b, std::size_t to, std::size_t k) {
    double sum = 0.0;
    for (std::size_t j = 1; j <= to; ++j) sum += static_cast<double>(j) * a[j] * b[k - j];
    return sum;
}

/// Order k of a²: every product but the middle one comes twice.
double squared(const double* a, std::size_t from, std::size_t k) {
    const std::size_t half = (k + 1) / 2;
    double sum = 0.0;
    for (std::size_t j = from; j < half; ++j) sum += a[j] * a[k - j];
    sum *= 2.0;
    if (k % 2 == 0 && k / 2 >= from) sum += a[k / 2] * a[k / 2];
    return sum;
}

/// Whether all orders up to k are zero: a spring out of contact, whose force has a root of zero in it.
bool vanishes(const double* a, std::size_t k) {
    return std::all_of(a, a + k + 1, [](double x) { return x == 0.0; });
}

}  // namespace

/// Of a whole exponent by products: the recurrence divides by a_0 and is lost where the base passes zero.
double SeriesProgram::power(const Instruction& in, std::size_t k, double* work, std::size_t stride) const {
    constexpr double most = 63.0;
    const double* a = work + operands_[in.first].slot * stride;
    const double exponent = work[operands_[in.first + 1].slot * stride];
    double* c = work + in.target * stride;
    if (exponent >= 0.0 && exponent <= most && exponent == std::floor(exponent)) {
        double* square = c + stride;
        double* partial = square + 5 * stride;
        const double* product = nullptr;
        for (auto rest = static_cast<int>(exponent); rest > 0; rest >>= 1) {
            if (rest % 2 == 1 && product) {
                partial[k] = convolve(product, a, 0, k, k);
                product = partial;
                partial += stride;
            } else if (rest % 2 == 1) {
                product = a;
            }
            if (rest == 1) break;
            square[k] = squared(a, 0, k);
            a = square;
            square += stride;
        }
        return product ? product[k] : k == 0 ? 1.0 : 0.0;
    }
    if (k == 0) return std::pow(a[0], exponent);
    if (exponent > 0.0 && vanishes(a, k)) return 0.0;
    double sum = 0.0;
    for (std::size_t j = 0; j < k; ++j) sum += (exponent * static_cast<double>(k - j) - static_cast<double>(j)) * a[k - j] * c[j];
    return sum / (static_cast<double>(k) * a[0]);
}

double SeriesProgram::at_zero(const Instruction& in, double* work, std::size_t stride) const {
    const Operand* arg = operands_.data() + in.first;
    const auto x = [&](std::uint32_t i) { return work[arg[i].slot * stride]; };
    double* second = work + (in.target + 1) * stride;  // of those that fill two slots
    switch (in.kind) {
        case Kind::constant: return in.value;
        case Kind::linear: {
            double sum = in.value;
            for (std::uint32_t i = 0; i < in.count; ++i) sum += arg[i].k * x(i);
            return sum;
        }
        case Kind::multiply: return x(0) * x(1);
        case Kind::square: return x(0) * x(0);
        case Kind::divide: return x(0) / x(1);
        case Kind::sqrt: return std::sqrt(x(0));
        case Kind::exp: return std::exp(x(0));
        case Kind::log: return std::log(x(0));
        case Kind::power: return power(in, 0, work, stride);
        case Kind::sin_cos: *second = std::cos(x(0)); return std::sin(x(0));
        case Kind::sinh_cosh: *second = std::cosh(x(0)); return std::sinh(x(0));
        case Kind::tan: {
            const double value = std::tan(x(0));
            *second = 1.0 + value * value;
            return value;
        }
        case Kind::tanh: {
            const double value = std::tanh(x(0));
            *second = 1.0 - value * value;
            return value;
        }
        case Kind::quotient_integral: return apply_unary<double>(in.op, x(0));
        case Kind::angle: return std::atan2(x(0), x(1));
        case Kind::hypot: return std::hypot(x(0), x(1));
        case Kind::select: return x(0) != 0.0 ? x(1) : x(2);
        case Kind::by_value:
        case Kind::chosen: return in.count == 1 ? apply_unary<double>(in.op, x(0)) : apply_binary<double>(in.op, x(0), x(1));
    }
    return 0.0;
}

double SeriesProgram::coefficient(const Instruction& in, std::size_t k, double* work, std::size_t stride) const {
    const Operand* arg = operands_.data() + in.first;
    const auto series = [&](std::uint32_t i) { return work + arg[i].slot * stride; };
    const auto varies = [&](std::uint32_t i) { return arg[i].varies; };
    double* c = work + in.target * stride;
    double* d = c + stride;
    const auto order = static_cast<double>(k);
    switch (in.kind) {
        case Kind::linear: {
            double sum = 0.0;
            for (std::uint32_t i = 0; i < in.count; ++i)
                if (varies(i)) sum += arg[i].k * series(i)[k];
            return sum;
        }
        case Kind::multiply:
            if (!varies(0)) return series(0)[0] * series(1)[k];
            if (!varies(1)) return series(1)[0] * series(0)[k];
            return convolve(series(0), series(1), 0, k, k);
        case Kind::square: return squared(series(0), 0, k);
        case Kind::divide: {
            const double above = varies(0) ? series(0)[k] : 0.0;
            const double* b = series(1);
            return (varies(1) ? above - convolve(b, c, 1, k, k) : above) / b[0];
        }
        case Kind::sqrt: return vanishes(series(0), k) ? 0.0 : (series(0)[k] - squared(c, 1, k)) / (2.0 * c[0]);
        case Kind::exp: return weighted(series(0), c, k, k) / order;
        case Kind::log: return (series(0)[k] - weighted(c, series(0), k - 1, k) / order) / series(0)[0];
        case Kind::power: return power(in, k, work, stride);
        case Kind::sin_cos: d[k] = -weighted(series(0), c, k, k) / order; return weighted(series(0), d, k, k) / order;
        case Kind::sinh_cosh: d[k] = weighted(series(0), c, k, k) / order; return weighted(series(0), d, k, k) / order;
        case Kind::tan:
        case Kind::tanh:
            c[k] = weighted(series(0), d, k, k) / order;
            d[k] = (in.kind == Kind::tan ? 1.0 : -1.0) * squared(c, 0, k);
            return c[k];
        case Kind::quotient_integral: return (in.value * series(0)[k] - weighted(c, series(1), k - 1, k) / order) / series(1)[0];
        case Kind::angle: {
            double sum = 0.0;
            if (varies(0)) sum += varies(1) ? weighted(series(0), series(1), k, k) : order * series(0)[k] * series(1)[0];
            if (varies(1)) sum -= varies(0) ? weighted(series(1), series(0), k, k) : order * series(1)[k] * series(0)[0];
            return (sum - weighted(c, series(2), k - 1, k)) / (order * series(2)[0]);
        }
        case Kind::hypot: return vanishes(series(2), k) ? 0.0 : (series(2)[k] - squared(c, 1, k)) / (2.0 * c[0]);
        case Kind::select: {
            const std::uint32_t branch = series(0)[0] != 0.0 ? 1 : 2;
            return varies(branch) ? series(branch)[k] : 0.0;
        }
        case Kind::chosen: {
            if (in.op == Op::abs) return sign_of(series(0)[0]) * series(0)[k];
            const bool first = (series(0)[0] <= series(1)[0]) == (in.op == Op::min);
            const std::uint32_t branch = first ? 0 : 1;
            return varies(branch) ? series(branch)[k] : 0.0;
        }
        case Kind::constant:
        case Kind::by_value: break;
    }
    return 0.0;
}

void SeriesProgram::order(std::size_t k, double* work, std::size_t stride) const {
    if (k == 0) {
        for (const Instruction& in : instructions_) work[in.target * stride] = at_zero(in, work, stride);
        return;
    }
    for (const Instruction& in : instructions_)
        if (!in.constant) work[in.target * stride + k] = coefficient(in, k, work, stride);
}

}  // namespace lacon
