// The reports of `check` and `eval` for sparse systems. Matrices are listed by their nonzero
// entries, long lists of names as ranges, and dependent sets of the same kind as one group. The gap
// is estimated from pivots, as there are no singular values.
#include "large_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "large/evaluate.hpp"
#include "large/names.hpp"
#include "layout.hpp"

namespace lacon::app {

namespace {

struct LargeFindings {
    const DerivedModel& details;
    const Start& start;
    LargeEvaluation at;
    Status status;
    bool taken_as_given = false;

    LargeFindings(const Loaded& loaded, const Start& s, const StateOptions& options)
        : details(*loaded.details),
          start(s),
          at(evaluate_large(*loaded.details, s.state, options.solve())),
          status(s.status ? at.status : s.status),
          taken_as_given(!options.at.empty()) {
        if (start.status) return;
        separate_start_conflicts();
        for (auto* answer : {&at.acceleration, &at.multipliers, &at.constraint_force})
            answer->clear();
        at.outputs.clear();
        at.gaussian = NAN;
    }

    /// Rows that contradict each other at the start say no same thing, though their accelerations
    /// may.
    void separate_start_conflicts() {
        for (std::size_t s = 0; s < at.dependent.size(); ++s) {
            std::vector<std::string> names = names_of(at.dependent[s]);
            std::sort(names.begin(), names.end());
            for (std::vector<std::string> other : start.conflicts) {
                std::sort(other.begin(), other.end());
                if (std::includes(names.begin(), names.end(), other.begin(), other.end()))
                    at.dependent[s].conflict = true;
            }
        }
        std::erase_if(at.dependent, [](const DependentSet& set) { return set.conflict; });
        at.groups = group_sets(details, at.dependent);
    }

    std::array<std::size_t, 3> kinds() const {
        std::array<std::size_t, 3> count{};
        for (const Level level : details.system.levels) ++count[static_cast<std::size_t>(level)];
        return count;
    }
    /// The root of the ratio of pivots, smallest kept to largest dropped: singular values are not
    /// to be had.
    Json gap() const {
        constexpr double rounding = 2e-16;
        return at.has_rank && at.rank
                   ? Json(std::sqrt(at.smallest_kept / std::max(at.largest_dropped, rounding)))
                   : Json(nullptr);
    }
    std::size_t freedom() const { return details.coordinate_names.size() - at.rank; }

    /// By how much the state breaks the constraints on positions and velocities.
    double off() const {
        double most = 0.0;
        for (std::size_t r = 0; r < at.residuals.size(); ++r)
            if (details.system.levels[r] != Level::acceleration)
                most =
                    std::max({most, std::abs(at.residuals[r]), std::abs(at.velocity_residuals[r])});
        return most;
    }

    std::vector<std::string> names_of(const DependentSet& set) const {
        std::vector<std::string> names;
        for (const std::size_t row : set.rows) names.push_back(details.constraint_names[row]);
        return names;
    }
    Json sets(bool conflict) const {
        Json list = Json::array();
        if (conflict)
            for (const std::vector<std::string>& set : start.conflicts) list.push_back(set);
        for (const DependentSet& set : at.dependent)
            if (set.conflict == conflict) list.push_back(names_of(set));
        return list;
    }
};

std::string moved_text(const Start& start) {
    if (!start.status) return start.status.message;
    if (start.moved.empty()) return "consistent as given";
    double most = 0.0;
    std::vector<std::string> names;
    for (const Start::Move& move : start.moved) {
        most = std::max(most, std::abs(move.by));
        names.push_back(move.name);
    }
    return fmt::format("corrected to meet the constraints: {} by at most {}", ranges_text(names, 4),
                       rounded(most, 4));
}

std::string rank_text(const LargeFindings& f) {
    return fmt::format(
        "{} of {}{}; reciprocal condition {}{}", f.at.rank, f.details.constraint_names.size(),
        f.at.rank_decided ? "" : ", UNDECIDED: too close to the tolerance",
        rounded(f.at.weakest, 2),
        f.at.rank_decided ? ""
                          : " (pivots " + rounded(f.at.smallest_kept, 2) + " kept, " +
                                rounded(f.at.largest_dropped, 2) + " dropped)");
}

std::string check_text(const LargeFindings& f) {
    const auto kinds = f.kinds();
    std::string levels;
    for (std::size_t k = 0; k < kinds.size(); ++k)
        if (kinds[k] > 0)
            levels += fmt::format("{}{} at {} level", levels.empty() ? "" : ", ", kinds[k],
                                  name_of(static_cast<Level>(k)));
    const std::size_t m = f.details.constraint_names.size();
    const auto line = [](const char* label, const std::string& text) {
        return fmt::format("{:<13}{}\n", label, text);
    };
    std::string text = f.details.name + "\n";
    text += line("coordinates", fmt::format("{}", f.details.coordinate_names.size()));
    text += line("constraints", fmt::format("{}{}", m, m ? " (" + levels + ")" : ""));
    text += f.taken_as_given ? line("state", fmt::format("as given; largest constraint residual {}",
                                                         rounded(f.off(), 3)))
                             : line("start", moved_text(f.start));
    if (f.at.has_rank) {
        text += line("rank", rank_text(f));
        text += line("freedom", counted(f.freedom(), "degree") + " of freedom");
    }
    constexpr std::size_t most_groups = 20;
    for (std::size_t c = 0; c < std::min(most_groups, f.start.conflicts.size()); ++c)
        text += line("conflict", ranges_text(f.start.conflicts[c]) + " contradict each other");
    for (std::size_t g = 0; g < std::min(most_groups, f.at.groups.size()); ++g)
        text += line(f.at.groups[g].conflict    ? "conflict"
                     : f.at.groups[g].undecided ? "undecided"
                                                : "dependent",
                     f.at.groups[g].text);
    if (f.at.groups.size() > most_groups)
        text += line("", fmt::format("and {} more groups (--json lists all)",
                                     f.at.groups.size() - most_groups));
    text += line("solve", f.at.solve);
    text += fmt::format("{:<13}{}", "verdict", name_of(f.status.outcome));
    if (!f.status && f.start.status && f.status.outcome != Outcome::conflict)
        text += ": " + f.status.message;
    return text + "\n";
}

Json diagnosis_json(const LargeEvaluation& at) {
    Json groups = Json::array();
    for (const SetGroup& group : at.groups)
        groups.push_back({{"sets", group.sets.size()},
                          {"text", group.text},
                          {"conflict", group.conflict},
                          {"undecided", group.undecided}});
    return {{"rank_decided", at.rank_decided},
            {"smallest_kept", at.smallest_kept},
            {"largest_dropped", at.largest_dropped},
            {"weakest", at.weakest},
            {"groups", groups}};
}

/// The keys of `check` for any system; `diagnosis` has what is told of large ones only.
Json check_json(const LargeFindings& f) {
    const auto kinds = f.kinds();
    Json moved = Json::object();
    for (const Start::Move& move : f.start.moved) moved[move.name] = move.by;
    const bool has = f.at.has_rank;
    Json json{
        {"model", f.details.name},
        {"coordinates", f.details.coordinate_names.size()},
        {"constraints", f.details.constraint_names.size()},
        {"kinds", {{"position", kinds[0]}, {"velocity", kinds[1]}, {"acceleration", kinds[2]}}},
        {"rank", has ? Json(f.at.rank) : Json(nullptr)},
        {"degrees_of_freedom", has ? Json(f.freedom()) : Json(nullptr)},
        {"gap", f.gap()},
        {"redundant", f.sets(false)},
        {"conflicts", f.sets(true)},
        {"start",
         {{"status", name_of(f.start.status.outcome)},
          {"moved", moved},
          {"position_residual", f.start.position_residual},
          {"velocity_residual", f.start.velocity_residual}}},
        {"status", name_of(f.status.outcome)}};
    if (!f.start.unmet.empty()) json["unmet"] = to_json(f.start.unmet);
    if (!f.status) json["message"] = with_short_names(f.status.message);
    if (f.status.outcome == Outcome::conflict) json["conflict"] = f.status.names;
    json["diagnosis"] = diagnosis_json(f.at);
    json["solve"] = f.at.solve;
    return json;
}

Json entries_json(const SparseMatrix& matrix) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        Json row = Json::array();
        for (std::size_t e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e)
            row.push_back(Json::array({matrix.column[e], matrix.value[e]}));
        rows.push_back(std::move(row));
    }
    return {{"rows", matrix.rows}, {"columns", matrix.cols}, {"entries", std::move(rows)}};
}

/// What a row of A pushes with, as entries: those of the whole vector that are not there are zero.
Json force_json(const SparseMatrix& A, std::size_t row, double multiplier) {
    Json entries = Json::array();
    for (std::size_t e = A.begin[row]; e < A.begin[row + 1]; ++e)
        entries.push_back(Json::array({A.column[e], A.value[e] * multiplier}));
    return entries;
}

Json constraints_json(const LargeFindings& f) {
    const LargeEvaluation& at = f.at;
    const bool solved = !at.acceleration.empty();
    std::vector<bool> redundant(f.details.constraint_names.size(), false);
    for (const DependentSet& set : at.dependent)
        for (const std::size_t row : set.rows) redundant[row] = true;
    Json constraints = Json::array();
    for (std::size_t r = 0; r < redundant.size(); ++r) {
        constraints.push_back(
            {{"name", f.details.constraint_names[r]},
             {"kind", name_of(f.details.system.levels[r])},
             {"residual", at.residuals[r]},
             {"velocity_residual", at.velocity_residuals[r]},
             {"force", solved ? force_json(at.A, r, at.multipliers[r]) : Json(nullptr)},
             {"multiplier", solved ? Json(at.multipliers[r]) : Json(nullptr)},
             {"redundant", static_cast<bool>(redundant[r])},
             {"unique", solved ? Json(!redundant[r]) : Json(nullptr)}});
        if (f.details.model.constraints[r].weight)
            constraints.back()["weight"] = f.details.weights[r];
    }
    return constraints;
}

Json eval_json(const LargeFindings& f) {
    const LargeEvaluation& at = f.at;
    const bool solved = !at.acceleration.empty();
    const auto answer = [&](const std::vector<double>& values) {
        return solved ? Json(values) : Json(nullptr);
    };
    Json outputs = Json::object();
    for (const auto& [name, value] : at.outputs) outputs[name] = value;
    Json json{{"model", f.details.name},
              {"t", at.state.t},
              {"coordinates", f.details.coordinate_names},
              {"q", at.state.q},
              {"v", at.state.v},
              {"M", entries_json(at.M)},
              {"Q", at.Q},
              {"A", entries_json(at.A)},
              {"b", at.b},
              {"a", at.a.empty() && !at.Q.empty() ? Json(nullptr) : Json(at.a)},
              {"e", at.a.empty() && !at.Q.empty() ? Json(nullptr) : Json(at.e)},
              {"rank", at.has_rank ? Json(at.rank) : Json(nullptr)},
              {"rank_decided", at.has_rank ? Json(at.rank_decided) : Json(nullptr)},
              {"gap", f.gap()},
              {"acceleration", answer(at.acceleration)},
              {"constraint_force", answer(at.constraint_force)},
              {"nonideal_force",
               answer(std::vector<double>(at.Q.size(), 0.0))},  // large systems have none yet
              {"multipliers", answer(at.multipliers)},
              {"gaussian", solved ? Json(at.gaussian) : Json(nullptr)},
              {"lagrangian", {{"T", at.kinetic}, {"V", at.potential}}},
              {"constraints", constraints_json(f)},
              {"outputs", std::move(outputs)},
              {"solve", at.solve},
              {"status", name_of(f.status.outcome)}};
    if (!f.start.status && !f.start.unmet.empty()) json["unmet"] = to_json(f.start.unmet);
    if (!f.status) json["message"] = with_short_names(f.status.message);
    if (f.status.outcome == Outcome::conflict) json["conflict"] = f.status.names;
    json["diagnosis"] = diagnosis_json(at);
    return json;
}

std::string eval_text(const LargeFindings& f) {
    const LargeEvaluation& at = f.at;
    const auto number = [](const std::vector<double>& values, std::size_t i) {
        return values.empty() || std::isnan(values[i]) ? std::string("-") : rounded(values[i], 8);
    };
    std::string text = fmt::format("{}, t = {}\n\n{:<12}{:>15}{:>15}{:>15}{:>15}{:>15}\n",
                                   f.details.name, rounded(at.state.t, 8), "coordinate", "q", "q'",
                                   "free a", "q''", "constr. force");
    const std::size_t n = at.state.q.size(), m = f.details.constraint_names.size();
    for (std::size_t i = 0; i < std::min(most_lines, n); ++i)
        text += fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}{:>15}\n", f.details.coordinate_names[i],
                            rounded(at.state.q[i], 8), rounded(at.state.v[i], 8), number(at.a, i),
                            number(at.acceleration, i), number(at.constraint_force, i));
    text += rest_of(n);
    if (m > 0)
        text += fmt::format("\n{:<12}{:>15}{:>15}{:>15}{:>15}\n", "constraint", "level", "residual",
                            "residual'", "multiplier");
    for (std::size_t r = 0; r < std::min(most_lines, m); ++r)
        text += fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}\n", f.details.constraint_names[r],
                            name_of(f.details.system.levels[r]), number(at.residuals, r),
                            number(at.velocity_residuals, r), number(at.multipliers, r));
    text += rest_of(m);
    text += fmt::format("\nT = {}, V = {}", rounded(at.kinetic, 8), rounded(at.potential, 8));
    if (!std::isnan(at.gaussian))
        text += fmt::format(", Gauss's measure {}", rounded(at.gaussian, 8));
    if (at.has_rank)
        text += fmt::format(", rank {} of {}{}", at.rank, m,
                            at.rank_decided ? "" : ", UNDECIDED: too close to the tolerance");
    text += "\n";
    for (std::size_t i = 0; i < std::min(most_lines, at.outputs.size()); ++i)
        text += fmt::format("{} = {}\n", at.outputs[i].first, rounded(at.outputs[i].second, 8));
    text += rest_of(at.outputs.size());
    for (std::size_t g = 0; g < std::min(most_lines, at.groups.size()); ++g)
        text += at.groups[g].text + "\n";
    if (!at.dependent.empty() && !at.acceleration.empty())
        text += fmt::format(
            "multipliers of dependent constraints are not unique; those of {} are shown\n",
            f.details.weights.empty() ? "least norm" : "least weighted norm");
    if (!f.status)
        text += fmt::format("no answer ({}): {}\n", name_of(f.status.outcome), f.status.message);
    return text;
}

int finish(const LargeFindings& f, const ModelOptions& options, const Json& json,
           const std::string& text) {
    if (options.json) fmt::print("{}\n", json.dump(2));
    else fmt::print("{}", with_short_names(text));
    if (!f.status && options.json) tell("lacon: {}\n", with_short_names(f.status.message));
    return f.status ? exit_done : exit_failed;
}

}  // namespace

int check_large(const Loaded& loaded, const CheckOptions& options) {
    if (options.audit)
        throw bad_input(options.path, "--audit",
                        "the audit needs dense matrices; this system is solved with sparse ones "
                        "and cannot be audited yet");
    Start start = start_of(loaded, options);
    if (!options.at.empty()) start.moved.clear();
    const LargeFindings f(loaded, start, options);
    return finish(f, options, options.json ? check_json(f) : Json(),
                  options.json ? "" : check_text(f));
}

int eval_large(const Loaded& loaded, const StateOptions& options) {
    const Start start = start_of(loaded, options);
    const LargeFindings f(loaded, start, options);
    return finish(f, options, options.json ? eval_json(f) : Json(),
                  options.json ? "" : eval_text(f));
}

}  // namespace lacon::app
