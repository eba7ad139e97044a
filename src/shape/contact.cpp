// Which pairs of shapes touch, and how. The gap of two shapes that may touch along lines or faces
// is not differentiable where they do, so such pairs are refused, unless fixed points, edges and
// ends stand for all places where they may touch (touch_plane.cpp, touch_ball.cpp, touch_rod.cpp).
#include "shape/contact.hpp"

#include <fmt/format.h>

#include "shape/pair.hpp"

namespace lacon::shape {

namespace {

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
    return "they may touch along a line or a face, where the distance has no derivative";
}

Points touch(Graph& graph, const Placed& a, const Placed& b, const ContactOptions& options) {
    if (auto found = touch_plane(graph, a, b, options)) return found;
    if (auto found = touch_as_ball(graph, a, b)) return found;
    return touch_as_rod(graph, a, b);
}

}  // namespace

Carrier fixed_carrier(Graph& graph) {
    const Space space(graph);
    return {{space.zero(), space.identity()}, space.zero(), space.zero()};
}

std::vector<ContactPoint> seen_from_b(Graph& graph, std::vector<ContactPoint> points) {
    Space space(graph);
    for (ContactPoint& point : points) {
        point.normal = space.neg(point.normal);
        point.slip = space.neg(point.slip);
    }
    return points;
}

std::vector<ContactPoint> contact_points(Graph& graph, const Carrier& of_a, const Shape& a,
                                         const Carrier& of_b, const Shape& b,
                                         const ContactOptions& options) {
    Space space(graph);
    const Placed first{of_a, a, space.within(of_a.frame, a.frame)};
    const Placed second{of_b, b, space.within(of_b.frame, b.frame)};
    if (auto found = touch(graph, first, second, options)) return std::move(*found);
    if (auto found = touch(graph, second, first, options))
        return seen_from_b(graph, std::move(*found));
    const bool planar = facts_of(a.kind).planar;
    throw NoGap(fmt::format("contact of {} with {} has no smooth gap function: {}", one(a.kind),
                            one(b.kind), reason(a.kind, b.kind)),
                planar ? "a disk touches every shape, and a rectangle touches a disk or a line"
                       : "a sphere touches spheres, capsules, boxes and cylinders, a capsule "
                         "spheres, capsules and boxes, and every shape touches a plane; put "
                         "several spheres in place of another shape");
}

}  // namespace lacon::shape
