// Gaps, normals and slips of contact: against the nearest of many points of the surfaces, and
// against the change of the gap along a motion.
#include <algorithm>
#include <random>

#include "shape/contact.hpp"
#include "shape/solids.hpp"

namespace lacon::shape {
namespace {

/// Bodies at a moment of motions with constant velocities: numbers only, which fold.
struct GapTest : testing::Test {
    Graph g;
    Space space{g};
    std::mt19937 random{11};

    struct Motion {
        Point place, velocity, omega, turned;  // `turned`: a vector of rotation at the time 0
    };
    Point point(double size) {
        std::uniform_real_distribution<double> number(-size, size);
        return {number(random), number(random), number(random)};
    }
    Motion motion(double away) { return {point(away), point(1), point(1), point(3)}; }
    Vector vector(const Point& p) { return space.constant(p[0], p[1], p[2]); }
    Matrix rotation(const Point& by) {  // Rodrigues' formula
        const double angle = std::hypot(by[0], by[1], by[2]);
        if (angle == 0) return space.identity();
        const double s = std::sin(angle), c = 1 - std::cos(angle);
        const Point n{by[0] / angle, by[1] / angle, by[2] / angle};
        const double K[3][3] = {{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}};
        Matrix R = space.identity();
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                double square = 0;
                for (std::size_t k = 0; k < 3; ++k) square += K[i][k] * K[k][j];
                R[i][j] = g.constant((i == j) + s * K[i][j] + c * square);
            }
        return R;
    }
    Carrier at(const Motion& m, double t) {
        const Matrix start = rotation(m.turned);
        const Matrix since = rotation({m.omega[0] * t, m.omega[1] * t, m.omega[2] * t});
        const Point place{m.place[0] + t * m.velocity[0], m.place[1] + t * m.velocity[1],
                          m.place[2] + t * m.velocity[2]};
        return {{vector(place), space.mul(since, start)}, vector(m.velocity), vector(m.omega)};
    }
    Shape shape(Kind kind, std::vector<double> sizes) {
        Shape made = solid(g, kind, std::move(sizes));
        made.frame = {vector(point(0.4)), rotation(point(3))};
        return made;
    }
    double value(Expr e) { return g.value(e); }
    /// Points of a body in the world, worked out in numbers.
    std::vector<Point> world(const Frame& frame, std::vector<Point> points) {
        for (Point& p : points) {
            Point moved;
            for (std::size_t i = 0; i < 3; ++i) {
                moved[i] = value(frame.place[i]);
                for (std::size_t k = 0; k < 3; ++k) moved[i] += value(frame.R[i][k]) * p[k];
            }
            p = moved;
        }
        return points;
    }
    double gap(const Motion& a, const Shape& A, const Motion& b, const Shape& B, std::size_t i,
               double t) {
        return value(contact_points(g, at(a, t), A, at(b, t), B)[i].gap);
    }
    void expect_rate_is_slip_along_normal(const Shape& A, const Shape& B);
};

/// A is moved along the normal until the gap is 0; there φ' = n·s for every motion.
void GapTest::expect_rate_is_slip_along_normal(const Shape& A, const Shape& B) {
    for (int round = 0; round < 4; ++round) {
        Motion a = motion(3), b = motion(0.5);
        const std::size_t count = contact_points(g, at(a, 0), A, at(b, 0), B).size();
        for (std::size_t i = 0; i < count; ++i) {
            for (int step = 0; step < 60; ++step) {
                const ContactPoint p = contact_points(g, at(a, 0), A, at(b, 0), B)[i];
                for (std::size_t k = 0; k < 3; ++k) a.place[k] -= value(p.gap) * value(p.normal[k]);
            }
            const ContactPoint p = contact_points(g, at(a, 0), A, at(b, 0), B)[i];
            ASSERT_NEAR(value(p.gap), 0, 1e-12);
            EXPECT_NEAR(value(space.norm(p.normal)), 1, 1e-14);
            const double h = 1e-5;  // the central difference is good to h² and 1e-16/h
            const double rate = (gap(a, A, b, B, i, h) - gap(a, A, b, B, i, -h)) / (2 * h);
            EXPECT_NEAR(rate, value(space.dot(p.normal, p.slip)), 1e-8) << "point " << i;
        }
    }
}

TEST_F(GapTest, RatesAreSlipsAlongTheNormalOnAPlane) {
    const Shape plane = shape(Kind::plane, {});
    for (const auto& [kind, sizes] :
         std::vector<std::pair<Kind, std::vector<double>>>{{Kind::sphere, {0.5}},
                                                           {Kind::capsule, {0.3, 1}},
                                                           {Kind::box, {1, 2, 3}},
                                                           {Kind::cylinder, {0.6, 0.5}},
                                                           {Kind::ellipsoid, {0.3, 0.5, 0.9}}})
        expect_rate_is_slip_along_normal(shape(kind, sizes), plane);
    Shape mesh = mesh_shape(g, box_mesh({0, 0, 0}, {1, 1, 2}));
    expect_rate_is_slip_along_normal(mesh, plane);
    expect_rate_is_slip_along_normal(plane, shape(Kind::sphere, {0.5}));
}

TEST_F(GapTest, RatesAreSlipsAlongTheNormalOfABall) {
    const Shape ball = shape(Kind::sphere, {0.5});
    for (const auto& [kind, sizes] :
         std::vector<std::pair<Kind, std::vector<double>>>{{Kind::sphere, {0.4}},
                                                           {Kind::capsule, {0.3, 1}},
                                                           {Kind::box, {1, 2, 0.5}},
                                                           {Kind::cylinder, {0.6, 0.5}}}) {
        expect_rate_is_slip_along_normal(ball, shape(kind, sizes));
        expect_rate_is_slip_along_normal(shape(kind, sizes), ball);
    }
}

TEST_F(GapTest, RatesAreSlipsAlongTheNormalOfACapsule) {
    const Shape capsule = shape(Kind::capsule, {0.3, 1.5});
    for (const auto& [kind, sizes] : std::vector<std::pair<Kind, std::vector<double>>>{
             {Kind::capsule, {0.2, 1}}, {Kind::box, {1, 2, 0.5}}}) {
        expect_rate_is_slip_along_normal(capsule, shape(kind, sizes));
        expect_rate_is_slip_along_normal(shape(kind, sizes), capsule);
    }
}

/// Points all over the surface of a shape, or within it, in its axes.
std::vector<Point> points_of(Kind kind, const std::vector<double>& s, int n) {
    std::vector<Point> all;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
            const double u = double(i) / n, v = double(j) / n, a = 2 * pi * u;
            if (kind == Kind::ellipsoid) {
                const double b = pi * v;
                all.push_back({s[0] * std::cos(a) * std::sin(b), s[1] * std::sin(a) * std::sin(b),
                               s[2] * std::cos(b)});
            } else if (kind == Kind::cylinder) {
                for (const double z : {-0.5, 0.5})
                    all.push_back({s[0] * v * std::cos(a), s[0] * v * std::sin(a), z * s[1]});
                all.push_back({s[0] * std::cos(a), s[0] * std::sin(a), s[1] * (v - 0.5)});
            } else if (kind == Kind::capsule) {
                const double b = pi * v, z = s[0] * std::cos(b);
                all.push_back({s[0] * std::cos(a) * std::sin(b), s[0] * std::sin(a) * std::sin(b),
                               z + (z < 0 ? -0.5 : 0.5) * s[1]});
                all.push_back({s[0] * std::cos(a), s[0] * std::sin(a), s[1] * (v - 0.5)});
            } else {
                for (const double side : {-0.5, 0.5}) {
                    all.push_back({side * s[0], (u - 0.5) * s[1], (v - 0.5) * s[2]});
                    all.push_back({(u - 0.5) * s[0], side * s[1], (v - 0.5) * s[2]});
                    all.push_back({(u - 0.5) * s[0], (v - 0.5) * s[1], side * s[2]});
                }
            }
        }
    return all;
}

const std::vector<std::pair<Kind, std::vector<double>>> convex = {
    {Kind::box, {1, 2, 0.5}},
    {Kind::cylinder, {0.6, 0.5}},
    {Kind::capsule, {0.3, 1}},
    {Kind::ellipsoid, {0.3, 0.5, 0.9}}};

/// From a point to the line between two others.
double distance(const Point& p, const Point& a, const Point& b) {
    double along = 0, square = 0, result = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        square += (b[i] - a[i]) * (b[i] - a[i]);
    }
    const double share = std::clamp(along / square, 0.0, 1.0);
    for (std::size_t i = 0; i < 3; ++i) result += std::pow(p[i] - a[i] - share * (b[i] - a[i]), 2);
    return std::sqrt(result);
}

TEST_F(GapTest, TheLeastGapOnAPlaneIsTheLowestPointOfTheSurface) {
    const Shape plane = solid(g, Kind::plane, {});
    for (const auto& [kind, sizes] : convex)
        for (int round = 0; round < 5; ++round) {
            const Shape body = shape(kind, sizes);
            const Carrier carrier = at(motion(3), 0);
            double least = INFINITY, lowest = INFINITY;
            for (const ContactPoint& p :
                 contact_points(g, carrier, body, fixed_carrier(g), plane)) {
                EXPECT_NEAR(value(p.place[2]), value(p.gap), 1e-14);
                least = std::min(least, value(p.gap));
            }
            const Frame frame = space.within(carrier.frame, body.frame);
            for (const Point& p : world(frame, points_of(kind, sizes, 120)))
                lowest = std::min(lowest, p[2]);
            EXPECT_NEAR(least, lowest, 1e-3);  // 120 points around: (2π/120)²/8 of the radius
            EXPECT_LE(least, lowest + 1e-12);
        }
}

TEST_F(GapTest, TheGapOfABallIsToTheNearestPointOfTheSurface) {
    const Shape ball = solid(g, Kind::sphere, {0.25});
    for (const auto& [kind, sizes] : convex) {
        if (kind == Kind::ellipsoid) continue;
        for (int round = 0; round < 10; ++round) {
            const Shape body = shape(kind, sizes);
            const Carrier center = at(motion(3), 0), carrier = at(motion(0.1), 0);
            const double gap = value(contact_points(g, center, ball, carrier, body).front().gap);
            if (gap < 0) continue;
            const Frame frame = space.within(carrier.frame, body.frame);
            double nearest = INFINITY;
            const Vector& c = center.frame.place;
            for (const Point& p : world(frame, points_of(kind, sizes, 120)))
                nearest = std::min(nearest, std::hypot(value(c[0]) - p[0], value(c[1]) - p[1],
                                                       value(c[2]) - p[2]));
            EXPECT_NEAR(gap, nearest - 0.25, 2e-3);
            EXPECT_LE(gap, nearest - 0.25 + 1e-12);
        }
    }
}

/// Also for capsules that cross, and for those beside edges.
TEST_F(GapTest, TheLeastGapOfACapsuleIsToTheNearestPointOfTheSurface) {
    const double r = 0.2, half = 0.9;
    const Shape capsule = solid(g, Kind::capsule, {r, 2 * half});
    for (const auto& [kind, sizes] : convex) {
        if (kind != Kind::capsule && kind != Kind::box) continue;
        for (int round = 0; round < 20; ++round) {
            const Shape body = shape(kind, sizes);
            const Carrier rod = at(motion(2), 0), carrier = at(motion(0.1), 0);
            double gap = INFINITY, nearest = INFINITY;
            for (const ContactPoint& p : contact_points(g, rod, capsule, carrier, body))
                gap = std::min(gap, value(p.gap));
            if (gap < 0) continue;
            const Frame frame = space.within(carrier.frame, body.frame);
            const std::vector<Point> line = world(rod.frame, {{0, 0, -half}, {0, 0, half}});
            for (const Point& p : world(frame, points_of(kind, sizes, 120)))
                nearest = std::min(nearest, distance(p, line[0], line[1]));
            EXPECT_NEAR(gap, nearest - r, 2e-3);
            EXPECT_LE(gap, nearest - r + 1e-12);
        }
    }
}

TEST_F(GapTest, ParallelCapsulesTouchWithTheirEnds) {
    const Shape capsule = solid(g, Kind::capsule, {0.5, 2});
    const Carrier still = fixed_carrier(g);
    Carrier beside = still;
    beside.frame.place = space.constant(1.5, 0, 0.5);
    const auto points = contact_points(g, beside, capsule, still, capsule);
    ASSERT_EQ(points.size(), 5u);
    EXPECT_NEAR(value(points[0].gap), 0.5, 1e-15);  // its lower end, beside the other one
    EXPECT_GT(value(points[1].gap), 0.5);           // its upper end is beyond
    EXPECT_NEAR(value(points[3].gap), 0.5, 1e-15);
    EXPECT_NEAR(value(points[4].gap), 0.5, 1e-15);
    for (const ContactPoint& p : points) EXPECT_TRUE(std::isfinite(value(p.place[2])));
}

TEST_F(GapTest, PointsOnARimStandForItWhereTheyAreAskedFor) {
    const Shape plane = solid(g, Kind::plane, {}), coin = solid(g, Kind::cylinder, {2, 0.5});
    const Carrier still = fixed_carrier(g);
    const auto points = contact_points(g, still, coin, still, plane, {.rim_points = 3});
    ASSERT_EQ(points.size(), 6u);
    EXPECT_NEAR(value(points[0].gap), -0.25, 1e-15);
    EXPECT_NEAR(value(points[1].place[1]), std::sqrt(3.0), 1e-15);
}

TEST_F(GapTest, InThePlaneNothingLeavesIt) {
    const Shape line = solid(g, Kind::line, {}), box = solid(g, Kind::rectangle, {2, 1});
    const Carrier still = fixed_carrier(g);
    Carrier moving = still;
    moving.frame.place = space.constant(0, 2, 0);
    moving.velocity = space.constant(1, 0, 0);
    moving.omega = space.constant(0, 0, 3);
    const auto corners = contact_points(g, moving, box, still, line);
    ASSERT_EQ(corners.size(), 4u);
    EXPECT_NEAR(value(corners[1].gap), 1.5, 1e-15);
    EXPECT_NEAR(value(corners[1].slip[0]), 1 + 1.5, 1e-15);
    EXPECT_NEAR(value(corners[1].slip[1]), 3, 1e-15);
    EXPECT_TRUE(g.is_zero(corners[1].slip[2]));
    const auto disk = contact_points(g, moving, solid(g, Kind::disk, {0.25}), still, box).front();
    EXPECT_NEAR(value(disk.gap), 1.25, 1e-15);
    EXPECT_NEAR(value(disk.slip[0]), 1 + 0.75, 1e-15);
}

TEST_F(GapTest, PairsWithoutASmoothGapAreRefusedByName) {
    const auto refusal = [&](Kind a, Kind b) -> std::string {
        const Carrier still = fixed_carrier(g);
        const auto made = [&](Kind kind) {
            return kind == Kind::mesh ? mesh_shape(g, box_mesh({0, 0, 0}, {1, 1, 1}))
                                      : solid(g, kind, {1, 1, 1});
        };
        try {
            contact_points(g, still, made(a), still, made(b));
        } catch (const NoGap& refused) {
            return refused.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(Kind::box, Kind::box),
              "contact of a box with a box has no smooth gap function: they may touch "
              "along a line or a face, where the distance has no derivative");
    EXPECT_EQ(refusal(Kind::sphere, Kind::ellipsoid),
              "contact of a sphere with an ellipsoid has no smooth gap function: the nearest point "
              "of an ellipsoid has no formula");
    EXPECT_EQ(refusal(Kind::mesh, Kind::sphere),
              "contact of a mesh with a sphere has no smooth gap function: the nearest point of a "
              "mesh jumps");
    EXPECT_EQ(refusal(Kind::plane, Kind::plane),
              "contact of a plane with a plane has no smooth gap function: both have no ends");
    EXPECT_NE(refusal(Kind::capsule, Kind::cylinder), "");
    EXPECT_EQ(refusal(Kind::capsule, Kind::capsule), "");
    EXPECT_NE(refusal(Kind::rectangle, Kind::rectangle), "");
}

}  // namespace
}  // namespace lacon::shape
