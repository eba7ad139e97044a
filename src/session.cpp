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
    : setup_(std::move(setup)), overrides_(std::move(start)), listeners_(std::move(callbacks)) {
    if (setup_.plan.options.verify) follow_for_verification();
    make(setup_.plan.end);
}

Session::Session(RunSetup setup, const SavedRun& place, Callbacks callbacks)
    : Session(std::move(setup), place.start, std::move(callbacks)) {
    take_up(place.snapshot, place.steps_since);
}

Session::Session(const Session& other)
    : setup_(other.setup_),
      overrides_(other.overrides_),
      listeners_(other.listeners_),
      stop_asked_(other.stop_asked_),
      leg_(other.leg_),
      start_(other.start_),
      ended_(other.ended_),
      trust_(other.trust_),
      kept_(other.kept_),
      begun_(other.begun_),
      over_(other.over_),
      paused_(other.paused_),
      is_broken_(other.is_broken_) {
    if (over_ || paused_) return;  // such a run is only looked at
    if (begun_) remake(leg_.end);
    else make(leg_.end);
}

// ---- the run

/// A run with this end, not begun.
void Session::make(double end) {
    RunPlan plan = setup_.plan;
    plan.end = leg_.end = end;
    Run::RowSink sink;
    if (listeners_.take_rows() || trust_.verifier)
        sink = [this](std::span<const double> row) { take_row(row); };
    leg_.run = make_run(*setup_.details, plan, setup_.solver, overrides_, std::move(sink));
    leg_.run->stop_when([this] { return stop_ || (stop_asked_ && stop_asked_()); });
    leg_.dropped_rows = 0;
}

/// Goes on from a place, in silence up to where it was left.
void Session::take_up(const std::optional<Snapshot>& from, std::uint64_t steps_since) {
    repeats_ = true;
    bool going = from ? leg_.run->resume(*from) : leg_.run->begin();
    if (!from) start_ = leg_.run->start();
    kept_.snapshot = from;
    kept_.steps = leg_.run->steps();
    for (std::uint64_t i = 0; going && i < steps_since; ++i) going = leg_.run->step();
    repeats_ = false;
    begun_ = true;
    over_ = !going;
    paused_ = is_broken_ = false;
    listeners_.skip_events(*leg_.run);
}

/// The same run with another end, or for other callbacks.
void Session::remake(double end) {
    const SavedRun place = saved();
    make(end);
    take_up(place.snapshot, place.steps_since);
}

void Session::set_callbacks(Callbacks callbacks) {
    const bool had_rows = listeners_.take_rows();
    listeners_.set(std::move(callbacks));
    if (begun_) listeners_.skip_events(*leg_.run);
    if (had_rows == listeners_.take_rows() || over_ || paused_) return;
    if (begun_) remake(leg_.end);
    else make(leg_.end);
}

void Session::stop_when(std::function<bool()> asked) {
    stop_asked_ = std::move(asked);
}

/// Computes the motion twice (RunOptions::verify).
void Session::follow_for_verification() {
    trust_.verifier.emplace(*setup_.details, setup_.plan, overrides_, listeners_.take_rows());
    setup_.plan.every = trust_.verifier->plan().every;
}

void Session::look_back(const std::function<bool()>& asked, bool estimates) {
    const bool has_rows = trust_.verifier && leg_.run->rows() > 0;
    if (has_rows && status().outcome != Outcome::interrupted)
        trust_.verification = trust_.verifier->finish(*leg_.run, asked);
    if (estimates && !trust_.verifier && status() && has_fixed_step(setup_.plan.method))
        trust_.estimate = estimate_error(details(), plan(), overrides_, summary(), asked);
}

// ---- steps

bool Session::begin() {
    if (begun_) return !over_;
    begun_ = true;
    over_ = !leg_.run->begin();
    start_ = leg_.run->start();
    return goes_on();
}

bool Session::resume(const Snapshot& snapshot) {
    take_up(snapshot, 0);
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
    if (over_ && state().t < leg_.end) return false;  // by an event
    over_ = false;
    setup_.plan.end = std::max(setup_.plan.end, t);
    if (t != leg_.end) remake(t);
    while (!over_ && !paused_) advance();
    return status() && state().t >= t;
}

void Session::run() {
    while (step()) {
    }
}

/// One step of the run, and whoever wants to know of it.
bool Session::advance() {
    const bool going = leg_.run->step();
    is_broken_ = !going && leg_.run->status().outcome == Outcome::interrupted;
    const bool at_end = !going && leg_.run->status() && leg_.run->state().t >= leg_.end;
    paused_ = at_end && leg_.end < setup_.plan.end;
    over_ = !going && !paused_;
    if (!is_broken_) listeners_.step(*leg_.run, over_);
    return goes_on();
}

/// Ends the run where somebody wants that.
bool Session::goes_on() {
    if (over_) return false;
    if (listeners_.want_end() || stop_) {
        leg_.run->interrupt();
        if (paused_)
            ended_ = {Outcome::interrupted,
                      fmt::format("stopped at t = {}", rounded(leg_.run->state().t, 12)),
                      {}};
        over_ = true;
        return false;
    }
    keep();
    return true;
}

/// The run gives a row at its end. Where that is not the end of the plan, only one of the grid
/// counts.
void Session::take_row(std::span<const double> row) {
    if (repeats_) return;
    if (row[0] >= leg_.end && leg_.end < setup_.plan.end && !is_on_grid(row[0])) {
        ++leg_.dropped_rows;
        return;
    }
    if (trust_.verifier) trust_.verifier->row(row);
    listeners_.row(row);
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
    Snapshot snapshot = leg_.run->snapshot();
    if (snapshot.rows == 0 || leg_.run->state().t < leg_.end) return snapshot;
    const double number = (leg_.run->state().t - setup_.plan.begin) / setup_.plan.every;
    snapshot.next_row = static_cast<std::uint64_t>(number + grid_tolerance) + 1;
    snapshot.rows -= leg_.dropped_rows;
    return snapshot;
}

SavedRun Session::saved() const {
    SavedRun place{fingerprint(*setup_.details), setup_.plan, overrides_, kept_.snapshot, 0};
    if (!begun_) place.snapshot.reset();
    else if (is_resumable()) place.snapshot = snapshot();
    else place.steps_since = leg_.run->steps() - kept_.steps;
    return place;
}

/// From time to time, so that little has to be repeated, and that little of the time is spent on
/// it: a hundredth at most.
void Session::keep() {
    const auto now = std::chrono::steady_clock::now();
    if (now - kept_.at < kept_.pause || paused_ || !is_resumable()) return;
    kept_.snapshot = snapshot();
    kept_.steps = leg_.run->steps();
    kept_.at = std::chrono::steady_clock::now();
    kept_.pause =
        std::max<std::chrono::steady_clock::duration>(least_pause, 100 * (kept_.at - now));
}

MotionSummary Session::summary() const {
    MotionSummary summary = leg_.run->summary();
    summary.end = setup_.plan.end;
    summary.verification = trust_.verification;
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
