// Gauss–Newton with halved steps, then Levenberg–Marquardt, then random restarts. Once on the
// constraints, Barzilai–Borwein steps shorten the distance to the wanted point; small random pushes
// get it off ridges of symmetry.
#include "state/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>

#include "base/numbers.hpp"
#include "expr/rounded.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"
#include "solve/dense/constrained/least_change.hpp"
#include "state/start_search.hpp"

namespace lacon::inline state {

namespace {

constexpr double met_tol = ResidualSize::met_tol;
// Beside the terms of its own equation: only full steps down to this.
constexpr double polished_tol = 1e-14;
constexpr int most_restarts = 24;
constexpr int most_pushes = 2;
constexpr int most_damped = 80;
constexpr int block = 6;  // searches between two looks at whether one has succeeded

/// How many searches more are made before the search is given up: fewer where each costs more.
int most_more_restarts(std::size_t unknowns) {
    return unknowns <= 12    ? 40 * block
           : unknowns <= 30  ? 20 * block
           : unknowns <= 100 ? 6 * block
                             : block;
}

class Search {
public:
    Search(const NearestProblem& problem, const SolveOptions& options)
        : problem_(problem), options_(options) {
        for (std::size_t i = 0; i < problem.wanted.size(); ++i)
            if (!problem.fixed[i]) free_.push_back(i);
    }

    /// M and A of the free values at a point, factored; not usable where M leaves coordinates
    /// undetermined.
    struct PointFactor {
        ConstrainedFactor of;
        bool usable = false;
    };

    /// A point with its residuals; `size` is the largest scaled residual, `by_terms` the largest
    /// beside the terms of its own equation.
    struct Point : NearestProblem::Values {
        std::vector<double> x;
        double size = 0.0, by_terms = 0.0;
        bool defined = false;
        mutable std::shared_ptr<PointFactor> factor;  // made when first needed
    };

    Point evaluate(std::vector<double> x) const {
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
    bool vanishes(const Point& p, std::size_t i, double extent) const {
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

    /// Gauss–Newton with halved steps until the residuals are met or no step helps. Where rows grow
    /// nearly parallel a full step runs away; then directions are dropped, by coarser rank
    /// tolerances, down to the best compromise.
    Point meet(Point p) const {
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
            if (!next && p.size > met_tol) next = better_along(p, relative_change(p));
            if (!next) break;
            const std::vector<double> weight = weights(p);
            fast = measure(next->r, weight) < 0.5 * measure(p.r, weight) ||
                   largest(p.r) - largest(next->r) > enough;
            p = std::move(*next);
        }
        return p;
    }

    /// Whether a point may take the place of another that meets the residuals.
    static bool meets_as_well(const Point& p, const Point& other) {
        return p.defined && p.size <= met_tol && p.by_terms <= std::max(met_tol, other.by_terms);
    }
    /// Whether a further step may be worth it.
    static bool is_open(const Point& p) {
        return p.defined && (p.size > SearchLimits::aimed_tol || p.by_terms > polished_tol);
    }

    /// The same by damped steps, which get round where Gauss–Newton steps run away or lead to a
    /// dead end.
    Point descend(Point p) const {
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
            Point next = evaluate(moved(
                p.x,
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

    /// By either.
    Point search_from(const std::vector<double>& x) const {
        const Point begin = evaluate(x);
        Point p = meet(begin);
        if (p.defined && p.size <= met_tol) return p;
        Point other = descend(begin);
        return other.defined && (other.size <= met_tol || !p.defined) ? other : p;
    }

    /// What is left of the residuals, by the lengths of the rows at another point.
    double left(const Point& p, const Point& by) const { return measure(p.r, weights(by)); }

    /// From a point that meets the residuals towards the nearest one (Walk). Steps have the length
    /// of Barzilai and Borwein, from how the gradient changed over the last one.
    Point approach(Point p, int walks = SearchLimits::most_walks) const {
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
            std::vector<double> next_back = way_back(next), moved_by(p.x.size()),
                                turned(p.x.size());
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

    std::vector<double> beside(std::vector<double> x, std::mt19937_64& random, double reach) const {
        std::uniform_real_distribution<double> uniform(-reach, reach);
        for (const std::size_t i : free_) x[i] += uniform(random);
        return x;
    }

    /// The larger of the point's coordinates and its displacement: a length to measure a small push
    /// by.
    double extent(const Point& p) const {
        double largest = 0.0;
        for (std::size_t i = 0; i < p.x.size(); ++i)
            largest = std::max({largest, std::abs(p.x[i]), std::abs(p.x[i] - problem_.wanted[i])});
        return largest;
    }

    double distance(const Point& p) const {
        std::vector<double> d(p.x.size());
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = p.x[i] - problem_.wanted[i];
        return length(p.M, d);
    }

private:
    /// A point along the Gauss–Newton step at which the residuals are smaller.
    std::optional<Point> better(const Point& p, double rank_tol) const {
        return better_along(p, change(p, opposite(p.r), rank_tol));
    }
    static std::vector<double> opposite(std::vector<double> r) {
        for (double& ri : r) ri = -ri;
        return r;
    }
    /// As `change`, where each value moves by parts of itself. Where log(x) is −50 its row is 1e22
    /// long, and beside it `y = log(x)/2` would say nothing of y.
    std::vector<double> relative_change(const Point& p) const {
        return of_free(p, [&](Matrix M, Matrix A) {
            std::vector<double> sizes(free_.size());
            for (std::size_t j = 0; j < sizes.size(); ++j) {
                const double size = std::abs(p.x[free_[j]]);
                sizes[j] = size > 0.0 ? size : 1.0;
                for (std::size_t i = 0; i < A.rows(); ++i) A(i, j) *= sizes[j];
                for (std::size_t i = 0; i < sizes.size(); ++i) M(i, j) = i == j ? 1.0 : 0.0;
            }
            std::vector<double> d = least_change(M, A, opposite(p.r), options_);
            for (std::size_t j = 0; j < d.size(); ++j) d[j] *= sizes[j];
            return d;
        });
    }
    /// A point along this change of p at which the residuals are smaller.
    std::optional<Point> better_along(const Point& p, const std::vector<double>& d) const {
        // Measured by the rows' lengths at p, the same for all trials: a measure that changes with
        // x has minima of its own.
        const std::vector<double> weight = weights(p);
        const double now = measure(p.r, weight);
        // x² = 1e22 from 1 asks for 5e21, of which 1e-11 is right.
        const double least = p.size <= SearchLimits::aimed_tol ? 0.9 : 1e-16;
        for (double part = 1.0; part > least; part *= part > 1e-6 ? 0.5 : 0.1) {
            Point next = evaluate(moved(p.x, d, part));
            if (next.defined && (measure(next.r, weight) < now || helps_a_row(next.r, p.r)))
                return next;
        }
        return std::nullopt;
    }

    /// Whether a row is met better by half, and none worse: beside large residuals of others the
    /// measure does not tell.
    static bool helps_a_row(const std::vector<double>& next, const std::vector<double>& before) {
        bool helps = false;
        for (std::size_t i = 0; i < next.size(); ++i) {
            if (std::abs(next[i]) > std::abs(before[i])) return false;
            helps = helps || std::abs(next[i]) < 0.5 * std::abs(before[i]);
        }
        return helps;
    }

    /// 1 over the length of each row.
    static std::vector<double> weights(const Point& p) {
        std::vector<double> weight(p.r.size(), 0.0);
        for (std::size_t i = 0; i < p.r.size(); ++i) {
            for (std::size_t j = 0; j < p.x.size(); ++j)
                weight[i] = std::hypot(weight[i], p.A(i, j));
            weight[i] = weight[i] > 0.0 ? 1.0 / weight[i] : 1.0;
        }
        return weight;
    }
    static double measure(const std::vector<double>& residuals, const std::vector<double>& weight) {
        double total = 0.0;
        for (std::size_t i = 0; i < residuals.size(); ++i)
            total = std::hypot(total, weight[i] * residuals[i]);
        return total;
    }

    /// Minus the part of the displacement from the wanted point that does not change the residuals.
    std::vector<double> way_back(const Point& p) const {
        std::vector<double> needed(p.r.size(), 0.0);
        for (std::size_t i = 0; i < p.r.size(); ++i)
            for (const std::size_t j : free_)
                needed[i] += p.A(i, j) * (p.x[j] - problem_.wanted[j]);
        std::vector<double> back = change(p, needed, options_.rank_tol);
        for (const std::size_t j : free_) back[j] -= p.x[j] - problem_.wanted[j];
        return back;
    }

    /// Of the free values, the least change that changes the residuals by r.
    std::vector<double> change(const Point& p, const std::vector<double>& r,
                               double rank_tol) const {
        SolveOptions options = options_;
        options.rank_tol = rank_tol;
        return of_free(p, [&](const Matrix& M, const Matrix& A) {
            std::vector<double> reduced =
                rank_tol == options_.rank_tol ? by_factor(p, M, A, r) : std::vector<double>();
            return reduced.empty() ? least_change(M, A, r, options) : reduced;
        });
    }

    /// What `find` makes of M and A of the free values, for all values.
    template <class Find>
    std::vector<double> of_free(const Point& p, const Find& find) const {
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
    std::vector<double> by_factor(const Point& p, const Matrix& M, const Matrix& A,
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

    static std::vector<double> moved(std::vector<double> x, const std::vector<double>& d,
                                     double part) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * d[i];
        return x;
    }

    static double inner(const Matrix& M, const std::vector<double>& a,
                        const std::vector<double>& b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = 0; j < b.size(); ++j) sum += a[i] * M(i, j) * b[j];
        return sum;
    }
    static double length(const Matrix& M, const std::vector<double>& d) {
        return std::sqrt(std::max(0.0, inner(M, d, d)));
    }

    const NearestProblem& problem_;
    const SolveOptions& options_;
    std::vector<std::size_t> free_;
};

}  // namespace

namespace {

/// Searches from points beside the wanted one, where that is a dead end or nowhere.
class Restarts {
public:
    Restarts(const Search& search, const NearestProblem& problem, const SolveOptions& options,
             Search::Point first)
        : best(std::move(first)), search_(search), problem_(problem), random_(options.seed) {
        for (const double x : problem.wanted) extent_ = std::max(extent_, std::abs(x));
        if (!(extent_ > 0.0)) extent_ = 1.0;
    }

    void run() {
        if (std::find(problem_.fixed.begin(), problem_.fixed.end(), false) == problem_.fixed.end())
            return;
        // 1e-3 to some powers of ten of the extent, a block of attempts each.
        for (int trial = 0; trial < most_restarts && !(met && trial % block == 0); ++trial)
            from_beside(extent_ * std::pow(10.0, trial / block - 3));
        if (met || (problem_.is_hopeless && problem_.is_hopeless())) return;
        // Lengths of the problem itself: where the best point lies, and how far Newton's step leads
        // from the guesses.
        const double lengths[] = {extent_, found_extent(), std::max(1.0, extent_)};
        const int most = most_more_restarts(problem_.wanted.size() + best.r.size());
        // 1/10 to 10 times each length, in steps of √10.
        for (int trial = 0; trial < most && !(met && trial % block == 0); ++trial)
            from_beside(lengths[trial % 3] * std::pow(10.0, 0.5 * (trial / 3 % 5) - 1.0));
    }

    Search::Point best;
    bool met = false;
    int searches = 1;
    double reach = 0.0;

private:
    void from_beside(double far) {
        ++searches;
        reach = std::max(reach, far);
        Search::Point p = search_.search_from(search_.beside(problem_.wanted, random_, far));
        if (!p.defined) return;
        const bool success = p.size <= met_tol;
        if (success) p = search_.approach(std::move(p));
        // A tenth better, lest points of equal worth replace each other.
        const bool better = success        ? !met || search_.distance(p) < search_.distance(best)
                            : met          ? false
                            : best.defined ? search_.left(p, best) < 0.9 * search_.left(best, best)
                                           : true;
        if (better) best = std::move(p);
        met = met || success;
    }

    double found_extent() const {
        double size = 0.0;
        for (std::size_t i = 0; i < best.x.size(); ++i)
            size = std::max(size, std::abs(best.x[i] - problem_.wanted[i]));
        return std::isfinite(size) && size > 0.0 ? size : extent_;
    }

    const Search& search_;
    const NearestProblem& problem_;
    std::mt19937_64 random_;
    double extent_ = 0.0;
};

}  // namespace

void residual_rounding(const DerivedModel& details, const State& state, Residuals& out) {
    const System& system = details.system;
    std::vector<Rounded> inputs, slots, outputs;
    out.value.assign(system.row_count(), 0.0);
    out.velocity.assign(system.row_count(), 0.0);
    for (const Element& element : system.elements) {
        const Shape& shape = system.shapes[element.shape];
        const Program& program = shape.residuals_program;
        if (program.output_count() == 0) continue;
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        const auto row = static_cast<std::size_t>(element.row);
        inputs.clear();
        for (std::size_t i = 0; i < shape.coordinates; ++i)
            inputs.push_back(Rounded::input(state.q[leaf[i]]));
        for (std::size_t i = 0; i < shape.coordinates; ++i)
            inputs.push_back(Rounded::input(state.v[leaf[i]]));
        for (std::size_t i = 0; i < shape.parameters; ++i)
            inputs.push_back(Rounded::input(details.parameters[leaf[shape.coordinates + i]]));
        inputs.push_back(Rounded::input(state.t));
        slots.resize(program.slot_count());
        outputs.resize(program.output_count());
        program.run<Rounded>(inputs, slots, outputs);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            const bool is_value = shape.residuals.entries[o].target == Entry::Target::residual;
            (is_value ? out.value : out.velocity)[row] += outputs[o].error;
        }
    }
}

ResidualSize ResidualSize::of(double r, double rounding, double values, double zeros) {
    constexpr double unit = Rounded::unit;
    constexpr double rounded = 4.0;  // first-order bounds, of elementary functions right to 1 unit
    constexpr double last_places = 64.0;  // of the extent: what steps leave of a value that is zero
    constexpr double near = 1e-3;  // beyond, a large bound is no excuse: it may be all cancellation
    const bool is_known = std::isfinite(rounding) && rounding > 0.0;
    ResidualSize size;
    size.by_values = std::abs(r) / (values > 0.0 ? values : 1.0);
    size.by_terms = is_known ? std::abs(r) * (unit / rounding) : 0.0;
    size.size = std::abs(r) <= last_places * unit * zeros ? size.by_values
                                                          : std::max(size.by_values, size.by_terms);
    if (is_known && std::abs(r) <= rounded * rounding && size.by_values <= near)
        size.size = std::min(size.size, met_tol);
    return size;
}

NearestPoint nearest_point(const NearestProblem& problem, const SolveOptions& options) {
    const Search search(problem, options);
    Search::Point best = search.search_from(problem.wanted);
    const auto result = [](bool met, Search::Point p, int searches, double reach) {
        return NearestPoint{met,      p.defined, std::move(p.x), std::move(p.r), std::move(p.A),
                            searches, reach};
    };
    if (!best.defined || best.size > met_tol) {
        Restarts restarts(search, problem, options, std::move(best));
        restarts.run();
        return result(restarts.met, std::move(restarts.best), restarts.searches, restarts.reach);
    }
    best = search.approach(std::move(best));
    // The way may have led to a ridge: a point from which all others near it are nearer, as guesses
    // on an axis of symmetry do.
    const double way = search.distance(best);
    std::mt19937_64 random(options.seed);
    for (int push = 0; push < most_pushes && way > 0.0; ++push) {
        // 1e-3 of the extent: far enough to leave a ridge, near enough to stay with this solution.
        Search::Point p =
            search.meet(search.evaluate(search.beside(best.x, random, 1e-3 * search.extent(best))));
        if (!Search::meets_as_well(p, best)) continue;
        constexpr int few_walks = 12;  // enough to tell a ridge, from which every way leads nearer
        p = search.approach(std::move(p), few_walks);
        // Nearer by more than rounding.
        if (search.distance(p) < (1.0 - 1e-9) * search.distance(best))
            best = search.approach(std::move(p));
    }
    return result(true, std::move(best), 1, 0.0);
}

}  // namespace lacon::state
