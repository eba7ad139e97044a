// Output samples, and residuals of constraints, from machine code.
#pragma once

#include "code/compiled.hpp"
#include "methods/projection.hpp"
#include "state/observables.hpp"

namespace lacon::inline code {

/// Rows as machine code: brings a state near the constraints onto them, and observes there. For
/// regular motion only.
class FastRows {
public:
    /// Throws std::runtime_error with the reason where they cannot be compiled here.
    FastRows(const DerivedModel& details, const SmoothSystem& smooth, const KernelChoice& choice,
             double rank_tol, const kernel::CompileOptions& compile,
             const Observables& observables);

    /// False where a check fails; then nothing has changed.
    bool run(State& state, std::span<double> observed);
    void set_branches(std::span<const double> branches) { at_.set_branches(branches, in_); }
    CodeSummary summary() const { return summary_of(kernel_); }

    const Projector::Left& left() const { return left_; }

private:
    KernelInputs at_;
    std::size_t n_;
    std::vector<double> in_, out_;
    kernel::Tiered kernel_;
    Projector::Left left_;
};

/// φ and φ' of all rows of a system (of a row on velocities, φ in both), as Assembler::residuals.
class CompiledResiduals {
public:
    /// Throws std::runtime_error with the reason where they cannot be compiled here. `details` must
    /// outlive it, with the parameters that it has now.
    CompiledResiduals(const DerivedModel& details, const SmoothSystem& smooth,
                      const kernel::CompileOptions& compile);

    /// False where a value is beyond the range of the code; then `out` has not changed.
    bool run(const State& state, Residuals& out);

private:
    KernelInputs at_;
    std::size_t m_;
    std::vector<double> in_, out_;
    kernel::Tiered kernel_;
};

}  // namespace lacon::code
