// Couplings (gear, belt, rack, cam, rolling, parallel, distance, point on line, plane or curve) as
// constraint rows, and what a multiplier of theirs exerts. P is the point of A, c that of B; d =
// Aᵀ (c − P) in the axes of A; n a normal, u and w axes, all unit vectors.
//
//   gear, belt, rack   y − k x − o = 0, x and y the ways of A and B; y' − k x' = 0 where only the
//                      speeds are known
//   cam                y − lift = 0
//   distance           (d·d − L²)/(2 L) = 0: its multiplier is the force along the rod
//   parallel           e2·w/k = 0, e3·w/k = 0 with e2, e3 across u, w the axis of B, 2 k = 1 + u·w
//   point on line      e2·d = 0, e3·d = 0;  on plane n·d = 0;  on curve d − C(s) = 0
//   rolling            n·d = height of the centre, and the contact's velocity across n is 0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "expr/derivative.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

void Elaborator::declare_coupling(const JointStatement& statement, MemberId member) {
    CouplingValue value;
    value.member = member;
    value.statement = &statement;
    value.facts = find_coupling(syntax_.text(statement.kind));
    value.name = evaluator_.names.name_of(member);
    value.span = evaluator_.names.place_of(member);
    auto& all = evaluator_.bodies.couplings;
    evaluator_.names.members[member].kept = static_cast<std::uint32_t>(all.size());
    all.push_back(std::move(value));
}

/// What a joint of couplings or of bodies was given and cannot have.
bool Elaborator::refuse_modifiers(const JointStatement& statement,
                                  std::span<const std::string_view> allowed,
                                  std::string_view usage) {
    const std::string_view kind = syntax_.text(statement.kind);
    for (const auto& [word, place] : given_modifiers(syntax_, statement)) {
        if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) continue;
        diagnostics_.error(place, fmt::format("a {} joint has no '{}'", kind, word),
                           usage.empty() ? "" : fmt::format("for example: {}", usage));
        return true;
    }
    return false;
}

/// The place on a curve is a coordinate of its own.
void Elaborator::coordinates_of_couplings() {
    Names& names = evaluator_.names;
    for (CouplingValue& coupling : evaluator_.bodies.couplings) {
        if (coupling.facts->kind != Coupling::point_on_curve) continue;
        names.entities[names.definition_of(coupling.member).entity].kind = EntityKind::coordinate;
        const std::uint32_t slot = add_coordinate(coupling.name, coupling.span);
        names.members[coupling.member].slot = slot;
        coupling.coordinate = slot;
    }
}

void Elaborator::coupling_parts() {
    const JointStatement* broken = nullptr;  // its other members would say the same
    for (CouplingValue& coupling : evaluator_.bodies.couplings) {
        if (coupling.statement == broken) continue;
        const std::size_t errors = diagnostics_.error_count();
        const std::size_t first = model_.constraints.size();
        const JointStatement& s = *coupling.statement;
        evaluator_.within(coupling.member, [&] {
            if (refuse_modifiers(s, coupling.facts->modifiers, coupling.facts->usage)) return;
            coupling_rows(coupling);
        });
        if (diagnostics_.error_count() > errors) {
            broken = &s;
            continue;
        }
        Joint made;
        made.name = coupling.name;
        made.kind = coupling.facts->word;
        made.role = Joint::Role::coupling;
        if (coupling.coordinate != none) made.coordinates = {coupling.coordinate};
        for (std::size_t row = first; row < model_.constraints.size(); ++row) {
            made.rows.push_back(row);
            check_row(model_.constraints[row],
                      model_.forms.expressions(model_.constraints[row].value, model_.graph)[0],
                      "joint");
        }
        made.coupled = {coupling.first, coupling.second};
        made.span = coupling.span;
        model_.joints.push_back(std::move(made));
    }
}

void Elaborator::coupling_rows(CouplingValue& coupling) {
    switch (coupling.facts->kind) {
        case Coupling::gear:
        case Coupling::belt:
        case Coupling::rack:
        case Coupling::cam: return transmission(coupling);
        default: break;
    }
    const auto pair = coupled_bodies(coupling);
    if (!pair) return;
    switch (coupling.facts->kind) {
        case Coupling::rolling: return rolling(coupling, *pair);
        case Coupling::parallel: return parallel_axes(coupling, *pair);
        case Coupling::distance: return distance(coupling, *pair);
        case Coupling::point_on_curve: return point_on_curve(coupling, *pair);
        default: return point_on(coupling, *pair);
    }
}

// ---- parts

Expr Elaborator::needed_length(const CouplingValue& coupling, NodeId node, std::string_view word) {
    if (node == none) {
        diagnostics_.error(
            coupling.span,
            fmt::format("the {} joint '{}' needs '{}'", coupling.facts->word, coupling.name, word),
            fmt::format("for example: {}", coupling.facts->usage));
        return model_.graph.one();
    }
    const auto value = constant_scalar(node, fmt::format("the {} of a joint", word));
    if (!value) return model_.graph.one();
    const auto number = known_number(*value);
    if (number && *number == 0)
        diagnostics_.error(
            syntax_.span(node), fmt::format("this {} is zero", word),
            coupling.facts->kind == Coupling::distance
                ? "for points that coincide use a spherical joint, in the plane a pin"
                : "");
    return *value;
}

/// A unit vector; `otherwise` where none is given.
std::optional<Vector3> Elaborator::unit_axis(NodeId node, const Vector3& otherwise) {
    if (node == none) return otherwise;
    Graph& g = model_.graph;
    Spatial space(g);
    const std::size_t sizes[] = {evaluator_.bodies.planar ? 2u : 3u};
    const auto parts = constant_vector(node, "the axis of a joint", sizes);
    if (!parts) return std::nullopt;
    const Vector3 u = in_space(*parts);
    const Expr length = g.apply(Op::sqrt, space.dot(u, u));
    if (const auto number = known_number(length); number && !(*number > 0)) {
        diagnostics_.error(syntax_.span(node), "the axis of a joint has no direction");
        return std::nullopt;
    }
    return Vector3{g.div(u[0], length), g.div(u[1], length), g.div(u[2], length)};
}

/// The bodies that the coupling is between, with their points.
std::optional<Elaborator::CoupledBodies> Elaborator::coupled_bodies(CouplingValue& coupling) {
    const JointStatement& s = *coupling.statement;
    const Bodies& all = evaluator_.bodies;
    const auto first = joined_body(s.first), second = joined_body(s.second);
    if (!first || !second) return std::nullopt;
    if (*first == *second) {
        diagnostics_.error(coupling.span,
                           fmt::format("the joint '{}' joins '{}' to itself", coupling.name,
                                       syntax_.text(s.first.tokens.begin)));
        return std::nullopt;
    }
    if (all.planar && !coupling.facts->in_plane) {
        diagnostics_.error(coupling.span,
                           fmt::format("a {} joint needs bodies in space, but these are "
                                       "planar",
                                       coupling.facts->word),
                           "for planar bodies use point_on_line");
        return std::nullopt;
    }
    if (!all.placed) return std::nullopt;
    coupling.first = body_name(*first);
    coupling.second = body_name(*second);
    Spatial space(model_.graph);
    CoupledBodies pair{*first, *second, space.zero(), space.zero(), space.zero()};
    const std::size_t sizes[] = {all.planar ? 2u : 3u};
    for (const auto& [node, place] : {std::pair{s.at, &pair.p}, std::pair{s.at_second, &pair.c}}) {
        if (node == none) continue;
        const auto at = constant_vector(node, "the place of a joint", sizes);
        if (!at) return std::nullopt;
        *place = in_space(*at);
    }
    pair.d = between(pair.first, pair.p, pair.second, pair.c);
    coupling.axes_of = pair.first;
    coupling.at = point_of(pair.second, pair.c);
    return pair;
}

std::string Elaborator::body_name(std::ptrdiff_t body) const {
    return body < 0 ? "ground" : evaluator_.bodies.bodies[static_cast<std::size_t>(body)].name;
}

/// A point of a body, in the world.
Vector3 Elaborator::point_of(std::ptrdiff_t body, const Vector3& place) {
    Spatial space(model_.graph);
    const Frame& frame = evaluator_.bodies.motion(body).frame;
    return space.add(frame.p, space.mul(frame.R, place));
}

/// From a point of one body to one of another, in the axes of the first.
Vector3 Elaborator::between(std::ptrdiff_t a, const Vector3& p, std::ptrdiff_t b,
                            const Vector3& c) {
    Spatial space(model_.graph);
    const Vector3 at = point_of(a, p), to = point_of(b, c);
    return space.transposed_mul(evaluator_.bodies.motion(a).frame.R, space.sub(to, at));
}

/// Rows under the coupling's name, each with the force, and torque, of its multiplier 1.
void Elaborator::coupling_made(CouplingValue& coupling, std::span<const Expr> values,
                               std::span<const Vector3> forces, std::span<const Vector3> torques) {
    Spatial space(model_.graph);
    const std::size_t first =
        made_rows(coupling.member, "", std::vector<ConstraintRow>(values.size()), values);
    for (std::size_t i = 0; i < values.size(); ++i)
        coupling.exerted.push_back({first + i, forces.empty() ? space.zero() : forces[i],
                                    torques.empty() ? space.zero() : torques[i]});
}

// ---- points and axes

void Elaborator::distance(CouplingValue& coupling, const CoupledBodies& pair) {
    Graph& g = model_.graph;
    Spatial space(g);
    const Expr L = needed_length(coupling, coupling.statement->length, "length");
    if (const auto number = known_number(L); number && *number < 0) {
        diagnostics_.error(
            syntax_.span(coupling.statement->length),
            fmt::format("a distance cannot be negative, but it is {}", shortest(*number)));
        return;
    }
    const Expr row[] = {g.scale(0.5, g.div(g.sub(space.dot(pair.d, pair.d), g.pow(L, 2)), L))};
    const Vector3 along = space.scale(g.div(g.one(), L), pair.d);
    const Vector3 force[] = {space.mul(evaluator_.bodies.motion(pair.first).frame.R, along)};
    coupling.has_torque = false;
    coupling_made(coupling, row, force, {});
    note_span(model_.constraints.size() - 1, point_of(pair.second, pair.c),
              point_of(pair.first, pair.p));
}

void Elaborator::parallel_axes(CouplingValue& coupling, const CoupledBodies& pair) {
    Graph& g = model_.graph;
    Spatial space(g);
    const JointStatement& s = *coupling.statement;
    const bool planar = evaluator_.bodies.planar;
    const Vector3 z = {g.zero(), g.zero(), g.one()}, x = {g.one(), g.zero(), g.zero()};
    const auto u = unit_axis(s.axis, planar ? x : z);
    if (!u) return;
    const auto own = unit_axis(s.axis_second, *u);
    if (!own) return;
    const Frame &A = evaluator_.bodies.motion(pair.first).frame,
                &B = evaluator_.bodies.motion(pair.second).frame;
    const Vector3 w = space.transposed_mul(A.R, space.mul(B.R, *own));
    // As for the joints that close a loop: opposite axes would meet the sines alone.
    const Expr half_cosine = g.scale(0.5, g.add(g.one(), space.dot(*u, w)));
    std::vector<Expr> values;
    std::vector<Vector3> torques;
    const auto across = [&](const Vector3& e) {
        values.push_back(g.div(space.dot(e, w), half_cosine));
        torques.push_back(space.mul(A.R, space.cross(w, e)));
    };
    if (planar) {
        across(space.cross(z, *u));
    } else {
        const Vector3 axes[] = {*u};
        const auto e =
            joint_directions(space, axes, [&](Expr k) { return known_number(k).value_or(0.0); });
        across(e[2]);
        across(e[3]);
    }
    coupling.has_force = false;
    coupling_made(coupling, values, {}, torques);
}

/// point_on_line, point_on_plane
void Elaborator::point_on(CouplingValue& coupling, const CoupledBodies& pair) {
    Graph& g = model_.graph;
    Spatial space(g);
    const bool planar = evaluator_.bodies.planar;
    const Vector3 z = {g.zero(), g.zero(), g.one()}, x = {g.one(), g.zero(), g.zero()};
    const auto u = unit_axis(coupling.statement->axis, planar ? x : z);
    if (!u) return;
    const Vector3 axes[] = {*u};
    const auto e =
        joint_directions(space, axes, [&](Expr k) { return known_number(k).value_or(0.0); });
    std::vector<Vector3> normals = {e[2], e[3]};
    if (planar) normals = {space.cross(z, *u)};
    else if (coupling.facts->kind == Coupling::point_on_plane) normals = {*u};
    std::vector<Expr> values;
    std::vector<Vector3> forces;
    for (const Vector3& n : normals) {
        values.push_back(space.dot(n, pair.d));
        forces.push_back(space.mul(evaluator_.bodies.motion(pair.first).frame.R, n));
    }
    coupling.has_torque = false;
    coupling_made(coupling, values, forces, {});
}

void Elaborator::point_on_curve(CouplingValue& coupling, const CoupledBodies& pair) {
    Graph& g = model_.graph;
    Spatial space(g);
    const NodeId node = coupling.statement->curve;
    if (node == none) {
        diagnostics_.error(coupling.span,
                           fmt::format("the joint '{}' needs its curve", coupling.name),
                           fmt::format("for example: {}", coupling.facts->usage));
        return;
    }
    const Span place = syntax_.span(node);
    const Value curve = evaluator_.evaluate(node);
    if (curve.is_bad()) return;
    const std::size_t size = evaluator_.bodies.planar ? 2 : 3;
    if (!curve.is_vector() || curve.parts.size() != size) {
        diagnostics_.error(place, fmt::format("a curve here has {}, but this is {}",
                                              counted(size, "component"), describe(curve)));
        return;
    }
    const Expr own[] = {model_.coordinates[coupling.coordinate].q};
    for (const Expr part : curve.parts)
        if ((uses_.of(part) & (Uses::velocity | Uses::acceleration)) != 0) {
            diagnostics_.error(place, "a curve must not contain velocities");
            return;
        }
    if (!std::any_of(curve.parts.begin(), curve.parts.end(),
                     [&](Expr part) { return depends_on(g, part, own); })) {
        diagnostics_.error(place, fmt::format("the curve does not contain '{}'", coupling.name),
                           fmt::format("'{}' is the coordinate that says where on the curve the "
                                       "point is: {}",
                                       coupling.name, coupling.facts->usage));
        return;
    }
    const Matrix3& R = evaluator_.bodies.motion(pair.first).frame.R;
    std::vector<Expr> values;
    std::vector<Vector3> forces;
    for (std::size_t i = 0; i < size; ++i) {
        values.push_back(g.sub(pair.d[i], curve.parts[i]));
        forces.push_back(Spatial::column(R, i));
    }
    coupling.has_torque = false;
    coupling_made(coupling, values, forces, {});
}

}  // namespace lacon::lang
