// The places of a step: where it begins, and where it ends.
#pragma once

#include <memory>

#include "driver/backend/backend.hpp"

namespace lacon::inline driver {

/// Where a step begins and where it ends, on the constraints and as the method left it there.
struct Step {
    Step(Backend& backend, const RunPlan& plan);

    Clock run_end;
    std::unique_ptr<Projector> here, there;  // at the base, and where the step lands
    std::unique_ptr<Projector> beside;       // for rows
    std::unique_ptr<Base> base, next_base;
    State base_raw;                  // the base before projection
    State raw_end_state, end_state;  // the end, before and after projection
    double last_length = 0.0;

    /// From the base to the end of the run.
    double left() const { return run_end.since(base->time); }
    /// The end of a run is its end to the last bit, whatever the sum of begin and length rounds to.
    Clock time_after(double tau) const;
    void begin_at(const Clock& time, const State& state);
    /// The next step begins where this one ends: first to be tried, then for good.
    void set_next_base(const Clock& time);
    void commit();
};

}  // namespace lacon::driver
