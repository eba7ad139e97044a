// The parts that several commands share: reading and building a model, settings from the command
// line, errors as text and as JSON.
#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "lang/lang.hpp"
#include "large/choose.hpp"
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
