// q'' = M⁻¹(Q + Aᵀ λ), λ = S⁻ (b − A M⁻¹ Q), S = A M⁻¹ Aᵀ (P1 5a with any g-inverse of S;
// theory 2.1), as straight-line code: M = L D Lᵀ, W = A L⁻ᵀ, S = W D⁻¹ Wᵀ = L_S D_S L_Sᵀ over the
// kept rows. Zeros of the structure never become code.
#include "kernel/constrained.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::kernel {

namespace {

using Vector = std::vector<Value>;

Ldl factor(std::size_t n, const Vector& S) {
    Ldl f{n, Vector(n * n), Vector(n), Vector(n)};
    for (std::size_t i = 0; i < n; ++i) {
        Value* row = f.L.data() + i * n;  // first L_ij d_j, then L_ij
        for (std::size_t j = 0; j < i; ++j) {
            Value sum = S[i * n + j];
            for (std::size_t k = 0; k < j; ++k)
                if (!row[k].is(0.0) && !f.l(j, k).is(0.0)) sum -= row[k] * f.l(j, k);
            row[j] = sum;
        }
        Value pivot = S[i * n + i];
        for (std::size_t j = 0; j < i; ++j) {
            if (row[j].is(0.0)) continue;
            const Value scaled = row[j] * f.inverse[j];
            pivot -= row[j] * scaled;
            row[j] = scaled;
        }
        f.pivot[i] = pivot;
        f.inverse[i] = Value(1.0) / pivot;
    }
    return f;
}

void forward(const Ldl& f, Vector& x) {  // L⁻¹ x
    for (std::size_t i = 0; i < f.n; ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (!f.l(i, k).is(0.0) && !x[k].is(0.0)) x[i] -= f.l(i, k) * x[k];
}

void backward(const Ldl& f, Vector& x) {  // L⁻ᵀ x
    for (std::size_t i = f.n; i-- > 0;)
        for (std::size_t k = i + 1; k < f.n; ++k)
            if (!f.l(k, i).is(0.0) && !x[k].is(0.0)) x[i] -= f.l(k, i) * x[k];
}

void scale(const Vector& d, Vector& x) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * d[i];
}

Vector row_of(const Vector& A, std::size_t n, std::size_t i) {
    const auto begin = A.begin() + static_cast<std::ptrdiff_t>(i * n);
    return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

Value dot(const Vector& x, const Vector& y) {
    Value sum;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!x[i].is(0.0) && !y[i].is(0.0)) sum += x[i] * y[i];
    return sum;
}

/// Places of a symmetric structure, the one with the fewest neighbours left first.
std::vector<std::size_t> smallest_degree(std::vector<std::vector<bool>> linked) {
    const std::size_t n = linked.size();
    std::vector<bool> done(n, false);
    std::vector<std::size_t> order;
    while (order.size() < n) {
        std::size_t best = n, best_degree = n + 1;
        for (std::size_t i = 0; i < n; ++i) {
            if (done[i]) continue;
            std::size_t degree = 0;
            for (std::size_t j = 0; j < n; ++j) degree += !done[j] && j != i && linked[i][j];
            if (degree < best_degree) best = i, best_degree = degree;
        }
        done[best] = true;
        order.push_back(best);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (!done[i] && !done[j] && linked[best][i] && linked[best][j]) linked[i][j] = true;
    }
    return order;
}

/// Where a tree has entries in M: between a body and those that carry it.
void join(const BodyTree& tree, std::vector<std::vector<bool>>& linked) {
    for (const BodyTree::Unit& unit : tree.units)
        for (const BodyTree::Unit* at = &unit;;) {
            for (const BodyTree::Axis& axis : unit.axes)
                for (const BodyTree::Axis& other : at->axes)
                    linked[axis.coordinate][other.coordinate] =
                        linked[other.coordinate][axis.coordinate] = true;
            if (at->parent < 0) break;
            at = &tree.units[static_cast<std::size_t>(at->parent)];
        }
}

/// M + AᵀWA.
Vector weighted_mass(const Problem& p) {
    Vector M = p.M;
    for (std::size_t r = 0; r < p.weight.size(); ++r) {
        if (p.weight[r] == 0.0) continue;
        const Value* row = p.A.data() + r * p.n;
        for (std::size_t i = 0; i < p.n; ++i)
            for (std::size_t j = 0; j < p.n; ++j)
                M[i * p.n + j] += Value(p.weight[r]) * (row[i] * row[j]);
    }
    return M;
}

}  // namespace

Elimination choose_elimination(const Problem& p, const std::vector<bool>& is_dependent,
                               bool refined) {
    Elimination result;
    result.refined = refined;
    const Vector M = weighted_mass(p);
    std::vector<std::vector<bool>> mass(p.n, std::vector<bool>(p.n, false));
    for (std::size_t i = 0; i < p.n; ++i)
        for (std::size_t j = 0; j < p.n; ++j) mass[i][j] = !M[i * p.n + j].is(0.0);
    result.coordinates = smallest_degree(mass);
    for (const BodyTree& tree : p.trees) join(tree, mass);

    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < p.m; ++i) (is_dependent[i] ? result.dropped : kept).push_back(i);
    // Rows meet where they share a coordinate, or coordinates that M joins (near enough: one step).
    std::vector<std::vector<bool>> meet(kept.size(), std::vector<bool>(kept.size(), false));
    for (std::size_t a = 0; a < kept.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            for (std::size_t i = 0; i < p.n && !meet[a][b]; ++i)
                for (std::size_t j = 0; j < p.n && !meet[a][b]; ++j)
                    if (mass[i][j] && !p.A[kept[a] * p.n + i].is(0.0) &&
                        !p.A[kept[b] * p.n + j].is(0.0))
                        meet[a][b] = meet[b][a] = true;
    for (const std::size_t place : smallest_degree(meet)) result.rows.push_back(kept[place]);
    return result;
}

Bounds::Bounds(std::size_t m, const Elimination& e, double rank_tol) {
    constexpr double doubt = 1e3;  // to each side of the rank tolerance, in the squares
    wide =
        std::max({1e-10, e.clear,
                  rank_tol * rank_tol * doubt * static_cast<double>(std::max<std::size_t>(m, 1))});
    // The free acceleration is rounded by the condition of L times the unit, and constraints take
    // most of it away again.
    definite = m > 0 ? 1e-8 : 1e-10;
    narrow = rank_tol * rank_tol / doubt;
    met = e.refined ? 1e-6 : 1e-12;
    if (!e.beside) return;
    // The sine of the angle by which a dropped row may have left the span of the others, and what
    // it may ask of the accelerations beside them. Beyond, the state is no longer near one that
    // meets the constraints. Not critical: stages of steps of use are off by far less.
    constexpr double off = 0.1;
    narrow = off * off;
    met_dropped = off;
}

Factored::Factored(const Problem& problem, Elimination elimination, double rank_tol)
    : n_(problem.n),
      m_(problem.m),
      A_(problem.A),
      floor_(problem.floor),
      weight_(problem.weight),
      e_(std::move(elimination)),
      bounds_(m_, e_, rank_tol) {
    factor_mass(problem);
    constant_mass_ = problem.trees.empty();
    for (const Value& entry : problem.M) constant_mass_ = constant_mass_ && entry.is_number();
    make_rows();
    check_rows();
}

void Factored::factor_mass(const Problem& problem) {
    const Vector given = weighted_mass(problem);
    Vector M(n_ * n_);
    place_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
        place_[e_.coordinates[i]] = i;
        for (std::size_t j = 0; j < n_; ++j)
            M[i * n_ + j] = given[e_.coordinates[i] * n_ + e_.coordinates[j]];
    }
    std::vector<bool> in_tree(n_, false);
    for (const BodyTree& tree : problem.trees)
        for (const BodyTree::Unit& unit : tree.units)
            for (const BodyTree::Axis& axis : unit.axes) in_tree[place_[axis.coordinate]] = true;
    Vector rest = M;
    for (std::size_t i = 0; i < n_; ++i)
        if (in_tree[i]) rest[i * n_ + i] = 1.0;
    mass_ = factor(n_, rest);
    for (std::size_t i = 0; i < n_; ++i)
        if (!in_tree[i])
            require(when_less(Value(bounds_.definite) * M[i * n_ + i], mass_.pivot[i]));
    for (const BodyTree& tree : problem.trees) factor_tree(tree, M);
}

void Factored::factor_tree(const BodyTree& tree, const Vector& M) {
    BodyTree placed = tree;
    for (BodyTree::Unit& unit : placed.units)
        for (BodyTree::Axis& axis : unit.axes) axis.coordinate = place_[axis.coordinate];
    Vector more;
    for (std::size_t i = 0; i < n_; ++i) more.push_back(M[i * n_ + i]);
    trees_.emplace_back(std::move(placed), more);
    trees_.back().each_pivot([&](const Articulated::Pivot& at) {
        mass_.pivot[at.coordinate] = at.pivot;
        mass_.inverse[at.coordinate] = at.inverse;
        require(when_less(Value(bounds_.definite) * at.size, at.pivot));
    });
}

void Factored::forward_mass(Vector& x, bool own) const {
    forward(mass_, x);
    for (const Articulated& tree : trees_) tree.forward(x, own);
}

void Factored::backward_mass(Vector& x) const {
    backward(mass_, x);
    for (const Articulated& tree : trees_) tree.backward(x);
}

/// A row of A times L⁻ᵀ.
Vector Factored::reduced(Vector row) const {
    row = permuted(row);
    forward_mass(row);
    return row;
}

void Factored::make_rows() {
    for (std::size_t i = 0; i < m_; ++i) {
        Vector row = reduced(row_of(A_, n_, i));
        W_.push_back(row);
        scale(mass_.inverse, row);
        Wd_.push_back(row);
    }
    const std::size_t r = e_.rows.size();
    Vector S(r * r);
    for (std::size_t i = 0; i < r; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            S[i * r + j] = S[j * r + i] = dot(W_[e_.rows[i]], Wd_[e_.rows[j]]);
    S_ = factor(r, S);
    for (std::size_t i = 0; i < r; ++i) size_.push_back(S[i * r + i]);
}

void Factored::check_rows() {
    for (std::size_t i = 0; i < size_.size(); ++i) {
        require(when_less(floor_[e_.rows[i]], size_[i]));
        if (!constant_mass_) {
            const Value& floor = floor_[e_.rows[i]];
            require(when_either(when_less_equal(floor, 0.0),
                                when_less(size_[i], Value(bounds_.light) * floor)));
        }
        require(when_less(Value(bounds_.wide) * size_[i], S_.pivot[i]));
    }
    for (const std::size_t row : e_.dropped) {
        Vector rest = W_[row], rest_d = Wd_[row];
        for (int round = 0; round < 2;
             ++round) {  // the second takes the rounding of the first away
            Vector right;
            for (const std::size_t i : e_.rows) right.push_back(dot(W_[i], rest_d));
            const Vector share = multipliers(right);
            for (std::size_t i = 0; i < share.size(); ++i)
                for (std::size_t j = 0; j < n_; ++j) {
                    rest[j] -= share[i] * W_[e_.rows[i]][j];
                    rest_d[j] -= share[i] * Wd_[e_.rows[i]][j];
                }
        }
        const Value size = dot(W_[row], Wd_[row]);
        require(when_less(floor_[row], size));
        require(when_less(dot(rest, rest_d), Value(bounds_.narrow) * size));
    }
}

Vector Factored::permuted(const Vector& x) const {
    Vector result;
    for (const std::size_t j : e_.coordinates) result.push_back(x[j]);
    return result;
}

Vector Factored::multipliers(Vector right) const {  // S⁻ right
    forward(S_, right);
    scale(S_.inverse, right);
    backward(S_, right);
    return right;
}

/// y += L⁻¹ Aᵀ λ
void Factored::push(Vector& y, const Vector& lambda) const {
    for (std::size_t i = 0; i < lambda.size(); ++i)
        for (std::size_t j = 0; j < n_; ++j)
            if (!W_[e_.rows[i]][j].is(0.0)) y[j] += W_[e_.rows[i]][j] * lambda[i];
}

/// M⁻¹ f from y = L⁻¹ f, in the problem's own order.
Vector Factored::acceleration(Vector y) const {
    scale(mass_.inverse, y);
    backward_mass(y);
    Vector x(n_);
    for (std::size_t j = 0; j < n_; ++j) x[e_.coordinates[j]] = y[j];
    return x;
}

Vector Factored::missing(const Vector& x, const Vector& b,
                         const std::vector<std::size_t>& rows) const {  // b − A x
    Vector result;
    for (const std::size_t i : rows) {
        Value rest = b[i];
        for (std::size_t j = 0; j < n_; ++j)
            if (!A_[i * n_ + j].is(0.0)) rest -= A_[i * n_ + j] * x[j];
        result.push_back(rest);
    }
    return result;
}

/// A x = b beside b and what balances in it: |A_i| in the metric of M⁻¹ times the accelerations in
/// that of M (`squares`: of the free and the constrained one).
Value Factored::met(const Vector& rest, const Vector& b, const std::vector<std::size_t>& rows,
                    const Value& squares, double tolerance) const {
    Value holds = 1.0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t i = rows[k];
        const Value size = b[i] * b[i] + dot(W_[i], Wd_[i]) * squares;
        holds = when_both(holds,
                          when_less_equal(rest[k] * rest[k], Value(tolerance * tolerance) * size));
    }
    return holds;
}

/// Q + AᵀWb, which goes with M + AᵀWA.
Vector Factored::with_weights(Vector Q, const Vector& b) const {
    for (std::size_t r = 0; r < weight_.size(); ++r)
        for (std::size_t j = 0; j < n_ && weight_[r] != 0.0; ++j)
            Q[j] += Value(weight_[r]) * (A_[r * n_ + j] * b[r]);
    return Q;
}

struct Factored::Attempt {
    Vector x, lambda, rest;  // λ and rest: of the kept rows; the rest is that before a refinement
    Value squares;
};

Factored::Attempt Factored::attempt(const Vector& Q, const Vector& b, bool own) const {
    Attempt a;
    Vector y = permuted(with_weights(Q, b));
    forward_mass(y, own);
    Vector yd = y;
    scale(mass_.inverse, yd);
    a.squares = dot(y, yd);
    Vector right;
    for (const std::size_t i : e_.rows) right.push_back(b[i] - dot(W_[i], yd));
    a.lambda = multipliers(right);
    push(y, a.lambda);
    a.x = acceleration(y);
    scale(mass_.inverse, yd = y);
    a.squares += dot(y, yd);
    a.rest = missing(a.x, b, e_.rows);
    if (!e_.refined) return a;
    const Vector more = multipliers(a.rest);
    for (std::size_t i = 0; i < more.size(); ++i) a.lambda[i] += more[i];
    Vector z(n_);
    push(z, more);
    const Vector change = acceleration(z);
    for (std::size_t j = 0; j < n_; ++j) a.x[j] += change[j];
    return a;
}

Solved Factored::solve(const Vector& Q, const Vector& b) const {
    return checked(attempt(Q, b, true), b, true);
}

Solved Factored::solve_clear(const Vector& Q, const Vector& b) const {
    return checked(attempt(Q, b, true), b, e_.refined);
}

Solved Factored::checked(const Attempt& a, const Vector& b, bool residuals) const {
    Solved result{a.x, Vector(m_), regular_};
    for (std::size_t i = 0; i < e_.rows.size(); ++i) result.lambda[e_.rows[i]] = a.lambda[i];
    const auto require_too = [&](const Value& holds) {
        result.fine = when_both(result.fine, holds);
    };
    if (residuals) require_too(met(a.rest, b, e_.rows, a.squares, bounds_.met));
    require_too(met(missing(a.x, b, e_.dropped), b, e_.dropped, a.squares, bounds_.met_dropped));
    // Beside what is not finite everything is small. All accelerations are in `squares`, and b of
    // the kept rows with them.
    if (residuals || !e_.dropped.empty()) {
        require_too(when_less(a.squares, 1e300));
    } else {
        Value sum;
        for (const Value& value : a.x) sum += abs(value);
        require_too(when_less(sum, 1e300));
    }
    for (const std::size_t i : e_.dropped) require_too(when_less(b[i] * b[i], 1e300));
    return result;
}

Solved Factored::solve_unchecked(const Vector& Q, const Vector& b) const {
    const Attempt a = attempt(Q, b, false);
    Solved result{a.x, Vector(m_), 1.0};
    for (std::size_t i = 0; i < e_.rows.size(); ++i) result.lambda[e_.rows[i]] = a.lambda[i];
    return result;
}

Value Factored::continues(const Vector& before) const {
    const std::size_t r = e_.rows.size();
    Vector G(r * r);  // then L U, without pivoting
    for (std::size_t i = 0; i < r; ++i) {
        const Vector row = reduced(row_of(before, n_, e_.rows[i]));
        for (std::size_t j = 0; j < r; ++j) G[i * r + j] = dot(row, Wd_[e_.rows[j]]);
    }
    Value holds = 1.0;
    for (std::size_t k = 0; k < r; ++k) {
        holds = when_both(holds, when_less(0.0, G[k * r + k]));
        for (std::size_t i = k + 1; i < r; ++i) {
            if (G[i * r + k].is(0.0)) continue;
            const Value factor = G[i * r + k] / G[k * r + k];
            for (std::size_t j = k + 1; j < r; ++j)
                if (!G[k * r + j].is(0.0)) G[i * r + j] -= factor * G[k * r + j];
        }
    }
    return holds;
}

}  // namespace lacon::kernel
