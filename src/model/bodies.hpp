// Rigid bodies and the joints between them, as data: what hangs on what, and by which motions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "model/forms.hpp"
#include "shape/shape.hpp"

namespace lacon::inline model {

/// One elementary step from a frame to the next. A joint of any kind is a sequence of them.
struct JointStep {
    enum class Kind : std::uint8_t {
        shift,       // constants: a translation (3)
        rotate,      // constants: a rotation matrix (9, by rows), from the new axes to the old ones
        tilt,        // constant: an angle about z (1)
        turn,        // by its coordinate about a unit axis (3)
        slide,       // by its coordinate along a unit axis (3)
        screw,       // by its coordinate about a unit axis (3), advancing along it per radian (1)
        move,        // by its three coordinates along the axes
        quaternion,  // a unit quaternion (w, x, y, z) of four coordinates
    };
    Kind kind = Kind::shift;
    bool inverse =
        false;  // of `move` and `quaternion`: the step from the second frame to the first
    std::vector<std::size_t> coordinates;  // numbers in the model

    bool operator==(const JointStep&) const = default;
};

/// How many constants, and coordinates, a step of this kind has.
std::size_t constant_count(JointStep::Kind kind);
std::size_t coordinate_count(JointStep::Kind kind);

/// A rigid body. Its frame follows from its parent's by the steps of the joint that carries it.
struct Body {
    static constexpr std::ptrdiff_t ground = -1;
    std::string name;
    bool planar = false;
    Span span;
    std::ptrdiff_t parent = ground;  // in Model::bodies
    std::vector<JointStep> steps;
    /// The constants of the steps in their order, then its mass, centre (3) and inertia about the
    /// centre (xx, yy, zz, xy, xz, yz), all in its own axes. Of parameters only.
    Formula constants;
    static constexpr std::size_t inertia_count = 10;
    bool massless = true;  // mass and inertia are 0 whatever the parameters are
};

/// A shape of a body or of the ground, as pictures show it.
struct BodyShape {
    std::ptrdiff_t body = Body::ground;
    shape::Kind kind = shape::Kind::sphere;
    /// Its sizes, its place (3) and rotation matrix (9, by rows) in the body's axes, and of a mesh
    /// the scale (3). Of parameters only.
    Formula values;
    std::string file = {};                         // of a mesh, as written
    std::shared_ptr<const shape::Mesh> mesh = {};  // one that weighs or touches was read already
};

/// What became of a joint.
struct Joint {
    enum class Role : std::uint8_t {
        tree,      // its second body hangs on the first: coordinates of its own
        reversed,  // its first body hangs on the second
        loop,      // closes a loop: constraints
        asked,     // constraints, as the model asks for (`by constraints`)
        coupling,  // constraints between what other joints made: gear, rolling, …
    };
    std::string name, kind;  // kind: as written
    std::ptrdiff_t first = Body::ground, second = Body::ground;
    Role role = Role::tree;
    std::vector<std::size_t> coordinates;
    std::vector<std::size_t> rows;  // of Model::constraints
    Span span;
    std::vector<std::string> coupled;  // of couplings: what they couple, as written
};

}  // namespace lacon::model
