// Load a model, find its start state and evaluate its equation of motion: `Mechanism` and the types
// of its results.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacon/contact.hpp"
#include "lacon/control.hpp"
#include "lacon/matrix.hpp"
#include "lacon/names.hpp"
#include "lacon/solve.hpp"

/// Lacon in one header: a model text in, the explicit equation of motion at any state out.
///
///     const auto pendulum = lacon::Mechanism::load("models/pendulum.lac");
///     const auto state = pendulum.start().state;
///     const auto at = pendulum.evaluate(state);
///     if (at.status) use(at.solution.acceleration);
namespace lacon {

/// An error or a warning about a model's text. Line and column are counted from 1, columns in
/// characters.
struct ModelDiagnostic {
    bool is_error = true;  // else a warning
    std::string file;
    std::size_t line = 1, column = 1;
    std::string message;  // a sentence
    std::string hint;     // or empty
};

/// A text that is no model. what() is the full report: every error with its place, a caret and a
/// hint.
struct LACON_EXPORT ModelError : std::runtime_error {
    explicit ModelError(const std::string& report, std::vector<ModelDiagnostic> found = {})
        : std::runtime_error(report), diagnostics(std::move(found)) {}
    std::vector<ModelDiagnostic> diagnostics;  // in the order of their places
};

struct State {
    double t = 0.0;
    std::vector<double> q;  // coordinates (n), in the order of the file
    std::vector<double> v;  // their velocities (n)
};

/// How a computation ended, in words a user understands: the names and numbers are in the message.
struct Status {
    Outcome outcome = Outcome::ok;
    std::string message;             // empty when ok
    std::vector<std::string> names;  // constraints (conflict, no_start) or coordinates
                                     // (undetermined, indefinite) concerned
    explicit operator bool() const { return outcome == Outcome::ok; }
};

enum class Level {
    position,
    velocity,
    acceleration
};  ///< of a constraint: the highest derivative in it
LACON_EXPORT std::string_view name_of(Level level);

/// One scalar constraint row at a state.
struct ConstraintReport {
    std::string name;
    Level level = Level::position;
    double residual = 0.0;  // φ at its own level
    double velocity_residual =
        0.0;  // φ' of a position-level row, φ of a velocity-level row, NaN at acceleration level
    std::vector<double> force;  // A_Cᵀ λ_C over all coordinates (n); empty without an answer
    double multiplier = 0.0;    // NaN without an answer
    bool redundant = false;     // the row lies in the span of the other rows
    Named<ContactKind> contact = {};          // of a one-sided row
    Named<FrictionKind> friction_state = {};  // of a constraint with friction, on its first row
    std::vector<double> friction_force =
        {};                             // over all coordinates (n), where its contact is closed
    std::optional<double> weight = {};  // as the model gives it
};

/// Dry friction with a fixed bound on one coordinate, at a state.
struct DryFrictionReport {
    std::string name;        // "friction x"
    std::size_t number = 0;  // of its coordinate
    double bound = 0.0;      // that holds: of sliding where it slips, else at rest
    Named<FrictionKind> friction_state =
        {};              // sticks, slips; none where the bound is zero whatever moves
    double force = 0.0;  // on the coordinate; NaN without an answer
};

/// One control at a state: what it requires, and the effort that is spent on it.
struct ControlReport {
    std::string name;
    std::vector<double>
        force;  // over all coordinates (n): F u of its own efforts; empty without an answer
    double power = 0.0;  // force · q'
    double cost = 0.0;   // of its efforts: uᵀ N u, or Gauss's measure
    /// One scalar requirement φ = 0 (φ ≥ 0, φ ≤ 0).
    struct Row {
        std::string name;
        Level level = Level::position;
        double error = 0.0;           // tracking error: φ at its own level; of a one-sided row the
                                      // violation, 0 where it is met
        double velocity_error = 0.0;  // φ' of a position-level row, φ of a velocity-level row, NaN
                                      // at acceleration level
        double missed =
            0.0;  // by how much the acceleration of the row is not what was required of it
        bool redundant = false;  // the actuators cannot move it apart from other rows
        Named<RequirementState> state = {};
    };
    std::vector<Row> rows;
    struct Effort {
        std::string actuator;
        double value =
            0.0;  // this control's own; efforts of an actuator that serves several controls add up
        Named<LimitSide> limit = {};  // at which the whole effort of the actuator is
    };
    std::vector<Effort> efforts;
};

/// All quantities of the theory at one state (docs/theory.md, 1 to 3).
///
/// Large mechanisms are evaluated with sparse matrices (`is_sparse`). Then M and A are empty, and
/// so are the forces of single constraints, which would be as large. There are no singular values:
/// the gap of the rank is that of `pivots`.
struct Evaluation {
    /// Of a sparse factorization of rows of unit length.
    struct Pivots {
        double smallest_kept = 1.0;    // squared length that a row keeps off the span of others
        double largest_dropped = 0.0;  // the same of rows that were found to depend on others
        /// The reciprocal condition: the smallest singular value of the row-scaled B that counts,
        /// over the largest; an estimate.
        double weakest = 1.0;
    };
    State state;
    Matrix M, A;
    bool is_sparse = false;
    SparseMatrix sparse_M, sparse_A;  // of M the lower triangle
    std::optional<Pivots> pivots;     // of a sparse evaluation that knows the rank
    std::string solve;                // of a sparse evaluation: how it was solved, and why so
    std::vector<double> Q, b;
    ConstrainedSolution solution;
    double kinetic = 0.0, potential = 0.0;  // T, V
    std::size_t rows_in_force =
        0;  // whose rank the solution has: with contacts, those that are closed or hold by friction
    /// Of constraints that are not ideal (theory 4), where the model has such: M q'' = Q + Aᵀ λ +
    /// c, the multipliers those with c. solution.constraint_force and nonideal_force are the parts
    /// of P5 42, 43: their sum is Aᵀ λ + c.
    std::vector<double> c;
    double nonideal_power = 0.0;  // c·q'
    std::vector<double> required,
        free;  // the two terms of P5 31, which are orthogonal; empty where M is singular
    /// Of a model with one-sided constraints or friction: how well the laws of contact are met.
    std::optional<ContactSolution::Certificate> certificate;
    bool forces_unique = true;  // of contacts: false where they depend on each other, and single
                                // forces are those of least (weighted) norm
    std::vector<ConstraintReport> constraints;
    std::vector<DryFrictionReport> frictions;  // those with fixed bounds, in the order of the text
    /// Of a model with controls: M q'' = Q + control_force + forces of constraint. Q, a and e are
    /// without them, the acceleration with them.
    std::vector<ControlReport> controls;
    std::vector<double> control_force;  // (n)
    std::vector<double> efforts;        // of the actuators, in the order of Mechanism::actuators
    std::vector<std::pair<std::string, double>>
        outputs;  // what the model's `output` asks for: time and state first
    Status status;
};

/// A start state that meets the constraints, and the values that were changed for it.
struct Start {
    struct Move {
        std::string name;  // "x", "x'"
        double by = 0.0;   // new − guessed value
    };
    struct Unmet {
        std::string name;  // of a constraint row
        double residual =
            0.0;  // at the level that could not be met, at the nearest state that was found
    };
    State state;
    std::vector<Move> moved;         // values that changed by more than rounding
    double position_residual = 0.0;  // largest |φ| of the position level
    double velocity_residual = 0.0;  // largest |φ'| or |φ| of the velocity level
    std::vector<std::vector<std::string>>
        conflicts;  // status conflict: the sets of constraints, each by itself contradictory
    std::vector<Unmet> unmet;  // status no_start or conflict: the constraints that are off
    Status status;  // ok, or no_start with the constraints that cannot be met, or undefined
};

/// Parameter values from outside, by name.
using Settings = std::vector<std::pair<std::string, double>>;

inline namespace mechanics {
struct DerivedModel;  // the derived system, for the rest of the library
}

class Evaluator;

/// A model with its derived equations. Immutable; copies share it; safe to use from several
/// threads.
class LACON_EXPORT Mechanism {
public:
    /// Throws ModelError for a text with errors, std::runtime_error for a file that cannot be read.
    static Mechanism load(const std::string& path, const Settings& settings = {});
    static Mechanism parse(const std::string& text, const std::string& name = "model",
                           const Settings& settings = {});

    const std::string& name() const;
    const std::vector<std::string>& coordinates() const;
    const std::vector<std::string>& constraints() const;  // rows, in the order of the file
    std::vector<Level> levels() const;                    // of the rows
    const std::vector<std::string>& controls() const;     // in the order of the file
    const std::vector<std::string>& actuators() const;    // of all controls, each once
    const std::vector<std::string>& parameters() const;   // in the order of the file
    double parameter(const std::string& name) const;      // throws std::out_of_range
    /// Numbers of names, in the lists above; none for a name that is not in it.
    std::optional<std::size_t> coordinate_index(std::string_view name) const;
    std::optional<std::size_t> constraint_index(std::string_view name) const;  // of a row
    std::optional<std::size_t> control_index(std::string_view name) const;
    std::optional<std::size_t> actuator_index(std::string_view name) const;
    std::optional<std::size_t> parameter_index(std::string_view name) const;

    /// The same mechanism with other parameter values. Nothing is read or derived again, and both
    /// share the equations. Parameters that are not named keep their values; those computed from
    /// others follow. Throws std::invalid_argument for an unknown name, an invalid value, and a
    /// parameter that determines the structure of the model (the size of a family, the bounds of a
    /// loop): to change that one, reload the model.
    Mechanism with_parameters(const Settings& values) const;

    /// The start state of the model: values given with `=` hold, guesses move to the nearest
    /// consistent state in the M-metric.
    Start start(const SolveOptions& options = {}) const;
    /// With dense or sparse matrices, whichever suits the mechanism unless `solver` says so. Throws
    /// std::invalid_argument if sparse matrices are not possible.
    Evaluation evaluate(const State& state, const SolveOptions& options = {},
                        Solver solver = Solver::automatic) const;
    /// M, Q, A, b as text or LaTeX.
    std::string explain(bool latex = false) const;

    const DerivedModel& details() const { return *details_; }

private:
    friend class Evaluator;
    explicit Mechanism(std::shared_ptr<const DerivedModel> details)
        : details_(std::move(details)) {}
    std::shared_ptr<const DerivedModel> details_;
};

/// M, Q, A, b and the motion at one state after another, in storage that is made once: for control
/// loops, optimization, identification. Views hold until the next call. One thread at a time.
///
///     lacon::Evaluator at(pendulum);
///     while (…) if (at.evaluate(state)) use(at.acceleration());
///
/// The numbers equal those of Mechanism::evaluate up to rounding. After the first call nothing is
/// allocated as long as M is definite, the rank of A is clear and the same contacts are closed.
/// Harder cases (M semidefinite, a rank in doubt, a contact that opens or closes, no answer) and
/// models with friction, controls or nonideal forces use Mechanism::evaluate, which allocates.
class LACON_EXPORT Evaluator {
public:
    explicit Evaluator(const Mechanism& mechanism, const SolveOptions& options = {},
                       Solver solver = Solver::automatic);
    Evaluator(Evaluator&&) noexcept;
    Evaluator& operator=(Evaluator&&) noexcept;
    ~Evaluator();

    /// False if there is no answer: then `status` says why, and the accelerations, multipliers and
    /// forces are empty. Throws std::invalid_argument for a state of another size.
    bool evaluate(const State& state);
    /// The same of a state that lies elsewhere.
    bool evaluate(double t, std::span<const double> q, std::span<const double> v);

    const Status& status() const;
    MatrixView M() const;                              // (n × n); empty where `is_sparse`
    MatrixView A() const;                              // (m × n); empty where `is_sparse`
    std::span<const double> Q() const;                 // (n)
    std::span<const double> b() const;                 // (m)
    std::span<const double> acceleration() const;      // q'' (n)
    std::span<const double> multipliers() const;       // λ of least (weighted) norm (m)
    std::span<const double> constraint_force() const;  // M q'' − Q (n)
    std::size_t rank() const;                          // of A; of contacts and controls as there
    bool is_sparse() const;
    const SparseMatrix& sparse_M() const;  // the lower triangle; empty unless `is_sparse`
    const SparseMatrix& sparse_A() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lacon
