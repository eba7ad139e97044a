// Control by constraints (theory 3.5; theory 7 for the cost N): the efforts u of least cost with
//     M q'' = Q + Aᵀ λ + F u,   A q'' = b,   C q'' = d.
#pragma once

#include <memory>

#include "control/actuators.hpp"
#include "control/effort_source.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "solve/control/surroundings.hpp"

namespace lacon::inline control {

/// The efforts of a mechanism's controls at a state. What is required, C q'' = d, are the rows of
/// the servo behind the mechanism's own; the efforts are those of least cost that make it so
/// (lacon/control.hpp), for the system as the controller believes it to be; or they are replayed.
/// Holds workspace.
class Controller {
public:
    /// `plant`: a mechanism with controls, or a mode of one; it must outlive the controller.
    Controller(const DerivedModel& plant, const SolveOptions& options);

    /// Efforts and their force at a state of the plant, whose equations are `plant`: with what is
    /// in force in the mode (DerivedModel::control_set), or decided here. Not ok: there are none.
    /// Where contacts are closed or stick, what is in force may also miss what is required
    /// (ControlSolution::missed): then they may have to give. `loads` evaluates the plant's forces
    /// that depend on loads, with decisions as they are held there; none: by values.
    enum class Deciding { as_in_force, anew };
    Outcome run(const State& state, const Equations& plant,
                Deciding deciding = Deciding::as_in_force, Assembler* loads = nullptr);
    /// Takes efforts that rounding, or what is left of a change of what is in force, has put beyond
    /// their limits back to them.
    void cut_at_limits();

    const std::vector<double>& efforts() const { return efforts_; }  // (p)
    const std::vector<double>& force() const { return force_; }      // F u (n)
    /// Of the believed system; none where efforts are replayed.
    const ControlSolution* solution() const { return recorded() ? nullptr : &solution_; }

    /// What is required, at the state of the last run.
    const Matrix& required_rows() const { return required_.A; }                 // C (k × n)
    const std::vector<double>& required_values() const { return required_.b; }  // d (k)
    const Actuators& actuators() const { return *actuators_; }
    /// C R (k × p) of the plant, whose equations are `plant`, at the state of the last run; empty
    /// where there is none.
    Matrix responses(const State& state, const Equations& plant);
    /// φ and φ' of the requirements (k).
    Residuals residuals(const State& state);

    /// The rows of what is required, with nothing else: the same with decisions by branches, and
    /// the parameters of both.
    const System& requirements() const { return *rows_; }
    std::shared_ptr<const SmoothSystem> smooth_requirements() const;
    std::span<const double> requirement_parameters() const { return row_parameters_; }

    /// Whether efforts follow different laws from place to place: there are limits or one-sided
    /// rows.
    bool has_sets() const { return has_sets_; }
    /// Whether a contact of the mode is closed or sticks, and would open or slip if more were
    /// required than it allows.
    bool contacts_give() const { return contacts_give_; }
    const DerivedModel& plant() const { return plant_; }
    /// In the names of the model, why the last run was not ok.
    Status status(Outcome outcome, const State& state) const;

private:
    std::string why_not_moved() const;
    const RecordedEfforts* recorded() const;
    Outcome solve(const State& state, const Equations& plant, Deciding deciding, Assembler* loads);
    ControlProblem problem_for(const Equations& system) const;
    void solve_with_loads(const State& state, const ControlProblem& problem, Assembler& assembler);
    void linearize_loads(const State& state, std::span<const double> Q, Assembler& assembler);
    void apply(const std::vector<double>& efforts);

    const DerivedModel& plant_;
    const DerivedModel& whole_;  // of which the plant is a mode, or itself
    SolveOptions options_;
    std::unique_ptr<DerivedModel> believed_mode_;
    const DerivedModel* believed_ = nullptr;  // where it is not the plant
    std::unique_ptr<Assembler> believed_assembler_;
    Equations believed_equations_;
    std::shared_ptr<const System> rows_;  // the requirements alone
    std::span<const double> row_parameters_;
    std::unique_ptr<Assembler> row_assembler_;
    Equations required_;
    std::vector<int> sense_;
    std::vector<bool> may_miss_;  // rows of controls with `nearest`
    bool has_sets_ = false;
    std::unique_ptr<Actuators> actuators_, believed_actuators_;
    // Forces that depend on loads, about the multipliers `loads_`: load_force_ + load_rates_ λ_L in
    // place of Q.
    std::vector<std::size_t> load_rows_;
    std::unique_ptr<Assembler> load_assembler_;  // of the plant, by values
    std::vector<double> loads_, load_force_;
    Matrix load_rates_;
    ControlSurroundings surroundings_;
    bool contacts_give_ = false;
    ControlSolution solution_;
    std::vector<double> efforts_, force_;
};

/// What each control does, for the acceleration of the plant: fills Evaluation::controls,
/// control_force, efforts.
void report_controls(Controller& controller, const State& state,
                     std::span<const double> acceleration, Evaluation& at);

}  // namespace lacon::control
