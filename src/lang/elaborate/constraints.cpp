// Turns constraint statements into rows φ = LHS − RHS, one for each component, and checks what
// stands behind them: restitution, weight, stabilize, friction.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

void Elaborator::constraints(const ConstraintStatement& statement, const Statement& whole) {
    for (const MemberId member : members_of(whole)) {
        const std::size_t before = diagnostics_.error_count();
        const std::size_t first = model_.constraints.size();
        evaluator_.within(member, [&] {
            if (statement.friction.kinetic != none) return constraint(statement, member);
            passing([&] {
                constraint(statement, member);
                Components held;
                for (std::size_t row = first; row < model_.constraints.size(); ++row) {
                    const ConstraintRow& one = model_.constraints[row];
                    for (const auto& value :
                         {one.damping, one.stiffness, one.restitution, one.weight})
                        if (value) held.push_back(*value);
                }
                return held;
            });
        });
        if (diagnostics_.error_count() > before) break;
    }
}

/// A literal 0 on one side stands for the zero vector.
std::optional<Elaborator::Sides> Elaborator::sides(NodeId left_node, NodeId right_node) {
    const Value left = evaluator_.evaluate(left_node), right = evaluator_.evaluate(right_node);
    if (left.is_bad() || right.is_bad()) return std::nullopt;
    const auto is_zero = [&](NodeId node) {
        return syntax_.nodes[node].kind == NodeKind::number &&
               syntax_.numbers[syntax_.nodes[node].detail] == 0;
    };
    const Span place{syntax_.span(left_node).begin, syntax_.span(right_node).end};
    const bool is_vector = left.is_vector() || right.is_vector();
    if (left.is_vector() && is_zero(right_node))
        return Sides{left.parts, Components(left.parts.size(), model_.graph.zero()), true};
    SumBuilder phi(evaluator_.arithmetic);
    if (!(right.is_vector() && is_zero(left_node))) {
        if (left.is_vector() != right.is_vector() || left.parts.size() != right.parts.size()) {
            diagnostics_.error(place,
                               fmt::format("the left side is {}, the right side {}", describe(left),
                                           describe(right)),
                               "both sides must have the same size, or one side must be 0");
            return std::nullopt;
        }
        phi.add(left, false, place);
    }
    phi.add(right, true, place);
    const Value value = phi.finish(place);
    if (value.is_bad()) return std::nullopt;
    return Sides{evaluator_.arithmetic.components(value), evaluator_.arithmetic.components(right),
                 is_vector};
}

void Elaborator::constraint(const ConstraintStatement& statement, MemberId member) {
    const auto both = sides(statement.left, statement.right);
    ConstraintRow row;  // what all rows have in common
    row.span = evaluator_.names.place_of(member);
    row.sense = statement.sense;
    if (statement.damping != none)
        row.damping = scalar(statement.damping, "the first value of 'stabilize'");
    if (statement.stiffness != none)
        row.stiffness = scalar(statement.stiffness, "the second value of 'stabilize'");
    if (statement.restitution != none) row.restitution = restitution(statement.restitution);
    if (statement.weight != none) row.weight = weight(statement.weight);
    if (!both) return;
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.constraints.size());
    evaluator_.names.members[member].row_count =
        static_cast<std::uint32_t>(both->difference.size());
    row.name = evaluator_.names.name_of(member);
    const std::size_t errors = diagnostics_.error_count();
    std::vector<ConstraintRow> rows = rows_of(*both, row);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        check_row(rows[i], both->difference[i], "constraint");
        model_.constraints.push_back(std::move(rows[i]));
    }
    const bool sound = diagnostics_.error_count() == errors;
    if (sound && statement.friction.kinetic != none) friction(statement.friction, member);
}

/// One row a component, each with what they have in common.
std::vector<ConstraintRow> Elaborator::rows_of(const Sides& both, const ConstraintRow& common) {
    std::vector<ConstraintRow> rows(both.difference.size(), common);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (both.is_vector) rows[i].name += component_ending(i);
        rows[i].value = kept({both.difference[i]});
        if (i < both.right.size()) rows[i].right = kept({both.right[i]});
    }
    return rows;
}

namespace {

/// Whether a value is a product of powers of what moves: where it is zero, so is its derivative.
bool is_power(const Graph& graph, Expr value, const std::function<bool(Expr)>& moves) {
    if (graph.op(value) == Op::add && graph.args(value).size() == 1 && graph.value(value) == 0.0)
        value = graph.args(value)[0].expr;  // times a number
    if (graph.op(value) == Op::pow) {
        const Expr exponent = graph.args(value)[1].expr;
        return graph.op(exponent) == Op::constant && graph.value(exponent) > 1.0;
    }
    if (graph.op(value) != Op::mul) return false;
    const auto factors = graph.args(value);
    return std::all_of(factors.begin(), factors.end(),
                       [&](const Arg& f) { return f.k >= 2.0 || !moves(f.expr); });
}

}  // namespace

void Elaborator::check_row(const ConstraintRow& row, Expr value, std::string_view noun) {
    const std::uint8_t uses = uses_.of(value);
    const auto from_list = [&] {
        const std::string place = evaluator_.row_now();
        return place.empty() ? place : place + " makes it so";
    };
    if (model_.graph.is_zero(value))
        diagnostics_.warning(
            row.span,
            fmt::format("the {} '{}' is always true: both sides are the same", noun, row.name),
            from_list());
    else if (is_rounding(value))
        diagnostics_.warning(
            row.span,
            fmt::format("the {} '{}' contains no coordinate and is met to rounding", noun,
                        row.name),
            from_list());
    else if ((uses & Uses::motion) == 0)
        diagnostics_.error(
            row.span,
            fmt::format("the {} '{}' contains no coordinate, so nothing can enforce it", noun,
                        row.name),
            from_list());
    else if (row.sense != ConstraintRow::Sense::equal && (uses & Uses::acceleration) != 0)
        diagnostics_.error(
            row.span, fmt::format("the one-sided {} '{}' contains accelerations", noun, row.name),
            fmt::format("one-sided {}s restrict coordinates or velocities", noun));
    else if (row.sense == ConstraintRow::Sense::equal && is_power(model_.graph, value, [&](Expr e) {
                 return (uses_.of(e) & Uses::motion) != 0;
             }))
        diagnostics_.error(row.span,
                           fmt::format("the {} '{}' is a power: its row vanishes where it is met, "
                                       "so it constrains nothing",
                                       noun, row.name),
                           "set the base to zero, without the exponent");
}

/// Whether a value without coordinates is what rounding of decimals leaves of 0: places in metres
/// have errors of some 1e-16, and no one means 1e-13.
bool Elaborator::is_rounding(Expr value) {
    constexpr double rounding = 1e-13;
    if ((uses_.of(value) & Uses::motion) != 0) return false;
    const auto number = known_number(value);
    return number && std::abs(*number) <= rounding;
}

std::optional<Expr> Elaborator::restitution(NodeId node) {
    constexpr std::string_view what = "the restitution";
    const Span place = syntax_.span(node);
    const auto value = scalar(node, what);
    if (!value || refuse_acceleration({&*value, 1}, what, place)) return std::nullopt;
    const auto number = known_number(*value);
    if (!number || (*number >= 0 && *number <= 1)) return value;
    diagnostics_.error(
        place, fmt::format("{} must lie between 0 and 1, but it is {}", what, shortest(*number)),
        "0 means no bounce, 1 means no loss of energy");
    return std::nullopt;
}

/// Known once and for all: what single forces are must not change on the way.
std::optional<Expr> Elaborator::weight(NodeId node) {
    constexpr std::string_view what = "the weight";
    const Span place = syntax_.span(node);
    const auto value = scalar(node, what);
    if (!value) return std::nullopt;
    if ((uses_.of(*value) & Uses::motion) != 0 ||
        depends_on(model_.graph, *value, {&model_.time, 1})) {
        diagnostics_.error(place, fmt::format("{} must be a constant", what),
                           "it may use parameters, but not t or coordinates");
        return std::nullopt;
    }
    const auto number = known_number(*value);  // none where it has no value, as 1/0
    if (number && *number > 0 && std::isfinite(*number)) return value;
    diagnostics_.error(place,
                       fmt::format("{} must be positive and finite, but it is {}", what,
                                   number ? shortest(*number) : "not a finite number"),
                       "constraints of small weight take more of a shared force");
    return std::nullopt;
}

}  // namespace lacon::lang
