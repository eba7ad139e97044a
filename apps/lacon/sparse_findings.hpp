// What `check` and `eval` tell of a sparse evaluation where singular values and samples nearby are
// not to be had: dependent sets in groups, pivots, matrices by their entries.
#pragma once

#include "command.hpp"
#include "diagnosis/words.hpp"
#include "large/evaluate/evaluate.hpp"

namespace lacon::app {

struct SparseFindings {
    std::vector<DependentSet> dependent;  // without those that the start search found in conflict
    std::vector<SetGroup> groups;

    SparseFindings(const DerivedModel& details, const Evaluation& at, const Start& start);
    /// Which rows depend on others.
    void mark(std::vector<ConstraintReport>& constraints) const;
    /// The lines of `check`: a label and a sentence each.
    std::vector<diagnosis::Line> lines(const Start& start) const;
    /// Sets of names: what depends on others, or what conflicts.
    std::vector<std::vector<std::string>> sets(const DerivedModel& details, const Start& start,
                                               bool conflict) const;
    /// The `diagnosis` object.
    Json json(const Evaluation& at) const;
};

std::string rank_text(const Evaluation& at);
/// Rows as pairs of column and value.
Json to_json(const SparseMatrix& matrix);
/// What a row of A pushes with, as pairs of coordinate and value; the others are zero.
Json force_json(const SparseMatrix& A, std::size_t row, double multiplier);

}  // namespace lacon::app
