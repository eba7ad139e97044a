// Makes the modes and passes the state from one to the next.
#include "hybrid/hybrid_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "state/evaluate.hpp"

namespace lacon::inline hybrid {

namespace {

bool has_modes(const DerivedModel& details) {
    return details.has_contacts() || !details.system.nonideal.empty() || details.has_controls();
}

}  // namespace

HybridRun::HybridRun(const DerivedModel& details, RunPlan plan,
                     const std::vector<StartOverride>& start, RowSink sink,
                     const SolverChoice& solver)
    : details_(details),
      plan_(std::move(plan)),
      backends_(details_, plan_, start, std::move(sink), solver),
      account_(details_, plan_.impacts),
      models_(details_) {
    integration_ = backends_.make(details_, plan_);
    if (!has_modes(details_)) return;
    contacts_ = std::make_unique<ContactChange>(details_, plan_, place_, account_);
    if (details_.has_controls())
        controls_ = std::make_unique<ControlChange>(details_, plan_, place_, account_);
}

HybridRun::~HybridRun() = default;

void HybridRun::interrupt() {
    integration_->interrupt();
}

void HybridRun::stop_when(std::function<bool()> asked) {
    backends_.stop_when(asked);
    integration_->stop_when(std::move(asked));
}

bool HybridRun::fail(Status status) {
    status_ = std::move(status);
    return false;
}

// ---- the begin

bool HybridRun::begin() {
    if (changes_modes()) return begin_modes();
    const bool going = integration_->begin();
    start_ = integration_->start();
    return going;
}

namespace {

/// Whether every one-sided constraint has room for the rounding of a state.
bool nothing_touches(const DerivedModel& details, const State& state) {
    Residuals residuals;
    Assembler(details.system, details.parameters).residuals(state, residuals);
    double extent = 1.0;
    for (const double q : state.q) extent = std::max(extent, std::abs(q));
    for (std::size_t r = 0; r < details.model.constraints.size() && r < residuals.value.size(); ++r)
        if (const int side = side_of(details.model.constraints[r]);
            // 1e-9 of the extent: far above what a change in the last places does.
            side != 0 && !(side * residuals.value[r] > 1e-9 * extent))
            return false;
    return true;
}

}  // namespace

bool HybridRun::begin_modes() {
    const SolveOptions& options = plan_.options.solve;
    start_ = consistent_start(details_, backends_.overrides(), options, plan_.begin);
    if (!start_.status) return fail(start_.status);
    if (!details_.has_contacts())
        if (Status status = evaluate_without_outputs(details_, start_.state, options).status;
            !status)
            return fail(std::move(status));
    if (plan_.is_second) {
        if (nothing_touches(details_, start_.state)) move_last_places(start_.state);
        plan_.begin = later_by_last_places(plan_.begin, plan_.end);
        start_.state.t = plan_.begin;
    }
    Snapshot snapshot;
    snapshot.time = {plan_.begin, 0.0};
    snapshot.state = start_.state;
    State state = start_.state;
    if (smooth(details_.system).branch_count > 0) place_.begin_in_kink(state.t);
    if (Status status = contacts_->begin(state, snapshot.time); !status)
        return fail(std::move(status));
    account_.forget_first_changes();
    return enter(std::move(snapshot), state);
}

// ---- modes

bool HybridRun::step() {
    if (!status_) return false;
    const bool goes_on = integration_->step();
    if (monitor_) note_left();
    if (!goes_on && integration_->hands_over())
        return backends_.hand_over(integration_, start_.state);
    if (goes_on && backends_.is_lent() && integration_->is_regular())
        return backends_.hand_back(integration_);
    if (!goes_on) return !integration_->branching().hit().empty() && change({});
    const std::vector<std::size_t> rested =
        monitor_ ? monitor_->come_to_rest(integration_->state()) : std::vector<std::size_t>{};
    return rested.empty() || change(rested);
}

/// Contacts that the last step left without an event of their own.
void HybridRun::note_left() {
    for (const LeftContact& one : monitor_->take_left()) {
        MotionEvent event{one.t, EventKind::release, details_.constraint_names[one.row]};
        event.constraints = {event.name};
        integration_->note(std::move(event));
    }
}

/// The mode has ended: by its monitors, or by frictions that have come to rest (`rested`).
bool HybridRun::change(const std::vector<std::size_t>& rested) {
    const std::vector<std::size_t> hit = integration_->branching().hit();
    Snapshot end = integration_->handover();
    const auto turns_now = [&](const MotionEvent& event) {
        return event.kind == EventKind::branch_switch && event.t == end.time.now();
    };
    const std::vector<MotionEvent>& events = end.summary.events;
    const bool turns = std::any_of(events.begin(), events.end(), turns_now) ||
                       std::find(hit.begin(), hit.end(), Branching::turned) != hit.end();
    account_.take_events(end.summary);
    State state = end.state;
    place_.arrive(end.time.now(), integration_->last_length());
    if (Status status = going_nowhere(hit, state); !status) return fail(std::move(status));
    if (turns) place_.turn(state.t);
    ModeEnd seen;
    if (Status status = contacts_->read(*monitor_, hit, rested, state, seen); !status)
        return fail(std::move(status));
    const auto is_turn = [&](std::size_t i) { return control_monitor_->is_turn(i); };
    if (control_monitor_ && std::any_of(hit.begin(), hit.end(), is_turn))
        contacts_->set_down(state, seen);
    if (Status status = contacts_->pass(seen, state, end.time); !status)
        return fail(std::move(status));
    return enter(std::move(end), state);
}

namespace {

Status stays_in_kink(const std::string& name, double t) {
    return {Outcome::no_convergence,
            fmt::format("the motion stays in a kink of constraint '{}' from t = {} on: both faces "
                        "push, but a constraint has a single force; write a constraint for each "
                        "face, as y >= x and y >= -x for y >= abs(x)",
                        name, rounded(t, 12)),
            {name}};
}

}  // namespace

/// Why no mode can follow at a place, before the laws are asked: not ok.
Status HybridRun::going_nowhere(const std::vector<std::size_t>& hit, const State& state) {
    if (std::find(hit.begin(), hit.end(), Branching::turned) != hit.end()) {
        const std::size_t row = integration_->branching().turned_row();
        if (row < details_.constraint_names.size() &&
            place_.turns_to_and_fro(smooth(details_.system).branch_count))
            return stays_in_kink(details_.constraint_names[row], state.t);
    }
    if (place_.is_stuck()) {
        if (Status status = contacts_->wedged(state); !status) return status;
        return {Outcome::no_convergence,
                fmt::format("the {} keep changing at t = {}",
                            details_.has_contacts()
                                ? "contacts"
                                : "efforts at their limits and the requirements that bind",
                            rounded(state.t, 12)),
                {}};
    }
    const auto is_hold = [&](std::size_t i) { return control_monitor_->is_hold(i); };
    if (control_monitor_ && std::any_of(hit.begin(), hit.end(), is_hold))
        return controls_->hold_lost(state);
    return {};
}

/// Begins the mode that has been decided, at a state behind impacts.
bool HybridRun::enter(Snapshot snapshot, const State& state) {
    snapshot.state = state;
    snapshot.state.t = snapshot.time.now();
    if (controls_) {
        DerivedModel& mode = models_.of(contacts_->modes());
        if (Status status = controls_->decide(mode, snapshot.state, snapshot.time); !status)
            return fail(std::move(status));
    }
    account_.close_change();
    make_mode();
    monitor_->onsets = contacts_->take_onsets();
    monitor_->grazing = contacts_->take_grazing();
    monitor_->settle_slips(place_.behind(snapshot.state));
    const double first_step =
        std::min(contacts_->mode().first_step, place_.longest_step(plan_.end - plan_.begin));
    Integration::Entry entry{first_step, contacts_->slides_in_plane(true), {}, {}, place_.nudge()};
    const ModeRows rows = contacts_->modes().mode_rows();
    entry.code_at = lengths_.begin(rows, details_.system.coordinate_count + rows.rows.size(),
                                   snapshot.summary.steps);
    entry.rate = contacts_->take_onset_rate();
    if (entry.rate.empty() && contacts_->slides_in_plane(false))
        entry.still = monitor_->across_slips(snapshot.state);
    const bool entered = integration_->enter(std::move(snapshot), entry);
    account_.note_method(*integration_);
    return entered;
}

/// The motion of the mode in force, with what watches it.
void HybridRun::make_mode() {
    integration_.reset();
    control_monitor_.reset();
    monitor_.reset();
    models_.make_room();
    MotionSummary::Contact& account = account_.contact();
    DerivedModel& mode = models_.of(contacts_->modes());
    mode.forces_unique = contacts_->mode().forces_unique;
    mode.control_set = controls_ ? controls_->in_force() : std::nullopt;
    monitor_ = std::make_unique<ContactMonitor>(mode, contacts_->modes(), contacts_->laws(),
                                                field_options(plan_), account);
    // A step errs by the tolerance: ten times that is no rounding any more.
    monitor_->speeds = {std::max(Contacts::rate_tol, 10.0 * plan_.tolerance),
                        std::max(Contacts::rate_tol, plan_.tolerance)};
    Monitors* monitors = monitor_.get();
    if (controls_) {
        control_monitor_ = std::make_unique<ControlMonitor>(mode, *monitor_, plan_.options.solve,
                                                            account_.controls());
        control_monitor_->expect_missed(controls_->missed_later());
        monitors = control_monitor_.get();
    }
    RunPlan plan = plan_;
    if (plan.method == MethodKind::automatic && Loads(mode.system).is_empty())
        plan.method = account_.usual_method();
    integration_ = backends_.make(mode, plan, monitors);
    ++account.modes;
}

// ---- checkpoints and the summary

namespace {

/// Of the memory of a monitor as earlier versions packed it: allowances of all that is watched, the
/// begin of the piece, rows and times of contacts that are being left.
void unpack(const std::vector<double>& memory, std::size_t watched, Snapshot::Contact& contact) {
    const std::size_t own = std::min(watched, memory.size());
    contact.allowances.assign(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(own));
    if (memory.size() > own) contact.piece_begin = memory[own];
    for (std::size_t i = own + 1; i + 1 < memory.size(); i += 2)
        contact.leaving.push_back({static_cast<std::size_t>(memory[i]), memory[i + 1]});
}

}  // namespace

bool HybridRun::resume(const Snapshot& snapshot) {
    backends_.resume(snapshot, integration_);
    if (!changes_modes()) return integration_->resume(snapshot);
    Snapshot::Contact contact = snapshot.contact;
    if (snapshot.packed) contact.modes = unpacked_modes(details_, snapshot.packed->modes);
    contacts_->recall(contact.modes, contact.forces_unique);
    lengths_.recall(contact.modes.mode_rows(), contact.begin_step, contact.lengths);
    account_.resume(snapshot);
    if (controls_) controls_->recall(snapshot.controls);
    make_mode();
    account_.contact().modes = snapshot.summary.contact.modes;
    if (!integration_->resume(snapshot)) return false;
    if (snapshot.packed) unpack(snapshot.packed->memory, monitor_->count(), contact);
    monitor_->recall(contact.allowances, contact.piece_begin, std::move(contact.leaving));
    // Without a set in force nothing has any.
    if (snapshot.controls.in_force && controls_)
        control_monitor_->set_spare(snapshot.controls.allowances);
    return true;
}

Snapshot HybridRun::snapshot() const {
    Snapshot snapshot = integration_->snapshot();
    backends_.note_in(snapshot);
    if (!changes_modes()) return snapshot;
    account_.note_in(snapshot);
    const ContactMode& mode = contacts_->mode();
    const IdleContacts& idle = monitor_->idle();
    snapshot.contact = {
        mode.modes,         mode.forces_unique, integration_->first_step(), monitor_->allowances(),
        idle.piece_begin(), idle.leaving(),     lengths_.begin_step(),      lengths_.kept()};
    if (!controls_ || !controls_->in_force()) return snapshot;
    snapshot.controls = controls_->kept();
    snapshot.controls.allowances = control_monitor_->spare();
    return snapshot;
}

MotionSummary HybridRun::summary() const {
    MotionSummary summary = integration_->summary();
    backends_.note_in(summary);
    if (changes_modes()) account_.note_in(summary);
    return summary;
}

}  // namespace lacon::hybrid
