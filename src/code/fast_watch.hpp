// Compiled values of decision surfaces and events, with bounds on their rounding errors.
#pragma once

#include "code/compiled.hpp"
#include "expr/rounded.hpp"
#include "state/observables.hpp"

namespace lacon::inline code {

/// Surfaces and events as machine code.
class FastWatch {
public:
    /// Throws std::runtime_error with the reason where they cannot be compiled here.
    FastWatch(const DerivedModel& details, const SmoothSystem& smooth, const KernelChoice& choice,
              double rank_tol, const kernel::CompileOptions& compile, const Observables& events);

    /// False where a check fails; `out` is then not all filled.
    bool values(const State& state, std::span<const double> branches, std::span<Rounded> out);
    CodeSummary summary() const { return summary_of(kernel_); }

private:
    KernelInputs at_;
    std::vector<double> in_, out_;
    kernel::Tiered kernel_;
};

}  // namespace lacon::code
