// Outputs and events of a large system as numbers at a state.
#pragma once

#include "expr/program.hpp"
#include "large/assembly.hpp"

namespace lacon {

/// What a solve at a state knows of a large system.
struct LargeSolution {
    std::vector<double> acceleration;  // (n)
    std::vector<double> multipliers;   // (m); those of dependent rows by least norm
};

/// Expressions of a model (outputs, events) as numbers at a state: Observables for large systems.
/// Holds workspace.
class LargeOutputs {
public:
    LargeOutputs(const LargeSystem& system, const std::vector<Expr>& expressions);

    std::size_t count() const { return program_.output_count(); }
    bool needs_solution() const { return needs_solution_; }
    bool needs_energies() const { return needs_energies_; }

    struct At {
        const State& state;
        const LargeEquations* equations = nullptr;  // where a solution is needed, as is
        const LargeSolution* solution = nullptr;
        const Residuals* residuals = nullptr;  // where residuals are
        Energies energies = {};                // where energies are
    };
    bool needs_residuals() const { return needs_residuals_; }
    void values(const At& at, std::span<double> out);

private:
    struct Input {
        enum class Kind { time, parameter, q, v, a, observed } kind;
        std::size_t number = 0;
    };
    double observed(const Observed& what, const At& at);
    double force_norm(const std::vector<std::size_t>& rows, const At& at);

    const LargeSystem& system_;
    std::vector<Input> inputs_;
    Program program_;
    bool needs_solution_ = false, needs_energies_ = false, needs_residuals_ = false;
    std::vector<double> numbers_, slots_;
    std::vector<std::pair<std::uint32_t, double>> force_;
};

}  // namespace lacon
