// Writes outputs as code: the values that an expression may observe at a state, and whole rows of
// results.
#pragma once

#include "code/step_end_code.hpp"
#include "state/observables.hpp"

namespace lacon::inline code {

/// What is observed at a state, as code.
class ObservedCode {
public:
    ObservedCode(const DerivedModel& details, const CodeOptions& options, ModelCode& model,
                 const StateValues& state, kernel::Code& code)
        : details_(details), options_(options), model_(model), state_(state), code_(code) {}

    /// Throws std::runtime_error for multipliers that are a matter of convention: those of
    /// dependent constraints.
    kernel::Value input(const Observables::Input& input);
    /// Whether what was solved for it came out right.
    kernel::Value fine() const { return solved_ ? solved_->fine : kernel::Value(1.0); }

private:
    kernel::Value observed(const Observed& what);
    const kernel::Solved& solved();
    std::optional<std::size_t> row_of(std::size_t row) const;
    kernel::Value multiplier(std::size_t row);
    kernel::Value residual(std::size_t row);

    const DerivedModel& details_;
    const CodeOptions& options_;
    ModelCode& model_;
    const StateValues& state_;
    kernel::Code& code_;
    std::optional<kernel::Problem> problem_;
    std::optional<kernel::Solved> solved_;
};

/// A row of results as code: a state near the constraints in (KernelInputs), the state on them and
/// what is observed there out: StepOutputs, then the observables, and whether they are fine (1 or
/// 0). Throws std::runtime_error for what is too large, and as ObservedCode.
kernel::Code row_code(const DerivedModel& details, const SmoothSystem& smooth,
                      const CodeOptions& options, const Observables& observables);

}  // namespace lacon::code
