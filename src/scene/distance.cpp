// Reads distances off expressions: sqrt(Σ dᵢ²), hypot(d₁, d₂), |d|, or Σ dᵢ² itself, with
// d = A − B. The place of a particle is A, where B = A − d does not move with that particle. Points
// of bodies are sums themselves, so of these A and B are known from the text alone.
#include <algorithm>
#include <cmath>

#include "scene/channels.hpp"

namespace lacon::inline scene {

Distances::Distances(SceneMaker& maker) : maker_(maker) {
    particles_of_.resize(maker.model.coordinates.size());
    for (const Particle& particle : maker.model.particles) {
        const std::vector<Expr> parts = maker.expressions(particle.position);
        for (const Expr part : parts)
            for (const std::size_t i : maker.coordinates_of(part))
                if (particles_of_[i].empty() || particles_of_[i].back() != places_.size())
                    particles_of_[i].push_back(places_.size());
        places_.push_back(maker.in_space(parts));
    }
    for (const Formula& difference : maker.notes.differences) {
        const std::vector<Expr> both = maker.expressions(difference);
        const std::size_t half = both.size() / 2;
        const Pair ends{maker.in_space(std::span(both).first(half)),
                        maker.in_space(std::span(both).subspan(half))};
        Spatial space(maker.graph);
        written_.try_emplace(key_of(space.sub(ends.first, ends.second)), ends);
    }
}

namespace {

/// Bases of squares with one factor before all of them.
struct Squares {
    std::vector<Expr> bases;
    double factor = 1.0;
};

/// The bases of a sum of squares with the same factor; empty where it is something else. What does
/// not move is left aside.
Squares squared_parts(const SceneMaker& maker, Expr e) {
    const Graph& g = maker.graph;
    Squares parts;
    const auto base_of = [&](Expr square) {
        if (g.op(square) != Op::mul || g.args(square).size() != 1 || g.args(square)[0].k != 2.0)
            return false;
        parts.bases.push_back(g.args(square)[0].expr);
        return true;
    };
    if (base_of(e)) return parts;
    if (g.op(e) != Op::add) return {};
    parts.factor = 0.0;
    for (const Arg& term : g.args(e)) {
        if (maker.coordinates_of(term.expr).empty()) continue;
        if (parts.factor == 0.0) parts.factor = term.k;
        if (term.k != parts.factor || !base_of(term.expr)) return {};
    }
    return parts;
}

/// The only node that moves, below sums with constants, products with constants and powers, and by
/// how much the whole grows with it.
struct Core {
    Expr node, slope;
};

Core moving_core(SceneMaker& maker, Expr e) {
    Graph& g = maker.graph;
    Core core{e, g.one()};
    while (g.op(core.node) == Op::add || g.op(core.node) == Op::mul) {
        std::vector<Arg> moving;
        for (const Arg& arg : g.args(core.node))
            if (!maker.coordinates_of(arg.expr).empty()) moving.push_back(arg);
        if (moving.size() != 1) return core;
        const Expr inner = moving[0].expr;
        if (g.op(core.node) == Op::add) {
            core = {inner, g.scale(moving[0].k, core.slope)};
            continue;
        }
        if (moving[0].k != 1.0 && moving[0].k != 2.0) return core;
        // A square of a coordinate is not taken apart: it is a distance by itself.
        if (moving[0].k == 2.0 && g.op(inner) != Op::add) return core;
        const Expr others =
            g.mul(core.slope, g.div(core.node, g.pow(inner, moving[0].k == 2.0 ? 2 : 1)));
        if (moving[0].k == 1.0) {
            core = {inner, others};
            continue;
        }
        const Core below = moving_core(maker, inner);
        if (g.op(below.node) != Op::sqrt && g.op(below.node) != Op::hypot) return core;
        return {below.node, g.scale(2.0, g.mul(others, g.mul(inner, below.slope)))};
    }
    return core;
}

}  // namespace

std::optional<Ends> Distances::ends_of(Expr value) const {
    Graph& g = maker_.graph;
    const Core core = moving_core(maker_, value);
    Squares squares;
    Expr slope = core.slope;
    switch (g.op(core.node)) {
        case Op::sqrt:
            squares = squared_parts(maker_, g.args(core.node)[0].expr);
            if (squares.factor > 0.0) slope = g.scale(std::sqrt(squares.factor), slope);
            break;
        case Op::abs: squares.bases = {g.args(core.node)[0].expr}; break;
        case Op::hypot:
            squares.bases = {g.args(core.node)[0].expr, g.args(core.node)[1].expr};
            break;
        default: squares = squared_parts(maker_, core.node);
    }
    const auto ends = ends_of_parts(squares.bases);
    if (!ends) return std::nullopt;
    const bool is_square = g.op(core.node) == Op::mul || g.op(core.node) == Op::add;
    if (is_square) {  // d² grows by 2d
        Spatial space(g);
        const Vector3 along = space.sub(ends->first, ends->second);
        const Expr distance = g.apply(Op::sqrt, space.dot(along, along));
        slope = g.scale(2.0 * squares.factor, g.mul(slope, distance));
    }
    return Ends{ends->first, ends->second, slope};
}

std::optional<Distances::Pair> Distances::ends_of_parts(std::span<const Expr> parts) const {
    if (parts.empty() || parts.size() > 3) return std::nullopt;
    for (const Expr part : parts)
        for (const std::size_t coordinate : maker_.coordinates_of(part))
            for (const std::size_t particle : particles_of_[coordinate])
                if (auto ends = ends_at(particle, parts)) return ends;
    return written_ends(parts);
}

/// Of A − B, whatever the signs of its components: those that are not 0, each or its opposite,
/// whichever was made first, in order.
std::vector<Expr> Distances::key_of(std::span<const Expr> parts) const {
    std::vector<Expr> key;
    for (const Expr part : parts)
        if (!maker_.graph.is_zero(part)) key.push_back(std::min(part, maker_.graph.neg(part)));
    std::sort(key.begin(), key.end());
    return key;
}

/// The points of which the text has the difference, where both are points of bodies.
std::optional<Distances::Pair> Distances::written_ends(std::span<const Expr> parts) const {
    const auto found = written_.find(key_of(parts));
    if (found == written_.end()) return std::nullopt;
    const auto is_end = [&](const Vector3& p) { return is_point(p) || maker_.is_point_of_body(p); };
    const auto& [a, b] = found->second;
    return is_end(a) && is_end(b) ? std::optional(found->second) : std::nullopt;
}

/// Whether it is at rest or moves as a particle does. Else it may be no point of the mechanism:
/// |B + C - D| is the distance of B from the mirror image D - C, where nothing is.
bool Distances::is_point(const Vector3& place) const {
    Graph& g = maker_.graph;
    const auto rests = [&](Expr e) { return maker_.coordinates_of(e).empty(); };
    if (std::all_of(place.begin(), place.end(), rests)) return true;
    for (const Expr part : place)
        for (const std::size_t coordinate : maker_.coordinates_of(part))
            for (const std::size_t particle : particles_of_[coordinate]) {
                const Vector3& other = places_[particle];
                bool moves_along = true;
                for (std::size_t i = 0; i < 3; ++i)
                    moves_along = moves_along && rests(g.sub(place[i], other[i]));
                if (moves_along) return true;
            }
    return false;
}

/// Each component of the particle's place that moves takes the part that moves with it; the other
/// end must not move with the particle. Components that stand still are those of both ends.
std::optional<Distances::Pair> Distances::ends_at(std::size_t particle,
                                                  std::span<const Expr> parts) const {
    Graph& g = maker_.graph;
    const std::size_t size = maker_.model.dimension_of(maker_.model.particles[particle]);
    if (parts.size() > size) return std::nullopt;
    std::size_t left = parts.size();
    Pair ends{places_[particle], {g.zero(), g.zero(), g.zero()}};
    std::vector<bool> used(parts.size());
    for (std::size_t i = 0; i < size; ++i) {
        const std::vector<std::size_t> own = maker_.coordinates_of(ends.first[i]);
        if (own.empty()) {
            ends.second[i] = ends.first[i];
            continue;
        }
        bool found = false;
        for (std::size_t k = 0; k < parts.size() && !found; ++k) {
            if (used[k]) continue;
            for (const double sign : {1.0, -1.0}) {
                const Expr other = g.sub(ends.first[i], g.scale(sign, parts[k]));
                const std::vector<std::size_t> theirs = maker_.coordinates_of(other);
                const bool apart = std::none_of(own.begin(), own.end(), [&](std::size_t c) {
                    return std::binary_search(theirs.begin(), theirs.end(), c);
                });
                if (!apart) continue;
                ends.second[i] = other;
                used[k] = found = true;
                --left;
                break;
            }
        }
        if (!found) return std::nullopt;
    }
    return left == 0 && is_point(ends.second) ? std::optional(ends) : std::nullopt;
}

}  // namespace lacon::scene
