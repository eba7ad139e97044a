// What makes triangles a closed mesh, and its integrals. With the tetrahedra from a point o to the
// triangles (a, b, c seen from o) and D = a·(b × c): V = Σ D/6, ∫ x = Σ D (a + b + c)/24, and
// ∫ x xᵀ = Σ D (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/120 with s = a + b + c. They are exact for what the
// triangles enclose, whatever o is; the middle of the mesh keeps rounding small.
#include "shape/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"

namespace lacon::shape {

namespace {

using Real = long double;

/// A volume below this times (area · size) is rounding: an edge between two coordinates of 24 bits,
/// as STL has them, is known to 1e-7 of the size, and doubles to 1e-16.
constexpr double least_thickness = 1e-12;

struct Edge {
    std::uint32_t low, high;  // its ends
    std::uint32_t triangle;
    bool upward;  // the triangle runs from low to high

    bool same_ends(const Edge& other) const { return low == other.low && high == other.high; }
};

struct Bounds {
    Point low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};

    void include(const Point& p) {
        for (std::size_t i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
        }
    }
    bool contains(const Bounds& other) const {
        for (std::size_t i = 0; i < 3; ++i)
            if (other.low[i] < low[i] || other.high[i] > high[i]) return false;
        return true;
    }
    double size() const { return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]); }
};

std::string written(const Point& p) {
    return fmt::format("({}, {}, {})", shortest(p[0]), shortest(p[1]), shortest(p[2]));
}

std::vector<Edge> edges_of(const Triangles& mesh) {
    std::vector<Edge> edges;
    edges.reserve(3 * mesh.triangles.size());
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t from = mesh.triangles[t][i], to = mesh.triangles[t][(i + 1) % 3];
            edges.push_back({std::min(from, to), std::max(from, to), t, from < to});
        }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        return std::pair(a.low, a.high) < std::pair(b.low, b.high);
    });
    return edges;
}

/// Sets of triangles that hang together by edges.
class Parts {
public:
    explicit Parts(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
    }
    std::uint32_t of(std::uint32_t triangle) {
        while (parent_[triangle] != triangle)
            triangle = parent_[triangle] = parent_[parent_[triangle]];
        return triangle;
    }
    void join(std::uint32_t a, std::uint32_t b) { parent_[of(a)] = of(b); }

private:
    std::vector<std::uint32_t> parent_;
};

/// Throws unless as many triangles run along the edge one way as the other.
void check_edge(const Triangles& mesh, std::span<const Edge> same) {
    const auto up = std::count_if(same.begin(), same.end(), [](const Edge& e) { return e.upward; });
    if (2 * static_cast<std::size_t>(up) == same.size()) return;
    const std::string edge =
        fmt::format("the edge from {} to {}", written(mesh.points[same[0].low]),
                    written(mesh.points[same[0].high]));
    if (same.size() == 1)
        throw MeshError(
            fmt::format("'{}' is not closed: {} has a triangle on one side only", mesh.file, edge),
            "close the holes of the mesh (make it watertight); points that coincide "
            "must have exactly the same coordinates");
    if (same.size() % 2 == 1)
        throw MeshError(
            fmt::format("'{}' is not closed: {} has {} triangles", mesh.file, edge, same.size()),
            "every edge of a closed mesh has as many triangles on one side as on the other");
    throw MeshError(
        fmt::format("'{}' is not oriented: the triangles on both sides of {} run along it the same "
                    "way, so one of them is flipped",
                    mesh.file, edge),
        "make the normals of the mesh consistent");
}

struct Sums {
    Real volume = 0.0, area = 0.0;
    std::array<Real, 3> first{};
    std::array<std::array<Real, 3>, 3> second{};

    void add(const std::array<Point, 3>& corners, const Point& origin);
};

void Sums::add(const std::array<Point, 3>& corners, const Point& origin) {
    std::array<std::array<Real, 3>, 3> p;  // the corners, from the origin
    for (std::size_t v = 0; v < 3; ++v)
        for (std::size_t i = 0; i < 3; ++i) p[v][i] = Real{corners[v][i]} - Real{origin[i]};
    const auto cross = [](const auto& a, const auto& b) {
        return std::array<Real, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                   a[0] * b[1] - a[1] * b[0]};
    };
    const std::array<Real, 3> n = cross(p[1], p[2]);
    const Real D = p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2];
    volume += D / 6;
    const std::array<Real, 3> ab{p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
    const std::array<Real, 3> ac{p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
    const std::array<Real, 3> normal = cross(ab, ac);
    area += std::hypot(normal[0], normal[1], normal[2]) / 2;
    std::array<Real, 3> s;
    for (std::size_t i = 0; i < 3; ++i) s[i] = p[0][i] + p[1][i] + p[2][i];
    for (std::size_t i = 0; i < 3; ++i) {
        first[i] += D * s[i] / 24;
        for (std::size_t j = 0; j < 3; ++j)
            second[i][j] +=
                D * (s[i] * s[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]) / 120;
    }
}

std::array<Point, 3> corners_of(const Triangles& mesh, const Triangle& t) {
    return {mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]};
}

/// A part that is inside out is a cavity if it lies within another one.
void check_cavities(const Triangles& mesh, Parts& parts, const Point& origin) {
    struct Part {
        Real volume = 0.0;
        Bounds bounds;
        std::uint32_t triangle = 0;
    };
    std::vector<Part> found;
    std::vector<std::uint32_t> number(mesh.triangles.size(), UINT32_MAX);
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        std::uint32_t& index = number[parts.of(t)];
        if (index == UINT32_MAX) {
            index = static_cast<std::uint32_t>(found.size());
            found.push_back({0.0, {}, t});
        }
        Sums sums;
        sums.add(corners_of(mesh, mesh.triangles[t]), origin);
        found[index].volume += sums.volume;
        for (const std::uint32_t p : mesh.triangles[t]) found[index].bounds.include(mesh.points[p]);
    }
    for (const Part& part : found) {
        if (part.volume >= 0) continue;
        const bool is_cavity = std::any_of(found.begin(), found.end(), [&](const Part& outer) {
            return outer.volume > -part.volume && outer.bounds.contains(part.bounds);
        });
        if (!is_cavity)
            throw MeshError(
                fmt::format("'{}' has a part that is inside out, at the point {}", mesh.file,
                            written(mesh.points[mesh.triangles[part.triangle][0]])),
                "turn the normals of that part; only a cavity within another part looks inward");
    }
}

void drop_degenerate(Triangles& mesh) {
    std::erase_if(mesh.triangles,
                  [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
}

MeshMoments moments_of(const Sums& sums, const Point& origin) {
    MeshMoments moments;
    moments.volume = static_cast<double>(sums.volume);
    std::array<Real, 3> c;  // the centre, from the origin
    for (std::size_t i = 0; i < 3; ++i) {
        c[i] = sums.first[i] / sums.volume;
        moments.center[i] = static_cast<double>(Real{origin[i]} + c[i]);
    }
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            moments.second[i][j] =
                static_cast<double>(sums.second[i][j] - sums.volume * c[i] * c[j]);
    return moments;
}

}  // namespace

Triangles read_mesh(std::string_view text, const std::string& file) {
    const std::size_t dot = file.rfind('.');
    std::string ending = dot == file.npos ? std::string() : file.substr(dot + 1);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == "stl") return read_stl(text, file);
    if (ending == "obj") return read_obj(text, file);
    throw MeshError(
        fmt::format("'{}' cannot be read as a mesh: its name must end in .stl or .obj", file));
}

Mesh checked(Triangles mesh) {
    drop_degenerate(mesh);
    if (mesh.triangles.empty())
        throw MeshError(fmt::format("'{}' has no triangles, so it encloses no volume", mesh.file));
    const std::vector<Edge> edges = edges_of(mesh);
    Parts parts(mesh.triangles.size());
    for (std::size_t i = 0, end = 0; i < edges.size(); i = end) {
        while (end < edges.size() && edges[end].same_ends(edges[i])) {
            parts.join(edges[i].triangle, edges[end].triangle);
            ++end;
        }
        check_edge(mesh, std::span(edges).subspan(i, end - i));
    }
    Bounds bounds;
    for (const Triangle& t : mesh.triangles)
        for (const std::uint32_t p : t) bounds.include(mesh.points[p]);
    Point origin;
    for (std::size_t i = 0; i < 3; ++i) origin[i] = 0.5 * bounds.low[i] + 0.5 * bounds.high[i];
    Sums sums;
    for (const Triangle& t : mesh.triangles) sums.add(corners_of(mesh, t), origin);
    const Real rounding = least_thickness * sums.area * bounds.size();
    if (!std::isfinite(static_cast<double>(sums.volume * bounds.size() * bounds.size())))
        throw MeshError(
            fmt::format("'{}' is too large: its volume or inertia is not finite", mesh.file));
    if (!(std::abs(sums.volume) > rounding))
        throw MeshError(fmt::format("'{}' encloses no volume: it is flat", mesh.file));
    if (sums.volume < 0) {
        for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
        sums = {};
        for (const Triangle& t : mesh.triangles) sums.add(corners_of(mesh, t), origin);
    }
    check_cavities(mesh, parts, origin);
    return {std::move(mesh.file), std::move(mesh.points), std::move(mesh.triangles),
            moments_of(sums, origin)};
}

}  // namespace lacon::shape
