// Starts sparse. When the sparse run stops at a singular position, a dense run takes over its
// snapshot. Runs whose dense steps would take more than 10 s are not handed over.
#include "large/handed_run.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "state/verdict.hpp"

namespace lacon {

bool HandedRun::is_for(const DerivedModel& details, const RunPlan& plan, double dense_seconds) {
    constexpr double most = 10.0;  // seconds a step: a passage takes some tens of them
    return dense_seconds <= most && plan.options.solver != "sparse" &&
           !plan.options.through_singular && size_status(details);
}

HandedRun::HandedRun(const DerivedModel& details, RunPlan plan,
                     const std::vector<StartOverride>& start, RowSink sink)
    : details_(details), plan_(std::move(plan)), overrides_(start), sink_(std::move(sink)) {
    large_ = std::make_unique<LargeRun>(details_, plan_, overrides_, sink_);
    large_->set_hands_over();
}

void HandedRun::make_dense() {
    dense_ = std::make_unique<HybridRun>(details_, plan_, overrides_, sink_);
    dense_->stop_when(stop_asked_);
    large_.reset();
}

bool HandedRun::begin() {
    const bool going = large_->begin();
    start_ = large_->start();
    return going;
}

bool HandedRun::resume(const Snapshot& snapshot) {
    if (!snapshot.dense) return large_->resume(snapshot);
    make_dense();
    return dense_->resume(snapshot);
}

Snapshot HandedRun::snapshot() const {
    Snapshot snapshot = now().snapshot();
    snapshot.dense = dense_ != nullptr;
    return snapshot;
}

void HandedRun::stop_when(std::function<bool()> asked) {
    stop_asked_ = std::move(asked);
    now().stop_when(stop_asked_);
}

bool HandedRun::step() {
    if (now().step()) return true;
    return !dense_ && large_->has_handed_over() && hand_over();
}

/// The strength of the constraints that is usual comes from a state at a distance: the start, or
/// where the run was resumed.
bool HandedRun::hand_over() {
    Snapshot snapshot = large_->handover();
    snapshot.summary.solve +=
        fmt::format("; from t = {} on the dense solve, which crosses singular positions",
                    rounded(snapshot.time.now(), 10));
    snapshot.dense = true;
    Field field(details_, field_options(plan_));
    Projector projector(field, false);
    State first = start_.state.q.empty() ? snapshot.landed : start_.state;
    if (projector.project(first) == Outcome::ok)
        snapshot.usual_strength = projector.factor().weakest();
    make_dense();
    return dense_->take_over(snapshot);
}

}  // namespace lacon
