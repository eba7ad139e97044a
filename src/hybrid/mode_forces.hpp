// Accelerations and forces of constraint of a mode at a state.
#pragma once

#include <algorithm>
#include <cmath>

#include "code/compiled.hpp"
#include "methods/field.hpp"

namespace lacon::inline hybrid {

/// The solve of a mode: M q'' = Q + Aᵀ λ with the rows in force, λ spread over all rows of the
/// whole mechanism. Holds workspace; `mode` must outlive it.
class ModeForces {
public:
    ModeForces(const DerivedModel& mode, const FieldOptions& options)
        : mode_(mode),
          field_(mode, options),
          acceleration_(field_.n()),
          own_(field_.m()),
          multipliers_(mode.whole->system.row_count() + mode.whole->system.slip_elements.size()) {}

    /// Takes the branches of decisions from here on; whether they are others than before.
    bool follow(const std::vector<double>& branches) {
        const bool are_new = branches != field_.assembler.branches;
        field_.assembler.branches = branches;
        return are_new;
    }

    /// By code from here on. Throws as CompiledAcceleration.
    void compile(const KernelChoice& choice, double rank_tol,
                 const kernel::CompileOptions& compile) {
        compiled_ = std::make_unique<CompiledAcceleration>(
            mode_, field_.smooth, choice,
            CompiledAcceleration::Options{rank_tol, compile, field_.options.baumgarte});
    }

    /// False where there are none; then multipliers in force are NaN.
    bool solve(const State& state) {
        std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
        const bool solved =
            (compiled_ && compiled_->run(state, field_.assembler.branches, acceleration_, own_)) ||
            field_.solve(state, acceleration_, own_);
        for (std::size_t i = 0; i < own_.size(); ++i)
            multipliers_[mode_.rows[i]] = solved ? own_[i] : NAN;
        return solved;
    }
    // Of the last solve.
    const std::vector<double>& acceleration() const { return acceleration_; }  // (n)
    const std::vector<double>& own() const { return own_; }  // multipliers of the mode's rows (m)
    /// Of all rows of the whole: the model's, then those of slip; 0 where not in force.
    const std::vector<double>& multipliers() const { return multipliers_; }
    double largest() const {
        double largest = 0.0;
        for (const double x : multipliers_) largest = std::max(largest, std::abs(x));
        return largest;
    }

    /// Aᵀ λ (n): unique also where single forces are not. False where there is none.
    bool resultant(const State& state, std::vector<double>& out) {
        if (!solve(state) || !field_.equations(state, equations_)) return false;
        out.assign(field_.n(), 0.0);
        for (std::size_t i = 0; i < own_.size(); ++i)
            for (std::size_t j = 0; j < field_.n(); ++j) out[j] += equations_.A(i, j) * own_[i];
        return true;
    }

    Assembler& assembler() { return field_.assembler; }

private:
    const DerivedModel& mode_;
    DenseField field_;
    std::unique_ptr<CompiledAcceleration> compiled_;  // where it is so
    Equations equations_;
    std::vector<double> acceleration_, own_, multipliers_;
};

}  // namespace lacon::hybrid
