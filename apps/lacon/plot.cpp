// The command `lacon plot`: draws columns of a result. It resolves the names and patterns of --y
// and picks the x axis and the output file; src/picture draws.
#include "picture/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "command.hpp"
#include "output_files.hpp"
#include "table/column_choice.hpp"

namespace lacon::app {

namespace {

/// The names in a text of --y, patterns as the columns they match. A text that is a column's name
/// is one name.
std::vector<std::string> names_in(const std::string& text,
                                  const std::vector<std::string>& columns) {
    if (std::find(columns.begin(), columns.end(), text) != columns.end()) return {text};
    std::vector<std::string> names;
    for (const std::string& name : names_by_commas(text)) {
        if (name.empty())
            throw Stop{
                exit_bad_input, fmt::format("lacon: --y: a name is missing in '{}'\n", text), {}};
        const bool is_pattern = name.find('*') != std::string::npos;
        const std::vector<std::size_t> found =
            is_pattern ? matching_columns(name, columns) : std::vector<std::size_t>();
        for (const std::size_t i : found) names.push_back(columns[i]);
        if (found.empty()) names.push_back(name);  // maybe a family
    }
    return names;
}

/// `--x`, or time where the table has it, or else its first column.
std::string x_of(const PlotOptions& options, const std::vector<std::string>& columns) {
    if (!options.x.empty()) return options.x;
    return std::find(columns.begin(), columns.end(), "t") != columns.end() ? "t" : columns.front();
}

}  // namespace

void add_plot_options(CLI::App& command, PlotOptions& options) {
    command.add_option("RESULT", options.path, "the result to draw (.csv, .json, .h5)")->required();
    add_repeatable(command, "--y", options.y, "NAMES",
                   "columns to plot, comma-separated (repeatable; x means all x[i], * any "
                   "characters); default: outputs and coordinates");
    add_value(command, "--x", options.x, "NAME", "the column along the x axis; default: t");
    command.add_flag("--points", options.points,
                     "draw points only (automatic if the rows do not form a curve)");
    add_value(command, "--title", options.title, "TEXT", "the title; default: the model's");
    add_value(command, "--out", options.out, "FILE",
              "output image (.svg, .png); default: the name of RESULT with .svg, in the "
              "current folder");
    command.add_flag("--json", options.json, "one JSON object on stdout; messages go to stderr");
    command.footer(
        "Curves of very different magnitude, or more than 6 of them, go to separate "
        "panels.\n\nExamples:\n  lacon plot pendulum.csv --y x,y\n  lacon plot pendulum.csv --x x "
        "--y \"x'\" --out portrait.png");
}

int run_plot(const PlotOptions& options) {
    try {
        const Table table = read_table(options.path);
        PlotRequest request;
        request.x = x_of(options, table.info.names);
        for (const std::string& text : options.y)
            for (std::string& name : names_in(text, table.info.names))
                request.y.push_back(std::move(name));
        request.title = options.title;
        request.points = options.points;
        request.file = options.out;
        if (request.file.empty())
            request.file =
                std::filesystem::path(options.path).filename().replace_extension(".svg").string();
        try {
            check_replaceable(request.file);
        } catch (const FileError& problem) {
            throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
        }
        check_outputs(options.path, {{"--out", request.file}},
                      {{"the result that is drawn", options.path}});
        plot(table, request);
        if (options.json)
            fmt::print("{}\n", Json{{"file", request.file},
                                    {"columns", plotted_columns(table, request)},
                                    {"left_out", left_out(table, request)}}
                                   .dump(2));
        else fmt::print("{}\n", request.file);
        return exit_done;
    } catch (const TableError& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
    } catch (const PlotError& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
    }
}

}  // namespace lacon::app
