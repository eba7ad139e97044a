// The equations of a large system at a state, factored and solved. Also says why a model has no
// sparse form.
#pragma once

#include "large/elements/decisions.hpp"
#include "methods/field.hpp"

namespace lacon::inline large {

/// What a solve at a state knows of a large system.
struct SparseSolution {
    std::vector<double> acceleration;  // (n)
    std::vector<double> multipliers;   // (m); those of dependent rows by least norm
};

/// The field of the sparse backend: M, Q, A, b of a large system at a state with their
/// factorization, made once, used for every state. Holds workspace.
class SparseField final : public Field {
public:
    /// `baumgarte`: as that of the system.
    SparseField(const SparseSystem& system, const SolveOptions& options, double baumgarte = 0.0,
                const SparseOptions& sparse = {});

    const SparseSystem& system;
    SparseAssembler assembler;
    SparseEquations equations;  // where it was last factored
    SparseFactor factor;

    std::vector<double>& branches() override { return assembler.branches; }
    Energies energies(const State& state) override { return assembler.energies(state); }
    void residuals(const State& state, Residuals& out) override { assembler.residuals(state, out); }
    void surfaces(const State& state, std::vector<Rounded>& out) override;
    Rounded surface(const State& state, std::size_t branch) override;
    bool tells_one_surface() const override { return true; }
    Status trouble(const State& state, Status otherwise) override;

    /// Assembles and factors. ok, undefined, indefinite, undetermined.
    Outcome factor_at(const State& state);
    /// The same, where the factorization at hand does not serve this state.
    Outcome factor_for(const State& state);
    /// From here on the factorization serves a state near the one that it was made at.
    void note_serves(const State& state) { served_ = state; }
    /// q'' and λ where it was last factored. ok, or conflict: then `residual` says by how much.
    Outcome solve(SparseSolution& out);
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

private:
    SparseDecisions decisions_;
    State served_;  // by the factorization
};

/// The system of a mechanism laid out for size; made once and kept with it.
std::shared_ptr<const SparseSystem> large_system(const DerivedModel& details,
                                                 double baumgarte = 0.0);

/// How a system is solved, in a sentence: what is eliminated, in which form and order, and the
/// figures.
std::string text_of(const SparsePlan& plan);

/// Why a mechanism has no large form yet; empty where it has one.
std::string why_not_large(const DerivedModel& details);

}  // namespace lacon::large
