// Gathers the rows of a run for its page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacon/motion.hpp"
#include "page/page.hpp"

namespace lacon::inline page {

/// All columns of a run in memory. Where they become too many, every second row is dropped, and
/// from then on only so many are taken.
class PageRows {
public:
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;

    void take(std::span<const double> row);
    /// Both must outlive the result.
    PageRun run(const DerivedModel& details, const MotionSummary& summary,
                const SolveOptions& solve) const;

private:
    static constexpr std::size_t most_numbers = 80'000'000;  // 640 MB
    std::size_t stride_ = 1, seen_ = 0;
    std::vector<double> last_;  // a row that was not taken
};

}  // namespace lacon::page
