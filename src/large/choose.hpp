#pragma once

#include "motion/integrate.hpp"

namespace lacon {

/// Who solves the systems of a mechanism.
struct SolverChoice {
    bool sparse = false;
    std::string why;  // a sentence
    Status refused;   // not ok where neither can
};

/// For one state (check, eval, a start): sparse where dense decompositions would take long.
SolverChoice choose_solver(const SystemDetails& details);
/// For a run: what `solver` asks for, else what is estimated to cost least a step. Throws std::invalid_argument with a sentence
/// where the sparse solve is asked for and cannot be.
SolverChoice choose_solver(const SystemDetails& details, const RunPlan& plan);

}  // namespace lacon
