// Matrices are listed by their nonzero entries, long lists of names as ranges, and dependent sets
// of the same kind as one group.
#include "sparse_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "state/family_names.hpp"
#include "state/verdict.hpp"

namespace lacon::app {

namespace {

/// Whether rows that contradict each other at the start are all in a set of names.
bool has_conflict(std::vector<std::string> names, const Start& start) {
    std::sort(names.begin(), names.end());
    return std::any_of(
        start.conflicts.begin(), start.conflicts.end(), [&](std::vector<std::string> conflict) {
            std::sort(conflict.begin(), conflict.end());
            return std::includes(names.begin(), names.end(), conflict.begin(), conflict.end());
        });
}

}  // namespace

/// Rows that contradict each other at the start do not say the same thing, though their
/// accelerations may.
SparseFindings::SparseFindings(const DerivedModel& details, const Evaluation& at,
                               const Start& start)
    : dependent(at.solution.dependent) {
    if (!start.status)
        std::erase_if(dependent, [&](const DependentSet& set) {
            return set.conflict || has_conflict(names_of(details, set), start);
        });
    groups = group_sets(details, dependent);
}

void SparseFindings::mark(std::vector<ConstraintReport>& constraints) const {
    for (ConstraintReport& report : constraints) report.redundant = false;
    for (const DependentSet& set : dependent)
        for (const std::size_t row : set.rows) constraints[row].redundant = true;
}

std::vector<diagnosis::Line> SparseFindings::lines(const Start& start) const {
    constexpr std::size_t most = 20;  // of each kind
    std::vector<diagnosis::Line> lines;
    for (std::size_t c = 0; c < std::min(most, start.conflicts.size()); ++c)
        lines.push_back({"conflict", ranges_text(start.conflicts[c]) + " contradict each other"});
    for (std::size_t g = 0; g < std::min(most, groups.size()); ++g)
        lines.push_back({groups[g].conflict    ? "conflict"
                         : groups[g].undecided ? "undecided"
                                               : "dependent",
                         groups[g].text});
    if (groups.size() > most)
        lines.push_back(
            {"", fmt::format("and {} more groups (--json lists all)", groups.size() - most)});
    return lines;
}

std::vector<std::vector<std::string>> SparseFindings::sets(const DerivedModel& details,
                                                           const Start& start,
                                                           bool conflict) const {
    std::vector<std::vector<std::string>> list;
    if (conflict) list = start.conflicts;
    for (const DependentSet& set : dependent)
        if (set.conflict == conflict) list.push_back(names_of(details, set));
    return list;
}

Json SparseFindings::json(const Evaluation& at) const {
    Json list = Json::array();
    for (const SetGroup& group : groups)
        list.push_back({{"sets", group.sets.size()},
                        {"text", group.text},
                        {"conflict", group.conflict},
                        {"undecided", group.undecided}});
    const Evaluation::Pivots pivots = at.pivots.value_or(Evaluation::Pivots{});
    return {{"rank_decided", at.solution.rank_decided},
            {"smallest_kept", pivots.smallest_kept},
            {"largest_dropped", pivots.largest_dropped},
            {"weakest", pivots.weakest},
            {"groups", list}};
}

std::string rank_text(const Evaluation& at) {
    const bool decided = at.solution.rank_decided;
    return fmt::format(
        "{} of {}{}; reciprocal condition {}{}", at.solution.rank, at.rows_in_force,
        decided ? "" : ", UNDECIDED: too close to the tolerance", rounded(at.pivots->weakest, 2),
        decided ? ""
                : fmt::format(" (pivots {} kept, {} dropped)", rounded(at.pivots->smallest_kept, 2),
                              rounded(at.pivots->largest_dropped, 2)));
}

Json to_json(const SparseMatrix& matrix) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < matrix.rows; ++i) rows.push_back(force_json(matrix, i, 1.0));
    return {{"rows", matrix.rows}, {"columns", matrix.cols}, {"entries", std::move(rows)}};
}

Json force_json(const SparseMatrix& A, std::size_t row, double multiplier) {
    Json entries = Json::array();
    for (std::size_t e = A.begin[row]; e < A.begin[row + 1]; ++e)
        entries.push_back(Json::array({A.column[e], A.value[e] * multiplier}));
    return entries;
}

}  // namespace lacon::app
