#pragma once

#include "motion/acceleration_code.hpp"
#include "motion/tableau.hpp"

namespace lacon {

/// One step of an explicit Runge–Kutta method with the projection behind it, as code. Inputs: those of KernelInputs, then the
/// step's length and the tolerance. Outputs: q (n), q' (n) where it lands, and as named here.
struct StepOutputs {
    explicit StepOutputs(std::size_t n) : error(2 * n), position(error + 1), velocity(error + 2), fine(error + 3) {}
    std::size_t error;               // the largest local error over its tolerance
    std::size_t position, velocity;  // largest scaled residual left (as Projector)
    std::size_t fine;                // 1 where every check holds: regular at all stages, constraints met
};

kernel::Code step_code(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options,
                       const Tableau& tableau);

}  // namespace lacon
