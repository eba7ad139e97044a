// Makes the modes and passes the state from one to the next. Systems of modes are kept by their
// rows in force, up to 256 of them, as the same contacts often return.
#include "hybrid/hybrid_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "driver/dense_backend.hpp"
#include "large/sparse_backend.hpp"
#include "state/evaluate.hpp"
#include "state/mode_efforts.hpp"
#include "state/verdict.hpp"

namespace lacon::inline hybrid {

namespace {

/// Whether the dense backend can take over from the sparse one: the system is not too large for
/// it, by what a step is estimated to take, and nobody asked for something else.
bool may_hand_over(const DerivedModel& details, const RunPlan& plan, double dense_seconds) {
    constexpr double most = 60.0;  // seconds a step: a crossing takes some ten of them
    return dense_seconds <= most && plan.options.solver != "sparse" &&
           !plan.options.through_singular && size_status(details);
}

}  // namespace

HybridRun::HybridRun(const DerivedModel& details, RunPlan plan,
                     const std::vector<StartOverride>& start, RowSink sink,
                     const SolverChoice& solver)
    : details_(details),
      plan_(std::move(plan)),
      is_sparse_(solver.sparse),
      overrides_(start),
      sink_(std::move(sink)) {
    may_hand_over_ = is_sparse_ && may_hand_over(details_, plan_, solver.dense_seconds);
    integration_ = make_integration(details_, plan_);
    if (!changes_modes()) return;
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

DerivedModel& HybridRun::mode_details() {
    std::unique_ptr<DerivedModel>& details = mode_models_[modes_.mode_rows()];
    if (!details) details = make_mode_model(details_, modes_.mode_rows());
    set_directions(modes_, *details);
    return *details;
}

std::unique_ptr<Integration> HybridRun::make_integration(const DerivedModel& details,
                                                         const RunPlan& plan, Monitors* monitors) {
    auto backend = is_sparse_ ? make_sparse_backend(details, plan, may_hand_over_)
                              : make_dense_backend(details, plan);
    auto run = std::make_unique<Integration>(details, plan, overrides_, sink_, std::move(backend),
                                             monitors);
    run->stop_when(stop_asked_);
    return run;
}

void HybridRun::take_backend(bool sparse) {
    is_sparse_ = sparse;
    integration_.reset();
    integration_ = make_integration(details_, plan_);
}

/// The sparse backend has come to a singular position. The reciprocal condition of the constraints
/// that is usual comes from a state at a distance: the start, or where the run was resumed.
bool HybridRun::hand_over() {
    const Snapshot sparse = integration_->snapshot();
    Snapshot snapshot = integration_->handover();
    if (handover_.count++ == 0) handover_.first = snapshot.time.now();
    handover_.memory = sparse.memory;
    handover_.memory.push_back(sparse.usual_reciprocal_condition);
    DenseField field(details_, field_options(plan_));
    DenseProjector projector(field, false);
    State first = start_.state.q.empty() ? snapshot.state : start_.state;
    if (projector.project(first) == Outcome::ok)
        snapshot.usual_reciprocal_condition = projector.weakest();
    take_backend(false);
    return integration_->enter(std::move(snapshot), {.takes_usual = true});
}

/// The dense backend has led over it.
bool HybridRun::hand_back() {
    Snapshot snapshot = integration_->handover();
    snapshot.memory = handover_.memory;
    snapshot.usual_reciprocal_condition = snapshot.memory.back();
    snapshot.memory.pop_back();
    take_backend(true);
    return integration_->enter(std::move(snapshot), {.takes_usual = true});
}

/// The motion of the mode that `modes_` says.
void HybridRun::make_mode_run() {
    constexpr std::size_t most_kept = 256;
    integration_.reset();
    control_monitor_.reset();
    monitor_.reset();
    if (mode_models_.size() >= most_kept) mode_models_.clear();
    DerivedModel& details = mode_details();
    details.forces_unique = unique_;
    details.control_set = control_set_;
    monitor_ = std::make_unique<ContactMonitor>(details, modes_, *contacts_, field_options(plan_),
                                                account_);
    // A step errs by the tolerance: ten times that is no rounding any more.
    monitor_->onset_speed = std::max(Contacts::rate_tol, 10.0 * plan_.tolerance);
    monitor_->rest_speed = std::max(Contacts::rate_tol, plan_.tolerance);
    Monitors* monitors = monitor_.get();
    if (details_.has_controls()) {
        control_monitor_ = std::make_unique<ControlMonitor>(details, *monitor_, plan_.options.solve,
                                                            control_account_);
        control_monitor_->expect_missed(missed_later_);
        monitors = control_monitor_.get();
    }
    RunPlan plan = plan_;
    if (plan.method == "auto" && Loads(details.system).is_empty())
        plan.method = account_.method;  // chosen once
    integration_ = make_integration(details, plan, monitors);
    ++account_.modes;
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

bool HybridRun::begin() {
    if (!changes_modes()) {
        const bool going = integration_->begin();
        start_ = integration_->start();
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
    snapshot.state = start_.state;
    State state = start_.state;
    modes_.contact_states.assign(details_.system.row_count(), ContactState::open);
    modes_.friction_states.assign(details_.system.frictions.size(), FrictionState::none);
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
    handover_ = snapshot.handover;
    if (is_sparse_ && snapshot.dense) take_backend(false);
    if (!changes_modes()) return integration_->resume(snapshot);
    modes_ = modes_of(details_, snapshot.contact.modes);
    account_ = snapshot.summary.contact;
    unique_ = snapshot.contact.forces_unique;
    control_account_ = snapshot.summary.controls;
    const std::vector<double> spare = recall_control(snapshot.control);
    make_mode_run();
    account_.modes = snapshot.summary.contact.modes;
    if (!integration_->resume(snapshot)) return false;
    monitor_->recall(snapshot.contact.spare);
    if (control_set_) control_monitor_->set_spare(spare);  // without one nothing has any
    return true;
}

Snapshot HybridRun::snapshot() const {
    Snapshot snapshot = integration_->snapshot();
    snapshot.dense = may_hand_over_ && !is_sparse_;
    snapshot.handover = handover_;
    if (!changes_modes()) return snapshot;
    snapshot.summary.events.insert(snapshot.summary.events.begin(), told_.begin(), told_.end());
    snapshot.contact = {numbers_of(modes_), monitor_->memory(), unique_,
                        integration_->first_step()};
    snapshot.summary.contact = account_;
    snapshot.summary.controls = control_account_;
    snapshot.control = control_numbers();
    return snapshot;
}

MotionSummary HybridRun::summary() const {
    MotionSummary summary = integration_->summary();
    summary.handovers = handover_.count;
    if (handover_.count > 0)
        summary.solve += fmt::format("; dense backend used near {} (first from t = {})",
                                     counted(handover_.count, "singular position"),
                                     rounded(handover_.first, 10));
    if (!changes_modes()) return summary;
    summary.contact = account_;
    summary.controls = control_account_;
    if (account_.methods.size() == 1) summary.why = account_.methods[0].second;
    if (account_.methods.size() > 1) {
        std::vector<std::string> names, reasons;
        for (const auto& [name, why] : account_.methods) {
            names.push_back(name);
            reasons.push_back(why.empty() ? fmt::format("{} (as requested)", name)
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
        summary.code.why = "contacts and friction change the equations during the run";
    return summary;
}

void HybridRun::interrupt() {
    integration_->interrupt();
}

void HybridRun::stop_when(std::function<bool()> asked) {
    stop_asked_ = std::move(asked);
    integration_->stop_when(stop_asked_);
}

bool HybridRun::step() {
    if (!status_) return false;
    const bool goes_on = integration_->step();
    if (monitor_) note_left();
    if (!goes_on && integration_->hands_over()) return hand_over();
    if (goes_on && may_hand_over_ && !is_sparse_ && integration_->is_regular()) return hand_back();
    if (!goes_on) return !integration_->branching().hit().empty() && change({});
    const std::vector<std::size_t> rested =
        monitor_ ? monitor_->come_to_rest(integration_->state()) : std::vector<std::size_t>{};
    return rested.empty() || change(rested);
}

bool HybridRun::fail(Status status) {
    status_ = std::move(status);
    return false;
}

}  // namespace lacon::hybrid
