// The corners of the convex hull of a mesh: its points that can touch a plane.
#pragma once

#include <vector>

#include "shape/mesh.hpp"

namespace lacon::shape {

/// The points of the mesh that the convex hull of the others does not contain, in the order in
/// which they are found; no more than most + 1 of them.
std::vector<Point> hull_corners(const Mesh& mesh, std::size_t most);

}  // namespace lacon::shape
