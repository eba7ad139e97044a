#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/elaborator.hpp"

namespace lacon::lang {

void Elaborator::gravity(const GravityStatement& statement, const Statement& whole) {
    const Value value = evaluator_.evaluate(statement.value);
    if (value.is_bad()) return;
    const Span place = syntax_.span(statement.value);
    if (value.is_truth()) {
        diagnostics_.error(place, "gravity must be a vector, but this is a condition");
        return;
    }
    if (!model_.gravity.empty()) {
        diagnostics_.error(syntax_.span(whole.tokens), "gravity is given twice");
        return;
    }
    model_.gravity = evaluator_.arithmetic.components(value);
    model_.gravity_span = place;
    for (const Particle& particle : model_.particles) {
        if (particle.position.size() == model_.gravity.size()) continue;
        diagnostics_.error(
            place, fmt::format("gravity has {}, but the position of '{}' has {}", counted(model_.gravity.size(), "component"),
                               particle.name, particle.position.size()));
        return;
    }
}

void Elaborator::energy(const EnergyStatement& statement, const Statement& whole) {
    auto& terms = statement.which == Keyword::kinetic     ? model_.kinetic
                  : statement.which == Keyword::potential ? model_.potential
                                                          : model_.dissipation;
    const std::string_view what = statement.which == Keyword::kinetic     ? "a kinetic energy"
                                  : statement.which == Keyword::potential ? "a potential energy"
                                                                          : "a dissipation function";
    repeat(whole, [&] {
        const auto value = scalar(statement.value, what);
        if (!value) return false;
        terms.push_back({*value, syntax_.span(statement.value)});
        warn_of_idle(statement.which, terms.back());
        return true;
    });
}

/// A term that no derivative of it brings into the equations. One that is zero (by its parameters) is meant so.
void Elaborator::warn_of_idle(Keyword which, const EnergyTerm& term) {
    if (model_.graph.is_zero(term.value)) return;
    const std::uint8_t uses = uses_.of(term.value);
    if (which == Keyword::dissipation && (uses & (Uses::velocity | Uses::acceleration)) == 0)
        diagnostics_.warning(term.span, "this dissipation contains no velocity, so it has no effect",
                             "its force is the derivative by the velocities; write for example c*x'^2/2");
    if (which == Keyword::kinetic && (uses & Uses::motion) == 0)
        diagnostics_.warning(term.span, "this kinetic energy contains no velocity or coordinate, so it has no effect",
                             "write for example m*x'^2/2");
}

void Elaborator::forces(const ForceStatement& statement, const Statement& whole) {
    repeat(whole, [&] {
        bool sound = true;
        for (const AssignedItem& item : statement.items) sound = force(item) && sound;
        return sound;
    });
}

bool Elaborator::force(const AssignedItem& item) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate, EntityKind::particle};
    const Span place = syntax_.span(item.target.tokens);
    if (item.target.primes > 0) {
        diagnostics_.error(place, "a force acts on a coordinate or particle, not on its derivative");
        return false;
    }
    const MemberId member = find_target(item.target, kinds, "a coordinate or particle");
    const Value value = evaluator_.evaluate(item.value);
    if (member == none || value.is_bad()) return false;
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (slot == none) return false;
    if (evaluator_.names.entity_of(member).kind == EntityKind::coordinate) {
        if (!evaluator_.arithmetic.require_scalar(value, "the force on a coordinate", syntax_.span(item.value))) return false;
        model_.forces.push_back({slot, evaluator_.arithmetic.expr(value), place});
        return true;
    }
    const Particle& particle = model_.particles[slot];
    const std::size_t size = value.is_vector() ? value.parts.size() : 1;
    if (size != particle.position.size() || value.is_truth()) {
        diagnostics_.error(syntax_.span(item.value),
                           fmt::format("the force on '{}' must be a vector of {}, but this is {}", particle.name,
                                       counted(particle.position.size(), "component"), describe(value)));
        return false;
    }
    model_.particle_forces.push_back({slot, evaluator_.arithmetic.components(value), place});
    return true;
}

void Elaborator::equation(const EquationStatement& statement, const Statement& whole) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate};
    repeat(whole, [&] {
        const MemberId member = find_target(statement.target, kinds, "a coordinate");
        const auto left = scalar(statement.left, "a side of an equation of motion");
        const auto right = scalar(statement.right, "a side of an equation of motion");
        if (member == none || !left || !right) return false;
        const std::uint32_t slot = evaluator_.names.members[member].slot;
        const Span place = syntax_.span(statement.target.tokens);
        const auto [first, is_new] = equation_of_.try_emplace(slot, place.begin);
        if (!is_new) {
            diagnostics_.error(place, fmt::format("the coordinate '{}' has an equation already", model_.coordinates[slot].name),
                               fmt::format("the first one is in line {}", syntax_.source->place(first->second).line));
            return false;
        }
        model_.equations.push_back({slot, model_.graph.sub(*left, *right), place});
        return true;
    });
}

// ---- constraints

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
    const auto rows = difference(statement, is_vector);
    std::optional<Expr> damping, stiffness;
    if (statement.damping != none) damping = scalar(statement.damping, "the first value of 'stabilize'");
    if (statement.stiffness != none) stiffness = scalar(statement.stiffness, "the second value of 'stabilize'");
    if (!rows) return;
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.constraints.size());
    evaluator_.names.members[member].row_count = static_cast<std::uint32_t>(rows->size());
    const std::string name = evaluator_.names.name_of(member);
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const std::string ending = !is_vector ? "" : i < 3 ? fmt::format(".{}", "xyz"[i]) : fmt::format("[{}]", i + 1);
        model_.constraints.push_back({name + ending, (*rows)[i], damping, stiffness, evaluator_.names.place_of(member)});
        check_row(model_.constraints.back());
    }
}

void Elaborator::check_row(const ConstraintRow& row) {
    if (model_.graph.is_zero(row.value))
        diagnostics_.warning(row.span, fmt::format("the constraint '{}' is always true: both sides are the same", row.name));
    else if ((uses_.of(row.value) & Uses::motion) == 0)
        diagnostics_.error(row.span,
                           fmt::format("the constraint '{}' contains no coordinate, so nothing can enforce it", row.name));
}

}  // namespace lacon::lang
