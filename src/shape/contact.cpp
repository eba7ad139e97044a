// A shape touches a plane by balls (a ball's own centre and radius, the ends of a capsule, corners
// as balls of radius 0), by rims and by ellipsoids. With the plane's normal n and the shape's
// axes R, m = Rᵀ n:
//   ball       φ = n·(c − p) − r
//   rim        φ = n·(c − p) − r hypot(m₁, m₂), lowest at −r (m₁, m₂, 0)/hypot(m₁, m₂)
//   ellipsoid  φ = n·(c − p) − |D m|, lowest at −D² m/|D m|, D the half axes
// A ball touches what is convex where its centre is nearest: φ = |x − s(x)| − r, with the centre x
// and the nearest point s(x) in the axes of the other shape. φ is once differentiable with a
// bounded slope of its derivative: nearest points go over from faces to edges by `min` and `max`,
// which a run locates. The gap of two shapes that may touch along lines is not differentiable where
// they do, so such pairs are refused.
#include "shape/contact.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "shape/hull.hpp"

namespace lacon::shape {

namespace {

/// A shape that has taken its place in the world.
struct Placed {
    const Carrier& carrier;
    const Shape& shape;
    Frame frame;
};

struct Ball {
    Vector center;  // in the axes of the shape
    Expr radius;
};

class Pair {
public:
    Pair(Graph& graph, const Placed& a, const Placed& b, const ContactOptions& options)
        : g_(graph), space_(graph), a_(a), b_(b), options_(options) {}

    /// The points, where A is to touch B in this order; nothing where that is for the other order.
    std::optional<std::vector<ContactPoint>> points() {
        const Kind kind = b_.shape.kind;
        if (kind == Kind::plane || kind == Kind::line) return on_plane(kind == Kind::plane ? 2 : 1);
        const Kind own = a_.shape.kind;
        if (own != Kind::sphere && own != Kind::disk) return std::nullopt;
        return ball_on_shape();
    }

private:
    Expr size(const Shape& shape, std::size_t i) const { return shape.sizes[i]; }
    Expr half(Expr e) { return g_.scale(0.5, e); }

    Vector velocity_at(const Carrier& carrier, const Vector& place) {
        return space_.add(carrier.velocity,
                          space_.cross(carrier.omega, space_.sub(place, carrier.frame.place)));
    }
    ContactPoint point(Expr gap, const Vector& place, const Vector& normal) {
        return {gap, place, normal,
                space_.sub(velocity_at(a_.carrier, place), velocity_at(b_.carrier, place))};
    }

    // ---- on a plane

    std::optional<std::vector<ContactPoint>> on_plane(std::size_t axis) {
        normal_ = space_.column(b_.frame.R, axis);
        std::vector<ContactPoint> all;
        const Shape& shape = a_.shape;
        if (shape.kind == Kind::ellipsoid) return std::vector{ellipsoid()};
        if (shape.kind == Kind::cylinder && options_.rim_points == 0) {
            for (const double side : {-1.0, 1.0}) all.push_back(rim(side));
            return all;
        }
        const auto parts = balls();
        if (!parts) return std::nullopt;
        for (const Ball& ball : *parts) {
            const Vector center = space_.outward(a_.frame, ball.center);
            const Vector place = space_.sub(center, space_.scale(ball.radius, normal_));
            all.push_back(point(height(center, ball.radius), place, normal_));
        }
        return all;
    }

    /// Of a point above the plane, less `reach`.
    Expr height(const Vector& center, Expr reach) {
        return g_.sub(space_.dot(normal_, space_.sub(center, b_.frame.place)), reach);
    }

    std::optional<std::vector<Ball>> balls() {
        const Shape& shape = a_.shape;
        switch (shape.kind) {
            case Kind::sphere:
            case Kind::disk: return std::vector<Ball>{{space_.zero(), size(shape, 0)}};
            case Kind::capsule: return capsule_ends();
            case Kind::box:
            case Kind::rectangle: return corners();
            case Kind::cylinder: return rim_points();
            case Kind::mesh: return mesh_corners();
            case Kind::ellipsoid:
            case Kind::plane:
            case Kind::line: break;
        }
        return std::nullopt;
    }
    std::vector<Ball> capsule_ends() {
        std::vector<Ball> ends;
        for (const double side : {-0.5, 0.5})
            ends.push_back(
                {{g_.zero(), g_.zero(), g_.scale(side, size(a_.shape, 1))}, size(a_.shape, 0)});
        return ends;
    }
    /// The first index goes first: (−, −, −), (+, −, −), (−, +, −), …
    std::vector<Ball> corners() {
        const std::size_t dimensions = a_.shape.sizes.size();
        std::vector<Ball> all;
        for (unsigned number = 0; number < 1u << dimensions; ++number) {
            Vector corner = space_.zero();
            for (std::size_t i = 0; i < dimensions; ++i)
                corner[i] = g_.scale((number >> i & 1) != 0 ? 0.5 : -0.5, size(a_.shape, i));
            all.push_back({corner, g_.zero()});
        }
        return all;
    }
    std::vector<Ball> rim_points() {
        std::vector<Ball> all;
        for (const double side : {-0.5, 0.5})
            for (std::size_t i = 0; i < options_.rim_points; ++i) {
                const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) /
                                     static_cast<double>(options_.rim_points);
                const Expr r = size(a_.shape, 0);
                all.push_back({{g_.scale(std::cos(angle), r), g_.scale(std::sin(angle), r),
                                g_.scale(side, size(a_.shape, 1))},
                               g_.zero()});
            }
        return all;
    }
    std::vector<Ball> mesh_corners() {
        std::vector<Ball> all;
        const std::vector<Point> corners = hull_corners(*a_.shape.mesh, most_corners);
        if (corners.size() > most_corners)
            throw NoGap(fmt::format("the mesh '{}' touches planes with more than {} corners",
                                    a_.shape.mesh->file, most_corners),
                        "use a simpler mesh, a sphere, a capsule or an ellipsoid for contact");
        for (const Point& corner : corners) {
            Vector place;
            for (std::size_t i = 0; i < 3; ++i) place[i] = g_.scale(corner[i], a_.shape.scale[i]);
            all.push_back({place, g_.zero()});
        }
        return all;
    }

    ContactPoint rim(double side) {
        const Expr r = size(a_.shape, 0);
        const Vector middle = {g_.zero(), g_.zero(), g_.scale(0.5 * side, size(a_.shape, 1))};
        Vector across = space_.transposed_mul(a_.frame.R, normal_);
        across[2] = g_.zero();
        const Expr tilt = space_.norm(across);
        const Vector lowest = space_.sub(middle, space_.scale(g_.div(r, tilt), across));
        return point(height(space_.outward(a_.frame, middle), g_.mul(r, tilt)),
                     space_.outward(a_.frame, lowest), normal_);
    }

    ContactPoint ellipsoid() {
        const Vector m = space_.transposed_mul(a_.frame.R, normal_);
        Vector stretched, twice;
        for (std::size_t i = 0; i < 3; ++i) {
            stretched[i] = g_.mul(size(a_.shape, i), m[i]);
            twice[i] = g_.mul(size(a_.shape, i), stretched[i]);
        }
        const Expr reach = space_.norm(stretched);
        const Vector lowest = space_.scale(g_.neg(g_.div(g_.one(), reach)), twice);
        return point(height(a_.frame.place, reach), space_.outward(a_.frame, lowest), normal_);
    }

    // ---- a ball on another shape

    std::optional<std::vector<ContactPoint>> ball_on_shape() {
        const Vector x = space_.inward(b_.frame, a_.frame.place);
        const auto away = from_nearest(x);
        if (!away) return std::nullopt;
        const Expr distance = space_.norm(*away), r = size(a_.shape, 0);
        const Vector own_normal = space_.scale(g_.div(g_.one(), distance), *away);
        const Vector normal = space_.mul(b_.frame.R, own_normal);
        const Vector place = space_.sub(a_.frame.place, space_.scale(r, normal));
        return std::vector{point(g_.sub(distance, g_.add(r, reach())), place, normal)};
    }

    /// How far the surface is from the nearest points.
    Expr reach() {
        const Kind kind = b_.shape.kind;
        const bool is_round = kind == Kind::sphere || kind == Kind::disk || kind == Kind::capsule;
        return is_round ? size(b_.shape, 0) : g_.zero();
    }

    /// x less the nearest point of a ball's centre, a capsule's middle line, a box or a cylinder.
    std::optional<Vector> from_nearest(const Vector& x) {
        const Shape& shape = b_.shape;
        switch (shape.kind) {
            case Kind::sphere:
            case Kind::disk: return x;
            case Kind::capsule: return Vector{x[0], x[1], beyond(x[2], half(size(shape, 1)))};
            case Kind::box:
            case Kind::rectangle: {
                Vector away = x;
                for (std::size_t i = 0; i < shape.sizes.size(); ++i)
                    away[i] = beyond(x[i], half(size(shape, i)));
                return away;
            }
            case Kind::cylinder: {
                const Expr squared = g_.add(g_.mul(x[0], x[0]), g_.mul(x[1], x[1]));
                const Expr r = size(shape, 0);
                const Expr outside = g_.apply(Op::less, g_.mul(r, r), squared);
                const Expr share = g_.sub(g_.one(), g_.div(r, g_.apply(Op::sqrt, squared)));
                const auto part = [&](Expr xi) {
                    return g_.select(outside, g_.mul(xi, share), g_.zero());
                };
                return Vector{part(x[0]), part(x[1]), beyond(x[2], half(size(shape, 1)))};
            }
            case Kind::ellipsoid:
            case Kind::mesh:
            case Kind::plane:
            case Kind::line: break;
        }
        return std::nullopt;
    }
    /// x less the nearest number of −h..h.
    Expr beyond(Expr x, Expr h) {
        return g_.sub(x, g_.apply(Op::max, g_.apply(Op::min, x, h), g_.neg(h)));
    }

    Graph& g_;
    Space space_;
    const Placed& a_;
    const Placed& b_;
    const ContactOptions& options_;
    Vector normal_{};  // of the plane
};

std::string one(Kind kind) {
    return fmt::format("{} {}", kind == Kind::ellipsoid ? "an" : "a", facts_of(kind).name);
}

std::string reason(Kind a, Kind b) {
    const auto is = [&](Kind kind) { return a == kind || b == kind; };
    const auto is_flat = [](Kind kind) { return kind == Kind::plane || kind == Kind::line; };
    if (is_flat(a) && is_flat(b)) return "both have no ends";
    const auto is_ball = [](Kind kind) { return kind == Kind::sphere || kind == Kind::disk; };
    if (is_ball(a) || is_ball(b))
        return is(Kind::mesh) ? "the nearest point of a mesh jumps"
                              : "the nearest point of an ellipsoid has no formula";
    return "they may touch along a line or a face, and where they do their distance has no slope";
}

}  // namespace

Carrier fixed_carrier(Graph& graph) {
    const Space space(graph);
    return {{space.zero(), space.identity()}, space.zero(), space.zero()};
}

std::vector<ContactPoint> contact_points(Graph& graph, const Carrier& of_a, const Shape& a,
                                         const Carrier& of_b, const Shape& b,
                                         const ContactOptions& options) {
    Space space(graph);
    const Placed first{of_a, a, space.within(of_a.frame, a.frame)};
    const Placed second{of_b, b, space.within(of_b.frame, b.frame)};
    if (auto found = Pair(graph, first, second, options).points()) return std::move(*found);
    if (auto found = Pair(graph, second, first, options).points()) {
        for (ContactPoint& point : *found) {
            point.normal = space.neg(point.normal);
            point.slip = space.neg(point.slip);
        }
        return std::move(*found);
    }
    const bool planar = facts_of(a.kind).planar;
    throw NoGap(fmt::format("contact of {} with {} has no smooth gap function: {}", one(a.kind),
                            one(b.kind), reason(a.kind, b.kind)),
                planar ? "a disk touches every shape, and a rectangle touches a disk or a line"
                       : "a sphere touches spheres, capsules, boxes and cylinders, and every shape "
                         "touches a plane; several spheres may stand for another shape");
}

}  // namespace lacon::shape
