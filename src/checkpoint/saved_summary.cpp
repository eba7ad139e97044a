// The summary of a run up to its snapshot, as JSON: lists of numbers in fixed order, and names.
#include "checkpoint/saved_json.hpp"

namespace lacon::inline checkpoint {

namespace {

Json saved(const MotionSummary::Contact& c) {
    Json lost = Json::object();
    for (const auto& [name, energy] : c.lost) lost[name] = exact(energy);
    Json certificates = Json::array();
    for (const auto& [t, at] : c.certificates)
        certificates.push_back(list({t, at.primal, at.dual, at.complementarity}));
    return {{"law", c.law},
            {"lost", lost},
            {"certificate",
             list({c.certificate.primal, c.certificate.dual, c.certificate.complementarity})},
            {"steps", c.certified_steps},
            {"largest_force", c.largest_force},
            {"certificates", certificates},
            {"gained", exact(c.gained)},
            {"methods", c.methods},
            {"method", c.method},
            {"modes", c.modes},
            {"unique", c.forces_unique}};
}
MotionSummary::Contact contact_of(const Json& json) {
    MotionSummary::Contact c;
    c.law = json.at("law");
    for (const auto& [name, energy] : json.at("lost").items()) c.lost[name] = exact(energy);
    const auto certificate = numbers(json.at("certificate"));
    c.certificate = {certificate.at(0), certificate.at(1), certificate.at(2)};
    c.certified_steps = json.at("steps");
    c.largest_force = json.at("largest_force");
    for (const Json& one : json.at("certificates")) {
        const auto at = numbers(one);
        c.certificates.push_back({at.at(0), {at.at(1), at.at(2), at.at(3)}});
    }
    c.gained = exact(json.at("gained"));
    c.methods = json.at("methods").get<std::vector<std::pair<std::string, std::string>>>();
    c.method = json.at("method");
    c.modes = entry(json, "modes", "phases");
    c.forces_unique = json.at("unique");
    return c;
}

Json saved(const std::vector<MotionSummary::Control>& controls) {
    Json json = Json::array();
    for (const MotionSummary::Control& c : controls)
        json.push_back({c.name, list({c.force_most, c.force_most_t, c.effort, c.work, c.error_first,
                                      c.error_last, c.error_most, c.error_most_t, c.missed_most,
                                      c.missed_most_t})});
    return json;
}
std::vector<MotionSummary::Control> controls_of(const Json& json) {
    std::vector<MotionSummary::Control> controls;
    for (const Json& one : json) {
        const auto x = numbers(one.at(1));
        controls.push_back({one.at(0), x.at(0), x.at(1), x.at(2), x.at(3), x.at(4), x.at(5),
                            x.at(6), x.at(7), x.at(8), x.at(9)});
    }
    return controls;
}

}  // namespace

Json saved(const MotionSummary& s) {
    Json events = Json::array();
    for (const MotionEvent& e : s.events) {
        Json sets = Json::array();
        for (const NamedSet& set : e.sets)
            sets.push_back(Json::array({set.names, list(set.coefficients)}));
        events.push_back({e.t, e.kind.name(), e.name, e.rank_before, e.rank_after, e.passed,
                          e.constraints, std::move(sets), e.actuator, e.limit.name()});
    }
    return {{"method", s.method},
            {"why", s.why},
            {"solve", s.solve},
            {"undecided", s.undecided},
            {"counts", {s.steps, s.rejected, s.evaluations, s.factorizations}},
            {"wall_seconds", s.wall_seconds},
            {"worst", list({s.worst.position, s.worst.velocity, s.worst.energy,
                            s.worst.position_absolute, s.worst.velocity_absolute})},
            {"energy", list({s.energy_first, s.energy_last, s.largest})},
            {"rank", {s.rank_first, s.rank_min, s.rank_max}},
            {"events", events},
            {"contact", saved(s.contact)},
            {"controls", saved(s.controls)},
            {"rounding", {s.rounding.steps, s.rounding.t, s.rounding.tolerance}}};
}
MotionSummary summary_of(const Json& json) {
    MotionSummary s;
    s.method = json.at("method");
    s.why = json.at("why");
    s.solve = json.at("solve");
    s.undecided = json.at("undecided");
    const Json& counts = json.at("counts");
    s.steps = counts.at(0);
    s.rejected = counts.at(1);
    s.evaluations = counts.at(2);
    s.factorizations = counts.at(3);
    s.wall_seconds = json.at("wall_seconds");
    const auto worst = numbers(json.at("worst")), energy = numbers(json.at("energy"));
    s.worst = {worst.at(0), worst.at(1), worst.at(2), worst.at(3), worst.at(4)};
    s.energy_first = energy.at(0);
    s.energy_last = energy.at(1);
    s.largest = energy.at(2);
    const Json& rank = json.at("rank");
    s.rank_first = rank.at(0);
    s.rank_min = rank.at(1);
    s.rank_max = rank.at(2);
    s.contact = contact_of(json.at("contact"));
    s.controls = controls_of(json.at("controls"));
    const Json& rounding = json.at("rounding");
    s.rounding = {rounding.at(0), rounding.at(1), rounding.at(2)};
    for (const Json& e : json.at("events")) {
        s.events.push_back(
            {e.at(0), e.at(1).get<std::string>(), e.at(2), e.at(3), e.at(4), e.at(5), e.at(6)});
        for (const Json& set : e.at(7))
            s.events.back().sets.push_back({set.at(0), numbers(set.at(1))});
        s.events.back().actuator = e.at(8);
        s.events.back().limit = e.at(9).get<std::string>();
    }
    return s;
}

}  // namespace lacon::checkpoint
