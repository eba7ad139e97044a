// The begin and end of a step; the projector of the end becomes that of the next base.
#include "driver/step/step.hpp"

#include <utility>

namespace lacon::inline driver {

Step::Step(Backend& backend, const RunPlan& plan) : run_end{plan.end, 0.0} {
    for (auto* projector : {&here, &there, &beside})
        *projector = backend.make_projector(plan.projects());
}

Clock Step::time_after(double tau) const {
    return tau == left() ? run_end : base->time.after(tau);
}

void Step::begin_at(const Clock& time, const State& state) {
    base = std::make_unique<Base>(Base{time, state, *here});
    raw_end_state = end_state = state;
}

void Step::set_next_base(const Clock& time) {
    next_base = std::make_unique<Base>(Base{time, end_state, *there});
    next_base->state.t = time.now();
}

void Step::commit() {
    base = std::move(next_base);
    base_raw = raw_end_state;
    std::swap(here, there);
}

}  // namespace lacon::driver
