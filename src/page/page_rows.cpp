// The last row of a run is always there, whatever was dropped before it.
#include "page/page_rows.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace lacon::inline page {

void PageRows::take(std::span<const double> row) {
    columns.resize(row.size());
    if (seen_++ % stride_ != 0) {
        last_.assign(row.begin(), row.end());
        return;
    }
    last_.clear();
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
    if (columns.size() * columns[0].size() < most_numbers) return;
    for (std::vector<double>& column : columns) {
        for (std::size_t i = 0; 2 * i < column.size(); ++i) column[i] = column[2 * i];
        column.resize((column.size() + 1) / 2);
    }
    stride_ *= 2;
}

namespace {

std::vector<std::pair<std::string, std::string>> facts_of(const MotionSummary& summary) {
    std::vector<std::pair<std::string, std::string>> facts{
        {"Method", summary.method},
        {"Tolerance", rounded(summary.tolerance, 3)},
        {"Steps", fmt::format("{}", summary.steps)},
        {"Computed in", fmt::format("{} s", rounded(summary.wall_seconds, 3))},
        {"Energy change", fmt::format("{} at most", rounded(summary.worst.energy, 3))},
        {"Constraints met to",
         fmt::format("{} (position), {} (velocity)", rounded(summary.worst.position, 3),
                     rounded(summary.worst.velocity, 3))},
        {"Events", fmt::format("{}", summary.events.size())}};
    if (!(summary.tolerance > 0.0)) facts.erase(facts.begin() + 1);
    return facts;
}

}  // namespace

PageRun PageRows::run(const DerivedModel& details, const MotionSummary& summary,
                      const SolveOptions& solve) const {
    PageRun run{details, names, columns, summary.events, facts_of(summary), solve};
    for (std::size_t i = 0; i < last_.size(); ++i) run.columns[i].push_back(last_[i]);
    return run;
}

}  // namespace lacon::page
