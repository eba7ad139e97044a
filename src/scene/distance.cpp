// Reads distances off expressions: sqrt(Σ dᵢ²), hypot(d₁, d₂), |d|, or Σ dᵢ² itself, with
// d = A − B. The place of a particle is A, where B = A − d does not move with that particle.
#include <algorithm>

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
}

namespace {

/// The bases of a sum of squares with the same factor; empty where it is something else. What does
/// not move is left aside.
std::vector<Expr> squared_parts(const SceneMaker& maker, Expr e) {
    const Graph& g = maker.graph;
    std::vector<Expr> parts;
    const auto base_of = [&](Expr square) {
        if (g.op(square) != Op::mul || g.args(square).size() != 1 || g.args(square)[0].k != 2.0)
            return false;
        parts.push_back(g.args(square)[0].expr);
        return true;
    };
    if (base_of(e)) return parts;
    if (g.op(e) != Op::add) return {};
    double factor = 0.0;
    for (const Arg& term : g.args(e)) {
        if (maker.coordinates_of(term.expr).empty()) continue;
        if (factor == 0.0) factor = term.k;
        if (term.k != factor || !base_of(term.expr)) return {};
    }
    return parts;
}

/// The only node that moves, below sums with constants, products with constants and powers.
Expr moving_core(const SceneMaker& maker, Expr e) {
    const Graph& g = maker.graph;
    while (g.op(e) == Op::add || g.op(e) == Op::mul) {
        std::vector<Arg> moving;
        for (const Arg& arg : g.args(e))
            if (!maker.coordinates_of(arg.expr).empty()) moving.push_back(arg);
        if (moving.size() != 1) return e;
        if (g.op(e) == Op::mul && moving[0].k != 1.0 && !(moving[0].k == 2.0)) return e;
        const Expr inner = moving[0].expr;
        // A square of a coordinate is not taken apart: it is a distance by itself.
        if (g.op(e) == Op::mul && moving[0].k == 2.0 && g.op(inner) != Op::add) return e;
        if (g.op(e) == Op::mul && moving[0].k == 2.0) {
            const Expr core = moving_core(maker, inner);
            return g.op(core) == Op::sqrt || g.op(core) == Op::hypot ? core : e;
        }
        e = inner;
    }
    return e;
}

}  // namespace

std::optional<Ends> Distances::ends_of(Expr value) const {
    const Graph& g = maker_.graph;
    const Expr core = moving_core(maker_, value);
    switch (g.op(core)) {
        case Op::sqrt: return ends_of_squares(g.args(core)[0].expr);
        case Op::abs: return ends_of_parts(std::vector<Expr>{g.args(core)[0].expr});
        case Op::hypot:
            return ends_of_parts(std::vector<Expr>{g.args(core)[0].expr, g.args(core)[1].expr});
        default: return ends_of_squares(core);
    }
}

std::optional<Ends> Distances::ends_of_squares(Expr squares) const {
    return ends_of_parts(squared_parts(maker_, squares));
}

std::optional<Ends> Distances::ends_of_parts(std::span<const Expr> parts) const {
    if (parts.empty() || parts.size() > 3) return std::nullopt;
    for (const Expr part : parts)
        for (const std::size_t coordinate : maker_.coordinates_of(part))
            for (const std::size_t particle : particles_of_[coordinate])
                if (auto ends = ends_at(particle, parts)) return ends;
    return std::nullopt;
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
std::optional<Ends> Distances::ends_at(std::size_t particle, std::span<const Expr> parts) const {
    Graph& g = maker_.graph;
    const std::size_t size = maker_.model.dimension_of(maker_.model.particles[particle]);
    if (parts.size() > size) return std::nullopt;
    std::size_t left = parts.size();
    Ends ends{places_[particle], {g.zero(), g.zero(), g.zero()}, particle};
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
