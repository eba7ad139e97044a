// Two shapes that have taken their places in the world, and what all pairs need to touch.
#pragma once

#include <optional>

#include "shape/contact.hpp"

namespace lacon::shape {

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
    Pair(Graph& graph, const Placed& a, const Placed& b) : g_(graph), space_(graph), a_(a), b_(b) {}

protected:
    static Expr size(const Shape& shape, std::size_t i) { return shape.sizes[i]; }
    Expr half(Expr e) { return g_.scale(0.5, e); }
    Vector velocity_at(const Carrier& carrier, const Vector& place) {
        return space_.add(carrier.velocity,
                          space_.cross(carrier.omega, space_.sub(place, carrier.frame.place)));
    }
    ContactPoint point(Expr gap, const Vector& place, const Vector& normal) {
        return {gap, place, normal,
                space_.sub(velocity_at(a_.carrier, place), velocity_at(b_.carrier, place))};
    }
    std::vector<Ball> capsule_ends(const Shape& capsule);
    /// Of a box or rectangle; the first index goes first: (−, −, −), (+, −, −), (−, +, −), …
    std::vector<Ball> corners(const Shape& box);

    Graph& g_;
    Space space_;
    const Placed& a_;
    const Placed& b_;
};

/// The points at which A may touch B, in this order; nothing where there are none of this sort.
using Points = std::optional<std::vector<ContactPoint>>;
Points touch_plane(Graph& graph, const Placed& a, const Placed& b, const ContactOptions& options);
Points touch_as_ball(Graph& graph, const Placed& a, const Placed& b);
Points touch_as_rod(Graph& graph, const Placed& a, const Placed& b);

/// A's ends (of a capsule) or corners (of a box), on a round or flat shape B.
std::vector<ContactPoint> touch_with_ends(Graph& graph, const Placed& a, const Placed& b);
/// The same points, seen as those of B on A.
std::vector<ContactPoint> seen_from_b(Graph& graph, std::vector<ContactPoint> points);

}  // namespace lacon::shape
