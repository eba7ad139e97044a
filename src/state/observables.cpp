// Looks up beforehand what the expressions need, so that a function of q, q' and t costs no solve.
// Values that do not exist are NaN.
#include "state/observables.hpp"

#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/numbers.hpp"
#include "expr/traverse.hpp"
#include "mechanics/system/symbols.hpp"
#include "state/evaluate.hpp"

namespace lacon::inline state {

namespace {

double control_value(Observed::Kind kind, const ControlReport& report) {
    double square = 0.0;
    if (kind == Observed::Kind::control_error) {
        for (const ControlReport::Row& row : report.rows) square += row.error * row.error;
        return std::sqrt(square);
    }
    if (report.force.empty()) return nan;
    if (kind == Observed::Kind::control_power) return report.power;
    for (const double f : report.force) square += f * f;
    return std::sqrt(square);
}

double observed_value(const Observed& what, const Evaluation& at) {
    switch (what.kind) {
        case Observed::Kind::energy: return at.kinetic + at.potential;
        case Observed::Kind::kinetic: return at.kinetic;
        case Observed::Kind::potential: return at.potential;
        case Observed::Kind::multiplier: return at.constraints[what.rows[0]].multiplier;
        case Observed::Kind::residual: return at.constraints[what.rows[0]].residual;
        case Observed::Kind::control_force:
        case Observed::Kind::control_power:
        case Observed::Kind::control_error:
            return at.controls.empty() ? nan : control_value(what.kind, at.controls[what.rows[0]]);
        case Observed::Kind::effort: return at.efforts.empty() ? nan : at.efforts[what.rows[0]];
        case Observed::Kind::force: break;
    }
    // The norm of the force over all rows of the constraint together.
    std::vector<double> total(at.A.cols(), 0.0);
    for (const std::size_t r : what.rows) {
        if (at.constraints[r].force.empty()) return nan;
        for (std::size_t j = 0; j < total.size(); ++j) total[j] += at.constraints[r].force[j];
    }
    double square = 0.0;
    for (const double f : total) square += f * f;
    return std::sqrt(square);
}

bool is_energy(Observed::Kind kind) {
    return kind == Observed::Kind::energy || kind == Observed::Kind::kinetic ||
           kind == Observed::Kind::potential;
}

}  // namespace

Observables::Observables(const DerivedModel& details, const std::vector<Expr>& expressions)
    : details_(details) {
    const Model& model = details.model;
    const SymbolRoles roles(model);
    const std::vector<Expr> symbols = symbols_in(model.graph, expressions);
    program_ = Program(model.graph, symbols, expressions);
    slots_.resize(program_.slot_count());
    std::unordered_map<std::uint32_t, std::size_t> observed_of;
    for (std::size_t i = 0; i < model.observed.size(); ++i)
        observed_of.emplace(model.observed[i].symbol.id, i);
    using Kind = Input::Kind;
    for (const Expr symbol : symbols) {
        const SymbolRole role = roles.of(symbol);
        switch (role.kind) {
            case SymbolRole::Kind::time: inputs_.push_back({Kind::time}); break;
            case SymbolRole::Kind::parameter:
                inputs_.push_back({Kind::parameter, role.number});
                break;
            case SymbolRole::Kind::q: inputs_.push_back({Kind::q, role.number}); break;
            case SymbolRole::Kind::v: inputs_.push_back({Kind::v, role.number}); break;
            case SymbolRole::Kind::a: inputs_.push_back({Kind::a, role.number}); break;
            case SymbolRole::Kind::multiplier:
            case SymbolRole::Kind::other:
                inputs_.push_back({Kind::observed, observed_of.at(symbol.id)});
                break;
        }
    }
    numbers_.resize(inputs_.size());
}

void Observables::fill_known(std::size_t input, const State& state) {
    const std::size_t k = inputs_[input].number;
    switch (inputs_[input].kind) {
        case Input::Kind::time: numbers_[input] = state.t; break;
        case Input::Kind::parameter: numbers_[input] = details_.parameters[k]; break;
        case Input::Kind::q: numbers_[input] = state.q[k]; break;
        case Input::Kind::v: numbers_[input] = state.v[k]; break;
        case Input::Kind::a:
        case Input::Kind::observed: break;
    }
}

void Observables::values(const State& state, const SolveOptions& options, std::span<double> out) {
    if (count() == 0) return;
    fill(state, options);
    run(out);
}

void Observables::values(const State& state, const SolveOptions& options, std::span<Rounded> out) {
    if (count() == 0) return;
    fill(state, options);
    rounded_.clear();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        rounded_.push_back(is_solved(inputs_[i])
                               ? Rounded(numbers_[i], solved_error * std::abs(numbers_[i]))
                               : Rounded::input(numbers_[i]));
    }
    rounded_slots_.resize(program_.slot_count());
    program_.run<Rounded>(rounded_, rounded_slots_, out);
}

DenseObservables::DenseObservables(const DerivedModel& details,
                                   const std::vector<Expr>& expressions)
    : Observables(details, expressions), assembler_(details.system, details.parameters) {
    for (const Input& input : inputs_) {
        if (!is_solved(input)) continue;
        const bool energy = input.kind == Input::Kind::observed &&
                            is_energy(details.model.observed[input.number].kind);
        (energy ? needs_energies_ : needs_solution_) = true;
    }
}

void DenseObservables::fill(const Evaluation& at) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const std::size_t k = inputs_[i].number;
        if (inputs_[i].kind == Input::Kind::a)
            numbers_[i] = at.solution.acceleration.empty() ? nan : at.solution.acceleration[k];
        else if (inputs_[i].kind == Input::Kind::observed)
            numbers_[i] = observed_value(details_.model.observed[k], at);
        else fill_known(i, at.state);
    }
}

void DenseObservables::fill(const State& state, const SolveOptions& options) {
    if (needs_solution_) return fill(evaluate_without_outputs(details_, state, options));
    Evaluation at;
    at.state = state;
    if (needs_energies_) {
        const Energies energies = assembler_.energies(state);
        at.kinetic = energies.kinetic;
        at.potential = energies.potential;
    }
    fill(at);
}

void DenseObservables::values(const Evaluation& at, std::span<double> out) {
    fill(at);
    run(out);
}

}  // namespace lacon::state
