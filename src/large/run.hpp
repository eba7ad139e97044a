// The run of a large system with sparse matrices.
#pragma once

#include "driver/any_run.hpp"
#include "large/decisions.hpp"
#include "large/projection.hpp"
#include "large/singular_search.hpp"
#include "large/taylor.hpp"
#include "large/watch.hpp"
#include "locate/calendar.hpp"

namespace lacon {

/// The run of a large system: Taylor steps, each with one sparse factorization, which also brings
/// its end back to the constraints. A rank that falls ends it, also within a step: singular
/// positions are not led through at this size.
class LargeRun final : public AnyRun {
public:
    LargeRun(const DerivedModel& details, RunPlan plan, const std::vector<StartOverride>& start,
             RowSink sink);
    ~LargeRun() override;

    bool begin() override;
    bool resume(const Snapshot& snapshot) override;
    bool step() override;
    void interrupt() override;
    void stop_when(std::function<bool()> asked) override { stop_asked_ = std::move(asked); }
    bool is_resumable() const override { return true; }
    Snapshot snapshot() const override;
    /// Ends at a step over a singular position, or at one that cannot be taken near it, for a dense
    /// run to go on, from where the constraints were last about as strong as usual: a step over the
    /// position begins well before it. Rows given out since then are not given again.
    void set_hands_over() { hands_over_ = true; }
    bool has_handed_over() const { return handed_over_; }
    Snapshot handover() const;
    const std::vector<std::string>& names() const override { return names_; }
    const Status& status() const override { return status_; }
    const Start& start() const override { return start_; }
    const State& state() const override { return base_; }
    double last_length() const override { return last_length_; }
    std::uint64_t rows() const override { return rows_; }
    std::size_t steps() const override { return summary_.steps; }
    MotionSummary summary() const override;
    std::span<const MotionDiagnosis::Warning> warnings() const override { return {}; }

private:
    void compile();
    bool stand(const State& raw, const Clock& time);
    bool expand(double limit);
    bool land(double& h);
    bool try_landing(double h);
    bool is_consistent();
    Status conflict_ahead();
    bool turn(const LargeDecisions::Turn& crossed);
    bool note_rank();
    bool note_passages(double h, const std::vector<Crossing>& crossings);
    bool is_told(const LargeSingularSearch::Position& position) const;
    void note_rank_event(MotionEvent event, const std::vector<DependentSet>& sets);
    bool goes_through_singular() const {
        return plan_.options.through_singular && !plan_.options.strict;
    }
    void note_energy(const State& state);
    void note_residuals();
    bool give_rows(double h, const std::vector<Crossing>& crossings);
    double shortest_step() const;
    void row_at(double tau, double h, double t);
    void give_row(const State& state);
    void observe(LargeOutputs& outputs, const State& state, std::span<double> out);
    void note_events_at_end();
    bool hand_over();
    void follow_strength();
    bool fail(Status status);
    bool cannot_continue(const State& state);

    const DerivedModel& details_;
    RunPlan plan_;
    std::vector<StartOverride> overrides_;
    RowSink sink_;
    std::shared_ptr<const LargeSystem> system_;
    LargeField field_;
    LargeProjector projector_;
    LargeTaylor taylor_;
    LargeCollocation collocation_;
    LargeSingularSearch passages_;
    LargeDecisions decisions_;
    LargeOutputs outputs_, event_values_;
    LargeWatch watch_;
    std::shared_ptr<const Breaks> breaks_;
    Calendar calendar_;
    std::vector<std::string> names_;

    Start start_;
    Status status_;
    MotionSummary summary_;
    bool ended_ = false, hands_over_ = false, handed_over_ = false;
    Clock time_;
    State base_, base_raw_;      // where the next step begins, and the same before projection
    State landed_, landed_raw_;  // where the step ends
    struct Strong {
        State state;  // a base at which the constraints were about as strong as usual
        std::size_t steps = 0, events = 0;  // since then, and until then
    } strong_;
    Outcome landing_ = Outcome::ok;
    std::size_t turned_ = 0,
                turns_in_place_ =
                    0;      // the decision turned over last, and how often without a step between
    std::size_t rank_ = 0;  // at the base
    double last_length_ = 0.0, last_row_ = 0.0;
    std::uint64_t next_row_ = 0, rows_ = 0;
    double potential_low_ = 0.0, potential_high_ = 0.0, kinetic_high_ = 0.0;
    std::vector<double> row_;
    LargeSolution solution_;
    Residuals residuals_;
    std::function<bool()> stop_asked_;
    double seconds_before_ = 0.0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace lacon
