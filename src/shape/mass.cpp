// With S = ∫ (x − c)(x − c)ᵀ dV about the centre c, a turned shape has R S Rᵀ, one that is
// stretched by the factors s has |s₁ s₂ s₃| diag(s) S diag(s), and several shapes together have
// Σ (Sᵢ + Vᵢ (cᵢ − c)(cᵢ − c)ᵀ). The inertia tensor is (tr S) 1 − S.
#include "shape/mass.hpp"

#include <numbers>

#include "shape/mesh.hpp"

namespace lacon::shape {

namespace {

constexpr double pi = std::numbers::pi;

/// In the shape's own axes.
class OwnProperties {
public:
    OwnProperties(Graph& graph, const Shape& shape) : g_(graph), space_(graph), shape_(shape) {}

    MassProperties make() {
        switch (shape_.kind) {
            case Kind::sphere: return ellipsoid(size(0), size(0), size(0));
            case Kind::ellipsoid: return ellipsoid(size(0), size(1), size(2));
            case Kind::box: return box(product(size(0), size(1), size(2)));
            case Kind::rectangle: return box(g_.mul(size(0), size(1)));
            case Kind::cylinder: return cylinder();
            case Kind::capsule: return capsule();
            case Kind::disk: return disk();
            case Kind::mesh: return mesh();
            case Kind::plane:
            case Kind::line: break;
        }
        return centered(g_.zero(), space_.zero());
    }

private:
    Expr size(std::size_t i) const { return shape_.sizes[i]; }
    Expr squared(Expr e) { return g_.mul(e, e); }
    Expr product(Expr a, Expr b, Expr c) { return g_.mul(g_.mul(a, b), c); }

    MassProperties centered(Expr volume, const Vector& diagonal) {
        Matrix second;
        for (std::size_t i = 0; i < 3; ++i) {
            second[i] = space_.zero();
            second[i][i] = diagonal[i];
        }
        return {volume, space_.zero(), second};
    }

    MassProperties ellipsoid(Expr a, Expr b, Expr c) {
        const Expr volume = g_.scale(4.0 * pi / 3.0, product(a, b, c));
        const auto moment = [&](Expr x) { return g_.scale(0.2, g_.mul(volume, squared(x))); };
        return centered(volume, {moment(a), moment(b), moment(c)});
    }

    MassProperties box(Expr volume) {
        Vector diagonal = space_.zero();
        for (std::size_t i = 0; i < shape_.sizes.size(); ++i)
            diagonal[i] = g_.scale(1.0 / 12.0, g_.mul(volume, squared(size(i))));
        return centered(volume, diagonal);
    }

    MassProperties disk() {
        const Expr area = g_.scale(pi, squared(size(0)));
        const Expr across = g_.scale(0.25, g_.mul(area, squared(size(0))));
        return centered(area, {across, across, g_.zero()});
    }

    MassProperties cylinder() {
        const Expr volume = g_.scale(pi, g_.mul(squared(size(0)), size(1)));
        const Expr across = g_.scale(0.25, g_.mul(volume, squared(size(0))));
        const Expr along = g_.scale(1.0 / 12.0, g_.mul(volume, squared(size(1))));
        return centered(volume, {across, across, along});
    }

    /// A cylinder and two half spheres, each of which has its centre 3/8 r from its base.
    MassProperties capsule() {
        const MassProperties middle = cylinder();
        const Expr r = size(0), h = g_.scale(0.5, size(1));
        const Expr ends = g_.scale(4.0 * pi / 3.0, product(r, r, r));
        const Expr across = g_.scale(0.2, squared(r));
        const Arg along[] = {{squared(h), 1.0}, {g_.mul(h, r), 0.75}, {across, 1.0}};
        const Expr sideways = g_.add(middle.second[0][0], g_.mul(ends, across));
        return centered(
            g_.add(middle.volume, ends),
            {sideways, sideways, g_.add(middle.second[2][2], g_.mul(ends, g_.sum(along)))});
    }

    MassProperties mesh() {
        const MeshMoments& moments = shape_.mesh->moments;
        const Vector& s = shape_.scale;
        const Expr stretch = g_.apply(Op::abs, product(s[0], s[1], s[2]));
        MassProperties result;
        result.volume = g_.scale(moments.volume, stretch);
        for (std::size_t i = 0; i < 3; ++i) {
            result.center[i] = g_.scale(moments.center[i], s[i]);
            for (std::size_t j = 0; j < 3; ++j)
                result.second[i][j] =
                    g_.scale(moments.second[i][j], g_.mul(stretch, g_.mul(s[i], s[j])));
        }
        return result;
    }

    Graph& g_;
    Space space_;
    const Shape& shape_;
};

}  // namespace

MassProperties mass_properties(Graph& graph, const Shape& shape) {
    Space space(graph);
    MassProperties own = OwnProperties(graph, shape).make();
    const Matrix& R = shape.frame.R;
    return {own.volume, space.outward(shape.frame, own.center),
            space.mul(R, space.mul(own.second, space.transpose(R)))};
}

MassProperties combined(Graph& graph, std::span<const MassProperties> parts,
                        std::span<const Expr> densities) {
    Space space(graph);
    MassProperties all{graph.zero(), space.zero(), {space.zero(), space.zero(), space.zero()}};
    std::vector<Expr> masses;
    Vector moment = space.zero();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        masses.push_back(graph.mul(densities[i], parts[i].volume));
        all.volume = graph.add(all.volume, masses[i]);
        moment = space.add(moment, space.scale(masses[i], parts[i].center));
        all.second = space.add(all.second, space.scale(densities[i], parts[i].second));
    }
    if (parts.size() == 1) {  // (m c)/m may be another number than c
        all.center = parts[0].center;
        return all;
    }
    all.center = space.scale(graph.div(graph.one(), all.volume), moment);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Vector away = space.sub(parts[i].center, all.center);
        all.second = space.add(all.second, space.scale(masses[i], space.outer(away, away)));
    }
    return all;
}

Matrix inertia_of(Graph& graph, const MassProperties& properties) {
    const Matrix& S = properties.second;
    Matrix result;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) result[i][j] = graph.neg(S[i][j]);
        result[i][i] = graph.add(S[(i + 1) % 3][(i + 1) % 3], S[(i + 2) % 3][(i + 2) % 3]);
    }
    return result;
}

}  // namespace lacon::shape
