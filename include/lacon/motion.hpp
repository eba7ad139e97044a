// Run a mechanism over time, or find the efforts of a prescribed motion: `run`, `inverse_dynamics`,
// their options and results.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacon/contact.hpp"
#include "lacon/mechanism.hpp"

/// From the equation of motion to the motion.
///
///     const auto pendulum = lacon::Mechanism::load("models/pendulum.lac");
///     const lacon::Motion motion = lacon::run(pendulum, {.end = 10.0, .every = 0.01});
///     if (motion.status) plot(motion.column("t"), motion.column("x"));
namespace lacon {

enum class Stabilize {
    project,  ///< after every step back to the constraints, by the least change in the M-metric
    baumgarte,  ///< φ'' + 2αφ' + α²φ = 0 in place of φ'' = 0: what users of other programs may want
                ///< to compare with
    none,  ///< drift is left and reported
};

/// Efforts over time, from `lacon control` or the columns of a run; between its times by a natural
/// cubic spline.
struct EffortRecord {
    std::vector<std::string> actuators;        // all of the model, in any order
    std::vector<double> t;                     // increasing
    std::vector<std::vector<double>> efforts;  // of each actuator, one for each time
};

/// Options that are not given come from the model's `simulate` statement, or else are the defaults
/// named here.
struct RunOptions {
    std::optional<double> begin = {};  // start of the time span; 0
    std::optional<double> end = {};    // its end; needed
    /// Spacing of the rows; 1/1000 of the span. It does not change the motion.
    std::optional<double> every = {};
    /// Local error of a step, relative above 1, absolute below; 1e-12 for taylor, 1e-11 for dop853,
    /// 1e-10 for the others.
    std::optional<double> tolerance = {};
    Named<MethodKind> method = {};        // auto
    std::optional<double> step = {};      // of rk4 and gauss: the fixed step; `every`
    std::optional<double> max_step = {};  // of adaptive methods: the maximum step; none
    Stabilize stabilize = Stabilize::project;
    double baumgarte = 10.0;        // α of Stabilize::baumgarte, 1/s
    bool strict = false;            // any change of rank ends the run
    bool through_singular = false;  // continue where the branch cannot be decided
    Named<ImpactLaw> impacts = {};  // simultaneous
    SolveOptions solve = {};
    Named<Solver> solver = {};      // auto
    bool interpret = false;         // no machine code: slower, the same up to rounding
    Named<CodeTarget> target = {};  // the best that this machine supports
    bool cache = true;              // keep machine code on disk for the next run
    /// The efforts of controls are computed by this mechanism, of the same model, with other values
    /// of its parameters: what a controller believes of the plant that is run. Not given: the
    /// plant's own.
    std::optional<Mechanism> controller = {};
    /// The efforts of controls are not computed but replayed: nothing is fed back. Must cover the
    /// time span.
    std::optional<EffortRecord> feedforward = {};
    bool verify = false;    // compute the motion twice, to tell how many digits are right:
                            // MotionSummary::verification
    bool diagnose = false;  // follow how strong the constraints are: MotionSummary::diagnosis,
                            // three more columns
};

/// Constraints that depend on each other: Σ coefficients[k] × (row names[k]) = 0; the largest is
/// ±1, the first positive.
struct NamedSet {
    std::vector<std::string> names;
    std::vector<double> coefficients;
    bool operator==(const NamedSet&) const = default;
};

/// Something that happened at a time.
struct MotionEvent {
    double t = 0.0;
    Named<EventKind> kind;
    std::string
        name;  // of the event; the decision ("x < 0"); the constraints concerned ("rod, bar")
    std::size_t rank_before = 0,
                rank_after = 0;  // kind rank: with a singular position passed, the rank there
    bool passed = false;         // kind rank: the rank is again what it was
    std::vector<std::string> constraints = {};  // kind rank: those that depend on each other
    std::vector<NamedSet> sets =
        {};                       // kind rank: and how; without the sets that depend beside it too
    std::string actuator = {};    // kind saturation: which,
    Named<LimitSide> limit = {};  //   and at which limit
    bool operator==(const MotionEvent&) const = default;
};

/// What evaluated the equations of a run.
struct CodeSummary {
    std::string tier =
        "interpreter";  // or "quick", "full": machine code, made with little or all effort;
                        // "walked": the same code, not compiled, as it is run too seldom
    std::string why =
        {};  // why no machine code, or no whole steps where the method could have them
    std::string target = {};
    std::size_t lanes = 0, operations = 0;
    double compile_seconds = 0.0;
    bool from_cache = false;
    bool whole_steps =
        false;              // steps with their projection are compiled too, not only accelerations
    std::string form = {};  // "straight": all operations in one sequence; "loops": over elements
                            // and matrices (large models)
};

/// How strong the constraints in force were along a motion (RunOptions::diagnose). Their reciprocal
/// condition at a state is the smallest kept singular value of the row-scaled B relative to the
/// largest; the condition is 1 over it, the gap as in ConstrainedSolution. It is looked at in every
/// row and at 16 places of every step, its end among them.
struct MotionDiagnosis {
    struct Place {
        double t = 0.0, value = 0.0;
        bool operator==(const Place&) const = default;
    };
    std::size_t places = 0;  // looked at,
    std::size_t constrained =
        0;  //   and those of them with constraints in force: what follows is about these
    Place condition_least = {}, condition_most = {};
    std::vector<std::string> weakest =
        {};  // constraints in the weakest direction at condition_most, the largest part first
    Place gap_least = {};
    std::size_t undecided = 0;     // places where the gap is below SolveOptions::sure_gap
    double undecided_first = 0.0;  // the time of the first of them
    bool estimated =
        false;  // singular values are estimates within a small factor: there are too many
    double seconds = 0.0;  // spent on all this

    /// The reciprocal condition fell below a tenth of the largest since the constraints in force
    /// last changed: a singular position may come. One for each approach, which ends where the
    /// reciprocal condition is above a fifth again.
    struct Warning {
        double t = 0.0;  // before what it warns of
        double reciprocal_condition = 0.0, usual = 0.0;
        double estimated_t = 0.0;  // where the reciprocal condition would vanish if it went on to
                                   // fall as it does; infinite if it does not
        std::vector<std::string> constraints =
            {};  // in the weakest direction, the largest part first
        Place least =
            {};  // reciprocal condition during the approach; 0 where a singular position was passed
        Named<ApproachEnd> outcome = {};
        std::string text = {};  // a sentence for it, without the time
        bool operator==(const Warning&) const = default;
    };
    std::vector<Warning> warnings = {};
    bool operator==(const MotionDiagnosis&) const = default;
};

/// How many digits of a motion are right (RunOptions::verify). The motion is computed a second
/// time, with a smaller tolerance and from a start whose values differ by one unit in the last
/// place; where the two motions agree, so much is known.
struct Verification {
    std::string method;      // of the second motion
    double tolerance = 0.0;  // of the second motion
    /// Why the errors are not known, or only up to some time: the second motion failed, or took
    /// another course. Empty: neither.
    std::string trouble;

    struct Value {
        std::string name;
        double error =
            0.0;  // estimated, absolute; at least what rounding leaves of a number of this size
        double size = 0.0;    // largest along the motion
        double digits = 0.0;  // −log10(error/size), between 0 and 16
        bool operator==(const Value&) const = default;
    };
    std::vector<Value> final;    // coordinates, then velocities, at the end of the motion
    std::vector<Value> outputs;  // likewise
    double digits = 0.0;         // the fewest of them all; of `final` where there are no outputs

    /// Up to this time every coordinate and velocity has `kept_digits` digits at least; the end of
    /// the motion where they last.
    static constexpr double kept_digits = 3.0;
    double until = 0.0;
    bool lasts = false;

    std::size_t events = 0;         // that both motions had, in the same order
    double event_time_error = 0.0;  // the largest of them
    double cost = 0.0;              // time of both motions over that of the first
    bool operator==(const Verification&) const = default;
};

struct MotionSummary {
    std::string method, why;  // "taylor", and where it was chosen by `auto` the reason
    double tolerance = 0.0;
    double begin = 0.0, end = 0.0, every = 0.0;
    std::size_t steps = 0, rejected = 0, evaluations = 0, factorizations = 0;
    double wall_seconds = 0.0;
    State final;
    /// Largest at any step or row. Residuals are scaled by Σ_j |A_ij| times the largest |q_j|
    /// (|q'_j|); energy is |E − E(begin)|.
    struct Worst {
        double position = 0.0, velocity = 0.0, energy = 0.0;
        double position_absolute = 0.0, velocity_absolute = 0.0;
    } worst;
    double largest = 0.0;  // |coordinate| at any step: the tolerance should be small beside it
    double energy_first = 0.0, energy_last = 0.0;
    /// Largest kinetic energy plus range of the potential: what energy errors are compared with.
    double energy_scale = 0.0;
    std::vector<MotionEvent> events;
    std::size_t rank_first = 0, rank_min = 0, rank_max = 0;
    CodeSummary code;
    /// Of the sparse backend: how it solved the constrained systems, and why so; empty: dense.
    std::string solve = {};
    std::size_t handovers = 0;  // of a sparse run: how often the dense backend took over
    std::size_t undecided = 0;  // steps of a sparse run whose rank was too close to its tolerance
    /// Of models with one-sided constraints, friction or nonideal forces.
    struct Contact {
        std::string law;  // of impacts; empty for models without one-sided constraints
        std::map<std::string, double>
            lost;  // energy, by constraint (friction and impacts), or "nonideal x"
        ContactSolution::Certificate
            certificate;  // the worst of all steps: relative to the largest coordinate and force
        std::size_t certified_steps = 0;
        struct Certified {
            double t = 0.0;
            ContactSolution::Certificate certificate;
        };
        static constexpr std::size_t most_certificates = 10000;
        std::vector<Certified> certificates;  // at the end of each step, of the first so many
        double gained =
            0.0;  // most energy that an impact added: Newton's law with friction may do that
        double largest_force = 0.0;  // multiplier at any step: what forces are relative to
        std::vector<std::pair<std::string, std::string>> methods;  // of the modes, with the reasons
        std::string method = "auto";  // of modes without forces that depend on loads
        std::size_t modes = 0;        // between which the constraints in force changed
        bool forces_unique = true;    // false where contacts depended on each other: single forces
                                      // are then a convention
    } contact;
    /// Of a run with controls, one for each.
    struct Control {
        std::string name;
        double force_most = 0.0,
               force_most_t = 0.0;  // norm over the coordinates, at any step or row, and when
        double effort = 0.0;        // integral of the cost
        double work = 0.0;          // integral of the power
        double error_first = 0.0, error_last = 0.0;  // norm of the tracking errors
        double error_most = 0.0, error_most_t = 0.0;
        double missed_most = 0.0,
               missed_most_t = 0.0;  // acceleration that was required and out of reach
        bool operator==(const Control&) const = default;
    };
    std::vector<Control> controls = {};
    /// Where rounding in the accelerations exceeded the tolerance. Steps are not made shorter for
    /// it: that would not help.
    struct Rounding {
        std::size_t steps = 0;   // in which it was
        double t = 0.0;          // when the first of them began
        double tolerance = 0.0;  // that would have been just above it
        bool operator==(const Rounding&) const = default;
    } rounding;
    std::optional<MotionDiagnosis> diagnosis = {};  // with RunOptions::diagnose
    std::optional<Verification> verification =
        {};  // with RunOptions::verify, of a motion that was begun
};

/// A motion with its rows in memory.
struct Motion {
    Status status;
    MotionSummary summary;
    std::vector<std::string>
        names;  // t, coordinates, velocities, outputs; of each control NAME.force, .power,
                //   .effort, .error, and the efforts of the actuators; with
                //   `diagnose` diagnosis.rank, .condition, .gap
    std::vector<std::vector<double>> columns;  // one for each name
    /// Throws std::out_of_range for a name that is no column.
    LACON_EXPORT const std::vector<double>& column(const std::string& name) const;
};

/// One step of a run, as it ends. The views hold during the call.
struct StepView {
    double t = 0.0;
    std::span<const double> q, v;  // (n) each
    double length = 0.0;
    std::size_t steps = 0;  // so far
};

/// Integrates from the model's start state. `on_step` is called after every step; false ends the
/// run with Outcome::interrupted. Throws std::invalid_argument for invalid options (no end, an
/// unknown method).
LACON_EXPORT Motion run(const Mechanism& mechanism, const RunOptions& options = {},
                        const std::function<bool(const StepView&)>& on_step = {});

/// Options that are not given come from the model's `simulate` statement, as for a run.
struct InverseOptions {
    std::optional<double> begin = {}, end = {}, every = {};
    /// The motion, state by state. Empty: at each time the state that meets the requirements and
    /// the constraints, starting from the state before.
    std::vector<State> along = {};
    SolveOptions solve = {};
};

/// The efforts that a prescribed motion needs, computed without integration.
struct InverseMotion {
    /// ok; undetermined: the names are the coordinates that remain free; no_start, conflict: at
    /// some time no state meets the requirements; unreachable: at some time no effort does, and
    /// those efforts are NaN; interrupted.
    Status status;
    std::vector<std::string> names;            // t, coordinates, velocities, outputs, as of a run
    std::vector<std::vector<double>> columns;  // one for each name
    struct Peak {
        double value = 0.0, t = 0.0;  // the largest by its size
    };
    struct Effort {
        std::string actuator;
        Peak most;
    };
    std::vector<Effort> efforts;
    struct Control {
        std::string name;
        Peak force, power, error,
            missed;  // norms over the coordinates (force) and rows (error, missed)
    };
    std::vector<Control> controls;
    std::vector<double> unreachable;  // times at which not all that is required was in reach
};

/// Called after each row; false ends with Outcome::interrupted.
using OnInverseRow = std::function<bool(double t)>;

/// Throws std::invalid_argument for a model without controls and for options that make no sense.
LACON_EXPORT InverseMotion inverse_dynamics(const Mechanism& mechanism,
                                            const InverseOptions& options = {},
                                            const OnInverseRow& on_row = {});

/// The columns `t` and `effort.ACTUATOR` of a table, for RunOptions::feedforward. Throws
/// std::invalid_argument with a sentence for a column that is missing, times that do not increase,
/// values that are not finite.
LACON_EXPORT EffortRecord effort_record(const std::vector<std::string>& actuators,
                                        const std::vector<std::string>& names,
                                        const std::vector<std::vector<double>>& columns);

}  // namespace lacon
