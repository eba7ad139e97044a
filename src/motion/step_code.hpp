#pragma once

#include "motion/landing_code.hpp"
#include "motion/tableau.hpp"

namespace lacon {

/// One step of an explicit Runge–Kutta method with the projection behind it, as code. Inputs: those of KernelInputs, then the
/// step's length and the tolerance. Outputs: StepOutputs. For regular motion: CodeOptions::clear is set. Throws
/// std::runtime_error for what is too large.
kernel::Code step_code(const SystemDetails& details, const SmoothSystem& smooth, CodeOptions options, const Tableau& tableau);

}  // namespace lacon
