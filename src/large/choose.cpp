#include "large/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"
#include "large/field.hpp"
#include "motion/verdict.hpp"

namespace lacon {

namespace {

constexpr double most_for_state = 1e6;  // numbers in a dense M or A: a complete decomposition takes some tenths of a second

double dense_numbers(const SystemDetails& details) {
    const auto n = static_cast<double>(details.system.coordinate_count), m = static_cast<double>(details.system.row_count());
    return n * std::max(n, m);
}

/// Dense, or refused where that is too large.
SolverChoice dense(const SystemDetails& details, const std::string& why) {
    SolverChoice choice{false, why, size_status(details)};
    if (!choice.refused) choice.refused.message += fmt::format("; {}", why);
    return choice;
}

std::string cannot(const std::string& what) {
    return fmt::format("the sparse solve cannot have {} yet", what);
}

}  // namespace

SolverChoice choose_solver(const SystemDetails& details) {
    if (dense_numbers(details) <= most_for_state) return dense(details, "the system is small");
    if (const std::string what = why_not_large(details); !what.empty()) return dense(details, cannot(what));
    return {true, "the system is large", {}};
}

/// A dense step is interpreted at this size: some 20 solves with (n + m)² numbers and a decomposition, 10 (n + m)³ operations at
/// some 1e9 a second. A sparse one goes through the elements order by order: some 5 µs an element.
SolverChoice choose_solver(const SystemDetails& details, const RunPlan& plan) {
    const std::string& asked = plan.options.solver;
    if (asked == "dense") return dense(details, "asked for");
    const auto unknowns = static_cast<double>(details.system.coordinate_count + details.system.row_count());
    constexpr double fewest = 120.0;  // below, whole steps are compiled as straight-line code
    if (asked != "sparse" && unknowns <= fewest) return dense(details, "the system is small");
    std::string what = why_not_large(details);
    if (what.empty() && plan.options.diagnose) what = "--diagnose";
    if (what.empty() && plan.method != "auto" && plan.method != "taylor") what = fmt::format("the method '{}'", plan.method);
    if (!what.empty() && asked == "sparse") throw std::invalid_argument(cannot(what));
    if (!what.empty()) return dense(details, cannot(what));
    if (asked == "sparse") return {true, "asked for", {}};
    const double dense_seconds = 10.0 * unknowns * unknowns * unknowns / 1e9;
    const double sparse_seconds = 5e-6 * static_cast<double>(details.system.elements.size());
    const std::string figures =
        fmt::format("a step is estimated to take {} s sparse, {} s dense", rounded(sparse_seconds, 2), rounded(dense_seconds, 2));
    if (sparse_seconds < dense_seconds) return {true, figures, {}};
    return dense(details, figures);
}

}  // namespace lacon
