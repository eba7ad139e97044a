// The equations at one state against the oracle: M, Q, A, b, q'', the force of the constraints and
// the rank. Allowed is what the rounding of doubles explains, to first order and times a factor:
// errors of M, Q, A and b go through the inverse of [M Aᵀ; A 0].

#include <algorithm>
#include <cmath>
#include <limits>

#include "hunt/case.hpp"
#include "hunt/engine.hpp"
#include "hunt/equations.hpp"
#include "lacon/mechanism.hpp"

namespace hunt {
namespace {

constexpr double u = std::numeric_limits<double>::epsilon();
// Formulas are arranged otherwise in the engine, and bounds are of first order.
constexpr double factor = 100.0;

/// The worst of many comparisons.
struct Comparison {
    Verdict verdict;
    void compare(const std::string& what, double found, const Real& expected, double allowed) {
        const double limit = factor * allowed + std::numeric_limits<double>::min();
        const double error = abs(Real(found) - expected).nearest();
        const bool worse = !(error / limit <= verdict.error / std::max(verdict.allowed, 1e-300));
        if (!worse && !verdict.what.empty()) return;
        verdict.error = error;
        verdict.allowed = limit;
        if (error <= limit) return;
        verdict.result = Result::failed;
        verdict.what = what + ": found " + shortest(found) + ", expected " +
                       shortest(expected.nearest()) + ", error " + shortest(error) + ", allowed " +
                       shortest(limit);
    }
};

/// The rows that count, and whether they do so only just: then a solve that is stable by the norms
/// of rows is good enough.
struct Independent {
    std::vector<std::size_t> rows;
    bool weakly = false;
};

/// Bounds of what doubles may lose of q'' (n) and −λ (of the kept rows).
std::vector<double> solution_bounds(Equations& equations, const Independent& independent,
                                    const Reals& x) {
    const std::vector<std::size_t>& rows = independent.rows;
    const std::size_t n = equations.n(), N = n + rows.size();
    const Tape& tape = equations.tape();
    std::vector<double> off(N, 0.0);
    const auto entry = [&](std::size_t output) {
        return tape.error(output) + u * std::abs(tape[output].nearest());
    };
    for (std::size_t i = 0; i < n; ++i) {
        off[i] += entry(equations.Q_at(i));
        for (std::size_t j = 0; j < n; ++j)
            off[i] += entry(equations.M_at(i, j)) * std::abs(x[j].nearest());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const double error = entry(equations.A_at(rows[k], i));
            off[i] += error * std::abs(x[n + k].nearest());
            off[n + k] += error * std::abs(x[i].nearest());
        }
    }
    double largest = 0.0;
    for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(x[j].nearest()));
    for (std::size_t k = 0; k < rows.size(); ++k) {
        off[n + k] += entry(equations.b_at(rows[k]));
        for (std::size_t j = 0; independent.weakly && j < n; ++j)
            off[n + k] += u * largest * std::abs(equations.A(rows[k], j).nearest());
    }
    std::vector<double> bounds(N, 0.0);
    const Square K = equations.kkt(rows);
    for (std::size_t j = 0; j < N; ++j) {
        Reals unit(N, Real(0.0));
        unit[j] = 1.0;
        const Reals column = *solve(K, unit);
        for (std::size_t i = 0; i < N; ++i) bounds[i] += std::abs(column[i].nearest()) * off[j];
    }
    return bounds;
}

/// A solve that is stable by norms mixes the coordinates: of each the worst of all is allowed, in
/// the metric of M.
void spread(const Equations& equations, std::vector<double>& bounds) {
    double worst = 0.0;
    for (std::size_t i = 0; i < equations.n(); ++i)
        worst = std::max(worst, bounds[i] * std::sqrt(std::abs(equations.M(i, i).nearest())));
    for (std::size_t i = 0; i < equations.n(); ++i)
        if (const double mass = std::abs(equations.M(i, i).nearest()); mass > 0.0)
            bounds[i] = worst / std::sqrt(mass);
}

void compare_matrices(Comparison& comparison, Equations& equations, const lacon::Evaluation& at,
                      const Order& order) {
    const auto name = [&](const char* matrix, std::size_t i, std::size_t j) {
        return std::string(matrix) + "[" + std::to_string(i) + "][" + std::to_string(j) + "]";
    };
    const Tape& tape = equations.tape();
    const auto allowed = [&](std::size_t output) {
        return tape.error(output) + u * std::abs(tape[output].nearest());
    };
    for (std::size_t i = 0; i < equations.n(); ++i) {
        const std::size_t to = order.coordinate[i];
        for (std::size_t j = 0; j < equations.n(); ++j)
            comparison.compare(name("M", i, j), at.M(to, order.coordinate[j]), equations.M(i, j),
                               allowed(equations.M_at(i, j)));
        comparison.compare(name("Q", i, 0), at.Q[to], equations.Q(i), allowed(equations.Q_at(i)));
    }
    for (std::size_t r = 0; r < equations.m(); ++r) {
        const std::size_t to = order.row[r];
        for (std::size_t j = 0; j < equations.n(); ++j)
            comparison.compare(name("A", r, j), at.A(to, order.coordinate[j]), equations.A(r, j),
                               allowed(equations.A_at(r, j)));
        comparison.compare(name("b", r, 0), at.b[to], equations.b(r), allowed(equations.b_at(r)));
    }
}

void compare_solution(Comparison& comparison, Equations& equations, const lacon::Evaluation& at,
                      const Order& order, const Independent& independent) {
    const std::vector<std::size_t>& rows = independent.rows;
    const std::size_t n = equations.n();
    const Reals x = *equations.accelerate(rows);
    std::vector<double> bounds = solution_bounds(equations, independent, x);
    if (independent.weakly) spread(equations, bounds);
    const Tape& tape = equations.tape();
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i].nearest()));
    for (std::size_t i = 0; i < n; ++i)
        bounds[i] += u * largest;  // an exact 0 need not come out as one
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t to = order.coordinate[i];
        comparison.compare("acceleration " + std::to_string(i), at.solution.acceleration[to], x[i],
                           bounds[i]);
        // Aᵀ λ = M q'' − Q
        Real force = -equations.Q(i);
        double allowed = tape.error(equations.Q_at(i)) + u * std::abs(force.nearest());
        for (std::size_t j = 0; j < n; ++j) {
            force.give(equations.M(i, j), x[j]);
            const double mass = std::abs(equations.M(i, j).nearest());
            allowed += mass * bounds[j] +
                       (tape.error(equations.M_at(i, j)) + u * mass) * std::abs(x[j].nearest());
        }
        comparison.compare("force " + std::to_string(i), at.solution.constraint_force[to], force,
                           allowed);
    }
    if (at.solution.rank_decided && at.solution.rank != rows.size() &&
        comparison.verdict.result == Result::agreed)
        comparison.verdict = {Result::failed,
                              "rank " + std::to_string(at.solution.rank) + ", expected " +
                                  std::to_string(rows.size()),
                              1.0, 0.0};
}

/// How far the rows that follow from others are from being met, beside what they balance: 0 but for
/// rounding, or a conflict.
double mismatch(const Equations& equations, const Reals& x) {
    double worst = 0.0;
    for (std::size_t r = 0; r < equations.m(); ++r) {
        Real off = -equations.b(r);
        double size = std::abs(off.nearest()) + 1e-40;  // all may be 0
        for (std::size_t j = 0; j < equations.n(); ++j) {
            off.give(equations.A(r, j), x[j]);
            size += std::abs((equations.A(r, j) * x[j]).nearest());
        }
        worst = std::max(worst, std::abs(off.nearest()) / size);
    }
    return worst;
}

}  // namespace

Verdict check_state(const Case& one) {
    const Model model = varied(one);
    Equations equations(model);
    Point point{Real(one.t), {}, {}};
    for (const double q : model.q) point.q.emplace_back(q);
    for (const double v : model.v) point.v.emplace_back(v);
    equations.evaluate(point);
    equations.tape().bound_errors();
    const std::vector<std::size_t> rows = equations.independent();
    double weakest = 1.0;
    const auto x = equations.accelerate(rows, &weakest);
    if (!x) return {Result::unsuited, "the accelerations are not determined"};
    for (const Real& value : *x)
        if (!value.is_finite()) return {Result::unsuited, "not finite"};

    const Engine engine(model, one.plan);
    if (!engine.mechanism) return {Result::refused, engine.why};
    const Order order = order_of(model, *engine.mechanism);
    lacon::State state{one.t, std::vector<double>(model.q.size()),
                       std::vector<double>(model.q.size())};
    for (std::size_t i = 0; i < model.q.size(); ++i) {
        state.q[order.coordinate[i]] = model.q[i];
        state.v[order.coordinate[i]] = model.v[i];
    }
    const lacon::Evaluation at = engine.mechanism->evaluate(state);
    const double off = mismatch(equations, *x);
    if (at.status.outcome == lacon::Outcome::conflict && off < 1e-12)
        return {Result::failed, "a conflict where there is none: " + at.status.message};
    if (at.status && off > 1e-6) return {Result::failed, "no word of a conflict", off, 1e-6};
    if (!at.status) return {Result::refused, at.status.message};
    if (off > 1e-12) return {Result::unsuited, "a conflict near the tolerance"};
    Comparison comparison;
    compare_matrices(comparison, equations, at, order);
    compare_solution(comparison, equations, at, order, {rows, one.by_norms});
    return comparison.verdict;
}

}  // namespace hunt
