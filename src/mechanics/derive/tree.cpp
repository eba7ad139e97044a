// M, Q and the energies of a tree of bodies, by recursion over its steps:
//
//   outwards   ω, α, a of each frame at q'' = 0, in its own axes; a of the ground is −g
//              (recursive Newton–Euler)
//   inwards    f = m a + U h, n = I α + ω × I ω + h × a with U = [α×] + [ω×][ω×]; what the
//              frames beyond hand on; Q = −S·(n, f)
//   M          the inertia of all that a step carries (composite bodies), times the step's axes,
//              handed on inwards: M_ij = S_j·I_c,i S_i
//
// h is the mass times the centre, I the inertia about the frame's origin. What is welded together
// is one body. Every step with a coordinate makes a frame of its own; the constant steps between
// are folded into numbers. So the expressions number O(N) but for the entries of M.
//
// A unit quaternion p turns with ω = 2 E(p) p', which leaves M singular along p itself. The term
// 2 c (p·p')² is added to T: it vanishes wherever |p|² = 1 holds, and adds 4 c p pᵀ to M and
// −4 c |p'|² p to Q, so M + AᵀWA and Q + AᵀWb with A = 2 pᵀ, W = c: the motion stays the same.
#include "mechanics/derive/tree.hpp"

#include <algorithm>

#include "expr/spatial.hpp"

namespace lacon::inline mechanics {

namespace {

using StepKind = JointStep::Kind;
using Target = Entry::Target;

/// Mass, h and I of what moves as one.
struct Inertia {
    Expr m;
    Vector3 h;
    Matrix3 I;
};

/// A constant frame within another: its axes as columns, and its origin.
struct Fixed {
    Matrix3 C;
    Vector3 d;
};

/// A force, and its moment about the origin of a frame.
struct Wrench {
    Vector3 f, n;
};

/// A frame behind a step with coordinates.
struct Unit {
    std::ptrdiff_t parent = Body::ground;   // unit
    Matrix3 R;                              // columns: its axes in those of the parent
    Vector3 r;                              // its origin, there
    std::vector<std::size_t> coordinates;   // local numbers
    std::vector<Vector3> turning, sliding;  // by coordinate: how it moves the unit, in its own axes
    bool quaternion = false;
    Inertia own, composite;
    Expr scale;               // of its inertia: c above
    Vector3 omega, alpha, a;  // at q'' = 0
    Matrix3 sweep;            // U above
    Vector3 f, n;             // force and moment about the origin
    Wrench own_wrench;        // of it alone
};

class TreeDerivation {
public:
    TreeDerivation(System& system, const LocalShape& local, const TreeStructure& tree, Shape& shape)
        : g_(system.graph), s_(g_), local_(local), tree_(tree), shape_(shape) {}

    void run() {
        make_units();
        outwards();
        inwards();
        masses();
        energies();
        articulate();
    }

private:
    std::span<const Expr> take(std::size_t count) {
        const auto own = std::span(local_.roots).subspan(next_constant_, count);
        next_constant_ += count;
        return own;
    }

    Matrix3 outer(const Vector3& a, const Vector3& b) {
        return {s_.scale(a[0], b), s_.scale(a[1], b), s_.scale(a[2], b)};
    }
    Matrix3 diagonal(Expr d) {
        Matrix3 D = {s_.zero(), s_.zero(), s_.zero()};
        for (std::size_t i = 0; i < 3; ++i) D[i][i] = d;
        return D;
    }
    /// [a×][b×] = b aᵀ − (a·b) 1, made symmetric: −½ ([a×][b×] + [b×][a×]).
    Matrix3 parallel_axes(const Vector3& a, const Vector3& b) {
        Matrix3 result;
        const Expr along = s_.dot(a, b);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const Arg terms[] = {{g_.mul(a[i], b[j]), -0.5},
                                     {g_.mul(b[i], a[j]), -0.5},
                                     {i == j ? along : g_.zero(), 1.0}};
                result[i][j] = result[j][i] = g_.sum(terms);
            }
        return result;
    }
    static Matrix3 symmetric(Matrix3 A) {
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = i + 1; j < 3; ++j) A[i][j] = A[j][i];
        return A;
    }

    Inertia nothing() { return {g_.zero(), s_.zero(), {s_.zero(), s_.zero(), s_.zero()}}; }
    /// The same about the origin and in the axes of a frame in which its own lies so.
    Inertia carried(const Inertia& own, const Matrix3& R, const Vector3& r) {
        const Vector3 h = s_.mul(R, own.h);
        const Matrix3 turned = R == s_.identity()
                                   ? own.I
                                   : symmetric(s_.mul(s_.mul(R, own.I), Matrix3(s_.transpose(R))));
        Matrix3 I = turned;
        if (!s_.is_zero(r)) {
            const Matrix3 cross = parallel_axes(r, h), square = parallel_axes(r, r);
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j <= i; ++j) {
                    const Arg terms[] = {{turned[i][j], 1.0},
                                         {cross[i][j], 2.0},
                                         {g_.mul(own.m, square[i][j]), 1.0}};
                    I[i][j] = I[j][i] = g_.sum(terms);
                }
        }
        return {own.m, s_.add(h, s_.scale(own.m, r)), I};
    }
    void gain(Inertia& all, const Inertia& more) {
        all = {g_.add(all.m, more.m), s_.add(all.h, more.h), s_.add(all.I, more.I)};
    }

    void make_units() {
        // Where each body's frame is fixed: in a unit (or the ground), and how.
        std::vector<std::pair<std::ptrdiff_t, Fixed>> frames;
        const Fixed at_origin{s_.identity(), s_.zero()};
        for (const TreeStructure::Branch& branch : tree_.branches) {
            auto [unit, fixed] = branch.parent < 0
                                     ? std::pair(Body::ground, at_origin)
                                     : frames[static_cast<std::size_t>(branch.parent)];
            for (const TreeStructure::Step& step : branch.steps) take_step(step, unit, fixed);
            frames.emplace_back(unit, fixed);
            take_inertia(branch, unit, fixed);
        }
        gravity_ = s_.zero();
        for (std::size_t i = 0; i < tree_.gravity; ++i) gravity_[i] = take(1)[0];
    }

    void take_inertia(const TreeStructure::Branch& branch, std::ptrdiff_t unit,
                      const Fixed& fixed) {
        const auto all = take(Body::inertia_count);
        if (branch.rests) return;
        const Expr m = all[0];
        const Vector3 c = s_.vector(all.subspan(1));
        const Matrix3 I = {
            {{all[4], all[7], all[8]}, {all[7], all[5], all[9]}, {all[8], all[9], all[6]}}};
        const Inertia centred{m, s_.zero(), I};
        const Inertia about_origin = carried(centred, s_.identity(), c);
        gain(units_[static_cast<std::size_t>(unit)].own, carried(about_origin, fixed.C, fixed.d));
    }

    void take_step(const TreeStructure::Step& step, std::ptrdiff_t& unit, Fixed& fixed) {
        const auto own = take(constant_count(step.kind));
        const auto turn = [&](const Matrix3& R) { fixed.C = s_.mul(fixed.C, R); };
        switch (step.kind) {
            case StepKind::shift:
                fixed.d = s_.add(fixed.d, s_.mul(fixed.C, s_.vector(own)));
                return;
            case StepKind::rotate:
                return turn({s_.vector(own), s_.vector(own.subspan(3)), s_.vector(own.subspan(6))});
            case StepKind::tilt: return turn(s_.rotation({g_.zero(), g_.zero(), g_.one()}, own[0]));
            default: break;
        }
        Unit made;
        made.parent = unit;
        made.own = nothing();
        made.R = fixed.C;
        made.r = fixed.d;
        const auto q = std::span(local_.q).subspan(next_coordinate_, coordinate_count(step.kind));
        for (std::size_t i = 0; i < q.size(); ++i) made.coordinates.push_back(next_coordinate_++);
        const double sign = step.inverse ? -1.0 : 1.0;
        const auto slide = [&](const Vector3& by) { made.r = s_.add(made.r, s_.mul(fixed.C, by)); };
        switch (step.kind) {
            case StepKind::turn:
            case StepKind::screw: {
                const Vector3 u = s_.vector(own);
                made.R = s_.mul(fixed.C, s_.rotation(u, q[0]));
                made.turning = {u};
                made.sliding = {s_.zero()};
                if (step.kind == StepKind::turn) break;
                slide(s_.scale(g_.mul(own[3], q[0]), u));
                made.sliding = {s_.scale(own[3], u)};
                break;
            }
            case StepKind::slide:
                slide(s_.scale(q[0], s_.vector(own)));
                made.turning = {s_.zero()};
                made.sliding = {s_.vector(own)};
                break;
            case StepKind::move:
                for (std::size_t i = 0; i < 3; ++i) {
                    Vector3 u = s_.zero();
                    u[i] = g_.constant(sign);
                    slide(s_.scale(q[i], u));
                    made.turning.push_back(s_.zero());
                    made.sliding.push_back(u);
                }
                break;
            default: {
                std::array<Expr, 4> p = {q[0], g_.scale(sign, q[1]), g_.scale(sign, q[2]),
                                         g_.scale(sign, q[3])};
                made.R = s_.mul(fixed.C, s_.rotation(p));
                made.quaternion = true;
                const auto E = s_.quaternion_rates(p);
                for (std::size_t i = 0; i < 4; ++i) {
                    made.turning.push_back(i == 0 ? E[i] : s_.scale(g_.constant(sign), E[i]));
                    made.sliding.push_back(s_.zero());
                }
            }
        }
        unit = static_cast<std::ptrdiff_t>(units_.size());
        units_.push_back(std::move(made));
        fixed = {s_.identity(), s_.zero()};
    }

    Unit* parent_of(const Unit& unit) {
        return unit.parent < 0 ? nullptr : &units_[static_cast<std::size_t>(unit.parent)];
    }
    /// What the step's coordinates add to ω and to the velocity, in the unit's axes.
    Vector3 rates(const Unit& unit, const std::vector<Vector3>& axes) {
        Vector3 sum = s_.zero();
        for (std::size_t i = 0; i < axes.size(); ++i)
            sum = s_.add(sum, s_.scale(local_.v[unit.coordinates[i]], axes[i]));
        return sum;
    }
    /// A vector of the parent's axes in those of the unit.
    Vector3 inner(const Unit& unit, const Vector3& x) { return s_.transposed_mul(unit.R, x); }

    void outwards() {
        for (Unit& unit : units_) {
            const Unit* parent = parent_of(unit);
            const Vector3 turning = rates(unit, unit.turning), sliding = rates(unit, unit.sliding);
            if (parent == nullptr) {
                unit.omega = turning;
                unit.alpha = s_.zero();
                unit.a = inner(unit, s_.neg(gravity_));
                unit.sweep = sweep(unit);
                continue;
            }
            const Vector3 carried = inner(unit, parent->omega);
            unit.omega = s_.add(carried, turning);
            unit.alpha = s_.add(inner(unit, parent->alpha), s_.cross(carried, turning));
            unit.sweep = sweep(unit);
            const Vector3 at = s_.add(parent->a, swept(*parent, unit.r));
            unit.a =
                s_.add(inner(unit, at), s_.scale(g_.constant(2.0), s_.cross(carried, sliding)));
        }
    }

    /// U = [α×] + [ω×][ω×]: what turning does to the acceleration of a point.
    Matrix3 sweep(const Unit& unit) {
        const Vector3 &w = unit.omega, &alpha = unit.alpha;
        Matrix3 U;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                const std::size_t k = (i + 1) % 3, l = (i + 2) % 3;
                if (i == j) {
                    const Arg squares[] = {{g_.pow(w[k], 2), -1.0}, {g_.pow(w[l], 2), -1.0}};
                    U[i][i] = g_.sum(squares);
                    continue;
                }
                const Arg terms[] = {{g_.mul(w[i], w[j]), 1.0},
                                     {alpha[3 - i - j], j == k ? -1.0 : 1.0}};
                U[i][j] = g_.sum(terms);
            }
        return U;
    }

    /// U r.
    Vector3 swept(const Unit& unit, const Vector3& r) {
        return s_.is_zero(r) ? r : s_.mul(unit.sweep, r);
    }

    void inwards() {
        for (Unit& unit : units_) {
            const Inertia& own = unit.own;
            unit.f = s_.add(s_.scale(own.m, unit.a), swept(unit, own.h));
            unit.n = s_.add(
                s_.add(s_.mul(own.I, unit.alpha), s_.cross(unit.omega, s_.mul(own.I, unit.omega))),
                s_.cross(own.h, unit.a));
            unit.own_wrench = {unit.f, unit.n};
            unit.composite = own;
            unit.scale = g_.add(g_.add(own.I[0][0], own.I[1][1]), own.I[2][2]);
        }
        for (std::size_t i = units_.size(); i-- > 0;) {
            Unit& unit = units_[i];
            put_forces(unit);
            Unit* parent = parent_of(unit);
            if (parent == nullptr) continue;
            const Wrench on = handed_on(unit, {unit.f, unit.n});
            parent->f = s_.add(parent->f, on.f);
            parent->n = s_.add(parent->n, on.n);
            gain(parent->composite, carried(unit.composite, unit.R, unit.r));
            parent->scale = g_.add(parent->scale, g_.add(unit.scale, far_inertia(unit)));
        }
    }

    /// m |r|² of what a unit carries; where r moves, in the place it has at 0.
    Expr far_inertia(const Unit& unit) {
        ExprMap<Expr> zeros;
        for (const Expr q : local_.q) zeros.insert(q, g_.zero());
        const Expr r = substitute(g_, s_.dot(unit.r, unit.r), zeros);
        const Expr m = unit.composite.m;
        return g_.mul(m, r);
    }

    /// A force and moment on a unit as they act on its parent.
    Wrench handed_on(const Unit& unit, const Wrench& w) {
        const Vector3 f = s_.mul(unit.R, w.f);
        return {f, s_.add(s_.mul(unit.R, w.n), s_.cross(unit.r, f))};
    }

    Expr along(const Unit& unit, std::size_t i, const Wrench& w) {
        return g_.add(s_.dot(unit.turning[i], w.n), s_.dot(unit.sliding[i], w.f));
    }

    void put_forces(const Unit& unit) {
        for (std::size_t i = 0; i < unit.coordinates.size(); ++i) {
            Expr Q = g_.neg(along(unit, i, {unit.f, unit.n}));
            if (unit.quaternion) Q = g_.add(Q, force_along(unit, i));
            if (!g_.is_zero(Q)) put({Target::force, index(unit, i), 0}, Q);
        }
    }

    /// −4 c |p'|² p_i
    Expr force_along(const Unit& unit, std::size_t i) {
        std::vector<Arg> squares;
        for (const std::size_t j : unit.coordinates)
            squares.push_back({g_.pow(local_.v[j], 2), 1.0});
        const Arg factors[] = {{unit.scale}, {g_.sum(squares)}, {local_.q[unit.coordinates[i]]}};
        return g_.scale(-4.0, g_.product(factors));
    }

    static std::uint32_t index(const Unit& unit, std::size_t i) {
        return static_cast<std::uint32_t>(unit.coordinates[i]);
    }
    void put(Entry entry, Expr value) { shape_.dynamics.put(entry, value); }

    void masses() {
        for (std::size_t k = 0; k < units_.size(); ++k) {
            const Unit& unit = units_[k];
            for (std::size_t i = 0; i < unit.coordinates.size(); ++i) {
                const Inertia& all = unit.composite;
                const Vector3 &w = unit.turning[i], &v = unit.sliding[i];
                Wrench needed{s_.add(s_.scale(all.m, v), s_.cross(w, all.h)),
                              s_.add(s_.mul(all.I, w), s_.cross(all.h, v))};
                for (std::size_t j = 0; j <= i; ++j) {
                    Expr entry = along(unit, j, needed);
                    if (unit.quaternion) {
                        const Arg factors[] = {{unit.scale},
                                               {local_.q[unit.coordinates[i]]},
                                               {local_.q[unit.coordinates[j]]}};
                        entry = g_.add(entry, g_.scale(4.0, g_.product(factors)));
                    }
                    put_mass(index(unit, i), index(unit, j), entry);
                }
                for (const Unit* at = &unit; at->parent >= 0;) {
                    needed = handed_on(*at, needed);
                    at = parent_of(*at);
                    for (std::size_t j = 0; j < at->coordinates.size(); ++j)
                        put_mass(index(unit, i), index(*at, j), along(*at, j, needed));
                }
            }
        }
    }

    void put_mass(std::uint32_t i, std::uint32_t j, Expr entry) {
        if (!g_.is_zero(entry)) put({Target::mass, std::max(i, j), std::min(i, j)}, entry);
    }

    void articulate() {
        std::vector<Expr>& all = shape_.articulation.values;
        const auto put = [&](const auto&... vectors) {
            (all.insert(all.end(), vectors.begin(), vectors.end()), ...);
        };
        for (const Unit& unit : units_) {
            Articulation::Unit made{unit.parent, {}, unit.quaternion};
            for (std::size_t i = 0; i < unit.coordinates.size(); ++i)
                made.coordinates.push_back(index(unit, i));
            shape_.articulation.units.push_back(std::move(made));
            put(unit.R[0], unit.R[1], unit.R[2], unit.r);
            all.push_back(unit.own.m);
            const Matrix3& I = unit.own.I;
            put(unit.own.h, Vector3{I[0][0], I[1][1], I[2][2]}, Vector3{I[0][1], I[0][2], I[1][2]},
                unit.own_wrench.f, unit.own_wrench.n);
            for (std::size_t i = 0; i < unit.coordinates.size(); ++i)
                put(unit.turning[i], unit.sliding[i]);
            if (!unit.quaternion) continue;
            all.push_back(unit.scale);
            for (std::size_t i = 0; i < unit.coordinates.size(); ++i)
                all.push_back(force_along(unit, i));
        }
    }

    /// T = Σ ½ m v² + v·(ω × h) + ½ ω·I ω, V = −Σ g·(m p + h).
    void energies() {
        std::vector<Arg> T, V;
        std::vector<Vector3> velocity;
        std::vector<Vector3> down;  // gravity in the axes of each unit
        std::vector<Expr> height;   // g·p of its origin
        for (const Unit& unit : units_) {
            const Unit* parent = parent_of(unit);
            const auto p = static_cast<std::size_t>(unit.parent);
            Vector3 v = rates(unit, unit.sliding);
            if (parent != nullptr)
                v = s_.add(v, inner(unit, s_.add(velocity[p], s_.cross(parent->omega, unit.r))));
            velocity.push_back(v);
            const Vector3 before = parent != nullptr ? down[p] : gravity_;
            down.push_back(inner(unit, before));
            const Expr rise = s_.dot(before, unit.r);
            height.push_back(parent != nullptr ? g_.add(height[p], rise) : rise);
            const Inertia& own = unit.own;
            T.push_back({g_.mul(own.m, s_.dot(v, v)), 0.5});
            T.push_back({s_.dot(v, s_.cross(unit.omega, own.h)), 1.0});
            T.push_back({s_.dot(unit.omega, s_.mul(own.I, unit.omega)), 0.5});
            V.push_back({g_.mul(own.m, height.back()), -1.0});
            V.push_back({s_.dot(down.back(), own.h), -1.0});
        }
        shape_.energies.put({Target::kinetic, 0, 0}, g_.sum(T));
        if (tree_.gravity > 0) shape_.energies.put({Target::potential, 0, 0}, g_.sum(V));
    }

    Graph& g_;
    Spatial s_;
    const LocalShape& local_;
    const TreeStructure& tree_;
    Shape& shape_;
    std::size_t next_constant_ = 0, next_coordinate_ = 0;
    std::vector<Unit> units_;  // parents first
    Vector3 gravity_;
};

}  // namespace

std::vector<Tree> trees_of(const Model& model) {
    const std::size_t count = model.bodies.size();
    std::vector<std::vector<std::size_t>> children(count);
    std::vector<std::size_t> hanging;  // on the ground
    for (std::size_t i = 0; i < count; ++i) {
        const std::ptrdiff_t parent = model.bodies[i].parent;
        if (parent < 0) hanging.push_back(i);
        else children[static_cast<std::size_t>(parent)].push_back(i);
    }
    const auto moves = [&](std::size_t i) {
        const auto& steps = model.bodies[i].steps;
        return std::any_of(steps.begin(), steps.end(),
                           [](const JointStep& step) { return !step.coordinates.empty(); });
    };
    std::vector<Tree> trees;
    // Behind what rests, each body that moves begins a tree.
    std::vector<std::size_t> path;
    const auto add = [&](Tree& tree, std::size_t body, std::ptrdiff_t parent, bool rests) {
        TreeStructure::Branch branch{parent, {}, rests};
        for (const JointStep& step : model.bodies[body].steps) {
            branch.steps.push_back({step.kind, step.inverse});
            tree.coordinates.insert(tree.coordinates.end(), step.coordinates.begin(),
                                    step.coordinates.end());
        }
        tree.structure.branches.push_back(std::move(branch));
        tree.bodies.push_back(body);
        return static_cast<std::ptrdiff_t>(tree.bodies.size()) - 1;
    };
    const auto grow = [&](std::size_t root) {
        Tree tree;
        tree.structure.gravity = model.gravity.size();
        std::ptrdiff_t parent = Body::ground;
        for (const std::size_t body : path) parent = add(tree, body, parent, true);
        std::vector<std::pair<std::size_t, std::ptrdiff_t>> waiting = {{root, parent}};
        while (!waiting.empty()) {
            const auto [body, on] = waiting.back();
            waiting.pop_back();
            const std::ptrdiff_t at = add(tree, body, on, false);
            for (auto child = children[body].rbegin(); child != children[body].rend(); ++child)
                waiting.emplace_back(*child, at);
        }
        trees.push_back(std::move(tree));
    };
    // Depth first over what rests; `leave` marks the way back.
    struct Visit {
        std::size_t body;
        bool leave;
    };
    std::vector<Visit> visits;
    for (auto i = hanging.rbegin(); i != hanging.rend(); ++i) visits.push_back({*i, false});
    while (!visits.empty()) {
        const Visit visit = visits.back();
        visits.pop_back();
        if (visit.leave) {
            path.pop_back();
        } else if (moves(visit.body)) {
            grow(visit.body);
        } else {
            path.push_back(visit.body);
            visits.push_back({visit.body, true});
            for (auto child = children[visit.body].rbegin(); child != children[visit.body].rend();
                 ++child)
                visits.push_back({*child, false});
        }
    }
    return trees;
}

void derive_tree(System& system, const LocalShape& local, const TreeStructure& tree, Shape& shape) {
    // Operands: what is used more than once stays one expression; signs and small sums still meet.
    constexpr std::size_t most = 2;
    const std::size_t before = system.graph.set_flatten_limit(most);
    TreeDerivation(system, local, tree, shape).run();
    system.graph.set_flatten_limit(before);
}

}  // namespace lacon::mechanics
