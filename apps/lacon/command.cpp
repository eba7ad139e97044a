// The parts that several commands share: common options, reading and building a model, settings
// from the command line, errors as text and as JSON, and the description of result tables.
#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "lang/lang.hpp"
#include "large/choose.hpp"
#include "model/units.hpp"
#include "picture/plot.hpp"
#include "pipeline.hpp"
#include "runs.hpp"

namespace lacon::app {

SolveOptions ModelOptions::solve() const {
    SolveOptions options;
    options.rank_tol = rank_tol.value_or(options.rank_tol);
    options.seed = seed;
    return options;
}

void add_model_options(CLI::App& command, ModelOptions& options, bool with_start) {
    command.add_option("MODEL", options.path, "the model file (.lac); - for stdin")->required();
    add_repeatable(command, "--set", options.set, "P=V",
                   "p=v: set parameter p to v (repeatable; v may be an expression)");
    command.add_flag("--json", options.json, "one JSON object on stdout; messages go to stderr");
    command.add_flag("--quiet", options.quiet,
                     "suppress warnings, progress and the summary of a successful run");
    if (!with_start) return;
    add_repeatable(
        command, "--start", options.start, "X=V",
        "x=v, y'=v or x~v: fix (=) or guess (~) a start value (repeatable, or comma-separated)");
    add_value(command, "--seed", options.seed, "N", "random seed for the start-state search");
    command
        .add_option("--rank-tol", options.rank_tol,
                    "rank tolerance: a singular value of the constraints below this, relative to "
                    "the largest, counts as zero; default 1e-10")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const double tol = std::strtod(text.c_str(), nullptr);
                return tol >= 1e-16 && tol <= 0.5
                           ? std::string()
                           : fmt::format("{} is not between 1e-16 and 0.5", text);
            },
            "1e-16..0.5"));
}

namespace {

Json error_entry(const std::string& where, const std::string& message) {
    return {{"file", where}, {"message", message}, {"severity", "error"}};
}

Json errors_json(const std::string& model, Json errors) {
    return {{"model", model}, {"status", "error"}, {"errors", std::move(errors)}};
}

}  // namespace

Stop write_failed(const std::exception& problem) {
    return {exit_failed, fmt::format("lacon: {}\n", problem.what()),
            Json{{"status", "error"}, {"message", problem.what()}}};
}

Stop bad_text(const std::string& model, const Diagnostics& diagnostics, const SourceText& source) {
    return {exit_bad_input, render(diagnostics, source),
            errors_json(model, to_json(diagnostics, source))};
}

Stop bad_input(const std::string& model, const std::string& where, const std::string& message) {
    const std::string shown = with_short_names(message);
    return {exit_bad_input, fmt::format("{}: {}\n", where, shown),
            errors_json(model, Json::array({error_entry(where, shown)}))};
}

namespace {

/// Files of other programs and other commands, which would give pages of errors.
std::string what_it_is(const std::string& path, std::string_view text) {
    const std::string ending = std::filesystem::path(path).extension().string();
    const std::string_view begin =
        text.substr(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    const auto has = [&](std::initializer_list<std::string_view> endings) {
        return std::find(endings.begin(), endings.end(), ending) != endings.end();
    };
    if (has({".urdf", ".xml", ".sdf", ".mjcf", ".xacro"}) || begin.starts_with("<?xml") ||
        begin.starts_with("<robot") || begin.starts_with("<mujoco"))
        return "this is a robot file (URDF, MJCF), not a model; 'lacon convert' writes it as one, "
               "and a model reads it with 'import'";
    if (has({".csv", ".json", ".h5"}))
        return "this is a results table, not a model; use 'lacon plot'";
    return {};
}

SourceText read_standard_input() {
    std::string text, piece(1 << 16, '\0');
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), stdin))
        text.append(piece, 0, got);
    if (std::ferror(stdin)) throw std::runtime_error("cannot read the model from standard input");
    return SourceText("<stdin>", std::move(text));  // its data files are in the current folder
}

}  // namespace

SourceText read_model(const std::string& path) {
    try {
        SourceText source = path == "-" ? read_standard_input() : read_source(path);
        if (const std::string other = what_it_is(path, source.text()); !other.empty())
            throw std::runtime_error(fmt::format("cannot read '{}': {}", path, other));
        return source;
    } catch (const std::exception& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()),
                   errors_json(path, Json::array({error_entry(path, problem.what())}))};
    }
}

namespace {

/// What is wrong with the text comes first: the setting may have been meant for a parameter in
/// error.
Stop unknown_settings(const std::string& path, const char* option, const Built& built,
                      const SourceText& source) {
    Stop stop = bad_text(path, built.diagnostics, source);
    const Stop settings = bad_input(
        path, option,
        built.unknown_settings.substr(0, built.unknown_settings.find_last_not_of('\n') + 1));
    stop.message += settings.message;
    stop.json["errors"].push_back(settings.json["errors"][0]);
    return stop;
}

}  // namespace

Settings parse_settings(const std::string& path, const char* option,
                        const std::vector<std::string>& texts) {
    Settings settings;
    for (const std::string& text : texts) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            throw bad_input(path, option, fmt::format("'{}' is not of the form p=v", text));
        const auto trim = [](std::string s) {
            s.erase(0, s.find_first_not_of(" \t"));
            s.erase(s.find_last_not_of(" \t") + 1);
            return s;
        };
        const SourceText source(option, trim(text.substr(equals + 1)));
        Diagnostics diagnostics;
        const Model not_read_yet;  // so numbers only
        const auto value = parse_value(source, not_read_yet, diagnostics);
        if (!value) throw bad_text(path, diagnostics, source);
        settings.emplace_back(trim(text.substr(0, equals)), *value);
    }
    return settings;
}

namespace {

/// The same model with other values: it must still have the same coordinates, constraints and
/// controls.
Built build_plant(const ModelOptions& options, const std::vector<std::string>& plant,
                  const SourceText& source, const DerivedModel& model) {
    if (model.model.controls.empty())
        throw bad_input(options.path, "--plant",
                        "the model has no controls, so the plant is the model itself; use --set");
    Settings settings = settings_of(options);
    for (auto& [name, value] : parse_settings(options.path, "--plant", plant)) {
        std::erase_if(settings, [&](const auto& given) { return given.first == name; });
        settings.emplace_back(name, value);
    }
    Built built = build(source, settings);
    if (!built.unknown_settings.empty())
        throw unknown_settings(options.path, "--plant", built, source);
    if (!built.details) throw bad_text(options.path, built.diagnostics, source);
    const DerivedModel& other = *built.details;
    if (other.coordinate_names != model.coordinate_names ||
        other.constraint_names != model.constraint_names ||
        other.actuator_names != model.actuator_names || other.control_names != model.control_names)
        throw bad_input(options.path, "--plant",
                        "with these values the plant's coordinates, constraints or actuators "
                        "differ from those of the controller's model");
    return built;
}

}  // namespace

Settings settings_of(const ModelOptions& options) {
    return parse_settings(options.path, "--set", options.set);
}

Loaded load(const ModelOptions& options, const std::vector<std::string>& plant) {
    const Settings settings = settings_of(options);
    const SourceText source = read_model(options.path);
    Built built = build(source, settings);
    if (!built.unknown_settings.empty())
        throw unknown_settings(options.path, "--set", built, source);
    if (!built.details) throw bad_text(options.path, built.diagnostics, source);
    if (!plant.empty()) built = build_plant(options, plant, source, *built.details);
    if (!options.quiet) tell("{}", render(built.diagnostics, source));  // warnings
    Loaded loaded{built.details, {}};
    for (const std::string& text : options.start)
        for (const NamedValue& named : named_values(*loaded.details, "--start", text)) {
            if (named.is_time)
                throw bad_input(options.path, "--start",
                                "t is set by 'simulate'; --at t=... evaluates at another time");
            loaded.start.push_back(named.value);
        }
    return loaded;
}

std::vector<NamedValue> named_values(const DerivedModel& details, const std::string& option,
                                     const std::string& text) {
    const SourceText source(option, text);
    Diagnostics diagnostics;
    const bool with_guesses = option == "--start";  // a state to evaluate at is taken as it is
    const auto assignments = parse_assignments(source, details.model, diagnostics, with_guesses);
    if (!assignments) throw bad_text(details.model.source.name(), diagnostics, source);
    std::vector<NamedValue> values;
    for (const Assignment& a : *assignments) {
        if (a.name == "t") {
            values.push_back({true, {0, false, false, a.value}});
            continue;
        }
        const bool velocity = a.name.back() == '\'';
        const std::string name = velocity ? a.name.substr(0, a.name.size() - 1) : a.name;
        const auto found =
            std::find(details.coordinate_names.begin(), details.coordinate_names.end(), name);
        if (found == details.coordinate_names.end())
            throw bad_input(details.model.source.name(), option,
                            fmt::format("there is no coordinate '{}'", name));
        values.push_back({false,
                          {static_cast<std::size_t>(found - details.coordinate_names.begin()),
                           velocity, a.guess, a.value}});
    }
    return values;
}

void add_state_options(CLI::App& command, StateOptions& options) {
    add_model_options(command, options, true);
    add_repeatable(command, "--at", options.at, "X=V",
                   "t=..,x=..,x'=..: override values of the start state; the state is used "
                   "without correction");
}

void add_solver_option(CLI::App& command, std::string& solver) {
    add_value(command, "--solver", solver, "NAME",
              "matrix backend: dense, sparse or auto (default: the cheaper one)")
        ->check(CLI::IsMember({"auto", "dense", "sparse"}));
}

bool is_large(const Loaded& loaded, const StateOptions& options) {
    try {
        return choose_solver(*loaded.details, options.solver).sparse;
    } catch (const std::invalid_argument& problem) {
        throw bad_input(options.path, "--solver", problem.what());
    }
}

Start start_of(const Loaded& loaded, const StateOptions& options) {
    Start start = find_start(*loaded.details, loaded.start, options.solve(), options.solver);
    if (options.at.empty()) return start;
    if (!start.status) start.state = stated_start(*loaded.details, loaded.start);
    start.status = {};
    for (const std::string& text : options.at)
        for (const NamedValue& named : named_values(*loaded.details, "--at", text)) {
            if (named.is_time) start.state.t = named.value.value;
            else
                (named.value.velocity ? start.state.v : start.state.q)[named.value.coordinate] =
                    named.value.value;
        }
    return start;
}

double number(const DerivedModel& details, const std::string& option, const std::string& text) {
    const SourceText source(option, text);
    Diagnostics diagnostics;
    const auto value = parse_value(source, details.model, diagnostics);
    if (!value) throw bad_text(details.model.source.name(), diagnostics, source);
    return *value;
}

void add_time_options(CLI::App& command, TimeOptions& options) {
    add_value(command, "--t", options.span, "A..B", "time span; default: the one in 'simulate'");
    add_value(command, "--t-end", options.end, "B", "end of the time span");
    add_value(command, "--every", options.every, "DT",
              "time between output rows; does not change the motion");
}

TimeSpan time_span(const DerivedModel& details, const TimeOptions& given) {
    TimeSpan span;
    if (!given.span.empty()) {
        const auto dots = given.span.find("..");
        if (dots == std::string::npos)
            throw bad_input(details.model.source.name(), "--t",
                            fmt::format("'{}' is not of the form A..B", given.span));
        span.begin = number(details, "--t", given.span.substr(0, dots));
        span.end = number(details, "--t", given.span.substr(dots + 2));
    }
    if (!given.end.empty()) span.end = number(details, "--t-end", given.end);
    if (!given.every.empty()) span.every = number(details, "--every", given.every);
    return span;
}

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

void check_files(const std::string& model, const std::string& out, const std::string& plot,
                 bool json) {
    if (out == "-" && json)
        throw bad_input(model, "--out",
                        "rows and --json cannot share standard output; write the rows to a file");
    if (!out.empty() && out != "-" && !known_ending(out))
        throw bad_input(model, "--out", fmt::format("'{}' must end in .csv, .json or .h5", out));
    if (!plot.empty() && !known_picture_ending(plot))
        throw bad_input(model, "--plot", fmt::format("'{}' must end in .svg or .png", plot));
    if (!plot.empty() && !can_plot())
        throw bad_input(model, "--plot", "pictures need gnuplot; install gnuplot-nox");
}

Json to_json(const Matrix& matrix) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        rows.push_back(std::vector<double>(matrix.row(i).begin(), matrix.row(i).end()));
    return rows;
}

Json to_json(const std::vector<Start::Unmet>& unmet) {
    Json list = Json::array();
    for (const Start::Unmet& one : unmet)
        list.push_back({{"name", one.name}, {"residual", one.residual}});
    return list;
}

Json to_json(const Diagnostics& diagnostics, const SourceText& source) {
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics.sorted()) {
        const SourceText& text = d.file ? *d.file : source;
        const Place place = text.place(d.span.begin);
        Json entry{{"file", text.name()},
                   {"line", place.line},
                   {"column", place.column},
                   {"message", d.message}};
        entry["severity"] = d.severity == Diagnostic::Severity::error ? "error" : "warning";
        if (!d.hint.empty()) entry["hint"] = d.hint;
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace lacon::app
