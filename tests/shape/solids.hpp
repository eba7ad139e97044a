// Meshes of known solids, and shapes of plain numbers, for the tests of this room.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "shape/mass.hpp"
#include "shape/mesh.hpp"

namespace lacon::shape {

inline constexpr double pi = std::numbers::pi;

struct Numbers {
    double volume;
    Point center;
    std::array<Point, 3> inertia;
};

inline Shape solid(Graph& g, Kind kind, std::vector<double> sizes) {
    Space space(g);
    Shape shape{kind, {}, {space.zero(), space.identity()}, nullptr, space.constant(1, 1, 1)};
    for (const double size : sizes) shape.sizes.push_back(g.constant(size));
    return shape;
}

inline Numbers numbers(Graph& g, const MassProperties& properties) {
    const Matrix inertia = inertia_of(g, properties);
    Numbers result{g.value(properties.volume), {}, {}};
    for (std::size_t i = 0; i < 3; ++i) {
        result.center[i] = g.value(properties.center[i]);
        for (std::size_t j = 0; j < 3; ++j) result.inertia[i][j] = g.value(inertia[i][j]);
    }
    return result;
}

/// Rounding of some hundred operations.
inline constexpr double exact = 1e-13;

inline void expect_equal(const Numbers& a, const Numbers& b, double tolerance = exact) {
    const double size = std::abs(b.inertia[0][0]) + std::abs(b.inertia[1][1]);
    EXPECT_NEAR(a.volume, b.volume, tolerance * b.volume);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(a.center[i], b.center[i], tolerance * std::cbrt(b.volume));
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_NEAR(a.inertia[i][j], b.inertia[i][j], tolerance * size);
    }
}

/// A box from `low` to `high`, its faces cut into two triangles.
inline Triangles box_mesh(const Point& low, const Point& high) {
    Triangles mesh{"box.stl", {}, {}};
    for (unsigned i = 0; i < 8; ++i)
        mesh.points.push_back(
            {i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]});
    const std::array<std::array<std::uint32_t, 4>, 6> faces = {
        {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
    for (const auto& f : faces) {
        mesh.triangles.push_back({f[0], f[1], f[2]});
        mesh.triangles.push_back({f[0], f[2], f[3]});
    }
    return mesh;
}

/// The surface of a torus around z, R to the middle of the tube of radius r, of n × k quadrangles.
inline Triangles torus_mesh(double R, double r, std::uint32_t n, std::uint32_t k) {
    Triangles mesh{"torus.stl", {}, {}};
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < k; ++j) {
            const double a = 2 * pi * i / n, b = 2 * pi * j / k, s = R + r * std::cos(b);
            mesh.points.push_back({s * std::cos(a), s * std::sin(a), r * std::sin(b)});
        }
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < k; ++j) {
            const std::uint32_t i1 = (i + 1) % n, j1 = (j + 1) % k;
            const std::uint32_t p = i * k + j, q = i1 * k + j, s = i1 * k + j1, t = i * k + j1;
            mesh.triangles.push_back({p, q, s});
            mesh.triangles.push_back({p, s, t});
        }
    return mesh;
}

inline Shape mesh_shape(Graph& g, Triangles triangles) {
    Shape shape = solid(g, Kind::mesh, {});
    shape.mesh = std::make_shared<const Mesh>(checked(std::move(triangles)));
    return shape;
}

}  // namespace lacon::shape
