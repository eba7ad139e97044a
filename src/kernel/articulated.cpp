// Inwards, from the leaves on, each unit has the inertia I of all that it carries, as it resists
// where the joints beyond give way (Featherstone's articulated-body inertia):
//
//   U = I S,  E = Sᵀ U + s sᵀ = L_E D L_Eᵀ,  Ũ = U L_E⁻ᵀ
//   I ← I − Ũ D⁻¹ Ũᵀ, added to the parent's in the parent's axes
//
// D are the pivots of M eliminated from the leaves inwards. So L⁻¹ x and L⁻ᵀ x are the passes of
// the recursion: inwards with forces, outwards with accelerations.
#include "kernel/articulated.hpp"

#include <utility>

#include "kernel/spatial.hpp"

namespace lacon::kernel {

namespace {

using namespace spatial;
using Vector = std::vector<Value>;

/// As in constrained.cpp, of few coordinates.
void factor(std::size_t n, Vector& E, Vector& pivot, Vector& inverse) {
    for (std::size_t i = 0; i < n; ++i) {
        Value* row = E.data() + i * n;
        for (std::size_t j = 0; j < i; ++j)
            for (std::size_t k = 0; k < j; ++k) row[j] = fma(-row[k], E[j * n + k], row[j]);
        pivot[i] = row[i];
        for (std::size_t j = 0; j < i; ++j) {
            const Value scaled = row[j] * inverse[j];
            pivot[i] = fma(-row[j], scaled, pivot[i]);
            row[j] = scaled;
        }
        inverse[i] = Value(1.0) / pivot[i];
    }
}

}  // namespace

Articulated::Inertia Articulated::own_inertia(const BodyTree::Unit& unit) {
    const Vector3& h = unit.h;
    Inertia own{unit.I, {{{0.0, -h[2], h[1]}, {h[2], 0.0, -h[0]}, {-h[1], h[0], 0.0}}}, {}};
    for (std::size_t i = 0; i < 3; ++i) own.M[i][i] = unit.m;
    return own;
}

Articulated::Reach Articulated::own_reach(const BodyTree::Unit& unit) {
    const Value second = (unit.I[0][0] + unit.I[1][1] + unit.I[2][2]) * 0.5;
    return {unit.m, sqrt(unit.m * second), second};
}

Articulated::Wrench Articulated::product(const Inertia& I, const BodyTree::Axis& axis) {
    const Vector3 &w = axis.turning, &v = axis.sliding;
    return {plus(plus_transposed({}, I.H, w), I.M, v), plus(plus({}, I.J, w), I.H, v)};
}

Value Articulated::along(const BodyTree::Axis& axis, const Wrench& w) {
    Value sum = dot(axis.turning, w.n);
    for (std::size_t i = 0; i < 3; ++i) sum = fma(axis.sliding[i], w.f[i], sum);
    return sum;
}

Articulated::Articulated(BodyTree tree, const Vector& more) {
    std::vector<Inertia> inertia;
    std::vector<Reach> all;
    for (BodyTree::Unit& unit : tree.units) {
        inertia.push_back(own_inertia(unit));
        all.push_back(own_reach(unit));
        joints_.push_back({unit.parent,
                           unit.R,
                           unit.r,
                           {unit.f, unit.n},
                           std::move(unit.axes),
                           {},
                           {},
                           {},
                           {},
                           {},
                           {}});
    }
    for (std::size_t k = joints_.size(); k-- > 0;) {
        Joint& joint = joints_[k];
        eliminate(joint, inertia[k], all[k], more);
        if (joint.parent < 0) continue;
        const auto parent = static_cast<std::size_t>(joint.parent);
        take_away(joint, inertia[k]);
        hand_on(joint, inertia[k], inertia[parent]);
        hand_on(joint, all[k], all[parent]);
    }
}

void Articulated::eliminate(Joint& joint, Inertia& I, const Reach& all, const Vector& more) {
    const std::size_t n = joint.axes.size();
    joint.L.assign(n * n, Value());
    joint.pivot.resize(n);
    joint.inverse.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const BodyTree::Axis& axis = joint.axes[i];
        joint.carried.push_back(product(I, axis));
        for (std::size_t j = 0; j <= i; ++j)
            joint.L[i * n + j] =
                fma(axis.along, joint.axes[j].along, along(joint.axes[j], joint.carried[i]));
        const Value added = more[axis.coordinate];
        joint.L[i * n + i] += added;
        joint.free.push_back(added.is(0.0));
        // Σ m |w × x + v|² ≤ 2 (|w|² Σ m d² + |v|² m), without the 2 where one of them is zero.
        const bool both = !is_zero(axis.turning) && !is_zero(axis.sliding);
        const Value moved = fma(dot(axis.turning, axis.turning), all.second,
                                dot(axis.sliding, axis.sliding) * all.m);
        joint.size.push_back(fma(axis.along, axis.along, both ? moved * 2.0 : moved) + added);
    }
    factor(n, joint.L, joint.pivot, joint.inverse);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t l = 0; l < i; ++l) {
            const Value& share = joint.L[i * n + l];
            for (std::size_t c = 0; c < 3; ++c) {
                Value &f = joint.carried[i].f[c], &m = joint.carried[i].n[c];
                f = fma(-share, joint.carried[l].f[c], f);
                m = fma(-share, joint.carried[l].n[c], m);
            }
        }
}

/// I − Ũ D⁻¹ Ũᵀ.
void Articulated::take_away(const Joint& joint, Inertia& I) {
    for (std::size_t a = 0; a < joint.axes.size(); ++a) {
        const Wrench& u = joint.carried[a];
        for (std::size_t i = 0; i < 3; ++i) {
            const Value f = u.f[i] * joint.inverse[a], n = u.n[i] * joint.inverse[a];
            for (std::size_t j = 0; j <= i; ++j) {
                I.J[i][j] = I.J[j][i] = fma(-n, u.n[j], I.J[i][j]);
                I.M[i][j] = I.M[j][i] = fma(-f, u.f[j], I.M[i][j]);
            }
            for (std::size_t j = 0; j < 3; ++j) I.H[i][j] = fma(-n, u.f[j], I.H[i][j]);
        }
    }
    clear_directions(joint, I);
}

/// Along what moves freely nothing is left; where that is an axis of the frame, zeros need no code.
void Articulated::clear_directions(const Joint& joint, Inertia& I) {
    for (std::size_t a = 0; a < joint.axes.size(); ++a) {
        const BodyTree::Axis& axis = joint.axes[a];
        if (joint.free[a] && !axis.along.is(0.0)) {  // a unit quaternion: it turns every way
            I.J = I.H = {};
            return;
        }
        const bool turns_only = is_zero(axis.sliding), slides_only = is_zero(axis.turning);
        if (turns_only == slides_only || !joint.free[a]) continue;
        const std::size_t k = frame_axis(turns_only ? axis.turning : axis.sliding);
        if (k == 3) continue;
        Matrix3& block = turns_only ? I.J : I.M;
        for (std::size_t i = 0; i < 3; ++i) {
            block[i][k] = block[k][i] = Value();
            (turns_only ? I.H[k][i] : I.H[i][k]) = Value();
        }
    }
}

/// In the parent's axes, about the parent's origin:
///   M_p = R M Rᵀ,  H_p = R H Rᵀ + [r×] M_p,  J_p = R J Rᵀ − R H Rᵀ [r×] + [r×] H_pᵀ.
void Articulated::hand_on(const Joint& joint, const Inertia& I, Inertia& to) {
    const Vector3& r = joint.r;
    const Matrix3 M = symmetric_turned(joint.R, I.M), J = symmetric_turned(joint.R, I.J),
                  H = turned(joint.R, I.H);
    Matrix3 moved = H;
    for (std::size_t j = 0; j < 3; ++j) {
        const Vector3 c = plus_cross(column(H, j), r, column(M, j));
        for (std::size_t i = 0; i < 3; ++i) moved[i][j] = c[i];
    }
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            to.H[i][j] += moved[i][j];
            if (j > i) continue;
            // ([r×] H_pᵀ)_ij = (r × row j of H_p)_i; (−H [r×])_ij = (r × row i of H)_j
            const std::size_t a = next[i], b = last[i], c = next[j], d = last[j];
            Value sum = fma(r[a], moved[j][b], fma(-r[b], moved[j][a], J[i][j]));
            sum = fma(r[c], H[i][d], fma(-r[d], H[i][c], sum));
            to.J[i][j] = to.J[j][i] = to.J[i][j] + sum;
            to.M[i][j] = to.M[j][i] = to.M[i][j] + M[i][j];
        }
}

void Articulated::hand_on(const Joint& joint, const Reach& all, Reach& to) {
    const Value square = dot(joint.r, joint.r), length = sqrt(square);
    to.second += fma(all.m, square, fma(length * 2.0, all.first, all.second));
    to.first += fma(all.m, length, all.first);
    to.m += all.m;
}

void Articulated::hand_on(const Joint& joint, const Wrench& w, Wrench& to) {
    const Vector3 f = plus({}, joint.R, w.f);
    to.n = plus_cross(plus(to.n, joint.R, w.n), joint.r, f);
    for (std::size_t i = 0; i < 3; ++i) to.f[i] += f[i];
}

void Articulated::forward(Vector& x, bool own) const {
    std::vector<Wrench> carried(joints_.size());
    for (std::size_t k = joints_.size(); k-- > 0;) {
        const Joint& joint = joints_[k];
        const std::size_t n = joint.axes.size();
        Wrench w = carried[k];
        for (std::size_t i = 0; own && i < 3; ++i) w.f[i] += joint.own.f[i];
        for (std::size_t i = 0; own && i < 3; ++i) w.n[i] += joint.own.n[i];
        for (std::size_t i = 0; i < n; ++i) {
            const BodyTree::Axis& axis = joint.axes[i];
            Value& y = x[axis.coordinate];
            y -= along(axis, w);
            if (own) y += axis.force;
            for (std::size_t l = 0; l < i; ++l)
                y = fma(-joint.L[i * n + l], x[joint.axes[l].coordinate], y);
        }
        if (joint.parent < 0) continue;
        for (std::size_t i = 0; i < n; ++i) {
            const Value share = x[joint.axes[i].coordinate] * joint.inverse[i];
            for (std::size_t c = 0; c < 3; ++c) {
                w.f[c] = fma(joint.carried[i].f[c], share, w.f[c]);
                w.n[c] = fma(joint.carried[i].n[c], share, w.n[c]);
            }
        }
        hand_on(joint, w, carried[static_cast<std::size_t>(joint.parent)]);
    }
}

void Articulated::backward(Vector& x) const {
    std::vector<Wrench> motion(joints_.size());  // f: of the origin, n: turning
    for (std::size_t k = 0; k < joints_.size(); ++k) {
        const Joint& joint = joints_[k];
        const std::size_t n = joint.axes.size();
        Wrench a;
        if (joint.parent >= 0) {
            const Wrench& before = motion[static_cast<std::size_t>(joint.parent)];
            a.n = plus_transposed({}, joint.R, before.n);
            a.f = plus_transposed({}, joint.R, plus_cross(before.f, before.n, joint.r));
        }
        for (std::size_t i = n; i-- > 0;) {
            Value& y = x[joint.axes[i].coordinate];
            Value force;
            for (std::size_t c = 0; c < 3; ++c)
                force =
                    fma(joint.carried[i].f[c], a.f[c], fma(joint.carried[i].n[c], a.n[c], force));
            y = fma(-force, joint.inverse[i], y);
            for (std::size_t l = i + 1; l < n; ++l)
                y = fma(-joint.L[l * n + i], x[joint.axes[l].coordinate], y);
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < 3; ++c) {
                const BodyTree::Axis& axis = joint.axes[i];
                a.n[c] = fma(axis.turning[c], x[axis.coordinate], a.n[c]);
                a.f[c] = fma(axis.sliding[c], x[axis.coordinate], a.f[c]);
            }
        motion[k] = a;
    }
}

}  // namespace lacon::kernel
