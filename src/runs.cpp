// Makes the run of a mechanism with the backend that suits it, or NoRun where none can.
#include "runs.hpp"

#include "hybrid/hybrid_run.hpp"
#include "large/choose.hpp"
#include "large/evaluate/evaluate.hpp"
#include "large/start/start.hpp"
#include "state/evaluate.hpp"

namespace lacon {

namespace {

/// A run that cannot be: all it has is a status.
class NoRun final : public Run {
public:
    NoRun(const DerivedModel& details, const RunPlan& plan, Status status)
        : status_(std::move(status)) {
        for (const std::string& name : details.coordinate_names) names_.push_back(name);
        for (const std::string& name : details.coordinate_names) names_.push_back(name + "'");
        for (const Output& output : details.model.outputs) names_.push_back(output.name);
        summary_.method = name_of(plan.method);
        summary_.tolerance = plan.tolerance;
        summary_.begin = plan.begin;
        summary_.end = plan.end;
        summary_.every = plan.every;
        start_.status = status_;
    }
    bool begin() override { return false; }
    bool resume(const Snapshot&) override { return false; }
    bool step() override { return false; }
    void interrupt() override {}
    bool is_resumable() const override { return false; }
    Snapshot snapshot() const override { return {}; }
    const std::vector<std::string>& names() const override { return names_; }
    const Status& status() const override { return status_; }
    const Start& start() const override { return start_; }
    const State& state() const override { return start_.state; }
    double last_length() const override { return 0.0; }
    std::uint64_t rows() const override { return 0; }
    std::size_t steps() const override { return 0; }
    MotionSummary summary() const override { return summary_; }
    std::span<const MotionDiagnosis::Warning> warnings() const override { return {}; }

private:
    Status status_;
    Start start_;
    MotionSummary summary_;
    std::vector<std::string> names_{"t"};
};

}  // namespace

std::unique_ptr<Run> make_run(const DerivedModel& details, const RunPlan& plan,
                              const SolverChoice& choice, const std::vector<StartOverride>& start,
                              Run::RowSink sink) {
    if (!choice.refused) return std::make_unique<NoRun>(details, plan, choice.refused);
    return std::make_unique<HybridRun>(details, plan, start, std::move(sink), choice);
}

std::unique_ptr<Run> make_run(const DerivedModel& details, const RunPlan& plan,
                              const std::vector<StartOverride>& start, Run::RowSink sink) {
    return make_run(details, plan, choose_solver(details, plan), start, std::move(sink));
}

Start find_start(const DerivedModel& details, const std::vector<StartOverride>& overrides,
                 const SolveOptions& options, Named<Solver> solver) {
    const SolverChoice choice = choose_solver(details, solver);
    if (!choice.refused) {
        Start start;
        start.state = stated(details, overrides).state;
        start.status = choice.refused;
        return start;
    }
    if (!choice.sparse) return consistent_start(details, overrides, options);
    SparseAssembler assembler(*large_system(details));
    return consistent_start(assembler, overrides, options);
}

Evaluation evaluate(const DerivedModel& details, const State& state, const SolveOptions& options,
                    Named<Solver> solver) {
    return choose_solver(details, solver).sparse ? evaluate_sparse(details, state, options)
                                                 : evaluate(details, state, options);
}

}  // namespace lacon
