// q'' as machine code for a run: what the code is specialized for, and the compiled acceleration
// that DenseField calls.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "code/looped.hpp"
#include "kernel/tiered.hpp"
#include "lacon/motion.hpp"
#include "methods/field.hpp"

namespace lacon::inline code {

/// What the code of a run is made for, decided at its start and kept with its checkpoints: other
/// choices are other roundings.
struct KernelChoice {
    std::vector<std::size_t> dependent;  // rows
    std::vector<double> floors;          // of all rows (kernel::Problem::floor)
    bool refined = true;                 // kernel::Elimination::refined
    bool definite = false;             // M has an inverse; without one there is nothing to compile
    std::vector<double> weight;        // kernel::Problem::weight, where M alone has none
    double clear = clear_of_singular;  // CodeOptions::clear_of_steps
    bool lasting = false;              // CodeOptions::lasting

    CodeOptions code_options(const DerivedModel& details, double rank_tol) const;
    /// KernelInputs without a state and branches.
    std::vector<double> inputs(const DerivedModel& details, const KernelInputs& at) const;
    /// What tells code made for it from other code of the same model.
    std::string key(double rank_tol, const kernel::CompileOptions& compile) const;
};
KernelChoice choose_kernel(const Evaluation& at_start);

CodeSummary summary_of(const kernel::Tiered& kernel);
void add(const CodeSummary& part, CodeSummary& all);

/// q'' of a run as machine code: straight-line where that is not too long, else in loops.
class CompiledAcceleration final : public CompiledField {
public:
    struct Options {
        // As SolveOptions::rank_tol.
        double rank_tol = 1e-10;
        kernel::CompileOptions compile;
        double baumgarte = 0.0;  // as in FieldOptions
        bool always_loops = false;
    };
    /// Throws std::runtime_error with the reason where a model cannot be compiled here.
    CompiledAcceleration(const DerivedModel& details, const SmoothSystem& smooth,
                         const KernelChoice& choice, const Options& options);

    bool run(const State& state, std::span<const double> branches, std::span<double> a) override;
    bool in_loops() const override { return loops_.has_value(); }
    CodeSummary summary() const override;

private:
    struct Source;

    KernelInputs at_;
    std::size_t n_, m_;
    std::vector<double> in_, out_;
    kernel::CompileOptions compile_;
    std::optional<kernel::Tiered> straight_;  // one of these
    std::optional<LoopedAcceleration> loops_;
};

}  // namespace lacon::code
