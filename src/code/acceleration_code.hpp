// Writes a model's M, Q, A, b, residuals and energies as straight-line code, and with the
// constrained solve behind them the acceleration q'' (P1 5a).
#pragma once

#include <optional>

#include "expr/rounded.hpp"
#include "kernel/constrained.hpp"
#include "mechanics/derive/smooth.hpp"

namespace lacon::inline code {

/// Where the inputs of a model's compiled functions stand: q (n), q' (n), t, parameters, branches,
/// and the floors of the rows (m).
struct KernelInputs {
    KernelInputs(const DerivedModel& details, const SmoothSystem& smooth);
    void set_state(const State& state, double time, std::vector<double>& in) const;
    void set_branches(std::span<const double> of_decisions, std::vector<double>& in) const;

    std::size_t q = 0, v = 0, t = 0, parameters = 0, branches = 0, floors = 0, count = 0;
};

/// With pivots below this (of a diagonal of 1) a singular position may be near, unless they are
/// usual for the mechanism (KernelChoice::clear): the smallest singular value of the scaled rows is
/// then below about 0.2.
constexpr double clear_of_singular = 0.05;

/// What is taken as known while code is written.
struct CodeOptions {
    /// Parameters that are inputs. The others, and all where this is empty, are numbers in the
    /// code.
    std::vector<bool> varies;
    /// Rows that depend on others (kernel::Elimination::dropped); none where this is empty.
    std::vector<bool> dependent;
    bool refined = true;  // kernel::Elimination::refined
    /// They depend on others only where the constraints are met, but there they do (LastingRank).
    bool lasting = false;
    double rank_tol = 1e-10;
    /// Pivots of A M⁻¹ Aᵀ below this part of its diagonal are left to the careful path, if it is
    /// the larger bound.
    double clear = 0.0;
    /// The same of whole steps (KernelChoice::clear).
    double clear_of_steps = clear_of_singular;
    /// kernel::Problem::weight.
    std::vector<double> weight;
    /// M of trees of bodies by its entries too, not body by body.
    bool by_entries = false;
};

/// A state in the making.
struct StateValues {
    std::vector<kernel::Value> q, v;
    kernel::Value t;
};
/// The state that the inputs give.
StateValues input_state(const KernelInputs& at, std::size_t n, kernel::Code& code);

/// Writes a model's equations, decisions by branches.
class ModelCode {
public:
    ModelCode(const DerivedModel& details, const SmoothSystem& smooth, const CodeOptions& options,
              kernel::Code& code);

    /// M, Q, A, b.
    kernel::Problem problem(const StateValues& state);
    struct Off {
        std::vector<kernel::Value> value, velocity;  // as Residuals
    };
    Off residuals(const StateValues& state);
    struct Energy {
        kernel::Value kinetic, potential;
    };
    /// Of systems without decisions.
    Energy energies(const StateValues& state);
    /// The surfaces of all decisions, in the order of their branches.
    std::vector<BasicRounded<kernel::Value>> surfaces(const StateValues& state);
    /// A problem of this model: the order of elimination is that of the first one, whose zeros all
    /// share. At a state that meets the constraints, or `beside` those.
    kernel::Factored factored(const kernel::Problem& problem, bool beside = false);
    kernel::Solved solve(const kernel::Problem& problem, bool beside = false) {
        return factored(problem, beside).solve(problem.Q, problem.b);
    }

    const KernelInputs at;

private:
    template <class Visit>
    void each_element(bool by_branches, const StateValues& state, const Visit& visit);
    template <class Choose, class Take>
    void each(const Choose& program, bool by_branches, const StateValues& state, const Take& take);

    const DerivedModel& details_;
    const SmoothSystem& smooth_;
    const CodeOptions& options_;
    kernel::Code& code_;
    const std::vector<bool> articulated_;  // by element
    std::size_t number_ = 0;               // of the element at hand
    std::optional<kernel::Elimination> elimination_;
    std::vector<kernel::Value> inputs_, slots_, outputs_;
};

/// State in, constrained acceleration out: outputs q'' (n), λ (m), fine (1 or 0). Throws
/// kernel::CodeFull beyond `most_nodes`.
kernel::Code acceleration_code(const DerivedModel& details, const SmoothSystem& smooth,
                               const CodeOptions& options,
                               std::size_t most_nodes = kernel::Code::usual_limit);

}  // namespace lacon::code
