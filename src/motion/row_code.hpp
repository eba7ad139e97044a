#pragma once

#include "motion/landing_code.hpp"
#include "motion/observables.hpp"

namespace lacon {

/// A row of results as code: a state near the constraints in (KernelInputs), the state on them and what is observed there out:
/// StepOutputs, then the observables. Throws std::runtime_error for what is too large, and where multipliers that are a matter of
/// convention are observed: those of dependent constraints.
kernel::Code row_code(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options,
                      const Observables& observables);

}  // namespace lacon
