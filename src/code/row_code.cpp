// q'' and λ are solved for only if an output asks for them. Efforts of controls and multipliers of
// dependent rows are not compiled.
#include "code/row_code.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "code/load_code.hpp"
#include "mechanics/numbers/load_rows.hpp"

namespace lacon::inline code {

using kernel::Code;
using kernel::Value;

using Values = std::vector<Value>;

Value ObservedCode::input(const Observables::Input& input) {
    using Kind = Observables::Input::Kind;
    const std::size_t k = input.number;
    switch (input.kind) {
        case Kind::time: return state_.t;
        case Kind::parameter: {
            const bool varies = !options_.varies.empty() && options_.varies[k];
            if (!varies) return details_.parameters[k];
            return {code_, code_.input(static_cast<std::uint32_t>(model_.at.parameters + k))};
        }
        case Kind::q: return state_.q[k];
        case Kind::v: return state_.v[k];
        case Kind::a: return solved().x[k];
        case Kind::observed: return observed(details_.model.observed[k]);
    }
    return {};
}

Value ObservedCode::observed(const Observed& what) {
    const ModelCode::Energy energy = model_.energies(state_);
    switch (what.kind) {
        case Observed::Kind::energy: return energy.kinetic + energy.potential;
        case Observed::Kind::kinetic: return energy.kinetic;
        case Observed::Kind::potential: return energy.potential;
        case Observed::Kind::multiplier: return multiplier(what.rows[0]);
        case Observed::Kind::residual: return residual(what.rows[0]);
        case Observed::Kind::force: break;
        default: throw std::runtime_error("control efforts are not compiled");
    }
    solved();
    const std::size_t n = problem_->n;
    Value square;
    for (std::size_t j = 0; j < n; ++j) {
        Value total;
        for (const std::size_t r : what.rows)
            if (const auto row = row_of(r)) total += problem_->A[*row * n + j] * multiplier(r);
        square += total * total;
    }
    return sqrt(square);
}

const kernel::Solved& ObservedCode::solved() {
    if (!problem_) problem_ = model_.problem(state_);
    if (!solved_)
        solved_ = load_rows(details_.system).empty() ? model_.solve(*problem_)
                                                     : solve_with_loads(details_, model_, state_);
    return *solved_;
}

/// Where a row of the model stands in the system; nothing where it is not in force.
std::optional<std::size_t> ObservedCode::row_of(std::size_t row) const {
    if (!details_.whole) return row;
    const auto found = std::find(details_.rows.begin(), details_.rows.end(), row);
    if (found == details_.rows.end()) return {};
    return static_cast<std::size_t>(found - details_.rows.begin());
}

Value ObservedCode::multiplier(std::size_t row) {
    const std::optional<std::size_t> place = row_of(row);
    if (!place) return 0.0;
    if (std::find(options_.dependent.begin(), options_.dependent.end(), true) !=
        options_.dependent.end())
        throw std::runtime_error("multipliers of dependent constraints are not unique");
    return solved().lambda[*place];
}

Value ObservedCode::residual(std::size_t number) {
    const std::optional<std::size_t> place = row_of(number);
    if (!place) throw std::runtime_error("residuals of what is not in force are not compiled");
    const std::size_t row = *place;
    if (details_.system.levels[row] != Level::acceleration)
        return model_.residuals(state_).value[row];
    const Values& x = solved().x;
    Value left = -problem_->b[row];
    for (std::size_t j = 0; j < problem_->n; ++j) left += problem_->A[row * problem_->n + j] * x[j];
    return left;
}

Code row_code(const DerivedModel& details, const SmoothSystem& smooth, const CodeOptions& options,
              const Observables& observables) {
    Code code;
    ModelCode model(details, smooth, options, code);
    code.input_count = static_cast<std::uint32_t>(model.at.count);
    const StateValues near = input_state(model.at, details.system.coordinate_count, code);
    const kernel::Problem problem = model.problem(near);
    const kernel::Factored factored = model.factored(problem);
    const StateValues state = write_step_end(
        details.system, model, {near, problem, factored, 0.0, factored.regular()}, code);
    ObservedCode observed(details, options, model, state, code);
    Values inputs, slots(observables.program().slot_count()),
        values(observables.program().output_count());
    for (const Observables::Input& input : observables.inputs())
        inputs.push_back(observed.input(input));
    observables.program().run<Value>(inputs, slots, values);
    values.push_back(observed.fine());
    for (const Value& value : values) code.outputs.push_back(value.id_in(code));
    return code;
}

}  // namespace lacon::code
