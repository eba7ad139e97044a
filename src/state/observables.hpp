// Values of outputs and events along a motion.
#pragma once

#include <span>
#include <vector>

#include "expr/program.hpp"
#include "mechanics/numbers/assemble.hpp"

namespace lacon::inline state {

/// The expressions of a model's outputs or events.
template <typename Named>
std::vector<Expr> values_of(const std::vector<Named>& all) {
    std::vector<Expr> values;
    for (const Named& one : all) values.push_back(one.value);
    return values;
}

/// Expressions of a model (outputs, events) as numbers along a motion: of t, q, q', and where they
/// ask for it of q'', the energies and the forces of constraint, which every backend finds in its
/// own way. Built once; holds workspace.
class Observables {
public:
    virtual ~Observables() = default;

    std::size_t count() const { return program_.output_count(); }
    /// At a state: evaluates no more than is asked for.
    void values(const State& state, const SolveOptions& options, std::span<double> out);
    /// The same with bounds on the rounding errors (to first order; what a solve adds counts as
    /// 1e-13 of its results).
    void values(const State& state, const SolveOptions& options, std::span<Rounded> out);

    // For those who run the expressions on other numbers.
    struct Input {
        enum class Kind { time, parameter, q, v, a, observed } kind;
        std::size_t number = 0;
    };
    const std::vector<Input>& inputs() const { return inputs_; }
    /// Whether it comes from a solve, whose results are right to `solved_error` of their size.
    static bool is_solved(const Input& input) {
        return input.kind == Input::Kind::a || input.kind == Input::Kind::observed;
    }
    // Of a solve with a condition up to 1e3; it widens bounds on rounding only. Not critical.
    static constexpr double solved_error = 1e-13;
    const Program& program() const { return program_; }

protected:
    Observables(const DerivedModel& details, const std::vector<Expr>& expressions);
    /// Gives all inputs their numbers at a state.
    virtual void fill(const State& state, const SolveOptions& options) = 0;
    /// Gives an input its number that comes from no solve: time, parameters, q, q'.
    void fill_known(std::size_t input, const State& state);
    void run(std::span<double> out) { program_.run<double>(numbers_, slots_, out); }

    const DerivedModel& details_;
    std::vector<Input> inputs_;
    std::vector<double> numbers_;  // of the inputs

private:
    Program program_;
    std::vector<double> slots_;
    std::vector<Rounded> rounded_, rounded_slots_;
};

/// By the dense solve.
class DenseObservables final : public Observables {
public:
    DenseObservables(const DerivedModel& details, const std::vector<Expr>& expressions);

    using Observables::values;
    /// At an evaluation.
    void values(const Evaluation& at, std::span<double> out);

private:
    void fill(const State& state, const SolveOptions& options) override;
    void fill(const Evaluation& at);

    bool needs_solution_ = false, needs_energies_ = false;
    Assembler assembler_;
};

}  // namespace lacon::state
