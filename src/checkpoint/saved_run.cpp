// A run as JSON: its plan and its snapshot, and both together as the text that Simulation::save
// gives. Finite numbers are written as the shortest text that reads back as the same double, so a
// resumed run continues with the same bits.
#include "checkpoint/saved_run.hpp"

#include "checkpoint/saved_json.hpp"

namespace lacon::inline checkpoint {

namespace {

constexpr std::string_view stabilize_names[] = {"project", "baumgarte", "none"};
constexpr std::string_view path_names[] = {"automatic", "cod", "svd", "ldlt"};

/// By its name; in older versions by its number.
template <class Enum>
Enum named_or_numbered(std::span<const std::string_view> names, const Json& json) {
    return json.is_number() ? static_cast<Enum>(json.get<int>()) : value_in<Enum>(names, json);
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
            {"method", name_of(plan.method)},
            {"impacts", name_of(plan.impacts)},
            {"stabilize", name_in(stabilize_names, o.stabilize)},
            {"baumgarte", o.baumgarte},
            {"strict", o.strict},
            {"through_singular", o.through_singular},
            {"diagnose", o.diagnose},
            {"rank_tol", o.solve.rank_tol},
            {"consistency_tol", o.solve.consistency_tol},
            {"sure_gap", o.solve.sure_gap},
            {"path", name_in(path_names, o.solve.path)},
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
    plan.method = Named<MethodKind>(json.at("method").get<std::string>());
    plan.impacts = Named<ImpactLaw>(json.at("impacts").get<std::string>());
    plan.options.stabilize = named_or_numbered<Stabilize>(stabilize_names, json.at("stabilize"));
    plan.options.baumgarte = json.at("baumgarte");
    plan.options.strict = json.at("strict");
    plan.options.through_singular = json.at("through_singular");
    plan.options.diagnose = json.at("diagnose");
    SolveOptions& solve = plan.options.solve;
    solve.rank_tol = json.at("rank_tol");
    solve.consistency_tol = json.value("consistency_tol", solve.consistency_tol);
    solve.sure_gap = json.value("sure_gap", solve.sure_gap);
    if (json.contains("path"))
        solve.path = named_or_numbered<SolveOptions::Path>(path_names, json.at("path"));
    plan.options.interpret = json.at("interpret");
    plan.options.target = json.at("target").get<std::string>();
    plan.options.solver = json.at("solver").get<std::string>();
    return plan;
}

namespace {

constexpr int version = 3, oldest = 1;  // of what Simulation::save gives: written, and read

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
    const Json json = Json::parse(text, nullptr, false);
    try {
        if (json.is_discarded() || !json.is_object() || !json.contains("lacon_simulation"))
            throw std::invalid_argument("expected the text of Simulation::save");
        check_version(json["lacon_simulation"], {oldest, version});
        return read_undamaged([&] { return run_of(json); });
    } catch (const std::invalid_argument& problem) {
        throw std::invalid_argument(std::string("not a saved simulation: ") + problem.what());
    }
}

}  // namespace lacon::checkpoint
