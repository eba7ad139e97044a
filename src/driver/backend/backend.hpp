// What a run is written over: how its equations are added up, factored and solved.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/plan/choose.hpp"
#include "locate/features.hpp"
#include "state/observables.hpp"
#include "state/start.hpp"

namespace lacon::inline driver {

class ConditionWatch;
class RunContext;
class SingularGuard;
class Steppers;

/// What not every backend can do. The driver asks for it by name, and does without where it is
/// lacking; a run that was asked for it is refused, in the words of `text_of`.
enum class Capability {
    all_methods,         ///< methods other than Taylor's, also to begin where motion is stiff
    compiled_segments,   ///< whole steps, rows and events as code
    narrow_features,     ///< features that a step might jump over are told by the equations
    singular_crossings,  ///< steps over singular positions, and steps that follow near misses
    condition_watch,     ///< diagnosis along the run
    far_conflicts,       ///< sees constraints in conflict where a step cannot end
};
/// "the sparse solver does not support … yet".
std::string_view text_of(Capability capability);

class Capabilities {
public:
    constexpr Capabilities(std::initializer_list<Capability> all) {
        for (const Capability one : all) bits_ |= 1u << static_cast<unsigned>(one);
    }
    constexpr bool has(Capability one) const {
        return (bits_ >> static_cast<unsigned>(one) & 1u) != 0;
    }

private:
    unsigned bits_ = 0;
};

/// How a run's equations are added up, factored and solved: with dense matrices (dense_backend.hpp)
/// or without their zeros (large/sparse_backend.hpp). There is one driver for all of them. What one
/// cannot do yet is a capability that it lacks, and says so.
class Backend {
public:
    virtual ~Backend() = default;

    virtual Field& field() = 0;
    virtual Capabilities capabilities() const = 0;
    bool can(Capability one) const { return capabilities().has(one); }

    /// The start state, on the constraints.
    virtual Start find_start(const std::vector<StartOverride>& overrides, const RunPlan& plan) = 0;
    virtual std::unique_ptr<Projector> make_projector(bool moves) = 0;
    virtual std::unique_ptr<Observables> make_observables(const std::vector<Expr>& of) = 0;
    virtual std::unique_ptr<SingularGuard> make_guard(RunContext& run, Steppers& steppers) = 0;

    /// The method that a plan asks for; for `auto`, the one that suits the model at its start.
    virtual MethodChoice choose_method(const State& state, const RunPlan& plan) = 0;
    virtual std::unique_ptr<Method> make_method(MethodKind method, const RunPlan& plan) = 0;
    /// Takes steps from where a Taylor series does not exist.
    virtual std::unique_ptr<Method> make_backup(const RunPlan& plan) = 0;
    // Of a backend with the capability that they are named with; none without.
    /// Taylor steps that go over singular positions, or resolve near misses (singular_crossings).
    virtual std::unique_ptr<Method> make_crosser(const MethodOptions&) { return nullptr; }
    /// Begins where motion is stiff, as where something begins to slide (all_methods).
    virtual std::unique_ptr<Method> make_starter(const MethodOptions&) { return nullptr; }
    /// narrow_features.
    virtual std::unique_ptr<FeatureCheck> make_features() { return nullptr; }
    /// condition_watch.
    virtual std::unique_ptr<ConditionWatch> make_condition_watch();

    /// Whether A q'' = b can be met at a state, which `at` has just factored.
    virtual bool is_consistent(const Projector& at, const State& state) = 0;
    /// Not ok where the constraints contradict each other at or near a state that was tried, with
    /// their names; `since`: the time until which they did not. The other is asked wherever a step
    /// cannot end (far_conflicts).
    virtual Status conflict_near(const State& state, double since) = 0;
    virtual Status conflict_far(const State&, double) { return {}; }
    /// For the summary: how the systems are solved, and the code that is the backend's own.
    virtual std::string solve_text() { return {}; }
    virtual std::optional<CodeSummary> code() const { return std::nullopt; }
};

}  // namespace lacon::driver
