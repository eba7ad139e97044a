// Stretches of regular motion: far from singular positions, events and the borders of decisions, a
// run goes by whole compiled steps. What they refuse is done by careful steps (integrate.cpp,
// landing.cpp) until the motion is regular again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "code/fast_steps.hpp"
#include "driver/integrate.hpp"
#include "methods/methods.hpp"
#include "methods/quintic.hpp"

namespace lacon {

/// For methods with step control, constraints by projection, and nothing to be located within a
/// step unless the step can tell its states; else the reason.
std::string Integration::why_no_stretch() const {
    const auto& stabilized = details_.system.stabilized;
    if (summary_.method != "dop853" && summary_.method != "dopri5" && !is_taylor())
        return "only dop853, dopri5 and taylor have them";
    if (!is_taylor() && field_.smooth.branch_count > 0)
        return "the model has decisions (if, abs, sign, min, max, floor)";
    if (!is_taylor() && !details_.model.events.empty()) return "the model has events";
    if (!is_taylor() && monitors_) return "contacts are watched";
    if (std::find(stabilized.begin(), stabilized.end(), true) != stabilized.end())
        return "constraints have `stabilize`";
    if (plan_.options.stabilize != Stabilize::project)
        return "constraints are not met by projection";
    if (plan_.options.strict) return "every change of rank is to be seen (--strict)";
    return {};
}

void Integration::compile_steps(const kernel::CompileOptions& compile) {
    const auto interpreted = [this](const std::string& what,
                                    const std::string& why) {  // slower, the same but for rounding
        if (summary_.code.why.find(why) != std::string::npos)
            return;  // what stands in the way of all of it is said once
        summary_.code.why +=
            fmt::format("{}{}: {}", summary_.code.why.empty() ? "" : "; ", what, why);
    };
    try {
        if (!watch_.is_empty())
            watch_.compiled =
                std::make_unique<FastWatch>(details_, field_.smooth, kernel_,
                                            plan_.options.solve.rank_tol, compile, watch_.events());
    } catch (const std::runtime_error& reason) {
        interpreted("events and decisions are interpreted", reason.what());
    }
    const auto none = [&](const std::string& why) { interpreted("no whole steps", why); };
    if (const std::string why = why_no_stretch(); !why.empty()) return none(why);
    if (field_.compiled && field_.compiled->in_loops())
        return none("even accelerations are too long for straight-line code");
    FastSteps::Options options;
    options.rank_tol = plan_.options.solve.rank_tol;
    options.tolerance = plan_.tolerance;
    options.series_tolerance = plan_.series_tolerance;
    options.compile = compile;
    try {
        fast_ = is_taylor() ? make_fast_taylor(details_, field_.smooth, kernel_, options)
                            : make_fast_runge_kutta(
                                  details_, field_.smooth, kernel_,
                                  summary_.method == "dop853" ? dop853() : dopri5(), options);
    } catch (const std::runtime_error& reason) {
        return none(reason.what());
    }
    try {
        if (sink_)
            fast_rows_ = std::make_unique<FastRows>(details_, field_.smooth, kernel_,
                                                    options.rank_tol, compile, outputs_);
    } catch (const std::runtime_error& reason) {
        interpreted("rows are interpreted", reason.what());
    }
}

/// From careful steps to a stretch, where the weakest direction of the constraints is as strong as
/// usual.
void Integration::begin_stretch() {
    if (!fast_ || stretches_ || !is_usual()) return;
    if (pause_.left > 0) {
        --pause_.left;
        return;
    }
    if (here_->factor().rank() > 0 && here_->factor().weakest() < 0.6 * usual_strength_) return;
    take_stretch(method_->memory());
}

/// Compiled steps from here on, with what the last ones remembered.
void Integration::take_stretch(const std::vector<double>& memory) {
    fast_->recall(memory);
    fast_->set_branches(field_.assembler.branches);
    fast_->set_noise(field_.noise);
    if (fast_rows_) fast_rows_->set_branches(field_.assembler.branches);
    stretches_ = true;
}

/// Back to careful steps, at the same state.
bool Integration::end_stretch() {
    stretches_ = false;
    constexpr std::size_t longest = 63;
    if (interrupted_) pause_ = {1, 0};
    else pause_.length = pause_.left = std::min(2 * pause_.length + 1, longest);
    interrupted_ = false;
    look_back();
    landed_raw_ = landed_ = base_->state;
    if (there_->project(landed_) != Outcome::ok || !prepare(base_->time, true)) return false;
    commit();
    method_->recall(fast_->memory());
    return true;
}

/// A stretch does not look at how strong the constraints are, and ends where some are weak: so
/// where it came from tells what is usual.
void Integration::look_back() {
    if (trail_.empty()) return;
    State state = trail_.front();
    trail_.clear();
    beside_->added_mass.clear();
    beside_->weak = 0.0;
    if (beside_->project(state) == Outcome::ok && beside_->factor().rank() > 0)
        note_strength(beside_->factor(), state);
}

/// Whether a compiled step that does not tell its states is short enough for the features of the
/// equations: as far as its ends tell the states between.
bool Integration::sees_features(const FastSteps::Landing& landing) {
    const double h = landing.length;
    const State& a = base_->state;
    State b = landing.state;
    b.t = base_->time.after(h).now();
    const auto quintic = [&](double tau, State& out) {
        out = a;
        for (std::size_t i = 0; i < field_.n(); ++i) {
            const Quintic x({a.q[i], a.v[i], landing.a_begin[i]},
                            {b.q[i], b.v[i], landing.a_end[i]}, h);
            out.q[i] = x.q(tau);
            out.v[i] = x.v(tau);
        }
    };
    const StepPath path{quintic, h};
    return features_.spans(a, b, path, method_->adaptive_order()) ||
           features_.resolved(path, base_->time, method_->adaptive_order()) >= h;
}

/// One step of a stretch; nothing where it is for a careful step.
std::optional<bool> Integration::stretch() {
    const Clock end{plan_.end, 0.0};
    const double left = end.since(base_->time);
    const std::vector<double> before = fast_->memory();
    const auto refused = [&] {
        fast_->recall(before);
        return std::nullopt;
    };
    if (!fast_->advance(base_->time, base_->state, std::min(left, longest_step()), shortest_step()))
        return refused();
    const FastSteps::Landing& landing = fast_->landing();
    if (!features_.is_empty() && !fast_->tells_states() && !sees_features(landing)) {
        interrupted_ = true;
        return refused();
    }
    const double energy = landing.kinetic + landing.potential;
    if (conservative_) {  // a jump would be a branch lost between two stages
        const double scale = std::max(kinetic_high_, landing.kinetic) +
                             std::max(potential_high_, landing.potential) -
                             std::min(potential_low_, landing.potential);
        const double rounding = 1e-13 * (landing.kinetic + std::abs(landing.potential));
        if (!(std::abs(energy - summary_.energy_last) <=
              std::max(1e-9, 1e3 * plan_.tolerance) * scale + rounding))
            return refused();
    }
    const double tau = landing.length;
    note_length(tau);
    const auto path = [this](double at, State& out) { fast_->at(at, out); };
    if (!watch_.is_empty() && !watch_.crossings({path, tau}, base_->time).empty()) {
        interrupted_ = true;
        return refused();
    }
    const bool has_row = sink_ && has_row_within(tau);
    const Field::Counters counters = field_.counters;
    if (has_row && !fast_->tells_states() && !method_->retrace(*base_, tau)) return refused();
    field_.counters = counters;  // rows are no work of the motion
    landed_.q = landing.state.q;
    landed_.v = landing.state.v;
    const Clock time = time_after(tau);
    landed_.t = time.now();
    note_energy({landing.kinetic, landing.potential}, landed_);
    note_left(landing.left);
    if (strength_) follow_strength(tau);
    if (monitors_) monitors_->note({path, tau}, base_->time, landed_);
    if (has_row) give_rows(tau, {});
    pause_ = {};
    ++summary_.steps;
    last_length_ = tau;
    note_noise(landed_);
    turns_in_place_ = 0;
    constexpr std::size_t longest_trail = 4;
    if (trail_.size() == longest_trail)
        std::rotate(trail_.begin(), trail_.begin() + 1, trail_.end());
    else trail_.emplace_back();
    trail_.back() = base_->state;
    base_->time = time;
    std::swap(base_->state, landed_);
    if (tau < left) return true;
    note_events_at_end();
    finish(base_->state);
    return false;
}

}  // namespace lacon
