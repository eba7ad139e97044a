// Adds gravity, energies, forces, non-ideal forces and equations of motion to the model. Long sums
// of energies are kept by their terms.
#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"
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
    const std::size_t of_bodies = evaluator_.bodies.planar ? 2 : 3;
    if (evaluator_.bodies.any() && model_.gravity.size() != of_bodies) {
        diagnostics_.error(
            place, fmt::format("gravity has {}, but the bodies are {}",
                               counted(model_.gravity.size(), "component"),
                               of_bodies == 2 ? "planar: it needs 2" : "in space: it needs 3"));
        return;
    }
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
    const bool on_bodies = &lists.on_coordinates == &model_.forces;
    constexpr EntityKind all_kinds[] = {EntityKind::coordinate, EntityKind::particle,
                                        EntityKind::body};
    const auto kinds = std::span(all_kinds).first(on_bodies ? 3 : 2);
    const Span place = syntax_.span(item.target.tokens);
    if (item.target.primes > 0) {
        diagnostics_.error(
            place, fmt::format("a {} acts on a coordinate or particle, not on its derivative",
                               lists.noun));
        return false;
    }
    if (item.quantity != none) {
        diagnostics_.error(syntax_.tokens[item.quantity].span,
                           fmt::format("a {} acts on a body or on one of its points", lists.noun),
                           "write force arm = ..., force arm(1, 0, 0) = ... or torque arm = ...");
        return false;
    }
    const MemberId member =
        find_target(item.target, kinds,
                    on_bodies ? "a coordinate, particle or body" : "a coordinate or particle");
    const bool is_body =
        member != none && evaluator_.names.entity_of(member).kind == EntityKind::body;
    if (item.place != none && member != none && !is_body) {
        diagnostics_.error(place, fmt::format("'{}' is {}: only bodies have points",
                                              evaluator_.names.name_of(member),
                                              nature_of(evaluator_.names.entity_of(member).kind)));
        return false;
    }
    if (is_body) return body_force(item, member);
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

/// `force BODY = F` at its centre of mass, or `force BODY(x, y, z) = F`.
bool Elaborator::body_force(const AssignedItem& item, MemberId member) {
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (slot == none || !evaluator_.bodies.placed) return false;
    const BodyValue& body = evaluator_.bodies.bodies[slot];
    const std::size_t wanted = body.planar ? 2 : 3;
    const auto vector = [&](NodeId node, std::string_view what) -> std::optional<Components> {
        const Value value = evaluator_.evaluate(node);
        if (value.is_bad()) return std::nullopt;
        if (!value.is_vector() || value.parts.size() != wanted) {
            diagnostics_.error(
                syntax_.span(node),
                fmt::format("{} '{}' must be a vector of {}, but this is {}", what, body.name,
                            counted(wanted, "component"), describe(value)));
            return std::nullopt;
        }
        return value.parts;
    };
    const auto value = vector(item.value, "the force on");
    if (!value || refuse_acceleration(*value, "a force", syntax_.span(item.value))) return false;
    Vector3 at = body.center;
    if (item.place != none) {
        const auto point = vector(item.place, "a point of");
        if (!point) return false;
        at = in_space(*point);
    }
    Spatial space(model_.graph);
    const model::Frame& frame = body.motion.frame;
    const Vector3 p = space.add(frame.p, space.mul(frame.R, at));
    const Components place(p.begin(), p.begin() + static_cast<int>(wanted));
    model_.body_forces.push_back(
        {slot, kept(place), kept(*value), syntax_.span(item.target.tokens)});
    return true;
}

void Elaborator::torques(const TorqueStatement& statement, const Statement& whole) {
    repeat(whole, [&] {
        bool sound = true;
        for (const AssignedItem& item : statement.items)
            repeated(whole, [&] { sound = torque(item) && sound; });
        return sound;
    });
}

/// torque BODY = T, in the world's axes
bool Elaborator::torque(const AssignedItem& item) {
    constexpr EntityKind kinds[] = {EntityKind::body};
    const Span place = syntax_.span(item.target.tokens);
    const MemberId member = find_target(item.target, kinds, "a body");
    const Value value = evaluator_.evaluate(item.value);
    if (item.place != none || item.quantity != none || item.target.primes > 0) {
        diagnostics_.error(place, "a torque acts on a body, not on a point of it",
                           "write torque arm = (0, 0, 1)");
        return false;
    }
    if (member == none || value.is_bad() || !evaluator_.bodies.placed) return false;
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (slot == none) return false;
    const BodyValue& body = evaluator_.bodies.bodies[slot];
    const std::size_t wanted = body.planar ? 1 : 3;
    const std::size_t size = value.is_vector() ? value.parts.size() : 1;
    const Span value_place = syntax_.span(item.value);
    if (size != wanted || value.is_truth()) {
        diagnostics_.error(
            value_place,
            fmt::format("the torque on '{}' is {}, but this is {}", body.name,
                        body.planar ? "a scalar in the plane" : "a vector of 3 components",
                        describe(value)));
        return false;
    }
    const Components parts = evaluator_.arithmetic.components(value);
    if (refuse_acceleration(parts, "a torque", value_place)) return false;
    const Vector3& omega = body.motion.omega;
    model_.torques.push_back(
        {slot, kept(body.planar ? Components{omega[2]} : Components(omega.begin(), omega.end())),
         kept(parts), place});
    return true;
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
