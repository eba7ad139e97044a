// Shrinks sets of dependent rows, so that messages name as few constraints as possible.
#pragma once

#include "solve/dense/rank/circuits.hpp"

namespace lacon::solving::inline dense {

/// As many circuits that span the same dependencies, with fewer rows: those of least total size
/// where a block of rows that hang together through the given ones has few circuits in all, else
/// what combining two at a time gives. Of equal size, the given ones come first. In a block with a
/// conflict, consistent circuits come before smaller ones, so that as few as circuits allow are in
/// conflict. More than 64 circuits, a block of more than 256 rows, and one whose circuits are not
/// exact or whose rows are nearly dependent besides (so that rounding hides coefficients of 1e-5)
/// are left as they are. In the order of their last rows.
std::vector<Circuit> smaller_circuits(std::vector<Circuit> given, const Dependencies& dependencies,
                                      const Balance& balance);

}  // namespace lacon::solving::dense
