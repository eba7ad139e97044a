// Model → DerivedModel: the system with its names and values, and for a model with controls the
// same mechanism with what is required of it as constraints. The mechanism is derived once; behind
// it only the rows of the requirements are.
#include "mechanics/derive/derive_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

namespace {

/// The system with its names and values; none where there is no system.
std::shared_ptr<DerivedModel> with_names(std::shared_ptr<const Model> model,
                                         std::optional<System> system) {
    if (!system) return nullptr;
    auto details = std::make_shared<DerivedModel>(
        std::move(model), std::make_shared<const System>(std::move(*system)));
    details->name = details->model.display_name();
    details->settings = details->model.settings;
    for (const Parameter& p : details->model.parameters) {
        details->parameter_names.push_back(p.name);
        details->parameters.push_back(p.value);
    }
    details->parameters.resize(details->parameters.size() + details->model.directions.size(), 0.0);
    details->parameters.insert(details->parameters.end(), details->system.constants.begin(),
                               details->system.constants.end());
    details->coordinate_names.reserve(details->model.coordinates.size());
    details->constraint_names.reserve(details->model.constraints.size());
    for (const Coordinate& c : details->model.coordinates)
        details->coordinate_names.push_back(c.name);
    for (const ConstraintRow& c : details->model.constraints)
        details->constraint_names.push_back(c.name);
    for (const Control& c : details->model.controls) details->control_names.push_back(c.name);
    for (const Actuator& a : details->model.actuators) details->actuator_names.push_back(a.name);
    details->weigh();
    return details;
}

/// The mechanism with what its controls require as constraints, entered by `gain` or exactly. Only
/// these rows are derived.
std::shared_ptr<DerivedModel> with_requirements(const DerivedModel& mechanism, bool exactly,
                                                Diagnostics& diagnostics) {
    auto model = std::make_shared<Model>(mechanism.model);
    for (ConstraintRow row : mechanism.model.requirements) {
        if (exactly && row.sense != ConstraintRow::Sense::equal) continue;
        row.sense = ConstraintRow::Sense::equal;
        if (exactly) row.damping = row.stiffness = std::nullopt;
        if (!model->multipliers.empty())
            model->multipliers.push_back(model->graph.symbol("multiplier of " + row.name));
        model->constraints.push_back(std::move(row));
    }
    model->controls.clear();
    model->actuators.clear();
    model->dry_frictions.clear();
    model->frictions.clear();  // of the mechanism, whose slip these rows do not change
    auto system = derive_more_rows(mechanism.system, *model, diagnostics);
    return with_names(std::move(model), std::move(system));
}

/// Whether all requirements are equations without gains, so that both ways are one.
bool enter_exactly(const Model& model) {
    return std::all_of(
        model.requirements.begin(), model.requirements.end(), [](const ConstraintRow& row) {
            return row.sense == ConstraintRow::Sense::equal && !row.damping && !row.stiffness;
        });
}

bool uses_data(const Graph& graph, std::span<const Expr> values) {
    const std::vector<Expr> all = postorder(graph, values);
    return std::any_of(all.begin(), all.end(), [&](Expr e) { return graph.op(e) == Op::data; });
}

/// Steps end at the knots of signals in equations; what actuators do between is not looked at.
bool refuse_data_in_actuators(const Model& model, Diagnostics& diagnostics) {
    const auto refuse = [&](std::span<const Expr> values, Span place, const char* what) {
        if (!uses_data(model.graph, values)) return false;
        diagnostics.error(place, fmt::format("{} cannot contain data yet", what),
                          "put the signal into the requirement or a force");
        return true;
    };
    bool refused = false;
    for (const Actuator& actuator : model.actuators) {
        std::vector<Expr> values;
        for (const Actuator::Part& part : actuator.direction) values.push_back(part.value);
        for (const auto& limit : {actuator.low, actuator.high})
            if (limit) values.push_back(*limit);
        refused = refuse(values, actuator.span, "an actuator and its limits") || refused;
    }
    for (const EffortWeight& weight : model.effort_weights)
        for (const std::vector<Expr>& row : weight.N)
            refused = refuse(row, weight.span, "the cost of efforts") || refused;
    return refused;
}

}  // namespace

std::shared_ptr<const DerivedModel> derive_model(Model&& model, Diagnostics& diagnostics) {
    auto shared = std::make_shared<Model>(std::move(model));
    auto system = derive(*shared, diagnostics);
    auto details = with_names(shared, std::move(system));
    if (!details || shared->controls.empty()) return details;
    if (refuse_data_in_actuators(*shared, diagnostics)) return nullptr;
    details->servo = with_requirements(*details, false, diagnostics);
    if (!details->servo) return nullptr;
    details->demanded =
        enter_exactly(*shared) ? details->servo : with_requirements(*details, true, diagnostics);
    return details->demanded ? details : nullptr;
}

}  // namespace lacon::mechanics
