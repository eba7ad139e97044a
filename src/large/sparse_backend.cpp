// The sparse backend: sparse field, projector, guard, conflicts.
#include "large/sparse_backend.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "kernel/target.hpp"
#include "large/evaluate/outputs.hpp"
#include "large/motion/projection.hpp"
#include "large/motion/sparse_guard.hpp"
#include "large/motion/taylor_method.hpp"
#include "large/start/start.hpp"
#include "state/family_names.hpp"

namespace lacon::inline large {

namespace {

class SparseBackend final : public Backend {
public:
    SparseBackend(const DerivedModel& details, const RunPlan& plan, bool hands_over)
        : details_(details),
          baumgarte_(field_options(plan).baumgarte),
          hands_over_(hands_over),
          system_(large_system(details, baumgarte_)),
          field_(*system_, plan.options.solve, baumgarte_) {
        compile(plan);
    }

    Field& field() override { return field_; }
    Capabilities capabilities() const override { return sparse_capabilities; }
    Start find_start(const std::vector<StartOverride>& overrides, const RunPlan& plan) override {
        return consistent_start(field_.assembler, overrides, plan.options.solve, plan.begin);
    }
    std::unique_ptr<Projector> make_projector(bool moves) override {
        return std::make_unique<SparseProjector>(field_, moves);
    }
    std::unique_ptr<Observables> make_observables(const std::vector<Expr>& of) override {
        return std::make_unique<SparseObservables>(field_, of);
    }
    std::unique_ptr<SingularGuard> make_guard(RunContext& run, Steppers& steppers) override {
        return std::make_unique<SparseGuard>(run, steppers, field_, hands_over_);
    }
    MethodChoice choose_method(const State&, const RunPlan& plan) override {
        const bool is_chosen = plan.method == MethodKind::automatic;
        return {MethodKind::taylor, is_chosen ? "the only method of the sparse backend" : ""};
    }
    std::unique_ptr<Method> make_method(MethodKind, const RunPlan& plan) override {
        return make_sparse_taylor(field_, {plan.tolerance, plan.step}, kernels_.get(),
                                  code_.compile_seconds);
    }
    std::unique_ptr<Method> make_backup(const RunPlan& plan) override {
        return make_sparse_backup(field_, {plan.tolerance, plan.step});
    }

    bool is_consistent(const Projector& at, const State& state) override;
    Status conflict_near(const State& state, double since) override;
    Status conflict_far(const State& state, double since) override;
    std::string solve_text() override;
    std::optional<CodeSummary> code() const override { return code_; }

private:
    void compile(const RunPlan& plan);

    const DerivedModel& details_;
    double baumgarte_;
    bool hands_over_;
    std::shared_ptr<const SparseSystem> system_;
    SparseField field_;
    std::shared_ptr<const SparseKernels> kernels_;  // none: interpreted
    CodeSummary code_;
};

/// Machine code for the elements, side by side.
void SparseBackend::compile(const RunPlan& plan) {
    if (plan.options.interpret) {
        code_.why = "as requested";
        return;
    }
    kernel::CompileOptions options;
    options.isa = *kernel::isa_named(plan.options.target);
    options.cache = plan.options.cache;
    try {
        kernels_ = details_.memo.get<SparseKernels>(
            fmt::format("large kernels {:a} {} {}", baumgarte_, plan.options.target.name(),
                        options.cache),
            [&] { return std::make_shared<SparseKernels>(*system_, options); });
        field_.assembler.compile(*kernels_);
    } catch (const std::runtime_error& reason) {
        kernels_.reset();
        code_.why = reason.what();
        return;
    }
    code_.why = kernels_->why;
    code_.tier = "full";
    code_.form = "loops";
    code_.target = plan.options.target;
    code_.lanes = Lanes::count;
    code_.compile_seconds = field_.assembler.compile_seconds();
}

std::string SparseBackend::solve_text() {
    std::string text = text_of(field_.factor.plan());
    if (!field_.factor.tells_turns()) text += "; singular positions within a step are not detected";
    return text;
}

bool SparseBackend::is_consistent(const Projector& at, const State& state) {
    if (at.rank() == system_->m) return true;
    if (field_.factor_for(state) != Outcome::ok) return false;
    SparseSolution solution;
    return field_.solve(solution) != Outcome::conflict;
}

Status SparseBackend::conflict_near(const State& tried, double) {
    State state = tried;
    SparseProjector probe(field_, true);
    if (probe.project(state) != Outcome::ok || is_consistent(probe, state)) return {};
    return field_.conflict(state);
}

/// Where a step's end could not be brought to the constraints: whether some of them contradict each
/// other there.
Status SparseBackend::conflict_far(const State& tried, double since) {
    constexpr double clear = 1e-9;  // residual that is no matter of rounding, scaled
    State state = tried;
    SparseProjector probe(field_, true);
    const Outcome outcome = probe.project(state);
    if (outcome == Outcome::ok && !is_consistent(probe, state)) return field_.conflict(state);
    if (outcome != Outcome::no_convergence || probe.rank() == system_->m) return {};
    const bool positions = probe.left.position > Projector::met_tol;
    if (!((positions ? probe.left.position : probe.left.velocity) > clear)) return {};
    Residuals residuals;
    field_.residuals(state, residuals);
    std::vector<double> right(system_->m);
    for (std::size_t r = 0; r < right.size(); ++r) {
        const bool position_row = details_.system.levels[r] == Level::position;
        right[r] = positions ? (position_row ? -residuals.value[r] : 0.0) : -residuals.velocity[r];
    }
    std::vector<bool> concerned(system_->m, false);
    for (const DependentSet& set :
         field_.factor.dependent(right, field_.options.solve.consistency_tol)) {
        if (!set.conflict || std::abs(set.asked - set.fixed) < clear * largest(right)) continue;
        for (const std::size_t row : set.rows) concerned[row] = true;
    }
    Status status{Outcome::conflict, {}, {}};
    for (std::size_t row = 0; row < concerned.size(); ++row)
        if (concerned[row]) status.names.push_back(details_.constraint_names[row]);
    if (status.names.empty()) return {};
    status.message =
        fmt::format("constraints {} conflict after t = {}: at t = {} no {} meets them all",
                    ranges_text(status.names), rounded(since, 10), rounded(state.t, 10),
                    positions ? "position" : "velocity");
    return status;
}

}  // namespace

std::unique_ptr<Backend> make_sparse_backend(const DerivedModel& details, const RunPlan& plan,
                                             bool hands_over) {
    return std::make_unique<SparseBackend>(details, plan, hands_over);
}

}  // namespace lacon::large
