// Integrals over meshes against closed forms and exact fractions, and the meshes that are refused.
#include "shape/mesh.hpp"

#include <random>

#include "shape/solids.hpp"

namespace lacon::shape {
namespace {

/// The message of the refusal; empty where the mesh is taken.
std::string refusal(Triangles mesh) {
    try {
        checked(std::move(mesh));
    } catch (const MeshError& error) {
        return error.what();
    }
    return "";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

TEST(Mesh, ABoxHasItsVolumeCenterAndMoments) {
    const MeshMoments m = checked(box_mesh({1, 2, 3}, {2, 4, 6})).moments;
    EXPECT_DOUBLE_EQ(m.volume, 6);
    EXPECT_DOUBLE_EQ(m.center[1], 3);
    EXPECT_DOUBLE_EQ(m.second[0][0], 6 * 1 / 12.0);
    EXPECT_DOUBLE_EQ(m.second[2][2], 6 * 9 / 12.0);
    EXPECT_NEAR(m.second[0][1], 0, exact);
}

TEST(Mesh, ASmallBoxFarAwayKeepsItsDigits) {
    const MeshMoments m = checked(box_mesh({1e6, 0, 0}, {1e6 + 1, 1, 1})).moments;
    EXPECT_DOUBLE_EQ(m.volume, 1);
    EXPECT_NEAR(m.second[0][0], 1 / 12.0, 1e-13);
}

// Pappus: volume 2 π² R r². A polygon of k corners instead of the circle and one of n instead of
// the way round make it less by about (2π²/3)(1/k² + 1/n²).
TEST(Mesh, ATorusComesToPappusVolumeWithFinerMeshes) {
    const double R = 2, r = 0.5, volume = 2 * pi * pi * R * r * r;
    double before = 1;
    for (const std::uint32_t n : {32u, 64u, 128u}) {
        const MeshMoments m = checked(torus_mesh(R, r, n, n)).moments;
        const double missing = 1 - m.volume / volume;
        EXPECT_NEAR(missing * n * n, 4 * pi * pi / 3, 0.15);
        EXPECT_LT(missing, before);
        before = missing;
    }
    const MeshMoments fine = checked(torus_mesh(R, r, 512, 512)).moments;
    EXPECT_NEAR(fine.second[2][2] / (volume * r * r / 4), 1, 2e-4);
    EXPECT_NEAR(2 * fine.second[0][0] / (volume * (R * R + 3 * r * r / 4)), 1, 2e-4);
}

/// Corners with whole coordinates: sums over them are exact in whole numbers.
TEST(Mesh, RandomTetrahedraHaveTheExactFractions) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> whole(-50, 50);
    for (int round = 0; round < 200; ++round) {
        std::array<std::array<std::int64_t, 3>, 4> p;
        for (auto& corner : p)
            for (auto& x : corner) x = whole(random);
        std::array<std::array<std::int64_t, 3>, 3> e;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) e[i][k] = p[i + 1][k] - p[0][k];
        const std::int64_t D = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                               e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        if (D == 0) continue;
        Triangles mesh{"t.obj", {}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
        for (const auto& corner : p)
            mesh.points.push_back({double(corner[0]), double(corner[1]), double(corner[2])});
        const MeshMoments m = checked(mesh).moments;
        EXPECT_NEAR(m.volume, double(std::abs(D)) / 6, exact * m.volume);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {  // |D|/120 (Σ xᵢ xⱼ − Σ xᵢ Σ xⱼ/4)
                std::int64_t sum = 0, si = 0, sj = 0;
                for (const auto& corner : p) {
                    sum += corner[i] * corner[j];
                    si += corner[i];
                    sj += corner[j];
                }
                const double known = double(std::abs(D)) * double(4 * sum - si * sj) / 480;
                EXPECT_NEAR(m.second[i][j], known, 1e-13 * double(std::abs(D)) * 2500);
            }
    }
}

TEST(Mesh, AHollowBoxIsTheDifferenceOfTwo) {
    Triangles mesh = box_mesh({0, 0, 0}, {3, 3, 3});
    const Triangles inner = box_mesh({1, 1, 1}, {2, 2, 2});
    mesh.points.insert(mesh.points.end(), inner.points.begin(), inner.points.end());
    for (const Triangle& t : inner.triangles)
        mesh.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
    const MeshMoments m = checked(mesh).moments;
    EXPECT_DOUBLE_EQ(m.volume, 26);
    EXPECT_NEAR(m.second[0][0], (27 * 9 - 1) / 12.0, 1e-12);
}

TEST(Mesh, OneThatIsInsideOutIsTurned) {
    Triangles mesh = box_mesh({0, 0, 0}, {1, 2, 3});
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
    EXPECT_DOUBLE_EQ(checked(mesh).moments.volume, 6);
}

TEST(Mesh, AMissingTriangleNamesAnOpenEdge) {
    Triangles mesh = box_mesh({0, 0, 0}, {1, 2, 3});
    mesh.triangles.pop_back();  // corners 1, 7, 5
    const std::string message = refusal(mesh);
    EXPECT_EQ(message,
              "'box.stl' is not closed: the edge from (1, 0, 0) to (1, 0, 3) has a triangle on one "
              "side only");
}

TEST(Mesh, AFlippedTriangleIsNamed) {
    Triangles mesh = box_mesh({0, 0, 0}, {1, 2, 3});
    std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
    EXPECT_TRUE(
        contains(refusal(mesh), "is not oriented: the triangles on both sides of the edge"));
}

TEST(Mesh, AThirdTriangleAtAnEdgeIsRefused) {
    Triangles mesh = box_mesh({0, 0, 0}, {1, 1, 1});
    mesh.points.push_back({5, 5, 5});
    mesh.triangles.push_back({0, 1, 8});
    EXPECT_TRUE(contains(refusal(mesh),
                         "is not closed: the edge from (0, 0, 0) to (1, 0, 0) has 3 "
                         "triangles"));
}

TEST(Mesh, APartThatIsInsideOutIsRefused) {
    Triangles mesh = box_mesh({0, 0, 0}, {3, 3, 3});
    const Triangles other = box_mesh({5, 1, 1}, {6, 2, 2});
    mesh.points.insert(mesh.points.end(), other.points.begin(), other.points.end());
    for (const Triangle& t : other.triangles)
        mesh.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
    EXPECT_TRUE(contains(refusal(mesh), "a part that is inside out, at the point (5, 1, 1)"));
}

TEST(Mesh, AFlatOneAndAnEmptyOneEncloseNothing) {
    EXPECT_TRUE(contains(refusal(box_mesh({0, 0, 0}, {1, 1, 0})), "encloses no volume"));
    EXPECT_TRUE(contains(refusal({"none.obj", {}, {}}), "has no triangles"));
    EXPECT_TRUE(contains(refusal(box_mesh({0, 0, 0}, {1e120, 1e120, 1e120})), "is too large"));
}

}  // namespace
}  // namespace lacon::shape
