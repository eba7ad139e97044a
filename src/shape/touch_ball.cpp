// A ball touches what is convex where its centre is nearest: φ = |x − s(x)| − r, with the centre x
// and the nearest point s(x) in the axes of the other shape. φ is once differentiable with a
// bounded slope of its derivative: nearest points go over from faces to edges by `min` and `max`,
// which a run locates.
#include "shape/pair.hpp"

namespace lacon::shape {

namespace {

class BallOnShape : Pair {
public:
    using Pair::Pair;

    /// `center` is in the axes of A.
    std::optional<ContactPoint> touch(const Vector& center, Expr r) {
        const Vector middle = space_.outward(a_.frame, center);
        const auto way = from_nearest(middle);
        if (!way) return std::nullopt;
        const Vector normal = space_.scale(g_.div(g_.one(), way->length), way->away);
        const Vector place = space_.sub(middle, space_.scale(r, normal));
        return point(g_.sub(way->length, g_.add(r, reach())), place, normal);
    }
    std::vector<Ball> balls_of_a() {
        switch (a_.shape.kind) {
            case Kind::sphere:
            case Kind::disk: return {{space_.zero(), size(a_.shape, 0)}};
            case Kind::capsule: return capsule_ends(a_.shape);
            case Kind::box: return corners(a_.shape);
            default: return {};
        }
    }

private:
    struct Way {
        Vector away;  // in the world
        Expr length;
    };

    /// How far the surface is from the nearest points.
    Expr reach() {
        const Kind kind = b_.shape.kind;
        const bool is_round = kind == Kind::sphere || kind == Kind::disk || kind == Kind::capsule;
        return is_round ? size(b_.shape, 0) : g_.zero();
    }

    /// A place less the nearest point of a ball's centre or a capsule's middle line, in the world;
    /// of others as they see it.
    std::optional<Way> from_nearest(const Vector& place) {
        const Shape& shape = b_.shape;
        const Vector w = space_.sub(place, b_.frame.place);
        if (shape.kind == Kind::sphere || shape.kind == Kind::disk) return Way{w, space_.norm(w)};
        if (shape.kind == Kind::capsule) {
            const Vector along = Space::column(b_.frame.R, 2);
            const Expr s = space_.dot(along, w), cut = g_.sub(s, beyond(s, half(size(shape, 1))));
            const Vector away = space_.sub(w, space_.scale(cut, along));
            return Way{away, space_.norm(away)};
        }
        const auto own = from_nearest_of_own(space_.inward(b_.frame, place));
        if (!own) return std::nullopt;
        return Way{space_.mul(b_.frame.R, *own), space_.norm(*own)};
    }

    /// x less the nearest point of a box or a cylinder, in its axes.
    std::optional<Vector> from_nearest_of_own(const Vector& x) {
        const Shape& shape = b_.shape;
        switch (shape.kind) {
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
            default: return std::nullopt;
        }
    }
    /// x less the nearest number of −h..h.
    Expr beyond(Expr x, Expr h) {
        return g_.sub(x, g_.apply(Op::max, g_.apply(Op::min, x, h), g_.neg(h)));
    }
};

}  // namespace

std::vector<Ball> Pair::capsule_ends(const Shape& capsule) {
    std::vector<Ball> ends;
    for (const double side : {-0.5, 0.5})
        ends.push_back(
            {{g_.zero(), g_.zero(), g_.scale(side, size(capsule, 1))}, size(capsule, 0)});
    return ends;
}

std::vector<Ball> Pair::corners(const Shape& box) {
    const std::size_t dimensions = box.sizes.size();
    std::vector<Ball> all;
    for (unsigned number = 0; number < 1u << dimensions; ++number) {
        Vector corner = space_.zero();
        for (std::size_t i = 0; i < dimensions; ++i)
            corner[i] = g_.scale((number >> i & 1) != 0 ? 0.5 : -0.5, size(box, i));
        all.push_back({corner, g_.zero()});
    }
    return all;
}

Points touch_as_ball(Graph& graph, const Placed& a, const Placed& b) {
    if (a.shape.kind != Kind::sphere && a.shape.kind != Kind::disk) return std::nullopt;
    BallOnShape pair(graph, a, b);
    const auto touch = pair.touch(pair.balls_of_a().front().center, a.shape.sizes[0]);
    return touch ? Points(std::vector{*touch}) : std::nullopt;
}

std::vector<ContactPoint> touch_with_ends(Graph& graph, const Placed& a, const Placed& b) {
    BallOnShape pair(graph, a, b);
    std::vector<ContactPoint> all;
    for (const Ball& ball : pair.balls_of_a())
        if (const auto touch = pair.touch(ball.center, ball.radius)) all.push_back(*touch);
    return all;
}

}  // namespace lacon::shape
