// The equations of a large system at a state, factored and solved. Also says why a model has no
// sparse form.
#pragma once

#include "large/outputs.hpp"

namespace lacon {

/// M, Q, A, b of a large system at a state with their factorization: made once, used for every
/// state. Holds workspace.
class LargeField {
public:
    LargeField(const LargeSystem& system, const SolveOptions& options,
               const SparseOptions& sparse = {});

    const LargeSystem& system;
    const SolveOptions options;
    LargeAssembler assembler;
    LargeEquations equations;  // where it was last factored
    SparseFactor factor;
    std::size_t evaluations = 0, factorizations = 0;

    /// Assembles and factors. ok, undefined, indefinite, undetermined.
    Outcome factor_at(const State& state);
    /// q'' and λ where it was last factored. ok, or conflict: then `residual` says by how much.
    Outcome solve(LargeSolution& out);
    /// How far a row is unmet beside its terms, and beside what the largest force would do to the
    /// heaviest coordinate: at rest the terms are rounding themselves.
    double unmet(std::span<const double> x) const;
    /// By how much accelerations x (n) fail A x = b where it was last factored: the largest |b − A
    /// x|_i beside what it balances, |b_i| + Σ_j |A_ij| (|x_j| + |Q_j / M_jj|), or beside the
    /// length of the row times that of the whole acceleration where rounding of that is larger.
    /// Above SolveOptions::consistency_tol the constraints conflict.
    double inconsistency(std::span<const double> x) const;
    double residual = 0.0;  // that of the last solve

    /// What an outcome that is not ok means at this state, in the user's names.
    Status trouble(Outcome outcome, const State& state);
    /// The conflicting sets at the values last factored.
    Status conflict(const State& state);
};

/// The system of a mechanism laid out for size; made once and kept with it.
std::shared_ptr<const LargeSystem> large_system(const DerivedModel& details,
                                                double baumgarte = 0.0);

/// How a system is solved, in a sentence: what is eliminated, in which form and order, and the
/// figures.
std::string text_of(const SparsePlan& plan);

/// Why a mechanism has no large form yet; empty where it has one.
std::string why_not_large(const DerivedModel& details);

}  // namespace lacon
