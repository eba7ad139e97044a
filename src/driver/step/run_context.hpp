// What the parts of a run share: the mechanism, the plan, the step under way, the account, the end.
#pragma once

#include "driver/step/account.hpp"
#include "driver/step/step.hpp"

namespace lacon::inline driver {

/// What the parts of a run share.
class RunContext {
public:
    RunContext(const DerivedModel& details, RunPlan plan, Backend& backend);

    const DerivedModel& details;
    RunPlan plan;
    Backend& backend;
    Field& field;
    Step step;
    Account account;
    Status status;
    bool is_over = false;

    /// Below this a step is none: the clock is that fine.
    double shortest_step() const;
    void add_event(MotionEvent event) { account.summary.events.push_back(std::move(event)); }

    /// Ends the run, with the reason or without. `fail` is false, for those who return it.
    bool fail(const State& state, Status status);
    /// With what is wrong with the equations at the state, or otherwise with this.
    bool fail_with_reason(const State& state, Status otherwise);
    void interrupt();
    void finish(const State& state);
};

}  // namespace lacon::driver
