// The dense backend: dense field, projector, guard of singular positions, conflicts.
#include "driver/dense/dense_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "driver/backend/condition_watch.hpp"
#include "driver/dense/crossing_guard.hpp"
#include "methods/methods.hpp"
#include "solve/dense/constrained/dependence.hpp"
#include "state/evaluate.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

namespace {

class DenseBackend final : public Backend {
public:
    DenseBackend(const DerivedModel& details, const RunPlan& plan)
        : details_(details), field_(details, field_options(plan)) {}

    Field& field() override { return field_; }
    Capabilities capabilities() const override {
        return {Capability::all_methods, Capability::compiled_segments, Capability::narrow_features,
                Capability::singular_crossings, Capability::condition_watch};
    }

    Start find_start(const std::vector<StartOverride>& overrides, const RunPlan& plan) override {
        return consistent_start(details_, overrides, plan.options.solve, plan.begin);
    }
    std::unique_ptr<Projector> make_projector(bool moves) override {
        return std::make_unique<DenseProjector>(field_, moves);
    }
    std::unique_ptr<Observables> make_observables(const std::vector<Expr>& of) override {
        return std::make_unique<DenseObservables>(details_, of);
    }
    std::unique_ptr<SingularGuard> make_guard(RunContext& run, Steppers& steppers) override {
        return std::make_unique<CrossingGuard>(run, field_, steppers);
    }
    MethodChoice choose_method(const State& state, const RunPlan& plan) override {
        return lacon::choose_method(field_, state, plan);
    }
    std::unique_ptr<Method> make_method(MethodKind method, const RunPlan& plan) override {
        return lacon::make_method(method, field_, plan);
    }
    std::unique_ptr<Method> make_backup(const RunPlan& plan) override {
        // A backup takes single steps: below 1e-13 rounding would make them endless.
        constexpr double finest = 1e-13;
        return make_runge_kutta(dop853(), field_, {std::max(plan.tolerance, finest), plan.step});
    }
    std::unique_ptr<Method> make_crosser(const MethodOptions& how) override {
        return make_taylor(field_, how);
    }
    std::unique_ptr<Method> make_starter(const MethodOptions& how) override {
        return make_radau(field_, how);
    }
    std::unique_ptr<FeatureCheck> make_features() override {
        return std::make_unique<FeatureCheck>(field_);
    }
    std::unique_ptr<ConditionWatch> make_condition_watch() override {
        return std::make_unique<ConditionWatch>(field_);
    }

    bool is_consistent(const Projector& at, const State& state) override;
    Status conflict_near(const State& state, double since) override;

private:
    const SolveOptions& options() const { return field_.options.solve; }

    const DerivedModel& details_;
    DenseField field_;
};

bool DenseBackend::is_consistent(const Projector& projector, const State& state) {
    const DenseProjector& at = dense(projector);
    if (at.rank() == field_.m()) return true;
    constexpr double met = 1e-10;  // residual of a row beside its terms
    std::vector<double> x(field_.n()), lambda(field_.m());
    const Equations& eq = at.equations();
    const double residual = at.factor().solve({eq.M, eq.A, 1}, eq.Q, eq.b, x, lambda);
    if (residual <= met) return true;
    return evaluate(details_, state, options()).status.outcome != Outcome::conflict;
}

Status DenseBackend::conflict_near(const State& tried, double) {
    State state = tried;
    DenseProjector probe(field_, true);
    const Outcome outcome = probe.project(state);
    if (outcome == Outcome::ok) {  // at the accelerations, then
        Status status = evaluate(details_, state, options()).status;
        if (status.outcome != Outcome::conflict) return {};
        status.message = fmt::format("from t = {} on {}", rounded(state.t, 10), status.message);
        return status;
    }
    if (outcome != Outcome::no_convergence) return {};
    Residuals residuals;
    field_.residuals(state, residuals);
    const bool positions = probe.left.position > Projector::met_tol;
    std::vector<double> right;
    for (std::size_t r = 0; r < field_.m(); ++r) {
        const bool position_row = details_.system.levels[r] == Level::position;
        right.push_back(positions ? (position_row ? -residuals.value[r] : 0.0)
                                  : -residuals.velocity[r]);
    }
    const Equations& eq = probe.equations();
    const auto sets = dependent_sets({eq.A, right, &eq.M}, options());
    Status status{Outcome::conflict, {}, names_of(details_, rows_of(sets, Concerned::conflicting))};
    if (status.names.empty()) return {};
    status.message = fmt::format("constraints {} conflict from t = {} on: no {} meets them all",
                                 quoted_list(status.names), rounded(state.t, 10),
                                 positions ? "position" : "velocity");
    return status;
}

}  // namespace

std::unique_ptr<Backend> make_dense_backend(const DerivedModel& details, const RunPlan& plan) {
    return std::make_unique<DenseBackend>(details, plan);
}

}  // namespace lacon::driver
