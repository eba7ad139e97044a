// Turns bad column names into errors of the option --columns. When more columns are named than a
// plot holds, the plot falls back to its default columns.
#include "written_columns.hpp"

#include <fmt/format.h>

#include <set>

#include "picture/panels.hpp"
#include "picture/plot.hpp"

namespace lacon::app {

ColumnChoice written_columns(std::span<const std::string> chosen,
                             std::span<const std::string> names, const std::string& model) {
    try {
        return ColumnChoice(chosen, names);
    } catch (const std::invalid_argument& problem) {
        throw bad_input(model, "--columns", problem.what());
    }
}

std::vector<std::string> shown_columns(const DerivedModel& details,
                                       std::span<const std::string> names) {
    const auto& coordinates = details.model.coordinates;
    std::set<std::string> hidden;
    for (const Coordinate& coordinate : coordinates)
        if (coordinate.hidden) hidden.insert({coordinate.name, coordinate.name + "'"});
    if (hidden.empty()) return {};
    for (const Output& asked : details.model.state_outputs) hidden.erase(asked.name);
    std::vector<std::string> shown;
    for (const std::string& name : names)
        if (!hidden.contains(name)) shown.push_back(name);
    return shown;
}

std::vector<std::string> drawn_columns(const RunCommandOptions& options, const TableInfo& written) {
    if (options.columns.empty()) return {};
    std::vector<std::string> drawn;
    for (const std::string& name : written.names)
        if (name != "t") drawn.push_back(name);
    if (drawn.size() > most_curves) drawn.clear();
    try {
        plotted_columns(Table{written, {}}, PlotRequest{"t", drawn, "", options.plot});
    } catch (const PlotError& problem) {
        throw bad_input(options.path, "--columns", problem.what());
    }
    return drawn;
}

}  // namespace lacon::app
