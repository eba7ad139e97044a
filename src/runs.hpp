// Starts and runs a mechanism with dense or sparse matrices, as suits it.
#pragma once

#include <memory>

#include "driver/run.hpp"
#include "large/choose.hpp"

/// Where dense and sparse ways meet: who starts, evaluates and runs a mechanism.
namespace lacon {

/// The run that a plan asks for, by the solver that was chosen. `details` must outlive it.
std::unique_ptr<Run> make_run(const DerivedModel& details, const RunPlan& plan,
                              const SolverChoice& solver, const std::vector<StartOverride>& start,
                              Run::RowSink sink);
/// The same by the solver that suits the mechanism. Throws std::invalid_argument for one that is
/// asked for and cannot be.
std::unique_ptr<Run> make_run(const DerivedModel& details, const RunPlan& plan,
                              const std::vector<StartOverride>& start, Run::RowSink sink);

/// The consistent start state, by the solver asked for, or that suits the
/// mechanism. Throws std::invalid_argument for a solver that cannot be.
Start find_start(const DerivedModel& details, const std::vector<StartOverride>& overrides,
                 const SolveOptions& options, Named<Solver> solver = {});

/// Everything at a state, by the solver asked for, or that suits the mechanism. Throws
/// std::invalid_argument likewise.
Evaluation evaluate(const DerivedModel& details, const State& state, const SolveOptions& options,
                    Named<Solver> solver);

}  // namespace lacon
