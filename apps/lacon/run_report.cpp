#include "run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "diagnosis_report.hpp"

namespace lacon::app {

namespace {

constexpr std::size_t most_events_shown = 12, most_controls_shown = 8;

std::string line(const std::string& label, const std::string& text) {
    return fmt::format("  {:<12}{}\n", label, text);
}

std::string event_text(const MotionEvent& e, bool diagnosed) {
    const std::string time = fmt::format("t = {}", rounded(e.t, 10));
    if (e.kind == "rank")
        return fmt::format("{}  rank {} -> {}{}: {}", time, e.rank_before, e.rank_after,
                           e.passed ? fmt::format(" -> {}, a singular position passed", e.rank_before) : "",
                           diagnosed && !e.sets.empty() ? text_of(e.sets) : quoted_list(e.constraints));
    if (e.kind == "switch") return fmt::format("{}  switch {}", time, e.name);
    if (e.kind == "impact") return fmt::format("{}  impact: {}", time, quoted_list(e.constraints));
    if (e.kind == "saturation")
        return e.limit == "free" ? fmt::format("{}  saturation: '{}' comes back from its limit", time, e.actuator)
                                 : fmt::format("{}  saturation: '{}' reaches its {} limit", time, e.actuator, e.limit);
    if (e.kind != "event") return fmt::format("{}  {}: '{}'", time, e.kind, e.name);
    return fmt::format("{}  {}", time, e.name);
}

std::string energy_text(const MotionSummary& s) {
    const std::string scale =
        s.energy_scale > 0.0 ? fmt::format(", {} of its scale", rounded(s.worst.energy / s.energy_scale, 2)) : "";
    return fmt::format("{} at the begin, {} at the end; changed by {} at most{}", rounded(s.energy_first), rounded(s.energy_last),
                       rounded(s.worst.energy, 2), scale);
}

/// Energy lost, and how well the laws of contact were met.
std::string contact_text(const MotionSummary& s) {
    const MotionSummary::Contact& c = s.contact;
    constexpr std::size_t shown = 6;
    std::vector<std::pair<double, std::string>> losses;
    for (const auto& [name, energy] : c.lost) losses.emplace_back(energy, name);
    std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text, lost;
    for (std::size_t i = 0; i < std::min(shown, losses.size()); ++i)
        lost += fmt::format("{}{} at '{}'", i ? ", " : "", rounded(losses[i].first), losses[i].second);
    if (losses.size() > shown) lost += fmt::format(" and {} more", losses.size() - shown);
    if (!lost.empty()) text += line("lost", lost);
    if (c.phases == 0 || (!s.controls.empty() && c.certified_steps == 0)) return text;
    text +=
        line("contacts", fmt::format("{}{}; worst gap {}, pull {}, both at once {} (relative)", counted(c.phases, "phase"),
                                     c.law.empty() ? "" : fmt::format(", {} impacts", c.law), rounded(c.certificate.primal, 2),
                                     rounded(c.certificate.dual, 2), rounded(c.certificate.complementarity, 2)));
    if (!c.forces_unique) text += line("", "contacts depended on each other: their single forces are a convention");
    return text;
}

Json json_of(const MotionSummary::Contact& c) {
    Json steps = Json::array();
    for (const auto& [t, at] : c.certificates)
        steps.push_back({{"t", t}, {"primal", at.primal}, {"dual", at.dual}, {"complementarity", at.complementarity}});
    return {{"phases", c.phases},
            {"certificate",
             {{"primal", c.certificate.primal},
              {"dual", c.certificate.dual},
              {"complementarity", c.certificate.complementarity},
              {"steps", c.certified_steps}}},
            {"certificates", std::move(steps)},
            {"forces_unique", c.forces_unique}};
}

/// Who controlled, what it took, and how well what is required was met.
std::string control_text(const RunReport& r) {
    std::string text;
    if (!r.plant.empty()) text += line("plant", fmt::format("{}, which the controller does not know", fmt::join(r.plant, ", ")));
    if (!r.feedforward.empty()) text += line("feedforward", fmt::format("the efforts of {}; nothing is fed back", r.feedforward));
    const std::size_t shown = std::min(most_controls_shown, r.summary.controls.size());
    for (const MotionSummary::Control& c : std::span(r.summary.controls).first(shown)) {
        text += line("control", fmt::format("'{}': force {} at most (t = {}), work {}, integral of the cost {}", c.name,
                                            rounded(c.force_most), rounded(c.force_most_t), rounded(c.work), rounded(c.effort)));
        text += line("", fmt::format("off by {} at the begin, {} at the end, {} at most (t = {})", rounded(c.error_first, 3),
                                     rounded(c.error_last, 3), rounded(c.error_most, 3), rounded(c.error_most_t)));
        if (c.missed_most != 0.0)
            text += line("", fmt::format("the acceleration required was missed by {} at most (t = {})", rounded(c.missed_most, 3),
                                         rounded(c.missed_most_t)));
    }
    if (r.summary.controls.size() > shown)
        text += line("", fmt::format("and {} more (all of them with --json)", r.summary.controls.size() - shown));
    return text;
}

Json json_of(const std::vector<MotionSummary::Control>& controls) {
    Json json = Json::array();
    for (const MotionSummary::Control& c : controls)
        json.push_back({{"name", c.name},
                        {"force_most", c.force_most},
                        {"force_most_t", c.force_most_t},
                        {"effort", c.effort},
                        {"work", c.work},
                        {"error_first", c.error_first},
                        {"error_last", c.error_last},
                        {"error_most", c.error_most},
                        {"error_most_t", c.error_most_t},
                        {"missed_most", c.missed_most},
                        {"missed_most_t", c.missed_most_t}});
    return json;
}

std::vector<std::string> warnings_of(const RunReport& r) {
    std::vector<std::string> warnings;
    if (!r.warning.empty()) warnings.push_back(r.warning);
    const MotionSummary& s = r.summary;
    if (s.largest > s.tolerance && s.largest < 1e5 * s.tolerance)
        warnings.push_back(fmt::format(
            "the coordinates are at most {}, and the tolerance {} is absolute below 1: take a smaller one, or other units",
            rounded(s.largest, 3), rounded(s.tolerance, 3)));
    if (s.undecided > 0)
        warnings.push_back(fmt::format("at the end of {} the rank of the constraints was too near its tolerance to be sure",
                                       counted(s.undecided, "step")));
    const auto passed = std::count_if(s.events.begin(), s.events.end(), [](const MotionEvent& e) { return e.passed; });
    if (passed > 0 && !s.solve.empty())
        warnings.push_back(
            fmt::format("the run went on past {}; where more than one motion leads on from there, rounding has chosen: "
                        "--solver dense is led through",
                        counted(static_cast<std::size_t>(passed), "singular position")));
    if (s.contact.gained > 1e-9 * s.energy_scale)
        warnings.push_back(
            fmt::format("an impact added the energy {}: Newton's law of restitution may do that together with friction",
                        rounded(s.contact.gained, 3)));
    return warnings;
}

}  // namespace

std::string text_of(const RunReport& r) {
    const MotionSummary& s = r.summary;
    std::string text;
    if (!r.status) text += fmt::format("{}: {}\n", name_of(r.status.outcome), r.status.message);
    if (s.method.empty()) return text;
    text += fmt::format("{}: t = {} .. {} in {} by {} (tolerance {}), {} s\n", r.details.name, rounded(s.begin),
                        rounded(s.final.t, 10), counted(s.steps, "step"), s.method, rounded(s.tolerance, 3),
                        rounded(s.wall_seconds, 3));
    if (!s.why.empty()) text += line("method", s.why);
    text += line("work", fmt::format("{}, {}{}", counted(s.evaluations, "evaluation"), counted(s.factorizations, "factorization"),
                                     s.rejected > 0 ? fmt::format(", {} rejected", counted(s.rejected, "step")) : ""));
    if (!s.solve.empty()) text += line("solve", s.solve);
    if (r.begun && r.details.system.row_count() > 0) {
        text += line("constraints", fmt::format("worst residual {} of positions, {} of velocities (relative)",
                                                rounded(s.worst.position, 2), rounded(s.worst.velocity, 2)));
        std::string rank = fmt::format("{}", s.rank_first);
        if (s.rank_min != s.rank_max) rank += fmt::format(", between {} and {} on the way", s.rank_min, s.rank_max);
        text += line("rank", rank);
    }
    if (r.begun) {
        text += line("energy", energy_text(s));
        text += contact_text(s);
        text += control_text(r);
    }
    if (!s.events.empty()) {
        text += line("events", fmt::format("{}", s.events.size()));
        for (std::size_t i = 0; i < std::min(most_events_shown, s.events.size()); ++i)
            text += fmt::format("    {}\n", event_text(s.events[i], s.diagnosis.has_value()));
        if (s.events.size() > most_events_shown)
            text += fmt::format("    and {} more (all of them with --json)\n", s.events.size() - most_events_shown);
    }
    if (s.diagnosis) text += diagnosis_text(s);
    for (const std::string& warning : warnings_of(r)) text += line("warning", warning);
    if (!r.out.empty()) text += line("rows", fmt::format("{} in {}", r.rows, r.out));
    if (!r.plot.empty()) text += line("picture", r.plot);
    return text;
}

Json json_of(const RunReport& r) {
    const MotionSummary& s = r.summary;
    Json events = Json::array();
    for (const MotionEvent& e : s.events) {
        Json event{{"t", e.t}, {"kind", e.kind}, {"name", e.name}};
        if (e.kind == "rank") {
            event["rank_before"] = e.rank_before;
            event["rank_after"] = e.rank_after;
            event["passed"] = e.passed;
            event["constraints"] = e.constraints;
            event["sets"] = json_of(e.sets);
        }
        if (e.kind == "saturation") event.update({{"actuator", e.actuator}, {"limit", e.limit}});
        events.push_back(std::move(event));
    }
    const auto measured = [&](auto value) { return r.begun ? Json(value) : Json(nullptr); };
    Json json{
        {"model", r.details.name},
        {"status", name_of(r.status.outcome)},
        {"method", s.method},
        {"tolerance", s.tolerance},
        {"t", s.final.t},
        {"steps", s.steps},
        {"rejected", s.rejected},
        {"evaluations", s.evaluations},
        {"factorizations", s.factorizations},
        {"wall_seconds", s.wall_seconds},
        {"coordinates", r.details.coordinate_names},
        {"final", {{"t", s.final.t}, {"q", s.final.q}, {"v", s.final.v}}},
        {"worst",
         {{"position", measured(s.worst.position)},
          {"velocity", measured(s.worst.velocity)},
          {"energy", measured(s.worst.energy)},
          {"position_absolute", measured(s.worst.position_absolute)},
          {"velocity_absolute", measured(s.worst.velocity_absolute)}}},
        {"energy", {{"first", measured(s.energy_first)}, {"last", measured(s.energy_last)}, {"scale", measured(s.energy_scale)}}},
        {"events", std::move(events)},
        {"rank", {{"first", measured(s.rank_first)}, {"min", measured(s.rank_min)}, {"max", measured(s.rank_max)}}},
        {"rows", r.rows},
    };
    if (!s.contact.law.empty()) json["impact_law"] = s.contact.law;
    if (s.contact.phases > 0 && (s.controls.empty() || s.contact.certified_steps > 0)) json["contact"] = json_of(s.contact);
    if (s.contact.phases > 0 || !s.contact.lost.empty()) json["lost"] = s.contact.lost;
    if (!s.controls.empty()) json["controls"] = json_of(s.controls);
    if (!r.plant.empty()) json["plant"] = r.plant;
    if (!r.feedforward.empty()) json["feedforward"] = r.feedforward;
    if (s.diagnosis) json["diagnosis"] = diagnosis_json(s);
    json["code"] = {{"tier", s.code.tier}};
    if (!s.code.why.empty()) json["code"]["why"] = s.code.why;
    if (s.code.tier != "interpreter")
        json["code"].update({{"target", s.code.target},
                             {"form", s.code.form},
                             {"lanes", s.code.lanes},
                             {"operations", s.code.operations},
                             {"compile_seconds", s.code.compile_seconds},
                             {"from_cache", s.code.from_cache},
                             {"whole_steps", s.code.whole_steps}});
    if (!s.why.empty()) json["why"] = s.why;
    if (!s.solve.empty()) json.update({{"solve", s.solve}, {"undecided", s.undecided}});
    if (const auto warnings = warnings_of(r); !warnings.empty()) json["warning"] = fmt::format("{}", fmt::join(warnings, "\n"));
    if (!r.out.empty()) json["out"] = r.out;
    if (!r.plot.empty()) json["plot"] = r.plot;
    if (!r.status) json["message"] = with_short_names(r.status.message);
    if (!r.start.unmet.empty()) json["unmet"] = to_json(r.start.unmet);
    if (r.status.outcome == Outcome::conflict) json["conflict"] = r.status.names;
    return json;
}

}  // namespace lacon::app
