// The loop over the steps, with its callbacks; the end that moves; the places to go on from.
#include "session.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "base/text.hpp"
#include "driver/plan/choose.hpp"
#include "runs.hpp"

namespace lacon {

Session::Session(RunSetup setup, std::vector<StartOverride> start, Callbacks callbacks)
    : setup_(std::move(setup)), overrides_(std::move(start)), callbacks_(std::move(callbacks)) {
    if (setup_.plan.options.verify) follow_for_verification();
    make(setup_.plan.end);
}

Session::Session(RunSetup setup, const SavedRun& place, Callbacks callbacks)
    : Session(std::move(setup), place.start, std::move(callbacks)) {
    take_up(place);
}

Session::Session(const Session& other)
    : setup_(other.setup_),
      overrides_(other.overrides_),
      callbacks_(other.callbacks_),
      stop_asked_(other.stop_asked_),
      run_(other.run_),
      run_end_(other.run_end_),
      start_(other.start_),
      ended_(other.ended_),
      verifier_(other.verifier_),
      verification_(other.verification_),
      error_estimate_(other.error_estimate_),
      kept_(other.kept_),
      told_events_(other.told_events_),
      dropped_rows_(other.dropped_rows_),
      begun_(other.begun_),
      over_(other.over_),
      paused_(other.paused_),
      is_broken_(other.is_broken_) {
    if (over_ || paused_) return;  // such a run is only looked at
    if (begun_) remake(run_end_);
    else make(run_end_);
}

// ---- the run

/// A run with this end, not begun.
void Session::make(double end) {
    RunPlan plan = setup_.plan;
    plan.end = run_end_ = end;
    Run::RowSink sink;
    if (callbacks_.on_row || verifier_)
        sink = [this](std::span<const double> row) { take_row(row); };
    run_ = make_run(*setup_.details, plan, setup_.solver, overrides_, std::move(sink));
    run_->stop_when([this] { return stop_ || (stop_asked_ && stop_asked_()); });
    dropped_rows_ = 0;
}

/// Goes on from a place, in silence up to where it was left.
void Session::take_up(const SavedRun& place) {
    repeats_ = true;
    bool going = place.snapshot ? run_->resume(*place.snapshot) : run_->begin();
    if (!place.snapshot) start_ = run_->start();
    kept_.snapshot = place.snapshot;
    kept_.steps = run_->steps();
    for (std::uint64_t i = 0; going && i < place.steps_since; ++i) going = run_->step();
    repeats_ = false;
    begun_ = true;
    over_ = !going;
    paused_ = is_broken_ = false;
    if (callbacks_.on_event) told_events_ = run_->summary().events.size();
}

/// The same run with another end, or for other callbacks.
void Session::remake(double end) {
    const SavedRun place = saved();
    make(end);
    take_up(place);
}

void Session::set_callbacks(Callbacks callbacks) {
    const bool had_rows = static_cast<bool>(callbacks_.on_row);
    callbacks_ = std::move(callbacks);
    if (begun_ && callbacks_.on_event) told_events_ = run_->summary().events.size();
    if (had_rows == static_cast<bool>(callbacks_.on_row) || over_ || paused_) return;
    if (begun_) remake(run_end_);
    else make(run_end_);
}

void Session::stop_when(std::function<bool()> asked) {
    stop_asked_ = std::move(asked);
}

/// Computes the motion twice (RunOptions::verify).
void Session::follow_for_verification() {
    verifier_.emplace(*setup_.details, setup_.plan, overrides_,
                      static_cast<bool>(callbacks_.on_row));
    setup_.plan.every = verifier_->plan().every;
}

void Session::look_back(const std::function<bool()>& asked, bool estimates) {
    const bool has_rows = verifier_ && run_->rows() > 0;
    if (has_rows && status().outcome != Outcome::interrupted)
        verification_ = verifier_->finish(*run_, asked);
    if (estimates && !verifier_ && status() && has_fixed_step(setup_.plan.method))
        error_estimate_ = estimate_error(details(), plan(), overrides_, summary(), asked);
}

// ---- steps

bool Session::begin() {
    if (begun_) return !over_;
    begun_ = true;
    over_ = !run_->begin();
    start_ = run_->start();
    return goes_on();
}

bool Session::resume(const Snapshot& snapshot) {
    take_up({0, {}, {}, snapshot, 0});
    return !over_;
}

bool Session::step() {
    if (!begin()) return false;
    if (paused_) remake(setup_.plan.end);
    return !over_ && advance();
}

bool Session::propagate_until(double t) {
    begin();
    if (!status()) return false;
    if (!(t >= state().t))
        throw std::invalid_argument(
            fmt::format("cannot go back from t = {} to {}", shortest(state().t), shortest(t)));
    if (t == state().t) return true;
    if (over_ && state().t < run_end_) return false;  // by an event
    over_ = false;
    setup_.plan.end = std::max(setup_.plan.end, t);
    if (t != run_end_) remake(t);
    while (!over_ && !paused_) advance();
    return status() && state().t >= t;
}

void Session::run() {
    while (step()) {
    }
}

/// One step of the run, and whoever wants to know of it.
bool Session::advance() {
    const bool going = run_->step();
    is_broken_ = !going && run_->status().outcome == Outcome::interrupted;
    const bool at_end = !going && run_->status() && run_->state().t >= run_end_;
    paused_ = at_end && run_end_ < setup_.plan.end;
    over_ = !going && !paused_;
    if (!is_broken_) call_back();
    return goes_on();
}

/// Ends the run where somebody wants that.
bool Session::goes_on() {
    if (over_) return false;
    if (wants_end_ || stop_) {
        run_->interrupt();
        if (paused_)
            ended_ = {Outcome::interrupted,
                      fmt::format("stopped at t = {}", rounded(run_->state().t, 12)),
                      {}};
        over_ = true;
        return false;
    }
    keep();
    return true;
}

void Session::call_back() {
    if (callbacks_.on_event) tell_events();
    if (!callbacks_.on_step) return;
    const State& now = run_->state();
    const StepView view{now.t, now.q, now.v, run_->last_length(), run_->steps()};
    if (!callbacks_.on_step(view)) wants_end_ = true;
}

/// Those up to now: a contact settles later than it is known to.
void Session::tell_events() {
    const std::vector<MotionEvent> events = run_->summary().events;
    const double now = run_->state().t;
    for (; told_events_ < events.size() && (over_ || events[told_events_].t <= now); ++told_events_)
        if (!callbacks_.on_event(events[told_events_])) wants_end_ = true;
}

/// The run gives a row at its end. Where that is not the end of the plan, only one of the grid
/// counts.
void Session::take_row(std::span<const double> row) {
    if (repeats_) return;
    if (row[0] >= run_end_ && run_end_ < setup_.plan.end && !is_on_grid(row[0])) {
        ++dropped_rows_;
        return;
    }
    if (verifier_) verifier_->row(row);
    if (callbacks_.on_row && !callbacks_.on_row(row)) wants_end_ = true;
}

namespace {

constexpr double grid_tolerance = 1e-9;  // of the spacing, as grid_time has it

}  // namespace

bool Session::is_on_grid(double t) const {
    const double number = (t - setup_.plan.begin) / setup_.plan.every;
    return std::abs(number - std::round(number)) <= grid_tolerance;
}

// ---- places to go on from

/// The row at the end of the run took the number of the next one of the grid.
Snapshot Session::snapshot() const {
    Snapshot snapshot = run_->snapshot();
    if (snapshot.rows == 0 || run_->state().t < run_end_) return snapshot;
    const double number = (run_->state().t - setup_.plan.begin) / setup_.plan.every;
    snapshot.next_row = static_cast<std::uint64_t>(number + grid_tolerance) + 1;
    snapshot.rows -= dropped_rows_;
    return snapshot;
}

SavedRun Session::saved() const {
    SavedRun place{fingerprint(*setup_.details), setup_.plan, overrides_, kept_.snapshot, 0};
    if (!begun_) place.snapshot.reset();
    else if (is_resumable()) place.snapshot = snapshot();
    else place.steps_since = run_->steps() - kept_.steps;
    return place;
}

/// From time to time, so that little has to be repeated, and that little of the time is spent on
/// it: a hundredth at most.
void Session::keep() {
    const auto now = std::chrono::steady_clock::now();
    if (now - kept_.at < kept_.pause || paused_ || !is_resumable()) return;
    kept_.snapshot = snapshot();
    kept_.steps = run_->steps();
    kept_.at = std::chrono::steady_clock::now();
    kept_.pause =
        std::max<std::chrono::steady_clock::duration>(least_pause, 100 * (kept_.at - now));
}

MotionSummary Session::summary() const {
    MotionSummary summary = run_->summary();
    summary.end = setup_.plan.end;
    summary.verification = verification_;
    return summary;
}

std::uint64_t fingerprint(const DerivedModel& details) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    const auto take = [&](const void* bytes, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211U;
    };
    const std::string_view text = details.model.source.text();
    take(text.data(), text.size());
    take(details.parameters.data(), details.parameters.size() * sizeof(double));
    return hash;
}

}  // namespace lacon
