// Why the rank of A is constant over a box (theory 5.1): which rows follow from others, and whether
// that is proven or only tested.
#pragma once

#include "lacon/exists.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline existence {

/// Rows of A at a state, some of them not needed.
struct NeededRows {
    std::vector<std::size_t> needed;
    struct Set {
        std::size_t dropped = 0;
        std::vector<std::size_t> rows;  // that it follows from, all needed
        std::vector<double> coefficients;
    };
    std::vector<Set> dropped;
};

/// The rows but for those that a solve found not needed (ConstrainedSolution::unneeded), and how
/// these follow from them.
NeededRows needed_rows(std::size_t row_count, const std::vector<DependentSet>& dependent,
                       const std::vector<std::size_t>& unneeded);

/// How it is known that rows left out at a state follow from the others elsewhere: those that
/// depend on others by constant coefficients, or are parallel to one, are proven to do so by
/// symbols; others are tested at states within `radius` that meet the constraints.
std::vector<Dropped> why_dropped(const DerivedModel& details, const NeededRows& rows,
                                 const Evaluation& at, double radius, const ExistsOptions& options);

}  // namespace lacon::existence
