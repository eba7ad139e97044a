// Attaches a controller with its own parameter values, or recorded efforts, to a mechanism. The
// record must name every actuator and cover the time span.
#include "driver/plan/effort_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"
#include "control/effort_source.hpp"
#include "driver/plan/plan.hpp"

namespace lacon::inline driver {

namespace {

/// The efforts of a file in the order of the mechanism's actuators.
RecordedEfforts recorded(const DerivedModel& details, const EffortRecord& record) {
    std::vector<std::vector<double>> efforts;
    for (const std::string& name : details.actuator_names) {
        const auto found = std::find(record.actuators.begin(), record.actuators.end(), name);
        if (found == record.actuators.end())
            throw std::invalid_argument(
                fmt::format("there is no effort of the actuator '{}' to replay", name));
        efforts.push_back(
            record.efforts.at(static_cast<std::size_t>(found - record.actuators.begin())));
    }
    return {record.t, efforts};
}

}  // namespace

std::shared_ptr<const DerivedModel> with_effort_source(const DerivedModel& details,
                                                       const RunOptions& options) {
    if (!options.controller && !options.feedforward) return nullptr;
    EffortSource effort_source;
    if (options.controller)  // shares what the mechanism holds, and so outlives the caller's
        effort_source.believed = {std::make_shared<Mechanism>(*options.controller),
                                  &options.controller->details()};
    if (options.feedforward) effort_source.recorded = recorded(details, *options.feedforward);
    auto result = with_effort_source(details, std::move(effort_source));
    if (const auto& record = result->effort_source->recorded) {
        const RunPlan plan = plan_run(details, options);
        if (plan.begin < record->begin() || plan.end > record->end())
            throw std::invalid_argument(fmt::format(
                "the efforts to replay are known from t = {} to {}, but the run goes from {} to {}",
                shortest(record->begin()), shortest(record->end()), shortest(plan.begin),
                shortest(plan.end)));
    }
    return result;
}

}  // namespace lacon::driver

namespace lacon {

const std::vector<double>& Motion::column(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return columns[i];
    throw std::out_of_range("the motion has no column '" + name + "'");
}

}  // namespace lacon
