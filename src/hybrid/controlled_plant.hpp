// A mode of the plant with the efforts of its controls.
#pragma once

#include "contact/loads.hpp"
#include "control/controller.hpp"

namespace lacon::inline hybrid {

/// Efforts at a state, and what the plant does with them. Holds workspace; `mode` must outlive it.
class ControlledPlant {
public:
    using Deciding = Controller::Deciding;
    ControlledPlant(const DerivedModel& mode, const SolveOptions& options);

    /// False where there are no efforts.
    bool solve(const State& state, Deciding deciding);
    // Of the last solve.
    Controller& controller() { return controller_; }
    const Controller& controller() const { return controller_; }
    /// C R (k × p); empty where there is none.
    Matrix responses(const State& state) { return controller_.responses(state, equations_); }

    /// What the plant does at a state with the efforts in force; empty reports where there are
    /// none.
    Evaluation evaluation(const State& state);

private:
    std::vector<double> acceleration(const State& state);

    SolveOptions options_;
    Assembler assembler_;
    Controller controller_;
    const Loads loads_;
    Equations equations_;
};

}  // namespace lacon::hybrid
