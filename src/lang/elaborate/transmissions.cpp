// Couplings of one way with another: gear, belt, rack and cam; and rolling without slip.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "expr/derivative.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

// ---- ways

/// The coordinate of a joint, or how far a body has turned or moved against its carrier.
std::optional<Elaborator::Way> Elaborator::way_of(const CouplingValue& coupling,
                                                  const Target& target, bool slides, NodeId axis) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate, EntityKind::body};
    const Entity* entity = evaluator_.names.find(target.name);
    const bool ground = syntax_.names[target.name] == "ground" &&
                        (entity == nullptr || entity->kind != EntityKind::body);
    if (ground) return way_of_body(coupling, Body::ground, slides, axis);
    if (entity != nullptr && entity->kind == EntityKind::joint) {
        diagnostics_.error(syntax_.span(target.tokens),
                           fmt::format("the joint '{}' has no coordinate of its name that a {} "
                                       "could couple",
                                       syntax_.names[target.name], coupling.facts->word),
                           "name one of its coordinates, or the body that moves");
        return std::nullopt;
    }
    const MemberId member = find_target(target, kinds, "a joint with one coordinate, or a body");
    if (member == none || evaluator_.names.members[member].slot == none) return std::nullopt;
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (entity->kind == EntityKind::body)
        return way_of_body(coupling, static_cast<std::ptrdiff_t>(slot), slides, axis);
    const Coordinate& coordinate = model_.coordinates[slot];
    Way way{coordinate.q, coordinate.v, std::nullopt, slides, Body::ground, coordinate.name};
    for (const JointValue& joint : evaluator_.bodies.joints) {
        if (joint.coordinates.size() != 1 || joint.coordinates[0] != slot) continue;
        Spatial space(model_.graph);
        const Expr zero = model_.graph.zero();
        const auto& motion = joint.kind->motions[0];
        way.slides = motion.kind == JointStep::Kind::slide;
        way.of = joint.first;
        way.axis = space.mul(evaluator_.bodies.motion(joint.first).frame.R,
                             joint.planar && !way.slides ? Vector3{zero, zero, model_.graph.one()}
                                                         : joint.directions[motion.axis]);
        const bool fits = way.slides == slides || coupling.facts->kind == Coupling::cam;
        if (fits) continue;
        diagnostics_.error(syntax_.span(target.tokens),
                           fmt::format("the joint '{}' {}, but a {} needs one that {} here",
                                       joint.name, way.slides ? "slides" : "turns",
                                       coupling.facts->word, slides ? "slides" : "turns"),
                           coupling.facts->kind == Coupling::rack
                               ? "a rack couples a turning joint to a sliding one"
                               : "a rack couples a turning joint to a sliding one; "
                                 "'mimic' couples any two");
        return std::nullopt;
    }
    return way;
}

/// Against the carrier, about or along an axis of the carrier.
std::optional<Elaborator::Way> Elaborator::way_of_body(const CouplingValue& coupling,
                                                       std::ptrdiff_t body, bool slides,
                                                       NodeId axis) {
    Graph& g = model_.graph;
    Spatial space(g);
    const Bodies& all = evaluator_.bodies;
    if (!all.placed) return std::nullopt;
    const Target& target = coupling.statement->carrier;
    std::ptrdiff_t carrier = Body::ground;
    if (target.name != none) {
        const auto found = joined_body(target);
        if (!found) return std::nullopt;
        carrier = *found;
    }
    if (carrier == body) {
        const bool ground = body == Body::ground;
        diagnostics_.error(
            coupling.span,
            ground ? fmt::format("a {} couples two motions, and the ground has none",
                                 coupling.facts->word)
                   : fmt::format("'{}' cannot be its own carrier", body_name(body)),
            ground ? "the ground moves only against a carrier: write 'on' and the carrier" : "");
        return std::nullopt;
    }
    const Vector3 z = {g.zero(), g.zero(), g.one()}, x = {g.one(), g.zero(), g.zero()};
    const bool about_z = all.planar && !slides;
    if (about_z && axis != none) {
        diagnostics_.error(syntax_.span(axis), "in the plane everything turns about the same axis");
        return std::nullopt;
    }
    const auto u = about_z ? std::optional(z) : unit_axis(axis, all.planar ? x : z);
    if (!u) return std::nullopt;
    Way way;
    way.name = body_name(body);
    way.slides = slides;
    way.of = carrier;
    way.axis = space.mul(all.motion(carrier).frame.R, *u);
    if (slides) {
        const Vector3 d = between(carrier, space.zero(), body, space.zero());
        way.position = space.dot(*u, d);
        const Value rate = evaluator_.time_derivative(
            evaluator_.arithmetic.of(*way.position, coupling.span), coupling.span);
        if (rate.is_bad()) return std::nullopt;
        way.rate = evaluator_.arithmetic.expr(rate);
    } else {
        way.rate = space.dot(*u, turning_against(body, carrier));
        way.position = integral_of(way.rate);
    }
    return way;
}

/// The angular velocity of a body against another, in the axes of the other. It is found from the
/// body that both hang on, so that what they share does not enter.
Vector3 Elaborator::turning_against(std::ptrdiff_t body, std::ptrdiff_t carrier) {
    Graph& g = model_.graph;
    Spatial space(g);
    const auto path = [&](std::ptrdiff_t at) {
        std::vector<std::ptrdiff_t> all;
        for (; at >= 0; at = model_.bodies[static_cast<std::size_t>(at)].parent) all.push_back(at);
        std::reverse(all.begin(), all.end());
        return all;
    };
    const auto a = path(body), b = path(carrier);
    std::size_t shared = 0;
    while (shared < a.size() && shared < b.size() && a[shared] == b[shared]) ++shared;
    const auto follow = [&](const std::vector<std::ptrdiff_t>& way) {
        Motion at{{space.identity(), space.zero(), g.zero()}, space.zero()};
        for (std::size_t i = shared; i < way.size(); ++i) {
            const Body& part = model_.bodies[static_cast<std::size_t>(way[i])];
            const Components constants = model_.forms.expressions(part.constants, g);
            at = walk(
                space, std::move(at), part.steps, constants,
                [&](std::size_t q) { return model_.coordinates[q].q; },
                [&](std::size_t q) { return model_.coordinates[q].v; });
        }
        return at;
    };
    const Motion one = follow(a), other = follow(b);
    return space.transposed_mul(other.frame.R, space.sub(one.omega, other.omega));
}

/// Σ k q of Σ k q' with constant k; none of other rates.
std::optional<Expr> Elaborator::integral_of(Expr rate) {
    Graph& g = model_.graph;
    const std::vector<std::size_t> coordinates = coordinates_in({&rate, 1});
    std::vector<Expr> speeds;
    ExprMap<Expr> at_rest;
    for (const std::size_t c : coordinates) {
        speeds.push_back(model_.coordinates[c].v);
        at_rest.insert(model_.coordinates[c].v, g.zero());
    }
    if (!g.is_zero(substitute(g, rate, at_rest))) return std::nullopt;
    std::vector<Arg> terms;
    const std::vector<Expr> slopes = gradient(g, rate, speeds);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        if ((uses_.of(slopes[i]) & Uses::motion) != 0 ||
            depends_on(g, slopes[i], {&model_.time, 1}))
            return std::nullopt;
        terms.push_back({g.mul(slopes[i], model_.coordinates[coordinates[i]].q), 1.0});
    }
    return g.sum(terms);
}

// ---- gear, belt, rack, cam

/// `ratio R`, or `radius r, r2`.
std::optional<Expr> Elaborator::ratio_of(const CouplingValue& coupling) {
    const JointStatement& s = *coupling.statement;
    const bool rack = coupling.facts->kind == Coupling::rack;
    if (s.ratio != none && s.radius != none) {
        diagnostics_.error(syntax_.span(s.ratio), "the ratio follows from the radii",
                           "give one of them");
        return std::nullopt;
    }
    const std::size_t errors = diagnostics_.error_count();
    Graph& g = model_.graph;
    Expr ratio = g.one();
    if (s.ratio != none) {
        ratio = needed_length(coupling, s.ratio, "ratio");
    } else if (s.radius == none || (!rack && s.radius_second == none)) {
        diagnostics_.error(
            coupling.span,
            fmt::format("the {} '{}' needs {}", coupling.facts->word, coupling.name,
                        rack ? "the radius of its pinion" : "its ratio, or two radii"),
            fmt::format("for example: {}", coupling.facts->usage));
    } else if (rack && s.radius_second != none) {
        diagnostics_.error(syntax_.span(s.radius_second), "only the pinion has a radius");
    } else {
        ratio = needed_length(coupling, s.radius, "radius");
        if (!rack) ratio = g.div(ratio, needed_length(coupling, s.radius_second, "radius"));
        if (coupling.facts->kind == Coupling::gear) ratio = g.neg(ratio);
    }
    if (diagnostics_.error_count() > errors) return std::nullopt;
    return ratio;
}

void Elaborator::transmission(CouplingValue& coupling) {
    const JointStatement& s = *coupling.statement;
    Graph& g = model_.graph;
    Spatial space(g);
    const bool rack = coupling.facts->kind == Coupling::rack,
               cam = coupling.facts->kind == Coupling::cam;
    const NodeId second_axis = s.axis_second == none ? s.axis : s.axis_second;
    const auto a = way_of(coupling, s.first, false, s.axis);
    const auto b = a ? way_of(coupling, s.second, rack, second_axis) : std::nullopt;
    if (!a || !b) return;
    if (a->rate == b->rate) {
        diagnostics_.error(coupling.span,
                           fmt::format("the joint '{}' couples '{}' to itself", coupling.name,
                                       syntax_.text(s.first.tokens.begin)));
        return;
    }
    std::optional<Expr> row;
    if (cam) {
        row = cam_row(coupling, *a, *b);
    } else if (const auto ratio = ratio_of(coupling)) {
        const auto offset =
            s.offset == none ? std::optional(g.zero()) : constant_scalar(s.offset, "an offset");
        if (!offset) return;
        const bool positions = a->position && b->position;
        if (!positions && s.offset != none) {
            diagnostics_.error(syntax_.span(s.offset),
                               "these bodies turn about axes that move, so their speeds are "
                               "coupled, and there is no offset");
            return;
        }
        const Arg terms[] = {{positions ? *b->position : b->rate, 1.0},
                             {g.mul(*ratio, positions ? *a->position : a->rate), -1.0},
                             {*offset, -1.0}};
        row = g.sum(terms);
    }
    if (!row) return;
    coupling.first = a->name;
    coupling.second = b->name;
    coupling.axes_of = b->of;
    coupling.has_force = b->axis && b->slides;
    coupling.has_torque = b->axis && !b->slides;
    const Expr values[] = {*row};
    const Vector3 along[] = {b->axis.value_or(space.zero())};
    if (b->slides) coupling_made(coupling, values, along, {});
    else coupling_made(coupling, values, {}, along);
}

std::optional<Expr> Elaborator::cam_row(const CouplingValue& coupling, const Way& a, const Way& b) {
    const NodeId node = coupling.statement->lift;
    if (node == none) {
        diagnostics_.error(coupling.span, fmt::format("the cam '{}' needs its lift", coupling.name),
                           fmt::format("for example: {}", coupling.facts->usage));
        return std::nullopt;
    }
    const auto lift = scalar(node, "the lift of a cam");
    if (!lift || !a.position || !b.position) return std::nullopt;
    const std::uint8_t uses = uses_.of(*lift);
    if ((uses & (Uses::velocity | Uses::acceleration)) != 0) {
        diagnostics_.error(syntax_.span(node), "the lift of a cam must not contain velocities");
        return std::nullopt;
    }
    if (!depends_on(model_.graph, *lift, {&*a.position, 1})) {
        const std::string_view shaft =
            syntax_.source->text(syntax_.span(coupling.statement->first.tokens));
        diagnostics_.error(
            syntax_.span(node), fmt::format("the lift does not contain '{}'", shaft),
            fmt::format("the lift gives the position of '{}' as a function of '{}'",
                        syntax_.source->text(syntax_.span(coupling.statement->second.tokens)),
                        shaft));
        return std::nullopt;
    }
    return model_.graph.sub(*b.position, *lift);
}

// ---- rolling

/// A rolls on B. In the axes of B, c is the centre of A above its point P, n the normal of what it
/// rolls on and m from the contact to the centre, over the radius:
///   ball, and in the plane   n·c = R,                m = n
///   wheel with the axis a    n·c = R √(1 − (n·a)²),  m = (n − (n·a) a)/√(1 − (n·a)²)
///   wheel on a wheel         |c|² = (R + R2)²,       m = n = c/(R + R2)
/// and across n the velocity c' − R ω × m of the contact is zero; c' and ω are those against B.
void Elaborator::rolling(CouplingValue& coupling, const CoupledBodies& pair) {
    const JointStatement& s = *coupling.statement;
    Graph& g = model_.graph;
    Spatial space(g);
    const std::size_t errors = diagnostics_.error_count();
    const bool planar = evaluator_.bodies.planar;
    const Expr R = needed_length(coupling, s.radius, "radius");
    if (!planar && s.radius_second != none)
        diagnostics_.error(
            syntax_.span(s.radius_second),
            "in space bodies roll on planes; only planar bodies take a second radius");
    const Vector3 z = {g.zero(), g.zero(), g.one()}, x = {g.one(), g.zero(), g.zero()};
    const auto u = unit_axis(planar ? s.axis : s.axis_second, planar ? x : z);
    if (!u || diagnostics_.error_count() > errors) return;
    const Motion &A = evaluator_.bodies.motion(pair.first),
                 &B = evaluator_.bodies.motion(pair.second);
    const Vector3 c = between(pair.second, pair.c, pair.first, pair.p);
    const Value rate =
        evaluator_.time_derivative(Value::of_vector({c[0], c[1], c[2]}), coupling.span);
    if (rate.is_bad()) return;
    const Vector3 speed = Spatial::vector(rate.parts);
    const Vector3 omega = space.transposed_mul(B.frame.R, space.sub(A.omega, B.omega));
    coupling.axes_of = pair.second;
    coupling.has_torque = false;
    std::vector<Expr> values;
    std::vector<Vector3> forces;
    const auto put = [&](Expr value, const Vector3& direction) {
        values.push_back(value);
        forces.push_back(space.mul(B.frame.R, direction));
    };
    const auto touch = [&](const Vector3& m) {
        if (notes_ == nullptr) return;
        coupling.at =
            space.sub(point_of(pair.first, pair.p), space.mul(B.frame.R, space.scale(R, m)));
    };
    const auto slip = [&](const Vector3& m) {
        return space.sub(speed, space.scale(R, space.cross(omega, m)));
    };
    if (planar && s.radius_second != none) {
        const Expr R2 = needed_length(coupling, s.radius_second, "radius");
        const Expr sum = g.add(R, R2);
        if (const auto number = known_number(sum); number && *number == 0) {
            diagnostics_.error(syntax_.span(s.radius_second),
                               "a wheel does not roll in a ring of "
                               "its own radius");
            return;
        }
        const Vector3 n = space.scale(g.div(g.one(), sum), c);
        const Vector3 t = space.cross(z, n);
        touch(n);
        put(g.scale(0.5, g.div(g.sub(space.dot(c, c), g.pow(sum, 2)), sum)), n);
        put(space.dot(t, slip(n)), t);
    } else if (planar) {
        const Vector3 n = space.cross(z, *u);
        touch(n);
        put(g.sub(space.dot(n, c), R), n);
        put(space.dot(*u, slip(n)), *u);
    } else {
        Expr height = R;
        Vector3 m = *u;
        if (s.axis != none) {
            const auto own = unit_axis(s.axis, z);
            if (!own) return;
            const Vector3 a = space.transposed_mul(B.frame.R, space.mul(A.frame.R, *own));
            const Expr lean = space.dot(*u, a);
            const Expr share = g.apply(Op::sqrt, g.sub(g.one(), g.pow(lean, 2)));
            height = g.mul(R, share);
            m = space.scale(g.div(g.one(), share), space.sub(*u, space.scale(lean, a)));
        }
        const Vector3 axes[] = {*u};
        const auto e =
            joint_directions(space, axes, [&](Expr k) { return known_number(k).value_or(0.0); });
        const Vector3 across = slip(m);
        touch(m);
        put(g.sub(space.dot(*u, c), height), *u);
        put(space.dot(e[2], across), e[2]);
        put(space.dot(e[3], across), e[3]);
    }
    coupling_made(coupling, values, forces, {});
}

}  // namespace lacon::lang
