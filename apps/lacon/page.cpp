// The command `lacon page`: makes the page of a result. The result keeps its model, and the values
// it was run with.
#include "page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.hpp"
#include "command.hpp"
#include "film/film.hpp"
#include "output_files.hpp"
#include "page_output.hpp"
#include "pictured.hpp"
#include "pipeline.hpp"
#include "run_report.hpp"
#include "signals.hpp"
#include "table/table.hpp"

namespace lacon::app {

namespace {

/// The values of --set that the result was made with.
Settings settings_of(const TableInfo& info) {
    constexpr std::string_view set = "set ";
    Settings settings;
    for (const auto& [name, value] : info.options)
        if (name.starts_with(set))
            settings.emplace_back(name.substr(set.size()), std::stod(lacon::table::text_of(value)));
    return settings;
}

/// The model in the result, or that of --model. A model in a result is read as if it lay beside it.
SourceText model_of(const PageOptions& options, const TableInfo& info) {
    if (!options.model.empty()) return read_model(options.model);
    if (info.source.empty())
        throw bad_input(options.path, "lacon page",
                        "the result does not keep its model (a .csv has no place for it); give the "
                        "model with --model FILE");
    const std::filesystem::path beside = std::filesystem::path(options.path).parent_path();
    return SourceText((beside / (info.model + ".lac")).string(), info.source);
}

/// The time first. A page looks for what else it needs by name.
PageRun run_of(const PageOptions& options, const DerivedModel& details, Table& table) {
    PageRun run{details, {"t"}, {}, {}, {}, {}};
    const std::vector<std::string>& names = table.info.names;
    const auto t = std::find(names.begin(), names.end(), "t");
    if (t == names.end())
        throw bad_input(options.path, "lacon page", "the result has no column 't'");
    const auto first = static_cast<std::size_t>(t - names.begin());
    run.columns.push_back(std::move(table.columns[first]));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == first) continue;
        run.names.push_back(names[i]);
        run.columns.push_back(std::move(table.columns[i]));
    }
    for (const auto& [name, value] : table.info.options)
        run.facts.emplace_back(name, lacon::table::text_of(value));
    run.events = events_of(table.events);
    add_picture(run);
    return run;
}

}  // namespace

void add_page_options(CLI::App& command, PageOptions& options) {
    command.add_option("RESULT", options.path, "the result to play (.h5, .json, .csv)")->required();
    command
        .add_option("-o,--out", options.out,
                    "the page; default: the name of RESULT with .html, in the current folder")
        ->type_name("FILE.html");
    command
        .add_option("--model", options.model,
                    "the model, where the result does not keep it (.csv), or another one")
        ->type_name("MODEL");
    command
        .add_option("--video", options.video,
                    "render a video (.mp4, .webm, .gif), without a screen; then no page is made "
                    "without -o")
        ->type_name("FILE");
    command.add_flag("--json", options.json, "one JSON object on stdout; messages go to stderr");
    command.footer(
        "A .csv keeps no events; pages of .h5 and .json mark them.\n\nExamples:\n  lacon page "
        "pendulum.h5 -o pendulum.html\n  lacon page pendulum.csv --model models/pendulum.lac");
}

int run_page(const PageOptions& options) {
    try {
        if (const std::string why = why_no_page(); !why.empty())
            throw bad_input(options.path, "lacon page", why);
        Table table = read_table(options.path);
        const SourceText source = model_of(options, table.info);
        const Built built = build(source, settings_of(table.info));
        if (!built.details) throw bad_text(options.path, built.diagnostics, source);
        std::string file = options.out;
        if (!options.video.empty())
            if (const std::string why = why_no_video(options.video); !why.empty())
                throw bad_input(options.path, "--video", why);
        if (file.empty() && options.video.empty())
            file =
                std::filesystem::path(options.path).filename().replace_extension(".html").string();
        for (const std::string& one : {file, options.video})
            if (!one.empty()) check_replaceable(one);
        check_outputs(options.path, {{"--out", file}, {"--video", options.video}},
                      {{"the result", options.path}});
        const std::string page = page_of(run_of(options, *built.details, table));
        if (!file.empty()) {
            const StopLock whole;
            replace_file(file, page);
        }
        if (!options.video.empty()) render_video(page, options.video, options.json);
        Json made = Json::object();
        if (!file.empty()) made.update({{"page", file}, {"bytes", page.size()}});
        if (!options.video.empty()) made["video"] = options.video;
        if (options.json) fmt::print("{}\n", made.dump(2));
        else
            for (const std::string& one : {file, options.video})
                if (!one.empty()) fmt::print("{}\n", one);
        return exit_done;
    } catch (const TableError& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
    } catch (const FilmError& problem) {
        throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
    } catch (const PageError& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
    }
}

}  // namespace lacon::app
