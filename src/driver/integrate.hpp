// The driver of the motion: the class that takes the steps of a run, over any backend.
#pragma once

#include "driver/step/branching.hpp"
#include "driver/step/compiled_segment.hpp"

namespace lacon::inline driver {

/// A run, or that of one mode where contacts or controls change on the way (hybrid/hybrid_run.hpp),
/// step by step. One step: the method goes as far as it may; decisions and events within are
/// located; the end is brought back to the constraints, away from singular positions; what happened
/// and the rows within are given out.
class Integration {
public:
    using RowSink = RowWriter::Sink;

    /// `backend` must be of these details.
    Integration(const DerivedModel& details, RunPlan plan, const std::vector<StartOverride>& start,
                RowSink sink, std::unique_ptr<Backend> backend, Monitors* monitors = nullptr);
    ~Integration();

    /// Finds the start state and gives out the first row, or goes on from a snapshot. False where
    /// there is no start.
    bool begin();
    bool resume(const Snapshot& snapshot);
    /// Begins a mode where another one ended, or the backend changes: at `state` of a snapshot
    /// made with `handover`, or at the begin of a run, where no row has been given out.
    struct Entry {
        double first_step = INFINITY;  // the most that the first step may be
        bool is_stiff = false;         // at first: an implicit method leads on until it is no more
        std::vector<std::vector<double>> still = {};  // of that method
        std::vector<double> rate = {};                // likewise
        double nudge =
            0.0;  // decisions are taken by the motion so much later, where one has just turned
        bool takes_usual = false;  // of the snapshot: that which is usual for the constraints
        std::size_t code_at = 0;   // CompiledSegments::wait_until
    };
    bool enter(Snapshot snapshot, const Entry& entry);
    /// The end of a mode, for the next one to begin with. Leaves the events to it: a run of many
    /// modes does not copy them each time.
    Snapshot handover();
    /// The run has ended where its backend cannot go on, and another one could.
    bool hands_over() const { return guard_->handed_over() != nullptr; }

    /// Whether the constraints are about as strong as usual, and nothing stands in for the method.
    bool is_regular() const {
        return segments_.is_active() || (steppers_.is_usual() && guard_->is_strong());
    }

    /// Takes one step; false when the run is over, by its end or by trouble (status).
    bool step();
    void interrupt() { run_.interrupt(); }  ///< ends the run with Outcome::interrupted
    /// As Simulation::stop_when.
    void stop_when(std::function<bool()> asked) { run_.field.stop_asked = std::move(asked); }

    const std::string& method() const { return run_.account.summary.method; }
    const std::string& why() const { return run_.account.summary.why; }
    const Branching& branching() const { return branching_; }
    bool is_without_loads() const;
    double first_step() const { return limits_.first_step; }

    bool is_resumable() const { return segments_.is_active() || steppers_.is_resumable(); }
    Snapshot snapshot() const;
    const std::vector<std::string>& names() const { return rows_.names(); }
    const Status& status() const { return run_.status; }
    const Start& start() const { return start_; }
    const State& state() const { return run_.step.base->state; }
    double last_length() const { return run_.step.last_length; }
    std::uint64_t rows() const { return rows_.count(); }
    std::size_t steps() const { return run_.account.summary.steps; }
    MotionSummary summary() const;
    void note(MotionEvent event) { run_.add_event(std::move(event)); }
    /// Of a run that is diagnosed: what was warned of so far; else nothing.
    std::span<const MotionDiagnosis::Warning> warnings() const;

private:
    // Beginning.
    void take_over(const Snapshot& snapshot);
    void make_method();
    Status not_projected(Outcome outcome, const char* what, const State& state) const;
    bool stand_at_start();
    void note_first(const Energies& energies);

    // A step, in the order of its parts.
    void follow_noise();
    std::optional<bool> step_of_segment();
    bool find_step();
    std::optional<bool> turn_at_begin(const std::vector<Crossing>& crossings, Branching::Cut cut);
    bool land(double& tau, bool is_cut);
    bool try_step_end(double tau);
    bool conflicts_far(bool has_end, const Clock& end);
    bool note_step(double tau, const std::vector<Crossing>& crossings);
    bool go_on(double tau, const std::vector<Crossing>& crossings, Branching::Cut cut);
    void follow_diagnosis(double tau);
    bool end_run();
    void note_events_at_end();

    std::unique_ptr<Backend> backend_;
    RunContext run_;
    std::unique_ptr<SingularGuard> guard_;
    StepLimits limits_;
    Steppers steppers_;
    Watch watch_;
    RowWriter rows_;
    DeadEnd dead_end_;
    std::unique_ptr<ConditionWatch> diagnosis_;  // of a run that is diagnosed
    Monitors* monitors_;
    CompiledSegments segments_;
    Branching branching_;
    std::vector<StartOverride> overrides_;
    Start start_;
};

}  // namespace lacon::driver
