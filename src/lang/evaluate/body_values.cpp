// What bodies are in expressions: their points, and quantities such as `arm.center`.
#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/evaluate/scopes.hpp"

namespace lacon::lang {

/// The body that the node names, with its index; reported and none where it names none.
std::optional<std::ptrdiff_t> Evaluator::body_of(NodeId node) {
    const MemberId member = whole_at(node);
    if (member == none || names.members[member].slot == none) return std::nullopt;
    if (structural_) {
        moving(fmt::format("the body '{}'", names.name_of(member)));
        return std::nullopt;
    }
    if (!bodies.placed) {
        if (diagnostics_.has_errors()) return std::nullopt;
        arithmetic.fail(
            syntax_.span(node),
            fmt::format("the place of '{}' follows from the joints, so a joint cannot depend on "
                        "it",
                        names.name_of(member)),
            "masses, places and axes may use numbers and parameters only");
        return std::nullopt;
    }
    return static_cast<std::ptrdiff_t>(names.members[member].slot);
}

/// A vector of space as a value: in the plane its first two components.
Value Evaluator::space_value(std::ptrdiff_t, const Vector3& parts) const {
    if (bodies.planar) return Value::of_vector({parts[0], parts[1]});
    return Value::of_vector({parts[0], parts[1], parts[2]});
}

/// The coordinates in brackets, or a vector that stands for them.
std::optional<Vector3> Evaluator::body_parts(std::ptrdiff_t body, std::span<const Child> parts,
                                             Span place) {
    const std::size_t wanted = bodies.planar ? 2 : 3;
    Components components;
    for (const Child& child : parts) {
        const Value value = evaluate(child.node);
        if (value.is_bad()) return std::nullopt;
        if (value.is_vector() && parts.size() == 1) {
            components = value.parts;
        } else {
            if (!arithmetic.require_scalar(value, "a coordinate of a point",
                                           syntax_.span(child.node)))
                return std::nullopt;
            components.push_back(arithmetic.expr(value));
        }
    }
    if (components.size() != wanted) {
        const std::string name =
            body < 0 ? "ground" : bodies.bodies[static_cast<std::size_t>(body)].name;
        arithmetic.fail(
            place, fmt::format("a point or direction of '{}' has {}, but {} are given here", name,
                               counted(wanted, "component"), components.size()));
        return std::nullopt;
    }
    components.resize(3, model_.graph.zero());
    return Vector3{components[0], components[1], components[2]};
}

Value Evaluator::body_point(std::ptrdiff_t body, std::span<const Child> parts, Span place) {
    const auto at = body_parts(body, parts, place);
    if (!at) return {};
    Spatial space(model_.graph);
    const model::Frame& frame = bodies.motion(body).frame;
    return space_value(body, space.add(frame.p, space.mul(frame.R, *at)));
}

/// NAME(x, y, z)
Value Evaluator::call_body(const Node& node) {
    const Span place = syntax_.span(node.tokens);
    const EntityId entity = names.id_of(node.detail);
    if (names.entities[entity].family)
        return arithmetic.fail(
            place,
            fmt::format("'{}' is a family; say which member is meant", syntax_.names[node.detail]),
            fmt::format("write an index after it: {}[1](...)", syntax_.names[node.detail]));
    if (!list_members(entity)) return {};
    const MemberId member = member_at(entity, {}, place);
    if (member == none || names.members[member].slot == none) return {};
    if (structural_) return moving(fmt::format("the body '{}'", names.name_of(member)));
    if (!bodies.placed && diagnostics_.has_errors()) return {};
    if (!bodies.placed)
        return arithmetic.fail(
            place,
            fmt::format("the place of '{}' follows from the joints, so a joint cannot depend on "
                        "it",
                        names.name_of(member)),
            "masses, places and axes may use numbers and parameters only");
    return body_point(static_cast<std::ptrdiff_t>(names.members[member].slot),
                      syntax_.children_of(node), place);
}

/// NAME[I](x, y, z), NAME.direction(x, y, z)
Value Evaluator::applied(const Node& node) {
    const NodeId base = syntax_.child(node, 0);
    const Span place = syntax_.span(node.tokens);
    const auto parts = syntax_.children_of(node).subspan(1);
    const bool direction = syntax_.nodes[base].kind == NodeKind::component;
    const NodeId named = direction ? syntax_.child(syntax_.nodes[base], 0) : base;
    if (kind_at(named) == EntityKind::unknown) {
        evaluate(base);
        if (diagnostics_.has_errors()) return {};
    }
    if (kind_at(named) != EntityKind::body)
        return arithmetic.fail(place, "only bodies and functions take arguments in brackets",
                               "if you mean a product, write '*' between them");
    if (direction && syntax_.names[syntax_.nodes[base].detail] != "direction")
        return arithmetic.fail(place,
                               "among the quantities of a body, only 'direction' takes arguments",
                               "write for example arm.direction(0, 0, 1)");
    const auto body = body_of(named);
    if (!body) return {};
    if (!direction) return body_point(*body, parts, place);
    const auto along = body_parts(*body, parts, place);
    if (!along) return {};
    Spatial space(model_.graph);
    return space_value(*body, space.mul(bodies.motion(*body).frame.R, *along));
}

// ---- joints

/// A joint that has no coordinate of its name.
Value Evaluator::refuse_joint(MemberId member, std::optional<Span> place) {
    if (names.entity_of(member).is_coupling)
        return arithmetic.fail(place.value_or(names.place_of(member)),
                               fmt::format("the joint '{}' is a coupling and has no coordinate",
                                           names.name_of(member)),
                               "in outputs it may have .force and .torque");
    const std::uint32_t number = names.members[member].kept;
    if (number == none) return {};  // it has errors
    const JointValue& joint = bodies.joints[number];
    std::string made;
    for (const std::size_t slot : joint.coordinates)
        made += (made.empty() ? "" : ", ") + model_.coordinates[slot].name;
    const std::string why = joint.role == Joint::Role::asked
                                ? "'by constraints' builds it from constraints"
                            : !joint.in_tree() ? "it closes a loop and is built from constraints"
                            : made.empty()     ? "it locks everything"
                                               : "its coordinates are " + made;
    return arithmetic.fail(
        place.value_or(joint.span),
        fmt::format("the joint '{}' has no coordinate of that name: {}", joint.name, why),
        joint.in_tree()
            ? ""
            : "to make it carry the body, write it before the other joints of the loop");
}

/// Whether this is J.force, J.torque, J.local_force or J.local_torque of a joint.
bool Evaluator::is_joint_force(NodeId base, std::string_view quantity) const {
    if (quantity != "force" && quantity != "torque" && quantity != "local_force" &&
        quantity != "local_torque")
        return false;
    if (syntax_.nodes[base].kind == NodeKind::index) base = syntax_.child(syntax_.nodes[base], 0);
    const EntityId id = entity_named(base);
    return id != none && names.entities[id].is_joint;
}

/// What the joint exerts on its second body, there: a vector of the world, or in the axes of its
/// first body.
Value Evaluator::joint_force(NodeId base, std::string_view quantity, Span place) {
    constexpr auto kind = Observed::Kind::multiplier;
    if (!is_observable(kind)) return refuse_observed(kind, place);
    const MemberId member = whole_at(base);
    if (member == none || names.members[member].kept == none) return {};
    if (names.entity_of(member).is_coupling)
        return coupling_force(bodies.couplings[names.members[member].kept], quantity, place);
    if (!bodies.placed) return {};
    const JointValue& joint = bodies.joints[names.members[member].kept];
    const auto local = joint_wrench(joint, place);
    if (!local) return {};
    Spatial space(model_.graph);
    const bool force = quantity == "force" || quantity == "local_force";
    if (joint.statement != nullptr && joint.statement->friction != none && joint.in_tree() &&
        force == (joint.kind->motions[0].kind == JointStep::Kind::slide))
        return arithmetic.fail(
            place,
            fmt::format("the {} of '{}' includes its dry friction, which outputs cannot show",
                        force ? "force" : "torque", joint.name),
            fmt::format("'lacon eval' shows the friction; the {} does not include it",
                        force ? "torque" : "force"));
    Vector3 vector = force ? local->first : local->second;
    if (!quantity.starts_with("local"))
        vector = space.mul(bodies.motion(joint.first).frame.R, vector);
    if (!force && joint.planar) return arithmetic.of(vector[2], place);
    return space_value(joint.second, vector);
}

/// What a coupling exerts on the second that it couples; a rolling joint on what rolls.
Value Evaluator::coupling_force(const CouplingValue& coupling, std::string_view quantity,
                                Span place) {
    const bool force = quantity == "force" || quantity == "local_force";
    if (coupling.exerted.empty()) return {};  // it has errors
    if (!(force ? coupling.has_force : coupling.has_torque))
        return arithmetic.fail(place,
                               fmt::format("the {} '{}' has no {}", coupling.facts->word,
                                           coupling.name, force ? "force" : "torque"),
                               coupling.has_force ? fmt::format("it has {}.force", coupling.name)
                               : coupling.has_torque
                                   ? fmt::format("it has {}.torque", coupling.name)
                                   : "it couples coordinates that belong to no body");
    Spatial space(model_.graph);
    Vector3 sum = space.zero();
    for (const CouplingValue::Exerted& part : coupling.exerted) {
        const Value multiplier =
            observe(Observed::Kind::multiplier, {part.row},
                    fmt::format("{}.multiplier", model_.constraints[part.row].name), place);
        sum = space.add(sum,
                        space.scale(arithmetic.expr(multiplier), force ? part.force : part.torque));
    }
    if (quantity.starts_with("local"))
        sum = space.transposed_mul(bodies.motion(coupling.axes_of).frame.R, sum);
    if (!force && bodies.planar) return arithmetic.of(sum[2], place);
    return space_value(coupling.axes_of, sum);
}

/// Force and torque on the second body at the joint, in the axes of the first: multipliers of what
/// it locks, and its own spring, damping, motor and ends of range along what it leaves free.
std::optional<std::pair<Vector3, Vector3>> Evaluator::joint_wrench(const JointValue& joint,
                                                                   Span place) {
    Graph& g = model_.graph;
    Spatial space(g);
    const auto& e = joint.directions;
    const Vector3 z = {g.zero(), g.zero(), g.one()};
    Vector3 F = space.zero(), T = space.zero();
    const auto multiplier = [&](std::size_t row) {
        return arithmetic.expr(observe(Observed::Kind::multiplier, {row},
                                       fmt::format("{}.multiplier", model_.constraints[row].name),
                                       place));
    };
    std::size_t row = joint.first_row;
    const auto next = [&] { return multiplier(row++); };
    if (joint.row_count == 0 && joint.coordinates.size() > 1 && joint.kind->locked_shifts.empty()) {
        arithmetic.fail(
            place, fmt::format("the joint '{}' locks nothing, so it exerts no force", joint.name));
        return std::nullopt;
    }
    const bool tree = joint.in_tree();
    const auto shifts = tree ? played_shifts(*joint.kind) : joint.kind->locked_shifts;
    Expr along = g.zero();
    for (const std::size_t k : shifts) {
        const Expr force = next();
        if (k == 0) along = force;
        F = space.add(F, space.scale(force, e[k]));
    }
    for (const std::size_t k : joint.kind->locked_turns)
        T = space.add(T, space.scale(next(), joint.planar ? z : e[k]));
    const auto q = [&](std::size_t i) { return model_.coordinates[joint.coordinates[i]].q; };
    const auto v = [&](std::size_t i) { return model_.coordinates[joint.coordinates[i]].v; };
    if (joint.kind->keeps_angle) {
        Vector3 across = space.cross(e[0], e[1]);
        if (tree) {
            across = space.mul(space.rotation(e[0], q(0)), across);
        } else {
            const Motion &A = bodies.motion(joint.first), &B = bodies.motion(joint.second);
            const Vector3 second = space.transposed_mul(
                A.frame.R, space.mul(B.frame.R, space.transposed_mul(joint.place.attitude, e[1])));
            across = space.cross(e[0], second);
        }
        const Expr length = g.apply(Op::sqrt, space.dot(across, across));
        T = space.add(T, space.scale(g.div(next(), length), across));
    }
    if (!tree) {
        if (joint.kind->advances) {
            const Expr push = next();
            F = space.add(F, space.scale(push, e[0]));
            T = space.sub(T, space.scale(g.mul(joint.place.advance, push), e[0]));
        }
        if (joint.way_row != none) {
            const Vector3 own = space.scale(g.neg(multiplier(joint.way_row)), e[0]);
            if (joint.kind->motions[0].kind == JointStep::Kind::slide) F = space.add(F, own);
            else
                T = space.add(
                    T, joint.planar ? space.scale(g.neg(multiplier(joint.way_row)), z) : own);
        }
        return std::pair(F, T);
    }
    if (joint.coordinates.size() == 1) {
        std::vector<Arg> terms = joint.drive;
        for (const auto& [number, factor] : joint.acting)
            terms.push_back({g.mul(factor, multiplier(number)), 1.0});
        Expr own = g.sum(terms);
        if (joint.kind->advances) own = g.sub(own, g.mul(joint.place.advance, along));
        const bool slides = joint.kind->motions[0].kind == JointStep::Kind::slide;
        if (slides) F = space.add(F, space.scale(own, e[0]));
        else T = space.add(T, space.scale(own, joint.planar ? z : e[0]));
        if (joint.kind->advances)  // from the first body's place of the joint to the second's
            T = space.sub(T, space.cross(space.scale(g.mul(joint.place.advance, q(0)), e[0]), F));
    } else if (joint.damping && joint.kind->keeps_angle) {
        const Vector3 second = space.mul(space.rotation(e[0], q(0)), e[1]);
        // Each axis has its own torque; the vector whose power along them is theirs.
        const Expr c = space.dot(e[0], e[1]);
        const Expr det = g.sub(g.one(), g.pow(c, 2));
        const Expr t0 = g.mul(*joint.damping, v(0)), t1 = g.mul(*joint.damping, v(1));
        const Expr a = g.div(g.sub(t0, g.mul(c, t1)), det), b = g.div(g.sub(t1, g.mul(c, t0)), det);
        T = space.sub(T, space.add(space.scale(a, e[0]), space.scale(b, second)));
    } else if (joint.damping) {
        std::array<Expr, 4> p = {q(0), q(1), q(2), q(3)};
        const auto E = space.quaternion_rates(p);
        Vector3 omega = space.zero();
        for (std::size_t i = 0; i < 4; ++i) omega = space.add(omega, space.scale(v(i), E[i]));
        T = space.sub(T, space.scale(*joint.damping, space.mul(space.rotation(p), omega)));
    }
    return std::pair(F, T);
}

// ---- bodies

/// arm.center and so on.
Value Evaluator::body_quantity(std::ptrdiff_t number, std::string_view quantity, Span place) {
    const BodyValue& body = bodies.bodies[static_cast<std::size_t>(number)];
    Graph& g = model_.graph;
    Spatial space(g);
    const model::Frame& frame = body.motion.frame;
    const Vector3& omega = body.motion.omega;
    const auto center = [&] { return space.add(frame.p, space.mul(frame.R, body.center)); };
    const auto velocity = [&]() -> std::optional<Vector3> {
        const Vector3 c = center();
        const Value rate = time_derivative(Value::of_vector({c[0], c[1], c[2]}), place);
        if (rate.is_bad()) return std::nullopt;
        return space.vector(rate.parts);
    };
    const auto spin = [&] {  // R I Rᵀ ω
        const auto& I = body.inertia;
        const Matrix3 inertia = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
        return space.mul(frame.R, space.mul(inertia, space.transposed_mul(frame.R, omega)));
    };
    const auto of_axis = [&](const Vector3& vector) {
        return body.planar ? arithmetic.of(vector[2], place) : space_value(number, vector);
    };
    if (quantity == "center") return space_value(number, center());
    if (quantity == "origin") return space_value(number, frame.p);
    if (quantity == "omega") return of_axis(omega);
    if (quantity == "mass") return arithmetic.of(body.mass, place);
    if (quantity == "angular_momentum") return of_axis(spin());
    if (quantity == "momentum" || quantity == "kinetic") {
        const auto v = velocity();
        if (!v) return {};
        if (quantity == "momentum") return space_value(number, space.scale(body.mass, *v));
        const Arg terms[] = {{g.mul(body.mass, space.dot(*v, *v)), 0.5},
                             {space.dot(omega, spin()), 0.5}};
        return arithmetic.of(g.sum(terms), place);
    }
    const std::vector<std::string> known = {"center",           "origin",  "omega", "momentum",
                                            "angular_momentum", "kinetic", "mass",  "direction"};
    const auto near = nearest_name(quantity, known);
    if (quantity == "direction")
        return arithmetic.fail(place, "'direction' needs a direction of the body in brackets",
                               fmt::format("write {}.direction(0, 0, 1)", body.name));
    return arithmetic.fail(place, fmt::format("a body has no '.{}'", quantity),
                           near
                               ? fmt::format("did you mean '.{}'?", *near)
                               : "a body has .center, .origin, .omega, .direction(...), .momentum, "
                                 ".angular_momentum, .kinetic and .mass");
}

}  // namespace lacon::lang
