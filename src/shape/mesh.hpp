// Closed triangle meshes: reading them from STL and OBJ files, what makes one usable, and the
// integrals over what it encloses.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lacon::shape {

using Point = std::array<double, 3>;
using Triangle = std::array<std::uint32_t, 3>;  // numbers of points, from 0

/// A mesh that cannot be used. The message is a sentence with the file's name; the hint may be
/// empty.
struct MeshError : std::runtime_error {
    explicit MeshError(const std::string& message, std::string h = {})
        : std::runtime_error(message), hint(std::move(h)) {}
    std::string hint;
};

/// The integrals over what a mesh encloses, of density 1.
struct MeshMoments {
    double volume = 0.0;
    Point center{};                 // ∫ x / volume
    std::array<Point, 3> second{};  // ∫ (x − center)(x − center)ᵀ
};

/// A closed surface whose triangles all look the same way round; made by
/// `checked`, or by `surface`, which also lets pass what can only touch.
struct Mesh {
    std::string file;  // as written, for messages
    std::vector<Point> points;
    std::vector<Triangle> triangles;
    MeshMoments moments;
    std::string fault, hint;  // why it encloses nothing: then there are no moments
};

/// Triangles as a file has them. Points of the same coordinates are one point.
struct Triangles {
    std::string file;
    std::vector<Point> points;
    std::vector<Triangle> triangles;
};

constexpr std::size_t most_triangles = 2'000'000;

/// Reads the text of a file by its ending: .stl (ASCII or binary) or .obj. Throws MeshError.
Triangles read_mesh(std::string_view text, const std::string& file);
Triangles read_stl(std::string_view text, const std::string& file);
Triangles read_obj(std::string_view text, const std::string& file);

/// The mesh, if every edge has a triangle on either side that runs along it the other way, and the
/// volume is not zero. One that is inside out as a whole is turned. Throws MeshError, which names
/// an edge by the coordinates of its ends.
Mesh checked(Triangles triangles);
/// The same; but one that encloses nothing is kept with its `fault`. Throws MeshError where there
/// are no triangles.
Mesh surface(Triangles triangles);

}  // namespace lacon::shape
