// Where two shapes touch: gaps, points of contact, normals and velocities of sliding as
// expressions of how both bodies stand and move.
#pragma once

#include <stdexcept>
#include <vector>

#include "shape/shape.hpp"

namespace lacon::shape {

/// How a body stands and moves, in the world's axes: expressions of coordinates and velocities.
struct Carrier {
    Frame frame;
    Vector velocity;  // of the frame's place
    Vector omega;
};
/// One that stands at the origin and never moves.
Carrier fixed_carrier(Graph& graph);

/// A place where a shape A may touch a shape B.
struct ContactPoint {
    Expr gap;       // a length; negative where they overlap
    Vector place;   // on A, where the gap is zero on B as well
    Vector normal;  // of length 1, from B to A
    Vector slip;    // the velocity of A less that of B, of their points at `place`
};

/// A pair without a smooth gap function. The message names both shapes and says why.
struct NoGap : std::runtime_error {
    NoGap(const std::string& message, std::string h)
        : std::runtime_error(message), hint(std::move(h)) {}
    std::string hint;
};

struct ContactOptions {
    /// Points that stand for the rim of a cylinder; 0: its lowest point, which moves around it.
    std::size_t rim_points = 0;
};

constexpr std::size_t most_corners = 200;  // of a mesh that touches planes

/// All points at which `a` may touch `b`. One alone for smooth pairs; one for each end of a
/// capsule, each rim of a cylinder and each corner of a box or mesh on a plane or line. Throws
/// NoGap.
std::vector<ContactPoint> contact_points(Graph& graph, const Carrier& of_a, const Shape& a,
                                         const Carrier& of_b, const Shape& b,
                                         const ContactOptions& options = {});

}  // namespace lacon::shape
