// The choice between dense and sparse matrices.
#pragma once

#include "driver/plan/plan.hpp"

namespace lacon::inline large {

/// Who solves the systems of a mechanism.
struct SolverChoice {
    bool sparse = false;
    std::string why;             // a sentence
    Status refused;              // not ok where neither can
    double dense_seconds = 0.0;  // of a run: what a step is estimated to take with dense matrices
};

/// For one state (check, eval, a start): what `asked` says, else sparse where dense decompositions
/// would take long. Throws std::invalid_argument with a sentence where the sparse solve is asked
/// for and cannot be.
SolverChoice choose_solver(const DerivedModel& details, Named<Solver> asked = {});
/// For a run: what `solver` asks for, else what is estimated to cost least a step. Throws likewise.
SolverChoice choose_solver(const DerivedModel& details, const RunPlan& plan);

}  // namespace lacon::large
