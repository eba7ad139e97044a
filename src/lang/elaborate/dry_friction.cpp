// Reads dry friction with a fixed bound: `friction x = F [static F0]`.
#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

void Elaborator::dry_frictions(const DryFrictionStatement& statement, const Statement& whole) {
    repeat(whole, [&] {
        bool sound = true;
        for (const DryFrictionItem& item : statement.items)
            repeated(whole, [&] { sound = dry_friction(item) && sound; });
        return sound;
    });
}

bool Elaborator::dry_friction(const DryFrictionItem& item) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate};
    const Span place = syntax_.span(item.target.tokens);
    if (refuse_friction_target(item.target)) return false;
    const MemberId member = find_target(item.target, kinds, "a coordinate");
    if (member == none) return false;
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (slot == none) return false;
    const std::string& name = model_.coordinates[slot].name;
    const auto bound = friction_bound(item.bound, name);
    std::optional<Expr> at_rest;
    if (item.at_rest != none) {
        at_rest = friction_bound(item.at_rest, name);
        if (!at_rest) return false;
    }
    if (!bound) return false;
    if (at_rest) {
        const auto sliding = known_number(*bound), resting = known_number(*at_rest);
        if (sliding && resting && *resting < *sliding)
            diagnostics_.warning(
                syntax_.span(item.at_rest),
                fmt::format("the bound of friction at rest, {}, is below that of sliding, {}",
                            shortest(*resting), shortest(*sliding)),
                "the larger one is used at rest");
    }
    return add_dry_friction(slot, *bound, at_rest, place);
}

/// What has no velocity of its own to act against; with what to write there.
bool Elaborator::refuse_friction_target(const Target& target) {
    const Span place = syntax_.span(target.tokens);
    const std::string_view name = syntax_.names[target.name];
    if (target.primes > 0) {
        diagnostics_.error(place, "friction acts on a coordinate, not on its derivative",
                           fmt::format("write friction {} = ...", name));
        return true;
    }
    const EntityId id = evaluator_.names.id_of(target.name);
    if (id == none) return false;
    switch (evaluator_.names.entities[id].kind) {
        case EntityKind::particle:
            diagnostics_.error(
                place, fmt::format("friction acts on a coordinate, but '{}' is a particle", name),
                "give each of its coordinates friction, or put it on a constraint that "
                "rubs: constraint ground: z >= 0 friction MU");
            return true;
        case EntityKind::constraint:
            diagnostics_.error(
                place, fmt::format("friction acts on a coordinate, but '{}' is a constraint", name),
                "write the friction after its equation: constraint NAME: ... friction MU");
            return true;
        default: return false;
    }
}

std::optional<Expr> Elaborator::friction_bound(NodeId node, const std::string& coordinate) {
    return not_negative(node, fmt::format("the bound of friction on '{}'", coordinate),
                        "give the size of the force; it always opposes the motion");
}

bool Elaborator::add_dry_friction(std::size_t coordinate, Expr bound, std::optional<Expr> at_rest,
                                  Span place) {
    const std::string& name = model_.coordinates[coordinate].name;
    const auto [first, is_new] = dry_friction_of_.try_emplace(coordinate, place.begin);
    if (!is_new) {
        diagnostics_.error(place, fmt::format("the coordinate '{}' already has friction", name),
                           fmt::format("the first one is in line {}; add the two bounds",
                                       syntax_.source->place(first->second).line));
        return false;
    }
    DryFriction friction;
    friction.name = "friction " + name;
    friction.coordinate = coordinate;
    friction.bound = kept({bound});
    if (at_rest) friction.at_rest = kept({*at_rest});
    friction.span = place;
    model_.dry_frictions.push_back(std::move(friction));
    return true;
}

}  // namespace lacon::lang
