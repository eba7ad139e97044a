// Outputs and events of a large system as numbers at a state.
#pragma once

#include "large/motion/field.hpp"
#include "state/observables.hpp"

namespace lacon::inline large {

/// By the sparse solve, where a solve is asked for. Holds workspace, and uses the field's
/// factorization up.
class SparseObservables final : public Observables {
public:
    SparseObservables(SparseField& field, const std::vector<Expr>& expressions);

    using Observables::values;
    /// What is known at a state.
    struct At {
        const State& state;
        const SparseSolution* solution = nullptr;  // where a solution is needed: the field has
                                                   // been factored there
        const Residuals* residuals = nullptr;      // where residuals are
        Energies energies = {};                    // where energies are
    };
    void values(const At& at, std::span<double> out);

private:
    void fill(const State& state, const SolveOptions& options) override;
    void fill(const At& at);
    double observed(const Observed& what, const At& at);
    double force_norm(const std::vector<std::size_t>& rows, const At& at);

    SparseField& field_;
    const SparseSystem& system_;
    bool needs_solution_ = false, needs_energies_ = false, needs_residuals_ = false;
    SparseSolution solution_;
    Residuals residuals_;
    std::vector<std::pair<std::uint32_t, double>> force_;
};

}  // namespace lacon::large
