// Writes a whole Runge–Kutta step as straight-line code.
#pragma once

#include "code/step_end_code.hpp"
#include "methods/tableau.hpp"

namespace lacon::inline code {

/// How many inputs `step_code` has.
inline std::size_t step_inputs(const KernelInputs& at, std::size_t n) {
    return at.count + 2 + 2 * n;
}
/// One step of an explicit Runge–Kutta method with the projection behind it, as code. Inputs: those
/// of KernelInputs, then the step's length, the tolerance, and for each of q and q' (2n) the noise
/// that is no error, per second (Tableau::noise_gain times DenseField::noise). Outputs:
/// StepOutputs, then q'' (n) at the begin and at the end. For regular motion: CodeOptions::clear is
/// set. Throws std::runtime_error for what is too large.
kernel::Code step_code(const DerivedModel& details, const SmoothSystem& smooth, CodeOptions options,
                       const Tableau& tableau);

}  // namespace lacon::code
