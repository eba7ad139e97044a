// Programs that compute power series in time, order by order, for the Taylor method.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace lacon::inline expr {

class SeriesWriter;

/// Expressions over power series in time: the coefficients of one order from those below it. With
/// x(t) = Σ x_k t^k an operation follows its recurrence (product: Σ_j a_j b_{k−j}; the others from
/// their differential equations), so all orders up to K cost O(K²) an operation. Decisions (if,
/// min, max, abs, sign) are taken by the values at order 0, and so is the piece of a measured
/// signal: its polynomial, not the signal, is what the series is of.
class SeriesProgram {
public:
    SeriesProgram() = default;
    /// `inputs` are symbols; the last `constants` of them do not change in time.
    SeriesProgram(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs,
                  std::size_t constants);

    std::size_t input_count() const { return input_count_; }
    std::size_t output_count() const { return outputs_.size(); }
    std::size_t slot_count() const { return slot_count_; }
    /// Where the coefficients of an output stand: slot(o) * stride + k.
    std::uint32_t slot(std::size_t output) const { return outputs_[output]; }
    /// Whether an output's coefficients above order 0 are all zero, whatever the inputs.
    bool is_constant(std::size_t output) const { return constant_[outputs_[output]]; }

    /// Leaves out what these slots do not need; the others, and the outputs, then have no values.
    void keep_only(std::span<const std::uint32_t> slots);

    /// Fills order k of every slot; slot s has its coefficients at work[s * stride ...]. The inputs
    /// are the first slots: their order k, and all orders below k of every slot, must be there.
    /// (Constant inputs: order 0 only; the rest is never read.)
    void order(std::size_t k, double* work, std::size_t stride) const;

    enum class Kind : std::uint8_t {
        constant,
        linear,  // value + Σ k·arg
        multiply,
        square,
        divide,
        sqrt,
        exp,
        log,
        /// first^second, the second constant; 10 more slots for the squares and products of a whole
        /// exponent.
        power,
        sin_cos,  // target, target + 1
        sinh_cosh,
        tan,                // target, and target + 1 = 1 + tan²
        tanh,               // target, and target + 1 = 1 − tanh²
        quotient_integral,  // target' · second = first' · value  (atan, asin, acos)
        angle,              // atan2(first, second), third = first² + second²
        hypot,              // third = first² + second²
        select,
        /// A function of constants, or one whose higher orders vanish (sign, floor, comparisons).
        by_value,
        chosen,  // abs, min, max: ± one of the operands, by order 0
        frozen,  // the operand's order 0, and no more
        /// A measured signal at the operand's order 0, and no more; value: the derivative's order.
        data,
    };
    struct Operand {
        std::uint32_t slot;
        double k;
        bool varies = true;  // in time
    };
    struct Instruction {
        Kind kind;
        Op op;
        std::uint32_t first, count;  // into the operands
        std::uint32_t target;
        double value;
        bool constant;
        std::uint32_t curve = 0;  // of `data`, into the curves
    };
    // For those who run it on other numbers (series_rules.hpp).
    std::span<const Instruction> instructions() const { return instructions_; }
    const Operand* operands(const Instruction& in) const { return operands_.data() + in.first; }
    const std::shared_ptr<const Curve>& curve(const Instruction& in) const {
        return curves_[in.curve];
    }
    bool is_constant_slot(std::uint32_t slot) const { return constant_[slot]; }

private:
    friend class SeriesWriter;

    std::vector<Instruction> instructions_;
    std::vector<Operand> operands_;
    std::vector<std::shared_ptr<const Curve>> curves_;
    std::vector<std::uint32_t> outputs_;
    std::vector<bool> constant_;  // of slots
    std::size_t input_count_ = 0, slot_count_ = 0;
};

/// Many programs as one over common inputs; what they share is computed once.
class SeriesUnion {
public:
    /// `varies`: of each input, in time.
    explicit SeriesUnion(const std::vector<bool>& varies);
    ~SeriesUnion();

    /// Takes a program in, its inputs at these slots; the slots of its outputs.
    std::vector<std::uint32_t> add(const SeriesProgram& part,
                                   std::span<const std::uint32_t> inputs);
    std::uint32_t constant(double value);
    const SeriesProgram& program() const { return program_; }

private:
    SeriesProgram program_;
    std::unique_ptr<SeriesWriter> writer_;
};

}  // namespace lacon::expr
