// The command `lacon check`: diagnoses a model at its start state, or at a given one. It prints
// rank, dependent and conflicting constraints, contacts, what the actuators can reach and, with
// --audit, independent tests of the result. What a sparse evaluation knows instead of singular
// values and samples nearby is in sparse_findings.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "command.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/words.hpp"
#include "diagnosis_json.hpp"
#include "mechanics/explain/machine.hpp"
#include "runs.hpp"
#include "sparse_findings.hpp"
#include "state/family_names.hpp"
#include "state/uniqueness.hpp"

namespace lacon::app {

namespace {

struct CheckFindings {
    const DerivedModel& details;
    Start start;
    bool taken_as_given = false;  // by --at
    Evaluation at;
    std::array<std::size_t, 3> kinds{};  // by Level
    Diagnosis diagnosis;
    std::optional<SparseFindings> sparse;  // where the evaluation is: then there is no diagnosis
    std::optional<Audit> audit;
    Status status;

    CheckFindings(const Loaded& loaded, const CheckOptions& options) : details(*loaded.details) {
        DiagnosisOptions how;
        how.solve = options.solve();
        start = start_of(loaded, options);
        taken_as_given = !options.at.empty();
        if (taken_as_given) start.moved.clear();
        at = evaluate(details, start.state, how.solve, options.solver);
        for (const Level level : details.system.levels) ++kinds[static_cast<std::size_t>(level)];
        if (at.is_sparse) {
            sparse.emplace(details, at, start);
            status = start.status ? at.status : start.status;
            return;
        }
        diagnosis = diagnose(details, at, taken_as_given ? nullptr : &start, how);
        status = diagnosis.status;
        if (!options.audit) return;
        audit = lacon::audit(details, at, how);
        if (!start.status) audit = Audit{start.status, {}, {}};
    }

    /// By how much the state breaks the constraints on positions and velocities.
    double off() const {
        double most = 0.0;
        for (const ConstraintReport& c : at.constraints)
            if (c.contact.empty() && c.level != Level::acceleration)
                most = std::max({most, std::abs(c.residual), std::abs(c.velocity_residual)});
        return most;
    }

    /// None where nothing could be evaluated.
    std::optional<std::size_t> rank() const {
        if (at.is_sparse && at.pivots) return at.solution.rank;
        return diagnosis.rank ? std::optional(diagnosis.rank->rank) : std::nullopt;
    }
    std::optional<std::size_t> freedom() const {
        return rank() ? std::optional(details.coordinate_names.size() - *rank()) : std::nullopt;
    }
    /// Of joints that close loops, where nothing moves and nothing can: no freedom is left, and no
    /// constraint moves by itself.
    std::vector<std::string> locking() const {
        const auto rests = [](const std::vector<double>& values) {
            return std::all_of(values.begin(), values.end(),
                               [](double x) { return std::abs(x) < 1e-12; });  // rounding
        };
        std::vector<std::string> joints;
        if (!status || freedom() != std::optional<std::size_t>(0) || !rests(at.state.v) ||
            !rests(at.solution.acceleration))
            return joints;
        for (const Joint& joint : details.model.joints)
            if (joint.role == Joint::Role::loop || joint.role == Joint::Role::coupling)
                joints.push_back(joint.name);
        return joints;
    }
    Json gap() const {
        return rank().value_or(0) ? Json(at.is_sparse ? at.solution.gap : diagnosis.rank->gap)
                                  : Json(nullptr);
    }

    /// Sets of names; undecided ones by the side of the tolerance they are on.
    std::vector<std::vector<std::string>> sets(bool conflicting) const {
        if (sparse) return sparse->sets(details, start, conflicting);
        std::vector<std::vector<std::string>> names;
        for (const Dependency& set : diagnosis.dependent) {
            const bool conflict =
                set.verdict == Verdict::conflict || (set.verdict == Verdict::undecided &&
                                                     set.mismatch > SolveOptions{}.consistency_tol);
            if (conflict == conflicting) names.push_back(set.names);
        }
        return names;
    }
};

/// How many one-sided constraints are open, closed, …, and how many frictions stick or slip.
std::map<std::string, std::size_t> contact_counts(const Evaluation& at) {
    std::map<std::string, std::size_t> counts;
    for (const ConstraintReport& c : at.constraints) {
        if (!c.contact.empty()) ++counts[std::string(c.contact.name())];
        if (c.friction_state == FrictionKind::sticks || c.friction_state == FrictionKind::slips)
            ++counts[c.friction_state == FrictionKind::sticks ? "sticking" : "slipping"];
    }
    for (const DryFrictionReport& f : at.frictions)
        if (f.friction_state == FrictionKind::sticks || f.friction_state == FrictionKind::slips)
            ++counts[f.friction_state == FrictionKind::sticks ? "sticking" : "slipping"];
    return counts;
}

/// What the actuators can do for one control at the state.
struct Reach {
    double error = 0.0;   // largest tracking error
    double missed = 0.0;  // largest acceleration that is required and out of reach
    std::vector<std::string> missed_rows, redundant_rows;  // by their names

    Reach(const ControlReport& control, const Status& status) {
        for (const ControlReport::Row& row : control.rows) {
            error = std::max(error, std::abs(row.error));
            if (row.redundant) redundant_rows.push_back(row.name);
            // Where no effort was taken there is no state either; what is met is then met up to
            // rounding.
            const bool out_of_reach =
                status.outcome == Outcome::unreachable
                    ? std::abs(row.missed) > 1e-9 * (1.0 + largest_missed(control))
                    : row.state == RequirementState::missed;
            if (!out_of_reach) continue;
            missed_rows.push_back(row.name);
            missed = std::max(missed, std::abs(row.missed));
        }
    }

private:
    static double largest_missed(const ControlReport& control) {
        double most = 0.0;
        for (const ControlReport::Row& row : control.rows)
            most = std::max(most, std::abs(row.missed));
        return most;
    }
};

Json reach_json(const CheckFindings& f) {
    Json list = Json::array();
    for (std::size_t k = 0; k < f.at.controls.size(); ++k) {
        const ControlReport& control = f.at.controls[k];
        const Reach reach(control, f.at.status);
        list.push_back({{"name", control.name},
                        {"rows", control.rows.size()},
                        {"actuators", f.details.model.controls[k].actuators.size()},
                        {"reachable", reach.missed_rows.empty()},
                        {"missed", reach.missed},
                        {"missed_rows", reach.missed_rows},
                        {"redundant", reach.redundant_rows},
                        {"error", reach.error}});
    }
    return list;
}

std::string control_text(const CheckFindings& f) {
    std::string text;
    for (std::size_t k = 0; k < f.at.controls.size(); ++k) {
        const ControlReport& control = f.at.controls[k];
        const Reach reach(control, f.at.status);
        text += fmt::format("control      '{}': {}, {}; ", control.name,
                            counted(control.rows.size(), "requirement"),
                            counted(f.details.model.controls[k].actuators.size(), "actuator"));
        text += reach.missed_rows.empty()
                    ? "reachable"
                    : fmt::format("not reachable: {} by {} (as accelerations)",
                                  quoted_list(reach.missed_rows), rounded(reach.missed, 3));
        if (!reach.redundant_rows.empty())
            text += fmt::format("; the actuators cannot move {} independently",
                                quoted_list(reach.redundant_rows));
        text += fmt::format("; current error {}\n", rounded(reach.error, 3));
    }
    return text;
}

Json json_of(const CheckFindings& f) {
    Json moved = Json::object();
    for (const Start::Move& move : f.start.moved) moved[move.name] = move.by;
    const auto known = [](const std::optional<std::size_t>& count) {
        return count ? Json(*count) : Json(nullptr);
    };
    Json json{
        {"model", f.details.name},
        {"coordinates", f.details.coordinate_names.size()},
        {"constraints", f.details.constraint_names.size()},
        {"kinds",
         {{"position", f.kinds[0]}, {"velocity", f.kinds[1]}, {"acceleration", f.kinds[2]}}},
        {"rank", known(f.rank())},
        {"degrees_of_freedom", known(f.freedom())},
        {"gap", f.gap()},
        {"redundant", f.sets(false)},
        {"conflicts", f.sets(true)},
        {"start",
         {{"status", name_of(f.start.status.outcome)},
          {"moved", moved},
          {"position_residual", f.start.position_residual},
          {"velocity_residual", f.start.velocity_residual}}},
        {"status", name_of(f.status.outcome)},
    };
    if (const auto counts = contact_counts(f.at); !counts.empty()) json["contacts"] = counts;
    if (!f.details.control_names.empty())
        json.update({{"controls", f.details.control_names.size()},
                     {"actuators", f.details.actuator_names.size()},
                     {"reach", reach_json(f)}});
    if (!f.start.unmet.empty()) json["unmet"] = to_json(f.start.unmet);
    if (!f.status) json["message"] = with_short_names(f.status.message);
    if (f.status.outcome == Outcome::conflict) json["conflict"] = f.status.names;
    json["diagnosis"] = f.sparse ? f.sparse->json(f.at) : to_json(f.diagnosis);
    if (f.at.is_sparse) json["solve"] = f.at.solve;
    if (const auto names = outputs_not_unique(f.details, f.at); !names.empty())
        json["outputs_not_unique"] = names;
    if (f.audit) json["audit"] = to_json(*f.audit);
    if (const auto joints = f.locking(); !joints.empty()) json["locked"] = joints;
    if (!f.details.model.joints.empty()) json["joints"] = joint_sentences(f.details.model);
    return json;
}

std::string kinds_text(const CheckFindings& f) {
    std::string text;
    for (std::size_t k = 0; k < f.kinds.size(); ++k) {
        if (f.kinds[k] == 0) continue;
        text += fmt::format("{}{} at {} level", text.empty() ? "" : ", ", f.kinds[k],
                            name_of(static_cast<Level>(k)));
    }
    return text;
}

std::string start_text(const Start& start) {
    if (!start.status) return "start        " + start.status.message + "\n";
    if (start.moved.empty()) return "start        consistent as given\n";
    constexpr std::size_t shown = 8;
    std::string moves;
    if (start.moved.size() <= shown) {
        for (const Start::Move& move : start.moved)
            moves +=
                fmt::format("{}{} by {}", moves.empty() ? "" : ", ", move.name, rounded(move.by));
    } else {
        double most = 0.0;
        std::vector<std::string> names;
        for (const Start::Move& move : start.moved) {
            most = std::max(most, std::abs(move.by));
            names.push_back(move.name);
        }
        moves = fmt::format("{} by at most {}", ranges_text(names, 4), rounded(most, 4));
    }
    return fmt::format("start        corrected to meet the constraints: {}\n", moves);
}

std::string audit_text(const Audit& audit) {
    if (!audit.status) return "audit        no result to audit\n";
    std::string text;
    for (const AuditLine& line : audit.lines)
        text += fmt::format("{:<13}{:<18} {:>8}  {} (tolerance {}): {}\n",
                            text.empty() ? "audit" : "", line.name, rounded(line.value, 2),
                            line.ok ? "ok" : "FAILED", rounded(line.tolerance, 2), line.text);
    for (const std::string& sentence : audit.skipped)
        text += fmt::format("{:<13}{}\n", "", sentence);
    return text;
}

std::string joints_text(const Model& model) {
    constexpr std::size_t shown = 40;
    const std::vector<std::string> sentences = joint_sentences(model);
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, sentences.size()); ++i)
        text += fmt::format("{:<13}{}\n", i == 0 ? "joints" : "", sentences[i]);
    if (sentences.size() > shown)
        text +=
            fmt::format("{:<13}... and {} more (--json has them)\n", "", sentences.size() - shown);
    return text;
}

std::string text_of(const CheckFindings& f) {
    const std::size_t m = f.details.constraint_names.size();
    std::string text = f.details.name + "\n";
    text += fmt::format("coordinates  {}\n", f.details.coordinate_names.size());
    text += fmt::format("constraints  {}{}\n", m, m ? " (" + kinds_text(f) + ")" : "");
    if (!f.details.control_names.empty())
        text += fmt::format("controls     {} ({})\n", f.details.control_names.size(),
                            counted(f.details.actuator_names.size(), "actuator"));
    text += joints_text(f.details.model);
    text += f.taken_as_given
                ? fmt::format("state        as given; largest constraint residual {}\n",
                              rounded(f.off(), 3))
                : start_text(f.start);
    if (const auto counts = contact_counts(f.at); !counts.empty()) {
        std::string line;
        for (const auto& [what, count] : counts)
            line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, what);
        text += fmt::format("contacts     {}\n", line);
    }
    if (f.rank()) {
        text +=
            fmt::format("rank         {}\n",
                        f.at.is_sparse ? rank_text(f.at) : diagnosis::rank_text(*f.diagnosis.rank));
        text += fmt::format("freedom      {}\n", counted(*f.freedom(), "degree") + " of freedom");
    }
    if (const auto joints = f.locking(); !joints.empty())
        text += fmt::format("locked       nothing can move: the loops that {} {} lock\n",
                            quoted_list(joints), joints.size() == 1 ? "closes" : "close");
    for (const diagnosis::Line& line :
         f.sparse ? f.sparse->lines(f.start) : diagnosis::lines_of(f.diagnosis))
        text += fmt::format("{:<13}{}\n", line.label, line.text);
    if (const auto names = outputs_not_unique(f.details, f.at); !names.empty())
        text += fmt::format("{:<13}not unique: {}\n", "outputs", quoted_list(names));
    if (f.at.is_sparse) text += fmt::format("solve        {}\n", f.at.solve);
    text += control_text(f);
    if (f.audit) text += audit_text(*f.audit);
    if (f.status && f.audit && !f.audit->ok()) return text + "verdict      the audit FAILED\n";
    text += fmt::format("verdict      {}", name_of(f.status.outcome));
    // A failed start has said its reason above, and so has a conflict.
    if (!f.status && f.start.status && f.status.outcome != Outcome::conflict)
        text += ": " + f.status.message;
    text += "\n";
    return text;
}

}  // namespace

int run_check(const CheckOptions& options) {
    const Loaded loaded = load(options);
    if (is_large(loaded, options) && options.audit)
        throw bad_input(options.path, "--audit",
                        "the audit needs dense matrices; this system is solved with sparse ones "
                        "and cannot be audited yet");
    const CheckFindings findings(loaded, options);
    if (options.json) fmt::print("{}\n", json_of(findings).dump(2));
    else fmt::print("{}", with_short_names(text_of(findings)));
    if (!findings.status && options.json)
        tell("lacon: {}\n", with_short_names(findings.status.message));
    return findings.status && (!findings.audit || findings.audit->ok()) ? exit_done : exit_failed;
}

}  // namespace lacon::app
