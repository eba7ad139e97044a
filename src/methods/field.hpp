// The equation of motion at a state, q'' = a + K₁ (b − A a) (P1 5c): what every backend tells of
// it, and the field of the dense backend, on which most methods work.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "contact/loads.hpp"
#include "control/controller.hpp"
#include "lacon/motion.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "methods/lasting_rank.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"

namespace lacon::inline methods {

struct FieldOptions {
    SolveOptions solve;
    /// Where above 0: φ'' + 2αφ' + α²φ = 0 (φ' + αφ = 0 at velocity level) with this α, in 1/s,
    /// instead of φ'' = 0.
    double baumgarte = 0.0;
};

/// Accelerations by machine code (code/compiled.hpp).
class CompiledField {
public:
    virtual ~CompiledField() = default;
    /// False where a check fails: then the state is for the careful path.
    virtual bool run(const State& state, std::span<const double> branches, std::span<double> a) = 0;
    virtual bool in_loops() const = 0;
    virtual CodeSummary summary() const = 0;
};

/// The equation of motion as numbers at a state, with the decisions (if, abs, …) held fixed:
/// whatever a run needs of it beside accelerations, which methods ask the field of their own
/// backend for. Holds workspace.
class Field {
public:
    Field(const DerivedModel& details, const FieldOptions& options);
    virtual ~Field() = default;
    Field(const Field&) = delete;
    Field& operator=(const Field&) = delete;

    std::size_t n() const { return details.system.coordinate_count; }
    std::size_t m() const { return details.system.row_count(); }

    virtual std::vector<double>& branches() = 0;  // of all decisions, as they are held
    virtual Energies energies(const State& state) = 0;
    virtual void residuals(const State& state, Residuals& out) = 0;
    /// The surfaces of all decisions with bounds on their rounding errors, as
    /// Assembler::surfaces; and of one decision.
    virtual void surfaces(const State& state, std::vector<Rounded>& out) = 0;
    virtual Rounded surface(const State& state, std::size_t branch) = 0;
    /// Whether the surface of one decision costs much less than all of them.
    virtual bool tells_one_surface() const { return false; }
    /// What is wrong at a state, in the user's names; `otherwise` where nothing is.
    virtual Status trouble(const State& state, Status otherwise) = 0;
    /// What rounding alone does to (q', q'') (2n) at a state, and on the way within so many seconds
    /// (methods/noise.hpp); empty where it is not known.
    virtual std::vector<double> rounding(const State&, double) { return {}; }
    /// Whether rows that depend on each other at a state, which meets the constraints, do so
    /// wherever these are met nearby, but not beside that (LastingRank).
    virtual bool depends_where_met(const State&) { return false; }
    /// Whether forces depend on those of constraints; whether a controller adds efforts.
    virtual bool has_loads() const { return false; }
    virtual bool has_efforts() const { return false; }
    /// Whether q'' is what M, Q, A, b give: no forces that depend on loads, no efforts. Only then
    /// can it be compiled or have series.
    bool is_plain() const { return !has_loads() && !has_efforts(); }

    const DerivedModel& details;
    const FieldOptions options;
    const std::shared_ptr<const SmoothSystem> shared_smooth;
    const SmoothSystem& smooth;
    /// What rounding alone does to (q', q'') (2n) of late: no method takes so much for its own
    /// error. Empty: nothing that matters beside the tolerance.
    std::vector<double> noise;
    /// Asked where the error of a step was too large, with the ends of the step: whether more of it
    /// is rounding than `noise` said. Then `noise` says so now.
    std::function<bool(const State& from, const State& to)> noise_asked;
    bool learns_noise(const State& from, const State& to) {
        return noise_asked && noise_asked(from, to);
    }
    std::unique_ptr<CompiledField> compiled;  // accelerations, where there is code for them
    struct Counters {
        std::size_t evaluations = 0, factorizations = 0;
    } counters;
    /// Asked before every evaluation of M, Q, A, b: once it says so nothing is evaluated any more,
    /// and what is under way fails.
    std::function<bool()> stop_asked;
    bool stopped = false;
    /// Asks; once it says so, for good.
    bool stops() { return stopped = stopped || (stop_asked && stop_asked()); }
};

/// The field of the dense backend: (t, q, q') → q''.
class DenseField final : public Field {
public:
    DenseField(const DerivedModel& details, const FieldOptions& options);

    /// q'' (n) at a state that need not meet the constraints. A branch that has no value beyond its
    /// border (a root of what has become negative there) gives way to the one that the values
    /// choose; the step is cut at the border anyway. False where there is none (not finite, M not
    /// definite).
    bool acceleration(const State& state, std::span<double> a);
    /// The same with the multipliers (m), by the interpreter.
    bool solve(const State& state, std::span<double> a, std::span<double> multipliers);
    /// M, Q, A, b. False where a value is not finite.
    bool equations(const State& state, Equations& out);
    /// Factors M and rows of A at a state near the constraints, with the rank that lasts there.
    Outcome factor(ConstrainedFactor& factor, MatrixView M, MatrixView A, const SolveOptions& how,
                   RowSet rows = RowSet::all);

    std::vector<double>& branches() override { return assembler.branches; }
    Energies energies(const State& state) override { return assembler.energies(state); }
    void residuals(const State& state, Residuals& out) override { assembler.residuals(state, out); }
    void surfaces(const State& state, std::vector<Rounded>& out) override {
        assembler.surfaces(state, out);
    }
    Rounded surface(const State& state, std::size_t branch) override;
    Status trouble(const State& state, Status otherwise) override;
    std::vector<double> rounding(const State& state, double ahead) override;
    bool depends_where_met(const State& state) override {
        return lasting_rank.is_asked_for(*this, state);
    }
    bool has_loads() const override { return !loads.is_empty(); }
    bool has_efforts() const override { return controller != nullptr; }

    Assembler assembler;
    /// Forces that depend on the constraints' own. Then nothing is compiled, and no method needs
    /// derivatives.
    const Loads loads;
    /// Of a mechanism with controls: what `equations` gives has no efforts in Q.
    std::unique_ptr<Controller> controller;
    LastingRank lasting_rank;

private:
    Assembler by_values_;
    Equations stage_;
    ConstrainedFactor stage_factor_;
    std::vector<double> lambda_;
};

}  // namespace lacon::methods
