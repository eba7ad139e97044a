// The constrained problem of theory 1, judged and solved: M first, then the rank and consistency of
// A q'' = b, then the motion.
#include "lacon/solve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "solve/dense/constrained/parts.hpp"

namespace lacon {

namespace {

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool all_finite(MatrixView A) {
    return all_finite(A.values());
}

solving::Given eigen_forms(const ConstrainedProblem& problem) {
    const solving::Index n = static_cast<solving::Index>(problem.M.rows());
    solving::Given given;
    given.Q = solving::to_eigen(problem.Q);
    given.A = problem.A.rows() == 0 ? solving::MatrixX(0, n) : solving::to_eigen(problem.A);
    given.b = solving::to_eigen(problem.b);
    given.c = problem.c.empty() ? solving::VectorX::Zero(n) : solving::to_eigen(problem.c);
    // Equal weights are none: the same bits as without.
    const auto differs = [&](double weight) { return weight != problem.weight.front(); };
    if (std::any_of(problem.weight.begin(), problem.weight.end(), differs))
        given.weight = solving::to_eigen(problem.weight);
    return given;
}

}  // namespace

std::string_view name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::ok: return "ok";
        case Outcome::conflict: return "conflict";
        case Outcome::unreachable: return "unreachable";
        case Outcome::undetermined: return "undetermined";
        case Outcome::indefinite: return "indefinite";
        case Outcome::undefined: return "undefined";
        case Outcome::no_start: return "no_start";
        case Outcome::too_large: return "too_large";
        case Outcome::lost_rank: return "lost_rank";
        case Outcome::no_convergence: return "no_convergence";
        case Outcome::no_force: return "no_force";
        case Outcome::several: return "several";
        case Outcome::unproven: return "unproven";
        case Outcome::interrupted: return "interrupted";
    }
    return "unknown";
}

ConstrainedSolution solve(const ConstrainedProblem& problem, const SolveOptions& options) {
    assert(problem.M.rows() == problem.M.cols() && problem.Q.size() == problem.M.rows());
    assert(problem.b.size() == problem.A.rows() &&
           (problem.A.rows() == 0 || problem.A.cols() == problem.M.rows()));
    assert(problem.c.empty() || problem.c.size() == problem.Q.size());
    assert(problem.weight.empty() || problem.weight.size() == problem.A.rows());
    assert(std::all_of(problem.weight.begin(), problem.weight.end(),
                       [](double w) { return w > 0.0 && std::isfinite(w); }));

    ConstrainedSolution none;
    none.gaussian = std::numeric_limits<double>::quiet_NaN();
    if (!all_finite(problem.M) || !all_finite(problem.Q) || !all_finite(problem.A) ||
        !all_finite(problem.b) || !all_finite(problem.c)) {
        none.outcome = Outcome::undefined;
        return none;
    }
    const solving::Given given = eigen_forms(problem);
    const solving::MassMetric mass = solving::measure(solving::to_eigen(problem.M));
    switch (mass.kind) {
        case solving::MassMetric::Kind::definite:
            return solving::solve_definite(given, mass, options);
        case solving::MassMetric::Kind::semidefinite:
            return solving::solve_semidefinite(given, mass, options);
        case solving::MassMetric::Kind::indefinite: break;
    }
    none.outcome = Outcome::indefinite;
    none.indefinite_row = static_cast<std::size_t>(mass.row);
    none.indefinite_col = static_cast<std::size_t>(mass.col);
    return none;
}

}  // namespace lacon
