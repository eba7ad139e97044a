// The command `lacon explain`: the derived equations as text, LaTeX or JSON. This file builds the
// JSON; src/mechanics/explain/explain.cpp writes the text.
#include "mechanics/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "expr/print.hpp"
#include "expr/tidy.hpp"

namespace lacon::app {

namespace {

Json row_json(const std::map<std::size_t, std::string>& row, std::size_t n) {
    Json entries = Json::array();
    for (std::size_t j = 0; j < n; ++j) entries.push_back(row.contains(j) ? row.at(j) : "0");
    return entries;
}

const char* sense_of(const ConstraintRow& row) {
    return row.sense == ConstraintRow::Sense::equal      ? "="
           : row.sense == ConstraintRow::Sense::at_least ? ">="
                                                         : "<=";
}

/// What is required (C q'' = d as `gain` enters it), and the actuators (F, n × p).
void add_controls(const DerivedModel& details, bool latex, Json& json) {
    const Model& model = details.model;
    SymbolicEquations eq = symbolic_equations(*details.servo);
    Graph own = model.graph;
    const auto print = [&](Graph& graph, Expr e) {
        const Expr tidied = tidy(graph, e);
        return latex ? to_latex(graph, tidied) : to_text(graph, tidied);
    };
    const std::size_t n = details.coordinate_names.size(), m = details.system.row_count();
    Json C = Json::array(), d = Json::array(), F = Json::array(), controls = Json::array();
    for (std::size_t r = 0; r < model.requirements.size(); ++r) {
        std::map<std::size_t, std::string> texts;
        for (const auto& [j, e] : eq.A[m + r]) texts[j] = print(eq.graph, e);
        C.push_back(row_json(texts, n));
        d.push_back(print(eq.graph, eq.b[m + r]));
    }
    for (std::size_t j = 0; j < n; ++j)
        F.push_back(std::vector<std::string>(model.actuators.size(), "0"));
    for (std::size_t k = 0; k < model.actuators.size(); ++k)
        for (const Actuator::Part& part : model.actuators[k].direction)
            F[part.coordinate][k] = print(own, part.value);
    for (const Control& control : model.controls) {
        Json rows = Json::array(), actuators = Json::array();
        for (const std::size_t r : control.rows) {
            const ConstraintRow& row = model.requirements[r];
            rows.push_back({{"name", row.name},
                            {"kind", name_of(details.servo->system.levels[m + r])},
                            {"phi", print(own, model.forms.expression(row.value, own))},
                            {"sense", sense_of(row)}});
            if (row.damping) rows.back()["damping"] = print(own, *row.damping);
            if (row.stiffness) rows.back()["stiffness"] = print(own, *row.stiffness);
        }
        for (const std::size_t k : control.actuators) actuators.push_back(model.actuators[k].name);
        controls.push_back({{"name", control.name},
                            {"rows", std::move(rows)},
                            {"actuators", std::move(actuators)}});
    }
    json.update({{"controls", controls},
                 {"actuators", details.actuator_names},
                 {"C", C},
                 {"d", d},
                 {"F", F}});
}

/// Forces that laws decide, which stand in the equations as symbols: c, and what the symbols mean.
void add_forces(const DerivedModel& details, const SymbolicEquations& eq, bool latex, Json& json) {
    const auto named = [&](const std::string& symbol) {
        return latex ? latex_name(symbol) : symbol;
    };
    Json c = Json::array(), forces = Json::array();
    bool any = false;
    for (const auto& symbol : eq.c) {
        c.push_back(symbol ? named(eq.graph.name(*symbol)) : "0");
        any = any || symbol;
    }
    if (any) json["c"] = std::move(c);
    for (const NamedForce& force : named_forces(details, eq))
        forces.push_back({{"symbol", named(force.symbol)}, {"meaning", force.meaning}});
    json["law"] = law_of(details) + (details.system.row_count() ? ", A q'' = b" : "");
    json["acceleration_includes"] = forces.empty()
                                        ? "all forces"
                                        : "all forces; contacts, friction, nonideal constraints "
                                          "and controls appear as the symbols in 'forces'";
    if (!forces.empty()) json["forces"] = std::move(forces);
    Json friction = Json::array();
    for (const Friction& f : details.model.frictions) {
        Json one{{"constraint", f.constraint},
                 {"coefficient", to_text(details.model.graph, f.kinetic)}};
        if (f.at_rest) one["static"] = to_text(details.model.graph, *f.at_rest);
        friction.push_back(std::move(one));
    }
    Graph graph = eq.graph;
    for (const DryFriction& f : details.model.dry_frictions) {
        const auto text = [&](const Formula& bound) {
            return to_text(graph, details.model.forms.expression(bound, graph));
        };
        Json one{{"coordinate", details.coordinate_names[f.coordinate]}, {"bound", text(f.bound)}};
        if (f.at_rest) one["static"] = text(*f.at_rest);
        friction.push_back(std::move(one));
    }
    if (!friction.empty()) json["friction"] = std::move(friction);
}

Json json_of(const DerivedModel& details, bool latex) {
    SymbolicEquations eq = symbolic_equations(details);
    const std::size_t n = eq.Q.size();
    LatexLines writer(eq.graph);
    const auto print = [&](Expr e) {
        const Expr tidied = tidy(eq.graph, e);
        return latex ? fmt::format("{}", fmt::join(writer.lines(tidied), " "))
                     : to_text(eq.graph, tidied);
    };
    const auto print_row = [&](const std::map<std::size_t, Expr>& row) {
        std::map<std::size_t, std::string> texts;
        for (const auto& [j, e] : row) texts[j] = print(e);
        return row_json(texts, n);
    };
    Json M = Json::array(), Q = Json::array(), A = Json::array(), b = Json::array(),
         constraints = Json::array();
    for (const auto& row : eq.M) M.push_back(print_row(row));
    for (const Expr e : eq.Q) Q.push_back(print(e));
    for (std::size_t r = 0; r < eq.A.size(); ++r) {
        A.push_back(print_row(eq.A[r]));
        b.push_back(print(eq.b[r]));
        constraints.push_back({{"name", details.constraint_names[r]},
                               {"kind", name_of(details.system.levels[r])},
                               {"phi", print(details.model.forms.expression(
                                           details.model.constraints[r].value, eq.graph))},
                               {"sense", sense_of(details.model.constraints[r])}});
    }
    Json json{{"model", details.name},
              {"coordinates", details.coordinate_names},
              {"M", M},
              {"Q", Q},
              {"A", A},
              {"b", b},
              {"constraints", constraints}};
    json["acceleration"] = nullptr;
    if (eq.explicit_acceleration) {
        json["acceleration"] = Json::array();
        for (const Expr e : *eq.explicit_acceleration) json["acceleration"].push_back(print(e));
    }
    add_forces(details, eq, latex, json);
    if (!details.control_names.empty()) add_controls(details, latex, json);
    for (const LatexLines::Abbreviation& a : writer.abbreviations())
        json["abbreviations"].push_back(
            {{"name", a.name}, {"value", fmt::format("{}", fmt::join(a.lines, " "))}});
    return json;
}

}  // namespace

int run_explain(const ExplainOptions& options) {
    const Loaded loaded = load(options);
    const std::size_t n = loaded.details->coordinate_names.size();
    if (options.json && n > 500 && !options.all)
        throw Stop{
            exit_bad_input,
            fmt::format("lacon: the JSON for {} coordinates is large; use --all to print it\n", n),
            {}};
    if (options.json) fmt::print("{}\n", json_of(*loaded.details, options.latex).dump(2));
    else
        fmt::print("{}", options.all ? explain(*loaded.details, options.latex, ~std::size_t{0})
                                     : explain(*loaded.details, options.latex));
    return exit_done;
}

}  // namespace lacon::app
