// A snapshot as JSON. What is in force of contacts, friction and controls is written by names.
#include "checkpoint/saved_json.hpp"

namespace lacon::inline checkpoint {

namespace {

Json saved(const State& state) {
    return {{"t", state.t}, {"q", list(state.q)}, {"v", list(state.v)}};
}
State state_of(const Json& json) {
    return {json.at("t"), numbers(json.at("q")), numbers(json.at("v"))};
}

constexpr std::string_view contact_names[] = {"open", "working", "idle"};
constexpr std::string_view friction_names[] = {"none", "sticks", "slips"};
constexpr std::string_view requirement_names[] = {"idle", "bound", "missed"};
constexpr std::string_view limit_names[] = {"low", "free", "high"};  // from −1 on

Json saved(const Snapshot::Contact& c) {
    Json leaving = Json::array();
    for (const LeftContact& one : c.leaving) leaving.push_back({{"row", one.row}, {"t", one.t}});
    return {{"contacts", names_in<ContactState>(contact_names, c.modes.contact_states)},
            {"frictions", names_in<FrictionState>(friction_names, c.modes.friction_states)},
            {"directions", list(c.modes.directions)},
            {"held", c.modes.held},
            {"forces_unique", c.forces_unique},
            {"first_step", exact(c.first_step)},
            {"allowances", list(c.allowances)},
            {"piece_begin", c.piece_begin},
            {"leaving", std::move(leaving)}};
}
/// Up to version 11 of checkpoints the modes and the memory of the monitor were lists of numbers.
void take_contact(const Json& json, Snapshot& s) {
    Snapshot::Contact& c = s.contact;
    c.first_step = exact(json.at("first_step"));
    c.forces_unique = entry(json, "forces_unique", "unique");
    if (json.contains("spare")) {
        s.packed = {numbers(json.at("modes")), numbers(json.at("spare"))};
        return;
    }
    c.modes.contact_states = values_in<ContactState>(contact_names, json.at("contacts"));
    c.modes.friction_states = values_in<FrictionState>(friction_names, json.at("frictions"));
    c.modes.directions = numbers(json.at("directions"));
    c.modes.held = json.at("held").get<std::vector<std::size_t>>();
    c.allowances = numbers(json.at("allowances"));
    c.piece_begin = json.at("piece_begin");
    for (const Json& one : json.at("leaving")) c.leaving.push_back({one.at("row"), one.at("t")});
}

Json saved(const Snapshot::Controls& c) {
    if (!c.in_force) return nullptr;
    Json limits = Json::array();
    for (const int limit : c.in_force->limits) limits.push_back(name_in(limit_names, limit + 1));
    return {{"requirements", names_in<ControlSet::Row>(requirement_names, c.in_force->rows)},
            {"limits", std::move(limits)},
            {"usual_step", c.usual_step},
            {"allowances", list(c.allowances)}};
}
Snapshot::Controls controls_in_force_of(const Json& json) {
    Snapshot::Controls c;
    if (json.is_null()) return c;
    c.in_force.emplace();
    c.in_force->rows = values_in<ControlSet::Row>(requirement_names, json.at("requirements"));
    for (const Json& name : json.at("limits"))
        c.in_force->limits.push_back(
            static_cast<signed char>(value_in<int>(limit_names, name) - 1));
    c.usual_step = json.at("usual_step");
    c.allowances = numbers(json.at("allowances"));
    return c;
}
/// Up to version 11: how many rows, rows, how many limits, limits, the usual step, allowances.
Snapshot::Controls unpacked_controls(const std::vector<double>& packed) {
    Snapshot::Controls c;
    if (packed.empty()) return c;
    c.in_force.emplace();
    std::size_t i = 0;
    for (auto left = static_cast<std::size_t>(packed.at(i++)); left > 0; --left)
        c.in_force->rows.push_back(static_cast<ControlSet::Row>(packed.at(i++)));
    for (auto left = static_cast<std::size_t>(packed.at(i++)); left > 0; --left)
        c.in_force->limits.push_back(static_cast<signed char>(packed.at(i++)));
    c.usual_step = packed.at(i++);
    c.allowances.assign(packed.begin() + static_cast<std::ptrdiff_t>(i), packed.end());
    return c;
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
          {"definite", s.kernel.definite},
          {"weight", list(s.kernel.weight)},
          {"clear", s.kernel.clear},
          {"lasting", s.kernel.lasting}}},
        {"in_compiled_segment", s.in_compiled_segment},
        {"pause", {s.pause.left, s.pause.length}},
        {"trail", trail},
        {"passes", s.passes},
        {"contact", saved(s.contact)},
        {"controls", saved(s.controls)},
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
                numbers(kernel.at("floors")),
                kernel.at("refined"),
                kernel.at("definite"),
                {}};
    if (kernel.contains("weight")) s.kernel.weight = numbers(kernel.at("weight"));
    if (kernel.contains("clear")) s.kernel.clear = kernel.at("clear");
    if (kernel.contains("lasting")) s.kernel.lasting = kernel.at("lasting");
    s.in_compiled_segment = entry(json, "in_compiled_segment", "stretches");
    s.passes = json.at("passes");
    take_contact(json.at("contact"), s);
    s.controls = json.contains("controls") ? controls_in_force_of(json.at("controls"))
                                           : unpacked_controls(numbers(json.at("control")));
    s.pause = {json.at("pause").at(0), json.at("pause").at(1)};
    for (const Json& state : json.at("trail")) s.trail.push_back(state_of(state));
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

}  // namespace lacon::checkpoint
