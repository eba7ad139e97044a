// Writes dependent sets as sums of constraint names, and warnings with the estimated time of the
// singular position.
#include "driver/backend/condition_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

namespace {

std::vector<NamedSet> named_sets(const DerivedModel& details,
                                 const std::vector<DependentSet>& sets) {
    std::vector<NamedSet> named;
    for (const DependentSet& set : sets)
        named.push_back({names_of(details, set), set.coefficients});
    return named;
}

}  // namespace

std::vector<NamedSet> named_sets_added(const DerivedModel& details,
                                       const std::vector<DependentSet>& sets,
                                       const std::vector<DependentSet>& before) {
    std::vector<DependentSet> added = sets;
    std::erase_if(added, [&](const DependentSet& set) {
        return std::any_of(before.begin(), before.end(),
                           [&](const DependentSet& known) { return known.rows == set.rows; });
    });
    return named_sets(details, added.empty() ? sets : added);
}

std::string sum_of(const NamedSet& set) {
    std::string sum;
    for (std::size_t i = 0; i < set.names.size(); ++i) {
        const std::string size = rounded(std::abs(set.coefficients[i]), 4);
        const char* sign = set.coefficients[i] < 0.0 ? "- " : i == 0 ? "" : "+ ";
        sum += fmt::format("{}{}{}'{}'", i == 0 ? "" : " ", sign, size == "1" ? "" : size + " ",
                           set.names[i]);
    }
    return sum;
}

std::string describe(const NamedSet& set) {
    if (set.names.size() == 1) return fmt::format("'{}' has no effect there", set.names[0]);
    return fmt::format("{} depend on each other there ({} = 0)", quoted_list(set.names),
                       sum_of(set));
}

std::string describe(const MotionDiagnosis::Warning& warning) {
    const bool one = warning.constraints.size() == 1;
    std::string text = fmt::format(
        "{0} {1} a singular position: {2} reciprocal condition fell from {4} to {3}",
        quoted_list(warning.constraints), one ? "approaches" : "approach", one ? "its" : "their",
        rounded(warning.reciprocal_condition, 3), rounded(warning.usual, 3));
    if (std::isfinite(warning.estimated_t))
        text += fmt::format("; at this rate it reaches zero at t = {}",
                            rounded(warning.estimated_t, 6));
    return text;
}

std::string outcome_of(const MotionDiagnosis::Warning& warning) {
    const std::string least =
        fmt::format("the reciprocal condition fell to {} at t = {}",
                    rounded(warning.least.value, 3), rounded(warning.least.t, 10));
    if (warning.outcome == ApproachEnd::reached)
        return fmt::format("the singular position was reached at t = {}",
                           rounded(warning.least.t, 10));
    if (warning.outcome == ApproachEnd::missed)
        return fmt::format("a near miss: {} and rose again", least);
    if (warning.outcome == ApproachEnd::changed)
        return fmt::format("{}, then other constraints came into force", least);
    return fmt::format("{}, and the run ended before the outcome was known", least);
}

}  // namespace lacon::driver
