// A sparse run that changes to dense matrices at a singular position.
#pragma once

#include "hybrid/hybrid_run.hpp"
#include "large/run.hpp"

namespace lacon {

/// A large system's run that goes over to the dense way at its first singular position: the sparse
/// way is not led through them. Rows, events, sums and checkpoints go on.
class HandedRun final : public AnyRun {
public:
    /// Whether the dense way can take over: it is not too large for it, by what a step is estimated
    /// to take, and nobody asked for something else.
    static bool is_for(const DerivedModel& details, const RunPlan& plan, double dense_seconds);

    HandedRun(const DerivedModel& details, RunPlan plan, const std::vector<StartOverride>& start,
              RowSink sink);

    bool begin() override;
    bool resume(const Snapshot& snapshot) override;
    bool step() override;
    void interrupt() override { now().interrupt(); }
    void stop_when(std::function<bool()> asked) override;
    bool is_resumable() const override { return now().is_resumable(); }
    Snapshot snapshot() const override;
    const std::vector<std::string>& names() const override { return now().names(); }
    const Status& status() const override { return now().status(); }
    const Start& start() const override { return start_; }
    const State& state() const override { return now().state(); }
    double last_length() const override { return now().last_length(); }
    std::uint64_t rows() const override { return now().rows(); }
    std::size_t steps() const override { return now().steps(); }
    MotionSummary summary() const override { return now().summary(); }
    std::span<const MotionDiagnosis::Warning> warnings() const override { return {}; }

private:
    bool hand_over();
    void make_dense();
    AnyRun& now() { return dense_ ? static_cast<AnyRun&>(*dense_) : *large_; }
    const AnyRun& now() const { return dense_ ? static_cast<const AnyRun&>(*dense_) : *large_; }

    const DerivedModel& details_;
    RunPlan plan_;
    std::vector<StartOverride> overrides_;
    RowSink sink_;
    Start start_;
    std::unique_ptr<LargeRun> large_;
    std::unique_ptr<HybridRun> dense_;  // once it has taken over
    std::function<bool()> stop_asked_;
};

}  // namespace lacon
