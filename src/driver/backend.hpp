// What a run is written over: how its equations are added up, factored and solved.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/choose.hpp"
#include "state/observables.hpp"
#include "state/start.hpp"

namespace lacon::inline driver {

class RunContext;
class SingularGuard;
class Steppers;

/// How a run's equations are added up, factored and solved: with dense matrices (dense_backend.hpp)
/// or without their zeros (large/sparse_backend.hpp). There is one driver for all of them. What one
/// cannot do yet is a capability that it lacks, and says so.
class Backend {
public:
    virtual ~Backend() = default;

    virtual Field& field() = 0;
    /// The field as that of the dense backend; none for another. With it go compiled segments,
    /// steps over singular positions, narrow features told by the equations, diagnosis along the
    /// run, and methods other than Taylor's.
    virtual DenseField* dense_field() { return nullptr; }

    /// The start state, on the constraints.
    virtual Start find_start(const std::vector<StartOverride>& overrides, const RunPlan& plan) = 0;
    virtual std::unique_ptr<Projector> make_projector(bool moves) = 0;
    virtual std::unique_ptr<Observables> make_observables(const std::vector<Expr>& of) = 0;
    virtual std::unique_ptr<SingularGuard> make_guard(RunContext& run, Steppers& steppers) = 0;

    /// The method that a plan asks for; for `auto`, the one that suits the model at its start.
    virtual MethodChoice choose_method(const State& state, const RunPlan& plan) = 0;
    virtual std::unique_ptr<Method> make_method(const std::string& name, const RunPlan& plan) = 0;
    /// Takes steps from where a Taylor series does not exist.
    virtual std::unique_ptr<Method> make_backup(const RunPlan& plan) = 0;

    /// Whether A q'' = b can be met at a state, which `at` has just factored.
    virtual bool is_consistent(const Projector& at, const State& state) = 0;
    /// Not ok where the constraints contradict each other at or near a state that was tried, with
    /// their names; `since`: the time until which they did not. The other is asked wherever a step
    /// cannot land, of backends that see a conflict from farther off.
    virtual Status conflict_near(const State& state, double since) = 0;
    virtual bool sees_conflicts_far() const { return false; }
    virtual Status conflict_far(const State&, double) { return {}; }
    /// For the summary: how the systems are solved, and the code that is the backend's own.
    virtual std::string solve_text() { return {}; }
    virtual std::optional<CodeSummary> code() const { return std::nullopt; }
};

}  // namespace lacon::driver
