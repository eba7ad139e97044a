// A run as JSON: its plan and its snapshot, and both together as the text that Simulation::save
// gives. Finite numbers are written as the shortest text that reads back as the same double, so a
// resumed run continues with the same bits.
#include "checkpoint/saved_run.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "checkpoint/saved_json.hpp"

namespace lacon::inline checkpoint {

namespace {

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
}  // namespace

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

namespace {

Json saved(const State& state) {
    return {{"t", state.t}, {"q", list(state.q)}, {"v", list(state.v)}};
}
/// An entry under its name, or under the one it had in older versions.
const Json& entry(const Json& json, const char* name, const char* older) {
    return json.contains(name) || !json.contains(older) ? json.at(name) : json.at(older);
}

State state_of(const Json& json) {
    return {json.at("t"), numbers(json.at("q")), numbers(json.at("v"))};
}

}  // namespace

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
            {"consistency_tol", o.solve.consistency_tol},
            {"sure_gap", o.solve.sure_gap},
            {"path", static_cast<int>(o.solve.path)},
            {"interpret", o.interpret},
            {"target", o.target.name()},
            {"solver", o.solver.name()}};
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
    SolveOptions& solve = plan.options.solve;
    solve.rank_tol = json.at("rank_tol");
    solve.consistency_tol = json.value("consistency_tol", solve.consistency_tol);
    solve.sure_gap = json.value("sure_gap", solve.sure_gap);
    solve.path = static_cast<SolveOptions::Path>(json.value("path", static_cast<int>(solve.path)));
    plan.options.interpret = json.at("interpret");
    plan.options.target = json.at("target").get<std::string>();
    plan.options.solver = json.at("solver").get<std::string>();
    return plan;
}

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

Json saved(const ConditionAccount& a) {
    const MotionDiagnosis& d = a.found;
    Json warnings = Json::array();
    for (const auto& w : d.warnings)
        warnings.push_back(
            {list({w.t, w.reciprocal_condition, w.usual, w.estimated_t, w.least.t, w.least.value}),
             w.constraints, w.outcome.name(), w.text});
    return {{"counts", {d.places, d.constrained, d.undecided, a.rank}},
            {"numbers", list({d.condition_least.t, d.condition_least.value, d.condition_most.t,
                              d.condition_most.value, d.gap_least.t, d.gap_least.value,
                              d.undecided_first, d.seconds, a.usual})},
            {"weakest", d.weakest},
            {"flags", {d.estimated, a.approaching}},
            {"warnings", std::move(warnings)}};
}
ConditionAccount condition_account_of(const Json& json) {
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
        d.warnings.push_back({y.at(0),
                              y.at(1),
                              y.at(2),
                              y.at(3),
                              w.at(1),
                              {y.at(4), y.at(5)},
                              w.at(2).get<std::string>(),
                              w.at(3)});
    }
    return a;
}

}  // namespace

Json saved(const Snapshot& s) {
    Json trail = Json::array();
    for (const State& state : s.trail) trail.push_back(saved(state));
    return {
        {"time", {s.time.hi, s.time.lo}},
        {"state", saved(s.state)},
        {"branches", list(s.branches)},
        {"sides", s.sides},
        {"memory", list(s.memory)},
        {"next_row", s.next_row},
        {"rows", s.rows},
        {"last_row", s.last_row},
        {"scales", list({s.potential_low, s.potential_high, s.kinetic_high,
                         s.usual_reciprocal_condition, s.far.reciprocal_condition, s.far.asked})},
        {"kernel",
         {{"dependent", s.kernel.dependent},
          {"floors", list(s.kernel.floors)},
          {"refined", s.kernel.refined},
          {"definite", s.kernel.definite}}},
        {"in_compiled_segment", s.in_compiled_segment},
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
        {"since_strong", s.since_strong},
        {"dense", s.dense},
        {"handover", {s.handover.count, s.handover.first, list(s.handover.memory)}},
        {"growth", exact(s.growth)},
        {"noise", list(s.noise)},
        {"condition", saved(s.condition)},
        {"summary", saved(s.summary)}};
}
Snapshot snapshot_of(const Json& json) {
    Snapshot s;
    s.time = {json.at("time").at(0), json.at("time").at(1)};
    s.state = state_of(entry(json, "state", "landed"));
    s.branches = numbers(entry(json, "branches", "modes"));
    s.sides = json.at("sides").get<std::vector<int>>();
    s.memory = numbers(json.at("memory"));
    s.next_row = json.at("next_row");
    s.rows = json.at("rows");
    s.last_row = json.at("last_row");
    const auto scales = numbers(json.at("scales"));
    s.potential_low = scales.at(0);
    s.potential_high = scales.at(1);
    s.kinetic_high = scales.at(2);
    s.usual_reciprocal_condition = scales.at(3);
    s.far = {scales.at(4), scales.at(5)};
    const Json& kernel = json.at("kernel");
    s.kernel = {kernel.at("dependent").get<std::vector<std::size_t>>(),
                numbers(kernel.at("floors")), kernel.at("refined"), kernel.at("definite")};
    s.in_compiled_segment = entry(json, "in_compiled_segment", "stretches");
    s.passes = json.at("passes");
    s.contact = {numbers(json.at("contact").at("modes")), numbers(json.at("contact").at("spare")),
                 json.at("contact").at("unique"), exact(json.at("contact").at("first_step"))};
    s.pause = {json.at("pause").at(0), json.at("pause").at(1)};
    for (const Json& state : json.at("trail")) s.trail.push_back(state_of(state));
    s.control = numbers(json.at("control"));
    s.border = json.at("border");
    s.since_strong = json.at("since_strong");
    s.dense = json.at("dense");
    const Json& handover = json.at("handover");
    s.handover = {handover.at(0), handover.at(1), numbers(handover.at(2))};
    s.growth = exact(json.at("growth"));
    s.noise = numbers(json.at("noise"));
    s.condition = condition_account_of(entry(json, "condition", "strength"));
    s.summary = summary_of(json.at("summary"));
    return s;
}

namespace {

constexpr int version = 2, oldest = 1;  // of what Simulation::save gives: written, and read

Json saved(const std::vector<StartOverride>& start) {
    Json json = Json::array();
    for (const StartOverride& o : start)
        json.push_back({o.coordinate, o.velocity, o.guess, exact(o.value)});
    return json;
}
std::vector<StartOverride> start_of(const Json& json) {
    std::vector<StartOverride> start;
    for (const Json& o : json) start.push_back({o.at(0), o.at(1), o.at(2), exact(o.at(3))});
    return start;
}

SavedRun run_of(const Json& json) {
    SavedRun run;
    run.mechanism = json.at("mechanism");
    run.start = start_of(json.at("start"));
    run.plan = plan_of(json.at("plan"));
    run.steps_since = json.at("steps_since");
    if (json.contains("snapshot")) run.snapshot = snapshot_of(json.at("snapshot"));
    return run;
}

}  // namespace

std::string text_of(const SavedRun& run) {
    Json json{{"lacon_simulation", version},
              {"mechanism", run.mechanism},
              {"start", saved(run.start)},
              {"plan", saved(run.plan)},
              {"steps_since", run.steps_since}};
    if (run.snapshot) json["snapshot"] = saved(*run.snapshot);
    return json.dump();
}

SavedRun saved_run(std::string_view text) {
    const auto refused = [](const std::string& why) {
        return std::invalid_argument("not a saved simulation: " + why);
    };
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("lacon_simulation"))
        throw refused("expected the text of Simulation::save");
    if (json["lacon_simulation"] != version && json["lacon_simulation"] != oldest)
        throw refused("unsupported version");
    SavedRun run;
    if (const std::string fault = fault_of([&] { run = run_of(json); }); !fault.empty())
        throw refused(fault);
    return run;
}

std::string fault_of(const std::function<void()>& read) {
    try {
        read();
    } catch (const nlohmann::json::exception&) {
        return "an entry is missing or damaged";
    } catch (const std::invalid_argument& problem) {
        return problem.what();
    } catch (const std::out_of_range&) {
        return "a list is too short";
    }
    return {};
}

}  // namespace lacon::checkpoint
