// Takes a text all the way: reads, derives, evaluates, prints, runs.
#include "fuzz/whole_way.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "lacon/mechanism.hpp"
#include "lang/lang.hpp"

namespace lacon {
namespace {

// Coordinates and rows: evaluation is dense, and a fuzzer wants speed.
constexpr std::size_t largest_evaluated = 40;

/// A model may ask for minutes and gigabytes; a fuzzer passes by those that ask for more than this.
constexpr Limits quick{
    .repetitions = 1'000'000, .members = 1'000'000, .range = 10'000'000, .steps = 30'000'000};

bool is_too_large(const Diagnostics& diagnostics) {
    return std::ranges::any_of(diagnostics.all(), [](const Diagnostic& one) {
        return one.message.ends_with("it is too large") || one.message.ends_with("are possible");
    });
}

struct Names {
    std::vector<std::string> coordinates, constraints;
    bool operator==(const Names&) const = default;
};

Names names_of(const Model& model) {
    Names names;
    for (const auto& coordinate : model.coordinates) names.coordinates.push_back(coordinate.name);
    for (const auto& row : model.constraints) names.constraints.push_back(row.name);
    return names;
}

std::string form_fault(const SourceText& source, const Model& model) {
    Diagnostics diagnostics;
    const auto form = format_model(source, diagnostics);
    if (!form) return "a text that parses has no form";
    const SourceText formed("form", *form);
    const auto again = format_model(formed, diagnostics);
    if (again != form)
        return "the form is not its own form:\n" + *form + "\n---\n" + again.value_or("(none)");
    const auto parsed = parse_model(formed);
    if (!parsed.model)
        return "the form does not parse:\n" + *form + "\n---\n" +
               render(parsed.diagnostics, formed);
    if (names_of(*parsed.model) != names_of(model))
        return "the form says something else:\n" + *form;
    return {};
}

bool all_finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

std::string evaluation_fault(const Mechanism& mechanism) {
    const auto start = mechanism.start();
    if (!start.status)
        return start.status.message.empty() ? "a start that failed without a message" : "";
    const auto n = mechanism.coordinates().size(), m = mechanism.constraints().size();
    const auto at = mechanism.evaluate(start.state);
    if (!at.status)
        return at.status.message.empty() ? "an evaluation that failed without a message" : "";
    if (at.solution.acceleration.size() != n || at.constraints.size() != m)
        return "an answer of the wrong shape";
    if (!all_finite(at.solution.acceleration) || !all_finite(at.solution.constraint_force))
        return "an answer that is not finite";
    return {};
}

/// Nothing where the text is refused.
std::optional<Mechanism> mechanism_of(const std::string& text, std::string& report) {
    try {
        return Mechanism::parse(text);
    } catch (const ModelError& error) {
        report = error.what();
        return std::nullopt;
    }
}

}  // namespace

std::string broken_property(const std::string& text) {
    const SourceText source("model", text);
    const auto parsed = parse_model(source, {}, quick);
    if (is_too_large(parsed.diagnostics)) return {};
    if (parsed.model.has_value() == parsed.diagnostics.has_errors())
        return "a model with errors, or none without";

    std::string report = "\n";
    const auto mechanism = mechanism_of(text, report);
    if (report.empty()) return "a text refused without a report";
    if (!parsed.model) return mechanism ? "Mechanism takes a text with errors" : "";

    if (auto fault = form_fault(source, *parsed.model); !fault.empty()) return fault;
    if (!mechanism) return {};
    if (mechanism->coordinates().size() + mechanism->constraints().size() > largest_evaluated)
        return {};
    if (mechanism->explain().empty() || mechanism->explain(true).empty())
        return "nothing to explain";
    return evaluation_fault(*mechanism);
}

}  // namespace lacon
