// Breaks expressions into operations that have a power-series recurrence, reuses equal operations,
// and runs the recurrences on doubles. The recurrences themselves are in series_rules.hpp.
#include "expr/series.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>

#include "expr/series_rules.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline expr {

/// Writes the instructions of a program.
class SeriesWriter {
public:
    using Kind = SeriesProgram::Kind;
    using Slot = std::uint32_t;
    struct Parts {
        Kind kind;
        Op op = Op::constant;
        double value = 0.0;
        std::shared_ptr<const Curve> curve = {};
    };

    explicit SeriesWriter(SeriesProgram& program) : p_(program) {}

    Slot input(bool varies) {
        p_.constant_.push_back(!varies);
        ++p_.input_count_;
        return static_cast<Slot>(p_.slot_count_++);
    }
    void output(Slot slot) { p_.outputs_.push_back(slot); }

    /// The slot of an operation; one that is there already (x² in two products, sin beside cos) is
    /// used again.
    Slot emit(const Parts& parts, std::span<const SeriesProgram::Operand> operands) {
        using Bits = std::uint64_t;  // also of numbers: a NaN has no place in their order
        std::vector<Bits> key{static_cast<Bits>(parts.kind), static_cast<Bits>(parts.op),
                              std::bit_cast<Bits>(parts.value)};
        const std::uint32_t curve = parts.curve ? number_of(parts.curve) : 0;
        if (parts.curve) key.push_back(curve);
        for (const auto& operand : operands)
            key.insert(key.end(), {Bits{operand.slot}, std::bit_cast<Bits>(operand.k)});
        const auto target = static_cast<Slot>(p_.slot_count_);
        const auto [found, is_new] = emitted_.try_emplace(std::move(key), target);
        if (!is_new) return found->second;
        bool constant = true;
        const auto first = static_cast<std::uint32_t>(p_.operands_.size());
        for (const auto& operand : operands) {
            const bool varies = !p_.constant_[operand.slot];
            constant = constant && !varies;
            p_.operands_.push_back({operand.slot, operand.k, varies});
        }
        if (parts.kind == Kind::by_value || parts.kind == Kind::frozen || parts.kind == Kind::data)
            constant = true;
        p_.slot_count_ += width_of(parts.kind);
        p_.constant_.insert(p_.constant_.end(), width_of(parts.kind), constant);
        p_.instructions_.push_back({parts.kind, parts.op, first,
                                    static_cast<std::uint32_t>(operands.size()), target,
                                    parts.value, constant, curve});
        return target;
    }
    Slot constant(double value) { return emit({Kind::constant, Op::constant, value}, {}); }

    /// How many slots an operation fills.
    static std::size_t width_of(Kind kind) {
        switch (kind) {
            case Kind::sin_cos:
            case Kind::sinh_cosh:
            case Kind::tan:
            case Kind::tanh: return 2;
            case Kind::power: return 11;
            default: return 1;
        }
    }

private:
    std::uint32_t number_of(const std::shared_ptr<const Curve>& curve) {
        const auto found = std::find(p_.curves_.begin(), p_.curves_.end(), curve);
        const auto number = static_cast<std::uint32_t>(found - p_.curves_.begin());
        if (found == p_.curves_.end()) p_.curves_.push_back(curve);
        return number;
    }

    SeriesProgram& p_;
    std::map<std::vector<std::uint64_t>, Slot> emitted_;
};

namespace {

/// Takes expressions apart into operations that have a recurrence.
class SeriesLowering {
public:
    using Kind = SeriesProgram::Kind;
    using Parts = SeriesWriter::Parts;
    explicit SeriesLowering(SeriesProgram& program) : p_(program), writer_(program) {}

    void run(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs,
             std::size_t constants) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            slot_of_.insert(inputs[i], writer_.input(i + constants < inputs.size()));
        for (const Expr e : postorder(graph, outputs)) {
            if (!graph.is_symbol(e)) slot_of_.insert(e, lower(graph, e));
            else if (!slot_of_.contains(e))
                throw std::logic_error("SeriesProgram: symbol '" + graph.name(e) +
                                       "' is not an input");
        }
        for (const Expr output : outputs) writer_.output(slot_of_.at(output));
    }

private:
    using Slot = std::uint32_t;

    Slot emit(const Parts& parts, std::span<const SeriesProgram::Operand> operands) {
        return writer_.emit(parts, operands);
    }
    Slot emit(const Parts& parts, std::initializer_list<Slot> slots) {
        std::vector<SeriesProgram::Operand> operands;
        for (const Slot s : slots) operands.push_back({s, 1.0});
        return emit(parts, operands);
    }

    Slot constant(double value) { return emit({Kind::constant, Op::constant, value}, {}); }
    Slot multiply(Slot a, Slot b) {
        return a == b ? emit({Kind::square}, {a}) : emit({Kind::multiply}, {a, b});
    }
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
                if (p_.is_constant_slot(arg(1)))
                    return emit({Kind::power, Op::pow}, {arg(0), arg(1)});
                return emit({Kind::exp}, {multiply(arg(1), emit({Kind::log}, {arg(0)}))});
            case Op::sin: return emit({Kind::sin_cos, Op::sin}, {arg(0)});
            case Op::cos: return emit({Kind::sin_cos, Op::sin}, {arg(0)}) + 1;
            case Op::sinh: return emit({Kind::sinh_cosh, Op::sinh}, {arg(0)});
            case Op::cosh: return emit({Kind::sinh_cosh, Op::sinh}, {arg(0)}) + 1;
            case Op::tan: return emit({Kind::tan, Op::tan}, {arg(0)});
            case Op::tanh: return emit({Kind::tanh, Op::tanh}, {arg(0)});
            case Op::exp: return emit({Kind::exp}, {arg(0)});
            case Op::log: return emit({Kind::log}, {arg(0)});
            case Op::sqrt: return emit({Kind::sqrt}, {arg(0)});
            case Op::atan:
                return integral(Op::atan, 1.0, arg(0),
                                linear(1.0, {{multiply(arg(0), arg(0)), 1.0}}));
            case Op::asin: return integral(Op::asin, 1.0, arg(0), root_of_one_less_square(arg(0)));
            case Op::acos: return integral(Op::acos, -1.0, arg(0), root_of_one_less_square(arg(0)));
            case Op::atan2:
                return emit({Kind::angle}, {arg(0), arg(1), sum_of_squares(arg(0), arg(1))});
            case Op::hypot:
                return emit({Kind::hypot}, {arg(0), arg(1), sum_of_squares(arg(0), arg(1))});
            case Op::select: return emit({Kind::select}, {arg(0), arg(1), arg(2)});
            case Op::abs: return emit({Kind::chosen, Op::abs}, {arg(0)});
            case Op::min:
            case Op::max: return emit({Kind::chosen, graph.op(e)}, {arg(0), arg(1)});
            case Op::data: return signal(graph.curve(e), graph.curve_order(e), arg(0));
            default: break;
        }
        if (args.size() == 1) return emit({Kind::by_value, graph.op(e)}, {arg(0)});
        return emit({Kind::by_value, graph.op(e)}, {arg(0), arg(1)});
    }

    /// Σ f^(order + j)(x_0) / j! · (x − x_0)^j: one piece is a cubic, so there is no more.
    Slot signal(const std::shared_ptr<const Curve>& curve, unsigned order, Slot x) {
        const auto derivative = [&](unsigned j) {
            return emit({Kind::data, Op::data, static_cast<double>(order + j), curve}, {x});
        };
        if (p_.is_constant_slot(x)) return derivative(0);
        const Slot step = linear(0.0, {{x, 1.0}, {emit({Kind::frozen, Op::data}, {x}), -1.0}});
        Slot sum = derivative(Curve::degree - order);
        for (unsigned j = Curve::degree - order; j-- > 0;)
            sum = linear(0.0, {{derivative(j), 1.0}, {multiply(sum, step), 1.0 / (j + 1.0)}});
        return sum;
    }

    Slot integral(Op op, double sign, Slot x, Slot d) {
        return emit({Kind::quotient_integral, op, sign}, {x, d});
    }
    Slot root_of_one_less_square(Slot x) {
        return emit({Kind::sqrt}, {linear(1.0, {{multiply(x, x), -1.0}})});
    }
    Slot sum_of_squares(Slot x, Slot y) {
        return linear(0.0, {{multiply(x, x), 1.0}, {multiply(y, y), 1.0}});
    }

    const SeriesProgram& p_;
    SeriesWriter writer_;
    ExprMap<Slot> slot_of_;
};

}  // namespace

SeriesProgram::SeriesProgram(const Graph& graph, std::span<const Expr> inputs,
                             std::span<const Expr> outputs, std::size_t constants) {
    SeriesLowering(*this).run(graph, inputs, outputs, constants);
}

void SeriesProgram::keep_only(std::span<const std::uint32_t> slots) {
    std::vector<bool> needed(slot_count_, false);
    for (const std::uint32_t slot : slots) needed[slot] = true;
    std::vector<Instruction> kept;
    for (std::size_t i = instructions_.size(); i-- > 0;) {
        const Instruction& in = instructions_[i];
        bool is_needed = false;
        for (std::size_t w = 0; w < SeriesWriter::width_of(in.kind); ++w)
            is_needed = is_needed || needed[in.target + w];
        if (!is_needed) continue;
        for (std::uint32_t o = 0; o < in.count; ++o) needed[operands(in)[o].slot] = true;
        kept.push_back(in);
    }
    instructions_.assign(kept.rbegin(), kept.rend());
}

SeriesUnion::SeriesUnion(const std::vector<bool>& varies)
    : writer_(std::make_unique<SeriesWriter>(program_)) {
    for (const bool v : varies) writer_->input(v);
}

SeriesUnion::~SeriesUnion() = default;

std::uint32_t SeriesUnion::constant(double value) {
    return writer_->constant(value);
}

std::vector<std::uint32_t> SeriesUnion::add(const SeriesProgram& part,
                                            std::span<const std::uint32_t> inputs) {
    std::vector<std::uint32_t> now(part.slot_count());
    std::copy(inputs.begin(), inputs.end(), now.begin());
    for (const SeriesProgram::Instruction& in : part.instructions()) {
        std::vector<SeriesProgram::Operand> operands(part.operands(in),
                                                     part.operands(in) + in.count);
        for (auto& operand : operands) operand.slot = now[operand.slot];
        const auto curve = in.kind == SeriesProgram::Kind::data ? part.curve(in) : nullptr;
        const std::uint32_t target = writer_->emit({in.kind, in.op, in.value, curve}, operands);
        for (std::uint32_t i = 0; i < SeriesWriter::width_of(in.kind); ++i)
            now[in.target + i] = target + i;
    }
    std::vector<std::uint32_t> outputs;
    for (std::size_t o = 0; o < part.output_count(); ++o) outputs.push_back(now[part.slot(o)]);
    return outputs;
}

namespace {

/// The orders of all slots in memory.
class SeriesInMemory {
public:
    SeriesInMemory(std::size_t k, double* work, std::size_t stride)
        : k_(k), work_(work), stride_(stride) {}

    double first(std::uint32_t slot) const { return series(slot)[0]; }
    double now(std::uint32_t slot) const { return series(slot)[k_]; }
    double number(std::uint32_t slot) const { return first(slot); }
    double order() const { return static_cast<double>(k_); }
    void put(std::uint32_t slot, double value) { work_[slot * stride_ + k_] = value; }

    double inner(std::uint32_t x, std::uint32_t y) const { return sum(series(x), series(y), 1); }
    double product(std::uint32_t x, std::uint32_t y) const { return sum(series(x), series(y), 0); }
    double weighted(std::uint32_t x, std::uint32_t y) const {
        const double *a = series(x), *b = series(y);
        double sum = 0.0;
        for (std::size_t j = 1; j < k_; ++j) sum += static_cast<double>(j) * a[j] * b[k_ - j];
        return sum;
    }
    double vanishes(std::uint32_t slot, std::uint32_t) const {
        const double* a = series(slot);
        return std::all_of(a, a + k_ + 1, [](double x) { return x == 0.0; }) ? 1.0 : 0.0;
    }

private:
    const double* series(std::uint32_t slot) const { return work_ + slot * stride_; }
    /// Σ_{from ≤ j ≤ k − from} a_j b_{k−j}
    double sum(const double* a, const double* b, std::size_t from) const {
        if (a == b) return squared(a, from);
        double even = 0.0, odd = 0.0;  // two sums, so that the additions do not wait for each other
        std::size_t j = from;
        for (; j + 1 + from <= k_; j += 2) {
            even += a[j] * b[k_ - j];
            odd += a[j + 1] * b[k_ - j - 1];
        }
        if (j + from <= k_) even += a[j] * b[k_ - j];
        return even + odd;
    }
    double squared(const double* a,
                   std::size_t from) const {  // every product but the middle one comes twice
        double sum = 0.0;
        for (std::size_t j = from; j < (k_ + 1) / 2; ++j) sum += a[j] * a[k_ - j];
        sum *= 2.0;
        if (k_ % 2 == 0) sum += a[k_ / 2] * a[k_ / 2];
        return sum;
    }

    std::size_t k_;
    double* work_;
    std::size_t stride_;
};

}  // namespace

void SeriesProgram::order(std::size_t k, double* work, std::size_t stride) const {
    SeriesInMemory series(k, work, stride);
    const SeriesRules<double, SeriesInMemory> rules(*this, series);
    for (const Instruction& in : instructions_) {
        if (k == 0) rules.begin(in);
        else if (!in.constant) rules.go_on(in);
    }
}

}  // namespace lacon::expr
