// A shape of a body as data: its kind, its sizes, and how it stands in the body.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shape/space.hpp"

namespace lacon::shape {

struct Mesh;

enum class Kind : std::uint8_t {
    sphere,
    box,
    capsule,
    cylinder,
    ellipsoid,
    plane,
    mesh,
    disk,
    rectangle,
    line,
};

/// What each kind is, in the order of the enumeration.
struct KindFacts {
    std::string_view name;
    std::size_t sizes;      // how many there are
    bool planar;            // of bodies in the plane, else of those in space
    bool solid;             // whether it has a volume (in the plane an area)
    std::string_view form;  // how it is written, for messages
};
const KindFacts& facts_of(Kind kind);
std::optional<Kind> kind_named(std::string_view name);
/// The names of all kinds for bodies in the plane or in space.
std::vector<std::string> kind_names(bool planar);

/// Full sizes of boxes and rectangles; half axes of ellipsoids; capsules and cylinders stand along
/// z of the frame, with the length of the cylindrical part. A plane is the half space z ≤ 0 of the
/// frame, a line the half plane y ≤ 0. Planar shapes lie in the plane z = 0.
struct Shape {
    Kind kind = Kind::sphere;
    std::vector<Expr> sizes;           // of parameters: sphere {R}, box {LX, LY, LZ}, …
    Frame frame;                       // in the body's axes; R is a rotation
    std::shared_ptr<const Mesh> mesh;  // of kind mesh
    Vector scale;                      // of the mesh, along its own axes
};

}  // namespace lacon::shape
