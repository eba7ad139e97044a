// The report of --diagnose: condition, weakest constraints, gap, rank and warnings along a motion.
// The text shows the first three warnings; the JSON has all of them.
#include "diagnosis_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "driver/backend/condition_text.hpp"

namespace lacon::app {

namespace {

using Place = MotionDiagnosis::Place;

constexpr std::size_t most_warnings_shown = 3;

std::string inner_line(const std::string& label, const std::string& text) {
    return fmt::format("    {:<10}{}\n", label, text);
}

std::string place_text(const Place& place) {
    return fmt::format("{} at t = {}", rounded(place.value, 4), rounded(place.t, 8));
}

std::size_t rank_events(const MotionSummary& s) {
    return static_cast<std::size_t>(
        std::count_if(s.events.begin(), s.events.end(),
                      [](const MotionEvent& e) { return e.kind == EventKind::rank; }));
}

std::string condition_text(const MotionSummary& s) {
    const MotionDiagnosis& d = *s.diagnosis;
    constexpr double same = 1.0 + 1e-9;
    const std::string about = d.estimated ? "about " : "";
    if (d.condition_most.value <= same * d.condition_least.value && rank_events(s) == 0)
        return fmt::format("{}{} throughout", about, rounded(d.condition_least.value, 4));
    return fmt::format("from {}{} to {}{}", about, place_text(d.condition_least),
                       place_text(d.condition_most),
                       rank_events(s) > 0 ? "; it grows without bound at a singular position" : "");
}

Json json_of(const Place& place) {
    return {{"t", place.t}, {"value", place.value}};
}

Json json_of(const MotionDiagnosis::Warning& w) {
    return {{"t", w.t},
            {"text", with_short_names(w.text)},
            {"estimated_t", std::isfinite(w.estimated_t) ? Json(w.estimated_t) : Json()},
            {"reciprocal_condition", w.reciprocal_condition},
            {"usual", w.usual},
            {"condition", 1.0 / w.reciprocal_condition},
            {"constraints", w.constraints},
            {"outcome", w.outcome.name()},
            {"least", {{"t", w.least.t}, {"reciprocal_condition", w.least.value}}}};
}

}  // namespace

std::string text_of(const std::vector<NamedSet>& sets) {
    std::string text;
    for (const NamedSet& set : sets) text += (text.empty() ? "" : "; ") + describe(set);
    return text;
}

Json json_of(const std::vector<NamedSet>& sets) {
    Json json = Json::array();
    for (const NamedSet& set : sets)
        json.push_back({{"constraints", set.names}, {"coefficients", set.coefficients}});
    return json;
}

std::string diagnosis_text(const MotionSummary& s) {
    const MotionDiagnosis& d = *s.diagnosis;
    std::string text = fmt::format("  {:<12}evaluated at {} (rows and steps), {} s\n", "diagnosis",
                                   counted(d.places, "place"), rounded(d.seconds, 2));
    if (d.constrained == 0) return text + inner_line("", "no constraint was in force");
    text += inner_line("condition", condition_text(s));
    if (s.rank_max > 1)
        text += inner_line(
            "weakest",
            fmt::format("{} {} the weakest direction at the largest condition",
                        quoted_list(d.weakest), d.weakest.size() == 1 ? "is" : "make up"));
    text += inner_line(
        "gap",
        fmt::format("smallest {}: {}", place_text(d.gap_least),
                    d.undecided == 0 ? "every rank was decided"
                                     : fmt::format("the rank was undecided at {}, first at t = {}",
                                                   counted(d.undecided, "place"),
                                                   rounded(d.undecided_first, 8))));
    const std::size_t events = rank_events(s);
    text += inner_line(
        "rank", s.rank_min == s.rank_max && events == 0
                    ? fmt::format("{} throughout", s.rank_first)
                    : fmt::format("{} initially, between {} and {}; {} of kind rank", s.rank_first,
                                  s.rank_min, s.rank_max, counted(events, "event")));
    for (std::size_t i = 0; i < std::min(most_warnings_shown, d.warnings.size()); ++i) {
        const auto& warning = d.warnings[i];
        text +=
            inner_line("warning", fmt::format("t = {}: {}", rounded(warning.t, 6), warning.text));
        text += inner_line("", outcome_of(warning));
    }
    if (d.warnings.size() > most_warnings_shown)
        text += inner_line(
            "", fmt::format("and {} (--json lists all)",
                            counted(d.warnings.size() - most_warnings_shown, "more warning")));
    return text;
}

Json diagnosis_json(const MotionSummary& s) {
    const MotionDiagnosis& d = *s.diagnosis;
    Json warnings = Json::array();
    for (const auto& warning : d.warnings) warnings.push_back(json_of(warning));
    Json json{{"places", d.places}, {"constrained", d.constrained}};
    if (d.constrained > 0) {
        json["condition"] = {{"least", json_of(d.condition_least)},
                             {"most", json_of(d.condition_most)}};
        json["weakest"] = d.weakest;
        json["gap"] = {{"least", json_of(d.gap_least)}};
    }
    json["undecided"] = {{"places", d.undecided}};
    if (d.undecided > 0) json["undecided"]["first"] = d.undecided_first;
    json["estimated"] = d.estimated;
    json["rank"] = {{"first", s.rank_first},
                    {"min", s.rank_min},
                    {"max", s.rank_max},
                    {"events", rank_events(s)}};
    json["warnings"] = std::move(warnings);
    json["seconds"] = d.seconds;
    return json;
}

}  // namespace lacon::app
