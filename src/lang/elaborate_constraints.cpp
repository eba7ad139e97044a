#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/elaborator.hpp"

namespace lacon::lang {

void Elaborator::constraints(const ConstraintStatement& statement, const Statement& whole) {
    for (const MemberId member : members_of(whole)) {
        const std::size_t before = diagnostics_.error_count();
        evaluator_.within(member, [&] { constraint(statement, member); });
        if (diagnostics_.error_count() > before) break;
    }
}

/// φ = LHS − RHS by components. A literal 0 on one side stands for the zero vector.
std::optional<Components> Elaborator::difference(const ConstraintStatement& statement, bool& is_vector) {
    const Value left = evaluator_.evaluate(statement.left), right = evaluator_.evaluate(statement.right);
    if (left.is_bad() || right.is_bad()) return std::nullopt;
    const auto is_zero = [&](NodeId node) {
        return syntax_.nodes[node].kind == NodeKind::number && syntax_.numbers[syntax_.nodes[node].detail] == 0;
    };
    const Span place{syntax_.span(statement.left).begin, syntax_.span(statement.right).end};
    is_vector = left.is_vector() || right.is_vector();
    if (left.is_vector() && is_zero(statement.right)) return left.parts;
    SumBuilder phi(evaluator_.arithmetic);
    if (!(right.is_vector() && is_zero(statement.left))) {
        if (left.is_vector() != right.is_vector() || left.parts.size() != right.parts.size()) {
            diagnostics_.error(place, fmt::format("the left side is {}, the right side {}", describe(left), describe(right)),
                               "both sides must have the same size, or one of them be 0");
            return std::nullopt;
        }
        phi.add(left, false, place);
    }
    phi.add(right, true, place);
    const Value value = phi.finish(place);
    if (value.is_bad()) return std::nullopt;
    return evaluator_.arithmetic.components(value);
}

void Elaborator::constraint(const ConstraintStatement& statement, MemberId member) {
    bool is_vector = false;
    const auto values = difference(statement, is_vector);
    ConstraintRow row;  // what all rows have in common
    row.span = evaluator_.names.place_of(member);
    row.sense = statement.sense;
    if (statement.damping != none) row.damping = scalar(statement.damping, "the first value of 'stabilize'");
    if (statement.stiffness != none) row.stiffness = scalar(statement.stiffness, "the second value of 'stabilize'");
    if (statement.restitution != none) row.restitution = restitution(statement.restitution);
    if (!values) return;
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.constraints.size());
    evaluator_.names.members[member].row_count = static_cast<std::uint32_t>(values->size());
    const std::string name = evaluator_.names.name_of(member);
    const std::size_t errors = diagnostics_.error_count();
    for (std::size_t i = 0; i < values->size(); ++i) {
        const std::string ending = !is_vector ? "" : i < 3 ? fmt::format(".{}", "xyz"[i]) : fmt::format("[{}]", i + 1);
        row.name = name + ending;
        row.value = (*values)[i];
        check_row(row);
        model_.constraints.push_back(row);
    }
    const bool sound = diagnostics_.error_count() == errors;
    if (sound && statement.friction.kinetic != none) friction(statement.friction, member);
}

void Elaborator::check_row(const ConstraintRow& row) {
    const std::uint8_t uses = uses_.of(row.value);
    if (model_.graph.is_zero(row.value))
        diagnostics_.warning(row.span, fmt::format("the constraint '{}' is always true: both sides are the same", row.name));
    else if ((uses & Uses::motion) == 0)
        diagnostics_.error(row.span,
                           fmt::format("the constraint '{}' contains no coordinate, so nothing can enforce it", row.name));
    else if (row.sense != ConstraintRow::Sense::equal && (uses & Uses::acceleration) != 0)
        diagnostics_.error(row.span, fmt::format("the one-sided constraint '{}' contains accelerations", row.name),
                           "one-sided constraints are on coordinates or velocities");
}

std::optional<Expr> Elaborator::restitution(NodeId node) {
    constexpr std::string_view what = "the restitution";
    const Span place = syntax_.span(node);
    const auto value = scalar(node, what);
    if (!value || refuse_acceleration({&*value, 1}, what, place)) return std::nullopt;
    const auto number = known_number(*value);
    if (!number || (*number >= 0 && *number <= 1)) return value;
    diagnostics_.error(place, fmt::format("{} must lie between 0 and 1, but it is {}", what, shortest(*number)),
                       "0 is an impact without a bounce, 1 one without a loss");
    return std::nullopt;
}

}  // namespace lacon::lang
