// The mass matrix of bodies that hang together as L D Lᵀ without its entries: the articulated-body
// recursion, as code. Factor and solve take O(bodies) operations.
#pragma once

#include <array>
#include <vector>

#include "kernel/code.hpp"

namespace lacon::kernel {

/// Bodies that hang together: where each is in the one before, how coordinates move it there, and
/// its inertia. It stands for the entries of M that it makes.
struct BodyTree {
    using Vector3 = std::array<Value, 3>;
    using Matrix3 = std::array<Vector3, 3>;

    /// How a coordinate moves a body, in the body's axes.
    struct Axis {
        std::size_t coordinate = 0;
        Vector3 turning, sliding;
        Value force;  // what its Q needs beside the bodies' own wrenches
        /// s: unit quaternions get s sᵀ in M on top, across all that turns (mechanics/tree.cpp).
        Value along;
    };
    struct Unit {
        std::ptrdiff_t parent = -1;  // in `units`, before it; −1: the ground
        Matrix3 R;                   // its axes in the parent's, as columns
        Vector3 r;                   // its origin there
        std::vector<Axis> axes;
        Value m;  // its inertia about its origin: mass, mass times centre, tensor
        Vector3 h;
        Matrix3 I;
        Vector3 f, n;  // the force and moment that it asks for at q'' = 0
    };
    std::vector<Unit> units;
};

/// M of a tree, leaves first, as L D Lᵀ with unit L.
class Articulated {
public:
    using Vector = std::vector<Value>;

    /// `more`: what else is in M, on its diagonal, by coordinate.
    Articulated(BodyTree tree, const Vector& more);

    /// L⁻¹ x; with `own` of x and what the bodies themselves add to Q. By coordinate.
    void forward(Vector& x, bool own) const;
    void backward(Vector& x) const;  // L⁻ᵀ x

    struct Pivot {
        std::size_t coordinate;
        const Value& pivot;
        const Value& inverse;
        /// At least the entry of M on the diagonal; what the pivot is rounded beside.
        const Value& size;
    };
    template <class Take>
    void each_pivot(const Take& take) const {
        for (const Joint& joint : joints_)
            for (std::size_t i = 0; i < joint.axes.size(); ++i)
                take(Pivot{joint.axes[i].coordinate, joint.pivot[i], joint.inverse[i],
                           joint.size[i]});
    }
    /// Every number is replaced by what `move` makes of it.
    template <class Move>
    void change(const Move& move);

private:
    using Vector3 = BodyTree::Vector3;
    using Matrix3 = BodyTree::Matrix3;
    /// A force and its moment; of motions, the velocity of the origin and the rate of turning.
    struct Wrench {
        Vector3 f, n;
    };
    /// n = J w + H v, f = Hᵀ w + M v.
    struct Inertia {
        Matrix3 J, H, M;
    };
    /// Of what a unit carries, to judge its pivots by: Σ m, Σ m d, Σ m d², where d is at least the
    /// distance from its origin, measured along the joints. Numbers, where only hinges turn.
    struct Reach {
        Value m, first, second;
    };
    struct Joint {
        std::ptrdiff_t parent = -1;
        Matrix3 R;
        Vector3 r;
        Wrench own;
        std::vector<BodyTree::Axis> axes;
        std::vector<bool> free;          // by coordinate: nothing else in M holds it back
        Vector L, pivot, inverse, size;  // of its coordinates among themselves
        std::vector<Wrench> carried;     // by coordinate: I S, of it and what is behind it
    };

    static Inertia own_inertia(const BodyTree::Unit& unit);
    static Reach own_reach(const BodyTree::Unit& unit);
    static Wrench product(const Inertia& I, const BodyTree::Axis& axis);
    static Value along(const BodyTree::Axis& axis, const Wrench& w);
    void eliminate(Joint& joint, Inertia& I, const Reach& all, const Vector& more);
    static void take_away(const Joint& joint, Inertia& I);
    static void clear_directions(const Joint& joint, Inertia& I);
    static void hand_on(const Joint& joint, const Inertia& I, Inertia& to);
    static void hand_on(const Joint& joint, const Reach& all, Reach& to);
    static void hand_on(const Joint& joint, const Wrench& w, Wrench& to);

    std::vector<Joint> joints_;
};

template <class Move>
void Articulated::change(const Move& move) {
    const auto three = [&](Vector3& x) {
        for (Value& value : x) value = move(value);
    };
    const auto wrench = [&](Wrench& w) { three(w.f), three(w.n); };
    for (Joint& joint : joints_) {
        for (Vector3& row : joint.R) three(row);
        three(joint.r);
        wrench(joint.own);
        for (BodyTree::Axis& axis : joint.axes) {
            three(axis.turning), three(axis.sliding);
            axis.force = move(axis.force);
            axis.along = move(axis.along);
        }
        for (auto* values : {&joint.L, &joint.pivot, &joint.inverse, &joint.size})
            for (Value& value : *values) value = move(value);
        for (Wrench& w : joint.carried) wrench(w);
    }
}

}  // namespace lacon::kernel
