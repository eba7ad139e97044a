// Evaluates the model's own expressions at a state.
#pragma once

#include <span>
#include <vector>

#include "mechanics/system/derived_model.hpp"
#include "mechanics/system/symbols.hpp"

namespace lacon::inline mechanics {

/// Expressions of a model over t, q, q' and parameters as numbers at a state. Built once; holds
/// workspace.
class ExpressionValues {
public:
    ExpressionValues(const DerivedModel& details, std::span<const Expr> expressions)
        : ExpressionValues(details, SymbolRoles(details.model), expressions) {}
    /// For those who have the roles already, and many expressions one after the other.
    ExpressionValues(const DerivedModel& details, const SymbolRoles& roles,
                     std::span<const Expr> expressions);

    std::vector<double> at(const State& state);

private:
    const DerivedModel& details_;
    std::vector<SymbolRole> roles_;
    Program program_;
    std::vector<double> inputs_, slots_;
};

/// The same of formulas, one after the other.
class FormulaValues {
public:
    FormulaValues(const DerivedModel& details, const SymbolRoles& roles)
        : details_(details), roles_(roles) {}

    double at(const Formula& formula, const State& state);

private:
    const DerivedModel& details_;
    const SymbolRoles& roles_;
    std::vector<Program> programs_;  // by form, made on demand
    std::vector<double> inputs_, slots_;
};

}  // namespace lacon::mechanics
