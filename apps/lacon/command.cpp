#include "command.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/lang.hpp"
#include "pipeline.hpp"

namespace lacon::app {

SolveOptions ModelOptions::solve() const {
    SolveOptions options;
    options.rank_tol = rank_tol;
    options.seed = seed;
    return options;
}

void add_model_options(CLI::App& command, ModelOptions& options, bool with_start) {
    command.add_option("MODEL", options.path, "the model file (.lac)")->required();
    command.add_option("--set", options.set, "p=v: give parameter p the value v (repeatable; v may be an expression)")
        ->type_name("P=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--json", options.json, "one JSON object on stdout; messages go to stderr");
    command.add_flag("--quiet", options.quiet, "no warnings, no progress, no summary of a run that went well");
    if (!with_start) return;
    command.add_option("--start", options.start, "x=v, y'=v or x~v: change the start state (repeatable, or several by commas)")
        ->type_name("X=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_option("--seed", options.seed, "of what the search for a start state tries at random")->type_name("N");
    command
        .add_option("--rank-tol", options.rank_tol,
                    "a constraint direction below this, relative to the largest, counts as dependent")
        ->capture_default_str()
        ->check(CLI::Validator(
            [](const std::string& text) {
                const double tol = std::strtod(text.c_str(), nullptr);
                return tol >= 1e-16 && tol <= 0.5 ? std::string() : fmt::format("{} is not between 1e-16 and 0.5", text);
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

Stop bad_text(const std::string& model, const Diagnostics& diagnostics, const SourceText& source) {
    return {exit_bad_input, render(diagnostics, source), errors_json(model, to_json(diagnostics, source))};
}

Stop bad_input(const std::string& model, const std::string& where, const std::string& message) {
    const std::string shown = with_short_names(message);
    return {exit_bad_input, fmt::format("{}: {}\n", where, shown), errors_json(model, Json::array({error_entry(where, shown)}))};
}

SourceText read_model(const std::string& path) {
    try {
        return read_source(path);
    } catch (const std::exception& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()),
                   errors_json(path, Json::array({error_entry(path, problem.what())}))};
    }
}

namespace {

/// What is wrong with the text comes first: the setting may have been meant for a parameter in error.
Stop unknown_settings(const std::string& path, const Built& built, const SourceText& source) {
    Stop stop = bad_text(path, built.diagnostics, source);
    const Stop settings =
        bad_input(path, "--set", built.unknown_settings.substr(0, built.unknown_settings.find_last_not_of('\n') + 1));
    stop.message += settings.message;
    stop.json["errors"].push_back(settings.json["errors"][0]);
    return stop;
}

Settings parse_settings(const ModelOptions& options) {
    Settings settings;
    for (const std::string& text : options.set) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            throw bad_input(options.path, "--set", fmt::format("'{}' is not of the form p=v", text));
        const auto trim = [](std::string s) {
            s.erase(0, s.find_first_not_of(" \t"));
            s.erase(s.find_last_not_of(" \t") + 1);
            return s;
        };
        const SourceText source("--set", trim(text.substr(equals + 1)));
        Diagnostics diagnostics;
        const Model not_read_yet;  // so numbers only
        const auto value = parse_value(source, not_read_yet, diagnostics);
        if (!value) throw bad_text(options.path, diagnostics, source);
        settings.emplace_back(trim(text.substr(0, equals)), *value);
    }
    return settings;
}

}  // namespace

Loaded load(const ModelOptions& options) {
    const Settings settings = parse_settings(options);
    const SourceText source = read_model(options.path);
    Built built = build(source, settings);
    if (!built.unknown_settings.empty()) throw unknown_settings(options.path, built, source);
    if (!built.details) throw bad_text(options.path, built.diagnostics, source);
    if (!options.quiet) fmt::print(stderr, "{}", render(built.diagnostics, source));  // warnings
    Loaded loaded{built.details, {}};
    for (const std::string& text : options.start)
        for (const NamedValue& named : named_values(*loaded.details, "--start", text)) {
            if (named.is_time)
                throw bad_input(options.path, "--start", "t is set by 'simulate'; --at t=... evaluates at another time");
            loaded.start.push_back(named.value);
        }
    return loaded;
}

std::vector<NamedValue> named_values(const SystemDetails& details, const std::string& option, const std::string& text) {
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
        const auto found = std::find(details.coordinate_names.begin(), details.coordinate_names.end(), name);
        if (found == details.coordinate_names.end())
            throw bad_input(details.model.source.name(), option, fmt::format("there is no coordinate '{}'", name));
        values.push_back(
            {false, {static_cast<std::size_t>(found - details.coordinate_names.begin()), velocity, a.guess, a.value}});
    }
    return values;
}

void add_state_options(CLI::App& command, StateOptions& options) {
    add_model_options(command, options, true);
    command
        .add_option("--at", options.at, "t=..,x=..,x'=..: the state, on top of the start state; taken as it is, not corrected")
        ->type_name("X=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Start start_of(const Loaded& loaded, const StateOptions& options) {
    Start start = consistent_start(*loaded.details, loaded.start, options.solve());
    if (options.at.empty()) return start;
    if (!start.status) start.state = stated_start(*loaded.details, loaded.start);
    start.status = {};
    for (const std::string& text : options.at)
        for (const NamedValue& named : named_values(*loaded.details, "--at", text)) {
            if (named.is_time) start.state.t = named.value.value;
            else (named.value.velocity ? start.state.v : start.state.q)[named.value.coordinate] = named.value.value;
        }
    return start;
}

Json to_json(const Matrix& matrix) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        rows.push_back(std::vector<double>(matrix.row(i).begin(), matrix.row(i).end()));
    return rows;
}

Json to_json(const std::vector<Start::Unmet>& unmet) {
    Json list = Json::array();
    for (const Start::Unmet& one : unmet) list.push_back({{"name", one.name}, {"residual", one.residual}});
    return list;
}

Json to_json(const Diagnostics& diagnostics, const SourceText& source) {
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics.sorted()) {
        const Place place = source.place(d.span.begin);
        Json entry{{"file", source.name()}, {"line", place.line}, {"column", place.column}, {"message", d.message}};
        entry["severity"] = d.severity == Diagnostic::Severity::error ? "error" : "warning";
        if (!d.hint.empty()) entry["hint"] = d.hint;
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace lacon::app
