// Bodies and the joints between them: which joint carries which body, the coordinates that they
// bring, masses and places, and the frames of the bodies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

namespace {

constexpr std::ptrdiff_t ground = Body::ground;

}  // namespace

/// Before anything that moves is looked at: afterwards points of bodies are expressions.
void Elaborator::assemble_bodies() {
    each_statement(&Elaborator::declare_bodies);
    each_statement(&Elaborator::declare_joints);
    Bodies& all = evaluator_.bodies;
    if (all.any()) {
        hang_bodies();
        make_coordinates();
    }
    coordinates_of_couplings();
    if (!all.any()) return;
    for (BodyValue& body : all.bodies) evaluator_.within(body.member, [&] { read_inertia(body); });
    for (JointValue& joint : all.joints)
        if (joint.statement != nullptr) evaluator_.within(joint.member, [&] { read_place(joint); });
    each_statement(&Elaborator::ground_shapes);
    if (!diagnostics_.has_errors()) place_bodies();
}

void Elaborator::declare_bodies(const BodyStatement& body, const Statement& statement) {
    Bodies& all = evaluator_.bodies;
    for (const MemberId member : members_of(statement)) {
        BodyValue value;
        value.member = member;
        value.name = evaluator_.names.name_of(member);
        value.span = evaluator_.names.place_of(member);
        value.planar = body.planar != none;
        if (!all.any()) all.planar = value.planar;
        if (value.planar != all.planar) {
            diagnostics_.error(value.span,
                               fmt::format("'{}' is {}, but the bodies before it are {}",
                                           value.name, value.planar ? "planar" : "in space",
                                           all.planar ? "planar" : "in space"),
                               "a model has bodies of the plane or of space");
            return;
        }
        evaluator_.names.members[member].slot = static_cast<std::uint32_t>(all.bodies.size());
        all.bodies.push_back(std::move(value));
    }
}

/// The body's number; reported and nothing where there is none.
std::optional<std::ptrdiff_t> Elaborator::joined_body(const Target& target) {
    constexpr EntityKind kinds[] = {EntityKind::body};
    const Entity* entity = evaluator_.names.find(target.name);
    const bool is_body = entity != nullptr && entity->kind == EntityKind::body;
    if (syntax_.names[target.name] == "ground" && !is_body) {
        if (target.indices.empty()) return ground;
        diagnostics_.error(syntax_.span(target.tokens), "the ground is one body, without members");
        return std::nullopt;
    }
    const MemberId member = find_target(target, kinds, "a body");
    if (member == none || evaluator_.names.members[member].slot == none) return std::nullopt;
    return static_cast<std::ptrdiff_t>(evaluator_.names.members[member].slot);
}

void Elaborator::declare_joints(const JointStatement& statement, const Statement& whole) {
    for (const MemberId member : members_of(whole)) {
        const std::size_t before = diagnostics_.error_count();
        if (find_coupling(syntax_.text(statement.kind)) != nullptr) {
            declare_coupling(statement, member);
            continue;
        }
        evaluator_.within(member, [&] {
            JointValue joint;
            joint.member = member;
            joint.statement = &statement;
            joint.name = evaluator_.names.name_of(member);
            joint.span = evaluator_.names.place_of(member);
            const auto first = joined_body(statement.first), second = joined_body(statement.second);
            if (!first || !second) return;
            joint.first = *first;
            joint.second = *second;
            if (joint.first == joint.second) {
                diagnostics_.error(joint.span, fmt::format("the joint '{}' joins '{}' to itself",
                                                           joint.name, body_name(joint.first)));
                return;
            }
            if (choose_kind(joint)) evaluator_.bodies.joints.push_back(std::move(joint));
        });
        if (diagnostics_.error_count() > before) break;
    }
}

bool Elaborator::choose_kind(JointValue& joint) {
    const TokenId token = joint.statement->kind;
    const std::string_view word = syntax_.text(token);
    joint.planar = evaluator_.bodies.planar;
    joint.kind = find_joint_kind(word, joint.planar);
    constexpr std::string_view modifiers[] = {
        "at",        "axis",     "turned",   "pitch", "range", "restitution",   "damping",
        "stiffness", "armature", "friction", "motor", "mimic", "by constraints"};
    if (joint.kind != nullptr) return !refuse_modifiers(*joint.statement, modifiers, "");
    diagnostics_.error(syntax_.tokens[token].span,
                       fmt::format("a {} joint joins bodies {}, but these are {}", word,
                                   joint.planar ? "in space" : "of the plane",
                                   joint.planar ? "planar" : "in space"),
                       joint.planar ? "planar bodies have the joints pin, slider, weld and free"
                                    : "in space a pin is 'revolute', and a slider 'prismatic'");
    return false;
}

/// Whether `body` hangs on `above`, over others or none; or is it.
bool Elaborator::hangs_below(std::ptrdiff_t body, std::ptrdiff_t above) const {
    const std::vector<BodyValue>& all = evaluator_.bodies.bodies;
    while (body != above && body >= 0) body = all[static_cast<std::size_t>(body)].parent;
    return body == above;
}

/// In the order of the text: a joint whose second body hangs on nothing yet carries it, else its
/// first body if that is so, unless that would make a circle. All others are constraints. Bodies
/// that no joint carries are free.
void Elaborator::hang_bodies() {
    Bodies& all = evaluator_.bodies;
    const auto carries = [&](std::size_t number, std::ptrdiff_t body, std::ptrdiff_t parent) {
        if (body < 0 || all.bodies[static_cast<std::size_t>(body)].hung) return false;
        if (parent >= 0 && hangs_below(parent, body)) return false;
        BodyValue& value = all.bodies[static_cast<std::size_t>(body)];
        value.hung = true;
        value.parent = parent;
        value.carrier = number;
        return true;
    };
    for (std::size_t i = 0; i < all.joints.size(); ++i) {
        JointValue& joint = all.joints[i];
        if (joint.statement->by_constraints != none) joint.role = Joint::Role::asked;
        else if (carries(i, joint.second, joint.first)) joint.role = Joint::Role::tree;
        else if (carries(i, joint.first, joint.second)) joint.role = Joint::Role::reversed;
        else joint.role = Joint::Role::loop;
    }
    for (std::size_t i = 0; i < all.bodies.size(); ++i) {
        BodyValue& body = all.bodies[i];
        if (body.hung) continue;
        body.hung = true;
        body.carrier = all.joints.size();
        JointValue joint;
        joint.member = body.member;
        joint.name = body.name;
        joint.span = body.span;
        joint.planar = body.planar;
        joint.kind = find_joint_kind("free", body.planar);
        joint.second = static_cast<std::ptrdiff_t>(i);
        all.joints.push_back(std::move(joint));
    }
    for (std::size_t i = 0; i < all.joints.size(); ++i)
        if (all.joints[i].statement != nullptr)
            evaluator_.names.members[all.joints[i].member].kept = static_cast<std::uint32_t>(i);
}

/// In the order of the text, where a free body's are those of its `body` statement.
void Elaborator::make_coordinates() {
    std::vector<JointValue*> order;
    for (JointValue& joint : evaluator_.bodies.joints) order.push_back(&joint);
    const auto& names = evaluator_.names;
    const auto line = [&](const JointValue* joint) {
        return names.definition_of(joint->member).statement;
    };
    std::stable_sort(order.begin(), order.end(), [&](const JointValue* a, const JointValue* b) {
        return line(a) < line(b);  // statements lie in one list
    });
    for (JointValue* joint : order) coordinates_of_joint(*joint);
}

void Elaborator::coordinates_of_joint(JointValue& joint) {
    if (!joint.in_tree() && !is_measured(joint)) return;
    Names& names = evaluator_.names;
    for (const std::string_view suffix : joint.kind->suffixes) {
        if (suffix.data() == nullptr) break;
        MemberId member = joint.member;
        if (suffix.empty()) {
            names.entities[names.definition_of(member).entity].kind = EntityKind::coordinate;
        } else {
            member = make_member(EntityKind::coordinate, joint.member, std::string(suffix));
            if (member == none) return;
        }
        const std::uint32_t slot = add_coordinate(names.name_of(member), joint.span);
        names.members[member].slot = slot;
        joint.coordinates.push_back(slot);
    }
    if (joint.statement == nullptr || !joint.in_tree() || !asked_for_force(joint)) return;
    for (std::size_t i = 0; i < play_count(*joint.kind); ++i) {
        const MemberId member =
            make_member(EntityKind::coordinate, joint.member, fmt::format("_play_{}", i + 1));
        if (member == none) return;
        const std::uint32_t slot = add_coordinate(names.name_of(member), joint.span);
        names.members[member].slot = slot;
        model_.coordinates[slot].hidden = true;
        joint.plays.push_back(slot);
    }
}

/// Whether a joint that closes a loop needs its way as a coordinate: it has a spring, a motor, ….
bool Elaborator::is_measured(const JointValue& joint) const {
    const JointStatement& s = *joint.statement;
    const NodeId given[] = {s.low, s.damping, s.stiffness, s.armature, s.friction, s.motor_value};
    return joint.kind->motions.size() == 1 && joint.kind->suffixes[0].data() != nullptr &&
           joint.kind->suffixes[0].empty() &&
           (s.mimic.name != none ||
            std::any_of(std::begin(given), std::end(given), [](NodeId id) { return id != none; }));
}

/// Whether the text has `J.force` or the like, of any member where J is a family; or pictures ask.
bool Elaborator::asked_for_force(const JointValue& joint) const {
    if (notes_ != nullptr && notes_->joint_forces) return true;
    const NameId wanted = joint.statement->target.name;
    for (const Node& node : syntax_.nodes) {
        if (node.kind != NodeKind::component) continue;
        const std::string_view quantity = syntax_.names[node.detail];
        if (quantity != "force" && quantity != "torque" && quantity != "local_force" &&
            quantity != "local_torque")
            continue;
        const Node* base = &syntax_.nodes[syntax_.child(node, 0)];
        if (base->kind == NodeKind::index) base = &syntax_.nodes[syntax_.child(*base, 0)];
        if (base->kind == NodeKind::name && base->detail == wanted) return true;
    }
    return false;
}

/// A coordinate or constraint that a body or joint brings, named after it.
MemberId Elaborator::make_member(EntityKind kind, MemberId of, const std::string& ending) {
    Names& names = evaluator_.names;
    const EntityId owner = names.definition_of(of).entity;
    const NameId name = syntax_.made_name(names.entities[owner].name, ending);
    EntityId taken_by = none;
    const MemberId made = names.add_made(kind, name, of, taken_by);
    if (made != none) return made;
    const Entity& other = names.entities[taken_by];
    diagnostics_.error(names.place_of(of),
                       fmt::format("'{}' brings {} '{}', but that is already {}", names.name_of(of),
                                   nature_of(kind), syntax_.names[name], nature_of(other.kind)),
                       "rename one of them");
    return none;
}

// ---- numbers

std::optional<Expr> Elaborator::constant_scalar(NodeId node, std::string_view what) {
    const auto value = scalar(node, what);
    if (!value) return std::nullopt;
    const auto parts = Components{*value};
    if ((uses_.of(*value) & Uses::motion) == 0 &&
        !depends_on(model_.graph, *value, {&model_.time, 1}))
        return value;
    diagnostics_.error(syntax_.span(node), fmt::format("{} must not change with the motion", what),
                       "it may use numbers and parameters; what moves is a joint");
    return std::nullopt;
}

std::optional<Components> Elaborator::constant_vector(NodeId node, std::string_view what,
                                                      std::span<const std::size_t> sizes) {
    const Span place = syntax_.span(node);
    const Value value = evaluator_.evaluate(node);
    if (value.is_bad()) return std::nullopt;
    const std::size_t size = value.is_vector() ? value.parts.size() : 1;
    if (value.is_truth() || std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
        std::string wish;
        for (const std::size_t one : sizes)
            wish += (wish.empty() ? "" : " or ") + std::to_string(one);
        diagnostics_.error(place, fmt::format("{} has {} components, but this is {}", what, wish,
                                              describe(value)));
        return std::nullopt;
    }
    const Components parts = evaluator_.arithmetic.components(value);
    for (const Expr part : parts)
        if ((uses_.of(part) & Uses::motion) != 0 ||
            depends_on(model_.graph, part, {&model_.time, 1})) {
            diagnostics_.error(place, fmt::format("{} must not change with the motion", what),
                               "it may use numbers and parameters; what moves is a joint");
            return std::nullopt;
        }
    return parts;
}

Vector3 Elaborator::in_space(const Components& parts) const {
    const Expr zero = model_.graph.zero();
    return {parts[0], parts.size() > 1 ? parts[1] : zero, parts.size() > 2 ? parts[2] : zero};
}

void Elaborator::read_inertia(BodyValue& body) {
    const auto& statement =
        std::get<BodyStatement>(evaluator_.names.definition_of(body.member).statement->content);
    const Expr zero = model_.graph.zero();
    body.mass = zero;
    body.center = {zero, zero, zero};
    body.inertia.fill(zero);
    const std::size_t own = evaluator_.names.members[body.member].slot;
    read_shapes(statement, static_cast<std::ptrdiff_t>(own));
    if (shapes_weigh(statement, body)) return weigh_shapes(statement, body, own);
    const auto refuse_negative = [&](Expr value, NodeId node, std::string_view what) {
        const auto number = known_number(value);
        if (number && *number < 0)
            diagnostics_.error(
                syntax_.span(node),
                fmt::format("{} cannot be negative, but it is {}", what, shortest(*number)));
    };
    if (statement.mass != none)
        if (const auto mass = constant_scalar(statement.mass, "a mass")) {
            body.mass = *mass;
            refuse_negative(*mass, statement.mass, "a mass");
        }
    if (statement.center != none) {
        const std::size_t sizes[] = {body.planar ? 2u : 3u};
        if (const auto center = constant_vector(statement.center, "a centre of mass", sizes))
            body.center = in_space(*center);
    }
    if (statement.inertia == none) return;
    if (body.planar) {
        if (const auto inertia = constant_scalar(statement.inertia, "a moment of inertia")) {
            body.inertia[2] = *inertia;
            refuse_negative(*inertia, statement.inertia, "a moment of inertia");
        }
        return;
    }
    const std::size_t sizes[] = {3, 6};
    const auto inertia = constant_vector(
        statement.inertia, "an inertia, (Ixx, Iyy, Izz) or (Ixx, Iyy, Izz, Ixy, Ixz, Iyz),", sizes);
    if (!inertia) return;
    std::copy(inertia->begin(), inertia->end(), body.inertia.begin());
    for (std::size_t i = 0; i < 3; ++i)
        refuse_negative(body.inertia[i], statement.inertia, "a moment of inertia");
    check_inertia(body, syntax_.span(statement.inertia));
}

// ---- places

void Elaborator::read_place(JointValue& joint) {
    const JointStatement& statement = *joint.statement;
    Graph& g = model_.graph;
    Spatial space(g);
    joint.place.first = joint.place.second = space.zero();
    joint.place.attitude = space.identity();
    joint.place.advance = g.zero();
    const std::size_t sizes[] = {joint.planar ? 2u : 3u};
    if (statement.at != none)
        if (const auto at = constant_vector(statement.at, "the place of a joint", sizes))
            joint.place.first = in_space(*at);
    if (statement.at_second != none)
        if (const auto at = constant_vector(statement.at_second, "the place of a joint", sizes))
            joint.place.second = in_space(*at);
    read_axes(joint);
    read_attitude(joint);
    const bool screw = joint.kind->advances;
    if (screw && statement.pitch == none)
        diagnostics_.error(joint.span, fmt::format("the screw joint '{}' has no pitch", joint.name),
                           "write 'pitch P': the advance per turn");
    if (!screw && statement.pitch != none)
        diagnostics_.error(syntax_.span(statement.pitch), "only a screw joint has a pitch");
    if (screw && statement.pitch != none)
        if (const auto pitch = constant_scalar(statement.pitch, "the pitch of a screw")) {
            constexpr double turn = 6.283185307179586;  // radians
            joint.place.advance = g.scale(1.0 / turn, *pitch);
        }
}

void Elaborator::read_axes(JointValue& joint) {
    const JointStatement& statement = *joint.statement;
    Graph& g = model_.graph;
    Spatial space(g);
    const NodeId nodes[] = {statement.axis, statement.axis_second};
    const std::size_t sizes[] = {joint.planar ? 2u : 3u};
    const Vector3 z = {g.zero(), g.zero(), g.one()}, x = {g.one(), g.zero(), g.zero()};
    std::vector<Vector3> axes;
    for (std::size_t i = 0; i < 2; ++i) {
        if (nodes[i] == none) continue;
        if (i >= joint.kind->axes) {
            diagnostics_.error(
                syntax_.span(nodes[i]),
                fmt::format("a {} joint {}", joint.kind->word,
                            joint.kind->axes == 0 ? "has no axis" : "has only one axis"),
                joint.planar && joint.kind->axes == 0 ? "in the plane all axes are the same" : "");
            return;
        }
        const auto parts = constant_vector(nodes[i], "the axis of a joint", sizes);
        if (!parts) return;
        const Vector3 u = in_space(*parts);
        const Expr length = g.apply(Op::sqrt, space.dot(u, u));
        if (const auto number = known_number(length); number && !(*number > 0)) {
            diagnostics_.error(syntax_.span(nodes[i]), "the axis of a joint has no direction");
            return;
        }
        Vector3 unit;
        for (std::size_t k = 0; k < 3; ++k) unit[k] = g.div(u[k], length);
        axes.push_back(unit);
    }
    if (joint.planar) {
        const Vector3 u = axes.empty() ? x : axes[0];
        if (joint.kind->axes > 0) joint.directions = {u, u, u, space.cross(z, u)};
        else joint.directions = {z, z, x, {g.zero(), g.one(), g.zero()}};
        return;
    }
    if (joint.kind->axes == 2 && axes.size() < 2) {
        diagnostics_.error(
            joint.span,
            fmt::format("the {} joint '{}' needs two axes", joint.kind->word, joint.name),
            "write axis (1, 0, 0), (0, 1, 0)");
        return;
    }
    joint.directions =
        joint_directions(space, axes, [&](Expr e) { return known_number(e).value_or(0.0); });
    if (joint.kind->axes == 2) {
        const Vector3 across = space.cross(axes[0], axes[1]);
        const auto size = known_number(space.dot(across, across));
        if (size && *size < 1e-12)  // an angle of 1e-6, where the joint locks
            diagnostics_.error(syntax_.span(statement.axis_second),
                               fmt::format("the axes of '{}' are parallel", joint.name),
                               "a universal joint has two different axes");
    }
}

/// `turned`: the attitude of the second body where the coordinates are zero.
void Elaborator::read_attitude(JointValue& joint) {
    const JointStatement& statement = *joint.statement;
    if (statement.turned == none) {
        if (joint.planar) joint.place.planar_angle = model_.graph.zero();
        return;
    }
    if (joint.planar) {
        joint.place.planar_angle = constant_scalar(statement.turned, "an angle in the plane");
        return;
    }
    const auto p = constant_quaternion(statement.turned);
    if (!p) return;
    Spatial space(model_.graph);
    joint.place.attitude = settled(model_.graph, space.rotation(*p));
    joint.turned = *p;
}

std::optional<std::array<Expr, 4>> Elaborator::constant_quaternion(NodeId node) {
    Graph& g = model_.graph;
    const std::size_t sizes[] = {4};
    const auto p =
        constant_vector(node, "an attitude, as rotation((0, 0, 1), pi/2) gives it,", sizes);
    if (!p) return std::nullopt;
    std::vector<Arg> squares;
    for (const Expr part : *p) squares.push_back({g.pow(part, 2), 1.0});
    const auto size = known_number(g.sum(squares));
    if (size && std::abs(*size - 1.0) > 1e-12) {  // far above rounding, far below a slip
        diagnostics_.error(syntax_.span(node),
                           fmt::format("an attitude is a unit quaternion, but the square of this "
                                       "one is {}",
                                       shortest(*size)),
                           "quaternion(w, x, y, z) makes it a unit one");
        return std::nullopt;
    }
    return std::array{(*p)[0], (*p)[1], (*p)[2], (*p)[3]};
}

// ---- frames

void Elaborator::place_bodies() {
    Bodies& all = evaluator_.bodies;
    Spatial space(model_.graph);
    const Expr zero = model_.graph.zero();
    all.ground = {{space.identity(), space.zero(), zero}, space.zero()};
    // Parents first, whatever the order of the text.
    std::vector<bool> placed(all.bodies.size(), false);
    for (std::size_t i = 0; i < all.bodies.size(); ++i) {
        std::vector<std::size_t> path;
        for (auto at = static_cast<std::ptrdiff_t>(i);
             at >= 0 && !placed[static_cast<std::size_t>(at)];
             at = all.bodies[static_cast<std::size_t>(at)].parent)
            path.push_back(static_cast<std::size_t>(at));
        for (auto at = path.rbegin(); at != path.rend(); ++at) {
            place_body(*at);
            placed[*at] = true;
        }
    }
    for (const JointValue& joint : all.joints)
        model_.joints.push_back({joint.name,
                                 joint.statement != nullptr ? std::string(joint.kind->word) : "",
                                 joint.first,
                                 joint.second,
                                 joint.role,
                                 joint.coordinates,
                                 {},
                                 joint.span,
                                 {}});
    all.placed = true;
}

void Elaborator::place_body(std::size_t number) {
    Bodies& all = evaluator_.bodies;
    BodyValue& body = all.bodies[number];
    JointValue& joint = all.joints[body.carrier];
    Graph& g = model_.graph;
    Spatial space(g);
    if (joint.statement == nullptr) {
        joint.place = {space.zero(), space.zero(), {}, space.identity(), std::nullopt, g.zero()};
        if (joint.planar) joint.place.planar_angle = g.zero();
        const Vector3 axes[] = {{g.zero(), g.zero(), g.one()}};
        joint.directions =
            joint_directions(space, axes, [&](Expr e) { return g.is_zero(e) ? 0.0 : 1.0; });
    }
    JointSteps made =
        joint_steps(space, *joint.kind, joint.place, joint.directions, joint.coordinates,
                    joint.plays, joint.role == Joint::Role::reversed);
    const auto& coordinates = model_.coordinates;
    body.motion = walk(
        space, all.motion(body.parent), made.steps, made.constants,
        [&](std::size_t i) { return coordinates[i].q; },
        [&](std::size_t i) { return coordinates[i].v; });
    Body part{body.name, body.planar, body.span, body.parent, std::move(made.steps), {}, true};
    made.constants.push_back(body.mass);
    for (const auto& list :
         {std::span<const Expr>(body.center), std::span<const Expr>(body.inertia)})
        made.constants.insert(made.constants.end(), list.begin(), list.end());
    part.massless = g.is_zero(body.mass) && std::all_of(body.inertia.begin(), body.inertia.end(),
                                                        [&](Expr e) { return g.is_zero(e); });
    part.constants = kept(made.constants);
    if (model_.bodies.size() <= number) model_.bodies.resize(all.bodies.size());
    model_.bodies[number] = std::move(part);
}

}  // namespace lacon::lang
