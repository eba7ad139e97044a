// New values of parameters without a new derivation: the equations hold parameters as symbols.
// Values that follow from others are computed by the text's own statements, to the bits of a new
// load.
#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "lang/lang.hpp"
#include "mechanics/numbers/values.hpp"

namespace lacon {

namespace {

std::size_t number_of(const DerivedModel& details, const std::string& name) {
    const std::vector<std::string>& names = details.parameter_names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    const auto near = nearest_name(name, names);
    throw std::invalid_argument(
        fmt::format("there is no parameter '{}'{}", name,
                    near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

/// What was given so far, and what is given now on top of it.
Settings merged(Settings settings, const Settings& values) {
    for (const auto& [name, value] : values) {
        std::erase_if(settings, [&, &key = name](const auto& given) { return given.first == key; });
        settings.emplace_back(name, value);
    }
    return settings;
}

void refuse_other_shape(const DerivedModel& details, const std::vector<double>& now) {
    for (std::size_t i = 0; i < now.size(); ++i)
        if (details.model.parameters[i].shapes && now[i] != details.parameters[i])
            throw std::invalid_argument(fmt::format(
                "the parameter '{0}' determines the structure of the model (families, loops or "
                "indices depend on it) and cannot be changed; reload the model with {0} = {1}",
                details.parameter_names[i], shortest(now[i])));
}

/// The values of all parameters, those that follow from others included.
std::vector<double> all_values(const DerivedModel& details, const Settings& values,
                               const Settings& settings) {
    std::vector<double> now(
        details.parameters.begin(),
        details.parameters.begin() + static_cast<std::ptrdiff_t>(details.parameter_names.size()));
    for (const auto& [name, value] : values) {
        if (!std::isfinite(value))
            throw std::invalid_argument(
                fmt::format("'{}' is set to {}, which is not finite", name, value));
        now[number_of(details, name)] = value;
    }
    refuse_other_shape(details, now);
    const auto follows = [](const Parameter& p) { return p.follows; };
    const auto& parameters = details.model.parameters;
    if (std::none_of(parameters.begin(), parameters.end(), follows)) return now;
    Diagnostics diagnostics;
    const std::vector<Parameter> again = parameters_of(details.model.source, settings, diagnostics);
    if (diagnostics.has_errors() || again.size() != now.size())
        throw std::invalid_argument("these parameters are undefined: " +
                                    render(diagnostics, details.model.source));
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = again[i].value;
    refuse_other_shape(details, now);
    return now;
}

/// What must hold of a constant wherever the model has one: the same as where the text is read.
class Constants {
public:
    explicit Constants(const DerivedModel& details) : details_(details), roles_(details.model) {}

    void check() const {
        for (const ConstraintRow& row : details_.model.constraints) {
            expect(row.restitution, row.name, "the restitution must lie between 0 and 1",
                   [](double x) { return x >= 0.0 && x <= 1.0; });
            expect(row.weight, row.name, "the weight must be positive and finite",
                   [](double x) { return x > 0.0 && std::isfinite(x); });
        }
        for (const Friction& friction : details_.model.frictions)
            for (const auto& coefficient : {std::optional(friction.kinetic), friction.at_rest})
                expect(coefficient, friction.constraint,
                       "a coefficient of friction cannot be negative",
                       [](double x) { return x >= 0.0; });
        for (std::size_t f = 0; f < details_.system.frictions.size(); ++f) {
            const FrictionPart& part = details_.system.frictions[f];
            if (!part.fixed) continue;
            for (const Expr bound : {part.kinetic, part.at_rest})
                if (const auto number = constant(bound); number && !(*number >= 0.0))
                    throw std::invalid_argument(fmt::format(
                        "the bound of friction on '{}' cannot be negative, but it is {}",
                        details_.coordinate_names[part.coordinate], shortest(*number)));
        }
        for (const Actuator& actuator : details_.model.actuators) {
            const auto low = constant(actuator.low), high = constant(actuator.high);
            if (low && high && !(*low < *high))
                throw std::invalid_argument(
                    fmt::format("actuator '{}': the limits {}..{} form an empty range",
                                actuator.name, shortest(*low), shortest(*high)));
        }
    }

private:
    std::optional<double> constant(const std::optional<Expr>& value) const {
        if (!value) return std::nullopt;
        const Model& model = details_.model;
        for (const Expr symbol : symbols_in(model.graph, {&*value, 1}))
            if (roles_.of(symbol).kind != SymbolRole::Kind::parameter) return std::nullopt;
        return ExpressionValues(details_, roles_, {&*value, 1}).at({})[0];
    }

    void expect(const std::optional<Expr>& value, const std::string& name, const char* rule,
                const std::function<bool(double)>& holds) const {
        const auto number = constant(value);
        if (number && !holds(*number))
            throw std::invalid_argument(
                fmt::format("constraint '{}': {}, but it is {}", name, rule, shortest(*number)));
    }

    const DerivedModel& details_;
    SymbolRoles roles_;
};

std::shared_ptr<DerivedModel> changed(const DerivedModel& details, const std::vector<double>& now,
                                      const Settings& settings) {
    auto result = std::make_shared<DerivedModel>(details.shared_model, details.shared_system);
    result->name = details.name;
    result->parameters = details.parameters;
    std::copy(now.begin(), now.end(), result->parameters.begin());
    result->coordinate_names = details.coordinate_names;
    result->constraint_names = details.constraint_names;
    result->parameter_names = details.parameter_names;
    result->control_names = details.control_names;
    result->actuator_names = details.actuator_names;
    result->settings = settings;
    result->weigh();
    return result;
}

}  // namespace

std::shared_ptr<const DerivedModel> with_parameters(const DerivedModel& details,
                                                    const Settings& values) {
    const Settings settings = merged(details.settings, values);
    const std::vector<double> now = all_values(details, values, settings);
    auto result = changed(details, now, settings);
    Constants(*result).check();
    if (details.servo) result->servo = changed(*details.servo, now, settings);
    if (details.demanded) result->demanded = changed(*details.demanded, now, settings);
    return result;
}

}  // namespace lacon
