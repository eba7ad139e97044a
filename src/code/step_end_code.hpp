// The end of every compiled step as code: projection onto the constraints, final checks, energies.
#pragma once

#include "code/acceleration_code.hpp"

namespace lacon::inline code {

/// What the code of a step gives out: q (n), q' (n) where it lands, and as named here.
struct StepOutputs {
    explicit StepOutputs(std::size_t n)
        : error(2 * n),
          fine(error + 1),
          position(error + 2),
          velocity(error + 3),
          position_absolute(error + 4),
          velocity_absolute(error + 5),
          kinetic(error + 6),
          potential(error + 7),
          count(error + 8) {}
    std::size_t error;  // the largest local error over its tolerance
    std::size_t fine;   // 1 where every check holds: regular at all stages, constraints met
    std::size_t position, velocity;  // largest scaled residual left (as Projector), and as it is
    std::size_t position_absolute, velocity_absolute;
    std::size_t kinetic, potential;  // energies
    std::size_t count;
};

/// Of whole steps as straight-line code: beyond, the writing of it takes too long, and the
/// compiling seconds. They throw std::runtime_error with the reason.
void check_step_size(const System& system);
void check_step_length(std::size_t operations);
constexpr std::size_t most_step_nodes = 600'000;  // written to find the operations that are needed

/// A state that a step came to.
struct Arrival {
    StateValues state;
    const kernel::Problem& problem;  // there, and factored
    kernel::Factored factored;
    kernel::Value error, fine;  // of the step
};
/// Brings it onto the constraints, by least changes in the metric of M, positions first; the
/// factorization serves all rounds. Adds StepOutputs to the code's outputs, and gives the state
/// there.
StateValues write_step_end(const System& system, ModelCode& model, Arrival arrival,
                           kernel::Code& code);

}  // namespace lacon::code
