// Makes the phases and passes the state from one to the next. Systems of phases are kept by their
// rows in force, up to 256 of them, as the same contacts often return.
#include "hybrid/hybrid_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "state/evaluate.hpp"
#include "state/mode_efforts.hpp"

namespace lacon {

HybridRun::HybridRun(const DerivedModel& details, RunPlan plan,
                     const std::vector<StartOverride>& start, RowSink sink)
    : details_(details), plan_(std::move(plan)), overrides_(start), sink_(std::move(sink)) {
    phase_ = std::make_unique<Integration>(details_, plan_, overrides_, sink_);
    if (!is_phased()) return;
    contacts_ = std::make_unique<Contacts>(details_, plan_.options.solve,
                                           efforts_of_controls(plan_.options.solve));
    law_ = plan_.impacts == "sequential" ? Contacts::Law::sequential : Contacts::Law::simultaneous;
    const auto& rows = details_.model.constraints;
    if (std::any_of(rows.begin(), rows.end(),
                    [](const ConstraintRow& row) { return side_of(row) != 0; }))
        account_.law = plan_.impacts;
    plan_.options.interpret = plan_.options.interpret || details_.has_contacts();
    control_account_.resize(details_.control_names.size());
}

HybridRun::~HybridRun() = default;

DerivedModel& HybridRun::phase_details() {
    std::unique_ptr<DerivedModel>& details = phases_[modes_.phase()];
    if (!details) details = make_mode_model(details_, modes_.phase());
    std::copy(modes_.directions.begin(), modes_.directions.end(),
              details->parameters.begin() +
                  static_cast<std::ptrdiff_t>(details_.model.parameters.size()));
    return *details;
}

/// The motion of the phase that `modes_` says.
void HybridRun::make_mode_run() {
    constexpr std::size_t most_kept = 256;
    phase_.reset();
    control_monitor_.reset();
    monitor_.reset();
    if (phases_.size() >= most_kept) phases_.clear();
    DerivedModel& details = phase_details();
    details.forces_unique = unique_;
    details.control_set = control_set_;
    monitor_ = std::make_unique<ContactMonitor>(details, modes_, *contacts_, field_options(plan_),
                                                account_);
    monitor_->onset_speed = std::max(Contacts::rate_tol, 10.0 * plan_.tolerance);
    monitor_->rest_speed = std::max(Contacts::rate_tol, plan_.tolerance);
    Monitors* monitors = monitor_.get();
    if (details_.has_controls()) {
        control_monitor_ = std::make_unique<ControlMonitor>(details, *monitor_, plan_.options.solve,
                                                            control_account_);
        monitors = control_monitor_.get();
    }
    RunPlan plan = plan_;
    if (plan.method == "auto" && Loads(details.system).is_empty())
        plan.method = account_.method;  // chosen once
    phase_ = std::make_unique<Integration>(details, plan, overrides_, sink_, monitors);
    phase_->stop_when(stop_asked_);
    ++account_.phases;
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
            side != 0 && !(side * residuals.value[r] > 1e-9 * extent))
            return false;
    return true;
}

}  // namespace

bool HybridRun::begin() {
    if (!is_phased()) {
        const bool going = phase_->begin();
        start_ = phase_->start();
        return going;
    }
    start_ = consistent_start(details_, overrides_, plan_.options.solve, plan_.begin);
    if (!start_.status) return fail(start_.status);
    if (!details_.has_contacts())
        if (Status status =
                evaluate_without_outputs(details_, start_.state, plan_.options.solve).status;
            !status)
            return fail(std::move(status));
    if (plan_.is_second && nothing_touches(details_, start_.state)) move_last_places(start_.state);
    Snapshot snapshot;
    snapshot.time = {plan_.begin, 0.0};
    snapshot.landed = start_.state;
    State state = start_.state;
    modes_.touch.assign(details_.system.row_count(), ContactState::open);
    modes_.grip.assign(details_.system.frictions.size(), FrictionState::none);
    // A start on a kink: the laws hold for the face along which it begins to move.
    if (smooth(details_.system).branch_count > 0) {
        nudge_ = 1e-13 * std::max(1.0, std::abs(state.t));
        last_change_ = state.t;
        contacts_->look_behind(nudged(state, nudge_));
    }
    const bool decided = decide(state, snapshot.time, contacts_->closed_at(state), {});
    contacts_->look_behind({});
    if (!decided) return false;
    std::erase_if(events_, [](const MotionEvent& e) {
        return e.kind != "impact" && e.kind != "settled";
    });  // holds from the begin on
    return enter(std::move(snapshot), state);
}

bool HybridRun::resume(const Snapshot& snapshot) {
    if (!is_phased()) return phase_->resume(snapshot);
    modes_ = modes_of(details_, snapshot.contact.modes);
    account_ = snapshot.summary.contact;
    unique_ = snapshot.contact.forces_unique;
    control_account_ = snapshot.summary.controls;
    const std::vector<double> spare = recall_control(snapshot.control);
    make_mode_run();
    account_.phases = snapshot.summary.contact.phases;
    if (!phase_->resume(snapshot)) return false;
    monitor_->recall(snapshot.contact.spare);
    if (control_set_) control_monitor_->set_spare(spare);  // without one nothing has any
    return true;
}

Snapshot HybridRun::snapshot() const {
    Snapshot snapshot = phase_->snapshot();
    if (!is_phased()) return snapshot;
    snapshot.summary.events.insert(snapshot.summary.events.begin(), told_.begin(), told_.end());
    snapshot.contact = {numbers_of(modes_), monitor_->memory(), unique_, phase_->first_step()};
    snapshot.summary.contact = account_;
    snapshot.summary.controls = control_account_;
    snapshot.control = control_numbers();
    return snapshot;
}

MotionSummary HybridRun::summary() const {
    MotionSummary summary = phase_->summary();
    if (!is_phased()) return summary;
    summary.contact = account_;
    summary.controls = control_account_;
    if (account_.methods.size() == 1) summary.why = account_.methods[0].second;
    if (account_.methods.size() > 1) {
        std::vector<std::string> names, reasons;
        for (const auto& [name, why] : account_.methods) {
            names.push_back(name);
            reasons.push_back(why.empty() ? fmt::format("{} (as asked for)", name)
                                          : fmt::format("{} ({})", name, why));
        }
        summary.method = fmt::format("{}", fmt::join(names, " and "));
        summary.why = fmt::format("{}", fmt::join(reasons, ", "));
    }
    summary.events.insert(summary.events.begin(), told_.begin(), told_.end());
    summary.events.insert(summary.events.end(), events_.begin(),
                          events_.end());  // of a change that could not be ended
    const auto earlier = [](const MotionEvent& a, const MotionEvent& b) { return a.t < b.t; };
    std::stable_sort(summary.events.begin(), summary.events.end(),
                     earlier);  // contacts settle later than they are known to
    if (details_.has_contacts())
        summary.code.why = "contacts and friction change the equations on the way";
    return summary;
}

void HybridRun::interrupt() {
    phase_->interrupt();
}

void HybridRun::stop_when(std::function<bool()> asked) {
    stop_asked_ = std::move(asked);
    phase_->stop_when(stop_asked_);
}

bool HybridRun::step() {
    if (!status_) return false;
    const bool goes_on = phase_->step();
    if (monitor_) note_left();
    if (!goes_on) return !phase_->hit().empty() && change({});
    const std::vector<std::size_t> rested =
        monitor_ ? monitor_->come_to_rest(phase_->state()) : std::vector<std::size_t>{};
    return rested.empty() || change(rested);
}

bool HybridRun::fail(Status status) {
    status_ = std::move(status);
    return false;
}

}  // namespace lacon
