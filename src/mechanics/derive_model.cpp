// Model → DerivedModel: the system with its names and values, and for a model with controls the
// same mechanism with what is required of it as constraints.
#include "mechanics/derive_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

namespace {

std::shared_ptr<DerivedModel> derived_alone(Model&& parsed, Diagnostics& diagnostics) {
    auto model = std::make_shared<Model>(std::move(parsed));
    auto system = derive(*model, diagnostics);
    if (!system) return nullptr;
    auto details =
        std::make_shared<DerivedModel>(model, std::make_shared<const System>(std::move(*system)));
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

/// The mechanism with what its controls require as constraints, entered by `gain` or exactly.
std::shared_ptr<DerivedModel> with_requirements(Model model, bool exactly,
                                                Diagnostics& diagnostics) {
    for (ConstraintRow row : model.requirements) {
        if (exactly && row.sense != ConstraintRow::Sense::equal) continue;
        row.sense = ConstraintRow::Sense::equal;
        if (exactly) row.damping = row.stiffness = std::nullopt;
        model.constraints.push_back(std::move(row));
    }
    model.controls.clear();
    model.actuators.clear();
    model.dry_frictions.clear();
    model.frictions.clear();  // of the mechanism, whose slip these rows do not change
    return derived_alone(std::move(model), diagnostics);
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
    if (model.controls.empty()) return derived_alone(std::move(model), diagnostics);
    auto details = derived_alone(Model(model), diagnostics);
    if (!details) return nullptr;
    if (refuse_data_in_actuators(model, diagnostics)) return nullptr;
    auto servo = with_requirements(model, false, diagnostics);
    if (!servo) return nullptr;
    auto demanded = with_requirements(std::move(model), true, diagnostics);
    if (!demanded) return nullptr;
    details->servo = std::move(servo);
    details->demanded = std::move(demanded);
    return details;
}

}  // namespace lacon::mechanics
