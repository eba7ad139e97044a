// The JSON report of a run. Residuals, rank and energy are null when the motion never began.
#include "run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "diagnosis_report.hpp"
#include "driver/plan/choose.hpp"
#include "verify_report.hpp"

namespace lacon::app {

namespace {

Json json_of(const MotionSummary::Contact& c) {
    Json steps = Json::array();
    for (const auto& [t, at] : c.certificates)
        steps.push_back({{"t", t},
                         {"primal", at.primal},
                         {"dual", at.dual},
                         {"complementarity", at.complementarity}});
    return {{"modes", c.modes},
            {"certificate",
             {{"primal", c.certificate.primal},
              {"dual", c.certificate.dual},
              {"complementarity", c.certificate.complementarity},
              {"steps", c.certified_steps}}},
            {"certificates", std::move(steps)},
            {"forces_unique", c.forces_unique}};
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

Json json_of(const OutputRanges& outputs) {
    Json json = Json::array();
    for (const OutputRange& o : outputs.all())
        json.push_back({{"name", o.name},
                        {"final", o.final},
                        {"min", o.least},
                        {"min_t", o.least_t},
                        {"max", o.most},
                        {"max_t", o.most_t}});
    return json;
}

Json json_of(const ErrorEstimate& e) {
    if (!e.why_not.empty()) return {{"why_not", e.why_not}};
    return {{"largest", e.largest},
            {"q", e.q},
            {"v", e.v},
            {"order", e.order},
            {"steps", {e.others[0], e.others[1]}}};
}

Json json_of(const CodeSummary& code) {
    Json json = {{"tier", code.tier}};
    if (!code.why.empty()) json["why"] = code.why;
    if (code.tier != "interpreter")
        json.update({{"target", code.target},
                     {"form", code.form},
                     {"lanes", code.lanes},
                     {"operations", code.operations},
                     {"compile_seconds", code.compile_seconds},
                     {"from_cache", code.from_cache},
                     {"whole_steps", code.whole_steps}});
    return json;
}

}  // namespace

Json json_of(const std::vector<MotionEvent>& events) {
    Json json = Json::array();
    for (const MotionEvent& e : events) {
        Json event{{"t", e.t}, {"kind", e.kind.name()}, {"name", e.name}};
        if (e.kind == EventKind::rank) {
            event["rank_before"] = e.rank_before;
            event["rank_after"] = e.rank_after;
            event["passed"] = e.passed;
            event["constraints"] = e.constraints;
            event["sets"] = app::json_of(e.sets);
        }
        if (e.kind == EventKind::saturation)
            event.update({{"actuator", e.actuator}, {"limit", e.limit.name()}});
        json.push_back(std::move(event));
    }
    return json;
}

std::vector<MotionEvent> events_of(const std::string& json) {
    std::vector<MotionEvent> events;
    const Json all = Json::parse(json, nullptr, false);
    if (!all.is_array()) return events;
    for (const Json& one : all) {
        if (!one.is_object() || !one.contains("t") || !one["t"].is_number()) continue;
        MotionEvent event;
        const auto text = [&](const char* key) {
            return one.contains(key) && one[key].is_string() ? one[key].get<std::string>()
                                                             : std::string();
        };
        const auto kind = named<EventKind>(text("kind"));
        if (!kind) continue;
        event.t = one["t"].get<double>();
        event.kind = *kind;
        event.name = text("name");
        event.actuator = text("actuator");
        const auto count = [&](const char* key) {
            return one.contains(key) && one[key].is_number_unsigned() ? one[key].get<std::size_t>()
                                                                      : std::size_t{0};
        };
        event.rank_before = count("rank_before");
        event.rank_after = count("rank_after");
        event.passed = one.contains("passed") && one["passed"] == true;
        if (one.contains("constraints") && one["constraints"].is_array())
            for (const Json& name : one["constraints"])
                if (name.is_string()) event.constraints.push_back(name.get<std::string>());
        events.push_back(std::move(event));
    }
    return events;
}

Json json_of(const RunReport& r) {
    const MotionSummary& s = r.summary;
    const auto measured = [&](auto value) { return r.begun ? Json(value) : Json(nullptr); };
    Json json{
        {"model", r.details.name},
        {"status", name_of(r.status.outcome)},
        {"method", s.method},
        {"tolerance", has_fixed_step(s.method) ? Json(nullptr) : Json(s.tolerance)},
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
        {"energy",
         {{"first", measured(s.energy_first)},
          {"last", measured(s.energy_last)},
          {"scale", measured(s.energy_scale)}}},
        {"events", json_of(s.events)},
        {"rank",
         {{"first", measured(s.rank_first)},
          {"min", measured(s.rank_min)},
          {"max", measured(s.rank_max)}}},
        {"rows", r.rows},
    };
    if (r.outputs.rows() > 0) json["outputs"] = json_of(r.outputs);
    if (has_fixed_step(s.method)) json["step"] = r.step;
    if (r.error) json["error_estimate"] = json_of(*r.error);
    if (s.verification) json["verify"] = verification_json(*s.verification);
    if (s.rounding.steps > 0)
        json["rounding"] = {
            {"t", s.rounding.t}, {"tolerance", s.rounding.tolerance}, {"steps", s.rounding.steps}};
    if (!s.contact.law.empty()) json["impact_law"] = s.contact.law;
    if (s.contact.modes > 0 && (s.controls.empty() || s.contact.certified_steps > 0))
        json["contact"] = json_of(s.contact);
    if (s.contact.modes > 0 || !s.contact.lost.empty()) json["lost"] = s.contact.lost;
    if (!s.controls.empty()) json["controls"] = json_of(s.controls);
    if (!r.plant.empty()) json["plant"] = r.plant;
    if (!r.feedforward.empty()) json["feedforward"] = r.feedforward;
    if (s.diagnosis) json["diagnosis"] = diagnosis_json(s);
    json["code"] = json_of(s.code);
    if (!s.why.empty()) json["why"] = s.why;
    if (!s.solve.empty()) json.update({{"solve", s.solve}, {"undecided", s.undecided}});
    if (const auto warnings = warnings_of(r); !warnings.empty())
        json["warning"] = fmt::format("{}", fmt::join(warnings, "\n"));
    if (!r.not_unique.empty()) json["outputs_not_unique"] = r.not_unique;
    if (!r.out.empty()) json["out"] = r.out;
    if (!r.plot.empty()) json["plot"] = r.plot;
    if (!r.page.empty()) json["page"] = r.page;
    if (!r.video.empty()) json["video"] = r.video;
    if (!r.status) json["message"] = with_short_names(r.status.message);
    if (!r.start.unmet.empty()) json["unmet"] = to_json(r.start.unmet);
    if (r.status.outcome == Outcome::conflict) json["conflict"] = r.status.names;
    return json;
}

}  // namespace lacon::app
