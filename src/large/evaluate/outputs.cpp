// Notes whether the expressions need energies, residuals or a solution. Forces of constraints are
// summed over the nonzero entries of their rows only.
#include "large/evaluate/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::inline large {

using Kind = Observed::Kind;

SparseObservables::SparseObservables(SparseField& field, const std::vector<Expr>& expressions)
    : Observables(field.details, expressions), field_(field), system_(field.system) {
    for (const Input& input : inputs_) {
        if (input.kind == Input::Kind::a) needs_solution_ = true;
        if (input.kind != Input::Kind::observed) continue;
        const Observed& what = details_.model.observed[input.number];
        switch (what.kind) {
            case Kind::energy:
            case Kind::kinetic:
            case Kind::potential: needs_energies_ = true; break;
            case Kind::residual:
                (details_.system.levels[what.rows[0]] == Level::acceleration ? needs_solution_
                                                                             : needs_residuals_) =
                    true;
                break;
            default: needs_solution_ = true;
        }
    }
}

/// The norm of Σ_r λ_r A_r.
double SparseObservables::force_norm(const std::vector<std::size_t>& rows, const At& at) {
    force_.clear();
    const auto A = field_.equations.A();
    for (const std::size_t r : rows)
        for (std::size_t e = system_.rows->begin[r]; e < system_.rows->begin[r + 1]; ++e)
            force_.emplace_back(system_.rows->column[e], A[e] * at.solution->multipliers[r]);
    std::sort(force_.begin(), force_.end());
    double square = 0.0;
    for (std::size_t i = 0; i < force_.size();) {
        double sum = 0.0;
        const std::uint32_t column = force_[i].first;
        for (; i < force_.size() && force_[i].first == column; ++i) sum += force_[i].second;
        square += sum * sum;
    }
    return std::sqrt(square);
}

double SparseObservables::observed(const Observed& what, const At& at) {
    switch (what.kind) {
        case Kind::energy: return at.energies.kinetic + at.energies.potential;
        case Kind::kinetic: return at.energies.kinetic;
        case Kind::potential: return at.energies.potential;
        case Kind::multiplier: return at.solution->multipliers[what.rows[0]];
        case Kind::force: return force_norm(what.rows, at);
        case Kind::residual: break;
        default:
            return std::numeric_limits<double>::quiet_NaN();  // of controls, which large systems do
                                                              // not have
    }
    const std::size_t row = what.rows[0];
    if (details_.system.levels[row] != Level::acceleration) return at.residuals->value[row];
    double residual = -field_.equations.b()[row];
    for (std::size_t e = system_.rows->begin[row]; e < system_.rows->begin[row + 1]; ++e)
        residual += field_.equations.A()[e] * at.solution->acceleration[system_.rows->column[e]];
    return residual;
}

void SparseObservables::fill(const At& at) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const std::size_t k = inputs_[i].number;
        if (inputs_[i].kind == Input::Kind::a) numbers_[i] = at.solution->acceleration[k];
        else if (inputs_[i].kind == Input::Kind::observed)
            numbers_[i] = observed(details_.model.observed[k], at);
        else fill_known(i, at.state);
    }
}

void SparseObservables::fill(const State& state, const SolveOptions&) {
    At at{state, &solution_, &residuals_, {}};
    if (needs_energies_) at.energies = field_.energies(state);
    if (needs_residuals_) field_.residuals(state, residuals_);
    if (needs_solution_) {
        const bool solved =
            field_.factor_at(state) == Outcome::ok && field_.solve(solution_) == Outcome::ok;
        if (!solved) {
            solution_.acceleration.assign(system_.n, NAN);
            solution_.multipliers.assign(system_.m, NAN);
        }
    }
    fill(at);
}

void SparseObservables::values(const At& at, std::span<double> out) {
    if (count() == 0) return;
    fill(at);
    run(out);
}

}  // namespace lacon::large
