// Evaluate a large mechanism at a state with sparse matrices.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lacon/mechanism.hpp"

/// Mechanisms of many thousand coordinates, whose matrices nobody would write out. `run` and
/// `Mechanism::start` take them as they are; an Evaluation has dense matrices, and these here have
/// not.
///
///     const auto net = lacon::Mechanism::load("models/large/net.lac", {{"N", 300}});
///     const lacon::LargeEvaluation at = lacon::evaluate_large(net, net.start().state);
namespace lacon {

/// Entries by rows: those of row i are numbered begin[i] … begin[i + 1] − 1, their columns
/// increase.
struct SparseMatrix {
    std::size_t rows = 0, cols = 0;
    std::vector<std::size_t> begin;     // (rows + 1)
    std::vector<std::uint32_t> column;  // of each entry
    std::vector<double> value;
};

/// Dependent sets that are one another's like but for an index: "'again[i]' and 'rod[i]' say the
/// same thing" for many i.
struct SetGroup {
    std::vector<std::size_t> sets;  // their numbers in LargeEvaluation::dependent
    std::string text;               // a sentence for all of them, with the ranges of indices
    bool conflict = false, undecided = false;
};

/// The equation of motion at one state.
struct LargeEvaluation {
    State state;
    SparseMatrix M, A;  // of M the lower triangle
    std::vector<double> Q, b;
    std::vector<double> a, e;  // M⁻¹ Q (n) and b − A a (m); empty where M is not definite
    std::vector<double> acceleration;      // q'' (n); empty without an answer, as what follows
    std::vector<double> multipliers;       // λ of least (weighted) norm (m)
    std::vector<double> constraint_force;  // Aᵀ λ (n)
    std::vector<double> residuals, velocity_residuals;  // φ and φ' as in ConstraintReport (m)
    std::size_t rank = 0;                               // of A, where `has_rank`
    bool has_rank = false, rank_decided = true;
    double smallest_kept = 1.0;    // of the squared lengths that rows of unit length keep off the
                                   // span of those before them;
    double largest_dropped = 0.0;  //   and those of the rows that were found to depend on others
    double weakest = 1.0;  // smallest singular value of the row-scaled B that counts, beside the
                           // largest: an estimate
    std::vector<DependentSet> dependent;  // one for each row that follows from others
    std::vector<SetGroup> groups;
    double gaussian =
        NAN;  // (q'' − a)ᵀ M (q'' − a); NaN where M is not definite or there is no q''
    double residual = 0.0;  // largest of a row of A q'' = b, beside what it balances
    double kinetic = 0.0, potential = 0.0;
    std::vector<std::pair<std::string, double>> outputs;
    std::string solve;  // how, and why so
    Status status;
};
LargeEvaluation evaluate_large(const Mechanism& mechanism, const State& state,
                               const SolveOptions& options = {});

/// Why a mechanism must be solved with dense matrices: what it contains that large systems cannot
/// have yet; empty where nothing.
std::string why_not_large(const Mechanism& mechanism);

}  // namespace lacon
