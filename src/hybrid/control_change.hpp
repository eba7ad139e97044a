// What controls do from a change on: which efforts are at their limits, which requirements bind.
#pragma once

#include "hybrid/change_place.hpp"
#include "hybrid/mode_account.hpp"

namespace lacon::inline hybrid {

/// Decides what is in force of the controls in the next mode. Where efforts follow one law
/// everywhere there is nothing to decide, and no set. What is passed in must outlive it.
class ControlChange {
public:
    ControlChange(const DerivedModel& details, const RunPlan& plan, const ChangePlace& place,
                  ModeAccount& account)
        : details_(details), plan_(plan), place_(place), account_(account) {}

    /// From this state on, in a mode of the mechanism. Not ok where there are no efforts.
    Status decide(DerivedModel& mode, const State& state, const Clock& time);
    const std::optional<ControlSet>& in_force() const { return in_force_; }
    /// Of each requirement what is missed a moment later; empty where none is known to be.
    const std::vector<double>& missed_later() const { return missed_later_; }
    /// The actuators have lost hold of what is required.
    Status hold_lost(const State& state) const;

    /// What a checkpoint keeps of it, beside the allowances of the monitor.
    Snapshot::Controls kept() const { return {in_force_, usual_step_, {}}; }
    void recall(const Snapshot::Controls& kept);

private:
    double moment() const;

    const DerivedModel& details_;
    const RunPlan& plan_;
    const ChangePlace& place_;
    ModeAccount& account_;
    std::optional<ControlSet> in_force_;
    std::vector<double> missed_later_;
    double usual_step_ = 0.0;  // length of late
};

}  // namespace lacon::hybrid
