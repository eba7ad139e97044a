// The numbers M, Q, A, b, the residuals and the energies of a large system at a state.
#pragma once

#include <optional>

#include "large/elements/kernels.hpp"
#include "mechanics/numbers/assemble.hpp"

namespace lacon::inline large {

/// The numbers of a large system at a state, element by element in lanes: Assembler for size. Holds
/// workspace.
class SparseAssembler {
public:
    explicit SparseAssembler(const SparseSystem& system);
    /// From now on by machine code, where there is some. The interpreter gives the same but for
    /// rounding.
    void compile(const SparseKernels& kernels);
    bool is_compiled() const { return !compiled_.empty(); }
    double compile_seconds() const;

    std::vector<double> branches;  // of the smooth system

    /// With what rounding leaves in A and b; `zero_rounding` takes it out.
    void equations(const State& state, SparseEquations& out);
    void residuals(const State& state, Residuals& out);
    Energies energies(const State& state);
    /// Zeroes the entries of A and b that are no larger than the rounding of what they come from,
    /// in those rows that have become short beside what they were (the first time: in all), so that
    /// none that vanishes is scaled up to a constraint.
    void zero_rounding(const State& state, SparseEquations& out);

    /// How long the rows were, for a run that goes on elsewhere.
    const std::vector<double>& memory() const { return longest_; }
    void recall(const std::vector<double>& memory) { longest_ = memory; }

    /// The first element whose value was not finite in the last call, as its origin's number.
    std::optional<std::uint32_t> not_finite() const { return not_finite_; }

    const SparseSystem& system() const { return system_; }
    /// The inputs of a pack of elements: q, q', then t, parameters and branches (`by_branches`), or
    /// parameters and t.
    void gather(const Batch& batch, std::size_t pack, const State& state, bool by_branches);
    std::span<const Lanes> inputs() const { return inputs_; }

private:
    /// Kernels of a batch.
    struct Compiled {
        std::optional<kernel::Tiered> dynamics, residuals;
    };
    void prepare(const Batch& batch, const State& state, bool by_branches);
    void run(const Program& program);
    void run(const Program& program, std::optional<kernel::Tiered>& compiled);
    std::optional<kernel::Tiered>& kernel_of(const Batch& batch,
                                             std::optional<kernel::Tiered> Compiled::*which);
    void note_not_finite(const Batch& batch, std::size_t pack, const Program& program);
    void zero_rounding(const State& state, const Batch& batch, std::size_t at,
                       SparseEquations& out);

    const SparseSystem& system_;
    std::vector<Compiled> compiled_;  // of each batch; empty: none
    std::optional<kernel::Tiered> none_;
    std::vector<Lanes> inputs_, slots_, outputs_;
    std::vector<Rounded> rounded_inputs_, rounded_slots_, rounded_outputs_;
    std::vector<double> longest_;  // of each row: the largest entry so far
    std::optional<std::uint32_t> not_finite_;
};

}  // namespace lacon::large
