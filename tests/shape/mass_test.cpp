// Mass properties of shapes against closed forms of the textbooks, and against sums over many small
// pieces.
#include "shape/mass.hpp"

#include "expr/program.hpp"
#include "shape/solids.hpp"

namespace lacon::shape {
namespace {

Numbers diagonal(double volume, double x, double y, double z) {
    return {volume, {}, {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}};
}

struct MassTest : testing::Test {
    Graph g;
    Space space{g};

    Numbers of(const Shape& shape) { return numbers(g, mass_properties(g, shape)); }
    /// About z by `a`, then about x by `b`.
    Matrix turn(double a, double b) {
        const auto c = [&](double x) { return g.constant(x); };
        const Matrix z{Vector{c(std::cos(a)), c(-std::sin(a)), c(0)},
                       Vector{c(std::sin(a)), c(std::cos(a)), c(0)}, Vector{c(0), c(0), c(1)}};
        const Matrix x{Vector{c(1), c(0), c(0)}, Vector{c(0), c(std::cos(b)), c(-std::sin(b))},
                       Vector{c(0), c(std::sin(b)), c(std::cos(b))}};
        return space.mul(x, z);
    }
};

TEST_F(MassTest, PrimitivesHaveTheInertiaOfTheTextbooks) {
    const double v = 4.0 / 3.0 * pi * 8;
    expect_equal(of(solid(g, Kind::sphere, {2})), diagonal(v, v * 1.6, v * 1.6, v * 1.6));
    expect_equal(of(solid(g, Kind::box, {1, 2, 3})),
                 diagonal(6, 6 * 13 / 12.0, 6 * 10 / 12.0, 6 * 5 / 12.0));
    const double c = pi * 4 * 3, across = c * (3 * 4 + 9) / 12;
    expect_equal(of(solid(g, Kind::cylinder, {2, 3})), diagonal(c, across, across, c * 2));
    const double e = 4.0 / 3.0 * pi * 6;
    expect_equal(of(solid(g, Kind::ellipsoid, {1, 2, 3})),
                 diagonal(e, e * 13 / 5, e * 10 / 5, e * 5 / 5));
}

TEST_F(MassTest, ACapsuleIsACylinderAndTheSlicesOfItsEnds) {
    const double r = 0.7, L = 1.9;
    double volume = 0, along = 0, across = 0;
    const int slices = 200'000;  // of the midpoint rule: the error is some 1/slices^2
    const double h = (L + 2 * r) / slices;
    for (int i = 0; i < slices; ++i) {
        const double z = -L / 2 - r + (i + 0.5) * h, end = std::max(std::abs(z) - L / 2, 0.0);
        const double area = pi * (r * r - end * end);
        volume += area * h;
        along += area * area / (2 * pi) * h;
        across += (area * area / (4 * pi) + area * z * z) * h;
    }
    expect_equal(of(solid(g, Kind::capsule, {r, L})), diagonal(volume, across, across, along),
                 1e-9);
}

TEST_F(MassTest, PlanarShapesHaveTheirPolarMoments) {
    EXPECT_DOUBLE_EQ(of(solid(g, Kind::disk, {2})).inertia[2][2], pi * 4 * 4 / 2);
    EXPECT_DOUBLE_EQ(of(solid(g, Kind::rectangle, {1, 2})).inertia[2][2], 2 * 5 / 12.0);
}

TEST_F(MassTest, SizesMayBeParameters) {
    const Expr R = g.symbol("R"), rho = g.symbol("rho");
    Shape ball = solid(g, Kind::sphere, {1});
    ball.sizes[0] = R;
    const MassProperties one = mass_properties(g, ball);
    const MassProperties body = combined(g, {&one, 1}, {&rho, 1});
    EXPECT_EQ(body.volume, g.scale(4.0 * pi / 3.0, g.mul(rho, g.pow(R, 3))));
    const Expr moment = g.scale(8.0 * pi / 15.0, g.mul(rho, g.pow(R, 5)));
    EXPECT_NEAR(g.value(g.div(inertia_of(g, body)[0][0], moment)), 1.0, exact);
}

TEST_F(MassTest, ABoxTurnedAndMovedIsItsMesh) {
    Shape box = solid(g, Kind::box, {1, 2, 3});
    box.frame = {space.constant(0.3, -4, 2), turn(0.7, -1.1)};
    Triangles mesh = box_mesh({-0.5, -1, -1.5}, {0.5, 1, 1.5});
    for (Point& p : mesh.points) {
        const Vector moved = space.outward(box.frame, space.constant(p[0], p[1], p[2]));
        for (std::size_t i = 0; i < 3; ++i) p[i] = g.value(moved[i]);
    }
    expect_equal(of(box), of(mesh_shape(g, mesh)));
}

TEST_F(MassTest, TwoHalvesOfABoxAreTheBox) {
    Shape left = solid(g, Kind::box, {1, 2, 3}), right = left;
    left.frame.place = space.constant(-0.5, 1, 1);
    right.frame.place = space.constant(0.5, 1, 1);
    const MassProperties parts[] = {mass_properties(g, left), mass_properties(g, right)};
    const Expr densities[] = {g.constant(5), g.constant(5)};
    Shape whole = solid(g, Kind::box, {2, 2, 3});
    whole.frame.place = space.constant(0, 1, 1);
    const MassProperties one = mass_properties(g, whole);
    const Expr density = g.constant(5);
    expect_equal(numbers(g, combined(g, parts, densities)),
                 numbers(g, combined(g, {&one, 1}, {&density, 1})));
}

TEST_F(MassTest, AMeshScalesAlongItsAxesAndMayBeMirrored) {
    Shape mesh = mesh_shape(g, box_mesh({0, 0, 0}, {1, 1, 1}));
    mesh.scale = space.constant(-2, 3, 0.5);
    Shape box = solid(g, Kind::box, {2, 3, 0.5});
    box.frame.place = space.constant(-1, 1.5, 0.25);
    expect_equal(of(mesh), of(box));
}

}  // namespace
}  // namespace lacon::shape
