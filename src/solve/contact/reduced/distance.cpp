// The dual method of Goldfarb & Idnani (1983) for min ½|y|², Pᵀ y ≥ g. Between its steps y is the
// shortest vector that meets the working rows as equations, with forces f ≥ 0:
//     row i is violated:  p_i = P_set r + z,   y += t z,  f_set −= t r,  f_i += t
// until the row is met (it joins the set) or a force vanishes (that row leaves, and the way goes
// on). Where z = 0 the row depends on the set; when moreover no force of the set can shrink, Σ r_j
// p_j = p_i with r ≤ 0 shows that the rows exclude each other.
#include "solve/contact/reduced/distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/contact/reduced/rows.hpp"

namespace lacon::solving::inline contact {

namespace {

constexpr double met_tol = 1e-12;     // a row violated by less than this of its size is met
constexpr double zero_force = 1e-12;  // of the largest force, each by the length of its row
constexpr double zero_share = 1e-10;  // of the largest coefficient of a dependent row
constexpr double infinite = std::numeric_limits<double>::infinity();

class Descent {
public:
    explicit Descent(const DistanceProblem& problem)
        : problem_(problem),
          set_(problem.P, problem.rank_tol),
          y_(VectorX::Zero(problem.P.rows())) {
        length_ = problem.P.colwise().norm();
    }

    void begin(std::span<const Index> rows) {
        for (const Index i : rows) set_.add(i);
        shed();
    }
    void begin_in_blocks();
    DistanceSolution run();

private:
    void solve_set();
    void shed();
    void drop_zero_forces();
    VectorX relative_clearances() const;
    std::vector<Index> violated() const;
    Index most_violated() const;
    bool meet(Index i, DistanceSolution& solution);
    VectorX goals() const;

    const DistanceProblem& problem_;
    IndependentRows set_;
    VectorX y_, f_;  // f (members)
    VectorX length_;
    std::vector<bool> excused_ =
        std::vector<bool>(static_cast<std::size_t>(problem_.P.cols()), false);
};

VectorX Descent::goals() const {
    VectorX g(set_.count());
    for (Index k = 0; k < set_.count(); ++k) g(k) = problem_.g(set_.members()[k]);
    return g;
}

void Descent::solve_set() {
    y_ = set_.least_norm(goals());
    f_ = set_.forces(y_);
}

// Takes out rows that would have to pull until all of the set push. Every set is a start that way.
void Descent::shed() {
    for (;;) {
        solve_set();
        bool any = false;
        for (Index k = set_.count() - 1; k >= 0; --k) {
            if (f_(k) > 0.0) continue;
            set_.remove(k);
            any = true;
        }
        if (!any) return;
    }
}

VectorX Descent::relative_clearances() const {
    return clearance(problem_, y_)
        .cwiseQuotient(
            (problem_.size + length_ * y_.norm()).cwiseMax(std::numeric_limits<double>::min()));
}

/// −1 where all are met.
Index Descent::most_violated() const {
    const VectorX relative = relative_clearances();
    Index most = -1;
    for (Index i = 0; i < relative.size(); ++i)
        if (relative(i) < (most < 0 ? -met_tol : relative(most)) && !excused_[i]) most = i;
    return most;
}

std::vector<Index> Descent::violated() const {
    const VectorX relative = relative_clearances();
    std::vector<Index> rows;
    for (Index i = 0; i < relative.size(); ++i) {
        if (relative(i) < -met_tol && !excused_[i]) rows.push_back(i);
    }
    std::sort(rows.begin(), rows.end(),
              [&](Index i, Index j) { return relative(i) < relative(j); });
    return rows;
}

// The length of y must grow, else the single steps take over: they alone are sure to end.
void Descent::begin_in_blocks() {
    constexpr int rounds = 30;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<Index> more = violated(), before = set_.members();
        if (more.size() <= 1) return;
        const double distance = y_.norm();
        for (const Index i : more) set_.add(i);
        shed();
        // Longer by more than rounding: the set is better than the one before.
        if (y_.norm() > distance * (1.0 + 1e-9)) continue;
        set_.clear();
        for (const Index i : before) set_.add(i);
        solve_set();
        return;
    }
}

// Brings row i into the set; false where that cannot be.
bool Descent::meet(Index i, DistanceSolution& solution) {
    const VectorX p = problem_.P.col(i);
    for (bool first = true;; first = false) {
        const IndependentRows::Parts parts = set_.parts(p);
        const double missing = problem_.g(i) - p.dot(y_);
        if (parts.depends && first &&
            missing <= problem_.consistency_tol * (problem_.size(i) + length_(i) * y_.norm())) {
            excused_[i] = true;
            return true;
        }
        const double least =
            zero_share *
            std::max(1.0, parts.along.size() > 0 ? parts.along.cwiseAbs().maxCoeff() : 0.0);
        double step = infinite;
        Index leaving = -1;
        for (Index k = 0; k < set_.count(); ++k) {
            if (parts.along(k) * length_(set_.members()[k]) <= least * length_(i)) continue;
            const double until = std::max(f_(k), 0.0) / parts.along(k);
            if (until >= step) continue;
            step = until;
            leaving = k;
        }
        const double to_meet = parts.depends ? infinite : missing / parts.off.squaredNorm();
        if (leaving < 0 && parts.depends) {
            solution.concerned = {i};
            for (Index k = 0; k < set_.count(); ++k) {
                if (parts.along(k) * length_(set_.members()[k]) < -least * length_(i))
                    solution.concerned.push_back(set_.members()[k]);
            }
            std::sort(solution.concerned.begin(), solution.concerned.end());
            return false;
        }
        if (to_meet <= step) {
            set_.add(i, parts);
            solve_set();
            std::fill(excused_.begin(), excused_.end(), false);
            return true;
        }
        f_ -= step * parts.along;
        if (!parts.depends) y_ += step * parts.off;
        VectorX rest(f_.size() - 1);
        rest << f_.head(leaving), f_.tail(f_.size() - 1 - leaving);
        f_ = rest;
        set_.remove(leaving);
    }
}

// A row that is tight without pressing is not needed.
void Descent::drop_zero_forces() {
    double largest = 0.0;
    for (Index k = 0; k < set_.count(); ++k)
        largest = std::max(largest, f_(k) * length_(set_.members()[k]));
    bool any = false;
    for (Index k = set_.count() - 1; k >= 0; --k) {
        if (f_(k) * length_(set_.members()[k]) > zero_force * largest) continue;
        set_.remove(k);
        any = true;
    }
    if (any) solve_set();
}

DistanceSolution Descent::run() {
    DistanceSolution solution;
    // Finite in exact numbers; the limit is for rounding alone.
    const Index limit = 100 + 20 * problem_.P.cols();
    for (Index step = 0; step < limit; ++step) {
        const Index row = most_violated();
        if (row < 0) break;
        if (!meet(row, solution)) {
            solution.conflict = true;
            return solution;
        }
    }
    drop_zero_forces();
    solution.y = y_;
    solution.f = VectorX::Zero(problem_.P.cols());
    solution.working = set_.members();
    for (Index k = 0; k < set_.count(); ++k) solution.f(set_.members()[k]) = f_(k);
    return solution;
}

}  // namespace

VectorX clearance(const DistanceProblem& problem, const VectorX& y) {
    return problem.P.transpose() * y - problem.g;
}

double relative_clearance(const DistanceProblem& problem, const VectorX& y, Index i) {
    const double size = problem.size(i) + problem.P.col(i).norm() * y.norm();
    const double u = problem.P.col(i).dot(y) - problem.g(i);
    return size > 0.0 ? u / size : 0.0;
}

DistanceSolution least_distance(const DistanceProblem& problem, std::span<const Index> begin_with) {
    Descent descent(problem);
    descent.begin(begin_with);
    if (begin_with.empty()) descent.begin_in_blocks();
    return descent.run();
}

}  // namespace lacon::solving::contact
