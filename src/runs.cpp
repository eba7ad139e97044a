// Makes the run of a mechanism with the backend that suits it, or NoRun where none can.
#include "runs.hpp"

#include "hybrid/hybrid_run.hpp"
#include "large/choose.hpp"
#include "large/evaluate.hpp"
#include "large/start.hpp"

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
        summary_.method = plan.method;
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
                 const SolveOptions& options, const std::string& solver) {
    const SolverChoice choice = choose_solver(details, solver);
    if (!choice.refused) {
        Start start;
        start.state = stated(details, overrides).state;
        start.status = choice.refused;
        return start;
    }
    if (!choice.sparse) return consistent_start(details, overrides, options);
    SparseAssembler assembler(*large_system(details));
    return large_start(assembler, overrides, options);
}

LargeEvaluation evaluate_large(const Mechanism& mechanism, const State& state,
                               const SolveOptions& options) {
    if (const std::string what = why_not_large(mechanism.details()); !what.empty())
        throw std::invalid_argument("the sparse solver does not support " + what + " yet");
    const std::size_t n = mechanism.coordinates().size();
    if (state.q.size() != n || state.v.size() != n)
        throw std::invalid_argument("the state must have one q and one v for each coordinate");
    return evaluate_large(mechanism.details(), state, options);
}

namespace {

std::vector<ConstraintReport> reports_of(const DerivedModel& details, const LargeEvaluation& at) {
    std::vector<ConstraintReport> reports(details.system.row_count());
    for (std::size_t r = 0; r < reports.size(); ++r) {
        ConstraintReport& report = reports[r];
        report.name = details.constraint_names[r];
        report.level = details.system.levels[r];
        report.residual = at.residuals[r];
        report.velocity_residual = at.velocity_residuals[r];
        report.multiplier = at.multipliers.empty() ? NAN : at.multipliers[r];
        if (details.model.constraints[r].weight) report.weight = details.weights[r];
    }
    for (const DependentSet& set : at.dependent)
        for (const std::size_t row : set.rows) reports[row].redundant = true;
    return reports;
}

}  // namespace

Evaluation evaluate_sparse(const DerivedModel& details, const State& state,
                           const SolveOptions& options) {
    LargeEvaluation from = evaluate_large(details, state, options);
    Evaluation at;
    at.constraints = reports_of(details, from);
    at.state = std::move(from.state);
    at.is_sparse = true;
    at.sparse_M = std::move(from.M);
    at.sparse_A = std::move(from.A);
    at.Q = std::move(from.Q);
    at.b = std::move(from.b);
    ConstrainedSolution& solution = at.solution;
    solution.outcome = from.status.outcome;
    solution.acceleration = std::move(from.acceleration);
    solution.multipliers = std::move(from.multipliers);
    solution.constraint_force = std::move(from.constraint_force);
    solution.a = std::move(from.a);
    solution.e = std::move(from.e);
    solution.gaussian = from.gaussian;
    solution.rank = from.rank;
    solution.rank_tol = options.rank_tol;
    solution.rank_decided = from.rank_decided;
    solution.dependent = std::move(from.dependent);
    at.kinetic = from.kinetic;
    at.potential = from.potential;
    at.rows_in_force = details.system.row_count();
    at.outputs = std::move(from.outputs);
    at.status = std::move(from.status);
    return at;
}

std::string why_not_large(const Mechanism& mechanism) {
    return why_not_large(mechanism.details());
}

}  // namespace lacon
