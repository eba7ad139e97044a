// What joints add to the model besides coordinates: unit quaternions, the constraints of joints
// that close loops, and properties such as springs and motors.
#include <fmt/format.h>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

void Elaborator::joint_parts() {
    Bodies& all = evaluator_.bodies;
    if (all.any() && !all.placed) return;
    for (std::size_t i = 0; i < all.joints.size(); ++i) {
        JointValue& joint = all.joints[i];
        const std::size_t first = model_.constraints.size();
        unit_row(joint);
        lock_rows(joint);
        if (joint.statement != nullptr) {
            evaluator_.within(joint.member, [&] {
                if (!joint.in_tree()) loop_rows(joint);
                joint_properties(joint);
            });
        }
        for (std::size_t row = first; row < model_.constraints.size(); ++row)
            model_.joints[i].rows.push_back(row);
    }
    coupling_parts();
}

/// w² + x² + y² + z² = 1 of the quaternion that a joint has.
void Elaborator::unit_row(JointValue& joint) {
    if (!joint.in_tree()) return;
    std::size_t first = 0;
    for (const auto& motion : joint.kind->motions) {
        const std::size_t count = coordinate_count(motion.kind);
        if (motion.kind == JointStep::Kind::quaternion) {
            std::vector<Arg> squares;
            for (std::size_t i = 0; i < count; ++i)
                squares.push_back(
                    {model_.graph.pow(model_.coordinates[joint.coordinates[first + i]].q, 2), 1.0});
            const Expr value[] = {model_.graph.sum(squares, -1.0)};
            made_rows(joint.member, "_unit", std::vector<ConstraintRow>(1), value);
        }
        first += count;
    }
}

/// What plays for the sake of the joint's force is held at 0.
void Elaborator::lock_rows(JointValue& joint) {
    if (joint.plays.empty()) return;
    Components values;
    for (const std::size_t play : joint.plays) values.push_back(model_.coordinates[play].q);
    joint.row_count = values.size();
    joint.first_row =
        made_rows(joint.member, "_lock", std::vector<ConstraintRow>(values.size()), values);
}

/// Constraint rows named after a joint, `J_unit`, one for each value; gives the first one's number.
std::size_t Elaborator::made_rows(MemberId of, const std::string& ending,
                                  std::vector<ConstraintRow> rows, std::span<const Expr> values) {
    Names& names = evaluator_.names;
    const std::size_t first = model_.constraints.size();
    const MemberId member = ending.empty() ? of : make_member(EntityKind::constraint, of, ending);
    if (member == none) return first;
    if (!ending.empty()) {
        names.members[member].slot = static_cast<std::uint32_t>(first);
        names.members[member].row_count = static_cast<std::uint32_t>(rows.size());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ConstraintRow& row = rows[i];
        row.name = names.name_of(member);
        if (rows.size() > 1) row.name += component_ending(i);
        row.span = names.place_of(of);
        row.value = kept({values[i]});
        model_.constraints.push_back(std::move(row));
    }
    return first;
}

/// The rows of a joint that closes a loop: translations along what it locks, in the axes of the
/// first body, then rotations. They are scaled so that multipliers are forces and torques on the
/// second body at the joint.
void Elaborator::loop_rows(JointValue& joint) {
    const Bodies& all = evaluator_.bodies;
    Graph& g = model_.graph;
    Spatial space(g);
    const Motion &A = all.motion(joint.first), &B = all.motion(joint.second);
    const auto at = [&](const Motion& body, const Vector3& place) {
        return space.add(body.frame.p, space.mul(body.frame.R, place));
    };
    const Vector3 d = space.transposed_mul(
        A.frame.R, space.sub(at(B, joint.place.second), at(A, joint.place.first)));
    const auto& e = joint.directions;
    const Matrix3 relative =
        joint.planar
            ? space.identity()
            : space.mul(Matrix3(space.transpose(A.frame.R)),
                        space.mul(B.frame.R, Matrix3(space.transpose(joint.place.attitude))));
    Components values;
    for (const std::size_t k : joint.kind->locked_shifts) values.push_back(space.dot(e[k], d));
    if (joint.planar) {
        if (!joint.kind->locked_turns.empty()) {
            const Arg angle[] = {
                {*B.frame.angle, 1.0}, {*A.frame.angle, -1.0}, {*joint.place.planar_angle, -1.0}};
            const Expr turn = g.sum(angle);
            values.push_back(g.scale(
                2.0, g.div(g.apply(Op::sin, turn), g.add(g.one(), g.apply(Op::cos, turn)))));
        }
    } else {
        turn_rows(joint, relative, values);
        if (joint.kind->advances) {
            const Vector3 omega = space.transposed_mul(A.frame.R, space.sub(B.omega, A.omega));
            const Value along = evaluator_.arithmetic.of(space.dot(e[0], d), joint.span);
            const Value rate = evaluator_.time_derivative(along, joint.span);
            if (rate.is_bad()) return;
            values.push_back(g.sub(evaluator_.arithmetic.expr(rate),
                                   g.mul(joint.place.advance, space.dot(e[0], omega))));
        }
    }
    if (values.empty()) {
        diagnostics_.error(joint.span,
                           fmt::format("the {} joint '{}' closes a loop, but locks nothing",
                                       joint.kind->word, joint.name),
                           "remove it: another joint already carries the body");
        return;
    }
    joint.row_count = values.size();
    joint.first_row =
        made_rows(joint.member, "", std::vector<ConstraintRow>(values.size()), values);
    if (!joint.coordinates.empty()) way_row(joint, d, relative);
}

/// The coordinate q of a joint that closes a loop is the way that its bodies have gone: its length
/// or angle θ. In space 2 tan((q − θ)/2) = 0, which no other angle meets, from the cosine and sine
/// of θ. What acts on q acts on the bodies by the multiplier.
void Elaborator::way_row(JointValue& joint, const Vector3& shift, const Matrix3& relative) {
    Graph& g = model_.graph;
    Spatial space(g);
    const auto& e = joint.directions;
    const Expr q = model_.coordinates[joint.coordinates[0]].q;
    Expr row;
    if (joint.kind->motions[0].kind == JointStep::Kind::slide) {
        row = g.sub(q, space.dot(e[0], shift));
    } else if (joint.planar) {
        const Bodies& all = evaluator_.bodies;
        const Arg terms[] = {{q, 1.0},
                             {*all.motion(joint.second).frame.angle, -1.0},
                             {*all.motion(joint.first).frame.angle, 1.0},
                             {*joint.place.planar_angle, 1.0}};
        row = g.sum(terms);
    } else {
        const Vector3 turned = space.mul(relative, e[2]);
        const Expr c = space.dot(e[2], turned), s = space.dot(e[3], turned);
        const Expr cq = g.apply(Op::cos, q), sq = g.apply(Op::sin, q);
        const Expr sine = g.sub(g.mul(c, sq), g.mul(s, cq));
        const Expr cosine = g.add(g.mul(c, cq), g.mul(s, sq));
        row = g.scale(2.0, g.div(sine, g.add(g.one(), cosine)));
    }
    const Expr value[] = {row};
    joint.way_row = made_rows(joint.member, "_way", std::vector<ConstraintRow>(1), value);
}

/// `relative` is the second body's attitude in the first, 1 where the joint's coordinates are zero.
/// For a small rotation θ its columns are u + θ × u. The rows are 2 tan(θ/2), from sines over one
/// plus cosines: sines alone would be met half a turn away, too, and an assembly could end there.
void Elaborator::turn_rows(const JointValue& joint, const Matrix3& relative, Components& values) {
    Graph& g = model_.graph;
    Spatial space(g);
    const auto& e = joint.directions;
    const std::size_t locked = joint.kind->locked_turns.size();
    if (locked == 2) {
        const Vector3 u = space.mul(relative, e[0]);
        const Expr half_cosine = g.scale(0.5, g.add(g.one(), space.dot(e[0], u)));
        values.push_back(g.div(g.neg(space.dot(e[3], u)), half_cosine));
        values.push_back(g.div(space.dot(e[2], u), half_cosine));
    } else if (locked == 3) {
        const auto half = [&](std::size_t i, std::size_t j) {
            const Arg terms[] = {{relative[i][j], 0.5}, {relative[j][i], -0.5}};
            return g.sum(terms);
        };
        const Vector3 sines = {half(2, 1), half(0, 2), half(1, 0)};
        const Arg trace[] = {
            {relative[0][0], 0.25}, {relative[1][1], 0.25}, {relative[2][2], 0.25}};
        const Expr half_cosine = g.sum(trace, 0.25);  // (1 + cos)/2, the trace being 1 + 2 cos
        for (const std::size_t k : {0, 2, 3})
            values.push_back(g.div(space.dot(e[k], sines), half_cosine));
    } else if (joint.kind->keeps_angle) {
        const Vector3 across = space.cross(e[0], e[1]);
        const Expr length = g.apply(Op::sqrt, space.dot(across, across));
        const Expr angle = g.sub(space.dot(e[0], e[1]), space.dot(e[0], space.mul(relative, e[1])));
        values.push_back(g.div(angle, length));
    }
}

// ---- properties

namespace {

constexpr std::string_view needs_coordinate =
    "joints with one coordinate may have it even where they close a loop";

}  // namespace

void Elaborator::joint_properties(JointValue& joint) {
    const JointStatement& s = *joint.statement;
    const std::pair<std::string_view, NodeId> given[] = {
        {"range", s.low},
        {"stiffness", s.stiffness},
        {"armature", s.armature},
        {"friction", s.friction},
        {"damping", s.damping},
        {"motor", s.motor_value},
        {"mimic", s.mimic.name == none ? none : s.target.name},
    };
    for (const auto& [name, node] : given) {
        if (node == none) continue;
        const bool fits = joint.coordinates.size() == 1 ||
                          (joint.in_tree() && name == "damping" && damps_all(joint));
        if (fits) continue;
        diagnostics_.error(
            joint.span,
            fmt::format("the joint '{}' cannot have '{}': {}", joint.name, name,
                        !joint.in_tree() ? "it closes a loop"
                        : joint.coordinates.empty()
                            ? "it locks everything"
                            : fmt::format("it has {} coordinates", joint.coordinates.size())),
            !joint.in_tree() ? needs_coordinate
                             : "write the energy, force or constraint of a coordinate of its own");
        return;
    }
    if (s.restitution != none && s.low == none) {
        diagnostics_.error(syntax_.span(s.restitution),
                           "restitution belongs to the ends of a range, and there is none",
                           "write range LO..HI restitution E");
        return;
    }
    if (joint.coordinates.empty()) return;
    const Coordinate coordinate = model_.coordinates[joint.coordinates[0]];
    if (s.damping != none) damping(joint);
    if (s.stiffness != none) spring(joint, coordinate);
    if (s.armature != none)
        if (const auto armature = constant_scalar(s.armature, "an armature")) {
            const Arg factors[] = {{*armature, 1.0}, {coordinate.v, 2.0}};
            const Expr energy = model_.graph.scale(0.5, model_.graph.product(factors));
            model_.kinetic.push_back({kept({energy}), joint.span});
        }
    if (s.friction != none)
        if (const auto bound = friction_bound(s.friction, coordinate.name))
            add_dry_friction(joint.coordinates[0], *bound, {}, joint.span);
    if (s.low != none) joint_range(joint, coordinate);
    if (s.mimic.name != none) mimic(joint, coordinate);
    if (s.motor != none) motor(joint, coordinate);
}

/// Whether one number damps all its coordinates alike: they are all angles.
bool Elaborator::damps_all(const JointValue& joint) {
    for (const auto& motion : joint.kind->motions)
        if (motion.kind != JointStep::Kind::turn && motion.kind != JointStep::Kind::quaternion)
            return false;
    return !joint.kind->motions.empty();
}

void Elaborator::damping(JointValue& joint) {
    const auto D = scalar(joint.statement->damping, "a damping");
    if (!D || refuse_acceleration({&*D, 1}, "a damping", syntax_.span(joint.statement->damping)))
        return;
    Graph& g = model_.graph;
    std::vector<Arg> squares;
    if (joint.kind->motions[0].kind == JointStep::Kind::quaternion) {
        Spatial space(g);
        std::array<Expr, 4> p, rate;
        for (std::size_t i = 0; i < 4; ++i) {
            p[i] = model_.coordinates[joint.coordinates[i]].q;
            rate[i] = model_.coordinates[joint.coordinates[i]].v;
        }
        const auto E = space.quaternion_rates(p);
        Vector3 omega = space.zero();
        for (std::size_t i = 0; i < 4; ++i) omega = space.add(omega, space.scale(rate[i], E[i]));
        squares.push_back({space.dot(omega, omega), 1.0});
    } else {
        for (const std::size_t i : joint.coordinates)
            squares.push_back({g.pow(model_.coordinates[i].v, 2), 1.0});
    }
    const Expr R = g.scale(0.5, g.mul(*D, g.sum(squares)));
    model_.dissipation.push_back({kept({R}), joint.span});
    joint.damping = D;
    if (joint.coordinates.size() == 1)
        joint.drive.push_back({g.mul(*D, model_.coordinates[joint.coordinates[0]].v), -1.0});
}

/// stiffness K [rest Q0]
void Elaborator::spring(JointValue& joint, const Coordinate& coordinate) {
    Graph& g = model_.graph;
    const auto K = scalar(joint.statement->stiffness, "a stiffness");
    const auto rest = joint.statement->rest == none
                          ? std::optional(g.zero())
                          : scalar(joint.statement->rest, "the rest of a spring");
    if (!K || !rest) return;
    if ((uses_.of(*K) & Uses::motion) != 0) {
        diagnostics_.error(syntax_.span(joint.statement->stiffness),
                           "a stiffness must not change with the motion",
                           "write a potential or a force of the coordinate");
        return;
    }
    const Expr stretch = g.sub(coordinate.q, *rest);
    const Arg factors[] = {{*K, 1.0}, {stretch, 2.0}};
    model_.potential.push_back({kept({g.scale(0.5, g.product(factors))}), joint.span});
    joint.drive.push_back({g.mul(*K, stretch), -1.0});
}

/// range LO..HI [restitution E]: two one-sided constraints
void Elaborator::joint_range(JointValue& joint, const Coordinate& coordinate) {
    const JointStatement& s = *joint.statement;
    const auto low = scalar(s.low, "the end of a range"),
               high = scalar(s.high, "the end of a range");
    if (!low || !high) return;
    const auto from = known_number(*low), to = known_number(*high);
    if (from && to && !(*from < *to)) {
        diagnostics_.error(syntax_.span(s.low),
                           fmt::format("the range {}..{} of '{}' leaves no room to move",
                                       shortest(*from), shortest(*to), joint.name),
                           *from > *to ? "its ends are in the wrong order"
                                       : "use a weld for a joint that does not move");
        return;
    }
    ConstraintRow row;
    row.sense = ConstraintRow::Sense::at_least;
    if (s.restitution != none) {
        row.restitution = restitution(s.restitution);
        if (!row.restitution) return;
    }
    const Expr above[] = {model_.graph.sub(coordinate.q, *low)};
    const Expr below[] = {model_.graph.sub(*high, coordinate.q)};
    joint.acting.push_back({made_rows(joint.member, "_low", {row}, above), model_.graph.one()});
    joint.acting.push_back(
        {made_rows(joint.member, "_high", {row}, below), model_.graph.constant(-1.0)});
}

/// mimic OTHER [ratio R] [offset O]: J = R*OTHER + O
void Elaborator::mimic(JointValue& joint, const Coordinate& coordinate) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate};
    const JointStatement& s = *joint.statement;
    Graph& g = model_.graph;
    const MemberId member = find_target(s.mimic, kinds, "a joint with one coordinate");
    if (member == none || evaluator_.names.members[member].slot == none) return;
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (slot == joint.coordinates[0]) {
        diagnostics_.error(syntax_.span(s.mimic.tokens),
                           fmt::format("the joint '{}' follows itself", joint.name));
        return;
    }
    const auto ratio =
        s.mimic_ratio == none ? std::optional(g.one()) : constant_scalar(s.mimic_ratio, "a ratio");
    const auto offset = s.mimic_offset == none ? std::optional(g.zero())
                                               : constant_scalar(s.mimic_offset, "an offset");
    if (!ratio || !offset) return;
    const Arg terms[] = {
        {coordinate.q, 1.0}, {g.mul(*ratio, model_.coordinates[slot].q), -1.0}, {*offset, -1.0}};
    const Expr value[] = {g.sum(terms)};
    const std::size_t number =
        made_rows(joint.member, "_mimic", std::vector<ConstraintRow>(1), value);
    joint.acting.push_back({number, g.one()});
    for (JointValue& other : evaluator_.bodies.joints)
        if (other.coordinates.size() == 1 && other.coordinates[0] == slot)
            other.acting.push_back({number, g.neg(*ratio)});
}

/// motor angle|position|speed EXPR is a constraint, motor torque|force EXPR a force.
void Elaborator::motor(JointValue& joint, const Coordinate& coordinate) {
    const JointStatement& s = *joint.statement;
    Graph& g = model_.graph;
    const std::string_view word = syntax_.text(s.motor);
    const bool slides = joint.kind->motions[0].kind == JointStep::Kind::slide;
    const bool of_turning = word == "angle" || word == "torque";
    if (word != "speed" && of_turning == slides) {
        const std::string_view right = slides ? (word == "angle" ? "position" : "force")
                                              : (word == "position" ? "angle" : "torque");
        diagnostics_.error(syntax_.tokens[s.motor].span,
                           fmt::format("the joint '{}' {}, so its motor has no {}", joint.name,
                                       slides ? "slides" : "turns", word),
                           fmt::format("write 'motor {}'", right));
        return;
    }
    const auto value = scalar(s.motor_value, fmt::format("the {} of a motor", word));
    if (!value ||
        refuse_acceleration({&*value, 1}, "what a motor gives", syntax_.span(s.motor_value)))
        return;
    if (word == "torque" || word == "force") {
        model_.forces.push_back({joint.coordinates[0], kept({*value}), joint.span});
        joint.drive.push_back({*value, 1.0});
        return;
    }
    const Expr row[] = {g.sub(word == "speed" ? coordinate.v : coordinate.q, *value)};
    joint.acting.push_back(
        {made_rows(joint.member, "_motor", std::vector<ConstraintRow>(1), row), g.one()});
}

}  // namespace lacon::lang
