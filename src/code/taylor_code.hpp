// Writes a Taylor step as code: order 0, one further order, the sizes that decide the length, the
// end.
#pragma once

#include "code/step_end_code.hpp"
#include "expr/feature.hpp"
#include "methods/taylor_control.hpp"

namespace lacon::inline code {

/// A step of the Taylor method (taylor.cpp) as code, in parts that share a memory of power series.
/// To be run in this order: `begin` once, `next` with k = 1 … p − 1, `sizes`, and, the step's
/// length decided, `end`. What `begin` gives out are the inputs of the others: the inputs of
/// `begin`, and behind them what else they need. Inputs of `begin`: those of KernelInputs, then the
/// length, which nobody reads before `end`, and the tolerance.
struct TaylorCode {
    kernel::Code begin, next;
    kernel::Code sizes;     // gives out TaylorControl::length's sizes
    kernel::Code end;       // gives out StepOutputs; their error is 0, as the step was chosen for
    std::size_t slots = 0;  // of the memory
    std::vector<std::uint32_t> q, v;  // where the coordinates' series stand in it
    std::size_t order = 0;            // p
    struct PlacedFeature {
        Feature::Kind kind;
        std::uint32_t at;  // where its operand's series stands
        double exponent;
    };
    std::vector<PlacedFeature> features;
};

/// For regular motion, as step_code. Throws std::runtime_error for what is too large or cannot be
/// compiled.
TaylorCode taylor_code(const DerivedModel& details, const SmoothSystem& smooth, CodeOptions options,
                       std::size_t order);

}  // namespace lacon::code
