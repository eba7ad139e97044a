// Stretches of regular motion: far from singular positions, without decisions or events, a run goes by whole compiled steps.
// What they refuse is done by careful steps (integrate.cpp, landing.cpp) until the motion is regular again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/fast_steps.hpp"
#include "motion/integrate.hpp"
#include "motion/methods.hpp"

namespace lacon {

/// For pairs with step control, constraints by projection, and nothing to be located within a step.
bool Integration::may_stretch() const {
    const auto& stabilized = details_.system.stabilized;
    return field_.compiled && (summary_.method == "dop853" || summary_.method == "dopri5") && field_.smooth.mode_count == 0 &&
           details_.model.events.empty() && plan_.options.stabilize == Stabilize::project && !plan_.options.strict &&
           std::none_of(stabilized.begin(), stabilized.end(), [](bool s) { return s; });
}

void Integration::compile_steps(const kernel::CompileOptions& compile) {
    if (!may_stretch()) return;
    if (field_.compiled && field_.compiled->in_loops()) {
        summary_.code.why = "no whole steps: even accelerations are too long for straight-line code";
        return;
    }
    FastSteps::Options options;
    options.rank_tol = plan_.options.solve.rank_tol;
    options.tolerance = plan_.tolerance;
    options.compile = compile;
    try {
        fast_ = std::make_unique<FastSteps>(details_, field_.smooth, kernel_, summary_.method == "dop853" ? dop853() : dopri5(),
                                            options);
    } catch (const std::runtime_error& reason) {
        summary_.code.why = fmt::format("no whole steps: {}", reason.what());
    }
}

/// From careful steps to a stretch, where the weakest direction of the constraints is as strong as usual.
void Integration::begin_stretch() {
    if (!fast_ || stretches_ || !is_usual()) return;
    if (pause_.left > 0) {
        --pause_.left;
        return;
    }
    if (here_->factor().rank() > 0 && here_->factor().weakest() < 0.6 * usual_strength_) return;
    fast_->control = StepControl::recalled(method_->memory());
    stretches_ = true;
}

/// Back to careful steps, at the same state.
bool Integration::end_stretch() {
    stretches_ = false;
    constexpr std::size_t longest = 63;
    pause_.length = pause_.left = std::min(2 * pause_.length + 1, longest);
    landed_raw_ = landed_ = base_->state;
    if (there_->project(landed_) != Outcome::ok || !prepare(base_->time, true)) return false;
    commit();
    method_->recall(fast_->control.memory());
    return true;
}

/// One step of a stretch; nothing where it is for a careful step.
std::optional<bool> Integration::stretch() {
    const Clock end{plan_.end, 0.0};
    const double left = end.since(base_->time);
    const StepControl before = fast_->control;
    const auto refused = [&] {
        fast_->control = before;
        return std::nullopt;
    };
    if (!fast_->advance(base_->time, base_->state, left, shortest_step())) return refused();
    const FastSteps::Landing& landing = fast_->landing();
    const double energy = landing.kinetic + landing.potential;
    if (conservative_) {  // a jump would be a branch lost between two stages
        const double scale = std::max(kinetic_high_, landing.kinetic) + std::max(potential_high_, landing.potential) -
                             std::min(potential_low_, landing.potential);
        const double rounding = 1e-13 * (landing.kinetic + std::abs(landing.potential));
        if (!(std::abs(energy - summary_.energy_last) <= std::max(1e-9, 1e3 * plan_.tolerance) * scale + rounding))
            return refused();
    }
    const double tau = landing.length;
    const bool has_row = sink_ && has_row_within(tau);
    const Field::Counters counters = field_.counters;
    if (has_row && !method_->retrace(*base_, tau)) return refused();
    field_.counters = counters;  // rows are no work of the motion
    landed_.q = landing.state.q;
    landed_.v = landing.state.v;
    const Clock time = tau == left ? end : base_->time.after(tau);
    landed_.t = time.now();
    note_energy({landing.kinetic, landing.potential}, landed_);
    auto& worst = summary_.worst;
    worst.position = std::max(worst.position, landing.position);
    worst.velocity = std::max(worst.velocity, landing.velocity);
    worst.position_absolute = std::max(worst.position_absolute, landing.position_absolute);
    worst.velocity_absolute = std::max(worst.velocity_absolute, landing.velocity_absolute);
    if (has_row) give_rows(tau, {});
    pause_ = {};
    ++summary_.steps;
    last_length_ = tau;
    turns_in_place_ = 0;
    base_->time = time;
    std::swap(base_->state, landed_);
    if (tau < left) return true;
    finish(base_->state);
    return false;
}

}  // namespace lacon
