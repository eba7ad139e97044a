#pragma once

#include "motion/acceleration_code.hpp"
#include "motion/tableau.hpp"

namespace lacon {

/// One step of an explicit Runge–Kutta method with the projection behind it, as code. Inputs: those of KernelInputs, then the
/// step's length and the tolerance. Outputs: q (n), q' (n) where it lands, and as named here.
struct StepOutputs {
    explicit StepOutputs(std::size_t n)
        : error(2 * n),
          fine(error + 1),
          position(error + 2),
          velocity(error + 3),
          position_absolute(error + 4),
          velocity_absolute(error + 5),
          kinetic(error + 6),
          potential(error + 7) {}
    std::size_t error;               // the largest local error over its tolerance
    std::size_t fine;                // 1 where every check holds: regular at all stages, constraints met
    std::size_t position, velocity;  // largest scaled residual left (as Projector), and as it is
    std::size_t position_absolute, velocity_absolute;
    std::size_t kinetic, potential;  // energies
};

/// For regular motion: CodeOptions::clear is set. Throws std::runtime_error for what is too large.
kernel::Code step_code(const SystemDetails& details, const SmoothSystem& smooth, CodeOptions options, const Tableau& tableau);

}  // namespace lacon
