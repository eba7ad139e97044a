// A mechanism at one state: matrices, motion, forces, residuals and outputs (theory 2 to 4).
#pragma once

#include <span>

#include "mechanics/numbers/assemble.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline state {

/// Everything of the theory at one state: assembles M, Q, A, b, solves, and tells what every number
/// belongs to.
Evaluation evaluate(const DerivedModel& details, const State& state, const SolveOptions& options);
/// The same but for the model's outputs and the split of P5 31.
Evaluation evaluate_without_outputs(const DerivedModel& details, const State& state,
                                    const SolveOptions& options);

/// At a state of a mechanism, or of a mode of one: then the reports are of all its rows, the
/// matrices of those in force.
struct InForce {
    const DerivedModel& details;
    Assembler& assembler;
    Assembler& all_rows;  // of the mechanism, whatever is in force; the same outside a mode
    /// What the laws of contact have found for the mode: of several answers the one that counts,
    /// as others would slip against the direction in which it begins to. Empty: none is known.
    std::span<const double> acceleration = {};
};
Evaluation evaluate_in_mode(const InForce& in_force, const State& state,
                            const SolveOptions& options, bool split);
/// Each row of the model as it stands, before anything is solved.
std::vector<ConstraintReport> residual_reports(const DerivedModel& details,
                                               const Residuals& residuals);
/// At a state of a mechanism with contacts: their laws decide what is in force, and the matrices
/// are of all rows.
Evaluation evaluate_contacts(const DerivedModel& details, const State& state,
                             const SolveOptions& options, bool split);

}  // namespace lacon::state
