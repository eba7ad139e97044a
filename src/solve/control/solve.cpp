// Control by constraints in its order: the motion without efforts, what efforts can do, the set
// (given or decided), the efforts of the set, the motion under them.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "solve/control/decide.hpp"
#include "solve/control/set.hpp"
#include "solve/dense/matrix/finite.hpp"
#include "solve/dense/rank/dependent_rows.hpp"

namespace lacon {

using namespace solving;

namespace {

// Of N only what is read: an actuator in Gauss's measure may have anything there.
bool cost_is_finite(const ControlProblem& problem) {
    if (!problem.N) return true;
    const auto read = [&](std::size_t j) { return problem.gauss.empty() || !problem.gauss[j]; };
    for (std::size_t i = 0; i < problem.N->rows(); ++i)
        for (std::size_t j = 0; j < problem.N->cols(); ++j)
            if (read(i) && read(j) && !std::isfinite((*problem.N)(i, j))) return false;
    return true;
}

bool limits_are_intervals(const ControlProblem& problem) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < problem.F.cols(); ++j) {
        const double low = problem.low.empty() ? -infinity : problem.low[j];
        const double high = problem.high.empty() ? infinity : problem.high[j];
        if (!(low <= high) || low == infinity || high == -infinity) return false;
    }
    return true;
}

bool is_defined(const ControlProblem& problem) {
    return all_finite(problem.M) && all_finite(problem.Q) && all_finite(problem.A) &&
           all_finite(problem.b) && all_finite(problem.C) && all_finite(problem.d) &&
           all_finite(problem.F) && cost_is_finite(problem) && limits_are_intervals(problem);
}

[[maybe_unused]] bool fits(const ControlProblem& problem) {
    const std::size_t n = problem.M.rows(), k = problem.d.size(), p = problem.F.cols();
    const auto none_or = [](std::size_t size, std::size_t asked) {
        return size == 0 || size == asked;
    };
    return problem.M.cols() == n && problem.Q.size() == n && problem.b.size() == problem.A.rows() &&
           problem.C.rows() == k && (k == 0 || problem.C.cols() == n) &&
           (p == 0 || problem.F.rows() == n) && none_or(problem.sense.size(), k) &&
           (!problem.N || (problem.N->rows() == p && problem.N->cols() == p)) &&
           none_or(problem.gauss.size(), p) && none_or(problem.low.size(), p) &&
           none_or(problem.high.size(), p) &&
           (!problem.set || (problem.set->rows.size() == k && problem.set->limits.size() == p));
}

struct Attempt {
    ControlledMotion::Motion motion;
    VectorX u;
    VectorX left;  // C q'' − d (k), zero where it is met: also by a one-sided row beyond its border
    bool met = true;
};

class Answer {
public:
    Answer(const ControlProblem& problem, const ControlledMotion& motion, const Reach& reach,
           const SolveOptions& options)
        : problem_(problem), motion_(motion), reach_(reach), options_(options) {}

    ControlSolution decided() const;
    ControlSolution of_set(const ControlSet& set) const;

private:
    const ControlProblem& problem_;
    const ControlledMotion& motion_;
    const Reach& reach_;
    const SolveOptions& options_;

    int sense(Index i) const {
        return problem_.sense.empty() ? 0 : problem_.sense[static_cast<std::size_t>(i)];
    }
    Attempt attempt(EffortsOfSet& efforts) const;
    void judge(Attempt& attempt) const;
    VectorX size(const Attempt& attempt) const;
    ControlSolution report(const EffortsOfSet& efforts, const Attempt& attempt,
                           const ControlSet& set) const;
    void tell_rank(ControlSolution& solution) const;
    void tell_dependent(ControlSolution& solution, const VectorX& size, bool met) const;
};

VectorX Answer::size(const Attempt& attempt) const {
    const MatrixX C = problem_.C.rows() == 0 ? MatrixX(0, attempt.motion.acceleration.size())
                                             : to_eigen(problem_.C);
    // As for `solve`: a row cannot be met better than the whole acceleration rounds along it.
    constexpr double rounding = 100.0 * std::numeric_limits<double>::epsilon();
    const VectorX scaled = attempt.motion.acceleration.cwiseQuotient(motion_.mass.d);
    const VectorX whole = reach_.s.cwiseInverse() * (scaled.norm() * motion_.mass.condition *
                                                     rounding / options_.consistency_tol);
    const VectorX own = reach_.size + C.cwiseAbs() * attempt.motion.acceleration.cwiseAbs();
    return own.cwiseMax(whole + reach_.balanced(attempt.u));
}

// Fills `left` and `met`.
void Answer::judge(Attempt& attempt) const {
    const Index k = reach_.required();
    attempt.left = VectorX::Zero(k);
    attempt.met = true;
    const VectorX size = this->size(attempt);
    for (Index i = 0; i < k; ++i) {
        const std::span<const double> row = problem_.C.row(static_cast<std::size_t>(i));
        const double left = to_eigen(row).dot(attempt.motion.acceleration) -
                            problem_.d[static_cast<std::size_t>(i)];
        if (std::abs(left) <= options_.consistency_tol * size(i) || left * sense(i) > 0.0) continue;
        attempt.left(i) = left;
        attempt.met = false;
    }
}

// The motion under the efforts, which are refined once by what the motion itself says about bound
// rows.
Attempt Answer::attempt(EffortsOfSet& efforts) const {
    Attempt attempt;
    attempt.u = efforts.effort();
    attempt.motion = motion_.under(attempt.u);
    if (reach_.rows.rank > 0) {
        const MatrixX C = to_eigen(problem_.C);
        VectorX lacking = to_eigen(problem_.d) - C * attempt.motion.acceleration;
        // Of a single sum: with less there is nothing to refine.
        constexpr double rounding = 16.0 * std::numeric_limits<double>::epsilon();
        const VectorX size =
            rounding * (reach_.size + C.cwiseAbs() * attempt.motion.acceleration.cwiseAbs());
        if ((lacking.cwiseAbs().array() > size.array()).any()) {
            for (Index i = 0; i < lacking.size(); ++i)
                if (sense(i) < 0) lacking(i) *= -1.0;
            efforts.correct(lacking);
            attempt.u = efforts.effort();
            attempt.motion = motion_.under(attempt.u);
        }
    }
    judge(attempt);
    return attempt;
}

void Answer::tell_rank(ControlSolution& solution) const {
    solution.rank = static_cast<std::size_t>(reach_.rows.rank);
    solution.singular = reach_.rows.singular;
}

void Answer::tell_dependent(ControlSolution& solution, const VectorX& size, bool met) const {
    if (reach_.rows.unneeded.empty()) return;
    VectorX d = reach_.r;
    MatrixX B = reach_.B;
    for (Index i = 0; i < d.size(); ++i) {  // rows as given
        if (sense(i) >= 0) continue;
        d(i) *= -1.0;
        B.row(i) *= -1.0;
    }
    const Dependencies dependencies =
        find_dependencies(B, VectorX::Ones(B.cols()), reach_.rows.unneeded, options_);
    solution.dependent = sets_of(dependencies, {d, size, options_.consistency_tol}).sets;
    const auto one_sided = [&](std::size_t i) { return reach_.one_sided[i]; };
    for (DependentSet& set :
         solution.dependent)  // a mismatch of rows that may be exceeded is none by itself
        if (std::any_of(set.rows.begin(), set.rows.end(), one_sided))
            set.conflict = set.undecided = false;
    if (met) return;
    // A row may be just beyond the tolerance and its sets just within: the worst is then the one in
    // conflict.
    const auto in_conflict = [](const DependentSet& set) { return set.conflict; };
    if (std::any_of(solution.dependent.begin(), solution.dependent.end(), in_conflict)) return;
    const auto less = [](const DependentSet& x, const DependentSet& y) {
        return x.mismatch < y.mismatch;
    };
    const auto worst = std::max_element(solution.dependent.begin(), solution.dependent.end(), less);
    if (worst->mismatch > 0.0) worst->conflict = worst->undecided = true;
}

ControlSolution Answer::report(const EffortsOfSet& efforts, const Attempt& attempt,
                               const ControlSet& set) const {
    ControlSolution solution;
    tell_rank(solution);
    solution.effort = to_std(attempt.u);
    solution.acceleration = to_std(attempt.motion.acceleration);
    solution.multipliers = to_std(motion_.least_multipliers(attempt.motion, attempt.u));
    solution.shares = to_matrix(efforts.shares());
    solution.missed = to_std(attempt.left);
    solution.set = set;
    solution.cost = efforts.x.head(reach_.costly).squaredNorm() / (reach_.unit * reach_.unit);
    return solution;
}

ControlSolution Answer::of_set(const ControlSet& set) const {
    EffortsOfSet efforts(reach_, set, options_);
    const Attempt attempt = this->attempt(efforts);
    ControlSolution solution = report(efforts, attempt, set);
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
        if (set.rows[i] != ControlSet::Row::bound || solution.missed[i] == 0.0 || problem_.nearest)
            continue;
        ControlSolution lost;
        lost.outcome = Outcome::unreachable;
        lost.missed = solution.missed;
        tell_rank(lost);
        return lost;
    }
    return solution;
}

ControlSolution Answer::decided() const {
    const Decision decision = decide_set(reach_, options_);
    ControlSolution solution;
    if (!decision.converged) {
        solution.outcome = Outcome::no_convergence;
        tell_rank(solution);
        return solution;
    }
    EffortsOfSet efforts(reach_, decision.set, options_);
    const Attempt attempt = this->attempt(efforts);
    solution = report(efforts, attempt, decision.set);
    const bool allowed = attempt.met || problem_.nearest || decision.limits_forbid;
    tell_dependent(solution, size(attempt), allowed);
    if (allowed) return solution;
    ControlSolution lost;
    lost.outcome = Outcome::unreachable;
    lost.missed = std::move(solution.missed);
    lost.dependent = std::move(solution.dependent);
    tell_rank(lost);
    return lost;
}

}  // namespace

ControlSolution solve(const ControlProblem& problem, const SolveOptions& options) {
    return solve(problem, {}, options);
}

ControlSolution solving::solve(const ControlProblem& problem,
                               const ControlSurroundings& surroundings,
                               const SolveOptions& options) {
    assert(fits(problem));
    ControlSolution none;
    none.outcome = Outcome::undefined;
    if (!is_defined(problem)) return none;
    const ControlledMotion motion(problem, surroundings, options);
    none.outcome = motion.outcome;
    if (none.outcome != Outcome::ok) return none;
    const Reach reach = reach_of(problem, motion, surroundings, options);
    none.outcome = reach.outcome;
    if (none.outcome != Outcome::ok) return none;
    const Answer answer(problem, motion, reach, options);
    return problem.set ? answer.of_set(*problem.set) : answer.decided();
}

Matrix solving::control_responses(const ControlProblem& problem,
                                  const ControlSurroundings& surroundings,
                                  const SolveOptions& options) {
    assert(fits(problem));
    if (!is_defined(problem) || problem.d.empty()) return {};
    const ControlledMotion motion(problem, surroundings, options);
    if (motion.outcome != Outcome::ok) return {};
    const MatrixX C = to_eigen(problem.C);
    MatrixX T(C.rows(), static_cast<Index>(problem.F.cols()));
    for (Index j = 0; j < T.cols(); ++j) T.col(j) = C * motion.response(j);
    return to_matrix(T);
}

}  // namespace lacon
