// What a table of rows says of itself: columns with units, and the options of the command.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "model/units.hpp"

namespace lacon::app {

namespace {

/// A later value counts, in the place of the first.
void set_option(TableOptions& options, const std::string& name, double value) {
    for (auto& [known, old] : options)
        if (known == name) {
            old = value;
            return;
        }
    options.emplace_back(name, value);
}

}  // namespace

void add_values(TableOptions& options, const std::string& what, const Settings& settings) {
    for (const auto& [name, value] : settings) set_option(options, what + " " + name, value);
}

void add_start_values(TableOptions& options, const DerivedModel& details,
                      const std::vector<std::string>& start) {
    for (const std::string& text : start)
        for (const auto& [is_time, given] : named_values(details, "--start", text))
            set_option(
                options,
                fmt::format("{} {}{}", given.guess ? "guess" : "start",
                            details.coordinate_names[given.coordinate], given.velocity ? "'" : ""),
                given.value);
}

TableInfo table_info(const DerivedModel& details, const std::vector<std::string>& names,
                     TableOptions options) {
    TableInfo info;
    info.model = details.name;
    info.source = details.model.source.text();
    info.options = std::move(options);
    for (const Parameter& p : details.model.parameters)
        info.options.emplace_back("param " + p.name, p.value);
    for (const Parameter& p : details.model.parameters)
        if (!p.text.empty()) info.options.emplace_back("text " + p.name, p.text);
    info.names = names;
    const std::size_t n = details.coordinate_names.size();
    const Units units = units_of(details.model);
    const auto with_unit = [](std::string text, const std::string& unit) {
        return unit.empty() ? std::move(text) : std::move(text) + ", " + unit;
    };
    info.texts.assign(names.size(), "output");
    info.texts[0] = with_unit("time", units.time);
    for (std::size_t i = 0; i < n; ++i) {
        info.texts[1 + i] = with_unit("coordinate", units.coordinates[i]);
        info.texts[1 + n + i] = with_unit("velocity", units.velocities[i]);
    }
    for (std::size_t i = 0; i < units.outputs.size() && 1 + 2 * n + i < names.size(); ++i)
        info.texts[1 + 2 * n + i] = with_unit("output", units.outputs[i]);
    const auto say = [&](const std::string& name, const char* text) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end())
            info.texts[static_cast<std::size_t>(found - names.begin())] = text;
    };
    for (const std::string& name : details.control_names) {
        say(name + ".force", "norm of the force over the coordinates");
        say(name + ".power", "power");
        say(name + ".error", "tracking error");
    }
    for (const std::string& name : details.actuator_names) say("effort." + name, "effort");
    return info;
}

}  // namespace lacon::app
