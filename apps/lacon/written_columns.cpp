#include "written_columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "picture/panels.hpp"
#include "picture/plot.hpp"

namespace lacon::app {

ColumnChoice written_columns(const RunCommandOptions& options, std::span<const std::string> names) {
    try {
        return ColumnChoice(options.columns, names);
    } catch (const std::invalid_argument& problem) {
        throw bad_input(options.path, "--columns", problem.what());
    }
}

std::string large_file_warning(const std::string& out, std::size_t columns, const RunPlan& plan) {
    constexpr double large = 4e9, bytes_of_text = 18.0, giga = 1e9;
    if (out.empty()) return {};
    const bool binary = std::filesystem::path(out).extension() == ".h5";
    const double rows = std::ceil((plan.end - plan.begin) / plan.every) + 1.0;
    const double bytes = static_cast<double>(columns) * rows * (binary ? sizeof(double) : bytes_of_text);
    if (!(bytes > large)) return {};
    return fmt::format("'{}' will have {} columns and {} rows: about {} GB; --columns takes fewer columns, --every fewer rows",
                       out, columns, rounded(rows), rounded(bytes / giga, 2));
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
