// Copies the mechanism and attaches the source of efforts to the copy. Only values of parameters
// may differ between plant and belief, so the names of both are compared first.
#include "control/effort_source.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace lacon::inline control {

namespace {

void check_same(const std::vector<std::string>& plant, const std::vector<std::string>& believed,
                const char* what) {
    if (plant != believed)
        throw std::invalid_argument(
            fmt::format("the plant's {} differ from those of the controller's model: only "
                        "parameter values may differ",
                        what));
}

}  // namespace

std::shared_ptr<const DerivedModel> with_effort_source(const DerivedModel& details,
                                                       EffortSource source) {
    if (!details.has_controls())
        throw std::invalid_argument(
            fmt::format("model '{}' has no controls, so there are no efforts to compute or replay",
                        details.name));
    if (source.believed) {
        check_same(details.coordinate_names, source.believed->coordinate_names, "coordinates");
        check_same(details.constraint_names, source.believed->constraint_names, "constraints");
        check_same(details.actuator_names, source.believed->actuator_names, "actuators");
    }
    auto result = std::make_shared<DerivedModel>(details.shared_model, details.shared_system);
    result->name = details.name;
    result->parameters = details.parameters;
    result->coordinate_names = details.coordinate_names;
    result->constraint_names = details.constraint_names;
    result->parameter_names = details.parameter_names;
    result->settings = details.settings;
    result->weights = details.weights;
    result->control_names = details.control_names;
    result->actuator_names = details.actuator_names;
    result->servo = details.servo;
    result->demanded = details.demanded;
    result->effort_source = std::make_shared<const EffortSource>(std::move(source));
    return result;
}

}  // namespace lacon::control
