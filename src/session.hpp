// A run with all that it needs to live: what it is made of, its callbacks, and places to go on
// from.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "checkpoint/saved_run.hpp"
#include "driver/run.hpp"
#include "error_estimate.hpp"
#include "listeners.hpp"
#include "pipeline.hpp"
#include "verify.hpp"

namespace lacon {

/// The one loop over the steps of a run. Simulation, `lacon::run` and `lacon run` are layers over
/// it.
///
/// A run ends at one time (RunPlan::end). For another end it is made anew from a snapshot, which
/// changes no bit of its state. A snapshot cannot be taken after every step (Run::is_resumable):
/// so one is kept from time to time, and the steps since then are repeated, in silence.
class Session {
public:
    Session(RunSetup setup, std::vector<StartOverride> start, Callbacks callbacks);
    /// Goes on from a snapshot: none, from the start, `steps_since` steps later.
    Session(RunSetup setup, const SavedRun& place, Callbacks callbacks);
    Session(const Session& other);
    Session& operator=(const Session&) = delete;

    void set_callbacks(Callbacks callbacks);
    /// Asked between steps and within long ones; once it says so the run is interrupted.
    void stop_when(std::function<bool()> asked);
    bool begin();
    bool resume(const Snapshot& snapshot);  ///< instead of `begin`
    bool step();
    bool propagate_until(double t);
    void run();
    void interrupt() { stop_ = true; }
    bool is_over() const { return over_; }
    /// After the end: how far the motion can be trusted, as far as that takes further runs. With
    /// RunOptions::verify the motion is computed once more; `estimates`: a method with a fixed step
    /// takes other steps too. `asked` as stop_when.
    void look_back(const std::function<bool()>& asked = {}, bool estimates = false);
    const std::optional<ErrorEstimate>& error_estimate() const { return trust_.estimate; }

    /// Whether the snapshot of the run itself goes on from here; else steps have to be repeated.
    bool is_resumable() const { return begun_ && !is_broken_ && leg_.run->is_resumable(); }
    Snapshot snapshot() const;
    SavedRun saved() const;
    bool is_made_twice() const { return trust_.verifier.has_value(); }

    const DerivedModel& details() const { return *setup_.details; }
    const RunPlan& plan() const { return setup_.plan; }
    const std::vector<StartOverride>& start_values() const { return overrides_; }
    const std::vector<std::string>& names() const { return leg_.run->names(); }
    const Status& status() const { return ended_ ? leg_.run->status() : ended_; }
    const Start& start() const { return start_; }
    const State& state() const { return leg_.run->state(); }
    std::uint64_t rows() const { return leg_.run->rows() - leg_.dropped_rows; }
    std::size_t steps() const { return leg_.run->steps(); }
    MotionSummary summary() const;
    std::span<const MotionDiagnosis::Warning> warnings() const { return leg_.run->warnings(); }

private:
    void make(double end);
    void follow_for_verification();
    void take_row(std::span<const double> row);
    bool is_on_grid(double t) const;
    void take_up(const std::optional<Snapshot>& from, std::uint64_t steps_since);
    void remake(double end);
    bool advance();
    void keep();
    bool goes_on();

    /// Between snapshots: what is repeated to copy or save the run takes no longer.
    static constexpr std::chrono::milliseconds least_pause{100};

    RunSetup setup_;
    std::vector<StartOverride> overrides_;
    Listeners listeners_;
    std::function<bool()> stop_asked_;
    /// The run up to an end, that of the plan or an earlier one.
    struct {
        std::shared_ptr<Run> run;  // one that is at its end is shared by copies
        double end = 0.0;
        std::uint64_t dropped_rows = 0;  // at an end that is not that of the plan
    } leg_;
    Start start_;
    Status ended_;  // interrupted where the run itself was at its end
    struct {
        std::optional<Verifier> verifier;
        std::optional<Verification> verification;
        std::optional<ErrorEstimate> estimate;
    } trust_;  // what tells how far the motion can be trusted
    struct {
        std::optional<Snapshot> snapshot;  // none: the start
        std::size_t steps = 0;
        std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
        std::chrono::steady_clock::duration pause = least_pause;
    } kept_;
    bool begun_ = false, over_ = false;
    bool paused_ = false;     // the leg is at its end, and the plan goes on
    bool repeats_ = false;    // steps that were taken before: nobody is told
    bool is_broken_ = false;  // interrupted within a step: the run is not to be gone on with
    std::atomic<bool> stop_ = false;
};

/// A checksum of the model's text and the values of its parameters.
std::uint64_t fingerprint(const DerivedModel& details);

}  // namespace lacon
