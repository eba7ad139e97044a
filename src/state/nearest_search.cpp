// One search for a nearest point: Gauss–Newton with halved steps, then Levenberg–Marquardt; once on
// the constraints, Barzilai–Borwein steps shorten the distance to the wanted point.
#include "state/nearest_search.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "solve/dense/constrained/least_change.hpp"

namespace lacon::inline state {

namespace {

constexpr double met_tol = ResidualSize::met_tol;
// Beside the terms of its own equation: only full steps down to this.
constexpr double polished_tol = 1e-14;
constexpr int most_damped = 80;

std::vector<double> opposite(std::vector<double> r) {
    for (double& ri : r) ri = -ri;
    return r;
}

/// Whether a row is met better by half, and none worse: beside large residuals of others the
/// measure does not tell.
bool helps_a_row(const std::vector<double>& next, const std::vector<double>& before) {
    bool helps = false;
    for (std::size_t i = 0; i < next.size(); ++i) {
        if (std::abs(next[i]) > std::abs(before[i])) return false;
        helps = helps || std::abs(next[i]) < 0.5 * std::abs(before[i]);
    }
    return helps;
}

/// 1 over the length of each row.
std::vector<double> weights(const NearestSearch::Point& p) {
    std::vector<double> weight(p.r.size(), 0.0);
    for (std::size_t i = 0; i < p.r.size(); ++i) {
        for (std::size_t j = 0; j < p.x.size(); ++j) weight[i] = std::hypot(weight[i], p.A(i, j));
        weight[i] = weight[i] > 0.0 ? 1.0 / weight[i] : 1.0;
    }
    return weight;
}

double measure(const std::vector<double>& residuals, const std::vector<double>& weight) {
    double total = 0.0;
    for (std::size_t i = 0; i < residuals.size(); ++i)
        total = std::hypot(total, weight[i] * residuals[i]);
    return total;
}

std::vector<double> moved(std::vector<double> x, const std::vector<double>& d, double part) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * d[i];
    return x;
}

/// Whether a change changes nothing, as where all values are given.
bool is_none(const std::vector<double>& d) {
    return std::all_of(d.begin(), d.end(), [](double di) { return di == 0.0; });
}

double inner(const Matrix& M, const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) sum += a[i] * M(i, j) * b[j];
    return sum;
}

double length(const Matrix& M, const std::vector<double>& d) {
    return std::sqrt(std::max(0.0, inner(M, d, d)));
}

/// Whether a further step may be worth it.
bool is_open(const NearestSearch::Point& p) {
    return p.defined && (p.size > SearchLimits::aimed_tol || p.by_terms > polished_tol);
}

}  // namespace

NearestSearch::NearestSearch(const NearestProblem& problem, const SolveOptions& options)
    : problem_(problem), options_(options) {
    for (std::size_t i = 0; i < problem.wanted.size(); ++i)
        if (!problem.fixed[i]) free_.push_back(i);
}

// ---- at a point

NearestSearch::Point NearestSearch::evaluate(std::vector<double> x) const {
    Point p;
    p.x = std::move(x);
    p.defined = problem_.at(p.x, p);
    if (!p.defined) return p;
    // A coordinate that has run away counts by its own derivatives only: they vanish there, and
    // must not excuse the others.
    double extent = 0.0, usual = 1.0;
    for (const double xi : p.x) extent = std::max(extent, std::abs(xi));
    for (const double xi : problem_.wanted) usual = std::max(usual, std::abs(xi));
    // A start at zero has no size of its own: 1e-6 of the unit. Not critical.
    extent = std::max(1e-6, std::min(extent, usual));
    for (std::size_t i = 0; i < p.r.size(); ++i) {
        double values = 0.0, zeros = 0.0;
        for (std::size_t j = 0; j < p.x.size(); ++j) {
            const double value = std::abs(p.A(i, j)) * std::max(extent, std::abs(p.x[j]));
            values += value;
            if (ResidualSize::is_zero(p.x[j], extent)) zeros += value;
        }
        const ResidualSize size = ResidualSize::of(p.r[i], p.rounding[i], values, zeros);
        p.by_terms = std::max(p.by_terms, size.by_terms);
        const bool is_excused = size.is_met() && size.by_terms > met_tol && zeros > 0.0;
        p.size =
            std::max(p.size, is_excused && !vanishes(p, i, extent) ? size.by_terms : size.size);
    }
    return p;
}

/// Whether the residual of row i goes on as its derivatives say where what is almost zero
/// becomes zero: that of x = 0 does, that of log(x) = −50 at 1e−20 does not.
bool NearestSearch::vanishes(const Point& p, std::size_t i, double extent) const {
    constexpr double part = 0.1;  // of the residual. Not critical: logarithms are far from it
    std::vector<double> x = p.x;
    double expected = p.r[i];
    for (std::size_t j = 0; j < x.size(); ++j)
        if (ResidualSize::is_zero(x[j], extent) && !problem_.fixed[j]) {
            expected -= p.A(i, j) * x[j];
            x[j] = 0.0;
        }
    NearestProblem::Values there;
    if (!problem_.at(x, there)) return false;
    return std::abs(there.r[i] - expected) <= part * std::abs(p.r[i]);
}

bool NearestSearch::meets_as_well(const Point& p, const Point& other) {
    return p.defined && p.size <= met_tol && p.by_terms <= std::max(met_tol, other.by_terms);
}

double NearestSearch::left(const Point& p, const Point& by) const {
    return measure(p.r, weights(by));
}

NearestSearch::Point NearestSearch::approach(Point p, int walks) const {
    constexpr double least_part = 1e-3;
    std::vector<double> back = way_back(p);
    Walk walk(length(p.M, back), distance(p));
    Point nearest = p;
    for (int step = 0; step < walks && !walk.is_over(least_part); ++step) {
        Point next = meet(evaluate(moved(p.x, back, walk.part)));
        if (!meets_as_well(next, p) || !walk.takes(distance(next))) {
            walk.part *= 0.5;
            continue;
        }
        std::vector<double> next_back = way_back(next), moved_by(p.x.size()), turned(p.x.size());
        for (std::size_t i = 0; i < p.x.size(); ++i) {
            moved_by[i] = next.x[i] - p.x[i];
            turned[i] = back[i] - next_back[i];
        }
        const double along = inner(next.M, moved_by, turned),
                     squared = inner(next.M, moved_by, moved_by);
        walk.part = along > 0.0 ? std::clamp(squared / along, 0.1, 30.0) : 2.0 * walk.part;
        p = std::move(next);
        back = std::move(next_back);
        if (walk.note(distance(p), length(p.M, back))) nearest = p;
    }
    return nearest;
}

/// What `find` makes of M and A of the free values, for all values.
template <class Find>
std::vector<double> NearestSearch::of_free(const Point& p, const Find& find) const {
    std::vector<double> d(p.x.size(), 0.0);
    if (free_.empty()) return d;
    Matrix A(p.A.rows(), free_.size()), M(free_.size(), free_.size());
    for (std::size_t j = 0; j < free_.size(); ++j) {
        for (std::size_t i = 0; i < A.rows(); ++i) A(i, j) = p.A(i, free_[j]);
        for (std::size_t i = 0; i < free_.size(); ++i) M(i, j) = p.M(free_[i], free_[j]);
    }
    const std::vector<double> reduced = find(M, A);
    for (std::size_t j = 0; j < reduced.size(); ++j) d[free_[j]] = reduced[j];
    return d;
}

/// The same by one factorization for all changes at a point; empty where M leaves coordinates
/// undetermined.
std::vector<double> NearestSearch::by_factor(const Point& p, const Matrix& M, const Matrix& A,
                                             const std::vector<double>& r) const {
    if (!p.factor) {
        p.factor = std::make_shared<PointFactor>();
        SolveOptions quick = options_;
        if (quick.path == SolveOptions::Path::automatic) quick.path = SolveOptions::Path::ldlt;
        p.factor->usable = p.factor->of.factor(M, A, quick) == Outcome::ok;
    }
    if (!p.factor->usable) return {};
    std::vector<double> x(free_.size()), lambda(r.size());
    p.factor->of.solve({M, A, 1}, std::vector<double>(free_.size(), 0.0), r, x, lambda);
    const bool finite =
        std::all_of(x.begin(), x.end(), [](double xi) { return std::isfinite(xi); });
    return finite ? x : std::vector<double>();
}

/// Of the free values, the least change that changes the residuals by r.
std::vector<double> NearestSearch::change(const Point& p, const std::vector<double>& r,
                                          double rank_tol) const {
    SolveOptions options = options_;
    options.rank_tol = rank_tol;
    return of_free(p, [&](const Matrix& M, const Matrix& A) {
        std::vector<double> reduced =
            rank_tol == options_.rank_tol ? by_factor(p, M, A, r) : std::vector<double>();
        return reduced.empty() ? least_change(M, A, r, options) : reduced;
    });
}

// ---- onto the constraints

/// A point along a way from p, `at` a part of it, at which the residuals are smaller.
template <class At>
std::optional<NearestSearch::Point> NearestSearch::better_along(const Point& p,
                                                                const At& at) const {
    // Measured by the rows' lengths at p, the same for all trials: a measure that changes with
    // x has minima of its own.
    const std::vector<double> weight = weights(p);
    const double now = measure(p.r, weight);
    // x² = 1e22 from 1 asks for 5e21, of which 1e-11 is right.
    const double least = p.size <= SearchLimits::aimed_tol ? 0.9 : 1e-16;
    for (double part = 1.0; part > least; part *= part > 1e-6 ? 0.5 : 0.1) {
        Point next = evaluate(at(part));
        if (next.defined && (measure(next.r, weight) < now || helps_a_row(next.r, p.r)))
            return next;
    }
    return std::nullopt;
}

/// A point along the Gauss–Newton step at which the residuals are smaller.
std::optional<NearestSearch::Point> NearestSearch::better(const Point& p, double rank_tol) const {
    const std::vector<double> d = change(p, opposite(p.r), rank_tol);
    if (is_none(d)) return std::nullopt;
    return better_along(p, [&](double part) { return moved(p.x, d, part); });
}

/// As `better`, where each value changes by parts of itself and keeps its sign. Where log(x) is
/// −50 its row is 1e22 long, and beside it `y = log(x)/2` would say nothing of y.
std::optional<NearestSearch::Point> NearestSearch::better_by_parts(const Point& p) const {
    std::vector<double> sizes(free_.size(), 1.0);
    for (std::size_t j = 0; j < sizes.size(); ++j)
        if (p.x[free_[j]] != 0.0) sizes[j] = std::abs(p.x[free_[j]]);
    const std::vector<double> d = of_free(p, [&](Matrix M, Matrix A) {
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            for (std::size_t i = 0; i < A.rows(); ++i) A(i, j) *= sizes[j];
            for (std::size_t i = 0; i < sizes.size(); ++i) M(i, j) = i == j ? 1.0 : 0.0;
        }
        std::vector<double> parts = least_change(M, A, opposite(p.r), options_);
        for (std::size_t j = 0; j < parts.size(); ++j) parts[j] *= sizes[j];
        return parts;
    });
    if (is_none(d)) return std::nullopt;
    return better_along(p, [&](double part) {
        std::vector<double> x = p.x;
        for (std::size_t j = 0; j < x.size(); ++j)
            x[j] = x[j] * d[j] < 0.0 ? x[j] * std::exp(part * d[j] / x[j]) : x[j] + part * d[j];
        return x;
    });
}

NearestSearch::Point NearestSearch::meet(Point p) const {
    // exp(x) = 1e-300 is met by 691 steps from 0, each of which helps by a factor; log(x) =
    // −700 by 470 from 1, each of which takes as much away.
    bool fast = false;
    const double enough = largest(p.r) / SearchLimits::most_fast_steps;
    for (int step = 0;
         (step < SearchLimits::most_steps || (fast && step < SearchLimits::most_fast_steps)) &&
         is_open(p);
         ++step) {
        std::optional<Point> next = better(p, options_.rank_tol);
        for (const double coarse : {1e-2, 0.5})
            if (!next && p.size > met_tol) next = better(p, coarse);
        if (!next && p.size > met_tol) next = better_by_parts(p);
        if (!next) break;
        const std::vector<double> weight = weights(p);
        fast = measure(next->r, weight) < 0.5 * measure(p.r, weight) ||
               largest(p.r) - largest(next->r) > enough;
        p = std::move(*next);
    }
    return p;
}

NearestSearch::Point NearestSearch::descend(Point p) const {
    if (!p.defined) return p;
    const std::vector<double> weight = weights(p);
    // Levenberg–Marquardt: damping grows by 4 at a step that does not help and falls by 5 at
    // one that does, from 1e-2 of the metric, within 1e-12 and 1e10; eight steps that gain less
    // than 1 % are enough. Not critical.
    double now = measure(p.r, weight), damping = 1e-2;
    int slow = 0;
    for (int step = 0; step < most_damped && p.size > met_tol && damping < 1e10 && slow < 8;
         ++step) {
        std::vector<double> wanted(p.r);
        for (double& ri : wanted) ri = -ri;
        Point next = evaluate(
            moved(p.x,
                  of_free(p, [&](const Matrix& M,
                                 const Matrix& A) { return damped_change(M, A, wanted, damping); }),
                  1.0));
        const double then = next.defined ? measure(next.r, weight) : now;
        if (!(then < now)) {
            damping *= 4.0;
            continue;
        }
        slow = then > 0.99 * now ? slow + 1 : 0;
        damping = std::max(0.2 * damping, 1e-12);
        p = std::move(next);
        now = then;
    }
    return meet(std::move(p));
}

NearestSearch::Point NearestSearch::search_from(const std::vector<double>& x) const {
    const Point begin = evaluate(x);
    Point p = meet(begin);
    if (p.defined && p.size <= met_tol) return p;
    Point other = descend(begin);
    return other.defined && (other.size <= met_tol || !p.defined) ? other : p;
}

std::vector<double> NearestSearch::beside(std::vector<double> x, std::mt19937_64& random,
                                          double reach) const {
    std::uniform_real_distribution<double> uniform(-reach, reach);
    for (const std::size_t i : free_) x[i] += uniform(random);
    return x;
}

double NearestSearch::extent(const Point& p) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < p.x.size(); ++i)
        largest = std::max({largest, std::abs(p.x[i]), std::abs(p.x[i] - problem_.wanted[i])});
    return largest;
}

double NearestSearch::distance(const Point& p) const {
    std::vector<double> d(p.x.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = p.x[i] - problem_.wanted[i];
    return length(p.M, d);
}

/// Minus the part of the displacement from the wanted point that does not change the residuals.
std::vector<double> NearestSearch::way_back(const Point& p) const {
    std::vector<double> needed(p.r.size(), 0.0);
    for (std::size_t i = 0; i < p.r.size(); ++i)
        for (const std::size_t j : free_) needed[i] += p.A(i, j) * (p.x[j] - problem_.wanted[j]);
    std::vector<double> back = change(p, needed, options_.rank_tol);
    for (const std::size_t j : free_) back[j] -= p.x[j] - problem_.wanted[j];
    return back;
}

}  // namespace lacon::state
