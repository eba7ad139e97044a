// The mechanics of one shape, over its local coordinates (theory 1 and 3.1).
//
//   particle      p(q,t), m, g   T = ½ m |p'|²; J = ∂p/∂q; γ = p'' at q'' = 0:
//                                M += m JᵀJ,  Q += m Jᵀ(g − γ)
//   of a mass m(q,t)             T = ½ m |p'|², V = −m g·p, as below
//   kinetic       T(q,q',t)      M += ∂²T/∂q'∂q',  Q −= d/dt(∂T/∂q') at q'' = 0 − ∂T/∂q  (P2 1, 10)
//   potential     V(q,t)         Q −= ∂V/∂q
//   dissipation   R(q,q',t)      Q −= ∂R/∂q'
//   force         F(q,q',t)      Q_i += F
//   on a point p, F              Q += JᵀF
//   torque on a body, τ, ω       Q += (∂ω/∂q')ᵀ τ
//   tree of bodies               tree.cpp
//   nonideal      c_i(q,q',t,λ)  c_i += c_i  (P5 12)
//   equation      E(q,q',q'',t)  M_ij += ∂E/∂q''_j,  Q_i −= E at q'' = 0
//   constraint    φ              A q'' = b by one or two time derivatives, or as it stands

#include <algorithm>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"
#include "mechanics/derive/identity.hpp"
#include "mechanics/derive/shape.hpp"
#include "mechanics/derive/tree.hpp"

namespace lacon::inline mechanics {

namespace {

using Target = Entry::Target;
using Failure = std::optional<ShapeError>;

const ShapeError contains_acceleration{"must not contain accelerations", ""};

class ShapeDerivation {
public:
    ShapeDerivation(System& system, const LocalShape& local, Shape& shape)
        : system_(system),
          g_(system.graph),
          t_(system.t),
          local_(local),
          shape_(shape),
          k_(local.q.size()) {
        for (std::size_t i = 0; i < k_; ++i) along_.push_back({local.q[i], local.v[i]});
        along_.push_back({t_, g_.one()});
        for (std::size_t i = 0; i < k_; ++i) at_rest_.insert(local.a[i], g_.zero());
    }

    Failure run() {
        switch (local_.kind) {
            case ElementKind::particle: return particle();
            case ElementKind::varying_particle: return varying_particle();
            case ElementKind::kinetic: return kinetic(local_.roots[0]);
            case ElementKind::potential: return potential(local_.roots[0]);
            case ElementKind::dissipation: return dissipation();
            case ElementKind::force: return force();
            case ElementKind::particle_force: return particle_force();
            case ElementKind::torque: return torque();
            case ElementKind::tree: derive_tree(system_, local_, *local_.tree, shape_); return {};
            case ElementKind::equation: return equation();
            case ElementKind::nonideal: return nonideal();
            default: return constraint();
        }
    }

private:
    bool uses(Expr e, const std::vector<Expr>& symbols) const { return depends_on(g_, e, symbols); }
    /// d/dt with velocities constant: what of the time derivative does not contain q''.
    Expr along(Expr e) { return directional(g_, e, along_); }
    Expr without_acceleration(Expr e) { return substitute(g_, e, at_rest_); }
    static std::uint32_t index(std::size_t i) { return static_cast<std::uint32_t>(i); }

    void put_force(std::size_t i, Expr value) {
        if (!g_.is_zero(value)) shape_.dynamics.put({Target::force, index(i), 0}, value);
    }

    std::vector<std::vector<Expr>> jacobian(std::span<const Expr> position) {
        std::vector<std::vector<Expr>> J;
        for (const Expr p : position) J.push_back(gradient(g_, p, local_.q));
        return J;
    }

    Expr dot(std::span<const Expr> x, std::span<const Expr> y) {
        std::vector<Arg> terms;
        for (std::size_t d = 0; d < x.size(); ++d) terms.push_back({g_.mul(x[d], y[d]), 1.0});
        return g_.sum(terms);
    }

    static std::vector<Expr> column(const std::vector<std::vector<Expr>>& J, std::size_t j) {
        std::vector<Expr> result;
        for (const auto& row : J) result.push_back(row[j]);
        return result;
    }

    Failure particle() {
        const std::size_t dimension = local_.variant / 2;
        const bool has_gravity = local_.variant % 2 == 1;
        const std::span<const Expr> roots = local_.roots;
        const auto position = roots.first(dimension);
        const Expr m = roots[dimension];
        const auto J = jacobian(position);
        std::vector<Expr> velocity, surplus;  // p', and g − γ
        for (std::size_t d = 0; d < dimension; ++d) {
            velocity.push_back(along(position[d]));
            const Expr gravity = has_gravity ? roots[dimension + 1 + d] : g_.zero();
            surplus.push_back(g_.sub(gravity, along(velocity[d])));
        }
        for (std::size_t i = 0; i < k_; ++i) {
            const std::vector<Expr> J_i = column(J, i);
            for (std::size_t j = 0; j <= i; ++j) {
                const Expr entry = g_.mul(m, dot(J_i, column(J, j)));
                if (!g_.is_zero(entry))
                    shape_.dynamics.put({Target::mass, index(i), index(j)}, entry);
            }
            put_force(i, g_.mul(m, dot(J_i, surplus)));
        }
        shape_.energies.put({Target::kinetic, 0, 0},
                            g_.scale(0.5, g_.mul(m, dot(velocity, velocity))));
        if (has_gravity)
            shape_.energies.put(
                {Target::potential, 0, 0},
                g_.neg(g_.mul(m, dot(roots.subspan(dimension + 1, dimension), position))));
        return {};
    }

    Failure varying_particle() {
        const std::size_t dimension = local_.variant / 2;
        const std::span<const Expr> roots = local_.roots;
        const auto position = roots.first(dimension);
        const Expr m = roots[dimension];
        std::vector<Expr> velocity;
        for (const Expr x : position) velocity.push_back(along(x));
        if (auto failure = kinetic(g_.scale(0.5, g_.mul(m, dot(velocity, velocity)))))
            return failure;
        if (local_.variant % 2 == 0) return {};
        return potential(g_.neg(g_.mul(m, dot(roots.subspan(dimension + 1, dimension), position))));
    }

    Failure kinetic(Expr T) {
        if (uses(T, local_.a)) return contains_acceleration;
        const std::vector<Expr> momentum = gradient(g_, T, local_.v);
        const std::vector<Expr> slope = gradient(g_, T, local_.q);
        for (std::size_t i = 0; i < k_; ++i) {
            const std::vector<Expr> row =
                gradient(g_, momentum[i], std::span(local_.v).first(i + 1));
            for (std::size_t j = 0; j <= i; ++j) {
                const auto entry = free_of(row[j], local_.v);
                if (!entry)
                    return ShapeError{
                        "is not of second degree in the velocities",
                        "T must be a quadratic, linear or constant expression in the velocities"};
                if (!g_.is_zero(*entry))
                    shape_.dynamics.put({Target::mass, index(i), index(j)}, *entry);
            }
            put_force(i, g_.sub(slope[i], along(momentum[i])));
        }
        shape_.energies.put({Target::kinetic, 0, 0}, T);
        return {};
    }

    Failure potential(Expr V) {
        if (uses(V, local_.a)) return contains_acceleration;
        if (uses(V, local_.v))
            return ShapeError{
                "must not contain velocities",
                "write a term of the velocities as 'kinetic', 'dissipation' or 'force'"};
        const std::vector<Expr> slope = gradient(g_, V, local_.q);
        for (std::size_t i = 0; i < k_; ++i) put_force(i, g_.neg(slope[i]));
        shape_.energies.put({Target::potential, 0, 0}, V);
        return {};
    }

    Failure dissipation() {
        const Expr R = local_.roots[0];
        if (uses(R, local_.a)) return contains_acceleration;
        const std::vector<Expr> slope = gradient(g_, R, local_.v);
        for (std::size_t i = 0; i < k_; ++i) put_force(i, g_.neg(slope[i]));
        return {};
    }

    Failure force() {
        if (uses(local_.roots[0], local_.a)) return contains_acceleration;
        put_force(0, local_.roots[0]);
        return {};
    }

    Failure particle_force() {
        const std::span<const Expr> roots = local_.roots;
        const std::span<const Expr> F = roots.subspan(local_.variant);
        for (const Expr f : F)
            if (uses(f, local_.a)) return contains_acceleration;
        const auto J = jacobian(roots.first(local_.variant));
        for (std::size_t i = 0; i < k_; ++i) put_force(i, dot(column(J, i), F));
        return {};
    }

    Failure torque() {
        const std::span<const Expr> roots = local_.roots;
        const std::span<const Expr> omega = roots.first(local_.variant),
                                    T = roots.subspan(local_.variant);
        for (const Expr component : T)
            if (uses(component, local_.a)) return contains_acceleration;
        std::vector<std::vector<Expr>> J;
        for (const Expr component : omega) J.push_back(gradient(g_, component, local_.v));
        for (std::size_t i = 0; i < k_; ++i) put_force(i, dot(column(J, i), T));
        return {};
    }

    Failure nonideal() {
        for (std::size_t i = 0; i < local_.roots.size(); ++i) {
            if (uses(local_.roots[i], local_.a)) return contains_acceleration;
            shape_.nonideal.put({Target::force, index(i), 0}, local_.roots[i]);
        }
        return {};
    }

    Failure equation() {
        const Expr E = local_.roots[0];
        const std::vector<Expr> row = gradient(g_, E, local_.a);
        for (std::size_t j = 0; j < k_; ++j) {
            const auto entry = free_of(row[j], local_.a);
            if (!entry) return ShapeError{"is not linear in the accelerations", ""};
            if (!g_.is_zero(*entry))
                shape_.dynamics.put({Target::mass_single, 0, index(j)}, *entry);
        }
        put_force(0, g_.neg(without_acceleration(E)));
        return {};
    }

    Failure constraint() {
        const Expr phi = local_.roots[0];
        const bool has_damping = local_.variant > 0, has_stiffness = local_.variant > 1;
        shape_.level = uses(phi, local_.a)   ? Level::acceleration
                       : uses(phi, local_.v) ? Level::velocity
                                             : Level::position;
        for (std::size_t i = 1; i < local_.roots.size(); ++i)
            if (uses(local_.roots[i], local_.a))
                return ShapeError{"has accelerations in its gain", ""};
        if (has_damping && shape_.level == Level::acceleration)
            return ShapeError{"is at acceleration level: there is nothing to stabilize",
                              "remove 'stabilize'"};
        if (has_stiffness && shape_.level == Level::velocity)
            return ShapeError{"is at velocity level and takes one gain: phi' + A*phi = 0",
                              "write 'stabilize A'"};
        if (has_damping && !has_stiffness && shape_.level == Level::position)
            return ShapeError{
                "is at position level and takes two gains: phi'' + A*phi' + B*phi = 0",
                "write 'stabilize A B'"};

        const Expr rate = along(phi);
        const auto& derivatives = shape_.level == Level::position   ? local_.q
                                  : shape_.level == Level::velocity ? local_.v
                                                                    : local_.a;
        const std::vector<Expr> row = gradient(g_, phi, derivatives);
        for (std::size_t j = 0; j < k_; ++j) {
            Expr entry = row[j];
            if (shape_.level == Level::acceleration) {
                const auto linear = free_of(entry, local_.a);
                if (!linear)
                    return ShapeError{
                        "is not linear in the accelerations",
                        "a constraint must be linear in q'' to give rows of A q'' = b"};
                entry = *linear;
            }
            if (!g_.is_zero(entry)) shape_.dynamics.put({Target::row, 0, index(j)}, entry);
        }
        Expr b = g_.neg(shape_.level == Level::position   ? along(rate)
                        : shape_.level == Level::velocity ? rate
                                                          : without_acceleration(phi));
        if (has_damping)
            b = g_.sub(b, g_.mul(local_.roots[1], shape_.level == Level::position ? rate : phi));
        if (has_stiffness) b = g_.sub(b, g_.mul(local_.roots[2], phi));
        if (!g_.is_zero(b)) shape_.dynamics.put({Target::right, 0, 0}, b);

        if (shape_.level != Level::acceleration) {
            shape_.residuals.put({Target::residual, 0, 0}, phi);
            shape_.residuals.put({Target::velocity_residual, 0, 0},
                                 shape_.level == Level::position ? rate : phi);
        }
        return {};
    }

    /// `e` if it does not depend on the symbols' values, with them removed from its form; nothing
    /// if it does.
    std::optional<Expr> free_of(Expr e, const std::vector<Expr>& symbols) {
        if (!uses(e, symbols)) return e;
        ExprMap<Expr> zeros;
        for (const Expr s : symbols) zeros.insert(s, g_.zero());
        const Expr reduced = substitute(g_, e, zeros);
        if (!numerically_equal(g_, e, reduced)) return std::nullopt;
        return reduced;
    }

    System& system_;
    Graph& g_;
    Expr t_;
    const LocalShape& local_;
    Shape& shape_;
    std::size_t k_;
    std::vector<Seed> along_;
    ExprMap<Expr> at_rest_;
};

}  // namespace

std::optional<ShapeError> derive_shape(System& system, const LocalShape& local, Shape& shape) {
    return ShapeDerivation(system, local, shape).run();
}

}  // namespace lacon::mechanics
