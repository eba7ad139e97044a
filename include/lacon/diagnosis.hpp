// Diagnose a mechanism at a state, and audit a result by independent tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lacon/mechanism.hpp"

/// A report on a state in the user's names: which constraints depend on each other or conflict,
/// whether that persists, and which forces are unique; and an audit of the result by independent
/// methods.
///
///     const auto table = lacon::Mechanism::load("models/table_fixed.lac");
///     const lacon::Diagnosis found = lacon::diagnose(table);
///     for (const lacon::Dependency& set : found.dependent) tell(set.text);
///     for (const lacon::Reaction& reaction : found.reactions) if (!reaction.unique)
///     tell(reaction.name);
namespace lacon {

struct DiagnosisOptions {
    /// Its seed also chooses the states sampled and the directions of an audit.
    SolveOptions solve = {};
    std::size_t samples = 12;        // states nearby at which dependencies are tried; 0: none
    std::size_t most_sampled = 100;  // beyond so many coordinates or rows nothing is sampled
};

/// How the rank of the rows in force was decided: on the singular values of B = A L⁻ᵀ (M = L Lᵀ)
/// with rows scaled to unit length.
struct RankFinding {
    std::size_t rows = 0,
                rank = 0;  // rows in force; with contacts, those closed or holding by friction
    std::size_t degrees_of_freedom = 0;  // n − rank
    std::optional<double> smallest_kept,
        largest_dropped;     // singular values relative to the largest; none where there are none
    double gap = 0.0;        // as ConstrainedSolution::gap
    double tolerance = 0.0;  // relative to the largest singular value
    bool decided = true;
    std::string scaling;  // one sentence: how the tolerance is meant
};

enum class Verdict { consistent, conflict, undecided };
enum class Persistence {
    structural,  ///< holds in every state sampled nearby, or no other state is allowed nearby
    momentary,   ///< a singular position: in some state nearby the rows are independent
    untested,    ///< no state nearby could be sampled, or rounding left the rank there in doubt
};
LACON_EXPORT std::string_view name_of(Verdict verdict);
LACON_EXPORT std::string_view name_of(Persistence persistence);

/// Constraint rows that depend on each other, no part of them by itself: Σ coefficients[k] · (row
/// k) = 0.
struct Dependency {
    std::vector<std::string> names;  // of the rows
    /// Empty for a conflict of start values at position or velocity level.
    std::vector<double> coefficients;
    Level level = Level::acceleration;  // at which the verdict was found
    Verdict verdict = Verdict::consistent;
    /// Relative: DependentSet::mismatch. Of a start conflict: the absolute residual of the last
    /// row.
    double mismatch = 0.0;
    std::optional<double> asked,
        fixed;  // of a conflict: what the last row asks for, and what the others make of it
    double apart = 0.0;  // of two rows: what is left of one, of length 1, without its part along
                         // the other; 0 where that is rounding in every entry
    Persistence persistence = Persistence::untested;
    /// States nearby, and in how many of them the rows depend on each other.
    std::size_t sampled = 0, dependent_in = 0;
    std::string why;   // untested: the reason
    std::string text;  // a whole sentence
};

/// At a singular position: what moves here but not nearby. Directions are displacements of the
/// coordinates (n each), cleaned of rounding, their largest entry 1.
struct SingularPosition {
    std::size_t generic_rank = 0;  // in states nearby
    /// With what is possible in all states nearby, they span what is possible here.
    std::vector<std::vector<double>> freed;
    /// Where motions branch here: what each branch still allows of it.
    std::vector<std::vector<std::vector<double>>> branches;
    std::string text;
};

/// The force of a named constraint, all rows of a vector constraint together.
struct Reaction {
    std::string name;
    std::vector<std::string> rows;
    std::vector<bool> row_unique;  // of each multiplier
    bool unique = true;            // of the force: may be so where multipliers are not
};

/// Multipliers that can be added in any amount and change no motion.
struct NullForce {
    std::vector<std::string> names;  // of the rows
    std::vector<double> coefficients;
};

struct Diagnosis {
    State state;
    Status status;  // of the start, where that failed, else of the evaluation
    std::optional<Start> start;
    std::optional<RankFinding> rank;  // none where nothing could be evaluated
    std::vector<Dependency> dependent;
    std::optional<SingularPosition> singular;
    std::vector<Reaction> reactions;  // of constraints in force
    std::vector<NullForce> null_forces;
    std::string convention;                 // where forces are not unique: which are given
    std::vector<std::string> undetermined;  // coordinates whose acceleration nothing fixes
    std::vector<std::string> indefinite;    // coordinates at which M shows a negative direction
};

/// At the start state of the model, and at any state (which is taken as it is).
LACON_EXPORT Diagnosis diagnose(const Mechanism& mechanism, const DiagnosisOptions& options = {});
LACON_EXPORT Diagnosis diagnose(const Mechanism& mechanism, const State& state,
                                const DiagnosisOptions& options = {});

/// One test of an audit: a value that theory wants to be zero, scaled by the size of what it is
/// made from.
struct AuditLine {
    std::string name;
    double value = 0.0;
    double tolerance = 0.0;
    bool ok = true;
    std::string text;  // what was compared
};

struct Audit {
    Status status;  // not ok where there is no result to audit
    std::vector<AuditLine> lines;
    std::vector<std::string> skipped;  // what could not be tested, and why: whole sentences
    /// Whether there was something to audit and no test failed.
    LACON_EXPORT bool ok() const;
};

/// Tests a result by roads that did not lead to it: Gauss's function against random feasible
/// accelerations, virtual work, the balance of power, residuals, and the formulas of the papers.
LACON_EXPORT Audit audit(const Mechanism& mechanism, const State& state,
                         const DiagnosisOptions& options = {});
/// The same of an evaluation from elsewhere.
LACON_EXPORT Audit audit(const Mechanism& mechanism, const Evaluation& at,
                         const DiagnosisOptions& options = {});

}  // namespace lacon
