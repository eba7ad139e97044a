// How a run begins, goes on from a snapshot, and what it tells of itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "driver/integrate.hpp"

namespace lacon::inline driver {

Integration::Integration(const DerivedModel& details, RunPlan plan,
                         const std::vector<StartOverride>& start, RowSink sink,
                         std::unique_ptr<Backend> backend, Monitors* monitors)
    : backend_(std::move(backend)),
      run_(details, std::move(plan), *backend_),
      guard_(backend_->make_guard(run_, steppers_)),
      limits_(run_),
      steppers_(run_, limits_),
      watch_(run_.field, backend_->make_observables(values_of(details.model.events)),
             run_.plan.options.solve, monitors),
      rows_(run_, *guard_, std::move(sink)),
      dead_end_(run_, steppers_, limits_, *guard_),
      diagnosis_(run_.plan.options.diagnose ? backend_->make_condition_watch() : nullptr),
      monitors_(monitors),
      segments_(run_, {steppers_, limits_, *guard_, rows_, watch_, monitors, diagnosis_.get()}),
      branching_(run_, {steppers_, limits_, *guard_, dead_end_, watch_, monitors}),
      overrides_(start) {
    rows_.set_monitors(monitors);
    if (diagnosis_) rows_.set_diagnosis(*diagnosis_);
    run_.field.noise_asked = [this](const State& from, const State& to) {
        return run_.account.noise.learn(run_.field, from, to, run_.plan.tolerance);
    };
}

Integration::~Integration() = default;

bool Integration::is_without_loads() const {
    return !run_.field.has_loads();
}

// ---- beginning

/// Why a projection failed: the constraints that are left, by how much, and what may be behind it.
Status Integration::not_projected(Outcome outcome, const char* what, const State& state) const {
    Status status{outcome, fmt::format("{} cannot be made to meet the constraints", what), {}};
    if (outcome != Outcome::no_convergence) return status;
    Residuals residuals;
    run_.field.residuals(state, residuals);
    double worst = 0.0;
    for (const auto* values : {&residuals.value, &residuals.velocity})
        worst = std::max(worst, largest(*values));
    constexpr double part = 1e-3;  // of the worst: smaller ones are not why. Not critical
    const auto& names = run_.field.details.constraint_names;
    for (std::size_t r = 0; r < names.size(); ++r)
        if (worst > 0.0 &&
            std::max(std::abs(residuals.value[r]), std::abs(residuals.velocity[r])) > part * worst)
            status.names.push_back(names[r]);
    status.message += fmt::format(
        ": the residuals of {} stay as large as {}. Constraints that depend on each other within "
        "the rank tolerance are not met one by one; see 'lacon check' and --rank-tol",
        quoted_list(status.names), rounded(worst, 3));
    return status;
}

bool Integration::begin() {
    Step& step = run_.step;
    start_ = backend_->find_start(overrides_, run_.plan);
    if (run_.plan.is_second && start_.status) {
        move_last_places(start_.state);
        // What depends on time alone is then rounded differently too.
        run_.plan.begin = later_by_last_places(run_.plan.begin, run_.plan.end);
        start_.state.t = run_.plan.begin;
    }
    step.begin_at({run_.plan.begin, 0.0}, start_.state);
    if (!start_.status) return run_.fail(start_.state, start_.status);
    watch_.settle(start_.state);
    step.raw_end_state = step.end_state = start_.state;
    constexpr double first_part = 0.125;  // of the run: the most that the first step may be
    limits_.growth = first_part * (run_.plan.end - run_.plan.begin);
    const Outcome outcome = step.there->project(step.end_state);
    if (outcome != Outcome::ok)
        return run_.fail_with_reason(start_.state,
                                     not_projected(outcome, "the start state", step.end_state));
    if (!backend_->is_consistent(*step.there, step.end_state)) {
        if (Status far = backend_->conflict_far(step.end_state, run_.plan.begin); !far)
            return run_.fail(step.end_state, std::move(far));
        return run_.fail_with_reason(
            step.end_state, {Outcome::conflict, "the constraints conflict at the start", {}});
    }
    steppers_.choose_method(backend_->choose_method(step.end_state, run_.plan));
    segments_.choose_code(step.end_state);
    make_method();
    if (!stand_at_start()) return dead_end_.fail();
    if (diagnosis_) diagnosis_->begin(state());
    const Energies energies = run_.field.energies(state());
    note_first(energies);
    run_.account.note_energy(energies, state());
    return !run_.field.stopped || run_.fail(state(), {});
}

void Integration::make_method() {
    segments_.compile();
    steppers_.make_method();
}

/// Compiled Taylor steps come first; the method itself takes its stand where they refuse
/// (CompiledSegments::end).
bool Integration::stand_at_start() {
    Step& step = run_.step;
    run_.account.note_residuals(*step.there);
    if (segments_.exists() && steppers_.traits().by_series) step.set_next_base(step.base->time);
    else if (!steppers_.prepare(step.base->time, true)) return false;
    step.commit();
    guard_->begin();
    return true;
}

void Integration::note_first(const Energies& energies) {
    run_.account.note_first(energies, run_.step.here->rank());
    rows_.give_first(state());
}

/// What any continuation takes over.
void Integration::take_over(const Snapshot& snapshot) {
    run_.step.begin_at(snapshot.time, snapshot.state);
    run_.account.take_over(snapshot, run_.field);
    const MotionSummary& summary = run_.account.summary;
    run_.field.counters = {summary.evaluations, summary.factorizations};
    rows_.recall(snapshot);
    limits_.growth = snapshot.growth;
    if (diagnosis_) diagnosis_->account = snapshot.condition;
}

bool Integration::resume(const Snapshot& snapshot) {
    Step& step = run_.step;
    const MotionSummary& summary = run_.account.summary;
    take_over(snapshot);
    run_.field.branches() = snapshot.branches;
    watch_.recall(snapshot.sides);
    watch_.border.recall(snapshot.time, snapshot.border);
    limits_.first_step = snapshot.contact.first_step;
    steppers_.choose_method({Named<MethodKind>(summary.method), summary.why});
    segments_.recall_code(snapshot);
    make_method();
    guard_->recall(snapshot);
    steppers_.method().rejected = summary.rejected;
    if (segments_.recall(snapshot)) {
        branching_.begin_mode();
        return true;
    }
    if (step.there->project(step.end_state) != Outcome::ok ||
        !steppers_.prepare(snapshot.time, true))
        return dead_end_.fail();
    step.commit();
    guard_->begin();
    steppers_.method().recall(snapshot.memory);
    if (snapshot.passes && !steppers_.take_passer()) return dead_end_.fail();
    branching_.begin_mode();
    branching_.note_resumed();
    run_.field.counters = {summary.evaluations, summary.factorizations};
    return true;
}

bool Integration::enter(Snapshot snapshot, const Entry& entry) {
    Step& step = run_.step;
    MotionSummary& summary = run_.account.summary;
    std::vector<MotionEvent> events = std::move(snapshot.summary.events);
    take_over(snapshot);
    summary.events = std::move(events);
    run_.account.noise.renew(run_.field, summary.steps, summary.rejected);
    limits_.first_step = entry.first_step;
    if (entry.takes_usual) guard_->recall(snapshot);
    State settled = step.end_state;
    settled.t += entry.nudge;
    for (std::size_t i = 0; i < settled.q.size(); ++i) settled.q[i] += entry.nudge * settled.v[i];
    watch_.settle(settled);
    watch_.recall_events(snapshot.sides);
    if (const Outcome outcome = step.there->project(step.end_state); outcome != Outcome::ok)
        return run_.fail_with_reason(step.end_state,
                                     not_projected(outcome, "the state", step.end_state));
    steppers_.choose_method(backend_->choose_method(step.end_state, run_.plan));
    segments_.wait_until(entry.code_at);
    segments_.choose_code(step.end_state);
    make_method();
    steppers_.method().rejected = summary.rejected;
    if (entry.is_stiff) steppers_.begin_stiff(entry.still, entry.rate);
    if (!stand_at_start()) return dead_end_.fail();
    run_.field.counters = {summary.evaluations, summary.factorizations};
    const std::size_t rank = step.here->rank();
    const Energies energies = run_.field.energies(state());
    if (diagnosis_) diagnosis_->begin(state());
    if (rows_.is_first()) note_first(energies);
    run_.account.note_rank(rank);
    run_.account.note_energy(energies, state());
    branching_.begin_mode();
    return true;
}

// ---- telling

Snapshot Integration::snapshot() const {
    Snapshot s;
    s.time = run_.step.base->time;
    s.state = run_.step.base_raw;
    s.branches = run_.field.branches();
    s.sides = watch_.sides();
    s.memory = steppers_.method().memory();
    s.passes = steppers_.is_passing();
    s.border = watch_.border.kept(s.time);
    s.growth = limits_.growth;
    rows_.keep(s);
    run_.account.keep(s, run_.field);
    guard_->keep(s);
    segments_.keep(s);
    if (diagnosis_) s.condition = diagnosis_->account;
    s.summary = summary();
    return s;
}

/// `state` is the state as it lies on the constraints of this mode, or that from which another
/// backend goes on.
Snapshot Integration::handover() {
    MotionSummary& summary = run_.account.summary;
    std::vector<MotionEvent> events = std::move(summary.events);
    summary.events.clear();
    Snapshot snapshot = this->snapshot();
    snapshot.summary.events = std::move(events);
    snapshot.state = state();
    if (const State* from = guard_->handed_over()) {
        snapshot.state = *from;
        snapshot.time = {from->t, 0.0};
    }
    snapshot.branches.clear();
    snapshot.memory.clear();
    snapshot.trail.clear();
    snapshot.sides = watch_.event_sides();
    return snapshot;
}

std::span<const MotionDiagnosis::Warning> Integration::warnings() const {
    return diagnosis_
               ? std::span<const MotionDiagnosis::Warning>(diagnosis_->account.found.warnings)
               : std::span<const MotionDiagnosis::Warning>();
}

MotionSummary Integration::summary() const {
    const Account& account = run_.account;
    MotionSummary summary = account.summary;
    summary.tolerance = run_.plan.tolerance;
    summary.begin = run_.plan.begin;
    summary.end = run_.plan.end;
    summary.every = run_.plan.every;
    const bool goes_on = !run_.is_over || !branching_.hit().empty();
    if (run_.step.base && goes_on) summary.final = state();
    summary.evaluations = run_.field.counters.evaluations;
    summary.factorizations = run_.field.counters.factorizations;
    summary.rejected = steppers_.rejected();
    segments_.add_to(summary);
    if (auto code = backend_->code()) summary.code = std::move(*code);
    if (std::string text = backend_->solve_text(); !text.empty()) summary.solve = std::move(text);
    if (diagnosis_) summary.diagnosis = diagnosis_->account.found;
    summary.energy_scale = account.energy_scale();
    summary.wall_seconds = account.seconds();
    return summary;
}

}  // namespace lacon::driver
