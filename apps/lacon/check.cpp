#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "command.hpp"
#include "motion/evaluate.hpp"
#include "motion/verdict.hpp"

namespace lacon::app {

namespace {

struct Findings {
    const SystemDetails& details;
    Start start;
    Evaluation at;
    std::array<std::size_t, 3> kinds{};  // by Level
    std::vector<DependentSet> redundant, conflicts;
    Status status;

    Findings(const SystemDetails& d, const std::vector<StartOverride>& overrides, const SolveOptions& options) : details(d) {
        start = consistent_start(details, overrides, options);
        at = evaluate(details, start.state, options);
        for (const Level level : details.system.levels) ++kinds[static_cast<std::size_t>(level)];
        status = start.status ? at.status : start.status;
        for (const DependentSet& set : at.solution.dependent) {
            if (set.conflict) conflicts.push_back(set);
            else if (!conflicts_at_start(set)) redundant.push_back(set);
        }
    }

    /// Rows that agree in their accelerations, but whose positions or velocities contradict each other.
    bool conflicts_at_start(const DependentSet& set) const {
        if (start.status.outcome != Outcome::conflict) return false;
        const std::vector<std::string> names = names_of(details, set);
        return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
            return std::find(start.status.names.begin(), start.status.names.end(), name) != start.status.names.end();
        });
    }

    bool solved() const { return has_rank(at.solution); }
    std::size_t degrees_of_freedom() const { return details.coordinate_names.size() - at.solution.rank; }

    std::vector<std::vector<std::string>> conflict_names() const {
        std::vector<std::vector<std::string>> names;
        for (const DependentSet& set : conflicts) names.push_back(names_of(details, set));
        names.insert(names.end(), start.conflicts.begin(), start.conflicts.end());
        return names;
    }
};

/// How many one-sided constraints are open, closed, …, and how many frictions stick or slip.
std::map<std::string, std::size_t> contact_counts(const Evaluation& at) {
    std::map<std::string, std::size_t> counts;
    for (const ConstraintReport& c : at.constraints) {
        if (!c.contact.empty()) ++counts[c.contact];
        if (c.grip == "sticks" || c.grip == "slips") ++counts[c.grip == "sticks" ? "sticking" : "slipping"];
    }
    return counts;
}

Json json_of(const Findings& f) {
    Json moved = Json::object();
    for (const Start::Move& move : f.start.moved) moved[move.name] = move.by;
    Json redundant = Json::array();
    for (const DependentSet& set : f.redundant) redundant.push_back(names_of(f.details, set));
    const auto or_null = [&](auto value) { return f.solved() ? Json(value) : Json(nullptr); };
    Json json{
        {"model", f.details.name},
        {"coordinates", f.details.coordinate_names.size()},
        {"constraints", f.details.constraint_names.size()},
        {"kinds", {{"position", f.kinds[0]}, {"velocity", f.kinds[1]}, {"acceleration", f.kinds[2]}}},
        {"rank", or_null(f.at.solution.rank)},
        {"degrees_of_freedom", or_null(f.degrees_of_freedom())},
        {"gap", f.at.solution.rank ? Json(f.at.solution.gap) : Json(nullptr)},
        {"redundant", redundant},
        {"conflicts", f.conflict_names()},
        {"start",
         {{"status", name_of(f.start.status.outcome)},
          {"moved", moved},
          {"position_residual", f.start.position_residual},
          {"velocity_residual", f.start.velocity_residual}}},
        {"status", name_of(f.status.outcome)},
    };
    if (const auto counts = contact_counts(f.at); !counts.empty()) json["contacts"] = counts;
    if (!f.start.unmet.empty()) json["unmet"] = to_json(f.start.unmet);
    if (!f.status) json["message"] = with_short_names(f.status.message);
    if (f.status.outcome == Outcome::conflict) json["conflict"] = f.status.names;
    return json;
}

std::string kinds_text(const Findings& f) {
    std::string text;
    for (std::size_t k = 0; k < f.kinds.size(); ++k) {
        if (f.kinds[k] == 0) continue;
        text += fmt::format("{}{} at {} level", text.empty() ? "" : ", ", f.kinds[k], name_of(static_cast<Level>(k)));
    }
    return text;
}

std::string start_text(const Start& start) {
    if (!start.status) return "start        " + start.status.message + "\n";
    if (start.moved.empty()) return "start        consistent as given\n";
    constexpr std::size_t shown = 8;
    std::string moves;
    for (std::size_t i = 0; i < std::min(shown, start.moved.size()); ++i)
        moves += fmt::format("{}{} by {}", i ? ", " : "", start.moved[i].name, rounded(start.moved[i].by));
    if (start.moved.size() > shown) moves += fmt::format(" and {} more", start.moved.size() - shown);
    return fmt::format("start        made consistent by moving {}\n", moves);
}

std::string text_of(const Findings& f) {
    const std::size_t m = f.details.constraint_names.size();
    std::string text = f.details.name + "\n";
    text += fmt::format("coordinates  {}\n", f.details.coordinate_names.size());
    text += fmt::format("constraints  {}{}\n", m, m ? " (" + kinds_text(f) + ")" : "");
    text += start_text(f.start);
    if (const auto counts = contact_counts(f.at); !counts.empty()) {
        std::string line;
        for (const auto& [what, count] : counts) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, what);
        text += fmt::format("contacts     {}\n", line);
    }
    if (f.solved()) {
        text += fmt::format("rank         {} of {}{}\n", f.at.solution.rank, f.at.rows_in_force,
                            f.at.solution.rank ? fmt::format(" (gap {})", rounded(f.at.solution.gap, 2)) : "");
        text += fmt::format("freedom      {}\n", counted(f.degrees_of_freedom(), "degree") + " of freedom");
    }
    for (const DependentSet& set : f.redundant) text += fmt::format("redundant    {}\n", describe(f.details, set));
    for (const DependentSet& set : f.conflicts) text += fmt::format("conflict     {}\n", describe_conflict(f.details, set));
    text += fmt::format("verdict      {}", name_of(f.status.outcome));
    if (!f.status && f.start.status) text += ": " + f.status.message;  // a failed start has said its reason above
    text += "\n";
    return text;
}

}  // namespace

int run_check(const ModelOptions& options) {
    const Loaded loaded = load(options);
    const Findings findings(*loaded.details, loaded.start, options.solve());
    if (options.json) fmt::print("{}\n", json_of(findings).dump(2));
    else fmt::print("{}", with_short_names(text_of(findings)));
    if (!findings.status && options.json) fmt::print(stderr, "lacon: {}\n", with_short_names(findings.status.message));
    return findings.status ? exit_done : exit_failed;
}

}  // namespace lacon::app
