// A shape touches a plane by balls (a ball's own centre and radius, the ends of a capsule, corners
// as balls of radius 0), by rims and by ellipsoids. With the plane's normal n and the shape's
// axes R, m = Rᵀ n:
//   ball       φ = n·(c − p) − r
//   rim        φ = n·(c − p) − r hypot(m₁, m₂), lowest at −r (m₁, m₂, 0)/hypot(m₁, m₂)
//   ellipsoid  φ = n·(c − p) − |D m|, lowest at −D² m/|D m|, D the half axes
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "shape/hull.hpp"
#include "shape/pair.hpp"

namespace lacon::shape {

namespace {

class OnPlane : Pair {
public:
    OnPlane(Graph& graph, const Placed& a, const Placed& b, const ContactOptions& options)
        : Pair(graph, a, b),
          options_(options),
          normal_(space_.column(b.frame.R, b.shape.kind == Kind::plane ? 2 : 1)) {}

    Points points() {
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

private:
    /// Of a point above the plane, less `reach`.
    Expr height(const Vector& center, Expr reach) {
        return g_.sub(space_.dot(normal_, space_.sub(center, b_.frame.place)), reach);
    }

    std::optional<std::vector<Ball>> balls() {
        const Shape& shape = a_.shape;
        switch (shape.kind) {
            case Kind::sphere:
            case Kind::disk: return std::vector<Ball>{{space_.zero(), size(shape, 0)}};
            case Kind::capsule: return capsule_ends(shape);
            case Kind::box:
            case Kind::rectangle: return corners(shape);
            case Kind::cylinder: return rim_points();
            case Kind::mesh: return mesh_corners();
            case Kind::ellipsoid:
            case Kind::plane:
            case Kind::line: break;
        }
        return std::nullopt;
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

    const ContactOptions& options_;
    Vector normal_;
};

}  // namespace

Points touch_plane(Graph& graph, const Placed& a, const Placed& b, const ContactOptions& options) {
    if (b.shape.kind != Kind::plane && b.shape.kind != Kind::line) return std::nullopt;
    return OnPlane(graph, a, b, options).points();
}

}  // namespace lacon::shape
