// The command `lacon eval`: the equation of motion at one state. It prints M, Q, A, b, the
// accelerations, forces and multipliers, the two terms of P5 31 for non-ideal constraints, and what
// the controls require and spend.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "base/text.hpp"
#include "command.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis_json.hpp"
#include "layout.hpp"
#include "runs.hpp"
#include "sparse_findings.hpp"
#include "state/uniqueness.hpp"
#include "state/verdict.hpp"

namespace lacon::app {

namespace {

/// Aᵀ λ of the rows in force: with c, what M q'' = Q + Aᵀ λ + c leaves.
std::vector<double> ideal_part(const Evaluation& at) {
    if (at.c.empty() || at.solution.outcome != Outcome::ok) return at.solution.constraint_force;
    std::vector<double> force(at.c.size());
    for (std::size_t i = 0; i < force.size(); ++i)
        force[i] = at.solution.constraint_force[i] + at.solution.nonideal_force[i] - at.c[i];
    return force;
}

/// The vector c of theory 4 and what it does: P5 43 is `nonideal_force`, P5 42
/// `total_constraint_force`, P5 31 `split`.
void add_nonideal(const Evaluation& at, Json& json) {
    const ConstrainedSolution& s = at.solution;
    const bool solved = s.outcome == Outcome::ok;
    json["c"] = at.c;
    json["nonideal_power"] = solved ? Json(at.nonideal_power) : Json(nullptr);
    json["ideal_force"] = solved ? Json(s.constraint_force) : Json(nullptr);
    json["total_constraint_force"] = nullptr;
    json["split"] = nullptr;
    if (!solved) return;
    std::vector<double> total = s.constraint_force;
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += s.nonideal_force[i];
    json["total_constraint_force"] = total;
    if (at.required.empty()) return;
    double product = 0.0;
    for (std::size_t i = 0; i < at.required.size(); ++i) product += at.required[i] * at.free[i];
    json["split"] = {{"required", at.required}, {"free", at.free}, {"product", product}};
}

/// What the controls require and spend.
void add_controls(const DerivedModel& details, const Evaluation& at, Json& json) {
    const auto answer = [](const std::vector<double>& values) {
        return values.empty() ? Json(nullptr) : Json(values);
    };
    Json controls = Json::array(), efforts = Json::object();
    for (const ControlReport& c : at.controls) {
        Json rows = Json::array(), own = Json::array();
        for (const ControlReport::Row& row : c.rows) {
            rows.push_back({{"name", row.name},
                            {"kind", name_of(row.level)},
                            {"error", row.error},
                            {"velocity_error", row.velocity_error},
                            {"missed", row.missed},
                            {"redundant", row.redundant}});
            if (!row.state.empty()) rows.back()["state"] = row.state.name();
        }
        for (const ControlReport::Effort& e : c.efforts) {
            own.push_back({{"actuator", e.actuator}, {"value", e.value}});
            if (!e.limit.empty()) own.back()["limit"] = e.limit.name();
        }
        const bool solved = !c.force.empty();
        controls.push_back({{"name", c.name},
                            {"force", answer(c.force)},
                            {"power", solved ? Json(c.power) : Json(nullptr)},
                            {"cost", solved ? Json(c.cost) : Json(nullptr)},
                            {"rows", std::move(rows)},
                            {"efforts", std::move(own)}});
    }
    for (std::size_t k = 0; k < at.efforts.size(); ++k)
        efforts[details.actuator_names[k]] = at.efforts[k];
    json["control_force"] = answer(at.control_force);
    json["efforts"] = at.efforts.empty() ? Json(nullptr) : std::move(efforts);
    json["controls"] = std::move(controls);
}

bool knows_rank(const Evaluation& at) {
    return at.is_sparse ? at.pivots.has_value() : has_rank(at.solution);
}

struct EvalFindings {
    const DerivedModel& details;
    const Evaluation& at;
    const Status& status;
    const Start& start;
    const Diagnosis& diagnosis;                   // of a dense evaluation
    const std::optional<SparseFindings>& sparse;  // of a sparse one
};

Json constraints_json(const EvalFindings& f) {
    const Evaluation& at = f.at;
    const bool solved = at.solution.outcome == Outcome::ok;
    Json constraints = Json::array();
    const std::map<std::string, bool> unique = unique_multipliers(f.diagnosis);
    for (std::size_t r = 0; r < at.constraints.size(); ++r) {
        const ConstraintReport& c = at.constraints[r];
        // Rows that are not in force have no force, and that is unique.
        const auto known = unique.find(c.name);
        const bool is_unique = f.sparse ? !c.redundant : known == unique.end() || known->second;
        constraints.push_back({{"name", c.name},
                               {"kind", name_of(c.level)},
                               {"residual", c.residual},
                               {"velocity_residual", c.velocity_residual},
                               {"force", !at.is_sparse ? (solved ? Json(c.force) : Json(nullptr))
                                         : solved      ? force_json(at.sparse_A, r, c.multiplier)
                                                       : Json(nullptr)},
                               {"multiplier", c.multiplier},
                               {"redundant", c.redundant},
                               {"unique", solved ? Json(is_unique) : Json(nullptr)}});
        if (c.weight) constraints.back()["weight"] = *c.weight;
        if (!c.contact.empty()) constraints.back()["contact"] = c.contact.name();
        if (!c.friction_state.empty())
            constraints.back().update({{"friction_state", c.friction_state.name()},
                                       {"friction_force", c.friction_force}});
    }
    return constraints;
}

Json json_of(const EvalFindings& f) {
    const auto& [details, at, status, start, diagnosis, sparse] = f;
    const ConstrainedSolution& s = at.solution;
    const bool solved = s.outcome == Outcome::ok;
    const auto answer = [&](const std::vector<double>& values) {
        return solved ? Json(values) : Json(nullptr);
    };
    Json outputs = Json::object();
    for (const auto& [name, value] : at.outputs) outputs[name] = value;
    Json json{{"model", details.name},
              {"t", at.state.t},
              {"coordinates", details.coordinate_names},
              {"q", at.state.q},
              {"v", at.state.v},
              {"M", at.is_sparse ? to_json(at.sparse_M) : to_json(at.M)},
              {"Q", at.Q},
              {"A", at.is_sparse ? to_json(at.sparse_A) : to_json(at.A)},
              {"b", at.b},
              {"a", s.a.empty() && !at.Q.empty() ? Json(nullptr) : Json(s.a)},
              {"e", s.a.empty() && !at.Q.empty() ? Json(nullptr) : Json(s.e)},
              {"rank", knows_rank(at) ? Json(s.rank) : Json(nullptr)},
              {"gap", s.rank ? Json(s.gap) : Json(nullptr)},
              {"acceleration", answer(s.acceleration)},
              {"constraint_force", answer(ideal_part(at))},
              {"nonideal_force", answer(s.nonideal_force)},
              {"multipliers", answer(s.multipliers)},
              {"gaussian", solved ? Json(s.gaussian) : Json(nullptr)},
              {"lagrangian", {{"T", at.kinetic}, {"V", at.potential}}},
              {"constraints", constraints_json(f)},
              {"outputs", outputs},
              {"status", name_of(status.outcome)}};
    for (const DryFrictionReport& one : at.frictions)
        json["frictions"].push_back({{"name", one.name},
                                     {"coordinate", details.coordinate_names[one.number]},
                                     {"bound", one.bound},
                                     {"friction_state", one.friction_state.name()},
                                     {"force", solved ? Json(one.force) : Json(nullptr)}});
    if (!details.control_names.empty()) add_controls(details, at, json);
    if (!at.c.empty()) add_nonideal(at, json);
    if (at.certificate) {
        const ContactSolution::Certificate& certificate = *at.certificate;
        json["certificate"] = {{"primal", certificate.primal},
                               {"dual", certificate.dual},
                               {"complementarity", certificate.complementarity}};
        json["forces_unique"] = at.forces_unique;
    }
    if (const auto names = outputs_not_unique(details, at); !names.empty())
        json["outputs_not_unique"] = names;
    if (!start.status && !start.unmet.empty()) json["unmet"] = to_json(start.unmet);
    if (!status) json["message"] = with_short_names(status.message);
    if (status.outcome == Outcome::conflict) json["conflict"] = status.names;
    json["diagnosis"] = sparse ? sparse->json(at) : to_json(diagnosis);
    if (!at.is_sparse) return json;
    json["rank_decided"] = knows_rank(at) ? Json(s.rank_decided) : Json(nullptr);
    json["solve"] = at.solve;
    return json;
}

std::string coordinate_table(const DerivedModel& details, const Evaluation& at) {
    const ConstrainedSolution& s = at.solution;
    const bool controlled = !details.control_names.empty();
    std::string text = fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}{:>15}{}\n", "coordinate", "q",
                                   "q'", "free a", "q''", "constr. force",
                                   controlled ? fmt::format("{:>15}", "control force") : "");
    const auto number = [](const std::vector<double>& values, std::size_t i) {
        return values.empty() ? std::string("-") : rounded(values[i], 8);
    };
    const std::vector<double> force = ideal_part(at);
    for (std::size_t i = 0; i < std::min(most_lines, at.state.q.size()); ++i)
        text += fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}{:>15}{}\n", details.coordinate_names[i],
                            rounded(at.state.q[i], 8), rounded(at.state.v[i], 8), number(s.a, i),
                            number(s.acceleration, i), number(force, i),
                            controlled ? fmt::format("{:>15}", number(at.control_force, i)) : "");
    return text + rest_of(at.state.q.size());
}

std::string constraint_table(const Evaluation& at) {
    std::string text = fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}\n", "constraint", "level",
                                   "residual", "residual'", "multiplier");
    const auto number = [](double x) { return std::isnan(x) ? std::string("-") : rounded(x, 8); };
    for (const ConstraintReport& c :
         std::span(at.constraints).first(std::min(most_lines, at.constraints.size()))) {
        std::string notes;
        const std::string_view friction_state =
            c.friction_state == FrictionKind::open ? "" : c.friction_state.name();
        for (const std::string_view note :
             {c.contact.name(), friction_state, std::string_view(c.redundant ? "redundant" : "")})
            if (!note.empty()) notes.append(notes.empty() ? "  " : ", ").append(note);
        text += fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}{}\n", c.name, name_of(c.level),
                            number(c.residual), number(c.velocity_residual), number(c.multiplier),
                            notes);
    }
    return text + rest_of(at.constraints.size());
}

/// Of dry friction with fixed bounds.
std::string friction_table(const DerivedModel& details, const Evaluation& at) {
    std::string text = fmt::format("{:<12}{:>15}{:>15}\n", "friction", "bound", "force");
    const auto number = [](double x) { return std::isnan(x) ? std::string("-") : rounded(x, 8); };
    for (const DryFrictionReport& f :
         std::span(at.frictions).first(std::min(most_lines, at.frictions.size())))
        text += fmt::format("{:<12}{:>15}{:>15}{}\n", details.coordinate_names[f.number],
                            number(f.bound), number(f.force),
                            f.friction_state == FrictionKind::open
                                ? ""
                                : fmt::format("  {}", f.friction_state.name()));
    return text + rest_of(at.frictions.size());
}

/// A matrix with a vector behind it, row by row: M and Q, A and b. Empty where there are too many
/// columns for a line.
std::string matrix_table(const std::string& title, const Matrix& matrix,
                         const std::vector<double>& right, const std::vector<std::string>& rows,
                         const std::vector<std::string>& columns) {
    constexpr std::size_t most_columns = 8, most_rows = 12, width = 14;
    if (matrix.rows() == 0 || matrix.cols() > most_columns || matrix.rows() > most_rows) return {};
    const auto padded = [](const std::string& name) {
        const std::size_t length = count_characters(name);
        return name + std::string(length < 12 ? 12 - length : 1, ' ');
    };
    const auto cell = [](const std::string& text) {
        const std::size_t length = count_characters(text);
        return std::string(length < width ? width - length : 1, ' ') + text;
    };
    std::string text = "\n" + padded(title.substr(0, 1));
    for (const std::string& name : columns) text += cell(name);
    text += " |" + cell(title.substr(1)) + "\n";
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
        text += padded(rows[i]);
        for (std::size_t j = 0; j < matrix.cols(); ++j) text += cell(rounded(matrix(i, j), 6));
        text += " |" + cell(rounded(right[i], 6)) + "\n";
    }
    return text;
}

/// M and Q, and A and b where there are constraints; where they are large, where to find them.
std::string matrices(const DerivedModel& details, const Evaluation& at) {
    if (at.is_sparse) return {};
    const std::string mass =
        matrix_table("MQ", at.M, at.Q, details.coordinate_names, details.coordinate_names);
    const std::string rows =
        matrix_table("Ab", at.A, at.b, details.constraint_names, details.coordinate_names);
    const bool left_out = mass.empty() || (rows.empty() && at.A.rows() > 0);
    return mass + rows +
           (left_out ? "\nM, Q, A or b is too large to print; --json prints them\n" : "");
}

/// Of every requirement, and of every actuator the whole effort.
std::string control_tables(const DerivedModel& details, const Evaluation& at) {
    const auto number = [](double x) { return std::isnan(x) ? std::string("-") : rounded(x, 8); };
    std::string text = fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}\n", "required", "level", "error",
                                   "error'", "missed");
    std::size_t lines = 0;
    std::map<std::string, std::string> limits;
    for (const ControlReport& c : at.controls) {
        for (const ControlReport::Effort& e : c.efforts) limits.emplace(e.actuator, e.limit.name());
        for (const ControlReport::Row& row : c.rows) {
            if (++lines > most_lines) continue;
            std::string notes;
            for (const std::string_view note :
                 {row.state.name(), std::string_view(row.redundant ? "redundant" : "")})
                if (!note.empty()) notes.append(notes.empty() ? "  " : ", ").append(note);
            text += fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}{}\n", row.name, name_of(row.level),
                                number(row.error), number(row.velocity_error), number(row.missed),
                                notes);
        }
    }
    text += rest_of(lines);
    if (at.efforts.empty()) return text;
    text += fmt::format("\n{:<12}{:>15}\n", "actuator", "effort");
    for (std::size_t k = 0; k < std::min(most_lines, at.efforts.size()); ++k) {
        const std::string& name = details.actuator_names[k];
        const std::string limit = limits.contains(name) ? limits.at(name) : "";
        text += fmt::format("{:<12}{:>15}{}\n", name, number(at.efforts[k]),
                            limit.empty() ? "" : fmt::format("  at its {} limit", limit));
    }
    text += rest_of(at.efforts.size());
    for (const ControlReport& c : at.controls)
        text += fmt::format("control '{}': power {}, cost {}\n", c.name, number(c.power),
                            number(c.cost));
    return text;
}

/// What depends on what, a line each.
std::string set_lines(const DerivedModel& details, const Evaluation& at,
                      const std::optional<SparseFindings>& sparse) {
    std::string text;
    if (sparse) {
        for (std::size_t g = 0; g < std::min(most_lines, sparse->groups.size()); ++g)
            text += sparse->groups[g].text + "\n";
        return text;
    }
    for (const DependentSet& set : at.solution.dependent)
        text += (set.conflict ? describe_conflict(details, set) : describe(details, set)) + "\n";
    return text;
}

std::string text_of(const EvalFindings& f) {
    const auto& [details, at, status, start, diagnosis, sparse] = f;
    const ConstrainedSolution& s = at.solution;
    std::string text = fmt::format("{}, t = {}\n\n{}", details.name, rounded(at.state.t, 8),
                                   coordinate_table(details, at));
    if (!at.constraints.empty()) text += "\n" + constraint_table(at);
    if (!at.frictions.empty()) text += "\n" + friction_table(details, at);
    if (!at.controls.empty()) text += "\n" + control_tables(details, at);
    text += matrices(details, at);
    text += fmt::format("\nT = {}, V = {}", rounded(at.kinetic, 8), rounded(at.potential, 8));
    if (s.outcome == Outcome::ok && !s.a.empty())
        text += fmt::format(", Gauss's measure {}", rounded(s.gaussian, 8));
    if (knows_rank(at))
        text += fmt::format(
            ", rank {} of {}{}", s.rank, at.rows_in_force,
            at.is_sparse && !s.rank_decided ? ", UNDECIDED: too close to the tolerance" : "");
    text += "\n";
    const std::size_t shown = at.is_sparse ? most_lines : at.outputs.size();
    for (const auto& [name, value] :
         std::span(at.outputs).first(std::min(shown, at.outputs.size())))
        text += fmt::format("{} = {}\n", name, rounded(value, 8));
    text += rest_of(at.outputs.size(), shown);
    if (const auto names = outputs_not_unique(details, at); !names.empty())
        text +=
            fmt::format("not unique: {}; the values of least norm are shown\n", quoted_list(names));
    text += set_lines(details, at, sparse);
    if (!at.c.empty() && s.outcome == Outcome::ok)
        text += fmt::format("power of the nonideal forces {}\n", rounded(at.nonideal_power, 8));
    const std::string_view norm = details.weights.empty() ? "least norm" : "least weighted norm";
    if (!at.forces_unique)
        text += fmt::format(
            "contacts depend on each other: their forces are not unique; those of {} are shown\n",
            norm);
    if (!s.dependent.empty() && s.outcome == Outcome::ok)
        text += fmt::format(
            "multipliers of dependent constraints are not unique; those of {} are shown\n", norm);
    if (!status)
        text += fmt::format("no answer ({}): {}\n", name_of(status.outcome), status.message);
    return text;
}

/// At a state that breaks the constraints beyond repair there are M, Q, A and b, but no motion.
void withdraw_answer(Evaluation& at) {
    if (at.solution.outcome == Outcome::ok) at.solution.outcome = Outcome::no_start;
    at.solution.acceleration.clear();
    at.solution.constraint_force.clear();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (ConstraintReport& c : at.constraints) c.multiplier = nan;
    for (ControlReport& c : at.controls) {
        c.force.clear();
        c.efforts.clear();
        for (ControlReport::Row& row : c.rows) row.missed = nan;
    }
    at.control_force.clear();
    at.efforts.clear();
    at.outputs.clear();
}

}  // namespace

int run_eval(const StateOptions& options) {
    const Loaded loaded = load(options);
    const DerivedModel& details = *loaded.details;
    is_large(loaded, options);  // refuses a solver that cannot be
    const Start start = start_of(loaded, options);
    Evaluation at = evaluate(details, start.state, options.solve(), options.solver);
    std::optional<SparseFindings> sparse;
    if (at.is_sparse) {
        sparse.emplace(details, at, start);
        sparse->mark(at.constraints);
    }
    if (!start.status) withdraw_answer(at);
    const Status status = start.status ? at.status : start.status;
    Diagnosis diagnosis;
    if (options.json && !at.is_sparse) {
        DiagnosisOptions how;
        how.solve = options.solve();
        how.most_sampled = 40;
        diagnosis = diagnose(details, at, options.at.empty() ? &start : nullptr, how);
    }
    const EvalFindings findings{details, at, status, start, diagnosis, sparse};
    if (options.json) fmt::print("{}\n", json_of(findings).dump(2));
    else fmt::print("{}", with_short_names(text_of(findings)));
    if (!status) tell("lacon: {}\n", with_short_names(status.message));
    return status ? exit_done : exit_failed;
}

}  // namespace lacon::app
