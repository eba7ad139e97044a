// Takes bytes through both mesh readers, the integrals and the hull.
#include "fuzz/mesh_way.hpp"

#include <algorithm>
#include <cmath>

#include "shape/hull.hpp"
#include "shape/mesh.hpp"

namespace lacon {

namespace {

bool is_finite(const shape::Point& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

std::string mesh_fault(const shape::Mesh& mesh) {
    if (!mesh.fault.empty()) return mesh.moments.volume == 0 ? "" : "an open mesh with a volume";
    if (!(mesh.moments.volume > 0) || !std::isfinite(mesh.moments.volume))
        return "a closed mesh without a volume";
    if (!is_finite(mesh.moments.center)) return "a centre that is not finite";
    for (const shape::Point& row : mesh.moments.second)
        if (!is_finite(row)) return "moments that are not finite";
    return {};
}

std::string hull_fault(const shape::Mesh& mesh) {
    constexpr std::size_t most = 50;
    const std::vector<shape::Point> corners = shape::hull_corners(mesh, most);
    if (corners.empty() || corners.size() > most + 1) return "a hull of the wrong size";
    for (const shape::Point& corner : corners)
        if (std::find(mesh.points.begin(), mesh.points.end(), corner) == mesh.points.end())
            return "a corner that is no point of the mesh";
    return {};
}

}  // namespace

std::string broken_mesh_property(const std::string& text) {
    for (const char* file : {"a.stl", "a.obj"}) try {
            const shape::Mesh mesh = shape::surface(shape::read_mesh(text, file));
            if (auto fault = mesh_fault(mesh); !fault.empty()) return fault;
            if (auto fault = hull_fault(mesh); !fault.empty()) return fault;
        } catch (const shape::MeshError& error) {
            if (std::string(error.what()).empty()) return "an error without a message";
        }
    return {};
}

}  // namespace lacon
