// Checkpoints are JSON objects with a version number. Finite numbers are written as the shortest
// text that reads back as the same double, so a resumed run continues with the same bits. A file
// that is damaged or has another version is refused.
#include "checkpoint.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "base/files.hpp"

namespace lacon::app {

namespace {

constexpr int version = 9;

// Numbers go through JSON exactly: the shortest text that reads back as the same double. What JSON
// has no number for is a text.
Json exact(double x) {
    if (std::isfinite(x)) return x;
    return std::isnan(x) ? "nan" : x > 0.0 ? "inf" : "-inf";
}
double exact(const Json& json) {
    if (!json.is_string()) return json.get<double>();
    const std::string text = json;
    return text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                         : (text == "inf" ? 1.0 : -1.0) * std::numeric_limits<double>::infinity();
}
Json list(const std::vector<double>& values) {
    Json json = Json::array();
    for (const double x : values) json.push_back(exact(x));
    return json;
}
std::vector<double> numbers(const Json& json) {
    std::vector<double> values;
    for (const Json& x : json) values.push_back(exact(x));
    return values;
}

Json saved(const State& state) {
    return {{"t", state.t}, {"q", list(state.q)}, {"v", list(state.v)}};
}
State state_of(const Json& json) {
    return {json.at("t"), numbers(json.at("q")), numbers(json.at("v"))};
}

Json saved(const RunPlan& plan) {
    const RunOptions& o = plan.options;
    return {{"begin", plan.begin},
            {"end", plan.end},
            {"every", plan.every},
            {"tolerance", plan.tolerance},
            {"tolerance_given", plan.tolerance_given},
            {"step", plan.step},
            {"max_step", exact(plan.max_step)},
            {"method", plan.method},
            {"impacts", plan.impacts},
            {"stabilize", static_cast<int>(o.stabilize)},
            {"baumgarte", o.baumgarte},
            {"strict", o.strict},
            {"through_singular", o.through_singular},
            {"diagnose", o.diagnose},
            {"rank_tol", o.solve.rank_tol},
            {"interpret", o.interpret},
            {"target", o.target},
            {"solver", o.solver}};
}
RunPlan plan_of(const Json& json) {
    RunPlan plan;
    plan.begin = json.at("begin");
    plan.end = json.at("end");
    plan.every = json.at("every");
    plan.tolerance = json.at("tolerance");
    plan.tolerance_given = json.at("tolerance_given");
    plan.step = json.at("step");
    plan.max_step = exact(json.at("max_step"));
    plan.method = json.at("method");
    plan.impacts = json.at("impacts");
    plan.options.stabilize = static_cast<Stabilize>(json.at("stabilize").get<int>());
    plan.options.baumgarte = json.at("baumgarte");
    plan.options.strict = json.at("strict");
    plan.options.through_singular = json.at("through_singular");
    plan.options.diagnose = json.at("diagnose");
    plan.options.solve.rank_tol = json.at("rank_tol");
    plan.options.interpret = json.at("interpret");
    plan.options.target = json.at("target");
    plan.options.solver = json.at("solver");
    return plan;
}

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
            {"phases", c.phases},
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
    c.phases = json.at("phases");
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

Json saved(const MotionSummary& s) {
    Json events = Json::array();
    for (const MotionEvent& e : s.events) {
        Json sets = Json::array();
        for (const NamedSet& set : e.sets)
            sets.push_back(Json::array({set.names, list(set.coefficients)}));
        events.push_back({e.t, e.kind, e.name, e.rank_before, e.rank_after, e.passed, e.constraints,
                          std::move(sets), e.actuator, e.limit});
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
        s.events.push_back({e.at(0), e.at(1), e.at(2), e.at(3), e.at(4), e.at(5), e.at(6)});
        for (const Json& set : e.at(7))
            s.events.back().sets.push_back({set.at(0), numbers(set.at(1))});
        s.events.back().actuator = e.at(8);
        s.events.back().limit = e.at(9);
    }
    return s;
}

Json saved(const ConditionAccount& a) {
    const MotionDiagnosis& d = a.found;
    Json warnings = Json::array();
    for (const auto& w : d.warnings)
        warnings.push_back(
            {list({w.t, w.strength, w.usual, w.estimated_t, w.least.t, w.least.value}),
             w.constraints, w.outcome, w.text});
    return {{"counts", {d.places, d.constrained, d.undecided, a.rank}},
            {"numbers", list({d.condition_least.t, d.condition_least.value, d.condition_most.t,
                              d.condition_most.value, d.gap_least.t, d.gap_least.value,
                              d.undecided_first, d.seconds, a.usual})},
            {"weakest", d.weakest},
            {"flags", {d.estimated, a.approaching}},
            {"warnings", std::move(warnings)}};
}
ConditionAccount strength_of(const Json& json) {
    ConditionAccount a;
    MotionDiagnosis& d = a.found;
    const Json& counts = json.at("counts");
    d.places = counts.at(0);
    d.constrained = counts.at(1);
    d.undecided = counts.at(2);
    a.rank = counts.at(3);
    const auto x = numbers(json.at("numbers"));
    d.condition_least = {x.at(0), x.at(1)};
    d.condition_most = {x.at(2), x.at(3)};
    d.gap_least = {x.at(4), x.at(5)};
    d.undecided_first = x.at(6);
    d.seconds = x.at(7);
    a.usual = x.at(8);
    d.weakest = json.at("weakest").get<std::vector<std::string>>();
    d.estimated = json.at("flags").at(0);
    a.approaching = json.at("flags").at(1);
    for (const Json& w : json.at("warnings")) {
        const auto y = numbers(w.at(0));
        d.warnings.push_back(
            {y.at(0), y.at(1), y.at(2), y.at(3), w.at(1), {y.at(4), y.at(5)}, w.at(2), w.at(3)});
    }
    return a;
}

Json saved(const Snapshot& s) {
    Json trail = Json::array();
    for (const State& state : s.trail) trail.push_back(saved(state));
    return {{"time", {s.time.hi, s.time.lo}},
            {"landed", saved(s.landed)},
            {"modes", list(s.modes)},
            {"sides", s.sides},
            {"memory", list(s.memory)},
            {"next_row", s.next_row},
            {"rows", s.rows},
            {"last_row", s.last_row},
            {"scales", list({s.potential_low, s.potential_high, s.kinetic_high, s.usual_strength,
                             s.far.strength, s.far.asked})},
            {"kernel",
             {{"dependent", s.kernel.dependent},
              {"floors", list(s.kernel.floors)},
              {"refined", s.kernel.refined},
              {"definite", s.kernel.definite}}},
            {"stretches", s.stretches},
            {"pause", {s.pause.left, s.pause.length}},
            {"trail", trail},
            {"passes", s.passes},
            {"contact",
             {{"modes", list(s.contact.modes)},
              {"spare", list(s.contact.spare)},
              {"unique", s.contact.forces_unique},
              {"first_step", exact(s.contact.first_step)}}},
            {"control", list(s.control)},
            {"border", s.border},
            {"dense", s.dense},
            {"growth", exact(s.growth)},
            {"noise", list(s.noise)},
            {"strength", saved(s.strength)},
            {"summary", saved(s.summary)}};
}
Snapshot snapshot_of(const Json& json) {
    Snapshot s;
    s.time = {json.at("time").at(0), json.at("time").at(1)};
    s.landed = state_of(json.at("landed"));
    s.modes = numbers(json.at("modes"));
    s.sides = json.at("sides").get<std::vector<int>>();
    s.memory = numbers(json.at("memory"));
    s.next_row = json.at("next_row");
    s.rows = json.at("rows");
    s.last_row = json.at("last_row");
    const auto scales = numbers(json.at("scales"));
    s.potential_low = scales.at(0);
    s.potential_high = scales.at(1);
    s.kinetic_high = scales.at(2);
    s.usual_strength = scales.at(3);
    s.far = {scales.at(4), scales.at(5)};
    const Json& kernel = json.at("kernel");
    s.kernel = {kernel.at("dependent").get<std::vector<std::size_t>>(),
                numbers(kernel.at("floors")), kernel.at("refined"), kernel.at("definite")};
    s.stretches = json.at("stretches");
    s.passes = json.at("passes");
    s.contact = {numbers(json.at("contact").at("modes")), numbers(json.at("contact").at("spare")),
                 json.at("contact").at("unique"), exact(json.at("contact").at("first_step"))};
    s.pause = {json.at("pause").at(0), json.at("pause").at(1)};
    for (const Json& state : json.at("trail")) s.trail.push_back(state_of(state));
    s.control = numbers(json.at("control"));
    s.border = json.at("border");
    s.dense = json.at("dense");
    s.growth = exact(json.at("growth"));
    s.noise = numbers(json.at("noise"));
    s.strength = strength_of(json.at("strength"));
    s.summary = summary_of(json.at("summary"));
    return s;
}

Checkpoint checkpoint_of(const Json& json) {
    Checkpoint c;
    c.source = json.at("source");
    c.set = json.at("set").get<std::vector<std::string>>();
    c.start = json.at("start").get<std::vector<std::string>>();
    c.plant = json.at("plant").get<std::vector<std::string>>();
    c.feedforward = json.at("feedforward").at(0);
    c.feedforward_sum = json.at("feedforward").at(1);
    c.plan = plan_of(json.at("plan"));
    c.snapshot = snapshot_of(json.at("snapshot"));
    c.out = json.at("out");
    c.columns = json.at("columns").get<std::vector<std::string>>();
    c.out_rows = json.at("out_rows");
    c.out_position = json.at("out_position");
    c.output_ranges = numbers(json.at("output_ranges"));
    return c;
}

}  // namespace

void write_checkpoint(const std::string& path, const Checkpoint& c) {
    const Json json{{"lacon_checkpoint", version},
                    {"set", c.set},
                    {"start", c.start},
                    {"plant", c.plant},
                    {"feedforward", {c.feedforward, c.feedforward_sum}},
                    {"plan", saved(c.plan)},
                    {"out", c.out},
                    {"columns", c.columns},
                    {"out_rows", c.out_rows},
                    {"out_position", c.out_position},
                    {"output_ranges", list(c.output_ranges)},
                    {"snapshot", saved(c.snapshot)},
                    {"source", c.source}};
    replace_file(path, json.dump() + '\n');
}

Checkpoint read_checkpoint(const std::string& path, const std::string& model) {
    const auto refused = [&](const std::string& why) {
        return bad_input(model, "--resume",
                         fmt::format("'{}' is not a Lacon checkpoint: {}", path, why));
    };
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path))
        throw bad_input(model, "--resume", fmt::format("cannot read '{}'", path));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() && text.starts_with("{\"lacon_checkpoint\""))
        throw refused("the file is truncated or damaged");
    if (!json.is_object() || !json.contains("lacon_checkpoint"))
        throw refused("'lacon run MODEL --checkpoint FILE' writes checkpoints");
    if (json["lacon_checkpoint"] != version)
        throw refused(fmt::format("it has version {}; this program reads version {}",
                                  json["lacon_checkpoint"].dump(), version));
    try {
        return checkpoint_of(json);
    } catch (const Json::exception&) {
        throw refused("an entry is missing or damaged");
    } catch (const std::out_of_range&) {
        throw refused("a list is too short");
    }
}

}  // namespace lacon::app
