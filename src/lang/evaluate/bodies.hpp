// What is known of bodies and joints while a model is built.
#pragma once

#include "lang/evaluate/names.hpp"
#include "lang/parse/couplings.hpp"
#include "model/joints.hpp"

namespace lacon::lang {

struct BodyValue {
    MemberId member = none;
    std::string name;
    bool planar = false;
    Span span;
    std::ptrdiff_t parent = Body::ground;
    std::size_t carrier = 0;  // in Bodies::joints, once `hung`
    bool hung = false;
    Expr mass;
    Vector3 center;
    std::array<Expr, 6> inertia;  // xx, yy, zz, xy, xz, yz
    Motion motion;                // in the world
};

struct JointValue {
    MemberId member = none;                     // of a free body: the body's
    const JointStatement* statement = nullptr;  // of a free body none
    std::string name;
    Span span;
    bool planar = false;
    const JointKind* kind = nullptr;
    std::ptrdiff_t first = Body::ground, second = Body::ground;
    Joint::Role role = Joint::Role::tree;
    std::vector<std::size_t> coordinates, plays;  // in the model
    JointPlace place;
    std::array<Vector3, 4> directions;
    /// Its own force on its only coordinate: Σ k·expr, and the multipliers of rows times factors.
    std::vector<Arg> drive;
    std::vector<std::pair<std::size_t, Expr>> acting;
    std::optional<Expr> damping;
    std::optional<std::array<Expr, 4>> turned;  // the attitude as a quaternion
    std::size_t first_row = 0, row_count = 0;   // of the constraints that it is, or of its lock
    std::size_t way_row = none;                 // of one that closes a loop: what measures its way
    bool in_tree() const { return role == Joint::Role::tree || role == Joint::Role::reversed; }
};

/// A coupling, as JointValue is a joint.
struct CouplingValue {
    std::uint32_t member = none;
    const JointStatement* statement = nullptr;
    const CouplingFacts* facts = nullptr;
    std::string name;
    Span span;
    std::size_t coordinate = none;  // of point_on_curve: the place on the curve, in the model
    std::string first, second;      // the names of what it couples
    std::ptrdiff_t axes_of = -1;    // the body in whose axes the local force is given
    /// What a row with multiplier 1 exerts, in the axes of the world.
    struct Exerted {
        std::size_t row;
        Vector3 force, torque;
    };
    std::vector<Exerted> exerted;
    std::optional<Vector3> at;  // where, in the world; none: no point is its place
    bool has_force = true, has_torque = true;
};

/// Bodies and joints in the order of the text; members of theirs have their numbers as slots.
struct Bodies {
    std::vector<BodyValue> bodies;
    std::vector<JointValue> joints;
    std::vector<CouplingValue> couplings;
    Motion ground;
    bool placed = false;  // whether their frames are known
    bool planar = false;

    bool any() const { return !bodies.empty(); }
    const Motion& motion(std::ptrdiff_t body) const {
        return body < 0 ? ground : bodies[static_cast<std::size_t>(body)].motion;
    }
};

}  // namespace lacon::lang
