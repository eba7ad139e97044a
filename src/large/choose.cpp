// For a run it compares estimated times of a step: 30 ns (n + m)³ dense, 2 µs an element sparse.
// Small systems are dense, and so are models with features that the sparse solve does not have.
#include "large/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"
#include "large/motion/field.hpp"
#include "large/sparse_backend.hpp"
#include "state/verdict.hpp"

namespace lacon::inline large {

namespace {

constexpr double most_for_state =
    1e6;  // numbers in a dense M or A: a complete decomposition takes some tenths of a second

double dense_numbers(const DerivedModel& details) {
    const auto n = static_cast<double>(details.system.coordinate_count),
               m = static_cast<double>(details.system.row_count());
    return n * std::max(n, m);
}

/// Dense, or refused where that is too large.
SolverChoice dense(const DerivedModel& details, const std::string& why) {
    SolverChoice choice{false, why, size_status(details)};
    if (!choice.refused) choice.refused.message += fmt::format("; {}", why);
    return choice;
}

std::string cannot(const std::string& what) {
    return fmt::format("the sparse solver does not support {} yet", what);
}

}  // namespace

SolverChoice choose_solver(const DerivedModel& details, Named<Solver> asked) {
    if (asked == Solver::dense) return dense(details, "as requested");
    const bool wanted = asked == Solver::sparse;
    if (!wanted && dense_numbers(details) <= most_for_state)
        return dense(details, "the system is small");
    const std::string what = why_not_large(details);
    if (!what.empty() && wanted) throw std::invalid_argument(cannot(what));
    if (!what.empty()) return dense(details, cannot(what));
    return {true, wanted ? "as requested" : "the system is large", {}};
}

namespace {

SolverChoice choice_of(const DerivedModel& details, const RunPlan& plan, double dense_seconds) {
    const Solver asked = plan.options.solver;
    if (asked == Solver::dense) return dense(details, "as requested");
    constexpr std::size_t fewest =
        120;  // unknowns: below, whole steps are compiled as straight-line code
    if (asked != Solver::sparse &&
        details.system.coordinate_count + details.system.row_count() <= fewest)
        return dense(details, "the system is small");
    std::string what = why_not_large(details);
    if (what.empty() && plan.options.diagnose &&
        !sparse_capabilities.has(Capability::condition_watch))
        what = text_of(Capability::condition_watch);
    if (what.empty() && plan.method != MethodKind::automatic && plan.method != MethodKind::taylor &&
        !sparse_capabilities.has(Capability::all_methods))
        what = fmt::format("the method '{}'", name_of(plan.method));
    if (!what.empty() && asked == Solver::sparse) throw std::invalid_argument(cannot(what));
    if (!what.empty()) return dense(details, cannot(what));
    if (asked == Solver::sparse) return {true, "as requested", {}};
    // For each element, as the comment of choose_solver says. Not critical: near the border both
    // solvers cost the same.
    const double sparse_seconds = 2e-6 * static_cast<double>(details.system.elements.size());
    const std::string figures = fmt::format("a step is estimated to take {} s sparse, {} s dense",
                                            rounded(sparse_seconds, 2), rounded(dense_seconds, 2));
    if (sparse_seconds < dense_seconds) return {true, figures, {}};
    return dense(details, figures);
}

}  // namespace

/// A dense step is interpreted at this size: a complete decomposition, some 30 ns times (n + m)³,
/// as chains of 45 to 80 links take. A sparse one goes through the elements order by order: they
/// take 1 to 2 µs each.
SolverChoice choose_solver(const DerivedModel& details, const RunPlan& plan) {
    const auto unknowns =
        static_cast<double>(details.system.coordinate_count + details.system.row_count());
    const double dense_seconds = 30e-9 * unknowns * unknowns * unknowns;
    SolverChoice choice = choice_of(details, plan, dense_seconds);
    choice.dense_seconds = dense_seconds;
    return choice;
}

}  // namespace lacon::large
