// The corners of convex hulls of meshes.
#include "shape/hull.hpp"

#include <algorithm>
#include <random>

#include "shape/solids.hpp"

namespace lacon::shape {
namespace {

TEST(Hull, ABoxHasItsEightCorners) {
    const Mesh box = checked(box_mesh({1, 2, 3}, {2, 4, 6}));
    std::vector<Point> corners = hull_corners(box, 100), points = box.points;
    std::sort(corners.begin(), corners.end());
    std::sort(points.begin(), points.end());
    EXPECT_EQ(corners, points);
}

TEST(Hull, PointsWithinFacesAndWithinTheBodyAreNoCorners) {
    // A box with a deep dent: the middle of its top goes down, beside points along its edges.
    Triangles mesh{"dent.obj", {}, {}};
    const Triangles box = box_mesh({-1, -1, -1}, {1, 1, 1});
    mesh.points = box.points;
    mesh.points.push_back({0, 0, -0.5});
    mesh.points.push_back({0, -1, 1});
    for (const Triangle& t : box.triangles) {
        const bool top = t[0] >= 4 && t[1] >= 4 && t[2] >= 4;
        const bool front = t[0] % 4 < 2 && t[1] % 4 < 2 && t[2] % 4 < 2;
        if (!top && !front) mesh.triangles.push_back(t);
    }
    for (const Triangle& t : {Triangle{4, 9, 8},
                              {9, 5, 8},
                              {5, 7, 8},
                              {7, 6, 8},
                              {6, 4, 8},
                              {0, 1, 9},
                              {1, 5, 9},
                              {0, 9, 4}})
        mesh.triangles.push_back(t);
    EXPECT_EQ(hull_corners(checked(mesh), 100).size(), 8u);
}

TEST(Hull, EveryPointOfASphereIsACorner) {
    // A sphere of rings, its poles included.
    Triangles mesh{"sphere.obj", {{0, 0, 1}, {0, 0, -1}}, {}};
    const std::uint32_t n = 9, rings = 5;
    for (std::uint32_t i = 1; i <= rings; ++i)
        for (std::uint32_t j = 0; j < n; ++j) {
            const double a = pi * i / (rings + 1), b = 2 * pi * j / n;
            mesh.points.push_back(
                {std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)});
        }
    const auto at = [&](std::uint32_t i, std::uint32_t j) { return 2 + (i - 1) * n + j % n; };
    for (std::uint32_t j = 0; j < n; ++j) {
        mesh.triangles.push_back({0, at(1, j), at(1, j + 1)});
        mesh.triangles.push_back({1, at(rings, j + 1), at(rings, j)});
        for (std::uint32_t i = 1; i < rings; ++i) {
            mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    }
    const Mesh sphere = checked(mesh);
    EXPECT_EQ(hull_corners(sphere, 100).size(), 2 + n * rings);
    EXPECT_EQ(hull_corners(sphere, 20).size(), 21u);
}

TEST(Hull, TheLowestPointInAnyDirectionIsACorner) {
    const Mesh torus = checked(torus_mesh(2, 0.5, 12, 8));
    const std::vector<Point> corners = hull_corners(torus, 200);
    EXPECT_LT(corners.size(), torus.points.size());
    std::mt19937 random(3);
    std::normal_distribution<double> number;
    const auto reach = [](const std::vector<Point>& points, const Point& d) {
        double most = -INFINITY;
        for (const Point& p : points)
            most = std::max(most, p[0] * d[0] + p[1] * d[1] + p[2] * d[2]);
        return most;
    };
    for (int i = 0; i < 1000; ++i) {
        const Point d{number(random), number(random), number(random)};
        EXPECT_NEAR(reach(corners, d), reach(torus.points, d), 1e-5);
    }
}

}  // namespace
}  // namespace lacon::shape
