// Puts all expressions into one program and notes whether they need energies, residuals or a
// solution. Forces of constraints are summed over the nonzero entries of their rows only.
#include "large/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "expr/traverse.hpp"
#include "mechanics/symbols.hpp"

namespace lacon {

using Kind = Observed::Kind;

LargeOutputs::LargeOutputs(const LargeSystem& system, const std::vector<Expr>& expressions)
    : system_(system) {
    const Model& model = system.details.model;
    const SymbolRoles roles(model);
    const std::vector<Expr> symbols = symbols_in(model.graph, expressions);
    program_ = Program(model.graph, symbols, expressions);
    slots_.resize(program_.slot_count());
    std::unordered_map<std::uint32_t, std::size_t> observed_of;
    for (std::size_t i = 0; i < model.observed.size(); ++i)
        observed_of.emplace(model.observed[i].symbol.id, i);
    for (const Expr symbol : symbols) {
        const SymbolRole role = roles.of(symbol);
        switch (role.kind) {
            case SymbolRole::Kind::time: inputs_.push_back({Input::Kind::time}); continue;
            case SymbolRole::Kind::parameter:
                inputs_.push_back({Input::Kind::parameter, role.number});
                continue;
            case SymbolRole::Kind::q: inputs_.push_back({Input::Kind::q, role.number}); continue;
            case SymbolRole::Kind::v: inputs_.push_back({Input::Kind::v, role.number}); continue;
            case SymbolRole::Kind::a:
                inputs_.push_back({Input::Kind::a, role.number});
                needs_solution_ = true;
                continue;
            case SymbolRole::Kind::multiplier:
            case SymbolRole::Kind::other: break;
        }
        const std::size_t number = observed_of.at(symbol.id);
        inputs_.push_back({Input::Kind::observed, number});
        switch (model.observed[number].kind) {
            case Kind::energy:
            case Kind::kinetic:
            case Kind::potential: needs_energies_ = true; break;
            case Kind::residual: {
                const std::size_t row = model.observed[number].rows[0];
                if (system.details.system.levels[row] == Level::acceleration)
                    needs_solution_ = true;
                else needs_residuals_ = true;
                break;
            }
            default: needs_solution_ = true;
        }
    }
    numbers_.resize(inputs_.size());
}

/// The norm of Σ_r λ_r A_r.
double LargeOutputs::force_norm(const std::vector<std::size_t>& rows, const At& at) {
    force_.clear();
    const auto A = at.equations->A();
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

double LargeOutputs::observed(const Observed& what, const At& at) {
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
    if (system_.details.system.levels[row] != Level::acceleration) return at.residuals->value[row];
    double residual = -at.equations->b()[row];
    for (std::size_t e = system_.rows->begin[row]; e < system_.rows->begin[row + 1]; ++e)
        residual += at.equations->A()[e] * at.solution->acceleration[system_.rows->column[e]];
    return residual;
}

void LargeOutputs::values(const At& at, std::span<double> out) {
    if (count() == 0) return;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const std::size_t k = inputs_[i].number;
        switch (inputs_[i].kind) {
            case Input::Kind::time: numbers_[i] = at.state.t; break;
            case Input::Kind::parameter: numbers_[i] = system_.details.parameters[k]; break;
            case Input::Kind::q: numbers_[i] = at.state.q[k]; break;
            case Input::Kind::v: numbers_[i] = at.state.v[k]; break;
            case Input::Kind::a: numbers_[i] = at.solution->acceleration[k]; break;
            case Input::Kind::observed:
                numbers_[i] = observed(system_.details.model.observed[k], at);
                break;
        }
    }
    program_.run<double>(numbers_, slots_, out);
}

}  // namespace lacon
