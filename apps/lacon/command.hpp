// The options and entry points of all commands, and the functions that several of them use.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "lacon/mechanism.hpp"
#include "lacon/motion.hpp"
#include "mechanics/system/derived_model.hpp"
#include "state/start.hpp"
#include "table/table.hpp"

/// What the commands share: options, loading a model, and how results leave the program.
namespace lacon::app {

using Json = nlohmann::ordered_json;

/// Exit statuses of the contract.
constexpr int exit_done = 0;
constexpr int exit_failed = 1;         // the computation failed: conflict, no start state, …
constexpr int exit_bad_input = 2;      // the model or the command line is wrong
constexpr int exit_interrupted = 130;  // Ctrl-C or SIGTERM; what was computed is written

/// Ends a command with a status and a text for stderr.
struct Stop {
    int status = exit_bad_input;
    std::string message;
    Json json;  // for stdout with --json, where there is something to say
};

/// Prints on stderr. Where that cannot be written there is no one to tell, and the computation goes
/// on.
template <class... Values>
void tell(fmt::format_string<Values...> text, Values&&... values) {
    const std::string told = fmt::format(text, std::forward<Values>(values)...);
    std::fwrite(told.data(), 1, told.size(), stderr);
}

/// A file that could not be written, with the sentence that says so.
Stop write_failed(const std::exception& problem);

/// Bad input: what is wrong with a text (of `model`, or of an option about it), for stderr and as
/// {model, status, errors}.
Stop bad_text(const std::string& model, const Diagnostics& diagnostics, const SourceText& source);
/// The same for what has no place in a text; `where` is a file or an option.
Stop bad_input(const std::string& model, const std::string& where, const std::string& message);

/// The text of a model file; throws Stop where it cannot be read.
SourceText read_model(const std::string& path);

struct ModelOptions {
    std::string path;
    std::vector<std::string> set, start;
    std::optional<double> rank_tol;
    std::uint64_t seed = SolveOptions{}.seed;
    bool json = false, quiet = false;

    SolveOptions solve() const;
};

/// An option that takes a value; `type` says of what kind, as "FILE", and `text` what for.
template <class Value>
CLI::Option* add_value(CLI::App& command, const char* name, Value& value, const char* type,
                       const std::string& text) {
    return command.add_option(name, value, text)->type_name(type);
}
/// One that may be repeated, with one value each time.
inline CLI::Option* add_repeatable(CLI::App& command, const char* name,
                                   std::vector<std::string>& values, const char* type,
                                   const std::string& text) {
    return add_value(command, name, values, type, text)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Adds MODEL, --set, --json and --quiet; `with_start` also --start, --rank-tol and --seed.
void add_model_options(CLI::App& command, ModelOptions& options, bool with_start);

/// A model that was loaded, with the values of --start.
struct Loaded {
    std::shared_ptr<const DerivedModel> details;
    std::vector<StartOverride> start;
};
/// Reads, parses and derives; prints warnings; throws Stop where something is wrong. Values of
/// `plant` (p=v) are those of --set for the mechanism that moves, where a controller believes
/// something else.
Loaded load(const ModelOptions& options, const std::vector<std::string>& plant = {});
/// The values of --set as numbers. Throws Stop.
Settings settings_of(const ModelOptions& options);
/// The same of texts p=v of another option.
Settings parse_settings(const std::string& path, const char* option,
                        const std::vector<std::string>& texts);

/// "x=1, y'=2" for --at and --start, checked against the model's names. Throws Stop.
struct NamedValue {
    bool is_time = false;
    StartOverride value;
};
std::vector<NamedValue> named_values(const DerivedModel& details, const std::string& option,
                                     const std::string& text);

/// A number that may be an expression of the model's parameters. Throws Stop.
double number(const DerivedModel& details, const std::string& option, const std::string& text);

/// The span of time and the rows in it, as given.
struct TimeOptions {
    std::string span, end, every;
};
/// Adds --t, --t-end and --every.
void add_time_options(CLI::App& command, TimeOptions& options);
struct TimeSpan {
    std::optional<double> begin, end, every;
};
TimeSpan time_span(const DerivedModel& details, const TimeOptions& given);

/// What a table of t, coordinates, velocities and outputs says of itself; `options` are those of
/// the command.
TableInfo table_info(const DerivedModel& details, const std::vector<std::string>& names,
                     TableOptions options);
/// Values of --set, --plant or --start as options of a table, one a name: "set L", "start x'", and
/// for guesses "guess x".
void add_values(TableOptions& options, const std::string& what, const Settings& settings);
void add_start_values(TableOptions& options, const DerivedModel& details,
                      const std::vector<std::string>& start);

/// Files of --out and --plot that cannot be, before anything is computed. Throws Stop.
void check_files(const std::string& model, const std::string& out, const std::string& plot,
                 bool json);

Json to_json(const Matrix& matrix);
Json to_json(const std::vector<Start::Unmet>& unmet);
Json to_json(const Diagnostics& diagnostics, const SourceText& source);

/// Of commands that look at one state.
struct StateOptions : ModelOptions {
    std::vector<std::string> at;
    std::string solver;  // of check and eval
};
/// Adds what add_model_options adds, and --at.
void add_state_options(CLI::App& command, StateOptions& options);
void add_solver_option(CLI::App& command, std::string& solver);
/// Whether check and eval take the sparse way.
bool is_large(const Loaded& loaded, const StateOptions& options);
/// The start state, with --at on top of it.
Start start_of(const Loaded& loaded, const StateOptions& options);

struct CheckOptions : StateOptions {
    bool audit = false;
};
int run_check(const CheckOptions& options);
int run_eval(const StateOptions& options);
struct ExplainOptions : ModelOptions {
    bool latex = false;
    bool all = false;
};
int run_explain(const ExplainOptions& options);
struct ExistsCommandOptions : StateOptions {
    std::optional<double> radius, span, until;
    std::optional<std::size_t> budget;
};
void add_exists_options(CLI::App& command, ExistsCommandOptions& options);
int run_exists(const ExistsCommandOptions& options);
struct ConvertOptions {
    std::string path, out;
    std::vector<std::string> words;  // behind the file: as NAME
    bool fixed = false, floating = false, json = false, quiet = false;
};
int run_convert(const ConvertOptions& options);

struct FormatOptions {
    std::string path;
    bool in_place = false, check = false, json = false;
};
int run_format(const FormatOptions& options);
struct RunCommandOptions : ModelOptions, TimeOptions {
    std::string tolerance, step,
        max_step;  // as given; numbers may be expressions of the model's parameters
    std::vector<std::string> plant, columns;
    std::string feedforward, method, out, plot, page, video, stabilize, on_singular, impacts,
        checkpoint, resume;
    std::string target, solver;
    bool strict = false, interpret = false, no_cache = false, diagnose = false, force = false,
         verify = false;
    /// Whether the motion is to be seen, in a page or video.
    bool shows() const { return !page.empty() || !video.empty(); }
};
/// What --stabilize asks for, with the rate of Baumgarte. Throws Stop.
std::pair<Stabilize, double> stabilize_of(const DerivedModel& details,
                                          const RunCommandOptions& given);
void add_run_options(CLI::App& command, RunCommandOptions& options);
int run_run(const RunCommandOptions& options);
struct ControlCommandOptions : ModelOptions, TimeOptions {
    std::string out, plot, along;
};
void add_control_options(CLI::App& command, ControlCommandOptions& options);
int run_control(const ControlCommandOptions& options);
struct PlotOptions {
    std::string path, x, title, out;
    std::vector<std::string> y;
    bool json = false, points = false;
};
void add_plot_options(CLI::App& command, PlotOptions& options);
int run_plot(const PlotOptions& options);
struct PageOptions {
    std::string path, model, out, video;
    bool json = false;
};
void add_page_options(CLI::App& command, PageOptions& options);
int run_page(const PageOptions& options);
struct ViewOptions {
    std::string path;
    int port = 0;
    bool no_open = false, json = false;
};
void add_view_options(CLI::App& command, ViewOptions& options);
int run_view(const ViewOptions& options);

}  // namespace lacon::app
