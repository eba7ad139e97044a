#include "command.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/lang.hpp"
#include "pipeline.hpp"

namespace lacon::app {

SolveOptions ModelOptions::solve() const {
    SolveOptions options;
    options.rank_tol = rank_tol;
    return options;
}

void add_model_options(CLI::App& command, ModelOptions& options, bool with_start) {
    command.add_option("MODEL", options.path, "the model file (.lac)")->required();
    command.add_option("--set", options.set, "p=v: give parameter p the value v (repeatable; v may be an expression)")
        ->type_name("P=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--json", options.json, "one JSON object on stdout; messages go to stderr");
    command.add_flag("--quiet", options.quiet, "no warnings about the model");
    if (!with_start) return;
    command.add_option("--start", options.start, "x=v, y'=v or x~v: change the start state (repeatable, or several by commas)")
        ->type_name("X=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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

Settings parse_settings(const ModelOptions& options) {
    Settings settings;
    for (const std::string& text : options.set) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            throw Stop{exit_bad_input, fmt::format("--set: '{}' is not of the form p=v\n", text), {}};
        const auto trim = [](std::string s) {
            s.erase(0, s.find_first_not_of(" \t"));
            s.erase(s.find_last_not_of(" \t") + 1);
            return s;
        };
        const SourceText source("--set", trim(text.substr(equals + 1)));
        Diagnostics diagnostics;
        const Model not_read_yet;  // so numbers only
        const auto value = parse_value(source, not_read_yet, diagnostics);
        if (!value) throw Stop{exit_bad_input, render(diagnostics, source), {}};
        settings.emplace_back(trim(text.substr(0, equals)), *value);
    }
    return settings;
}

}  // namespace

Loaded load(const ModelOptions& options) {
    const Settings settings = parse_settings(options);
    SourceText source;
    try {
        source = read_source(options.path);
    } catch (const std::exception& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
    }
    Built built = build(source, settings);
    const std::string report = render(built.diagnostics, source);
    if (!built.unknown_settings.empty()) throw Stop{exit_bad_input, report + "--set: " + built.unknown_settings, {}};
    if (!built.details) {
        Json json{{"model", options.path}, {"status", "error"}, {"errors", to_json(built.diagnostics, source)}};
        throw Stop{exit_bad_input, report, json};
    }
    if (!options.quiet) fmt::print(stderr, "{}", report);  // warnings
    Loaded loaded{built.details, {}};
    for (const std::string& text : options.start)
        for (const NamedValue& named : named_values(*loaded.details, "--start", text)) {
            if (named.is_time)
                throw Stop{exit_bad_input, "--start: t is set by 'simulate'; --at t=... evaluates at another time\n", {}};
            loaded.start.push_back(named.value);
        }
    return loaded;
}

std::vector<NamedValue> named_values(const SystemDetails& details, const std::string& option, const std::string& text) {
    const SourceText source(option, text);
    Diagnostics diagnostics;
    const auto assignments = parse_assignments(source, details.model, diagnostics);
    if (!assignments) throw Stop{exit_bad_input, render(diagnostics, source), {}};
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
            throw Stop{exit_bad_input, fmt::format("{}: there is no coordinate '{}'\n", option, name), {}};
        values.push_back(
            {false, {static_cast<std::size_t>(found - details.coordinate_names.begin()), velocity, a.guess, a.value}});
    }
    return values;
}

bool has_rank(const ConstrainedSolution& solution) {
    return solution.outcome == Outcome::ok || solution.outcome == Outcome::conflict || solution.outcome == Outcome::undetermined;
}

Json to_json(const Matrix& matrix) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        rows.push_back(std::vector<double>(matrix.row(i).begin(), matrix.row(i).end()));
    return rows;
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
