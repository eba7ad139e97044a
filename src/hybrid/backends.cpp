// A run is handed over as a snapshot. What only the sparse backend knows is kept meanwhile.
#include "hybrid/backends.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "driver/dense/dense_backend.hpp"
#include "large/sparse_backend.hpp"
#include "state/verdict.hpp"

namespace lacon::inline hybrid {

namespace {

/// Whether the dense backend can take over from the sparse one: the system is not too large for
/// it, by what a step is estimated to take, and nobody asked for something else.
bool may_hand_over(const DerivedModel& details, const RunPlan& plan, double dense_seconds) {
    constexpr double most = 60.0;  // seconds a step: a crossing takes some ten of them
    return dense_seconds <= most && plan.options.solver != Solver::sparse &&
           !plan.options.through_singular && size_status(details);
}

}  // namespace

Backends::Backends(const DerivedModel& details, const RunPlan& plan,
                   const std::vector<StartOverride>& start, Integration::RowSink sink,
                   const SolverChoice& solver)
    : details_(details),
      plan_(plan),
      overrides_(start),
      sink_(std::move(sink)),
      is_sparse_(solver.sparse),
      may_hand_over_(is_sparse_ && may_hand_over(details, plan, solver.dense_seconds)) {}

std::unique_ptr<Integration> Backends::make(const DerivedModel& details, const RunPlan& plan,
                                            Monitors* monitors) const {
    auto backend = is_sparse_ ? make_sparse_backend(details, plan, may_hand_over_)
                              : make_dense_backend(details, plan);
    auto run = std::make_unique<Integration>(details, plan, overrides_, sink_, std::move(backend),
                                             monitors);
    run->stop_when(stop_asked_);
    return run;
}

void Backends::take(bool sparse, std::unique_ptr<Integration>& run) {
    is_sparse_ = sparse;
    run.reset();
    run = make(details_, plan_);
}

/// The reciprocal condition of the constraints that is usual comes from a state at a distance: the
/// start, or where the run was resumed.
bool Backends::hand_over(std::unique_ptr<Integration>& run, const State& far) {
    const Snapshot sparse = run->snapshot();
    Snapshot snapshot = run->handover();
    if (handover_.count++ == 0) handover_.first = snapshot.time.now();
    handover_.memory = sparse.memory;
    handover_.memory.push_back(sparse.usual_reciprocal_condition);
    DenseField field(details_, field_options(plan_));
    DenseProjector projector(field, false);
    State first = far.q.empty() ? snapshot.state : far;
    if (projector.project(first) == Outcome::ok)
        snapshot.usual_reciprocal_condition = projector.weakest();
    take(false, run);
    return run->enter(std::move(snapshot), {.takes_usual = true});
}

bool Backends::hand_back(std::unique_ptr<Integration>& run) {
    Snapshot snapshot = run->handover();
    snapshot.memory = handover_.memory;
    snapshot.usual_reciprocal_condition = snapshot.memory.back();
    snapshot.memory.pop_back();
    take(true, run);
    return run->enter(std::move(snapshot), {.takes_usual = true});
}

void Backends::note_in(Snapshot& snapshot) const {
    snapshot.dense = is_lent();
    snapshot.handover = handover_;
}

void Backends::resume(const Snapshot& snapshot, std::unique_ptr<Integration>& run) {
    handover_ = snapshot.handover;
    if (is_sparse_ && snapshot.dense) take(false, run);
}

void Backends::note_in(MotionSummary& summary) const {
    summary.handovers = handover_.count;
    if (handover_.count > 0)
        summary.solve += fmt::format("; dense backend used near {} (first from t = {})",
                                     counted(handover_.count, "singular position"),
                                     rounded(handover_.first, 10));
}

}  // namespace lacon::hybrid
