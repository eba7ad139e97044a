// Evaluates the outputs once more for each dependent set, with its null vector added.
#include "state/uniqueness.hpp"

#include <algorithm>
#include <cmath>

#include "state/evaluate.hpp"
#include "state/observables.hpp"

namespace lacon::inline state {

namespace {

/// The evaluation with multipliers that move the same: λ + k n, n a null vector of Aᵀ of the size
/// of λ, so that what it changes stands out of rounding.
Evaluation with_null_force(const Evaluation& at, const DependentSet& set) {
    double largest = 1.0, own = 0.0;
    for (const ConstraintReport& row : at.constraints)
        largest = std::max(largest, std::abs(row.multiplier));
    for (const double c : set.coefficients) own = std::max(own, std::abs(c));
    Evaluation other = at;
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
        const double add = own > 0.0 ? largest / own * set.coefficients[i] : 0.0;
        ConstraintReport& row = other.constraints[set.rows[i]];
        row.multiplier += add;
        for (std::size_t j = 0; j < row.force.size(); ++j)
            row.force[j] += add * at.A(set.rows[i], j);
    }
    return other;
}

}  // namespace

std::vector<std::string> outputs_not_unique(const DerivedModel& details, const Evaluation& at) {
    std::vector<std::string> names;
    const std::vector<Output>& outputs = details.model.outputs;
    if (outputs.empty() || at.is_sparse || at.A.rows() != at.constraints.size() ||
        at.solution.outcome != Outcome::ok || at.solution.dependent.empty())
        return names;
    DenseObservables program(details, values_of(outputs));
    std::vector<double> given(outputs.size()), other(outputs.size());
    program.values(at, given);
    std::vector<bool> differs(outputs.size(), false);
    for (const DependentSet& set : at.solution.dependent) {
        if (set.coefficients.size() != set.rows.size()) continue;
        program.values(with_null_force(at, set), other);
        // The change is of the size of the forces where there is one; solves leave 1e-13 of that.
        constexpr double told_apart = 1e-8;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const double size = std::max({1.0, std::abs(given[i]), std::abs(other[i])});
            if (std::abs(other[i] - given[i]) > told_apart * size) differs[i] = true;
        }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (differs[i]) names.push_back(outputs[i].name);
    return names;
}

std::vector<std::string> outputs_not_unique(const DerivedModel& details, const State& state,
                                            const SolveOptions& options) {
    constexpr std::size_t most_coordinates = 1000;  // some tenths of a second
    const bool shows_forces = std::any_of(
        details.model.observed.begin(), details.model.observed.end(), [](const Observed& one) {
            return one.kind == Observed::Kind::multiplier || one.kind == Observed::Kind::force;
        });
    if (!shows_forces || details.model.outputs.empty() ||
        details.system.coordinate_count > most_coordinates)
        return {};
    return outputs_not_unique(details, evaluate_without_outputs(details, state, options));
}

}  // namespace lacon::state
