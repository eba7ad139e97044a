// Reads the weight matrix N of a control's cost uᵀ N u (theory 7) and checks that it is symmetric,
// and positive definite where its numbers are known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "expr/print.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/text/characters.hpp"

/// `weight …` of a control: the cost uᵀ N u of its efforts.
namespace lacon::lang {

namespace {

/// Whether two weights are the same matrix over the same actuators, in any order of them.
bool is_same(const EffortWeight& a, const EffortWeight& b) {
    if (a.actuators.size() != b.actuators.size()) return false;
    std::vector<std::size_t> place;  // in b, of the actuators of a
    for (const std::size_t actuator : a.actuators) {
        const auto found = std::find(b.actuators.begin(), b.actuators.end(), actuator);
        if (found == b.actuators.end()) return false;
        place.push_back(static_cast<std::size_t>(found - b.actuators.begin()));
    }
    for (std::size_t i = 0; i < place.size(); ++i)
        for (std::size_t j = 0; j < place.size(); ++j)
            if (a.N[i][j] != b.N[place[i]][place[j]]) return false;
    return true;
}

/// How many leading rows and columns of the symmetric matrix are positive definite: the steps that
/// Cholesky's method makes.
std::size_t definite_size(std::vector<std::vector<double>> L) {
    for (std::size_t i = 0; i < L.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = L[i][j];
            for (std::size_t k = 0; k < j; ++k) rest -= L[i][k] * L[j][k];
            if (i == j && !(rest > 0)) return i;
            L[i][j] = i == j ? std::sqrt(rest) : rest / L[j][j];
        }
    }
    return L.size();
}

}  // namespace

void Elaborator::weights(const ControlStatement& statement, const Control& control) {
    if (statement.weights.empty()) return;
    std::vector<Value> values;
    std::size_t vectors = 0;
    for (const NodeId node : statement.weights) {
        values.push_back(evaluator_.evaluate(node));
        if (values.back().is_bad()) return;
        if (values.back().is_vector()) ++vectors;
    }
    if (vectors == 0) return weight_each(statement, control);
    if (vectors == values.size()) return weight_matrix(statement, control, values);
    const auto odd =
        std::find_if(values.begin(), values.end(), [&](const Value& v) { return v.is_vector(); }) -
        values.begin();
    diagnostics_.error(
        syntax_.span(statement.weights[static_cast<std::size_t>(odd)]),
        "weights are either numbers, one for each actuator, or the rows of a matrix");
}

void Elaborator::weight_each(const ControlStatement& statement, const Control& control) {
    const Span place{syntax_.span(statement.weights.front()).begin,
                     syntax_.span(statement.weights.back()).end};
    if (!has_one_each(statement.weights.size(), "weight", place, control)) return;
    Components values;
    for (const NodeId node : statement.weights) {
        const auto value = positive(node, "the weight of an effort");
        if (!value) return;
        values.push_back(*value);
    }
    for (std::size_t i = 0; i < control.actuators.size(); ++i) {
        const std::size_t which = values.size() == 1 ? 0 : i;
        const Span own = syntax_.span(statement.weights[which]);
        if (!add_weight({{control.actuators[i]}, {{values[which]}}, own}, control)) return;
    }
}

void Elaborator::weight_matrix(const ControlStatement& statement, const Control& control,
                               std::span<const Value> rows) {
    const Span place{syntax_.span(statement.weights.front()).begin,
                     syntax_.span(statement.weights.back()).end};
    const std::size_t p = control.actuators.size();
    const auto wrong = std::find_if(rows.begin(), rows.end(),
                                    [&](const Value& row) { return row.parts.size() != p; });
    if (rows.size() != p || wrong != rows.end()) {
        const std::string here =
            rows.size() != p ? counted(rows.size(), "row")
                             : fmt::format("{} in row {}", counted(wrong->parts.size(), "value"),
                                           wrong - rows.begin() + 1);
        diagnostics_.error(place,
                           fmt::format("the control '{}' has {}, so a matrix of weights has as "
                                       "many rows and columns; this has {}",
                                       control.name, counted(p, "actuator"), here),
                           "separate the weights of single actuators by commas, without brackets");
        return;
    }
    EffortWeight weight{control.actuators, {}, place};
    for (std::size_t i = 0; i < p; ++i) {
        weight.N.push_back(rows[i].parts);
        if (refuse_acceleration(rows[i].parts, "the weight of an effort",
                                syntax_.span(statement.weights[i])))
            return;
    }
    if (is_matrix_of_costs(statement, weight.N)) add_weight(std::move(weight), control);
}

/// Symmetric whatever the parameters are; and with the values they have, where those are known,
/// positive definite.
bool Elaborator::is_matrix_of_costs(const ControlStatement& statement,
                                    const std::vector<std::vector<Expr>>& N) {
    for (std::size_t i = 0; i < N.size(); ++i) {
        const Span place = syntax_.span(statement.weights[i]);
        if (const auto number = known_number(N[i][i]); number && !(*number > 0)) {
            diagnostics_.error(
                place,
                fmt::format("the weight of an effort must be positive, but the diagonal has {}",
                            shortest(*number)));
            return false;
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (N[i][j] == N[j][i]) continue;
            const auto text = [&](Expr e) { return shortened(to_text(model_.graph, e)); };
            diagnostics_.error(
                place,
                fmt::format(
                    "the matrix of weights must be symmetric, but row {} has {} in column {}, "
                    "and row {} has {} in column {}",
                    i + 1, text(N[i][j]), j + 1, j + 1, text(N[j][i]), i + 1));
            return false;
        }
    }
    return is_definite(statement, N);
}

bool Elaborator::is_definite(const ControlStatement& statement,
                             const std::vector<std::vector<Expr>>& N) {
    std::vector<std::vector<double>> values;
    for (const std::vector<Expr>& row : N) {
        values.emplace_back();
        for (const Expr entry : row) {
            const auto number = known_number(entry);
            if (!number) return true;
            values.back().push_back(*number);
        }
    }
    const std::size_t size = definite_size(std::move(values));
    if (size == N.size()) return true;
    diagnostics_.error(
        syntax_.span(statement.weights[size]),
        fmt::format("the matrix of weights must be positive definite, but its first {} rows and "
                    "columns are not",
                    size + 1),
        "every effort must cost something; the weights off the diagonal are too large");
    return false;
}

/// An actuator costs the same in all controls that it serves; where only one of them says how much,
/// that holds.
bool Elaborator::add_weight(EffortWeight weight, const Control& control) {
    bool known = false;
    for (const std::size_t actuator : weight.actuators) {
        const ActuatorNotes& notes = actuator_notes_[actuator];
        if (notes.weight == none) continue;
        known = is_same(model_.effort_weights[notes.weight], weight);
        if (known) break;
        diagnostics_.error(
            weight.span,
            fmt::format("the weight of '{}' differs between the controls '{}' and '{}'",
                        model_.actuators[actuator].name, notes.weighted, control.name),
            "an actuator has one weight, for all controls that use it; give it once");
        return false;
    }
    if (known) return true;
    for (const std::size_t actuator : weight.actuators) {
        actuator_notes_[actuator].weight = static_cast<std::uint32_t>(model_.effort_weights.size());
        actuator_notes_[actuator].weighted = control.name;
    }
    model_.effort_weights.push_back(std::move(weight));
    return true;
}

}  // namespace lacon::lang
