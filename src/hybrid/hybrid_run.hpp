// A run through impacts, changes of contact and friction, and saturation of controls.
#pragma once

#include "driver/run.hpp"
#include "hybrid/backends.hpp"
#include "hybrid/contact_change.hpp"
#include "hybrid/control_change.hpp"
#include "hybrid/control_monitor.hpp"
#include "hybrid/mode_models.hpp"

namespace lacon::inline hybrid {

/// A run whose constraints may change on the way: modes, each an ordinary motion (`Integration`),
/// and between them what the laws of contact and friction say.
///
/// A mode lasts as long as its monitors are positive (`ContactMonitor`, `ControlMonitor`). Then it
/// ends, and at that place (`ChangePlace`) the laws decide: impacts, which contacts are closed,
/// what sticks and slips (`ContactChange`), which efforts are at their limits (`ControlChange`).
/// What they decide is the next mode, whose system `ModeModels` keeps. `ModeAccount` keeps the
/// books over all modes.
///
/// A model without contacts, friction and controls has one mode. A large system's run goes over
/// singular positions with the dense backend (`Backends`); rows, events, sums and checkpoints go
/// on.
class HybridRun final : public Run {
public:
    HybridRun(const DerivedModel& details, RunPlan plan, const std::vector<StartOverride>& start,
              RowSink sink, const SolverChoice& solver = {});
    ~HybridRun() override;

    bool begin() override;
    bool resume(const Snapshot& snapshot) override;
    bool step() override;
    void interrupt() override;
    void stop_when(std::function<bool()> asked) override;
    bool is_resumable() const override { return integration_->is_resumable(); }
    Snapshot snapshot() const override;
    const std::vector<std::string>& names() const override { return integration_->names(); }
    const Status& status() const override { return status_ ? integration_->status() : status_; }
    const Start& start() const override { return start_; }
    const State& state() const override { return integration_->state(); }
    double last_length() const override { return integration_->last_length(); }
    std::uint64_t rows() const override { return integration_->rows(); }
    std::size_t steps() const override { return integration_->steps(); }
    MotionSummary summary() const override;
    std::span<const MotionDiagnosis::Warning> warnings() const override {
        return integration_->warnings();
    }

private:
    bool changes_modes() const { return contacts_ != nullptr; }
    bool begin_modes();
    bool change(const std::vector<std::size_t>& rested);
    Status going_nowhere(const std::vector<std::size_t>& hit, const State& state);
    bool enter(Snapshot snapshot, const State& state);
    void make_mode();
    void note_left();
    bool fail(Status status);

    const DerivedModel& details_;
    RunPlan plan_;
    Backends backends_;
    Start start_;
    Status status_;  // of what happens between modes
    ChangePlace place_;
    ModeAccount account_;
    ModeModels models_;
    ModeLengths lengths_;
    std::unique_ptr<ContactChange> contacts_;  // where modes change
    std::unique_ptr<ControlChange> controls_;  // of a mechanism with controls
    std::unique_ptr<ContactMonitor> monitor_;
    std::unique_ptr<ControlMonitor> control_monitor_;  // around it, likewise
    std::unique_ptr<Integration> integration_;         // of the mode
};

}  // namespace lacon::hybrid
