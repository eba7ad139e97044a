// See compiled_segment.hpp; what is compiled, and what not, is in compiled_code.cpp.
#include "driver/step/compiled_segment.hpp"

#include <algorithm>
#include <cmath>

#include "methods/quintic.hpp"

namespace lacon::inline driver {

void CompiledSegments::begin_where_regular() {
    if (!steps_ || is_active_ || !parts_.steppers.is_usual()) return;
    if (pause_.left > 0) {
        --pause_.left;
        return;
    }
    if (!parts_.guard.is_weak()) take(parts_.steppers.method().memory());
}

/// Compiled steps from here on, with what the last ones remembered.
void CompiledSegments::take(const std::vector<double>& memory) {
    steps_->recall(memory);
    steps_->set_branches(run_.field.branches());
    steps_->noise_asked = [this](const State& from, const State& to) {
        if (!run_.field.learns_noise(from, to)) return false;
        take_noise();
        return true;
    };
    take_noise();
    if (rows_) rows_->set_branches(run_.field.branches());
    is_active_ = true;
}

void CompiledSegments::take_noise() {
    if (steps_) steps_->set_noise(run_.field.noise);
}

bool CompiledSegments::end() {
    is_active_ = false;
    constexpr std::size_t longest = 63;
    if (was_interrupted_) pause_ = {1, 0};
    else pause_.length = pause_.left = std::min(2 * pause_.length + 1, longest);
    was_interrupted_ = false;
    // A segment does not look at how strong the constraints are, and ends where some are weak: so
    // where it came from tells what is usual.
    if (!trail_.empty()) {
        const State from = trail_.front();
        trail_.clear();
        parts_.guard.look_back(from);
    }
    Step& step = run_.step;
    step.raw_end_state = step.end_state = step.base->state;
    if (step.there->project(step.end_state) != Outcome::ok ||
        !parts_.steppers.prepare(step.base->time, true))
        return false;
    step.commit();
    parts_.steppers.method().recall(steps_->memory());
    return true;
}

/// Whether a compiled step that does not tell its states is short enough for the features of the
/// equations: as far as its ends tell the states between.
bool CompiledSegments::sees_features(const FastSteps::StepEnd& end) {
    const Base& base = *run_.step.base;
    const double h = end.length;
    const State& a = base.state;
    State b = end.state;
    b.t = base.time.after(h).now();
    const auto quintic = [&](double tau, State& out) {
        out = a;
        for (std::size_t i = 0; i < run_.field.n(); ++i) {
            const Quintic x({a.q[i], a.v[i], end.a_begin[i]}, {b.q[i], b.v[i], end.a_end[i]}, h);
            out.q[i] = x.q(tau);
            out.v[i] = x.v(tau);
        }
    };
    const StepPath path{quintic, h};
    FeatureCheck& features = *parts_.limits.features;
    const std::size_t order = parts_.steppers.method().adaptive_order();
    return features.spans(a, b, path, order) || features.resolved(path, base.time, order) >= h;
}

/// A jump of the energy would be a branch lost between two stages.
bool CompiledSegments::keeps_energy(const FastSteps::StepEnd& end) const {
    if (!run_.account.is_conservative) return true;
    const Energies energies{end.kinetic, end.potential};
    const double energy = end.kinetic + end.potential;
    // The energy is a sum of some hundred rounded terms: 1e-13 of it is rounding. A step errs by
    // about the tolerance, and 1e3 times that, or 1e-9, is far below the jump to another branch,
    // which is of the size of the energy.
    const double rounding = 1e-13 * (end.kinetic + std::abs(end.potential));
    return std::abs(energy - run_.account.summary.energy_last) <=
           std::max(1e-9, 1e3 * run_.plan.tolerance) * run_.account.energy_scale(energies) +
               rounding;
}

/// Whether a mode ends within the step, and nothing turns before.
bool CompiledSegments::ends_mode() const {
    if (crossings_.empty() || !steps_->tells_states()) return false;
    const Crossing& first = crossings_.front();
    return first.kind == Crossing::Kind::monitor && parts_.watch.ends_step(first) && !first.jumps &&
           first.tau > 0.0;
}

/// Where a mode ends. False where the constraints cannot be met there.
bool CompiledSegments::land(double tau) {
    Step& step = run_.step;
    steps_->at(tau, step.raw_end_state);
    step.raw_end_state.t = step.time_after(tau).now();
    step.end_state = step.raw_end_state;
    return step.there->project(step.end_state) == Outcome::ok &&
           run_.backend.is_consistent(*step.there, step.end_state);
}

void CompiledSegments::note_end(const FastSteps::StepEnd& end, bool is_cut) {
    Account& account = run_.account;
    if (is_cut) {
        account.note_energy(run_.field.energies(run_.step.end_state), run_.step.end_state);
        account.note_residuals(*run_.step.there);
    } else {
        account.note_energy({end.kinetic, end.potential}, run_.step.end_state);
        account.note_left(end.left);
    }
}

std::optional<CompiledSegments::Went> CompiledSegments::step() {
    Step& step = run_.step;
    Steppers& steppers = parts_.steppers;
    const double left = step.left();
    const std::vector<double> before = steps_->memory();
    const auto refused = [&] {
        steps_->recall(before);
        return std::nullopt;
    };
    if (!steps_->advance(
            step.base->time, step.base->state,
            std::min({left, parts_.limits.first_step, parts_.limits.longest(steppers)}),
            run_.shortest_step()))
        return refused();
    const FastSteps::StepEnd& end = steps_->step_end();
    if (!parts_.limits.features->is_empty() && !steps_->tells_states() && !sees_features(end)) {
        was_interrupted_ = true;
        return refused();
    }
    if (!keeps_energy(end)) return refused();
    double tau = end.length;
    parts_.limits.note_length(tau);
    const auto path = [this](double at, State& out) { steps_->at(at, out); };
    crossings_.clear();
    if (!parts_.watch.is_empty()) crossings_ = parts_.watch.crossings({path, tau}, step.base->time);
    const bool is_cut = ends_mode();
    if (is_cut) tau = crossings_.front().tau;
    if (is_cut ? !land(tau) : !crossings_.empty()) {
        was_interrupted_ = true;
        return refused();
    }
    const bool has_row = parts_.rows.has_within(tau);
    const Field::Counters counters = run_.field.counters;
    if (has_row && !steps_->tells_states() && !steppers.method().retrace(*step.base, tau))
        return refused();
    run_.field.counters = counters;  // rows are no work of the motion
    const Clock time = step.time_after(tau);
    if (!is_cut) {
        step.end_state.q = end.state.q;
        step.end_state.v = end.state.v;
        step.end_state.t = time.now();
    }
    note_end(end, is_cut);
    if (parts_.diagnosis) follow_diagnosis(tau);
    if (parts_.monitors) parts_.monitors->note({path, tau}, step.base->time, step.end_state);
    if (has_row && !give_rows(tau)) return Went::stopped;
    pause_ = {};
    parts_.limits.first_step = INFINITY;
    ++run_.account.summary.steps;
    step.last_length = tau;
    run_.account.note_noise(step, run_.field, steppers.traits().finest);
    constexpr std::size_t longest_trail = 4;
    if (trail_.size() == longest_trail)
        std::rotate(trail_.begin(), trail_.begin() + 1, trail_.end());
    else trail_.emplace_back();
    trail_.back() = step.base->state;
    if (is_cut) {
        step.set_next_base(time);
        step.commit();
        return Went::to_a_cut;
    }
    step.base->time = time;
    std::swap(step.base->state, step.end_state);
    return tau < left ? Went::on : Went::to_the_end;
}

bool CompiledSegments::give_rows(double tau) {
    const Method& method = parts_.steppers.method();
    const auto at = [&](double within, State& out) {
        if (steps_->tells_states()) steps_->at(within, out);
        else method.at(within, out);
    };
    return parts_.rows.give(tau, {}, parts_.watch, {at, method, true, rows_.get()});
}

/// A compiled step that does not tell its states is gone over again, as for rows; where that fails
/// its two ends are what is known.
void CompiledSegments::follow_diagnosis(double tau) {
    Step& step = run_.step;
    Method& method = parts_.steppers.method();
    const Field::Counters counters = run_.field.counters;
    const bool by_method = !steps_->tells_states() && method.retrace(*step.base, tau);
    run_.field.counters = counters;
    const auto at = [&](double within, State& out) {
        if (within == tau) out = step.end_state;
        else if (steps_->tells_states()) steps_->at(within, out);
        else if (by_method) method.at(within, out);
        else out = step.base->state;
    };
    parts_.diagnosis->follow({at, step.base->time, tau, {}});
}

bool CompiledSegments::recall(const Snapshot& snapshot) {
    pause_ = snapshot.pause;
    trail_ = snapshot.trail;
    if (!snapshot.in_compiled_segment || !steps_) return false;
    take(snapshot.memory);
    steps_->rejected = run_.account.summary.rejected;
    parts_.steppers.method().rejected = 0;
    return true;
}

void CompiledSegments::keep(Snapshot& snapshot) const {
    snapshot.kernel = kernel_;
    snapshot.code_at = code_at_;
    snapshot.waits_for_code = waits_;
    snapshot.in_compiled_segment = is_active_;
    snapshot.pause = pause_;
    if (steps_) snapshot.trail = trail_;  // elsewhere it is the guard's
    if (is_active_) {
        snapshot.state = run_.step.base->state;
        snapshot.memory = steps_->memory();
    }
}

}  // namespace lacon::driver
