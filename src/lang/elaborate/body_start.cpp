// Start values of places, attitudes and velocities of bodies: `start arm.rotation = …`. They become
// start values of the coordinates of the joint that carries the body.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

/// start BODY.position | rotation | angle | velocity | omega
bool Elaborator::start_of_body(const AssignedItem& item) {
    constexpr EntityKind kinds[] = {EntityKind::body};
    const std::string_view quantity = syntax_.text(item.quantity);
    const Span place = syntax_.span(item.target.tokens);
    const MemberId member = find_target(item.target, kinds, "a body");
    if (member == none || !evaluator_.bodies.placed) return false;
    Bodies& all = evaluator_.bodies;
    const BodyValue& body = all.bodies[evaluator_.names.members[member].slot];
    const JointValue& joint = all.joints[body.carrier];
    const bool spatial = !joint.planar;
    const std::vector<std::string> known =
        spatial ? std::vector<std::string>{"position", "rotation", "velocity", "omega"}
                : std::vector<std::string>{"position", "angle", "velocity", "omega"};
    if (std::find(known.begin(), known.end(), quantity) == known.end()) {
        const auto near = nearest_name(quantity, known);
        diagnostics_.error(syntax_.tokens[item.quantity].span,
                           fmt::format("a body has no start '{}'", quantity),
                           near ? fmt::format("did you mean '{}'?", *near)
                                : fmt::format("a body starts with {}", quoted_list(known)));
        return false;
    }
    const bool free = joint.kind->word == "free", ball = joint.kind->word == "spherical";
    const bool turning = quantity == "rotation" || quantity == "angle" || quantity == "omega";
    const bool plain = joint.role == Joint::Role::tree && joint.first == Body::ground;
    Spatial space(model_.graph);
    const bool centred = joint.statement == nullptr ||
                         (space.is_zero(joint.place.first) && space.is_zero(joint.place.second));
    if (!plain || !(free || (ball && turning)) || (!turning && !centred)) {
        diagnostics_.error(
            place,
            fmt::format("the {} of '{}' cannot be set at the start: the joint '{}' carries it",
                        quantity, body.name, joint.name),
            "set the start of the joint's coordinates");
        return false;
    }
    const Span value_place = syntax_.span(item.value);
    const Value value = evaluator_.evaluate(item.value);
    if (value.is_bad()) return false;
    const std::size_t wanted = quantity == "rotation" ? 4
                               : !turning             ? (spatial ? 3u : 2u)
                                                      : (spatial ? 3u : 1u);
    const std::size_t size = value.is_vector() ? value.parts.size() : 1;
    if (size != wanted || value.is_truth()) {
        diagnostics_.error(value_place,
                           fmt::format("the {} of '{}' has {}, but this is {}", quantity, body.name,
                                       counted(wanted, "component"), describe(value)),
                           quantity == "rotation" ? "write rotation((0, 0, 1), pi/2)" : "");
        return false;
    }
    const Components parts = evaluator_.arithmetic.components(value);
    for (const Expr part : parts)
        if (!start_is_known(part, value_place)) return false;
    if (turning && spatial) {
        BodyStart& start = body_starts_[body.carrier];
        const bool rotation = quantity == "rotation";
        auto& kept_value = rotation ? start.rotation : start.omega;
        if (kept_value) {
            diagnostics_.error(place,
                               fmt::format("the {} of '{}' is given twice", quantity, body.name));
            return false;
        }
        kept_value = kept(parts);  // what is passing is forgotten
        (rotation ? start.rotation_guess : start.omega_guess) = item.guess;
        (rotation ? start.rotation_place : start.omega_place) = place;
        return true;
    }
    const std::size_t first = quantity == "angle" || quantity == "omega" ? 2 : 0;
    const bool rate = quantity == "velocity" || quantity == "omega";
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (!set_start(joint.coordinates[first + i], rate, item.guess, parts[i], place))
            return false;
    return true;
}

/// Attitudes and angular velocities as start values of quaternions: p' = ½ ω p with ω in the
/// world. A quaternion without a start is guessed as (1, 0, 0, 0).
void Elaborator::finish_body_starts() {
    if (!evaluator_.bodies.placed || diagnostics_.has_errors()) return;
    Graph& g = model_.graph;
    Spatial space(g);
    const std::vector<JointValue>& joints = evaluator_.bodies.joints;
    for (std::size_t i = 0; i < joints.size(); ++i) {
        const JointValue& joint = joints[i];
        const bool turns_freely = !joint.kind->motions.empty() && joint.in_tree() &&
                                  joint.kind->motions.back().kind == JointStep::Kind::quaternion;
        if (!turns_freely) continue;
        const auto first = joint.coordinates.end() - 4;
        const auto found = body_starts_.find(i);
        BodyStart start = found == body_starts_.end() ? BodyStart{} : found->second;
        std::array<Expr, 4> p = {g.one(), g.zero(), g.zero(), g.zero()};
        if (start.rotation) {
            const Components given = model_.forms.expressions(*start.rotation, g);
            std::copy(given.begin(), given.end(), p.begin());
            if (joint.turned) {
                const auto& r = *joint.turned;
                const std::array<Expr, 4> back = {r[0], g.neg(r[1]), g.neg(r[2]), g.neg(r[3])};
                p = space.quaternion_product(p, back);
            }
            for (std::size_t k = 0; k < 4; ++k)
                if (!set_start(first[static_cast<std::ptrdiff_t>(k)], false, start.rotation_guess,
                               p[k], start.rotation_place))
                    return;
        } else {
            const std::uint32_t w = g.symbol_index(model_.coordinates[*first].q);
            if (w >= start_of_.size() || start_of_[w] == none)
                set_start(*first, false, true, g.one(), joint.span);
        }
        if (!start.omega) continue;
        const Components omega = model_.forms.expressions(*start.omega, g);
        const std::array<Expr, 4> spin = {g.zero(), omega[0], omega[1], omega[2]};
        const auto rate = space.quaternion_product(spin, p);
        for (std::size_t k = 0; k < 4; ++k)
            if (!set_start(first[static_cast<std::ptrdiff_t>(k)], true, start.omega_guess,
                           g.scale(0.5, rate[k]), start.omega_place))
                return;
    }
}

}  // namespace lacon::lang
