// q'' = M⁻¹(Q + Aᵀ λ), λ = S⁻ (b − A M⁻¹ Q), S = A M⁻¹ Aᵀ (P1 5a with any g-inverse of S; theory 2.1), as straight-line code:
// M = L D Lᵀ, W = A L⁻ᵀ, S = W D⁻¹ Wᵀ = L_S D_S L_Sᵀ over the kept rows. Zeros of the structure never become code.
#include "kernel/constrained.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::kernel {

namespace {

using Vector = std::vector<Value>;

/// Symmetric, as L D Lᵀ with unit L; indices are places in the elimination order.
struct Ldl {
    std::size_t n = 0;
    Vector L;  // (n × n), strictly lower
    Vector pivot, inverse;

    const Value& l(std::size_t i, std::size_t j) const { return L[i * n + j]; }
};

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

Value dot(const Vector& x, const Vector& y) {
    Value sum;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!x[i].is(0.0) && !y[i].is(0.0)) sum += x[i] * y[i];
    return sum;
}

class Solver {
public:
    Solver(const Problem& problem, const Elimination& elimination, double rank_tol)
        : p_(problem), e_(elimination), bounds_(problem.m, elimination.refined, elimination.clear, rank_tol) {}

    Solved run() {
        factor_mass();
        make_rows();
        check_rows();
        Vector y = permuted(p_.Q);
        forward(mass_, y);
        Vector yd = y;
        scale(mass_.inverse, yd);
        Value squares = dot(y, yd);
        Vector right;
        for (const std::size_t i : e_.rows) right.push_back(p_.b[i] - dot(W_[i], yd));
        Vector lambda = multipliers(right);
        push(y, lambda);
        Vector x = acceleration(y);
        scale(mass_.inverse, yd = y);
        squares += dot(y, yd);
        const Vector rest = missing(x, e_.rows);
        if (e_.refined) refine(rest, x, lambda);
        check_residuals(rest, e_.rows, squares, bounds_.met);
        check_residuals(missing(x, e_.dropped), e_.dropped, squares, bounds_.met_dropped);
        check_finite(x);
        Solved result{x, Vector(p_.m), fine_};
        for (std::size_t i = 0; i < e_.rows.size(); ++i) result.lambda[e_.rows[i]] = lambda[i];
        return result;
    }

private:
    void refine(const Vector& rest, Vector& x, Vector& lambda) const {
        const Vector more = multipliers(rest);
        for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] += more[i];
        Vector y(p_.n);
        push(y, more);
        const Vector change = acceleration(y);
        for (std::size_t j = 0; j < p_.n; ++j) x[j] += change[j];
    }

    void require(const Value& holds) { fine_ = when_both(fine_, holds); }

    Vector permuted(const Vector& x) const {
        Vector result;
        for (const std::size_t j : e_.coordinates) result.push_back(x[j]);
        return result;
    }

    void factor_mass() {
        const std::size_t n = p_.n;
        Vector M(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) M[i * n + j] = p_.M[e_.coordinates[i] * n + e_.coordinates[j]];
        mass_ = factor(n, M);
        for (std::size_t i = 0; i < n; ++i) require(when_less(Value(bounds_.definite) * M[i * n + i], mass_.pivot[i]));
    }

    void make_rows() {
        for (std::size_t i = 0; i < p_.m; ++i) {
            Vector row;
            for (const std::size_t j : e_.coordinates) row.push_back(p_.A[i * p_.n + j]);
            forward(mass_, row);
            W_.push_back(row);
            scale(mass_.inverse, row);
            Wd_.push_back(row);
        }
        const std::size_t r = e_.rows.size();
        Vector S(r * r);
        for (std::size_t i = 0; i < r; ++i)
            for (std::size_t j = 0; j <= i; ++j) S[i * r + j] = S[j * r + i] = dot(W_[e_.rows[i]], Wd_[e_.rows[j]]);
        S_ = factor(r, S);
        for (std::size_t i = 0; i < r; ++i) size_.push_back(S[i * r + i]);
    }

    void check_rows() {
        for (std::size_t i = 0; i < size_.size(); ++i) {
            require(when_less(p_.floor[e_.rows[i]], size_[i]));
            require(when_less(Value(bounds_.wide) * size_[i], S_.pivot[i]));
        }
        for (const std::size_t row : e_.dropped) {
            Vector rest = W_[row], rest_d = Wd_[row];
            for (int round = 0; round < 2; ++round) {  // the second takes the rounding of the first away
                Vector right;
                for (const std::size_t i : e_.rows) right.push_back(dot(W_[i], rest_d));
                const Vector share = multipliers(right);
                for (std::size_t i = 0; i < share.size(); ++i)
                    for (std::size_t j = 0; j < p_.n; ++j) {
                        rest[j] -= share[i] * W_[e_.rows[i]][j];
                        rest_d[j] -= share[i] * Wd_[e_.rows[i]][j];
                    }
            }
            const Value size = dot(W_[row], Wd_[row]);
            require(when_less(p_.floor[row], size));
            require(when_less(dot(rest, rest_d), Value(bounds_.narrow) * size));
        }
    }

    Vector multipliers(Vector right) const {  // S⁻ right
        forward(S_, right);
        scale(S_.inverse, right);
        backward(S_, right);
        return right;
    }

    /// y += L⁻¹ Aᵀ λ
    void push(Vector& y, const Vector& lambda) const {
        for (std::size_t i = 0; i < lambda.size(); ++i)
            for (std::size_t j = 0; j < p_.n; ++j)
                if (!W_[e_.rows[i]][j].is(0.0)) y[j] += W_[e_.rows[i]][j] * lambda[i];
    }

    /// M⁻¹ f from y = L⁻¹ f, in the problem's own order.
    Vector acceleration(Vector y) const {
        scale(mass_.inverse, y);
        backward(mass_, y);
        Vector x(p_.n);
        for (std::size_t j = 0; j < p_.n; ++j) x[e_.coordinates[j]] = y[j];
        return x;
    }

    Vector missing(const Vector& x, const std::vector<std::size_t>& rows) const {  // b − A x
        Vector result;
        for (const std::size_t i : rows) {
            Value rest = p_.b[i];
            for (std::size_t j = 0; j < p_.n; ++j)
                if (!p_.A[i * p_.n + j].is(0.0)) rest -= p_.A[i * p_.n + j] * x[j];
            result.push_back(rest);
        }
        return result;
    }

    /// A x = b beside b and what balances in it: |A_i| in the metric of M⁻¹ times the accelerations in that of M (`squares`: of
    /// the free and the constrained one).
    void check_residuals(const Vector& rest, const std::vector<std::size_t>& rows, const Value& squares, double met) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const std::size_t i = rows[k];
            const Value size = p_.b[i] * p_.b[i] + dot(W_[i], Wd_[i]) * squares;
            require(when_less_equal(rest[k] * rest[k], Value(met * met) * size));
            require(when_less(size, 1e300));  // beside what is not finite everything is small
        }
    }

    void check_finite(const Vector& x) {
        Value sum;
        for (const Value& value : x) sum += abs(value);
        require(when_less(sum, 1e300));
    }

    const Problem& p_;
    const Elimination& e_;
    const Bounds bounds_;
    Ldl mass_, S_;
    std::vector<Vector> W_, Wd_;  // rows A L⁻ᵀ, and times D⁻¹ (m of n)
    Vector size_;
    Value fine_ = 1.0;
};

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

}  // namespace

Elimination choose_elimination(const Problem& p, const std::vector<bool>& is_dependent, bool refined) {
    Elimination result;
    result.refined = refined;
    std::vector<std::vector<bool>> mass(p.n, std::vector<bool>(p.n, false));
    for (std::size_t i = 0; i < p.n; ++i)
        for (std::size_t j = 0; j < p.n; ++j) mass[i][j] = !p.M[i * p.n + j].is(0.0);
    result.coordinates = smallest_degree(mass);

    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < p.m; ++i) (is_dependent[i] ? result.dropped : kept).push_back(i);
    // Rows meet where they share a coordinate, or coordinates that M joins (near enough: one step).
    std::vector<std::vector<bool>> meet(kept.size(), std::vector<bool>(kept.size(), false));
    for (std::size_t a = 0; a < kept.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            for (std::size_t i = 0; i < p.n && !meet[a][b]; ++i)
                for (std::size_t j = 0; j < p.n && !meet[a][b]; ++j)
                    if (mass[i][j] && !p.A[kept[a] * p.n + i].is(0.0) && !p.A[kept[b] * p.n + j].is(0.0))
                        meet[a][b] = meet[b][a] = true;
    for (const std::size_t place : smallest_degree(meet)) result.rows.push_back(kept[place]);
    return result;
}

Bounds::Bounds(std::size_t m, bool refined, double clear, double rank_tol) {
    constexpr double doubt = 1e3;  // to each side of the rank tolerance, in the squares
    wide = std::max({1e-10, clear, rank_tol * rank_tol * doubt * static_cast<double>(std::max<std::size_t>(m, 1))});
    narrow = rank_tol * rank_tol / doubt;
    met = refined ? 1e-6 : 1e-12;
}

Solved solve(const Problem& problem, const Elimination& elimination, double rank_tol) {
    return Solver(problem, elimination, rank_tol).run();
}

}  // namespace lacon::kernel
