// The backends of a run: which one it stands on, and the way from one to the other and back.
#pragma once

#include "driver/integrate.hpp"
#include "large/choose.hpp"

namespace lacon::inline hybrid {

/// Makes the integrations of a run over the backend in force. A large system's run goes over
/// singular positions with the dense backend (`hand_over`), and on from there with the sparse one
/// (`hand_back`). `details` and `plan` must outlive it.
class Backends {
public:
    Backends(const DerivedModel& details, const RunPlan& plan,
             const std::vector<StartOverride>& start, Integration::RowSink sink,
             const SolverChoice& solver);

    /// Of the mechanism, or of one of its modes.
    std::unique_ptr<Integration> make(const DerivedModel& details, const RunPlan& plan,
                                      Monitors* monitors = nullptr) const;
    const std::vector<StartOverride>& overrides() const { return overrides_; }
    void stop_when(std::function<bool()> asked) { stop_asked_ = std::move(asked); }

    /// Whether the dense backend stands in for the sparse one.
    bool is_lent() const { return may_hand_over_ && !is_sparse_; }
    /// The sparse backend has come to a singular position: from here on the dense one leads.
    /// `far`: a consistent state away from there, or none. False where the run is over.
    bool hand_over(std::unique_ptr<Integration>& run, const State& far);
    /// The dense one has led over it.
    bool hand_back(std::unique_ptr<Integration>& run);

    /// What a checkpoint keeps.
    void note_in(Snapshot& snapshot) const;
    /// Before `run` is resumed from the snapshot: gives it the backend that it had.
    void resume(const Snapshot& snapshot, std::unique_ptr<Integration>& run);
    void note_in(MotionSummary& summary) const;

private:
    void take(bool sparse, std::unique_ptr<Integration>& run);

    const DerivedModel& details_;
    const RunPlan& plan_;
    std::vector<StartOverride> overrides_;
    Integration::RowSink sink_;
    std::function<bool()> stop_asked_;
    bool is_sparse_;  // the backend, now
    bool may_hand_over_;
    Snapshot::Handover handover_;
};

}  // namespace lacon::hybrid
