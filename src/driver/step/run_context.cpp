// What the parts of a run share, and how they end it.
#include "driver/step/run_context.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"

namespace lacon::inline driver {

RunContext::RunContext(const DerivedModel& d, RunPlan p, Backend& b)
    : details(d),
      plan(std::move(p)),
      backend(b),
      field(b.field()),
      step(b, plan),
      account(d, plan) {}

double RunContext::shortest_step() const {
    // What a run of 1e15 steps would take; and the last place of the second double of the time.
    return 1e-15 * (plan.end - plan.begin) + 1e-25 * std::abs(step.base->time.now());
}

bool RunContext::fail(const State& state, Status reason) {
    if (field.stopped) {  // whatever came of it
        interrupt();
        return false;
    }
    status = std::move(reason);
    finish(state);
    return false;
}

bool RunContext::fail_with_reason(const State& state, Status otherwise) {
    if (field.stopped) return fail(state, {});
    return fail(state, field.trouble(state, std::move(otherwise)));
}

void RunContext::interrupt() {
    if (is_over) return;
    status = {Outcome::interrupted,
              fmt::format("stopped at t = {}", rounded(step.base->time.now(), 12)),
              {}};
    finish(step.base->state);
}

void RunContext::finish(const State& state) {
    is_over = true;
    account.summary.final = state;
}

}  // namespace lacon::driver
