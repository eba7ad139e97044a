// Adds gravity, energies, forces, non-ideal forces and equations of motion to the model. Long sums
// of energies are kept by their terms.
#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/elaborator.hpp"
#include "model/terms.hpp"

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
        const std::size_t dimension = model_.dimension_of(particle);
        if (dimension == model_.gravity.size()) continue;
        diagnostics_.error(place, fmt::format("gravity has {}, but the position of '{}' has {}",
                                              counted(model_.gravity.size(), "component"),
                                              particle.name, dimension));
        return;
    }
}

void Elaborator::energy(const EnergyStatement& statement, const Statement& whole) {
    auto& terms = statement.which == Keyword::kinetic     ? model_.kinetic
                  : statement.which == Keyword::potential ? model_.potential
                                                          : model_.dissipation;
    const std::string_view what = statement.which == Keyword::kinetic ? "a kinetic energy"
                                  : statement.which == Keyword::potential
                                      ? "a potential energy"
                                      : "a dissipation function";
    const Span place = syntax_.span(statement.value);
    repeat(whole, [&] {
        bool sound = false;
        passing([&] {
            const auto value = scalar(statement.value, what);
            sound = value.has_value();
            if (!sound) return Components();
            warn_of_idle(statement.which, *value, place);
            const Components parts = terms_of(*value);
            for (const Expr part : parts) terms.push_back({kept({part}), place});
            return parts.size() == 1 && whole.loops.loops.empty() ? parts : Components();
        });
        return sound;
    });
}

/// A long sum is kept by its terms, which have few forms; the sum would be a large one.
Components Elaborator::terms_of(Expr energy) {
    if (!is_long_sum(model_.graph, energy)) return {energy};
    return separate_terms(model_.graph, energy, [&](Expr e) { return coordinates_in({&e, 1}); });
}

/// A term that no derivative of it brings into the equations. One that is zero (by its parameters)
/// is meant so.
void Elaborator::warn_of_idle(Keyword which, Expr value, Span place) {
    if (model_.graph.is_zero(value)) return;
    const std::uint8_t uses = uses_.of(value);
    if (which == Keyword::dissipation && (uses & (Uses::velocity | Uses::acceleration)) == 0)
        diagnostics_.warning(
            place, "this dissipation contains no velocity, so it has no effect",
            "its force is the derivative by the velocities; write for example c*x'^2/2");
    if (which == Keyword::kinetic && (uses & Uses::motion) == 0)
        diagnostics_.warning(
            place, "this kinetic energy contains no velocity or coordinate, so it has no effect",
            "write for example m*x'^2/2");
}

void Elaborator::forces(const ForceStatement& statement, const Statement& whole) {
    each_force(statement.items, whole, {model_.forces, model_.particle_forces, "force"});
}

void Elaborator::nonideal(const NonidealStatement& statement, const Statement& whole) {
    each_force(statement.items, whole,
               {model_.nonideal, model_.particle_nonideal, "nonideal force"});
}

void Elaborator::each_force(std::span<const AssignedItem> items, const Statement& whole,
                            const ForceLists& lists) {
    repeat(whole, [&] {
        bool sound = true;
        for (const AssignedItem& item : items)
            repeated(whole, [&] { sound = force(item, lists) && sound; });
        return sound;
    });
}

bool Elaborator::force(const AssignedItem& item, const ForceLists& lists) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate, EntityKind::particle};
    const Span place = syntax_.span(item.target.tokens);
    if (item.target.primes > 0) {
        diagnostics_.error(
            place, fmt::format("a {} acts on a coordinate or particle, not on its derivative",
                               lists.noun));
        return false;
    }
    const MemberId member = find_target(item.target, kinds, "a coordinate or particle");
    const Value value = evaluator_.evaluate(item.value);
    if (member == none || value.is_bad()) return false;
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (slot == none) return false;
    const Span value_place = syntax_.span(item.value);
    const std::string what =
        fmt::format("the {} on '{}'", lists.noun, evaluator_.names.name_of(member));
    if (evaluator_.names.entity_of(member).kind == EntityKind::coordinate) {
        if (!evaluator_.arithmetic.require_scalar(value, what, value_place)) return false;
        lists.on_coordinates.push_back({slot, kept({evaluator_.arithmetic.expr(value)}), place});
    } else {
        const std::size_t size = value.is_vector() ? value.parts.size() : 1;
        const std::size_t wanted = model_.dimension_of(model_.particles[slot]);
        if (size != wanted || value.is_truth()) {
            diagnostics_.error(value_place,
                               fmt::format("{} must be a vector of {}, but this is {}", what,
                                           counted(wanted, "component"), describe(value)));
            return false;
        }
        lists.on_particles.push_back({slot, kept(evaluator_.arithmetic.components(value)), place});
    }
    return !refuse_acceleration(evaluator_.arithmetic.components(value), what, value_place);
}

void Elaborator::equation(const EquationStatement& statement, const Statement& whole) {
    repeat(whole, [&] {
        bool sound = false;
        repeated(whole, [&] { sound = equation_row(statement); });
        return sound;
    });
}

bool Elaborator::equation_row(const EquationStatement& statement) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate};
    const MemberId member = find_target(statement.target, kinds, "a coordinate");
    const auto left = scalar(statement.left, "a side of an equation of motion");
    const auto right = scalar(statement.right, "a side of an equation of motion");
    if (member == none || !left || !right) return false;
    const std::uint32_t slot = evaluator_.names.members[member].slot;
    const Span place = syntax_.span(statement.target.tokens);
    const auto [first, is_new] = equation_of_.try_emplace(slot, place.begin);
    if (!is_new) {
        diagnostics_.error(
            place,
            fmt::format("the coordinate '{}' already has an equation",
                        model_.coordinates[slot].name),
            fmt::format("the first one is in line {}", syntax_.source->place(first->second).line));
        return false;
    }
    model_.equations.push_back({slot, kept({model_.graph.sub(*left, *right)}), place});
    return true;
}

}  // namespace lacon::lang
