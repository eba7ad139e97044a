// A capsule touches capsules and boxes by its ends, by the corners and ends of the other one, and
// where its middle line crosses that of the other one or an edge. Of two rods w apart along the
// unit vectors u and v, the nearest points lie at
//   s (1 − (u·v)²) = (u·v)(v·w) − u·w,   t = (u·v) s + v·w,   s = (u·v) t − u·w,
// each cut off at the ends in this order. Rods that are parallel have no nearest points of their
// own: there the ends touch, and the row of the crossing repeats them.
#include "shape/pair.hpp"

namespace lacon::shape {

namespace {

/// The square of the sine of the angle below which rods count as parallel: the middle lines of rods
/// of length L that are d apart then differ from parallel ones by 1e-12 L²/d.
constexpr double least_crossing = 1e-12;

struct Rod {  // in the world
    Vector middle, along;
    Expr half, radius;
};

class RodOnShape : Pair {
public:
    using Pair::Pair;

    Points points() {
        const Kind other = b_.shape.kind;
        if (a_.shape.kind != Kind::capsule || (other != Kind::capsule && other != Kind::box))
            return std::nullopt;
        std::vector<ContactPoint> all = touch_with_ends(g_, a_, b_);
        for (ContactPoint& p : seen_from_b(g_, touch_with_ends(g_, b_, a_)))
            all.push_back(std::move(p));
        const Rod own = rod_of_capsule(a_);
        if (other == Kind::capsule) {
            all.push_back(crossing(own, rod_of_capsule(b_)));
        } else {
            for (const Rod& edge : edges_of_box(b_)) all.push_back(crossing(own, edge));
        }
        return all;
    }

private:
    Rod rod_of_capsule(const Placed& placed) {
        return {placed.frame.place, Space::column(placed.frame.R, 2), half(size(placed.shape, 1)),
                size(placed.shape, 0)};
    }
    /// Along x, then y, then z; of each the lower ones first.
    std::vector<Rod> edges_of_box(const Placed& placed) {
        std::vector<Rod> edges;
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (unsigned number = 0; number < 4; ++number) {
                Vector middle = space_.zero();
                for (unsigned i = 0; i < 2; ++i) {
                    const std::size_t other = (axis + 1 + i) % 3;
                    middle[other] =
                        g_.scale((number >> i & 1) != 0 ? 0.5 : -0.5, size(placed.shape, other));
                }
                edges.push_back({space_.outward(placed.frame, middle),
                                 Space::column(placed.frame.R, axis),
                                 half(size(placed.shape, axis)), g_.zero()});
            }
        return edges;
    }
    Expr cut(Expr x, Expr h) { return g_.apply(Op::max, g_.apply(Op::min, x, h), g_.neg(h)); }
    ContactPoint crossing(const Rod& own, const Rod& other) {
        const Vector w = space_.sub(own.middle, other.middle);
        const Vector across = space_.cross(own.along, other.along);
        const Expr sine = space_.dot(across, across), cosine = space_.dot(own.along, other.along);
        const Expr d = space_.dot(own.along, w), e = space_.dot(other.along, w);
        const Expr is_parallel = g_.apply(Op::less, sine, g_.constant(least_crossing));
        const Expr free =
            g_.select(is_parallel, g_.zero(), g_.div(g_.sub(g_.mul(cosine, e), d), sine));
        const Expr t = cut(g_.add(g_.mul(cosine, cut(free, own.half)), e), other.half);
        const Expr s = cut(g_.sub(g_.mul(cosine, t), d), own.half);
        const Vector on_a = space_.add(own.middle, space_.scale(s, own.along));
        const Vector on_b = space_.add(other.middle, space_.scale(t, other.along));
        const Vector away = space_.sub(on_a, on_b);
        const Expr distance = space_.norm(away);
        const Vector normal = space_.scale(g_.div(g_.one(), distance), away);
        return point(g_.sub(distance, g_.add(own.radius, other.radius)),
                     space_.sub(on_a, space_.scale(own.radius, normal)), normal);
    }
};

}  // namespace

Points touch_as_rod(Graph& graph, const Placed& a, const Placed& b) {
    return RodOnShape(graph, a, b).points();
}

}  // namespace lacon::shape
