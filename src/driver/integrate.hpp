// The driver of the motion: the plan of a run, its snapshot, and the class that takes its steps.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>

#include "code/fast_rows.hpp"
#include "code/fast_steps.hpp"
#include "driver/condition_watch.hpp"
#include "lacon/motion.hpp"
#include "locate/breaks.hpp"
#include "locate/calendar.hpp"
#include "locate/knots.hpp"
#include "locate/singular_search.hpp"
#include "locate/watch.hpp"
#include "methods/method.hpp"
#include "methods/noise.hpp"
#include "state/start.hpp"

namespace lacon {

struct MethodChoice;

/// RunOptions with everything decided.
struct RunPlan {
    double begin = 0.0, end = 0.0, every = 0.0, tolerance = 0.0, step = 0.0, max_step = INFINITY;
    bool tolerance_given = true;  // where not, each method has its own (default_tolerance)
    std::string method, impacts;
    RunOptions options;
    /// Of the second motion of a verification: the order of series is that of this tolerance, so
    /// that they are compiled once, and the values of the start are moved by a unit in the last
    /// place.
    double series_tolerance = 0.0;
    bool is_second = false;
};
/// Throws std::invalid_argument with a sentence for what makes no sense.
RunPlan plan_run(const DerivedModel& details, const RunOptions& options);

FieldOptions field_options(const RunPlan& plan);

/// The weakest direction of the constraints at some time.
struct WeakDirection {
    double strength = 0.0, asked = 0.0;  // ConstrainedFactor::weakest, asked_along_weakest
};

/// Careful steps before compiled ones are tried again, the more the oftener they were refused.
struct Pause {
    std::size_t left = 0, length = 0;
};

/// What a run needs to go on with the same bits.
struct Snapshot {
    Clock time;
    State landed;  // where the last step landed, before projection
    std::vector<double> modes;
    std::vector<int> sides;
    std::vector<double> memory;  // of the method
    std::uint64_t next_row = 0;  // number of the next row on the grid
    std::uint64_t rows = 0;      // rows given out so far
    double last_row = 0.0;       // time of the last one
    double potential_low = 0.0, potential_high = 0.0, kinetic_high = 0.0, usual_strength = 0.0;
    WeakDirection far;
    KernelChoice kernel;
    bool stretches = false;  // within a stretch of compiled steps: `landed` is the state itself
    Pause pause;
    std::vector<State> trail;  // where its last steps began, the oldest first
    bool passes = false;       // Taylor steps over a singular position instead of the method's
    MotionSummary summary;
    ConditionAccount strength;  // of runs that are diagnosed
    struct Contact {
        std::vector<double>
            modes;  // what is in force (contact/modes.hpp); empty where that cannot change
        std::vector<double> spare;     // of the monitors
        bool forces_unique = true;     // of the phase
        double first_step = INFINITY;  // the most that the next step may be
    } contact = {};
    std::vector<double>
        control;  // of controls: what is in force (HybridRun), and the spare of the monitors
    double border = 0.0;  // BeginBorder's at `time`
    bool dense = false;   // the run began in the sparse way and has gone over to the dense one
    double growth =
        INFINITY;  // the most that the next step may be, as steps grow by a bounded factor
    std::vector<double> noise = {};  // NoiseWatch::kept
};

/// A run, or one phase of a run whose constraints change on the way (hybrid/hybrid_run.hpp), step
/// by step. One step: the method goes as far as it may; decisions and events within are located;
/// the end is brought back to the constraints, away from singular positions; what happened and the
/// rows within are given out.
class Integration {
public:
    using RowSink = std::function<void(std::span<const double>)>;

    Integration(const DerivedModel& details, RunPlan plan, const std::vector<StartOverride>& start,
                RowSink sink, Monitors* monitors = nullptr);
    ~Integration();

    /// Finds the start state and gives out the first row, or goes on from a snapshot. False where
    /// there is no start.
    bool begin();
    bool resume(const Snapshot& snapshot);
    /// Begins a phase where another one ended: at `landed` of a snapshot made with `handover`, or
    /// at the begin of a run, where no row has been given out.
    struct Entry {
        double first_step = INFINITY;  // the most that the first step may be
        bool is_stiff = false;         // at first: an implicit method leads on until it is no more
        std::vector<std::vector<double>> still = {};  // of that method
        double nudge =
            0.0;  // decisions are taken by the motion so much later, where one has just turned
    };
    bool enter(Snapshot snapshot, const Entry& entry);
    /// Leaves the events to the next phase: a run of many phases does not copy them each time.
    Snapshot handover();
    const std::string& method() const { return summary_.method; }
    const std::string& why() const { return summary_.why; }
    /// The monitors that ended the phase; empty where something else did. What is none of them: a
    /// decision has turned in a row that the laws of contact hold (`turned`), or their verdict has
    /// changed.
    const std::vector<std::size_t>& hit() const { return hit_; }
    static constexpr std::size_t turned = ~std::size_t{0};
    /// The row of that decision, of the whole model (behind its constraints: of friction).
    std::size_t turned_row() const;
    bool is_without_loads() const { return field_.loads.is_empty(); }
    double first_step() const { return first_step_; }
    /// Takes one step; false when the run is over, by its end or by trouble (status).
    bool step();
    void interrupt();  ///< ends the run with Outcome::interrupted
    /// As AnyRun::stop_when.
    void stop_when(std::function<bool()> asked) { field_.stop_asked = std::move(asked); }

    bool is_resumable() const {
        if (stretches_) return true;
        const bool own =
            stepper_ != backup_.get() && !lacks_series_ && !is_resolving() && !begins_stiff_;
        return own && (!is_usual() || method_->is_resumable());
    }
    Snapshot snapshot() const;
    const std::vector<std::string>& names() const { return names_; }
    const Status& status() const { return status_; }
    const Start& start() const { return start_; }
    const State& state() const { return base_->state; }
    double last_length() const { return last_length_; }
    std::uint64_t rows() const { return rows_; }
    std::size_t steps() const { return summary_.steps; }
    MotionSummary summary() const;
    void note(MotionEvent event) { summary_.events.push_back(std::move(event)); }
    /// Of a run that is diagnosed: what was warned of so far; else nothing.
    std::span<const MotionDiagnosis::Warning> warnings() const;

private:
    // A step, in the order of its parts.
    double limit_by_breaks(double left);
    double longest_step();
    void note_length(double length);
    bool advance(double left);
    bool bound_by_features();
    bool end_at_knot();
    bool land(double& tau, bool is_cut);
    bool try_landing(double tau);
    Clock time_after(double tau) const;
    bool jumps_branch(double tau);
    double weak_direction() const;
    void choose_stepper();
    void note_strength(const ConstrainedFactor& factor, const State& state);
    void follow_strength(double tau);
    void compile();
    void take_method(const MethodChoice& choice);

    // Stretches of compiled steps.
    std::string why_no_stretch() const;
    void compile_steps(const kernel::CompileOptions& options);
    void begin_stretch();
    void take_stretch(const std::vector<double>& memory);
    bool sees_features(const FastSteps::Landing& landing);
    std::optional<bool> stretch();
    bool end_stretch();
    void look_back();

    bool take_passer();
    bool is_resolving() const { return resolver_ && stepper_ == resolver_.get(); }
    bool resolve_miss(double left, double tau);
    void project_gently();
    bool fail_undecided(const Critical& critical);
    bool leads_out(double left);
    bool take_backup(const Base& base);
    double shortest_step() const;
    bool plan_passage(double left);
    bool is_usual() const { return stepper_ == method_.get(); }
    bool is_starting() const { return starter_ && stepper_ == starter_.get(); }
    bool is_taylor() const { return summary_.method == "taylor"; }
    bool prepare(const Clock& time, bool fresh);
    void take_over(const Snapshot& snapshot);
    void begin_monitors();
    void note_verdict(std::vector<Crossing>& crossings);
    double resolved_from(double from, double end);
    bool fail_at_jump(const Crossing& crossing);
    void take_hits(const std::vector<Crossing>& crossings, double tau);
    void set_next_base(const Clock& time);
    void commit();
    bool turn(const Crossing& crossing, const Clock& time);
    void settle_others(std::size_t mode, const Clock& time);
    bool jumps_too_far(const State& before, const std::string& decision);
    void pass(const Crossing& crossing, const Decision& decision, const State& state);
    bool is_law_row(const Element& element) const;
    bool cannot_continue();

    // What is noted along the way.
    bool note_rank(double tau);
    bool note_passages(double tau);
    double energy_of_correction(double behind) const;
    bool leaves_singular();
    void note_events_at_end();
    Status conflict_ahead();
    Status paradox_ahead();
    Status reach_ahead();
    Status end_of_reach(const Projector& at, const State& state);
    bool note_jump(const State& before, const std::string& decision);
    void note_first(const Energies& energies);
    void note_energy(const Energies& energies, const State& state);
    bool has_row_within(double tau) const;
    Clock grid_time(std::uint64_t i) const;
    bool is_consistent(const State& state);
    void note_residuals(const Projector& projector);
    void note_left(const Projector::Left& left);
    void follow_noise();
    void note_noise(const State& state);

    void give_rows(double tau, const std::vector<Crossing>& crossings);
    void give_row(const State& state);
    bool give_fast_row(State& state);
    void send_row(const State& state);

    bool fail(const State& state, Status status);
    bool fail_with_reason(const State& state, Status otherwise);
    void finish(const State& state);

    const DerivedModel& details_;
    RunPlan plan_;
    std::vector<StartOverride> overrides_;
    RowSink sink_;
    Field field_;
    std::unique_ptr<Projector> here_, there_;  // at the base, and where the step lands
    std::unique_ptr<Projector> beside_;        // for rows
    std::unique_ptr<Method> method_,
        passer_;                        // the one chosen, and Taylor steps over singular positions
    std::unique_ptr<Method> resolver_;  // Taylor steps around a near miss of a singular position
    std::unique_ptr<Method> backup_;    // where a Taylor series does not exist
    std::unique_ptr<Method> starter_;   // where a phase begins stiff
    Method* stepper_ = nullptr;         // the one of them in use
    std::unique_ptr<Base> base_;
    std::shared_ptr<const Breaks> breaks_;
    double jump_at_ = INFINITY;  // where in the step the equations jump
    Monitors* monitors_;
    Watch watch_;
    SingularSearch passages_;
    std::vector<SingularCrossing> passed_;  // within the step
    FeatureCheck features_;
    KnotSearch knots_;
    Observables outputs_;
    std::unique_ptr<ConditionWatch> strength_;  // of a run that is diagnosed
    std::vector<std::string> names_;

    std::unique_ptr<FastSteps> fast_;      // none where every step is a careful one
    std::unique_ptr<FastRows> fast_rows_;  // of rows within them
    bool lacks_series_ = false;  // where the last step landed: the next one is another method's
    bool stretches_ = false,
         interrupted_ = false;  // interrupted_: by something within the step, not by trouble
    Pause pause_;
    NoiseWatch noise_;
    std::optional<Calendar> calendar_;
    std::vector<State> trail_;  // states of the stretch's last steps, the oldest first

    Start start_;
    KernelChoice kernel_;
    Status status_;
    MotionSummary summary_;
    bool ended_ = false, conservative_ = false;
    std::unique_ptr<Base> next_base_;
    State landed_raw_, landed_;  // the end of the step, before and after projection
    State base_raw_;
    double last_length_ = 0.0, last_row_ = 0.0;
    std::uint64_t next_row_ = 0, rows_ = 0;
    double potential_low_ = 0.0, potential_high_ = 0.0, kinetic_high_ = 0.0;
    double usual_strength_ = 0.0;  // of the weakest direction of the constraints, of late
    WeakDirection far_;            // when it was last of about that strength
    std::size_t turned_ = 0,
                turns_in_place_ =
                    0;  // the decision turned over last, and how often without a step between
    std::vector<double> row_;
    std::vector<std::size_t> hit_;
    double first_step_ = INFINITY;
    bool verdict_is_old_ = false;  // a decision has turned since the last one
    bool begins_stiff_ = false;    // the phase, and it is still so
    double growth_ = INFINITY;     // the most that the next step may be
    double seconds_before_ = 0.0;  // of the runs that this one resumes
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace lacon
